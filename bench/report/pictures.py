"""The numbers that are stored in the files of the pictures: as the description of an SVG file, as a text chunk of a PNG file."""
import html
import json
import os
import re
import struct

from .figures import NAMES

FOLDER = "docs/figures"
LARGEST = 150000  # bytes of a file


def text_of(shown):
    """The form in which numbers are stored."""
    return json.dumps(shown, sort_keys=True, separators=(",", ":"))


def stored(path):
    """The numbers that a file holds; None if it holds none."""
    with open(path, "rb") as f:
        data = f.read()
    if path.endswith(".svg"):
        found = re.search(r"<dc:description>(.*?)</dc:description>", data.decode("utf-8"), re.S)
        return html.unescape(found.group(1)) if found else None
    at = 8
    while at + 8 <= len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        if kind == b"tEXt" and body.startswith(b"Description\0"):
            return body.split(b"\0", 1)[1].decode("latin-1")
        at += 12 + length
    return None


def names(shown):
    return [f"{name}.{kind}" for name in shown for kind in ("svg", "png")]


ALL = names(NAMES + ("scaling_limits",))  # the last is on docs/method/scaling.md alone


def stale(root, shown):
    """What is wrong with the files of the pictures, one text each."""
    folder = os.path.join(root, FOLDER)
    there = os.listdir(folder) if os.path.isdir(folder) else []
    found = [f"{FOLDER}/{name} is drawn from no results" for name in sorted(there) if name not in names(shown)]
    for name in names(shown):
        path = os.path.join(folder, name)
        if not os.path.exists(path):
            found.append(f"{FOLDER}/{name} is missing")
        elif stored(path) != text_of(shown[name.rsplit(".", 1)[0]]):
            found.append(f"{FOLDER}/{name} does not show the results")
        elif os.path.getsize(path) > LARGEST:
            found.append(f"{FOLDER}/{name} has more than {LARGEST} bytes")
    return found
