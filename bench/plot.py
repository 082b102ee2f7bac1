#!/usr/bin/env python3
"""Draws the pictures of docs/figures, as SVG and PNG, from the committed results alone. Needs matplotlib; what is drawn is computed by bench/report.

usage: plot.py [--root FOLDER] [--output FOLDER] [NAME ...]    without names all pictures for which there are results
"""
import argparse
import io
import os
import re
import sys
import textwrap

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


def legend_below(axes, height):
    """Below the axis' name; height: about that of the axes, in inches."""
    axes.legend(fontsize=11, frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.55 / height), ncols=2, handletextpad=0.4, columnspacing=1.2)


def speedup_lines(axes, lines):
    """Solid lines for bdiagh. With up to two solvers the names stand at the lines: of the faster one above, of the other one below."""
    direct = len(lines) <= 4
    for name, points in lines.items():
        ksp, mat = name.split(" ")
        colour, marker = SOLVERS.get(ksp, (GREY, "v"))
        own = mat == "bdiagh"
        axes.loglog([p[0] for p in points], [p[1] for p in points], color=colour, marker=marker, linestyle="-" if own else "--", markersize=6, linewidth=2, markerfacecolor=colour if own else "white", label=f"{ksp}, {mat}")
        above = all(points[0][1] >= others[0][1] for other, others in lines.items() if other.endswith(mat))
        text = f"{points[0][1]:.3g}" + (f"  {ksp}, {mat}" if direct and own else "")
        if direct:
            axes.annotate(text, points[0], textcoords="offset points", xytext=(-5, 7 if above else -23 if own else -18), color=colour, fontweight="bold" if own else "normal")
        if direct and own:
            axes.annotate(f"{points[-1][1]:.3g}", points[-1], textcoords="offset points", xytext=(4, 7 if points[-1][1] >= max(p[-1][1] for n, p in lines.items() if n.endswith(mat)) else -4), color=colour, fontweight="bold")
    axes.axhline(1, color=BLACK, linewidth=1.2)
    axes.set_xlim(2.2e3, 8e7)
    axes.set_ylim(0.8, 2 * max(p[1] for points in lines.values() for p in points))
    axes.set_yticks([1, 2, 5, 10, 20, 50], ["1", "2", "5", "10", "20", "50"])
    rows_axis(axes)
    axes.set_ylabel("times as fast")
    if not direct:
        legend_below(axes, 3)
    elif any(name.endswith("aijcusparse") for name in lines):
        axes.annotate("dashed: the same, aijcusparse", (3.5e3, 1.25), fontsize=11)


def speedup_bars(axes, bars):
    boxes = axes.barh(range(len(bars)), [ratio for _, ratio in bars], color=[BLUE if name.startswith("bdiagh") else GREEN for name, _ in bars], height=0.66)
    axes.bar_label(boxes, fmt="%.1f", padding=3)
    axes.set_yticks(range(len(bars)), [name for name, _ in bars])
    axes.invert_yaxis()
    axes.axvline(1, color=BLACK, linewidth=1.2)
    axes.set_xlim(0, 1.12 * max(ratio for _, ratio in bars))
    axes.set_xlabel("times as fast")
    plain(axes)


def speedup(shown):
    bars = shown["bars"]
    heights = [3.9 if len(shown["lines"]) <= 4 else 4.6] + ([1.2 + 0.27 * len(bars)] if bars else [])
    figure = plt.figure(figsize=(WIDTH, 0.4 + sum(heights)), layout="constrained")
    parts = figure.subfigures(len(heights), 1, height_ratios=heights, squeeze=False)[:, 0]
    parts[0].suptitle("Jacobi, one unknown per cell", x=0.02, ha="left", fontsize=12)
    speedup_lines(parts[0].subplots(), shown["lines"])
    if bars:
        parts[1].suptitle("fusedbcgs, point-block Jacobi, b unknowns per cell; rows", x=0.02, ha="left", fontsize=12)
        speedup_bars(parts[1].subplots(), bars)
    figure.suptitle("One iteration, against PETSc's fastest", fontsize=14)
    return figure


def iteration(shown):
    panels = shown["panels"]
    figure, all_axes = plt.subplots(len(panels), 1, figsize=(WIDTH, 1 + 3.3 * len(panels)), layout="constrained", squeeze=False, sharex=True)
    for axes, (ksp, points) in zip(all_axes[:, 0], panels.items()):
        rows = [p[0] for p in points]
        for column, name, colour, style, marker in ((3, "PETSc's fastest", GREY, "-", "^"), (1, ksp, BLUE, "-", "o"), (2, "bytes at copy bandwidth", BLACK, "--", None)):
            axes.loglog(rows, [p[column] for p in points], color=colour, linestyle=style, marker=marker, linewidth=2, markersize=6)
            middle = {3: 0, 1: 0, 2: 1}[column]
            axes.annotate(name, (rows[middle], points[middle][column]), textcoords="offset points", xytext={3: (0, 8), 1: (0, 8), 2: (16, -10)}[column], color=colour, fontweight="bold")
        axes.set_title(ksp + " with bdiagh, Jacobi", loc="left", fontsize=12)
        axes.set_ylabel("µs per iteration")
        axes.set_yticks([0.1, 1, 10, 100, 1000, 10000], ["0.1", "1", "10", "100", "1000", "10 000"])
        axes.set_xlim(2.5e3, 3e7)
        axes.set_ylim(0.1, 2.5 * max(p[3] for p in points))
        rows_axis(axes)
    for axes in all_axes[:-1, 0]:
        axes.set_xlabel("")
    figure.suptitle("Time per iteration and its limit", fontsize=14)
    return figure


