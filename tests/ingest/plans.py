"""Small plans to write: GeoJSON features and shapefiles with given coordinates."""

import json
import struct

import fiona

FOOT = 0.3048
X, Y = 2_300_000.0, 400_000.0  # a corner in Wisconsin's county system of Ozaukee, in US survey feet
CRS = "EPSG:2289"


def rectangle(x, y, width, height):
    return [[x, y], [x + width, y], [x + width, y + height], [x, y + height], [x, y]]


def feature(coordinates, kind="Polygon", **properties):
    return {
        "type": "Feature",
        "properties": properties,
        "geometry": {"type": kind, "coordinates": coordinates},
    }


def geojson(path, *features, crs=CRS, **members):
    document = {"type": "FeatureCollection", **members, "features": list(features)}
    if crs:
        document["crs"] = {"type": "name", "properties": {"name": crs}}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document))
    return path


def database(path, layer, *geometries, crs=CRS, driver="GPKG", kind="Polygon", properties=None, **settings):
    """Write `(geometry, attributes)` pairs as a layer of a file that may already hold others."""
    schema = {"geometry": kind, "properties": properties or {"name": "str"}}
    with fiona.open(path, "w", driver=driver, layer=layer, schema=schema, crs=crs, **settings) as sink:
        for geometry, attributes in geometries:
            sink.write({"type": "Feature", "geometry": geometry, "properties": attributes})
    return path


def polygon(*rings):
    return {"type": "Polygon", "coordinates": list(rings)}


def shapefile(path, *shapes, code=5):
    """A `.shp` and `.shx` without anything else, of polygons or lines given as lists of rings."""
    records, index, offset = b"", b"", 50
    for number, rings in enumerate(shapes, 1):
        points = [point for ring in rings for point in ring]
        starts = [sum(len(ring) for ring in rings[:count]) for count in range(len(rings))]
        content = struct.pack("<i4d2i", code, 0, 0, 0, 0, len(rings), len(points))
        content += struct.pack(f"<{len(starts)}i", *starts) + b"".join(struct.pack("<2d", *point) for point in points)
        records += struct.pack(">2i", number, len(content) // 2) + content
        index += struct.pack(">2i", offset, len(content) // 2)
        offset += 4 + len(content) // 2
    for suffix, body in ((".shp", records), (".shx", index)):
        header = struct.pack(">i5ii", 9994, 0, 0, 0, 0, 0, 50 + len(body) // 2) + struct.pack(
            "<2i8d", 1000, code, *[0] * 8
        )
        path.with_suffix(suffix).write_bytes(header + body)
    return path.with_suffix(".shp")
