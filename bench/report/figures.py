"""What each picture shows, as plain numbers: bench/plot.py draws them and stores them in the files, the tests compare them. Three digits are kept."""
import collections
import glob
import os
import re

from . import compare, sources

PROBLEMS = {"gh": "structured grid", "gh-spd": "structured grid", "gh-flow": "structured grid", "active": "grid, active cells only", "laplace5": "5-point stencil", "laplace7": "7-point stencil",
            "laplace27": "27-point stencil", "powerlaw": "power-law graph", "norne": "Norne field", "spe": "SPE10 permeability", "iso128": "isotropic random field", "thin": "thin layers",
            "threephase": "three-phase flow", "elasticity": "elasticity", "banded": "banded", "random": "random pattern"}
CUBE = re.compile(r"(\d+)x\1x\1:1")
LARGE = 200000  # rows of a product in the roofline


ORDER = ("gh", "norne", "active", "laplace5", "laplace7", "laplace27", "elasticity", "banded", "random", "powerlaw")


def short(value):
    return float(f"{value:.3g}")


def size(rows):
    return f"{rows / 1e6:.2g}M" if rows >= 1e6 else f"{rows / 1e6:.2f}M" if rows >= 1e5 else f"{rows / 1e3:.3g}k"


def label(line):
    """A matrix in words: problem, unknowns per cell, rows."""
    block = f", {line['block']} unknowns per cell" if line["block"] > 1 else ""
    return f"{PROBLEMS.get(line['problem'], line['problem'])}{block}, {size(line['rows'])} rows"


def of_one_gpu(chosen):
    """Comparisons on the kind of GPU that has most of them."""
    counts = collections.Counter(c.machine for c in chosen if c.line["gpus"] and c.line.get("device") != "host")
    most = max(counts, key=lambda machine: (counts[machine], machine), default=None)
    return [c for c in chosen if c.machine == most]


def figure(used, **shown):
    """A picture's numbers with what they come from."""
    return dict(shown, machine=sources.environment(used), commits=sources.commits(used), files=sources.files(used))


SHOWN = ("fusedcg", "fusedbcgs")  # the solvers of the first pictures


def speedup(chosen, _runs, _own):
    """How many times as fast as the fastest of PETSc's solvers, over the rows: bdiagh, Jacobi, one unknown per cell."""
    used = of_one_gpu([c for c in chosen if c.line["what"] == "ksp_iteration" and c.line["ksp"] in SHOWN and not c.variant and c.line["mat"] == "bdiagh" and c.line["pc"] == "jacobi" and CUBE.fullmatch(c.line["case"])])
    lines = collections.defaultdict(list)
    for c in used:
        lines[c.line["ksp"]].append([c.line["rows"], short(c.speedup)])
    return figure([line for c in used for line in (c.line, c.best)], lines={key: sorted(points) for key, points in sorted(lines.items())}) if lines else None


def iteration(chosen, _runs, _own):
    """Time per iteration, that of PETSc's fastest solver, and the time to move the declared bytes at the copy bandwidth."""
    chosen = of_one_gpu([c for c in chosen if c.line["what"] == "ksp_iteration" and c.line["ksp"] in SHOWN and not c.variant and c.line["mat"] == "bdiagh"
                         and c.line["pc"] == "jacobi" and CUBE.fullmatch(c.line["case"]) and compare.limit_us(c.line)])
    panels = collections.defaultdict(list)
    for c in chosen:
        panels[c.line["ksp"]].append([c.line["rows"], short(c.line["us_median"]), short(compare.limit_us(c.line)), short(c.best["us_median"])])
    return figure([line for c in chosen for line in (c.line, c.best)], panels={key: sorted(points) for key, points in sorted(panels.items())}) if panels else None


def _products(chosen):
    return of_one_gpu([c for c in chosen if c.line["what"] == "matmult" and c.line["bytes"] and c.line["copy_gbs"]])


