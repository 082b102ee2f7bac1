#!/usr/bin/env python3
"""Draws the pictures of docs/figures, as SVG and PNG, from the committed results alone. Needs matplotlib; what is drawn is computed by bench/report.

usage: plot.py [--root FOLDER] [--output FOLDER] [NAME ...]    without names all pictures for which there are results
"""
import argparse
import io
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "bench"))
import performance  # noqa: E402
from report import pictures, results  # noqa: E402

try:
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from PIL import Image, PngImagePlugin
except ImportError as missing:
    sys.exit(f"plot.py: {missing}: run make performance, or put the folder that tools/setup --pictures prints into PYTHONPATH")

# colours that all can tell apart (Okabe and Ito), one meaning each
BLUE, ORANGE, GREEN, RED, PURPLE, GREY, BLACK = "#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#767676", "#000000"
SOLVERS = {"fusedbcgs": (BLUE, "o"), "fusedcg": (RED, "s"), "fusedbicg": (GREEN, "^"), "fusedchebyshev": (PURPLE, "D")}
ROWS = ([1e4, 1e5, 1e6, 1e7], ["10 000", "100 000", "1M", "10M"])
WIDTH = 5.2  # inches: 374 points, so that a point is about a pixel of a phone


def rows_axis(axes):
    axes.set_xticks(*ROWS)
    axes.minorticks_off()
    axes.set_xlabel("rows")
    axes.grid(True, alpha=0.35)


def plain(axes):
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def legend_below(axes, height, columns=2):
    """Below the axis' name; height: about that of the axes, in inches."""
    axes.legend(fontsize=11, frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.55 / height), ncols=columns, handletextpad=0.4, columnspacing=1.2)


def bars_with_names(axes, members, unit):
    """Horizontal bars, shortest first, the name above each and the number at its end; members: (name, value, heptane's)."""
    most = max(value for _, value, _ in members)
    for k, (name, value, own) in enumerate(members):
        colour = BLUE if own else GREY
        axes.barh(k, value, height=0.3, color=colour, linewidth=0)
        axes.annotate(name, (0, k - 0.2), va="bottom", fontsize=11, color=colour, fontweight="bold" if own else "normal")
        axes.annotate(f"{value:.3g} {unit}", (value, k), textcoords="offset points", xytext=(4, 0), va="center", fontsize=11, color=colour, fontweight="bold" if own else "normal")
    axes.set_xlim(0, 1.3 * most)
    axes.set_ylim(len(members) - 0.7, -0.75)
    axes.set_yticks([])
    plain(axes)
    axes.spines["left"].set_visible(True)


def speedup(shown):
    figure, axes = plt.subplots(figsize=(WIDTH, 3.7), layout="constrained")
    lines = shown["lines"]
    for name, points in lines.items():
        colour, marker = SOLVERS.get(name, (GREY, "v"))
        axes.loglog([p[0] for p in points], [p[1] for p in points], color=colour, marker=marker, markersize=7, linewidth=2.5)
        above = points[0][1] >= max(other[0][1] for other in lines.values())
        axes.annotate(f"{points[0][1]:.0f} x  {name}", points[0], textcoords="offset points", xytext=(-4, 9 if above else -20), color=colour, fontweight="bold")
        if points[-1][1] >= max(other[-1][1] for other in lines.values()):
            axes.annotate(f"{points[-1][1]:.1f} x", points[-1], textcoords="offset points", xytext=(-4, 9), color=colour, fontweight="bold")
    axes.axhline(1, color=BLACK, linewidth=1.2)
    axes.annotate("PETSc's fastest cg and bcgs (aijcusparse)", (3e3, 1), textcoords="offset points", xytext=(0, 4), fontsize=11)
    axes.set_xlim(2.2e3, 6e7)
    axes.set_ylim(0.8, 1.9 * max(p[1] for points in lines.values() for p in points))
    axes.set_yticks([1, 2, 5, 10, 20, 50], ["1", "2", "5", "10", "20", "50"])
    rows_axis(axes)
    axes.set_xlabel("rows (cells of a cube, one unknown each)")
    axes.set_ylabel("times as fast per iteration")
    figure.suptitle("A solver iteration on one H200, bdiagh, Jacobi" if "H200" in shown["machine"][0] else "A solver iteration, bdiagh, Jacobi", fontsize=13)
    return figure


