"""What each picture shows, as plain numbers: bench/plot.py draws them and stores them in the files, the tests compare them. Three digits are kept."""
import collections
import re

from . import compare, sources

PROBLEMS = {"gh": "grid", "gh-spd": "grid", "gh-flow": "grid", "active": "active cells", "laplace5": "5-point", "laplace7": "7-point", "laplace27": "27-point", "powerlaw": "power law", "norne": "Norne field"}
CUBE = re.compile(r"(\d+)x\1x\1:1")
LARGE = 200000  # rows of a product in the roofline


ORDER = ("gh", "norne", "active", "laplace5", "laplace7", "laplace27", "elasticity", "banded", "random", "powerlaw")


def short(value):
    return float(f"{value:.3g}")


def size(rows):
    return f"{rows / 1e6:.2g}M" if rows >= 1e6 else f"{rows / 1e6:.2f}M" if rows >= 1e5 else f"{rows / 1e3:.3g}k"


def label(line):
    block = f", b = {line['block']}" if line["block"] > 1 else ""
    return f"{PROBLEMS.get(line['problem'], line['problem'])}{block}, {size(line['rows'])}"


def of_one_gpu(chosen):
    """Comparisons on the kind of GPU that has most of them."""
    counts = collections.Counter(c.machine for c in chosen if c.line["gpus"] and c.line.get("device") != "host")
    most = max(counts, key=lambda machine: (counts[machine], machine), default=None)
    return [c for c in chosen if c.machine == most]


def figure(used, **shown):
    """A picture's numbers with what they come from."""
    return dict(shown, machine=sources.environment(used), commits=sources.commits(used), files=sources.files(used))


def speedup(chosen, _runs, _own):
    """How many times as fast as the fastest of PETSc's solvers: over the rows with Jacobi, and for point blocks."""
    chosen = of_one_gpu([c for c in chosen if c.line["what"] == "ksp_iteration" and c.line["ksp"].startswith("fused") and not c.variant])
    lines, bars, used = collections.defaultdict(list), {}, []
    for c in chosen:
        if c.line["pc"] == "jacobi" and CUBE.fullmatch(c.line["case"]) and c.line["mat"] in ("bdiagh", "aijcusparse"):
            lines[f"{c.line['ksp']} {c.line['mat']}"].append([c.line["rows"], short(c.speedup)])
            used.append(c)
        elif c.line["pc"] == "pbjacobi":
            key = (c.line["mat"], c.line["block"], c.line["rows"])
            if key not in bars or bars[key].line["date"] < c.line["date"]:
                bars[key] = c
    if not lines:
        return None
    used += bars.values()
    return figure([line for c in used for line in (c.line, c.best)], lines={key: sorted(points) for key, points in sorted(lines.items())},
                  bars=[[f"{c.line['mat']}, b = {c.line['block']}, {size(c.line['rows'])}", short(c.speedup)] for _, c in sorted(bars.items())])


def iteration(chosen, _runs, _own):
    """Time per iteration, that of PETSc's fastest solver, and what moving the declared bytes takes at the copy bandwidth."""
    chosen = of_one_gpu([c for c in chosen if c.line["what"] == "ksp_iteration" and c.line["ksp"].startswith("fused") and not c.variant and c.line["mat"] == "bdiagh"
                         and c.line["pc"] == "jacobi" and CUBE.fullmatch(c.line["case"]) and compare.limit_us(c.line)])
    panels = collections.defaultdict(list)
    for c in chosen:
        panels[c.line["ksp"]].append([c.line["rows"], short(c.line["us_median"]), short(compare.limit_us(c.line)), short(c.best["us_median"])])
    return figure([line for c in chosen for line in (c.line, c.best)], panels={key: sorted(points) for key, points in sorted(panels.items())}) if panels else None


def _products(chosen):
    return of_one_gpu([c for c in chosen if c.line["what"] == "matmult" and c.line["bytes"] and c.line["copy_gbs"]])


