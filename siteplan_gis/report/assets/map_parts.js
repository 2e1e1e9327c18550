"use strict";
// What the maps of all pages have in common.
const mapParts = {
  // The points of a ring that is kept as steps in parts of a degree, the first of them from the middle of the map.
  ring(steps, [middleX, middleY], units = 1e6) {
    const points = [];
    let [x, y] = [0, 0];
    for (let at = 0; at < steps.length; at += 2) {
      x += steps[at];
      y += steps[at + 1];
      points.push([middleY + y / units, middleX + x / units]);
    }
    return points;
  },

  // Nothing is asked of the network before somebody asks for streets.
  offerStreets(map) {
    const streets = document.getElementById("street-map");
    if (!streets) return;
    let tiles = null;
    streets.addEventListener("change", () => {
      if (!streets.checked) {
        map.removeLayer(tiles);
        return;
      }
      if (!tiles) {
        L.control.attribution({ prefix: false }).addTo(map);
        tiles = L.tileLayer("https://tile.openstreetmap.org/{z}/{x}/{y}.png", {
          maxNativeZoom: 19, maxZoom: 22, opacity: 0.6, attribution: "\u00a9 OpenStreetMap contributors",
        });
      }
      tiles.addTo(map);
    });
  },
};
