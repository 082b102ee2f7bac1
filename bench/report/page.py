"""The summary docs/reference/performance.md, the tables that make docs writes into the site, and the block of README.md, from comparisons and pictures' numbers. Computes no ratio itself."""
import collections
import re
import textwrap

from . import compare, figures, sources
from .results import Refused

HEAD = """# Performance

This page is written by `make performance` from the lines below `bench/results`; `make check` fails if it is stale.
Every case, also where a peer is faster and why, with machine, commits and commands: [All measured cases](results.md), a page that `make docs` generates.
"""
RULES = """# All measured cases

This page is generated from the lines below `bench/results`. The pictures are on page [](performance.md).

"Times as fast" is the median time of the fastest peer over that of heptane. Both were timed in turns in one process, on one matrix, and their answers were
checked in that process. Peers of a solver are PETSc's solvers of the same family with the same preconditioner and PETSc's matrix types; peers of a product are
PETSc's matrix types, and cuSPARSE and Kokkos Kernels called without PETSc; peers of a set-up of blocks are PETSc's and cuBLAS. Of several runs of a case the
newest counts, if it timed the peer that was the fastest before; settings that are not the default count where the default was not timed. A mean is a geometric
mean. Every case in which the median time of heptane is longer than that of the fastest peer is listed below "Where heptane loses".
"""
WIDTH = 120  # columns of text
# in the order of the tables
TOPICS = {"time_to_solution": "set-up and solve", "newton_step": "Newton step", "ksp_iteration": "iteration", "ksp_solve": "solve, operator changed", "ksp_solve_unchanged": "solve, operator unchanged",
          "matmult": "product", "matmultadd": "product, added", "matmulttranspose": "product, transposed", "matgetdiagonal": "diagonal", "matscale": "MatScale", "pc_setup": "set-up of blocks",
          "blocks_inverse": "Gauss-Jordan elimination of blocks", "blocks_lu": "LU of blocks", "blocks_qr": "QR of blocks",
          "least_squares": "least squares", "update": "new values", "update+matmult": "new values, product", "coo_setup": "new pattern", "operations": "operations"}
TITLES = {"speedup": "Speed-up of one solver iteration", "iteration": "Time per iteration against the bandwidth limit", "products": "Bandwidth of products by format", "roofline": "Roofline of products",
          "blocks": "Set-up of dense blocks by block size", "solution": "Time to solution by preconditioner", "scaling": "Scaling over GPUs",
          "energy": "Energy of an iteration", "kernels": "Kernels and the copy bandwidth"}
CAPTIONS = {
    "speedup": "Time per iteration of PETSc's fastest solver of the same family with PETSc's matrix types, "
        "divided by that of the fused solver with `bdiagh`. Cubes of cells with one unknown, Jacobi.",
    "iteration": "The limit is the time to move the declared bytes at the copy bandwidth of the same process. "
        "If matrix and vectors stay in caches and registers, the time is below it.",
    "products": "Time of a product with PETSc's `aijcusparse` over that with `bdiagh` and `sellp`, for the "
        "largest matrix of each kind.",
    "roofline": "Two operations per nonzero. The roof is the copy bandwidth times the operations per byte. "
        "`bdiagh` falls back to compressed rows for patterns without block diagonals.",
    "blocks": "Time to invert one dense block while as many are inverted as fill the GPU. The limit is "
        "reading and writing the blocks once at the copy bandwidth.",
    "solution": "Set-up of the preconditioner and solve, for new values of the matrix, in double precision. "
        "Of each library and preconditioner the fastest measured setting.",
    "scaling": "Time on one GPU over that on several GPUs of one node.",
    "energy": "Energy that the GPU counts for one iteration: the best candidate of heptane and of PETSc. "
        "Cubes of cells with one unknown.",
    "kernels": "Declared bytes of a kernel over its time (`-heptane_metrics`), for the largest system in "
        "which it ran; in brackets the occupancy. Kernels that move less than 50 MB are left out; "
        "shown are the 10 that needed most time in their runs.",
}
BEGIN, END = "<!-- make performance writes from here -->", "<!-- to here -->"


def times(value):
    return "-" if value is None else f"{value:.0f}" if value >= 99.5 else f"{value:.1f}" if value >= 9.95 else f"{value:.2f}"


def us(value):
    return f"{value:.4g}" if value < 1e4 else f"{value:.0f}"


