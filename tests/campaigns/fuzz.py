"""Our own readers over files whose bytes were changed at random: each reads or refuses, soon.

    python -m tests.campaigns.fuzz [--seconds 600] [--seed 1] [READER ...]

Exit 1 where a reader raised anything but `InputError`, or computed for more than ten seconds; the input is kept.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from pathlib import Path

from siteplan_gis.errors import InputError
from tests.campaigns.readers import READERS, sound

SLOW_S = 10.0
PIECES = (
    b"nan", b"-1", b"1e999", b"\x00", b"\xff\xfe", b"<", b">", b"]]>", b"\n", b'"', b"<F>1 2 3</F>", b"[[layer]]", b"=",
    b"9" * 400, b"<!--", b"&a;", b"0\nINSERT\n", b"{", b"[" * 50, b"\\u0000", b"../", b"/dev/zero", b"9999-12-31", b"[[" , b",", b"'",
    b"0001-01-01", b"null", b"true", b"1e308", b"-0.0", b"\xe2\x80\xae", b"[" * 20_000, b'{"a":' * 20_000,
)  # fmt: skip


def changed(content, chance):
    """Some bytes replaced, cut, repeated or joined by pieces that readers dislike."""
    found = bytearray(content)
    for _ in range(chance.randint(1, 6)):
        at = chance.randrange(len(found) + 1)
        size = chance.choice((1, 4, 40, 400))
        kind = chance.randrange(5)
        if kind == 0:
            found[at : at + 1] = bytes([chance.randrange(256)])
        elif kind == 1:
            del found[at : at + size]
        elif kind == 2:
            found[at:at] = found[at : at + size] * chance.randint(1, 5)
        else:
            found[at : at + chance.choice((0, 1, 8))] = chance.choice(PIECES)
    return bytes(found)


def fuzz(name, tries, seconds, seed):
    """How many inputs a reader took, and what it did wrong: (problem, input)."""
    read, _, suffix = READERS[name]
    chance, content = random.Random(f"{name} {seed}"), sound(name)
    faults, done, until = [], 0, time.perf_counter() + seconds
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"input{suffix}"
        while done < tries and time.perf_counter() < until:
            tried = changed(content, chance)
            path.write_bytes(tried)
            began = time.process_time()
            try:
                read(path, "input")
            except InputError:
                pass
            except Exception as error:  # noqa: BLE001
                faults.append((f"{type(error).__name__}: {error}"[:200], tried))
            if time.process_time() - began > SLOW_S:
                faults.append((f"{time.process_time() - began:.0f} s", tried))
            done += 1
    return done, faults


def main():
    parser = argparse.ArgumentParser(
        prog="python -m tests.campaigns.fuzz", description="Our readers over changed files."
    )
    parser.add_argument("names", nargs="*", metavar="READER", help=f"of {', '.join(READERS)}; all by default")
    parser.add_argument("--seconds", type=float, default=600, help="over all readers together")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    names, bad = options.names or [*READERS], 0
    for name in names:
        done, faults = fuzz(name, sys.maxsize, options.seconds / len(names), options.seed)
        print(f"{name}: {done} inputs, {len(faults)} faults", flush=True)
        for number, (problem, tried) in enumerate(dict(faults).items()):
            kept = Path(tempfile.gettempdir()) / f"fuzz-{name}-{number}"
            kept.write_bytes(tried)
            print(f"  {problem} ({kept})")
        bad += len(faults)
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