def products(chosen, _runs, own):
    """Products against PETSc's aijcusparse: of each problem and each of its smallest block sizes the largest matrix."""
    kinds = collections.defaultdict(list)
    for c in _products(chosen):
        if c.line["mat"] in own and c.default:
            kinds[(c.line["problem"], c.line["block"])].append(c)
    order = lambda item: (ORDER.index(item[0][0]) if item[0][0] in ORDER else len(ORDER), item[0])
    blocks, rows, used = collections.Counter(), [], []
    for (problem, block), members in sorted(kinds.items(), key=lambda item: (item[0][0], item[0][1])):
        blocks[problem] += 1
        if blocks[problem] > PER_PROBLEM or block > LARGEST_BLOCK:
            continue
        most = max(c.line["rows"] for c in members)
        newest = {c.line["mat"]: c for c in sorted(members, key=lambda c: c.line["date"]) if c.line["rows"] == most}
        rows.append(((problem, block), [label(members[0].line | {"rows": most}), {mat: short(c.default["us_median"] / c.line["us_median"]) for mat, c in newest.items()}]))
        used += [line for c in newest.values() for line in (c.line, c.default)]
    return figure(used, rows=[row for _, row in sorted(rows, key=order)]) if rows else None


PER_PROBLEM, LARGEST_BLOCK = 3, 8
FORMATS = {"aijcusparse": "PETSc aijcusparse", "sellp": "sellp", "bdiagh": "bdiagh"}
ROOFLINE = (("gh", 1), ("gh", 3), ("norne", 3), ("active", 3), ("elasticity", 3), ("laplace27", 1), ("random", 1), ("powerlaw", 1))  # problem, unknowns per cell
CURVES = 4  # of three formats each


def roofline(chosen, _runs, _own):
    """Operations per second of products over operations per byte: of at most four problems the largest matrix, in three formats."""
    curves, used = [], []
    for problem, block in ROOFLINE:
        points = {}
        members = [line for c in _products(chosen) for line in [c.line] + c.others if (line["problem"], line["block"]) == (problem, block) and line["mat"] in FORMATS and line["bytes"] and line["rows"] >= LARGE]
        most = max((line["rows"] for line in members), default=0)
        for line in sorted((line for line in members if line["rows"] == most), key=lambda line: line["date"]):
            points[line["mat"]] = line
        if len(points) > 1 and len(curves) < CURVES:
            curves.append([label(next(iter(points.values()))), {FORMATS[mat]: [short(compare.intensity(line)), short(compare.gflops(line))] for mat, line in sorted(points.items())}])
            used += points.values()
    return figure(used, curves=curves, copy=short(compare.geometric_mean([line["copy_gbs"] for line in used]))) if curves else None


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


PCS = {"gamg": "GAMG", "gridmg": "gridmg", "pbjacobi": "point-block Jacobi", "jacobi": "Jacobi"}
HYPRE = {"pfmg": "PFMG", "amg": "BoomerAMG"}


def candidate(line, own):
    """A candidate with its library: "heptane fusedcg + gridmg", "PETSc cg + GAMG"."""
    solver = re.sub(r"\+[a-z_]+(=[^+]*)?", "", line["ksp"])
    return f"{'heptane' if compare.is_own(line, own) else 'PETSc'} {solver} + {PCS.get(line['pc'], line['pc'])}"


def of_hypre(root, problem):
    """The fastest setting of each preconditioner of hypre that the pages of measurements beside the results have for a problem: [name, ms, iterations], and their files."""
    found, files = {}, set()
    for path in sorted(glob.glob(os.path.join(glob.escape(root), "bench/results/*/peers.txt"))):
        with open(path, encoding="utf-8") as f:
            for name, kind, total, iterations in re.findall(r"^(\w+)\s+hypre (pfmg|amg)\S* .*total\s+([\d.]+) ms\s+it\s+(\d+)\s+res \d", f.read(), re.M):
                if name == problem and (kind not in found or float(total) < found[kind][1]):
                    found[kind] = [f"hypre PCG + {HYPRE[kind]}", short(float(total)), int(iterations)]
                    files.add(os.path.relpath(path, root))
    return list(found.values()), sorted(files)