def table(head, rows):
    """A Markdown table; the first column is text."""
    line = lambda cells: "| " + " | ".join(str(cell) for cell in cells) + " |"
    return "\n".join([line(head), "|" + "---|" * len(head)] + [line(row) for row in rows]) + "\n"


def topic(c):
    return "operations" if c.line["suite"] == "operations" else TOPICS.get(c.line["what"], c.line["what"])


def place(c):
    """Where a topic stands in the tables."""
    names = list(TOPICS.values())
    return names.index(topic(c)) if topic(c) in names else len(names)


def what(c):
    """The operation, with what belongs to its call."""
    call = [str(c.line[key]) for key in ("order", "insert") if c.line.get(key)]
    if c.line["what"] == "time_to_solution":
        call = [f"to {c.line['rtol']:.0e}", f"{c.line['iterations']} iterations, peer {c.best['iterations']}"]
    name = TOPICS.get(c.line["what"], c.line["what"]) if c.line["suite"] != "operations" else c.line["what"]
    return name + (f" ({', '.join(call)})" if call else "")


def settled(c):
    """The candidate of heptane: solver, preconditioner, matrix type."""
    return compare.name(c.line) + (f" {c.line['pc']}" if c.line["what"] in compare.SOLVES and c.line.get("pc") else "")


def summary_row(name, members):
    speedups = [c.speedup for c in members]
    return [name, times(compare.geometric_mean(speedups)), times(min(speedups)), times(max(speedups)), len(members), sum(c.ratio > 1 for c in members)]


def by_machine(chosen):
    """GPUs first, those with the most cases before others."""
    groups = collections.defaultdict(list)
    for c in chosen:
        groups[c.machine].append(c)
    return sorted(groups.items(), key=lambda item: (item[0].endswith("host"), -len(item[1]), item[0]))


def grouped(members, key):
    groups = collections.defaultdict(list)
    for c in members:
        groups[key(c)].append(c)
    return sorted(groups.items())


def brief(candidate):
    """Short enough to stand beside its figures on a phone."""
    return re.sub(r"\+ksp_norm_type=(\w+)", r", norm \1,", candidate)


def summary(chosen):
    parts = ["## Where heptane wins, and by how much\n", "The figures are times as fast. In bold: all candidates together.\n"]
    for machine, members in by_machine(chosen):
        rows = []
        for (_, kind), group in grouped(members, lambda c: (place(c), topic(c))):
            rows += [summary_row(f"**{kind}**", group)] + [summary_row(brief(candidate), some) for candidate, some in grouped(group, settled)]
        parts.append(f"### {machine}\n\n" + table(["", "mean", "least", "most", "cases", "slower in"], rows))
    return "\n".join(parts)


def origin(root, shown):
    """Machine, commits, files and commands of a picture."""
    text = [sources_line(shown), "", "```"]
    for path in shown["files"]:
        text += ["# " + path] + (sources.commands(root, path) or [f"# commands: {path.rsplit('/', 1)[0]}/README.md"])
    return "\n".join(text + ["```"]) + "\n"


def sources_line(shown):
    return f"{'; '.join(shown['machine'])}. Commits {', '.join(shown['commits'])}."


def origins(root, shown):
    """Where the pictures come from."""
    return "## Sources of the pictures\n\n" + "\n".join(f"### {TITLES[name]}\n\n{origin(root, shown[name])}" for name in figures.NAMES if name in shown)


def wrapped(text):
    return "\n".join(textwrap.wrap(text, WIDTH, break_long_words=False, break_on_hyphens=False))


def anchor(title):
    return re.sub(r"[^a-z0-9 -]", "", title.lower()).replace(" ", "-")


def pictures(shown):
    """Of the summary: each picture with its caption."""
    parts = ["## Pictures\n"]
    for name in figures.NAMES:
        if name in shown:
            source = f"{shown[name]['machine'][0]}; [files and commands](results.md#{anchor(TITLES[name])})."
            parts.append(f"### {TITLES[name]}\n\n![{TITLES[name]}](../figures/{name}.svg)\n\n{wrapped(CAPTIONS[name])}\n{wrapped(source)}\n")
    return "\n".join(parts)


def topics(chosen):
    """Of the summary: one table, a row for each machine and topic."""
    rows = []
    for machine, members in by_machine(chosen):
        for (_, kind), group in grouped(members, lambda c: (place(c), topic(c))):
            rows.append([kind, machine] + summary_row("", group)[1:])
    head = ["what", "machine", "mean", "least", "most", "cases", "slower in"]
    return "## Times as fast as the fastest peer\n\n" + wrapped(
        "Median time of the fastest peer over that of heptane, timed in turns in one process. Peers: PETSc's solvers of the same family and its matrix types, cuSPARSE, Kokkos Kernels, cuBLAS.") + "\n\n" + table(head, rows)