def iteration(shown):
    panels = shown["panels"]
    figure, all_axes = plt.subplots(len(panels), 1, figsize=(WIDTH, 1 + 3.1 * len(panels)), layout="constrained", squeeze=False, sharex=True)
    for axes, (ksp, points) in zip(all_axes[:, 0], panels.items()):
        rows = [p[0] for p in points]
        for column, name, colour, style, marker in ((3, f"PETSc's fastest {ksp.removeprefix('fused')}", GREY, "-", "^"), (1, f"{ksp}, bdiagh", BLUE, "-", "o"), (2, "bytes at copy bandwidth", BLACK, "--", None)):
            axes.loglog(rows, [p[column] for p in points], color=colour, linestyle=style, marker=marker, linewidth=2, markersize=6)
            middle = {3: 0, 1: 0, 2: 1}[column]
            axes.annotate(name, (rows[middle], points[middle][column]), textcoords="offset points", xytext={3: (0, 8), 1: (0, 8), 2: (16, -10)}[column], color=colour, fontweight="bold")
        axes.set_ylabel("µs per iteration")
        axes.set_yticks([0.1, 1, 10, 100, 1000, 10000], ["0.1", "1", "10", "100", "1000", "10 000"])
        axes.set_xlim(2.5e3, 3e7)
        axes.set_ylim(0.1, 2.5 * max(p[3] for p in points))
        rows_axis(axes)
    for axes in all_axes[:-1, 0]:
        axes.set_xlabel("")
    figure.suptitle("An iteration costs little more than its bytes", fontsize=13)
    return figure


def products(shown):
    rows = shown["rows"]
    figure, axes = plt.subplots(figsize=(WIDTH, 1.5 + 0.5 * len(rows)), layout="constrained")
    for k, (name, points) in enumerate(rows):
        for j, (mat, colour) in enumerate((("bdiagh", BLUE), ("sellp", GREEN))):
            if mat in points:
                axes.barh(k + 0.02 + 0.24 * j, points[mat], height=0.22, color=colour, linewidth=0, label=mat if k == 0 else None)
        axes.annotate(name, (0.02, k - 0.14), va="bottom", fontsize=10.5, bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.6})
    axes.axvline(1, color=BLACK, linewidth=1.4)
    axes.annotate("PETSc aijcusparse", (1, len(rows) - 0.28), textcoords="offset points", xytext=(4, 0), va="center", fontsize=10.5)
    axes.set_yticks([])
    axes.set_ylim(len(rows), -0.7)
    axes.set_xlim(0, 1.1 * max(value for _, points in rows for value in points.values()))
    axes.set_xlabel("times as fast as the product of PETSc's aijcusparse")
    axes.legend(fontsize=11, frameon=False, loc="lower right")
    plain(axes)
    figure.suptitle("Products: the right format doubles the speed", fontsize=13)
    return figure