def products(shown):
    rows = shown["rows"]
    figure, axes = plt.subplots(figsize=(WIDTH, 2.1 + 0.27 * len(rows)), layout="constrained")
    marks = {"aijcusparse": (GREY, "s", "aijcusparse"), "other": (ORANGE, "D", "fastest other peer"), "sellp": (GREEN, "^", "sellp"), "bdiagh": (BLUE, "o", "bdiagh")}
    for name, (colour, marker, text) in marks.items():
        places = [(points[name], k) for k, (_, points) in enumerate(rows) if name in points]
        if places:
            axes.plot(*zip(*places), linestyle="", marker=marker, color=colour, markersize=7.5, label=text, alpha=0.9)
    axes.axvline(shown["copy"], color=BLACK, linewidth=1.4, linestyle="--")
    axes.annotate("copy", (shown["copy"], -0.9), textcoords="offset points", xytext=(4, 0), va="center", fontsize=11)
    axes.set_yticks(range(len(rows)), [name for name, _ in rows])
    axes.set_ylim(len(rows) - 0.5, -1.5)
    axes.set_xlim(0, 1.22 * shown["copy"])
    axes.grid(True, axis="both", alpha=0.35)
    axes.set_xlabel("GB/s")
    axes.set_ylabel("matrix; b: unknowns per cell; rows")
    legend_below(axes, 0.27 * len(rows) + 0.3)
    figure.suptitle("Bandwidth of products by format", fontsize=14)
    return figure


def roofline(shown):
    figure, axes = plt.subplots(figsize=(WIDTH, 5.4), layout="constrained")
    marks = {"CSR": (GREY, "s"), "SELL": (ORANGE, "D"), "BSR": (PURPLE, "v"), "Kokkos Kernels": (RED, "P"), "sellp": (GREEN, "^"), "bdiagh": (BLUE, "o")}
    least = 0.095
    for name, points in shown["series"].items():
        colour, marker = marks.get(name, (RED, "x"))
        kept = [p for p in points if p[0] >= least]
        axes.plot([p[0] for p in kept], [p[1] for p in kept], linestyle="", marker=marker, markersize=6.5, color=colour, alpha=0.85, label={"CSR": "CSR, cuSPARSE", "SELL": "SELL, PETSc or cuSPARSE", "BSR": "BSR, cuSPARSE"}.get(name, name))
    roof = [least, 0.26]
    axes.plot(roof, [x * shown["copy"] for x in roof], color=BLACK, linewidth=2)
    axes.annotate(f"copy bandwidth, {shown['copy']:.0f} GB/s", (0.175, 0.175 * shown["copy"]), textcoords="offset points", xytext=(-4, 8), ha="right", fontsize=11)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(least, 0.26)
    axes.set_ylim(100, 1500)
    axes.set_xticks([0.1, 0.15, 0.2, 0.25], ["0.1", "0.15", "0.2", "0.25"])
    axes.set_yticks([100, 200, 500, 1000], ["100", "200", "500", "1000"])
    axes.minorticks_off()
    axes.grid(True, alpha=0.35)
    axes.set_ylabel("Gflop/s")
    outside = sum(p[0] < least for points in shown["series"].values() for p in points)
    axes.set_xlabel("operations per byte" + (f" ({outside} points of SELL lie further left)" if outside else ""))
    legend_below(axes, 3.7)
    figure.suptitle("Roofline of products", fontsize=14)
    return figure


def blocks(shown):
    figure, axes = plt.subplots(figsize=(WIDTH, 4.8), layout="constrained")
    marks = {"heptane, bdiagh": (BLUE, "o"), "heptane, sellp": (GREEN, "^"), "cublas-getri": (ORANGE, "D"), "cublas-matinv": (PURPLE, "v")}
    for name, points in shown["series"].items():
        colour, marker = marks.get(name, (RED, "x"))
        axes.loglog([p[0] for p in points], [p[1] for p in points], color=colour, marker=marker, linewidth=2, markersize=7, label=name)
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
    figure.suptitle("Inverting dense blocks, many at once", fontsize=14)
    return figure