def loss_row(c, texts):
    return [what(c), f"{c.line['problem']} {c.line['case']}", settled(c), compare.name(c.best), us(c.line["us_median"]), us(c.best["us_median"]), f"{c.ratio:.3f}", sources.reason(texts, c.line, c.machine)]


def losses(chosen, texts):
    """Every case in which heptane takes longer than the fastest peer."""
    parts = ["## Where heptane loses\n"]
    lost = [c for c in chosen if c.ratio > 1]
    parts.append(f"In {len(lost)} of {len(chosen)} cases heptane takes longer than the fastest peer in the same run. \"Slower\": its fastest sample took longer than the peer's slowest. \"Samples\n"
                 "overlap\": the others. The ratio is the median time of heptane over that of the peer. \"Why\" is text from `bench/performance.json`.\n")
    head = ["what", "matrix", "heptane", "fastest peer", "us", "peer, us", "ratio", "why"]
    for machine, members in by_machine(lost):
        for title, overlap in (("slower", False), ("samples overlap", True)):
            group = sorted((c for c in members if c.overlaps == overlap), key=lambda c: (-c.ratio, settled(c)))
            if group:
                parts.append(f"### {machine}, {title}: {len(group)}\n\n" + table(head, [loss_row(c, texts) for c in group]))
    return "\n".join(parts)


def case_row(c):
    limit = compare.limit_us(c.line)
    share = f"{100 * limit / c.line['us_median']:.0f} %" if limit else "-"
    return [f"{c.line['problem']} {c.line['case']}", f"{c.line['rows']}", what(c), settled(c), us(c.line["us_median"]), share, compare.name(c.best), us(c.best["us_median"]), times(c.speedup), times(c.over_default)]


def operations(members):
    """One row for each operation, one column for each matrix."""
    cases = sorted({(c.line["problem"], c.line["case"]) for c in members})
    names = sorted({c.line["what"] for c in members})
    found = {(c.line["what"], (c.line["problem"], c.line["case"]), c.line["mat"]): c for c in members}
    mats = sorted({c.line["mat"] for c in members})
    cell = lambda name, case: " / ".join(times(found[name, case, mat].speedup) if (name, case, mat) in found else "-" for mat in mats)
    return f"Operations, times as fast, {' / '.join(mats)}:\n\n" + table(["operation"] + [" ".join(case) for case in cases], [[name] + [cell(name, case) for case in cases] for name in names])


def cases(chosen):
    parts = ["## All cases\n", "\"Limit\" is the time that moving the declared bytes takes at the copy bandwidth, as a share of the measured time. \"PETSc's default\" is `aijcusparse` on a GPU and `aij` on\n"
             "the host, with the solver of the same name.\n"]
    head = ["matrix", "rows", "what", "heptane", "us", "limit", "fastest peer", "us", "times as fast", "over PETSc's default"]
    for machine, members in by_machine(chosen):
        parts.append(f"### {machine}\n")
        listed = sorted((c for c in members if c.line["suite"] != "operations"), key=lambda c: (place(c), topic(c), settled(c), c.line["problem"], c.line["rows"], c.line["case"], what(c)))
        if listed:
            parts.append(table(head, [case_row(c) for c in listed]))
        of_suite = [c for c in members if c.line["suite"] == "operations"]
        if of_suite:
            parts.append(operations(of_suite))
    return "\n".join(parts)


def scaling(runs):
    rows, slower = [], 0
    for lines in figures.scaling_cases(runs):
        one = lines[1]
        candidate = " ".join(str(one[key]) for key in ("ksp", "mat", "pc") if one.get(key))
        rows += [[f"{one['problem']} {one['case']}", one["rows"], TOPICS.get(one["what"], one["what"]), candidate, gpus, us(line["us_median"]), times(one["us_median"] / line["us_median"])] for gpus, line in sorted(lines.items())]
        slower += sum(line["us_median"] > one["us_median"] for line in lines.values())
    text = (f"Times on one GPU and on several are from one folder of results and one commit, not from one process. In {slower} of {sum(row[4] > 1 for row in rows)} cases several GPUs take longer than one. Matrices of PETSc exchange "
            "what they need of other processes by PETSc's scatters, through the memory of the host unless the MPI knows about devices; iterations of the fused solvers, and in results from 2026-11-25 (h100x2-products) on "
            "products of `bdiagh` and `sellp` in any solver, from GPU to GPU.")
    head = ["matrix", "rows", "what", "candidate", "GPUs", "us", "times as fast as one"]
    return "## Several GPUs\n\n" + "\n".join(textwrap.wrap(text, 160, break_on_hyphens=False)) + "\n\n" + table(head, rows) if rows else ""