def roofline(shown):
    figure, axes = plt.subplots(figsize=(WIDTH, 5.2), layout="constrained")
    marks = {"PETSc aijcusparse": (GREY, "s"), "sellp": (GREEN, "^"), "bdiagh": (BLUE, "o")}
    flat = [point for _, points in shown["curves"] for point in points.values()]
    roof = [0.9 * min(p[0] for p in flat), 1.12 * max(p[0] for p in flat)]
    axes.plot(roof, [x * shown["copy"] for x in roof], color=BLACK, linewidth=2)
    axes.annotate(f"copy bandwidth {shown['copy']:.0f} GB/s", (roof[1], roof[1] * shown["copy"]), textcoords="offset points", xytext=(0, 8), ha="right", fontsize=11)
    for k, (_, points) in enumerate(shown["curves"]):
        for name, (x, y) in points.items():
            colour, marker = marks[name]
            axes.plot(x, y, linestyle="", marker=marker, markersize=9, color=colour, label=name if k == 0 else None)
            axes.annotate("ABCD"[k], (x, y), textcoords="offset points", xytext=(7, -12) if name != "bdiagh" else (-14, -2), fontsize=11, color=colour, fontweight="bold")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xticks([0.15, 0.2, 0.25], ["0.15", "0.2", "0.25"])
    axes.set_yticks([300, 500, 1000], ["300", "500", "1000"])
    axes.minorticks_off()
    axes.grid(True, alpha=0.35)
    axes.set_ylabel("Gflop/s")
    axes.set_xlabel("operations per byte")
    axes.legend(fontsize=11, frameon=False, loc="upper left")
    axes.annotate("\n".join(f"{'ABCD'[k]}: {name}" for k, (name, _) in enumerate(shown["curves"])), (0.98, 0.03), xycoords="axes fraction", ha="right", va="bottom", fontsize=10)
    axes.set_ylim(0.55 * min(p[1] for p in flat), 1.5 * max(p[1] for p in flat))
    figure.suptitle("Products: fewer bytes, at the copy bandwidth", fontsize=13)
    return figure


def blocks(shown):
    figure, axes = plt.subplots(figsize=(WIDTH, 4.8), layout="constrained")
    marks = {"heptane, bdiagh": (BLUE, "o"), "heptane, sellp": (GREEN, "^"), "cublas-getri": (ORANGE, "D"), "cublas-matinv": (PURPLE, "v")}
    words = {"cublas-getri": "cuBLAS getrf, getri", "cublas-matinv": "cuBLAS matinv"}
    for name, points in shown["series"].items():
        colour, marker = marks.get(name, (RED, "x"))
        axes.loglog([p[0] for p in points], [p[1] for p in points], color=colour, marker=marker, linewidth=2, markersize=7, label=words.get(name, name))
    axes.loglog(*zip(*shown["limit"]), color=BLACK, linestyle="--", linewidth=2, label="bytes at copy bandwidth")
    sizes = sorted({p[0] for points in shown["series"].values() for p in points})
    kept = [s for k, s in enumerate(sizes) if k == len(sizes) - 1 or sizes[k + 1] / s > 1.2]
    axes.set_xticks(kept, [str(s) for s in kept])
    axes.set_yticks([0.1, 1, 10, 100, 1000], ["0.1", "1", "10", "100", "1000"])
    axes.minorticks_off()
    axes.grid(True, alpha=0.35)
    axes.set_xlabel("rows of a block")
    axes.set_ylabel("ns per block")
    legend_below(axes, 3.2)
    figure.suptitle("Inverting dense blocks, many at once", fontsize=13)
    return figure


def solution(shown):
    panels = shown["panels"]
    heights = [0.6 + 0.46 * len(members) for _, members in panels]
    figure, all_axes = plt.subplots(len(panels), 1, figsize=(WIDTH, 1 + sum(heights)), height_ratios=heights, layout="constrained", squeeze=False)
    for axes, (title, members) in zip(all_axes[:, 0], panels):
        bars_with_names(axes, [(f"{name}, {iterations} iterations", ms, own) for name, ms, iterations, own in members], "ms")
        axes.set_title(title, loc="left", fontsize=12)
    axes.set_xlabel("ms: set-up of the preconditioner and solve")
    figure.suptitle("Time to solution, one GPU: shorter is better", fontsize=13)
    return figure


