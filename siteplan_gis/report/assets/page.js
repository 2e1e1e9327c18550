"use strict";
// The page's own behaviour. Text of the review is only ever set with textContent.
const siteplan = { rows: new Map(), places: new Map(), selected: null };

(function table() {
  const body = document.querySelector("#finding-table tbody");
  const rows = Array.from(body.rows);
  const shown = new Set(rows.map((row) => row.dataset.status));
  const search = document.getElementById("finding-search");
  const words = new Map(rows.map((row) => [row, row.textContent.toLowerCase()]));
  const lines = [...rows, ...document.querySelectorAll("tr[data-finding]")];
  new Set(lines).forEach((row) => {
    if (!siteplan.rows.has(row.dataset.finding)) siteplan.rows.set(row.dataset.finding, row);
    const button = row.querySelector(".locate");
    if (button) button.addEventListener("click", () => siteplan.select(row.dataset.finding, true));
  });

  function refresh() {
    const wanted = search.value.trim().toLowerCase().split(/\s+/);
    let count = 0;
    for (const row of rows) {
      const text = words.get(row);
      row.hidden = !shown.has(row.dataset.status) || !wanted.every((word) => text.includes(word));
      count += row.hidden ? 0 : 1;
    }
    document.getElementById("finding-count").textContent = `${count} of ${rows.length} shown`;
    document.getElementById("no-finding").hidden = count > 0;
  }

  siteplan.reveal = (row) => {
    if (!row.hidden) return;
    shown.add(row.dataset.status);
    search.value = "";
    for (const button of document.querySelectorAll(".filter")) {
      button.setAttribute("aria-pressed", String(shown.has(button.dataset.status)));
    }
    refresh();
  };

  for (const button of document.querySelectorAll(".filter")) {
    button.addEventListener("click", () => {
      const on = button.getAttribute("aria-pressed") !== "true";
      button.setAttribute("aria-pressed", String(on));
      if (on) shown.add(button.dataset.status);
      else shown.delete(button.dataset.status);
      refresh();
    });
  }
  search.addEventListener("input", refresh);

  const value = {
    status: (row) => Number(row.dataset.orderStatus),
    title: (row) => row.dataset.orderTitle,
    margin: (row) => (row.dataset.orderMargin === "" ? Infinity : Number(row.dataset.orderMargin)),
  };
  const original = new Map(rows.map((row, position) => [row, position]));
  for (const head of document.querySelectorAll("#finding-table th[data-sort]")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "sort";
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      for (const other of document.querySelectorAll("#finding-table th[data-sort]")) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const key = value[head.dataset.sort];
      const turn = down ? -1 : 1;
      rows.sort((a, b) => {
        const [left, right] = [key(a), key(b)];
        if (left === right) return original.get(a) - original.get(b);
        return turn * (typeof left === "string" ? left.localeCompare(right, "en") : left < right ? -1 : 1);
      });
      body.append(...rows);
    });
  }
  document.getElementById("finding-tools").hidden = false;
  refresh();

  // On paper the details of what needs work are open; a reader may open others before printing.
  let opened = [];
  window.addEventListener("beforeprint", () => {
    opened = Array.from(document.querySelectorAll("#finding-table details:not([open])"))
      .filter((each) => !["pass", "not_applicable"].includes(each.closest("tr").dataset.status));
    opened.forEach((each) => { each.open = true; });
  });
  window.addEventListener("afterprint", () => opened.forEach((each) => { each.open = false; }));
})();