def products(chosen, _runs, _own):
    """The bandwidth of products by format, for the largest matrix of each kind and block size."""
    kinds = collections.defaultdict(list)
    for c in _products(chosen):
        kinds[(c.line["problem"], c.line["block"])].append(c)
    rows, used, copies = [], [], []
    for _, members in sorted(kinds.items(), key=lambda item: (ORDER.index(item[0][0]) if item[0][0] in ORDER else len(ORDER), item[0])):
        most = max(c.line["rows"] for c in members)
        members = [c for c in members if c.line["rows"] == most]
        last = max(members, key=lambda c: c.line["date"])
        lines = [c.line for c in members] + ([last.default] if last.default else [])
        other = min((line for line in last.others if line is not last.default), key=lambda line: line["us_median"], default=None)
        points = {line["mat"]: short(line["gbs"]) for line in lines}
        if other:
            points["other"] = short(other["gbs"])
            points["other is"] = other["mat"]
        rows.append([label(last.line), points])
        used += lines + ([other] if other else [])
        copies += [line["copy_gbs"] for line in lines]
    return figure(used, rows=rows, copy=short(compare.geometric_mean(copies))) if rows else None


FORMATS = {"aijcusparse": "CSR", "cusparse-csr-alg1": "CSR", "cusparse-csr-alg2": "CSR", "sellcuda": "SELL", "cusparse-sell": "SELL", "cusparse-bsr": "BSR", "cusparse-bsr-generic": "BSR", "kokkos-csr": "Kokkos Kernels", "kokkos-bsr": "Kokkos Kernels"}


def roofline(chosen, _runs, _own):
    """Operations per second of products over operations per byte, one point for each format and matrix: of one format the fastest."""
    points, used, copies = collections.defaultdict(dict), [], []
    for c in _products(chosen):
        if c.line["rows"] < LARGE:
            continue
        for line in [c.line] + c.others:
            if not line["bytes"]:
                continue
            kind = FORMATS.get(line["mat"], line["mat"])
            case = (line["problem"], line["case"])
            old = points[kind].get(case)
            if not old or line["us_median"] < old["us_median"]:
                points[kind][case] = line
    for members in points.values():
        used += members.values()
        copies += [line["copy_gbs"] for line in members.values()]
    series = {kind: sorted([short(compare.intensity(line)), short(compare.gflops(line))] for line in members.values()) for kind, members in sorted(points.items())}
    return figure(used, series=series, copy=short(compare.geometric_mean(copies))) if points else None


def blocks(chosen, _runs, own):
    """Time to invert dense blocks by their size, per block, and its limit by bandwidth."""
    chosen = of_one_gpu([c for c in chosen if c.line["what"] == "pc_setup" and c.line["problem"] == "blocks"])
    series, used, limits = collections.defaultdict(dict), [], {}
    for c in sorted(chosen, key=lambda c: c.line["date"]):
        for line in [c.line] + [other for other in c.others if compare.is_library(other)]:
            kind = line["mat"] if line["mat"] not in own else "heptane, " + line["mat"]
            nanoseconds = 1e3 * line["us_median"] * line["block"] / line["rows"]
            series[kind][line["block"]] = short(nanoseconds)
            used.append(line)
        limits[c.line["block"]] = short(1e3 * compare.limit_us(c.line) * c.line["block"] / c.line["rows"])
    return figure(used, series={kind: sorted(points.items()) for kind, points in sorted(series.items())}, limit=sorted(limits.items())) if series else None


def without_options(ksp):
    """A solver's name without the options behind it, which all candidates of a panel share where they differ by nothing else: too long for a label."""
    return re.sub(r"\+[a-z_]+=[^+]*", "", ksp)


def solver_name(ksp):
    """Without its options but that of the precision, which is another solver to a reader."""
    precision = [part.split("=")[1] for part in ksp.split("+") if part.startswith("ksp_fused_precision=")]
    return " ".join([without_options(ksp)] + precision)