def scaling(shown):
    figure, axes = plt.subplots(figsize=(WIDTH, 4.8), layout="constrained")
    most = max(p[0] for _, points in shown["series"] for p in points)
    axes.plot([1, most], [1, most], color=BLACK, linestyle="--", linewidth=1.5)
    axes.annotate("ideal", (most, most), textcoords="offset points", xytext=(-6, 2), ha="right", fontsize=11)
    for (name, points), colour, marker in zip(shown["series"], (PURPLE, ORANGE, GREEN, RED, BLUE), "vDs^o"):
        axes.plot([p[0] for p in points], [p[1] for p in points], color=colour, marker=marker, linewidth=2, markersize=7, label=name)
    axes.axhline(1, color=GREY, linewidth=1)
    axes.set_xticks(sorted({p[0] for _, points in shown["series"] for p in points}))
    # what fits on the chips of several GPUs but not of one is more than so many times as fast
    axes.set_ylim(0, 1.05 * max([most] + [p[1] for _, points in shown["series"] for p in points]))
    axes.grid(True, alpha=0.35)
    axes.set_xlabel("GPUs of one node")
    axes.set_ylabel("times as fast as on one GPU")
    axes.legend(fontsize=11, frameon=False, loc="upper left")
    figure.suptitle(f"Several GPUs: {shown['what']}", fontsize=13)
    return figure


