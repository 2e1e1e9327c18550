"""Files made to hurt, hang or fool whoever opens them, one function a kind."""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from typing import TYPE_CHECKING

import numpy as np
import rasterio

from tests.ingest.pdfs import objects_to_pdf, one_page

if TYPE_CHECKING:
    from pathlib import Path

LANDXML = (
    '<LandXML xmlns="http://www.landxml.org/schema/LandXML-1.2"><Units><Imperial linearUnit="USSurveyFoot"/></Units>'
    '<CoordinateSystem epsgCode="2289"/>{}</LandXML>'
)
SURFACE = (
    '<Surfaces><Surface name="{name}"><Definition surfType="TIN"><Pnts>{points}</Pnts><Faces>{faces}</Faces>'
    "</Definition></Surface></Surfaces>"
)
KML = '<kml xmlns="http://www.opengis.net/kml/2.2"><Document>{}</Document></kml>'
GOOD = {
    "type": "FeatureCollection",
    "features": [
        {
            "type": "Feature",
            "properties": {},
            "geometry": {
                "type": "Polygon",
                "coordinates": [
                    [[-87.95, 43.38], [-87.949, 43.38], [-87.949, 43.381], [-87.95, 43.381], [-87.95, 43.38]]
                ],
            },
        }
    ],
}


def surface(points, faces, name="Existing Ground"):
    """A LandXML file of one surface, points and faces as they shall stand there."""
    written = "".join(f'<P id="{number}">{point}</P>' for number, point in enumerate(points, 1))
    return LANDXML.format(SURFACE.format(name=name, points=written, faces="".join(f"<F>{face}</F>" for face in faces)))


def drawing(*entities, head=""):
    """A DXF file of entities written as groups, two lines each."""
    body = "".join(f"{code}\n{value}\n" for entity in entities for code, value in entity)
    return f"{head}  0\nSECTION\n  2\nENTITIES\n{body}  0\nENDSEC\n  0\nEOF\n"


def polyline(points, layer="LOD", closed=1):
    """A lightweight polyline as groups."""
    head = [(0, "LWPOLYLINE"), (100, "AcDbEntity"), (8, layer), (100, "AcDbPolyline"), (90, len(points)), (70, closed)]
    return [*head, *(group for x, y in points for group in ((10, x), (20, y)))]


