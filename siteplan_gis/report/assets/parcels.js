"use strict";
// The map of parcels. Text of the data is only ever set with textContent.
(() => {
  const data = JSON.parse(document.getElementById("map-data").textContent);
  const map = L.map("map", { preferCanvas: true, zoomSnap: 0.5, attributionControl: false });
  const switches = document.getElementById("switches");

  const ring = (steps) => mapParts.ring(steps, data.centre);

  function draw([dimension, ...rings], style) {
    const places = rings.map(ring);
    if (dimension === 0) return L.circleMarker(places[0][0], { ...style, fill: true, dashArray: null, radius: 5 });
    return dimension === 1 ? L.polyline(places[0], { ...style, fill: false }) : L.polygon(places, style);
  }

  const everything = L.latLngBounds([]);
  const first = L.latLngBounds([]);
  for (const layer of data.layers) {
    const group = L.featureGroup();
    for (const [parts, text, shade] of layer.items) {
      const style = { ...layer.ink, fill: layer.ink.fillOpacity > 0, ...(shade === undefined ? {} : { fillOpacity: shade }) };
      const shape = L.featureGroup(parts.map((part) => draw(part, style)));
      if (text) shape.bindPopup(() => Object.assign(document.createElement("div"), { textContent: text }));
      group.addLayer(shape);
    }
    if (layer.show) group.addTo(map);
    everything.extend(group.getBounds());
    if (layer.fit) first.extend(group.getBounds());
    const label = document.createElement("label");
    const box = Object.assign(document.createElement("input"), { type: "checkbox", checked: layer.show });
    const swatch = Object.assign(document.createElement("span"), { className: "swatch" });
    swatch.style.borderColor = layer.ink.color;
    swatch.style.borderStyle = layer.ink.dashArray ? "dashed" : "solid";
    swatch.style.background = layer.ink.fillOpacity > 0 ? layer.ink.fillColor : "none";
    box.addEventListener("change", () => (box.checked ? map.addLayer(group) : map.removeLayer(group)));
    label.append(box, swatch, document.createTextNode(layer.title));
    switches.append(label);
  }
  for (const [longitude, latitude, number] of data.marks || []) {
    const icon = L.divIcon({ className: "place-number", html: String(number), iconSize: [18, 18] });
    L.marker([latitude, longitude], { icon, interactive: false, keyboard: false }).addTo(map);
  }
  const start = first.isValid() ? first.pad(data.pad) : everything;
  if (start.isValid()) map.fitBounds(start, { maxZoom: 18, animate: false });
  else map.setView([...data.centre].reverse(), 10);
  L.control.scale({ metric: false, maxWidth: 160 }).addTo(map);

  mapParts.offerStreets(map);
})();