def solution(_chosen, runs, own):
    """Time to solution by preconditioner: the largest case of at most five problems, first of those with candidates without heptane, to the smallest tolerance, each candidate's newest time; of heptane's and of the other candidates the three (of
    more than three problems two) fastest. Of one model of GPU, that with the most times."""
    newest = collections.defaultdict(dict)
    timed = [line for run in runs for line in run if line["what"] == "time_to_solution" and line["verified"]]
    counts = collections.Counter(line["gpu"] for line in timed)
    gpu = max(sorted(counts), key=counts.get, default=None)
    for line in (line for line in timed if line["gpu"] == gpu):
        members = newest[line["problem"], compare.machine(line), line["rows"], line["rtol"]]
        candidate = (line["ksp"], line["mat"], line["pc"])
        if candidate not in members or line["date"] > members[candidate]["date"]:
            members[candidate] = line
    cases = {}
    for (problem, _, rows, rtol), members in sorted(newest.items()):
        lines = list(members.values())
        rank = (lines[0]["gpus"] == 1, any(not compare.is_own(line, own) for line in lines), rows, -rtol, max(line["date"] for line in lines))
        if len(lines) > 1 and rank >= cases.get(problem, [(False, False, 0)])[0]:
            cases[problem] = (rank, lines)
    largest = sorted(cases, key=lambda key: (not cases[key][0][1], -cases[key][1][0]["rows"], key))[:5]
    most = 3 if len(largest) <= 3 else 2
    panels, used = [], []
    for key in sorted(largest):
        lines = sorted(cases[key][1], key=lambda line: line["us_median"])
        kept = [line for mine in (True, False) for line in [other for other in lines if compare.is_own(other, own) == mine][:most]]
        kept.sort(key=lambda line: line["us_median"])
        panels.append([f"{label(lines[0])}, to {lines[0]['rtol']:.0e}", [[f"{solver_name(line['ksp'])}, {line['pc']}, {line['mat']}", short(line["setup_us"] / 1e3), short((line["us_median"] - line["setup_us"]) / 1e3), line["iterations"],
                                          compare.is_own(line, own)] for line in kept]])
        used += kept
    return figure(used, panels=panels) if panels else None


def scaling_cases(runs):
    """
    Times on one GPU and on several from one folder and commit; of several the newest. They cannot be of one process. A persistent kernel that was asked for by name is the solver's own where the default was not timed.
    """
    found = {}
    for run in runs:
        for line in run:
            if line["verified"] and line["gpus"] and line["what"] not in compare.NOT_COMPARED:
                named = str(line.get("ksp")).endswith("+persistent") and line.get("mode") == "persistent"
                ksp = str(line.get("ksp")).removesuffix("+persistent") if named else str(line.get("ksp"))
                case = tuple(str(dict(line, ksp=ksp).get(key)) for key in ("gpu", "what", "ksp", "mat", "pc", "problem", "case"))
                measured = found.setdefault(case, {}).setdefault((line["file"].rsplit("/", 1)[0], line["driver"], line["cuda"], line["commit"]), {})
                if not named or line["gpus"] not in measured:
                    measured[line["gpus"]] = line
    for case, measured in sorted(found.items()):
        whole = [lines for lines in measured.values() if 1 in lines and len(lines) > 1]
        if whole:
            yield max(whole, key=lambda lines: max(line["date"] for line in lines.values()))


def scaling(_chosen, runs, own):
    """How many times as fast on several GPUs as on one: at most five sizes of heptane's most measured candidate."""
    groups = collections.defaultdict(list)
    for lines in scaling_cases(runs):
        if compare.is_own(lines[1], own):
            groups[tuple(str(lines[1].get(key)) for key in ("gpu", "what", "ksp", "mat", "pc"))].append(lines)
    if not groups:
        return None
    key = max(groups, key=lambda k: (k[1] == "ksp_iteration", len(groups[k]), k))
    members = sorted(groups[key], key=lambda lines: lines[1]["rows"])
    if len(members) > 5:
        members = [members[round(k * (len(members) - 1) / 4)] for k in range(5)]
    series = [[label(lines[1]), [[gpus, short(lines[1]["us_median"] / line["us_median"])] for gpus, line in sorted(lines.items())]] for lines in members]
    return figure([line for lines in members for line in lines.values()], series=series, what=", ".join(part.replace("ksp_", "") for part in key[1:] if part not in ("None", "")))


def energy_name(line):
    """A candidate of a picture of energy: solver, mode and wait in words, matrix type."""
    parts = [re.sub(r"^ksp_fused_(wait=)?|^ksp_", "", part).replace("_", " ").replace("=", " ") for part in line["ksp"].split("+")]
    return ", ".join(parts + [line["mat"]])


MODES = {"twin", "kernels", "graph", "persistent"}


def as_named(line):
    """Whether a fused solver ran in the mode that the candidate names: `persistent` takes another one where the system is too large."""
    named = MODES.intersection(line["ksp"].split("+"))
    return not named or not line.get("mode") or line["mode"] in named


