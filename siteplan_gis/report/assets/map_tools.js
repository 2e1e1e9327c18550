"use strict";
// What stands beside the shapes: shaded ground, lettered grid, scale bar, coordinates, and a ruler.
function siteplanTools(map, data, place) {
  const FOOT = 0.3048;
  const ACRE = 43560 * FOOT * FOOT;
  const whole = (value) => Math.round(value).toLocaleString("en-US");

  L.control.scale({ metric: false, maxWidth: 160 }).addTo(map);

  if (data.relief) {
    const [west, south, east, north] = data.relief.bounds;
    map.createPane("relief").style.zIndex = 250;
    const relief = L.imageOverlay(data.relief.href, [[south, west], [north, east]], { pane: "relief", alt: "" });
    const box = document.getElementById("relief");
    const draw = () => (box.checked ? relief.addTo(map) : relief.remove());
    box.addEventListener("change", draw);
    draw();
  }

  // The letters come and go with the layer of the grid.
  const letters = L.layerGroup(data.grid_labels.map(([word, x, y]) => L.marker(place(x, y), {
    interactive: false, keyboard: false, icon: L.divIcon({ className: "grid-label", html: word, iconSize: [20, 20] }),
  })));
  const lines = data.layers.findIndex((layer) => layer.key === "context:lettered_grid");
  if (lines >= 0) {
    const title = data.layers[lines].title;
    const follow = (event, on) => {
      if (event.name?.includes(`data-layer="${lines}"`)) (on ? letters.addTo(map) : letters.remove());
    };
    map.on("overlayadd", (event) => follow(event, true));
    map.on("overlayremove", (event) => follow(event, false));
    if (data.layers[lines].show && title) letters.addTo(map);
  }

  // Coordinates of the plan's own system, by a formula that was fitted to it.
  const shown = document.getElementById("coordinates");
  function words({ lat, lng }) {
    if (!data.placed) return `x ${lng.toFixed(1)} m, y ${lat.toFixed(1)} m in the plan's own coordinates`;
    const degrees = `${lat.toFixed(5)}\u00b0, ${lng.toFixed(5)}\u00b0`;
    const [u, v] = [lng - data.centre[0], lat - data.centre[1]];
    if (!data.own || Math.hypot(u * Math.cos((lat * Math.PI) / 180), v) * 111320 > 4000) return degrees;
    const terms = [1, u, v, u * u, u * v, v * v, u ** 3, u * u * v, u * v * v, v ** 3];
    const sum = (factors) => terms.reduce((total, term, at) => total + term * factors[at], 0);
    return `${data.own.name}: ${whole(sum(data.own.x))}, ${whole(sum(data.own.y))} ${data.own.unit} (${degrees})`;
  }
  map.on("mousemove", (event) => { shown.textContent = words(event.latlng); });
  const tell = () => { shown.textContent = `Middle of the map: ${words(map.getCenter())}`; };
  map.on("moveend", tell);
  tell();
  siteplan.coordinates = words;

  // The ruler: lengths and areas on a plane around its first point.
  const button = document.getElementById("ruler");
  const told = document.getElementById("ruler-result");
  let points = [];
  let drawn = null;
  function metres(from, to) {
    if (!data.placed) return [to.lng - from.lng, to.lat - from.lat];
    const lat = (from.lat * Math.PI) / 180;
    const w = 1 - 0.00669438 * Math.sin(lat) ** 2;
    const perX = ((6378137 * Math.cos(lat)) / Math.sqrt(w)) * (Math.PI / 180);
    const perY = ((6378137 * (1 - 0.00669438)) / w ** 1.5) * (Math.PI / 180);
    return [(to.lng - from.lng) * perX, (to.lat - from.lat) * perY];
  }
  function refresh() {
    drawn?.remove();
    drawn = null;
    if (points.length === 0) {
      told.textContent = "Click points on the map, or move the map with the arrow keys and press Enter for its middle.";
      return;
    }
    const flat = points.map((point) => metres(points[0], point));
    const length = flat.slice(1).reduce((sum, [x, y], at) => sum + Math.hypot(x - flat[at][0], y - flat[at][1]), 0);
    const area = Math.abs(flat.reduce((sum, [x, y], at) => {
      const [nextX, nextY] = flat[(at + 1) % flat.length];
      return sum + (x * nextY - nextX * y) / 2;
    }, 0));
    const feet = `about ${(length / FOOT).toLocaleString("en-US", { maximumFractionDigits: length < 30 ? 1 : 0 })} ft`;
    const acres = points.length > 2 ? `; closed, about ${(area / ACRE).toFixed(2)} acres` : "";
    told.textContent = `Approximate, measured on the picture: ${feet}${acres}.`;
    drawn = L.featureGroup([
      L.polygon(points, { color: "#1a1a1a", weight: 2.5, dashArray: "4 4", fillOpacity: 0.08, interactive: false }),
      ...points.map((point) => L.circleMarker(point, { radius: 4, color: "#1a1a1a", fillColor: "#fff", fillOpacity: 1, interactive: false })),
    ]).addTo(map);
  }
  const add = (point) => { points.push(point); refresh(); };
  function measure(on) {
    button.setAttribute("aria-pressed", String(on));
    map.getContainer().classList.toggle("measuring", on);
    points = [];
    refresh();
    if (!on) told.textContent = "";
    if (on) map.getContainer().focus({ preventScroll: true });
  }
  const measuring = () => button.getAttribute("aria-pressed") === "true";
  button.addEventListener("click", () => measure(!measuring()));
  // Before the shapes see it: a click on one is a point of the ruler, no popup.
  map.getContainer().addEventListener("click", (event) => {
    if (!measuring() || event.target.closest(".leaflet-control")) return;
    event.stopPropagation();
    add(map.mouseEventToLatLng(event));
  }, true);
  map.getContainer().addEventListener("keydown", (event) => {
    if (!measuring() || event.target !== map.getContainer()) return;
    if (event.key === "Enter") add(map.getCenter());
    if (event.key === "Escape") measure(false);
  });
}
