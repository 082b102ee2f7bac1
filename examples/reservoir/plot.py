#!/usr/bin/env python3
"""Draws what the reservoir example wrote: permeability.png from -slice_file, residuals.png from one or more -residual_file.

usage: plot.py FOLDER --slice FILE --residuals NAME=FILE [NAME=FILE ...]
"""
import argparse
import csv
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


def read_history(source):
    """The residuals of all solves in a row, each divided by the first of its solve."""
    values, first, solve = [], None, None
    with open(source, newline="") as f:
        for line in csv.DictReader(f):
            if line["solve"] != solve:
                if solve is not None:
                    values.append(float("nan"))  # a gap between two solves
                solve, first = line["solve"], float(line["residual"])
            values.append(float(line["residual"]) / first if first else 0.0)
    if not values:
        sys.exit(f"plot.py: {source} has no residuals: was the run stopped early?")
    return values


def draw_histories(sources, target):
    """One curve for each run; the second and later ones are dashed so that curves on top of each other can be told apart."""
    figure, axes = plt.subplots(figsize=(9, 5))
    for k, (name, source) in enumerate(sources):
        axes.semilogy(read_history(source), label=name, linewidth=2.4 if k == 0 else 1.2, linestyle="-" if k == 0 else "--")
    axes.set_xlabel("iteration, all solves in a row")
    axes.set_ylabel("residual norm of the solver / first of its solve")
    axes.grid(True, which="major", alpha=0.4)
    axes.legend()
    figure.savefig(target, dpi=120, bbox_inches="tight")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--slice", required=True)
    parser.add_argument("--residuals", required=True, nargs="+", metavar="NAME=FILE")
    arguments = parser.parse_args()
    for source in arguments.residuals:
        if "=" not in source:
            parser.error(f"--residuals {source}: write NAME=FILE")
    os.makedirs(arguments.folder, exist_ok=True)
    try:
        draw_slice(arguments.slice, os.path.join(arguments.folder, "permeability.png"))
        draw_histories([source.split("=", 1) for source in arguments.residuals], os.path.join(arguments.folder, "residuals.png"))
    except OSError as fault:
        sys.exit(f"plot.py: {fault}: write the files with -slice_file and -residual_file first")
    except (ValueError, KeyError) as fault:
        sys.exit(f"plot.py: a file is not what -slice_file and -residual_file write ({fault})")


if __name__ == "__main__":
    main()