def zipped(**files):
    """A zip archive of files given by name."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, body in files.items():
            archive.writestr(name.replace("__", "."), body)
    return content.getvalue()


def xml(host):
    """Entities, outside references, depth, endless heads; `host` must never hear of it."""
    entities = (
        '<!DOCTYPE {0} [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;"><!ENTITY x SYSTEM "file:///etc/passwd">'
        f'<!ENTITY y SYSTEM "http://{host}/y">]>'
    )
    link = "<NetworkLink><Link><href>{}</href></Link></NetworkLink>"
    return {
        "entities.xml": entities.format("LandXML") + LANDXML.format("<Surfaces>&b;&x;&y;</Surfaces>"),
        "outside.xml": f'<!DOCTYPE LandXML SYSTEM "http://{host}/dtd">' + LANDXML.format(""),
        "entities.kml": entities.format("kml") + KML.format("&b;&x;&y;"),
        "links.kml": KML.format(
            link.format(f"http://{host}/a.kml") + link.format("file:///etc/passwd") + link.format("../../../etc/passwd")
        ),
        "links.kmz": zipped(doc__kml=KML.format(link.format(f"http://{host}/b.kml") + link.format("../../x.kml"))),
        "deep.xml": LANDXML.format("<Surfaces>" * 100_000 + "</Surfaces>" * 100_000),
        "deep.kml": KML.format("<Folder>" * 100_000 + "</Folder>" * 100_000),
        "head.xml": "<!--" * 20_000,
        "wide.kml": KML.format("<a/>" * 2_000_000),
        "gml.xml": f'<gml:FeatureCollection xmlns:gml="http://www.opengis.net/gml" '
        f'xmlns:xlink="http://www.w3.org/1999/xlink"><gml:featureMember xlink:href="http://{host}/c"/></gml:FeatureCollection>',
        "many.xml": "<!ENTITY" * 5000,
    }


def disguised(host):
    """Virtual datasets under names of every kind that is read, and other things that are not what they say."""
    vrt = (
        f'<OGRVRTDataSource><OGRVRTLayer name="LOD"><SrcDataSource>/vsicurl/http://{host}/d.geojson</SrcDataSource>'
        "</OGRVRTLayer></OGRVRTDataSource>"
    )
    picture = (
        '<VRTDataset rasterXSize="9" rasterYSize="9"><VRTRasterBand dataType="Byte" band="1"><SimpleSource>'
        f"<SourceFilename>/vsicurl/http://{host}/e.tif</SourceFilename></SimpleSource></VRTRasterBand></VRTDataset>"
    )
    return {
        **{f"vrt.{kind}": vrt for kind in ("shp", "gpkg", "fgb", "geojson", "kml", "dxf")},
        **{f"vrt{number}.{kind}": picture for number, kind in enumerate(("tif", "jpg", "png", "pdf"))},
        "zip.pdf": zipped(a__txt="a"),
        "pdf.dxf": one_page(),
        "dxf.xml": drawing(polyline([(0, 0), (1, 0), (1, 1)])),
        "xml.geojson": LANDXML.format(""),
        "tiff.gpkg": b"II*\0" + bytes(200),
        "gpkg.tif": b"SQLite format 3\0" + bytes(200),
        "wms.tif": f"<GDAL_WMS><Service name='TMS'><ServerUrl>http://{host}/f</ServerUrl></Service></GDAL_WMS>",
        "path.tif": f"/vsicurl/http://{host}/g.tif",
        "empty.dxf": b"",
        "empty.pdf": b"",
        "empty.gpkg": b"",
        "empty.kml": b"",
        "empty.geojson": b"",
    }


def geometry(vertices):
    """Numbers that are none, places off the earth, collapsed and endless shapes."""
    turns = np.linspace(0, 200 * np.pi, vertices)
    star = np.column_stack((2_300_000 + 500 * np.cos(turns * 1.01), 400_000 + 500 * np.sin(turns)))
    far = [(1e300, 1e300), (1e300, -1e300), (-1e300, 0)]
    nan = [("nan", 0), (1, "inf"), (2, "-inf"), ("1e999", 5)]
    points = [f"{y:.3f} {x:.3f} 800" for x, y in star[: max(3, vertices // 10)]]
    fan = [f"1 {number} {number + 1}" for number in range(2, len(points))]
    return {
        "star.dxf": drawing(polyline(star.round(3).tolist())),
        "far.dxf": drawing(polyline(far)),
        "nan.dxf": drawing(polyline(nan)),
        "flat.dxf": drawing(polyline([(5, 5)] * 400)),
        "rings.dxf": drawing(*(polyline([(i, 0), (i + 1, 0), (i, 1)]) for i in range(vertices // 20))),
        "nan.xml": surface(["nan 0 1", "0 inf 2", "1 1 nan", "0 0 0"], ["1 2 3", "2 3 4"]),
        "far.xml": surface(["1e300 1e300 1", "1e300 -1e300 2", "0 -1e300 1e300"], ["1 2 3"]),
        "fan.xml": surface(points, fan),
        "same.xml": surface(["5 5 1"] * 500, ["1 2 3"] * 500),
        "faces.xml": surface(["0 0 0", "0 9 0", "9 0 0"], ["1 2 3", "1 2 99", "1 1 1", "", "1 2", "-1 0 x", "3 2 1"]),
        "nan.geojson": '{"type":"Polygon","coordinates":[[[NaN,0],[1,Infinity],[1e400,1],[NaN,0]]]}',
        "deep.geojson": '{"type":"Polygon","coordinates":' + "[" * 90_000 + "]" * 90_000 + "}",
        "lists.geojson": '{"type":"Polygon","coordinates":[' + "[]," * 900_000 + "[]]}",
        "star.geojson": json.dumps(
            {"type": "Polygon", "coordinates": [((star - star.mean(0)) / 1e5 + [-87.9, 43.4]).tolist()]}
        ),
        "huge_number.geojson": '{"type":"Point","coordinates":[' + "9" * 5000 + ",1]}",
    }


def sheets():
    """PDFs and pictures that unfold, loop or claim to be huge."""
    bomb = zlib.compress(b"0 0 m 1 1 l S " * 4_000_000)
    page = f"<< /Length {len(bomb)} /Filter /FlateDecode >>\nstream\n".encode() + bomb + b"\nendstream"
    head = ["<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Count 1 /Kids [3 0 R] >>"]
    one = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 2592 1728] /Contents 4 0 R >>"
    loop = ["<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Count 9 /Kids [2 0 R 2 0 R] >>"]
    return {
        "strokes.pdf": objects_to_pdf([*head, one, page]),
        "loop.pdf": objects_to_pdf(loop),
        "many.pdf": objects_to_pdf([head[0], "<< /Type /Pages /Count 999999999 /Kids [3 0 R] >>", one, page[:40]]),
        "cut.pdf": one_page()[:-200],
    }


def links(host):
    """PDFs and drawings that point to something on the network."""
    place = f"(http://{host}/i)"
    action = f"<< /S /ImportData /F << /FS /URL /F {place} >> /Next << /S /URI /URI {place} /Next << /S /GoToR /F {place} >> >> >>"
    page = (
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 2592 1728] /Contents 4 0 R /AA << /O 5 0 R >> "
        f"/Annots [<< /Type /Annot /Subtype /Link /Rect [0 0 9 9] /A << /S /URI /URI {place} >> >>] >>"
    )
    outside = f"<< /Length 0 /F << /FS /URL /F {place} >> >>\nstream\n\nendstream"
    head = [f"<< /Type /Catalog /Pages 2 0 R /OpenAction {action} >>", "<< /Type /Pages /Count 1 /Kids [3 0 R] >>"]
    block = f"  0\nBLOCK\n  2\nX\n 70\n4\n 10\n0\n 20\n0\n  1\nhttp://{host}/j.dwg\n  0\nENDBLK\n"
    picture = f"  0\nIMAGEDEF\n  5\nAA\n100\nAcDbRasterImageDef\n  1\nhttp://{host}/k.tif\n 10\n9\n 20\n9\n"
    sections = f"  0\nSECTION\n  2\nBLOCKS\n{block}  0\nENDSEC\n  0\nSECTION\n  2\nOBJECTS\n{picture}  0\nENDSEC\n"
    insert = [(0, "INSERT"), (8, "LOD"), (2, "X"), (10, 0), (20, 0)]
    return {
        "remote.pdf": objects_to_pdf([*head, page, outside, action]),
        "remote.dxf": drawing(insert, polyline([(0, 0), (9, 0), (9, 9)]), head=sections),
    }


def names():
    """Text that writes over the terminal, turns the reading, feigns markup or a formula; also as names of files."""
    nasty = ("\x1b[2J\x07", "\u202egpj.exe", "<script>alert(1)</script>", "=cmd|' /C calc'!A0", "a\r\nb", "x" * 5000)
    features = [
        {**GOOD["features"][0], "id": text, "properties": {"name": text, "LAYER": text}} for text in nasty
    ]  # fmt: skip
    written = {"nasty.geojson": json.dumps({**GOOD, "name": "\x1b[31mLOD\u202e", "features": features})}
    for number, text in enumerate(
        ("\u202etab.geojson", "\x1b[2J.geojson", "=1+1.geojson", "<b>&amp;.geojson", "a\nb.geojson")
    ):
        written[f"{number}{text}"] = json.dumps(GOOD)
    written["\u0627\u0644\u0645\u0648\u0642\u0639.geojson"] = json.dumps(GOOD)
    return written


def raster_beside(folder: Path, host):
    """A sheet that is a good TIFF, with everything beside it by which GDAL may be led elsewhere."""
    path = folder / "C-1.tif"
    place = rasterio.Affine(1, 0, 2_300_000, 0, -1, 400_000)
    with rasterio.open(path, "w", driver="GTiff", width=8, height=8, count=1, dtype="uint8", transform=place) as sink:
        sink.write(np.zeros((1, 8, 8), dtype=np.uint8))
    far = f"/vsicurl/http://{host}/h.tif"
    path.with_name("C-1.tif.aux.xml").write_text(
        f'<PAMDataset><Metadata domain="OVERVIEWS"><MDI key="OVERVIEW_FILE">{far}</MDI></Metadata>'
        f'<PAMRasterBand band="1"><MaskBand><SimpleSource><SourceFilename>{far}</SourceFilename></SimpleSource></MaskBand>'
        "</PAMRasterBand></PAMDataset>"
    )
    path.with_name("C-1.tif.msk").write_text(f'<VRTDataset rasterXSize="8" rasterYSize="8">{far}</VRTDataset>')
    path.with_name("C-1.tfw").write_text("nan\n0\n0\n1e308\n0\n-1e308\n")


def everything(host, vertices):
    """All of them by name."""
    return {**xml(host), **disguised(host), **geometry(vertices), **sheets(), **links(host), **names()}


def write(folder, files):
    """Write files given by name."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass"))
    return folder