def energy(_chosen, runs, own):
    """Energy of the GPU for an iteration, with what it takes while idle and without: of the kind of GPU with the newest energies at most four cases, the smallest and the largest of each family of solvers;
    of each candidate the newest, of each panel at most four, those of least energy, so that the picture fits on a printed page."""
    lines = [line for run in runs for line in run if line["what"] == "ksp_iteration" and line["verified"] and line.get("gpu_joules") and as_named(line)]
    if not lines:
        return None
    last = compare.machine(max(lines, key=lambda line: line["date"]))
    cases = collections.defaultdict(dict)
    for line in lines:
        if compare.machine(line) == last:
            members = cases[compare.family(line["ksp"]), line["rows"], line["problem"], line["pc"]]
            if energy_name(line) not in members or line["date"] > members[energy_name(line)]["date"]:
                members[energy_name(line)] = line
    shown = []
    for solvers in sorted({key[0] for key in cases}, reverse=True)[:2]:
        keys = sorted(key for key in cases if key[0] == solvers and len(cases[key]) > 1)
        shown += keys[:1] + keys[1:][-1:]
    panels, used = [], []
    for key in shown:
        kept = sorted(cases[key].values(), key=lambda line: line["gpu_joules"])[:4]
        kept += [min((line for line in cases[key].values() if not compare.is_own(line, own)), key=lambda line: line["gpu_joules"], default=kept[0])]
        kept = [line for k, line in enumerate(kept) if line not in kept[:k]]
        panels.append([label(kept[0]), [[energy_name(line), short(1e3 * line["gpu_joules"]), short(1e3 * line["gpu_net_joules"]), compare.is_own(line, own)] for line in kept]])
        used += kept
    return figure(used, panels=panels) if panels else None


KERNELS = 18  # as many as fit on a printed page
CACHE = 50e6  # bytes: a kernel that moves less may find them in the second-level cache


def kernel_name(line):
    """The first of a kernel's passes without its sums, and the format that it reads."""
    name = re.sub(r"\s+", " ", line["pass"].split(" | ")[0].split(", sums")[0]).strip(", ")
    form = next((form for form in ("bdiagh", "sellp") if form in line["kernel"].lower()), None)
    return name + (f", {form}" if form else "")


def kernels(lines, built):
    """What each kernel of an iteration moves per second, and its occupancy: of the model of GPU with most of them; of each pass the one with most bytes, of these the ones that took most time in their
    runs. built: the commits of folders."""
    found = [line for line in lines if line["what"] == "kernel" and line["bytes"] and line["bytes"] > CACHE and line.get("gbs") and line["pass"] and "in one kernel" not in line["pass"] and line.get("scalar_bytes") == 8]
    counts = collections.Counter(line["gpu"] for line in found)
    gpu = max(sorted(counts), key=counts.get, default=None)
    passes = {}
    for line in (line for line in found if line["gpu"] == gpu):
        key = kernel_name(line)
        if key not in passes or (line["bytes"], line["date"]) > (passes[key]["bytes"], passes[key]["date"]):
            passes[key] = line
    if not passes:
        return None
    passes = dict(sorted(passes.items(), key=lambda item: (-item[1]["us_total"], item[0]))[:KERNELS])
    used = list(passes.values())
    folders = {line["file"].split("/")[2] for line in used}
    machine = sorted({f"One {line['gpu']}, driver {line['driver']}, CUDA {line['cuda']}, PETSc {line['petsc']}" for line in used})
    rows = sorted(([name, short(line["gbs"]), short(line["occupancy"]), short(1e-6 * line["bytes"])] for name, line in passes.items()), key=lambda row: (-row[1], row[0]))
    return {"rows": rows, "copy": short(compare.geometric_mean(line["copy_gbs"] for line in used)), "machine": machine, "files": sources.files(used),
            "commits": sorted(entry["commit"] for entry in built if entry["folder"] in folders)}


FIGURES = (("speedup", speedup), ("iteration", iteration), ("products", products), ("roofline", roofline), ("blocks", blocks), ("solution", solution), ("scaling", scaling), ("energy", energy))
NAMES = tuple(name for name, _ in FIGURES) + ("kernels",)


def numbers(chosen, runs, own, metrics=(), built=()):
    """The numbers of every picture for which there are results."""
    found = [(name, function(chosen, runs, own)) for name, function in FIGURES] + [("kernels", kernels(metrics, built))]
    return {name: shown for name, shown in found if shown}
