"""Files that are small and unfold without end, or claim to be what no machine can hold; archives that cheat."""

from __future__ import annotations

import io
import json
import struct
import warnings
import zipfile
import zlib

from tests.campaigns.attacks import GOOD, KML, LANDXML, drawing, polyline, zipped
from tests.ingest.pdfs import deflated, objects_to_pdf, stream

ZEROS = bytes(10 << 20)
LAUGHS = "".join(
    f'<!ENTITY l{number} "{f"&l{number - 1};" * 10}">' if number else '<!ENTITY l0 "ha">' for number in range(10)
)
HEAD = ("<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Count 1 /Kids [3 0 R] >>")
PAGE = (
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 2592 1728] /Contents 4 0 R "
    "/Resources << /XObject << /X 5 0 R >> /Font << /F 5 0 R >> /Pattern << /P 5 0 R >> >> >>"
)


def archives():
    """What an archive may do: swell in every kind of file, hide, cheat with names, hold itself."""
    good = json.dumps(GOOD)
    swelling = {f"{kind}.zip": zipped(**{f"plan__{kind}": ZEROS, "lod__geojson": good}) for kind in SUFFIXES}
    return {
        **swelling,
        "swelling.kmz": zipped(doc__kml=ZEROS),
        "gdb.zip": _zip([("plan.gdb/a00000001.gdbtable", ZEROS), ("plan.gdb/gdb", b"")]),
        "matryoshka.zip": _zip([("in.zip", zipped(plan__dxf=ZEROS))]),
        "overlapping.zip": overlapping(50, 2 << 20),
        "directory.zip": directory(17 << 20),
        "small.zip": _zip([(f"{number}.geojson", ZEROS[: 7 << 20]) for number in range(12)]),
        "many.zip": many(20_001),
        "entities.zip": _zip(
            [
                ("a.xml", f"<!DOCTYPE LandXML [{LAUGHS}]>" + LANDXML.format("<Surfaces>&l9;</Surfaces>")),
                ("b.kml", f"<!DOCTYPE kml [{LAUGHS}]>" + KML.format("&l9;")),
                ("c.kmz", zipped(doc__kml=f"<!DOCTYPE kml [{LAUGHS}]>" + KML.format("&l9;"))),
                ("d.xml", (f'<!DOCTYPE x [{LAUGHS}]><gml:FeatureCollection xmlns:gml="http://www.opengis.net/gml">&l9;'
                          "</gml:FeatureCollection>")),
                ("lod.geojson", good),
            ]
        ),
        "encrypted.zip": encrypted({"plan.dxf": drawing(polyline([(0, 0), (1, 0), (1, 1)])), "lod.geojson": good}),
        "names.zip": _zip([*((name, good) for name in NAMES), ("lod.geojson", good)]),
        "twins.zip": _zip(
            [("__MACOSX/gis/._lod.geojson", b"\0\5\x16\7"), ("gis/._lod.geojson", b"\0\5\x16\7"), ("gis/lod.geojson", good)]
        ),
        "clash.zip": _zip([("a", b"file"), ("a/lod.geojson", good), ("B/lod.geojson", good), ("b/LOD.GEOJSON", good)]),
        "twice.zip": _zip([("lod.geojson", good), ("lod.geojson", good.replace("87.95", "88.95"))]),
        "nested.zip": _zip([("/".join("d" * 60) + "/lod.geojson", good)]),
    }  # fmt: skip


SUFFIXES = ("dxf", "xml", "pdf", "kml", "geojson", "shp", "gpkg", "tif", "png", "fgb")
NAMES = (
    "../up.geojson", "/abs.geojson", "C:\\win.geojson", "a\\b.geojson", "\\\\host\\share.geojson", "a\x1b[2J.geojson",
    "a\nb.geojson", "x" * 4000 + ".geojson", "d/" * 2000 + "deep.geojson", "\u202etab.geojson", "con.geojson:stream",
    "a\x7fb.geojson",
)  # fmt: skip


def _zip(entries):
    content = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        warnings.simplefilter("ignore", UserWarning)  # a name that comes twice
        for name, body in entries:
            archive.writestr(name, body)
    return content.getvalue()


