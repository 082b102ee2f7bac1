#!/usr/bin/env python3
"""Draws docs/figures/speedup.svg from committed results of bench/ksp: time per iteration of PETSc's fastest solver over that of the fused ones.

usage: plot.py [--results FOLDER] [--output FILE]    draws the picture (needs matplotlib)
       plot.py --check [--output FILE]               compares the numbers that the picture holds with the results (needs no matplotlib)
"""
import argparse
import html
import json
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FAMILIES = {"fusedcg": ("cg", "cg+single_reduction", "pipecg", "groppcg"), "fusedbcgs": ("bcgs", "fbcgs", "pipebcgs")}
PETSC_TYPES = ("aijcusparse", "sellcuda")
# files, preconditioner, and what is drawn of them: solver and matrix type
LINES = ("ksp.jsonl", "jacobi", (("fusedbcgs", "bdiagh"), ("fusedcg", "bdiagh"), ("fusedbcgs", "aijcusparse"), ("fusedcg", "aijcusparse")))
BARS = (("ksp-blocks.jsonl", "bdiagh"), ("sellp-ksp.jsonl", "sellp"))
FILES = [LINES[0]] + [name for name, _ in BARS]


def read(folder, name, pc):
    """The checked iterations with one preconditioner."""
    with open(os.path.join(folder, name)) as f:
        results = [json.loads(line) for line in f]
    return [r for r in results if r["what"] == "ksp_iteration" and r["pc"] == pc and r["verified"]]


def speedups(results, ksp, mat):
    """Per problem: case, block size, rows, and how many times as fast as the fastest of PETSc's solvers of the same family with a matrix type of PETSc's."""
    found = []
    for r in results:
        if (r["ksp"], r["mat"]) != (ksp, mat):
            continue
        others = [o["us_median"] for o in results if (o["problem"], o["case"]) == (r["problem"], r["case"]) and o["ksp"] in FAMILIES[ksp] and o["mat"] in PETSC_TYPES]
        if others:
            found.append((r["case"], r["block"], r["rows"], round(min(others) / r["us_median"], 2)))
    return sorted(found, key=lambda point: point[1:3])


def numbers(folder):
    """All that the picture shows."""
    name, pc, kinds = LINES
    shown = {"machine": None, "lines": {}, "bars": {}}
    results = read(folder, name, pc)
    for ksp, mat in kinds:
        shown["lines"][f"{ksp}, {mat}"] = speedups(results, ksp, mat)
    for other, mat in BARS:
        blocks = read(folder, other, "pbjacobi")
        shown["bars"][mat] = speedups(blocks, "fusedbcgs", mat)
        results += blocks
    machines = sorted({(r["gpu"], r["cuda"], r["petsc"]) for r in results})
    if len(machines) != 1:
        sys.exit(f"plot.py: {folder} has results of {len(machines)} machines, one picture shows one")
    if not all(list(shown["lines"].values()) + list(shown["bars"].values())):
        sys.exit(f"plot.py: {folder} lacks results: see the suites cg, bcgs and blocks in bench/README.md")
    shown["machine"] = "%s, CUDA %s, PETSc %s" % machines[0]
    return json.loads(json.dumps(shown))


def size(rows):
    return f"{rows / 1e6:.2g}M" if rows >= 1e6 else f"{rows / 1e6:.2f}M"


def draw_lines(axes, lines):
    style = {"fusedbcgs": ("#0b5394", "o"), "fusedcg": ("#b45f06", "s")}
    for name, points in lines.items():
        ksp, mat = name.split(", ")
        colour, marker = style[ksp]
        axes.loglog([p[2] for p in points], [p[3] for p in points], color=colour, marker=marker, linestyle="-" if mat == "bdiagh" else "--", label=f"{ksp} with {mat}",
                    markersize=5, linewidth=1.8, markerfacecolor=colour if mat == "bdiagh" else "white")
        if mat == "bdiagh":
            for _, _, rows, ratio in (points[0], points[-1]):
                axes.annotate(f"{ratio:.3g}", (rows, ratio), textcoords="offset points", xytext=(0, 6 if ksp == "fusedbcgs" else -14), ha="center", color=colour)
    axes.axhline(1, color="0.4", linewidth=1)
    axes.set_xlim(2.2e3, 3.2e7)
    axes.set_ylim(0.9, 120)
    axes.set_yticks([1, 2, 5, 10, 20, 40], ["1", "2", "5", "10", "20", "40"])
    axes.set_xticks([1e4, 1e5, 1e6, 1e7], ["10 000", "100 000", "1M", "10M"])
    axes.minorticks_off()
    axes.grid(True, alpha=0.35)
    axes.set_title("Jacobi, one unknown per cell, 7-point grids", fontsize=11, loc="left")
    axes.set_xlabel("rows")
    axes.set_ylabel("times as fast")
    axes.legend(fontsize=10, frameon=False, loc="upper right", handlelength=2.4)


def draw_bars(axes, bars):
    names, ratios = [], []
    for mat, points in bars.items():
        for _, block, rows, ratio in points:
            names.append(f"{mat}, b = {block}, {size(rows)}")
            ratios.append(ratio)
    boxes = axes.barh(range(len(names)), ratios, color="#0b5394", height=0.62)
    axes.bar_label(boxes, fmt="%.1f", padding=3)
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.axvline(1, color="0.4", linewidth=1)
    axes.set_xlim(0, 1.12 * max(ratios))
    axes.set_title("fusedbcgs, pbjacobi, b unknowns per cell", fontsize=11, loc="left")
    axes.set_xlabel("times as fast")
    axes.tick_params(axis="y", labelsize=10)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def draw(shown, source, target):
    try:
        import matplotlib
        matplotlib.use("Agg")
        import matplotlib.pyplot as plt
    except ImportError as missing:
        sys.exit(f"plot.py: {missing}: install matplotlib (python3 -m pip install matplotlib), or put the folder that `tools/setup --python` prints into PYTHONPATH")
    plt.rcParams.update({"font.size": 11, "svg.hashsalt": "heptane", "svg.fonttype": "path", "font.family": "DejaVu Sans"})
    figure, (above, below) = plt.subplots(2, 1, figsize=(5.2, 6.6), height_ratios=(3.2, 1.4), layout="constrained")
    draw_lines(above, shown["lines"])
    draw_bars(below, shown["bars"])
    figure.suptitle("One iteration, against PETSc's fastest", fontsize=13)
    figure.supxlabel(f"{shown['machine']}\n{source}", fontsize=8.5, color="0.3")
    if target.endswith(".svg"):
        figure.savefig(target, metadata={"Date": None, "Creator": f"Matplotlib {matplotlib.__version__}", "Description": json.dumps(shown)})
    else:
        figure.savefig(target, dpi=150)


def check(shown, target):
    with open(target) as f:
        held = re.search(r"<dc:description>(.*?)</dc:description>", f.read(), re.S)
    if not held or json.loads(html.unescape(held.group(1))) != shown:
        sys.exit(f"plot.py: {os.path.relpath(target)} does not show the committed results: draw it again with bench/plot.py")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--results", default="bench/results/2026-11-21-h200", help="folder of results, relative to the checkout")
    parser.add_argument("--output", default=os.path.join(ROOT, "docs/figures/speedup.svg"), help="SVG, or PNG to look at")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    try:
        shown = numbers(os.path.join(ROOT, arguments.results))
        if arguments.check:
            check(shown, arguments.output)
        else:
            draw(shown, f"{arguments.results}: {', '.join(FILES)}", arguments.output)
    except OSError as fault:
        sys.exit(f"plot.py: {fault}")


if __name__ == "__main__":
    main()
