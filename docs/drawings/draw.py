#!/usr/bin/env python3
"""Draws the SVG files of this folder: layouts of the formats, lines of gridmg, folders of src. Needs only Python's standard library.

Usage: draw.py [--check]      --check: ends with 1 if a file is not what this script draws
"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
COLOURS = ("#4477aa", "#66ccee", "#228833", "#ccbb44", "#aa3377")
REMAINDER, PADDING, TEXT = "#ee6677", "#dddddd", "#222222"


class Drawing:
    """Shapes with coordinates in pixels, on white, so that it can be read on dark pages too."""

    def __init__(self, width, height):
        self.width, self.height = width, height
        self.parts = [f'<rect width="{width}" height="{height}" rx="6" fill="#ffffff"/>']

    def box(self, x, y, width, height, fill, stroke="#ffffff"):
        self.parts.append(f'<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="{fill}" stroke="{stroke}"/>')

    def text(self, x, y, words, size=13, anchor="start", weight="normal", fill=TEXT):
        words = words.replace("&", "&amp;").replace("<", "&lt;")
        self.parts.append(f'<text x="{x}" y="{y}" font-size="{size}" text-anchor="{anchor}" font-weight="{weight}" fill="{fill}">{words}</text>')

    def line(self, x1, y1, x2, y2, stroke=TEXT, width=1.5):
        self.parts.append(f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="{stroke}" stroke-width="{width}"/>')

    def svg(self):
        head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" width="{self.width}" font-family="sans-serif">'
        return "\n".join([head, *self.parts, "</svg>", ""])


def grid(d, x, y, rows, columns, size, fill):
    """Cells of a matrix; fill(row, column) is a colour, or None for an empty one."""
    for row in range(rows):
        for column in range(columns):
            colour = fill(row, column)
            d.box(x + column * size, y + row * size, size, size, colour or "#f7f7f7", "#ffffff" if colour else "#eeeeee")


def bdiagh():
    """A grid of 3 x 3 cells with one unknown: five diagonals and a well between cells 0 and 8."""
    offsets, size = (-3, -1, 0, 1, 3), 20
    stored = lambda row, k: 0 <= row + offsets[k] < 9 and not (abs(offsets[k]) == 1 and row // 3 != (row + offsets[k]) // 3)
    well = lambda row, column: (row, column) in ((0, 8), (8, 0))

    def entry(row, column):
        if well(row, column):
            return REMAINDER
        k = offsets.index(column - row) if column - row in offsets else None
        return COLOURS[k] if k is not None and stored(row, k) else None

    d = Drawing(700, 270)
    d.text(20, 28, "matrix: 3 x 3 cells and a well", weight="bold")
    grid(d, 20, 44, 9, 9, size, entry)
    d.text(260, 28, "bdiagh: values by diagonals", weight="bold")
    for row in range(9):  # rows are 20 high, columns 30 wide
        for k in range(5):
            d.box(260 + 30 * k, 44 + size * row, 30, size, COLOURS[k] if stored(row, k) else PADDING)
    for k, offset in enumerate(offsets):
        d.text(275 + 30 * k, 44 + 9 * size + 16, f"{offset:+d}" if offset else "0", anchor="middle")
    d.text(260, 258, "block offsets; grey: stored zeros")
    d.text(500, 28, "remainder", weight="bold")
    for n, words in enumerate(("row 0: column 8", "row 8: column 0")):
        d.box(500, 44 + 30 * n, 20, 20, REMAINDER)
        d.text(528, 59 + 30 * n, words)
    d.text(500, 130, "compressed rows, only")
    d.text(500, 148, "of rows that have entries")
    return d


def sellp():
    """Eight rows in two slices of four."""
    lengths, size = (3, 5, 2, 4, 6, 3, 1, 2), 22
    colours = (COLOURS[0], COLOURS[2])
    d = Drawing(700, 270)
    d.text(20, 28, "rows", weight="bold")
    grid(d, 20, 44, 8, 6, size, lambda row, k: colours[row // 4] if k < lengths[row] else None)
    d.text(200, 28, "slices, padded", weight="bold")
    for s in range(2):
        width = max(lengths[4 * s:4 * s + 4])
        top = 44 + s * 110
        for row in range(4):
            for k in range(width):
                inside = k < lengths[4 * s + row]
                d.box(200 + k * size, top + row * size, size, size, colours[s] if inside else PADDING)
                d.text(200 + k * size + size / 2, top + row * size + 15, str(4 * k + row), 10, "middle", fill="#ffffff" if inside else TEXT)
    d.text(20, 258, "C = 4 rows per slice")
    d.text(400, 258, "numbers: order in memory; grey: padding")
    d.text(400, 28, "column index of a slice", weight="bold")
    for n, words in enumerate(("none: same distances in all rows", "16 bits: base + number", "32 bits: number", "one index per dense b x b block")):
        d.text(400, 60 + 26 * n, words)
    d.text(400, 190, "neighbouring threads read")
    d.text(400, 208, "neighbouring values")
    return d


def gridmg():
    """Lines seen along their axis: red and black, pairs, and two slabs with overlap."""
    size, d = 22, Drawing(700, 270)
    d.text(20, 28, "lines, seen along their axis", weight="bold")
    for row in range(8):
        for column in range(8):
            d.box(20 + size * column, 44 + size * row, size, size, COLOURS[4] if (row + column) % 2 == 0 else "#555555")
    d.text(20, 240, "red, then black lines are solved")
    d.text(250, 28, "next level", weight="bold")
    for row in range(4):
        for column in range(4):
            d.box(250 + 2 * size * column, 44 + 2 * size * row, 2 * size, 2 * size, COLOURS[4] if (row + column) % 2 == 0 else "#555555")
    d.text(250, 240, "pairs along both axes")
    d.text(250, 258, "the line axis stays")
    d.text(460, 28, "two slabs", weight="bold")
    for row in range(8):
        for column in range(6):
            d.box(460 + size * column, 44 + size * row, size, size, COLOURS[0] if row < 4 else COLOURS[3])
    for y in (44 + size * 2, 44 + size * 6):
        d.line(450, y, 470 + 6 * size, y, TEXT, 3)
    d.text(460, 240, "rows between the bars are")
    d.text(460, 258, "on both processes")
    return d


def layers():
    """Folders of src from the bottom up."""
    rows = (
        ("src/sys, metrics, device, tune", "what all use; launches of kernels"),
        ("src/comm, src/comm/nccl", "memory that ranks write into; NCCL"),
        ("src/pass", "interface of formats and solvers: passes over vectors, products"),
        ("src/mat/csr, values, coo", "one sequential block and its copies"),
        ("src/mat/aij", "the matrix type that formats derive from AIJ"),
        ("src/mat/bdiagh, src/mat/sellp", "formats"),
        ("src/ksp/fused, fusedcg, fusedbcgs, fusedbicg, fusedchebyshev", "fused solvers"),
        ("src/ksp/persistent", "whole solves in one kernel"),
        ("src/pc", "dense blocks, pbjacobi, blockjacobireg, gridmg"),
        ("src/heptane.cxx", "entry point, registration"),
    )
    d = Drawing(880, 30 + 38 * len(rows))
    for n, (folders, words) in enumerate(reversed(rows)):
        y = 16 + 38 * n
        d.box(20, y, 420, 32, "#e8eef5", COLOURS[0])
        d.text(30, y + 21, folders, 12)
        d.text(454, y + 21, words, 12)
    return d


def main():
    stale = 0
    for draw in (bdiagh, sellp, gridmg, layers):
        path = os.path.join(HERE, draw.__name__ + ".svg")
        wanted = draw().svg()
        if "--check" in sys.argv[1:]:
            with open(path, encoding="utf-8") as file:
                if file.read() != wanted:
                    print(f"{path} is not what docs/drawings/draw.py draws: run it")
                    stale = 1
        else:
            with open(path, "w", encoding="utf-8") as file:
                file.write(wanted)
    return stale


if __name__ == "__main__":
    sys.exit(main())
