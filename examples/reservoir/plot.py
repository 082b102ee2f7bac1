#!/usr/bin/env python3
"""Draws what the reservoir example wrote: permeability.png from -slice_file, costs.png from the times of its tables.

usage: plot.py FOLDER --slice FILE --costs NAME=SETUP,SOLVE,ITERATIONS [...]    ms, ms and iterations of a linear system
"""
import argparse
import os
import sys

try:
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    import numpy as np
except ImportError as missing:
    sys.exit(f"plot.py: {missing}: install numpy and matplotlib (python3 -m pip install matplotlib), or put their folder into PYTHONPATH")


def draw_slice(source, target):
    """The permeability of one layer on a logarithmic colour scale; inactive cells stay blank."""
    with open(source) as f:
        title = f.readline().lstrip("# ").strip()
        k = np.atleast_2d(np.loadtxt(f, delimiter=","))
    field = np.ma.masked_less_equal(k, 0)
    if field.count() == 0:
        sys.exit(f"plot.py: {source} has no active cell: choose another layer with -slice_layer")
    rows, columns = k.shape
    figure, axes = plt.subplots(figsize=(min(10, max(5, 1.6 + 7 * columns / rows)), 7))
    image = axes.imshow(field, origin="lower", cmap="viridis", norm=matplotlib.colors.LogNorm(field.min(), field.max()), interpolation="nearest")
    axes.set_facecolor("0.92")
    axes.set_xlabel("j (cells)")
    axes.set_ylabel("h (cells)")
    axes.set_title(title[:1].upper() + title[1:], fontsize=10)
    figure.colorbar(image, label="permeability (mD)")
    figure.savefig(target, dpi=120, bbox_inches="tight")


def draw_costs(runs, target):
    """One bar for each run: set-up of the preconditioner and solve of a linear system."""
    figure, axes = plt.subplots(figsize=(7, 0.9 + 0.62 * len(runs)), layout="constrained")
    totals = [setup + solve for _, setup, solve, _ in runs]
    for k, (name, setup, solve, iterations) in enumerate(runs):
        axes.barh(k, setup, height=0.34, color="#e69f00", label="set-up of the preconditioner" if k == 0 else None)
        axes.barh(k, solve, left=setup, height=0.34, color="#0072b2", label="solve" if k == 0 else None)
        axes.annotate(f"{name}, {iterations:.0f} iterations", (0, k - 0.2), va="bottom", fontsize=10)
        ms = f"{totals[k]:.0f} ms" if totals[k] >= 100 else f"{totals[k]:.3g} ms"
        axes.annotate(f"{ms}, {totals[0] / totals[k]:.2g} times as fast" if k else ms, (totals[k], k), textcoords="offset points", xytext=(4, 0), va="center",
                      fontsize=10)
    axes.set_xlim(0, 1.6 * max(totals))
    axes.set_ylim(len(runs) - 0.7, -0.8)
    axes.set_yticks([])
    axes.set_xlabel("ms for a linear system")
    axes.legend(frameon=False, loc="lower right", fontsize=10)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    figure.suptitle("What each choice costs: shorter is better", fontsize=12)
    figure.savefig(target, dpi=120)


def run_of(text):
    """NAME=SETUP,SOLVE,ITERATIONS"""
    name, _, values = text.rpartition("=")
    setup, solve, iterations = (float(value) for value in values.split(","))
    return name, setup, solve, iterations


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--slice", required=True)
    parser.add_argument("--costs", required=True, nargs="+", metavar="NAME=SETUP,SOLVE,ITERATIONS")
    arguments = parser.parse_args()
    try:
        runs = [run_of(text) for text in arguments.costs]
    except ValueError:
        parser.error("--costs: write NAME=SETUP,SOLVE,ITERATIONS, with numbers")
    os.makedirs(arguments.folder, exist_ok=True)
    try:
        draw_slice(arguments.slice, os.path.join(arguments.folder, "permeability.png"))
        draw_costs(runs, os.path.join(arguments.folder, "costs.png"))
    except OSError as fault:
        sys.exit(f"plot.py: {fault}: write the file with -slice_file first")
    except ValueError as fault:
        sys.exit(f"plot.py: a file is not what -slice_file writes ({fault})")


if __name__ == "__main__":
    main()