def papers(root, tables, lines):
    """The tables of printed figures, one heading lower than bench/thesis.py prints them, with where today's come from."""
    if not tables:
        return ""
    text = "\n".join(re.sub("^## ", "### ", part) for part in tables)
    return ("## Figures of the papers\n\nPrinted figures of the papers that heptane's methods come from (`bench/thesis.json`) beside those of the files `thesis*.jsonl`: \"printed / today\". The printed ones are\n"
            "of older GPUs and of single precision, so that ratios compare, not times.\n\n" + text + "\n" + origin(root, figures.figure(lines)))


def measurements(root, chosen, lines, texts):
    """What was measured with what, and what is left out."""
    groups = collections.defaultdict(list)
    for c in chosen:
        groups[c.line["file"]] += [c.line] + c.others
    parts = ["## Measurements\n"]
    for path, used in sorted(groups.items()):
        folder = path.rsplit("/", 1)[0]
        dates = sorted({line["date"][:10] for line in used})
        found = sources.commands(root, path)
        parts.append(f"`{path}`, {' and '.join(dates)}: {'; '.join(sources.environment(used))}; commits {', '.join(sources.commits(used))}"
                     + (":\n\n```\n" + "\n".join(found) + "\n```\n" if found else f"; commands: `{folder}/README.md`.\n"))
    wrong = collections.Counter((line["file"], line["mat"], line.get("error", "")) for line in lines if not line["verified"])
    if wrong:
        parts.append("Lines that were not verified, and so are not compared:\n\n" + table(["file", "candidate", "lines", "error"], [[path, mat, count, error.replace("|", "/")] for (path, mat, error), count in sorted(wrong.items())]))
    if texts["omitted"]:
        parts.append("Left out:\n\n" + table(["file", "lines", "why"], [[entry["file"], "-".join(str(n) for n in entry.get("lines", ["all"])), entry["reason"]] for entry in texts["omitted"]]))
    return "\n".join(parts)


def readme(chosen, shown):
    """The block of README.md between the two marks: the gain in one sentence, the first picture, and what it shows."""
    def fused(c):
        return c.line["what"] == "ksp_iteration" and c.line["mat"] == "bdiagh" and c.line["ksp"].startswith("fused") and not c.variant

    here = figures.of_one_gpu([c for c in chosen if fused(c)])
    if not here or "speedup" not in shown:
        raise Refused("bench/results has no iteration of a fused solver with bdiagh on a GPU, which README.md shows: keep a result of bench/ksp -suite cg,bcgs")
    speedups = [c.speedup for c in here]
    over = [c.over_default for c in figures.of_one_gpu([c for c in chosen if c.line["what"] == "matmult" and c.line["suite"] == "spmv" and c.line["mat"] in ("bdiagh", "sellp")]) if c.over_default]
    lost = sum(c.ratio > 1 for c in chosen)
    gain = (f"On one {here[0].machine}, a fused iteration with `bdiagh` is {times(min(speedups))} to {times(max(speedups))} times as fast as PETSc's fastest, and a product with `bdiagh` or `sellp` "
            f"{times(compare.geometric_mean(over))} times as fast as with `aijcusparse` (mean). [All cases, also the {lost} of {len(chosen)} in which a peer is faster](docs/reference/performance.md).")
    caption = f"*{CAPTIONS['speedup']} {'; '.join(shown['speedup']['machine'])}, double precision. [Sources](docs/reference/performance.md).*"
    return "\n".join([BEGIN, wrapped(gain), "", "![Speed-up of one solver iteration over the number of rows](docs/figures/speedup.svg)", "", wrapped(caption), END])


def write(chosen, shown):
    """The committed summary."""
    return "\n".join([HEAD, topics(chosen), pictures(shown)])


def tables(root, chosen, runs, lines, texts, shown, printed):
    """All cases. printed: the tables of the papers' figures, and the lines they show."""
    parts = [RULES, summary(chosen), losses(chosen, texts), scaling(runs), papers(root, *printed), cases(chosen), origins(root, shown), measurements(root, chosen, lines, texts)]
    return "\n".join(part for part in parts if part)
