"""Small PDFs, written by hand: what stands in them is seen here."""

import zlib

FULL = (0, 0, 2592, 1728)
"""36 x 24 in, in points."""


def objects_to_pdf(objects, trailer="/Root 1 0 R", version="1.7"):
    """A file of some numbered objects (text or bytes)."""
    out = f"%PDF-{version}\n".encode()
    places = []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n".encode() + (body if isinstance(body, bytes) else body.encode("latin-1"))
        out += b"\nendobj\n"
    start = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    out += b"".join(f"{place:010d} 00000 n \n".encode() for place in places)
    return out + f"trailer << /Size {len(objects) + 1} {trailer} >>\nstartxref\n{start}\n%%EOF\n".encode()


def stream(content, more=""):
    data = content if isinstance(content, bytes) else content.encode("latin-1")
    return f"<< /Length {len(data)} {more} >>\nstream\n".encode() + data + b"\nendstream"


def pages_to_pdf(*pages, more=()):
    """A file of pages: (content, box, page entries); `more` are further objects, numbered after them."""
    first, kids, listed = 4 + len(more), [], []
    for content, box, entries in pages:
        number = first + len(listed)
        kids.append(f"{number} 0 R")
        listed.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [{' '.join(map(str, box))}] /Contents {number + 1} 0 R "
            f"/Resources << /Font << /F1 3 0 R >> >> {entries} >>"
        )
        listed.append(stream(content))
    head = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Count {len(pages)} /Kids [{' '.join(kids)}] >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    return objects_to_pdf([*head, *more, *listed])


def one_page(content="", box=FULL, entries=""):
    return pages_to_pdf((content, box, entries))


def said(words, x=1800, y=100, size=12, turn=0):
    """Words at a place in points; `turn` is 0 or 90 degrees."""
    escaped = words.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
    matrix = {0: "1 0 0 1", 90: "0 1 -1 0"}[turn]
    return f"BT /F1 {size} Tf {matrix} {x} {y} Tm ({escaped}) Tj ET\n"


def letters(words, x=1800, y=100, size=12):
    """The same words, each letter placed for itself."""
    out, at = "", float(x)
    for letter in words:
        out += said(letter, at, y, size) if letter != " " else ""
        narrow = letter in " '\":.ijlI"
        at += size * (0.30 if narrow else 0.62)
    return out


def bar(numbers, part_points, x=300, y=300, unit="FEET", size=10):
    """A scale bar of equal parts drawn as boxes, its numbers centred over the ticks, its unit at the end."""
    out = ""
    for place, number in enumerate(numbers):
        at = x + place * part_points
        width = 0.556 * size * len(str(number))
        out += said(str(number), at - width / 2, y + 12, size)
        if place + 1 < len(numbers):
            out += f"{at} {y} {part_points} 8 re {'f' if place % 2 == 0 else 'S'}\n"
    return out + (said(unit, x + (len(numbers) - 1) * part_points + 25, y + 12, size) if unit else "")


def viewport(box, gpts, name="Layers", lpts="0 0 0 1 1 1 1 0"):
    """A viewport with a geospatial measure: latitude and longitude of the corners of a box in points."""
    return (
        f"<< /Type /Viewport /BBox [{box}] /Name ({name}) /Measure << /Type /Measure /Subtype /GEO "
        f"/GPTS [{gpts}] /LPTS [{lpts}] >> >>"
    )


def deflated(content):
    return stream(zlib.compress(content), "/Filter /FlateDecode")
