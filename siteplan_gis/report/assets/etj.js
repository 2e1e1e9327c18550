"use strict";
(() => {
  const data = JSON.parse(document.getElementById("map-data").textContent);
  const map = L.map("map", { preferCanvas: true, zoomSnap: 0.5, attributionControl: false });
  const answer = document.getElementById("answer");
  const MILE = 1609.344;

  const ring = (steps) => mapParts.ring(steps, data.centre);
  const shape = (parts) => parts.map(([, ...rings]) => rings.map(ring));
  const boxOf = (polygons) => {
    const box = L.latLngBounds([]);
    for (const rings of polygons) for (const point of rings[0]) box.extend(point);
    return box;
  };

  const places = data.places.map((place) => ({ ...place, limits: shape(place.limits), held: shape(place.held) }));
  for (const place of places) {
    place.box = boxOf(place.limits);
    place.heldBox = boxOf(place.held);
  }

  function within(polygons, [y, x]) {
    return polygons.some((rings) => {
      let odd = false;
      for (const points of rings) {
        for (let i = 0, j = points.length - 1; i < points.length; j = i, i += 1) {
          const [yi, xi] = points[i];
          const [yj, xj] = points[j];
          if (yi > y !== yj > y && x < ((xj - xi) * (y - yi)) / (yj - yi) + xi) odd = !odd;
        }
      }
      return odd;
    });
  }

  // Near enough for words: a plane around the point, metres by the ellipsoid's radii there.
  function metres(polygons, [y, x]) {
    const lat = (y * Math.PI) / 180;
    const w = 1 - 0.00669438 * Math.sin(lat) ** 2;
    const perX = ((6378137 * Math.cos(lat)) / Math.sqrt(w)) * (Math.PI / 180);
    const perY = ((6378137 * (1 - 0.00669438)) / w ** 1.5) * (Math.PI / 180);
    let least = Infinity;
    for (const rings of polygons) {
      for (const points of rings) {
        for (let i = 0, j = points.length - 1; i < points.length; j = i, i += 1) {
          const [ax, ay] = [(points[j][1] - x) * perX, (points[j][0] - y) * perY];
          const [dx, dy] = [(points[i][1] - x) * perX - ax, (points[i][0] - y) * perY - ay];
          const whole = dx * dx + dy * dy;
          const share = whole > 0 ? Math.min(1, Math.max(0, -(ax * dx + ay * dy) / whole)) : 0;
          least = Math.min(least, Math.hypot(ax + share * dx, ay + share * dy));
        }
      }
    }
    return least;
  }

  function tell(title, lines, pairs = []) {
    const head = document.createElement("h2");
    head.textContent = title;
    answer.replaceChildren(head);
    for (const line of lines) {
      const part = document.createElement("p");
      part.textContent = line;
      answer.append(part);
    }
    const list = document.createElement("dl");
    for (const [term, told] of pairs) {
      if (told === "" || told === null) continue;
      const [dt, dd] = [document.createElement("dt"), document.createElement("dd")];
      dt.textContent = term;
      dd.textContent = told;
      list.append(dt, dd);
    }
    answer.append(list);
  }

  const miles = (length) => `${(length / MILE).toFixed(2)} mi`;
  const acres = (value) => (value === null ? "" : `${value.toLocaleString("en-US", { maximumFractionDigits: 1 })} acres`);

  function facts(place) {
    return [
      ["Reach", place.reach > 0 ? `${(place.reach / MILE).toFixed(2)} mi` : "none"],
      ["Why", place.why], ["Class", place.city_class],
      ["Inside", acres(place.acres)], ["Its area", acres(place.etj)], ["Shared reach", acres(place.shared)],
      ["Towns touched", place.towns], ["Counties touched", place.counties],
    ];
  }

  function whose(point) {
    const at = [point.lat, point.lng];
    const inside = places.filter((place) => place.limits.length && place.box.contains(point) && within(place.limits, at));
    const governing = inside.filter((place) => place.kind !== "town");
    const town = inside.find((place) => place.kind === "town");
    const reaching = places
      .filter((place) => place.reach > 0 && place.box.pad(0).isValid())
      .filter((place) => place.box.getNorth() + 0.08 > point.lat && place.box.getSouth() - 0.08 < point.lat
        && place.box.getEast() + 0.11 > point.lng && place.box.getWest() - 0.11 < point.lng)
      .map((place) => ({ place, far: metres(place.limits, at) }))
      .filter(({ place, far }) => far <= place.reach)
      .sort((a, b) => a.far - b.far);
    if (governing.length > 1) {
      tell(governing.map((place) => place.label).join(" and "), ["Both claim this ground: their limits overlap in the data. No extraterritorial area lies here."]);
      return;
    }
    if (governing.length === 1) {
      tell(governing[0].label, ["Inside its limits. No municipality has extraterritorial power in another's limits."], facts(governing[0]));
      return;
    }
    const ground = town ? `The ground is in the ${town.label}` : "The ground is unincorporated, or outside the layer of limits";
    const holder = places.find((place) => place.held.length && place.heldBox.contains(point) && within(place.held, at));
    if (!holder) {
      const why = reaching.length
        ? `The limits of the ${reaching[0].place.label} are ${miles(reaching[0].far)} away, yet the ground is not its: waived, by agreement, by a municipality that was not mapped, or too near a line to tell here.`
        : "No city's or village's reach comes here.";
      tell(town ? town.label : "No municipality", [`${ground}.`, why]);
      return;
    }
    const own = reaching.find(({ place }) => place === holder);
    const lines = [`${ground}, in the extraterritorial area of the ${holder.label}.`];
    if (own) lines.push(`Its limits are ${miles(own.far)} away, within its reach of ${miles(holder.reach)} (${holder.why}).`);
    for (const { place, far } of reaching) {
      if (place === holder) continue;
      lines.push(own && far >= own.far
        ? `The ${place.label} reaches here too, but its limits are farther, ${miles(far)}: the line equally far from both limits gives the ground to the nearer.`
        : `The limits of the ${place.label} are nearer, ${miles(far)}: it has waived this ground, an agreement gives it away, or the point lies too near the line to tell here.`);
    }
    for (const mark of data.marks) {
      if (within(mark.shape ??= shape(mark.parts), at)) lines.push(`To be decided by a person: ${mark.text}.`);
    }
    tell(`Extraterritorial area of the ${holder.label}`, lines, facts(holder));
  }

  const colours = ["#56b4e9", "#009e73", "#e69f00", "#cc79a7", "#0072b2", "#d55e00", "#b8a800"];
  const everything = L.latLngBounds([]);
  const quiet = { interactive: false, smoothFactor: 0.3 };
  for (const place of places) {
    if (place.kind === "town") L.polygon(place.limits, { ...quiet, color: "#999", weight: 0.6, fill: false }).addTo(map);
  }
  for (const place of places) {
    if (!place.held.length) continue;
    place.drawn = L.polygon(place.held, { ...quiet, color: "#333", weight: 0.8, fillColor: colours[place.colour % colours.length], fillOpacity: 0.45 }).addTo(map);
    everything.extend(place.heldBox);
  }
  for (const parts of data.overlaps) L.polygon(shape(parts), { ...quiet, color: "#8a5a00", weight: 1, dashArray: "5 4", fill: false }).addTo(map);
  for (const mark of data.marks) L.polygon(mark.shape = shape(mark.parts), { ...quiet, color: "#8e2d74", weight: 1.2, dashArray: "1 4", fillColor: "#cc79a7", fillOpacity: 0.15 }).addTo(map);
  for (const place of places) {
    if (place.kind === "town") continue;
    L.polygon(place.limits, { ...quiet, color: "#1a1a1a", weight: 1, fillColor: "#8c8c8c", fillOpacity: 0.75 }).addTo(map);
    everything.extend(place.box);
  }
  for (const parts of data.lines) {
    L.polyline(parts.map(([, steps]) => ring(steps)), { ...quiet, color: "#b5340b", weight: 2.5 }).addTo(map);
  }
  if (everything.isValid()) map.fitBounds(everything, { padding: [20, 20], animate: false });
  L.control.scale({ maxWidth: 160 }).addTo(map);

  // Names of cities and villages, each where its largest piece has room for it.
  const names = L.layerGroup().addTo(map);
  const named = places.filter((place) => place.kind !== "town" && place.limits.length).map((place) => {
    const boxes = place.limits.map((rings) => boxOf([rings]));
    const size = (box) => (box.getNorth() - box.getSouth()) * (box.getEast() - box.getWest());
    return { name: place.name, box: boxes.reduce((best, box) => (size(box) > size(best) ? box : best)) };
  });
  function showNames() {
    names.clearLayers();
    const view = map.getBounds();
    for (const { name, box } of named) {
      if (!view.intersects(box)) continue;
      const wide = map.latLngToContainerPoint(box.getNorthEast()).x - map.latLngToContainerPoint(box.getSouthWest()).x;
      if (wide < 7 * name.length) continue;
      const text = document.createElement("span");
      text.textContent = name;
      L.tooltip({ permanent: true, direction: "center", className: "name", interactive: false })
        .setLatLng(box.getCenter()).setContent(text).addTo(names);
    }
  }
  map.on("moveend", showNames);
  showNames();

  let mark = null;
  function ask(point) {
    if (mark) mark.remove();
    mark = L.circleMarker(point, { ...quiet, radius: 6, color: "#fff", weight: 2, fillColor: "#b5340b", fillOpacity: 1 }).addTo(map);
    whose(point);
  }
  map.on("click", (event) => ask(event.latlng));

  let chosen = null;
  function show(name) {
    const wanted = name.trim().toLowerCase();
    if (!wanted) return;
    const fits = (test) => places.find((place) => place.kind !== "town" && test(place)) ?? places.find(test);
    const place = fits((one) => one.label.toLowerCase() === wanted) ?? fits((one) => one.name.toLowerCase() === wanted)
      ?? fits((one) => one.label.toLowerCase().includes(wanted));
    if (!place) {
      tell("Not found", [`No municipality of these limits is called ${name}.`]);
      return;
    }
    if (chosen?.drawn) chosen.drawn.setStyle({ weight: 0.8, color: "#333" });
    chosen = place;
    if (place.drawn) place.drawn.setStyle({ weight: 4, color: "#00369e" }).bringToFront();
    const box = L.latLngBounds([]).extend(place.box);
    if (place.heldBox.isValid()) box.extend(place.heldBox);
    map.fitBounds(box, { padding: [30, 30], animate: false });
    tell(place.label, place.kind === "town" ? ["A town: unincorporated ground, which has no reach of its own."] : [], facts(place));
  }
  document.getElementById("search").addEventListener("submit", (event) => {
    event.preventDefault();
    show(document.getElementById("name").value);
  });
  document.getElementById("name").addEventListener("change", (event) => show(event.target.value));

  mapParts.offerStreets(map);
  window.siteplanEtj = { ask: (lat, lng) => ask(L.latLng(lat, lng)), show };
})();