def solution(shown):
    panels = shown["panels"]
    heights = [0.5 + 0.42 * len(members) for _, members in panels]
    figure, all_axes = plt.subplots(len(panels), 1, figsize=(WIDTH, 1.5 + sum(heights)), height_ratios=heights, layout="constrained", squeeze=False, sharex=True)
    ends = [value for _, members in panels for _, setup, solve, _, _ in members for value in (setup, setup + solve) if value > 0]
    for axes, (title, members) in zip(all_axes[:, 0], panels):
        for k, (name, setup, solve, iterations, own) in enumerate(members):
            colour = BLUE if own else GREY
            axes.plot([max(setup, 0.5 * min(ends)), setup + solve], [k, k], color=colour, linewidth=2.5)
            axes.plot(setup, k, marker="o", markersize=7, color=colour, markerfacecolor="white", clip_on=False)
            axes.plot(setup + solve, k, marker="o", markersize=9, color=colour)
            axes.annotate(f"{name}: {setup + solve:.3g} ms, {iterations} it.", (0.01, k - 0.16), xycoords=("axes fraction", "data"), va="bottom", fontsize=11, color=colour, fontweight="bold" if own else "normal")
        axes.set_xscale("log")
        axes.set_xlim(0.5 * min(ends), 2 * max(ends))
        axes.set_ylim(len(members) - 0.6, -0.8)
        axes.set_yticks([])
        axes.minorticks_off()
        axes.grid(True, axis="x", alpha=0.35)
        axes.set_title(title, loc="left", fontsize=12)
        plain(axes)
    axes.xaxis.set_major_formatter("{x:g}")
    axes.set_xlabel("ms; hollow: set-up, full: set-up and solve")
    figure.suptitle("Time to solution", fontsize=14)
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
    axes.set_xlabel("GPUs")
    axes.set_ylabel("times as fast as on one")
    axes.set_title(shown["what"], loc="left", fontsize=11)
    axes.legend(fontsize=11, frameon=False, loc="upper left")
    figure.suptitle("Scaling over GPUs", fontsize=14)
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
    for axes, title, x, y, more in ((above, "one problem on more GPUs", "rows", "GPUs of efficiency 50 %", {"yticks": counts, "yticklabels": counts}), (below, "the same rows on each GPU, two sums", "GPUs", "efficiency", {"xlim": (0.8, 2e4)})):
        axes.set_xticks(*(([1e6, 1e7, 1e8, 1e9], ["1M", "10M", "100M", "1000M"]) if axes is above else (counts, counts)))
        axes.set(xlabel=x, ylabel=y, **more)
        axes.minorticks_off()
        axes.grid(True, alpha=0.35)
        axes.set_title(title, loc="left", fontsize=12)
    legend_below(above, 3.2)
    figure.suptitle("Expected on many GPUs\n" + "; ".join(dict.fromkeys(line[1] for line in shown["strong"])) + " (dashed)", fontsize=13)
    return figure


def energy(shown):
    panels = shown["panels"]
    heights = [0.55 + 0.36 * len(members) for _, members in panels]
    figure, all_axes = plt.subplots(len(panels), 1, figsize=(WIDTH, 1.3 + sum(heights)), height_ratios=heights, layout="constrained", squeeze=False)
    for axes, (title, members) in zip(all_axes[:, 0], panels):
        most = max(whole for _, whole, _, _ in members)
        for k, (name, whole, net, own) in enumerate(members):
            colour = BLUE if own else GREY
            axes.barh(k, whole, height=0.34, color=colour, alpha=0.35, linewidth=0)
            axes.barh(k, max(net, 0), height=0.34, color=colour, linewidth=0)
            axes.annotate(f"{name}: {whole:.3g}", (0.01, k - 0.2), xycoords=("axes fraction", "data"), va="bottom", fontsize=10, color=colour, fontweight="bold" if own else "normal")
        axes.set_xlim(0, 1.05 * most)
        axes.set_ylim(len(members) - 0.7, -0.9)
        axes.set_yticks([])
        axes.grid(True, axis="x", alpha=0.35)
        axes.set_title(title, loc="left", fontsize=12)
        plain(axes)
    all_axes[-1, 0].set_xlabel("mJ per iteration, GPU; dark: without idle power")
    figure.suptitle("Energy of an iteration", fontsize=14)
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
    axes.set_xlabel("GB/s; in brackets the occupancy")
    plain(axes)
    figure.suptitle("Kernels against the bandwidth limit", fontsize=14)
    return figure


def compact(text):
    """The SVG text with short names of glyphs, their places to a tenth and as x, and no indentation: half as large."""
    text = re.sub(r"DejaVuSans-(Bold-)?(?=[0-9a-f])", lambda found: "B" if found.group(1) else "D", text)
    text = re.sub(r"transform=\"translate\(([\d.]+) 0\)\"/>", lambda found: f"x=\"{float(found.group(1)):.1f}\"/>", text)
    return re.sub(r"\n +", "\n", text)


def save(figure, name, shown, folder):
    """The picture as SVG and PNG, with its numbers inside and without dates, so that the same version of matplotlib writes the same bytes."""
    origin = [line for text in shown["machine"] + ["commits " + ", ".join(shown["commits"])] + shown["files"] for line in textwrap.wrap(text, 80)]
    figure.set_figheight(figure.get_figheight() + 0.16 * len(origin))
    figure.supxlabel("\n".join(origin), fontsize=8, color="0.25", x=0.02, ha="left", linespacing=1.3)
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