def scaling_limits(shown):
    """Above: GPUs of half the efficiency over rows; the mark says what limits. Below: efficiency with as many rows on each GPU. The second network dashed and hollow."""
    figure, (above, below) = plt.subplots(2, 1, figsize=(WIDTH, 9.6), layout="constrained")
    colours, marks, counts = (RED, BLUE, GREEN, ORANGE, GREY), {"sums": "o", "halo": "s", "launches": "^", "host": "v", "none": "*"}, [1, 8, 64, 512, 4096]
    for k, (way, _, points) in enumerate(shown["strong"]):
        above.loglog([p[0] for p in points], [p[1] for p in points], color=colours[k // 2], linestyle=("-", "--")[k % 2], linewidth=2, label=shown["names"][way] if k % 2 == 0 else None)
        for rows, gpus, what in points:
            above.plot(rows, gpus, marker=marks[what], markersize=7, color=colours[k // 2], markerfacecolor="white" if k % 2 else colours[k // 2])
    for what, mark in list(marks.items())[:-1]:
        above.plot([], [], linestyle="", marker=mark, color=BLACK, label=f"limit: {what}")
    for k, (rows, _, points) in enumerate(shown["weak"]):
        below.semilogx([p[0] for p in points], [p[1] for p in points], color=RED, linestyle=("-", "--")[k % 2], linewidth=2)
        below.annotate(f"{rows / 1e6:.3g}M" if k % 2 == 0 else "", points[-1], textcoords="offset points", xytext=(4, -3), color=RED)
    for axes, title, x, y, more in ((above, "one problem on more GPUs", "rows", "GPUs at 50 % efficiency", {"yticks": counts, "yticklabels": counts}), (below, "the same rows on each GPU, two sums", "GPUs", "efficiency", {"xlim": (0.8, 2e4)})):
        axes.set_xticks(*(([1e6, 1e7, 1e8, 1e9], ["1M", "10M", "100M", "1000M"]) if axes is above else (counts, counts)))
        axes.set(xlabel=x, ylabel=y, **more)
        axes.minorticks_off()
        axes.grid(True, alpha=0.35)
        axes.set_title(title, loc="left", fontsize=12)
    legend_below(above, 3.2)
    figure.suptitle("Expected on many GPUs\n" + "; ".join(dict.fromkeys(line[1] for line in shown["strong"])) + " (dashed)", fontsize=13)
    return figure


def energy(shown):
    rows = shown["rows"]
    figure, all_axes = plt.subplots(len(rows), 1, figsize=(WIDTH, 0.9 + 1.35 * len(rows)), layout="constrained", squeeze=False)
    for axes, (title, own, peer) in zip(all_axes[:, 0], rows):
        bars_with_names(axes, [("heptane, bdiagh", own, True), ("PETSc", peer, False)], "mJ")
        axes.set_title(title, loc="left", fontsize=12)
    axes.set_xlabel("mJ of the GPU per iteration")
    figure.suptitle("Energy of an iteration, Jacobi: less is better", fontsize=13)
    return figure


def kernels(shown):
    rows = shown["rows"]
    figure, axes = plt.subplots(figsize=(WIDTH, 1.1 + 0.4 * len(rows)), layout="constrained")
    for k, (name, rate, occupancy, _) in enumerate(rows):
        axes.barh(k, rate, height=0.34, color=BLUE, alpha=0.6, linewidth=0)
        axes.annotate(f"{name if len(name) < 62 else name[:58] + ' ...'} ({occupancy:.2g})", (0.01, k - 0.2), xycoords=("axes fraction", "data"), va="bottom", fontsize=9.5)
    axes.axvline(shown["copy"], color=BLACK, linewidth=2)
    axes.annotate(f"copy {shown['copy']:.0f} GB/s", (shown["copy"], -0.75), textcoords="offset points", xytext=(-4, 0), ha="right", fontsize=9.5)
    axes.set_xlim(0, 1.12 * max([shown["copy"]] + [rate for _, rate, _, _ in rows]))
    axes.set_ylim(len(rows) - 0.6, -1.1)
    axes.set_yticks([])
    axes.grid(True, axis="x", alpha=0.35)
    axes.set_xlabel("GB/s of declared bytes (occupancy in brackets)")
    plain(axes)
    figure.suptitle("Kernels run at the copy bandwidth", fontsize=13)
    return figure


def compact(text):
    """The SVG text with short names of glyphs, their places to a tenth and as x, and no indentation: half as large."""
    text = re.sub(r"DejaVuSans-(Bold-)?(?=[0-9a-f])", lambda found: "B" if found.group(1) else "D", text)
    text = re.sub(r"transform=\"translate\(([\d.]+) 0\)\"/>", lambda found: f"x=\"{float(found.group(1)):.1f}\"/>", text)
    return re.sub(r"\n +", "\n", text)


def save(figure, name, shown, folder):
    """The picture as SVG and PNG, with its numbers and files inside and without dates, so that the same version of matplotlib writes the same bytes."""
    text = pictures.text_of(shown)
    drawn = io.StringIO()
    figure.savefig(drawn, format="svg", metadata={"Date": None, "Creator": f"Matplotlib {matplotlib.__version__}", "Description": text})
    with open(os.path.join(folder, name + ".svg"), "w", encoding="utf-8") as f:
        f.write(compact(drawn.getvalue()))
    pixels = io.BytesIO()
    figure.savefig(pixels, dpi=200)
    chunk = PngImagePlugin.PngInfo()
    chunk.add_text("Description", text)
    Image.open(pixels).convert("RGB").quantize(64).save(os.path.join(folder, name + ".png"), optimize=True, pnginfo=chunk)
    plt.close(figure)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", default=ROOT, help="the checkout whose results are drawn")
    parser.add_argument("--output", help="folder of the pictures (ROOT/docs/figures)")
    parser.add_argument("names", nargs="*", metavar="NAME")
    arguments = parser.parse_args()
    folder = arguments.output or os.path.join(arguments.root, pictures.FOLDER)
    try:
        numbers = performance.evaluate(arguments.root)[-1]
        absent = [name for name in arguments.names if name not in numbers]
        if absent:
            parser.error(f"there is no picture {absent[0]}: the results give {', '.join(numbers)}")
        os.makedirs(folder, exist_ok=True)
        plt.rcParams.update({"font.size": 12, "svg.hashsalt": "heptane", "svg.fonttype": "path", "font.family": "DejaVu Sans", "hatch.linewidth": 1.2})
        for name in [] if arguments.names else os.listdir(folder):
            if name in pictures.ALL and name not in pictures.names(numbers):
                os.remove(os.path.join(folder, name))
        for name in arguments.names or numbers:
            save(globals()[name](numbers[name]), name, numbers[name], folder)
    except (results.Refused, OSError) as fault:
        sys.exit(f"plot.py: {fault}")


if __name__ == "__main__":
    main()