def solution(_chosen, runs, own, root=""):
    """Time to solution: of at most five problems that heptane and another library have solved the largest case, to the smallest tolerance, each candidate's newest time; of each library and preconditioner the fastest
    candidate. Of one model of GPU, that with the most times."""
    newest = collections.defaultdict(dict)
    timed = [line for run in runs for line in run if line["what"] == "time_to_solution" and line["verified"] and line["gpus"] == 1]
    gpu = max(sorted(counts := collections.Counter(line["gpu"] for line in timed)), key=lambda name: counts[name], default=None)
    for line in (line for line in timed if line["gpu"] == gpu):
        members = newest[line["problem"], line["rows"], line["rtol"]]
        key = (line["ksp"], line["mat"], line["pc"])
        if key not in members or line["date"] > members[key]["date"]:
            members[key] = line
    cases = {}
    for (problem, rows, rtol), members in sorted(newest.items()):
        lines = list(members.values())
        rank = (rows, -rtol)
        if {compare.is_own(line, own) for line in lines} == {True, False} and rank >= cases.get(problem, [(0, 0)])[0]:
            cases[problem] = (rank, lines)
    panels, used, files = [], [], []
    for problem in sorted(sorted(cases, key=lambda key: (-cases[key][0][0], key))[:5]):
        kept = {}
        for line in sorted(cases[problem][1], key=lambda line: line["us_median"]):
            kept.setdefault((compare.is_own(line, own), line["pc"]), line)
        peers, more = of_hypre(root, problem)
        members = [[candidate(line, own), short(line["us_median"] / 1e3), line["iterations"], compare.is_own(line, own)] for line in kept.values()] + [peer + [False] for peer in peers]
        first = next(iter(kept.values()))
        panels.append([f"{label(first)}, to {first['rtol']:.0e}", sorted(members, key=lambda member: member[1])])
        used += kept.values()
        files += more
    return dict(shown := figure(used, panels=panels), files=sorted({*shown["files"], *files})) if panels else None


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


METHODS = {"cg": "CG", "bcgs": "BiCGStab", "bicg": "BiCG", "chebyshev": "Chebyshev"}
MODES = {"twin", "kernels", "graph", "persistent"}


def as_named(line):
    """Whether a fused solver ran in the mode that the candidate names: `persistent` takes another one where the system is too large."""
    named = MODES.intersection(line["ksp"].split("+"))
    return not named or not line.get("mode") or line["mode"] in named


def energy(_chosen, runs, own):
    """Energy of the GPU for an iteration: of the kind of GPU with the newest energies at most four cases, the smallest and the largest of each family of solvers; the best of heptane and the best of PETSc."""
    lines = [line for run in runs for line in run if line["what"] == "ksp_iteration" and line["verified"] and line.get("gpu_joules") and as_named(line)]
    if not lines:
        return None
    last = compare.machine(max(lines, key=lambda line: line["date"]))
    cases = collections.defaultdict(dict)
    for line in lines:
        if compare.machine(line) == last:
            members = cases[compare.family(line["ksp"]), line["rows"], line["problem"], line["pc"]]
            key = (line["ksp"], line["mat"])
            if key not in members or line["date"] > members[key]["date"]:
                members[key] = line
    rows, used = [], []
    for solvers in sorted({key[0] for key in cases}, reverse=True)[:2]:
        keys = sorted(key for key in cases if key[0] == solvers and {compare.is_own(line, own) for line in cases[key].values()} == {True, False})
        for key in keys[:1] + keys[1:][-1:]:
            best = [min((line for line in cases[key].values() if compare.is_own(line, own) == mine), key=lambda line: line["gpu_joules"]) for mine in (True, False)]
            rows.append([f"{METHODS.get(solvers[0], solvers[0])}, {size(key[1])} rows"] + [short(1e3 * line["gpu_joules"]) for line in best])
            used += best
    return figure(used, rows=rows) if rows else None


KERNELS = 10
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


def numbers(chosen, runs, own, metrics=(), built=(), root=""):
    """The numbers of every picture for which there are results."""
    found = [(name, function(chosen, runs, own, root) if function is solution else function(chosen, runs, own)) for name, function in FIGURES] + [("kernels", kernels(metrics, built))]
    return {name: shown for name, shown in found if shown}