function siteplanDraw(map, control, groups) {
  const data = JSON.parse(document.getElementById("map-data").textContent);
  const [centreX, centreY] = data.centre;
  const count = data.layers.reduce((sum, layer) => sum + (layer.group === "context" ? layer.items.length : 0), 0);
  map.createPane("context").style.zIndex = 350;
  // Thousands of shapes are painted on one canvas; a few are drawn as SVG, which prints sharper.
  const renderer = count > 1500 ? L.canvas({ pane: "context", tolerance: 4 }) : L.svg({ pane: "context" });

  const place = (x, y) => [centreY + y / data.units, centreX + x / data.units];

  const ring = (steps) => mapParts.ring(steps, data.centre, data.units);

  function draw(parts, ink, options) {
    const style = { ...ink, fill: ink.fillOpacity > 0, ...options };
    return L.featureGroup(parts.map(([dimension, ...rings]) => {
      const places = rings.map(ring);
      if (dimension === 0) return L.circleMarker(places[0][0], { ...style, fill: true, dashArray: null, radius: 6 });
      return dimension === 1 ? L.polyline(places[0], { ...style, fill: false }) : L.polygon(places, style);
    }));
  }

  function box(title, pairs) {
    const whole = document.createElement("div");
    const head = document.createElement("strong");
    head.textContent = title;
    const list = document.createElement("dl");
    for (const [label, text] of pairs) {
      if (text === "") continue;
      const [term, told] = [document.createElement("dt"), document.createElement("dd")];
      term.textContent = label;
      told.textContent = text;
      list.append(term, told);
    }
    whole.append(head, list);
    return whole;
  }

  function findingBox(id) {
    const row = siteplan.rows.get(id);
    const text = (selector) => row.querySelector(selector)?.textContent ?? "";
    const whole = box(row.dataset.title, [["", text(".badge").replace(/^(.)/u, "$1 ")], ["", text(".message")]]);
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Go to the finding";
    button.addEventListener("click", () => {
      siteplan.reveal(row);
      row.scrollIntoView({ block: "center" });
      row.focus({ preventScroll: true });
    });
    whole.append(button);
    return whole;
  }

  let markers = 0;
  for (const layer of data.layers) {
    const group = groups[layer.key];
    for (const item of layer.items) {
      if (layer.group === "context") {
        const [parts, values, attributes] = item;
        const shape = draw(parts, layer.ink, { pane: "context", renderer });
        shape.bindPopup(() => box(layer.title, [...layer.labels.map((label, at) => [label, values[at]]), ...attributes]));
        group.addLayer(shape);
        continue;
      }
      const [parts, id, status, x, y] = item;
      const look = data.statuses[status];
      const shape = draw(parts, look.ink, {});
      shape.on("click", () => siteplan.select(id, false));
      shape.bindPopup(() => findingBox(id));
      group.addLayer(shape);
      const spot = siteplan.places.get(id) ?? { shapes: [], group, status, ink: look.ink };
      spot.shapes.push(shape);
      siteplan.places.set(id, spot);
      if (markers < data.most_markers) {
        markers += 1;
        const icon = L.divIcon({ className: `pin status-${status}`, html: look.sign, iconSize: [22, 22] });
        const pin = L.marker(place(x, y), {
          icon, keyboard: true, alt: look.words, zIndexOffset: -1000 * Object.keys(data.statuses).indexOf(status),
        });
        pin.on("click", () => siteplan.select(id, false));
        pin.bindPopup(() => findingBox(id));
        pin.on("add", () => pin.getElement().setAttribute("aria-label", `${look.words}: ${siteplan.rows.get(id).dataset.title}`));
        group.addLayer(pin);
        pin.getElement()?.setAttribute("aria-label", `${look.words}: ${siteplan.rows.get(id).dataset.title}`);
      }
    }
  }

  // The worst findings lie on top, whatever is switched on when.
  const worstLast = Object.keys(data.statuses).reverse();
  function stack() {
    for (const status of worstLast) {
      for (const place of siteplan.places.values()) {
        if (place.status === status && map.hasLayer(place.group)) place.shapes.forEach((shape) => shape.bringToFront());
      }
    }
  }
  map.on("overlayadd", stack);
  stack();

  siteplan.select = (id, move) => {
    if (siteplan.selected !== null) {
      const before = siteplan.places.get(siteplan.selected);
      before?.shapes.forEach((shape) => shape.setStyle({ weight: before.ink.weight }));
      siteplan.rows.get(siteplan.selected)?.classList.remove("selected");
    }
    siteplan.selected = id;
    const [row, place] = [siteplan.rows.get(id), siteplan.places.get(id)];
    row.classList.add("selected");
    if (!place) return;
    if (!map.hasLayer(place.group)) map.addLayer(place.group);
    stack();
    const bounds = L.latLngBounds([]);
    for (const shape of place.shapes) {
      shape.setStyle({ weight: place.ink.weight + 4 });
      shape.bringToFront();
      bounds.extend(shape.getBounds());
    }
    if (!move) {
      siteplan.reveal(row);
      row.scrollIntoView({ block: "nearest" });
      return;
    }
    map.fitBounds(bounds, { maxZoom: data.placed ? 17 : 2, padding: [40, 40], animate: false });
    place.shapes[0].openPopup(bounds.getCenter());
    if (window.matchMedia("(max-width: 1100px)").matches) map.getContainer().scrollIntoView({ block: "nearest" });
  };

  function extent(...keys) {
    const bounds = L.latLngBounds([]);
    for (const key of keys) if (groups[`context:${key}`]) bounds.extend(groups[`context:${key}`].getBounds());
    return bounds;
  }
  function zoom(bounds, fallback) {
    const whole = bounds.isValid() ? bounds : fallback;
    if (whole.isValid()) map.fitBounds(whole, { maxZoom: data.placed ? 18 : 3, padding: [20, 20], animate: false });
  }
  const everything = L.latLngBounds([]);
  for (const group of Object.values(groups)) everything.extend(group.getBounds());
  const site = extent("site", "disturbed_area");
  document.getElementById("zoom-site").addEventListener("click", () => zoom(site, everything));
  document.getElementById("zoom-mile").addEventListener("click", () => zoom(extent("one_mile"), everything));
  zoom(site.isValid() ? site.pad(0.6) : site, everything);

  siteplanTools(map, data, place);
  const switches = control.getContainer();
  switches.querySelector(".leaflet-control-layers-toggle").remove();
  document.getElementById("layer-switches").append(switches);
  for (const swatch of document.querySelectorAll(".swatch")) {
    const layer = data.layers[Number(swatch.dataset.layer)];
    if (layer.group === "finding") {
      const present = Object.keys(data.statuses).filter((status) => layer.items.some((item) => item[2] === status));
      for (const status of present) {
        const sign = document.createElement("span");
        sign.className = `sign status-${status}`;
        sign.textContent = data.statuses[status].sign;
        swatch.append(sign);
      }
      continue;
    }
    const picture = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    const dimension = Math.max(...layer.items.flatMap((item) => item[0].map((part) => part[0])));
    const [name, sizes] = [
      ["circle", { cx: 13, cy: 7, r: 5 }],
      ["line", { x1: 1, y1: 7, x2: 25, y2: 7 }],
      ["rect", { x: 2, y: 2, width: 22, height: 10 }],
    ][dimension];
    const shape = document.createElementNS("http://www.w3.org/2000/svg", name);
    const look = {
      stroke: layer.ink.color, "stroke-width": Math.min(layer.ink.weight, 3),
      fill: layer.ink.fillColor, "fill-opacity": layer.ink.fillOpacity,
      ...(layer.ink.dashArray ? { "stroke-dasharray": layer.ink.dashArray } : {}),
    };
    for (const [each, set] of Object.entries({ ...sizes, ...look })) shape.setAttribute(each, String(set));
    picture.setAttribute("width", "26");
    picture.setAttribute("height", "14");
    picture.append(shape);
    swatch.append(picture);
  }

  mapParts.offerStreets(map);
}