def overlapping(count, size):
    """Many entries that share one deflated stream, each hiding the head of the next in a stored block.

    After D. Fifield, "A better zip bomb" (2019).
    """
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    content = bytes(size)
    body = packer.compress(content) + packer.flush()
    entries = []
    for number in reversed(range(count)):
        name = f"{number:05}.geojson".encode()
        about = struct.pack("<HHHHHIII", 20, 0, 8, 0, 0x21, zlib.crc32(content), len(body), len(content))
        head = b"PK\3\4" + about + struct.pack("<HH", len(name), 0) + name
        entries.append((name, about, len(head) + len(body)))
        content = head + content
        body = b"\0" + struct.pack("<HH", len(head), len(head) ^ 0xFFFF) + head + body
    archive = body[5:]
    start = len(archive)
    for name, about, length in entries:
        place = struct.pack("<HHHHHII", len(name), 0, 0, 0, 0, 0, start - length)
        archive += b"PK\1\2" + struct.pack("<H", 20) + about + place + name
    return archive + b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, count, count, len(archive) - start, start, 0)


def many(count):
    """An archive of empty files only."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for number in range(count):
            archive.writestr(zipfile.ZipInfo(str(number)), b"")
    return content.getvalue()


def directory(size):
    """An archive whose end says that its directory is so long."""
    return bytes(size) + b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, 65535, 65535, size, 0, 0)


def encrypted(files):
    """An archive whose entries say that they are encrypted."""
    content = bytearray(_zip(list(files.items())))
    for signature, offset in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        at = content.find(signature)
        while at >= 0:
            content[at + offset] |= 1
            at = content.find(signature, at + 1)
    return bytes(content)


def pdfs():
    """Streams in streams, objects that hold themselves, pages without end, pictures without end."""
    one = (*HEAD, PAGE)
    twice = zlib.compress(zlib.compress(bytes(256 << 20), 9), 9)
    forms = [_form("/X Do " * 10, f"/Resources << /XObject << /X {number + 1} 0 R >> >>") for number in range(5, 20)]
    million = " ".join(["3 0 R"] * 1_000_000)
    looping = b"5 0 6 4 << >> 7 9 << >>"
    return {
        "twice.pdf": objects_to_pdf([*one, stream(twice, "/Filter [/FlateDecode /FlateDecode]")]),
        "forms.pdf": objects_to_pdf([*one, stream("/X Do"), *forms, _form("0 0 m 9 9 l S", "")]),
        "itself.pdf": objects_to_pdf([*one, stream("/X Do"), _form("/X Do", "/Resources << /XObject << /X 5 0 R >> >>")]),
        "picture.pdf": objects_to_pdf([*one, stream("100 0 0 100 0 0 cm /X Do"), deflated_picture(1_000_000)]),
        "pages.pdf": objects_to_pdf(
            [HEAD[0], f"<< /Type /Pages /Count 1000000 /Kids [{million}] >>", PAGE, stream("0 0 m 9 9 l S")]
        ),
        "tree.pdf": objects_to_pdf(
            [
                HEAD[0],
                *(f"<< /Type /Pages /Count {10 ** (9 - level)} /Kids [{f'{level + 3} 0 R ' * 10}] >>" for level in range(9)),
                PAGE.replace("2 0 R", "10 0 R"),
            ]
        ),
        "objects.pdf": objects_to_pdf(
            [*one, stream(looping, "/Type /ObjStm /N 2 /First 8 /Extends 4 0 R"), "4 0 R"], "/Root 1 0 R /Prev 9"
        ),
        "references.pdf": objects_to_pdf([*HEAD, "4 0 R", "3 0 R"]),
        "letters.pdf": objects_to_pdf(
            [*one, deflated(b"BT /F 9 Tf " + b"(SCALE 1 IN = 50 FT) Tj " * 200_000 + b" ET"),
             "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
        ),
        "pattern.pdf": objects_to_pdf(
            [*one, stream("/Pattern cs /P scn 0 0 2592 1728 re f"),
             stream("0 0 m 1 1 l S", "/Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 1 1] "
                    "/XStep 0.0001 /YStep 0.0001 /Resources << >>")]
        ),
        "size.pdf": objects_to_pdf([*HEAD, PAGE.replace("2592 1728", "1e30 1e30"), stream("0 0 m 9 9 l S")]),
        "remote.pdf": objects_to_pdf(
            [HEAD[0].replace(">>", "/OpenAction << /S /URI /URI (http://127.0.0.1:9/) >> >>"), HEAD[1], PAGE, stream("")]
        ),
    }  # fmt: skip


def _form(content, more):
    return stream(content, f"/Type /XObject /Subtype /Form /BBox [0 0 9 9] {more}")


def deflated_picture(side):
    """A picture that says it is as wide and as high as that."""
    return stream(
        zlib.compress(bytes(1000)),
        f"/Type /XObject /Subtype /Image /Width {side} /Height {side} /ColorSpace /DeviceRGB /BitsPerComponent 8 "
        "/Filter /FlateDecode",
    )


def pictures():
    """Pictures of a million by a million pixels, in a few hundred bytes; directories that follow themselves."""
    side = 1_000_000

    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    png = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0))
    text = chunk(b"zTXt", b"Comment\0\0" + zlib.compress(bytes(70 << 20)))
    pixels = chunk(b"IDAT", zlib.compress(bytes(20 << 20))) + chunk(b"IEND", b"")
    jpeg = b"\xff\xd8\xff\xc0" + struct.pack(">HBHHB", 17, 8, 65535, 65535, 3) + b"\1\x11\0\2\x11\0\3\x11\0"
    return {
        "huge.tif": tiff(side),
        "looping.tif": tiff(64, follows=8),
        "huge.png": png + pixels,
        "text.png": png + text + pixels,
        "huge.jpg": jpeg + b"\xff\xda\0\x0c\3\1\0\2\x11\3\x11\0\x3f\0" + b"\0" * 200 + b"\xff\xd9",
    }


def tiff(side, follows=0):
    """A TIFF of one deflated strip that says it holds all rows; `follows` is the place of its next directory."""
    strip = zlib.compress(bytes(1000))
    entries = [
        (256, 4, side), (257, 4, side), (258, 3, 8), (259, 3, 8), (262, 3, 1), (273, 4, 8 + 2 + 9 * 12 + 4), (277, 3, 1),
        (278, 4, side), (279, 4, len(strip)),
    ]  # fmt: skip
    body = b"".join(
        struct.pack("<HHI", tag, kind, 1)
        + struct.pack("<I" if kind == 4 else "<HH", *([value] if kind == 4 else (value, 0)))
        for tag, kind, value in entries
    )
    return b"II*\0" + struct.pack("<IH", 8, 9) + body + struct.pack("<I", follows) + strip


def drawings():
    """Blocks in blocks, rows and columns without end, texts and splines without end."""
    blocks = "".join(
        f"  0\nBLOCK\n  2\nB{n}\n 70\n0\n 10\n0\n 20\n0\n"
        + f"  0\nINSERT\n  8\nLOD\n  2\nB{n + 1}\n 10\n1\n 20\n1\n" * 10
        + "  0\nENDBLK\n"
        for n in range(12)
    )
    last = "  0\nBLOCK\n  2\nB12\n 70\n0\n 10\n0\n 20\n0\n  0\nLINE\n  8\nLOD\n 10\n0\n 20\n0\n 11\n9\n 21\n9\n  0\nENDBLK\n"
    section = f"  0\nSECTION\n  2\nBLOCKS\n{blocks}{last}  0\nENDSEC\n"
    insert = [(0, "INSERT"), (8, "LOD"), (2, "B0"), (10, 0), (20, 0)]
    grid = [(0, "INSERT"), (8, "LOD"), (2, "B12"), (10, 0), (20, 0), (70, 30000), (71, 30000), (44, 1), (45, 1)]
    spline = [
        (0, "SPLINE"),
        (100, "AcDbEntity"),
        (8, "LOD"),
        (100, "AcDbSpline"),
        (70, 8),
        (71, 30000),
        (72, 60000),
        (73, 30000),
        (74, 0),
        (10, 0),
        (20, 0),
        (30, 0),
    ]
    head = [(0, "LWPOLYLINE"), (100, "AcDbEntity"), (8, "LOD"), (100, "AcDbPolyline")]
    count = [*head, (90, 2_000_000_000), (70, 1), (10, 0), (20, 0)]
    bulge = [*head, (90, 2), (70, 1), (10, 0), (20, 0), (42, 1e300), (10, 1e-300), (20, 0), (42, -1e300)]
    return {
        "blocks.dxf": drawing(insert, head=section),
        "grid.dxf": drawing(grid, head=section),
        "spline.dxf": drawing(spline),
        "count.dxf": drawing(count),
        "bulge.dxf": drawing(bulge),
        "text.dxf": drawing([(0, "TEXT"), (8, "LOD"), (10, 0), (20, 0), (40, 1), (1, "9" * 20_000_000)]),
        "mtext.dxf": drawing([(0, "MTEXT"), (100, "AcDbEntity"), (8, "LOD"), (100, "AcDbMText"), (10, 0), (20, 0), (40, 1), (1, "{\\H2x;" * 200_000)]),
        "xref.dxf": drawing(insert, head="  0\nSECTION\n  2\nBLOCKS\n  0\nBLOCK\n  2\nB0\n 70\n4\n 10\n0\n 20\n0\n  1\n"
                            "\\\\127.0.0.1@9\\share\\site.dwg\n  0\nENDBLK\n  0\nENDSEC\n"),
    }  # fmt: skip


def everything():
    """All of them by name."""
    return {**archives(), **pdfs(), **pictures(), **drawings()}
