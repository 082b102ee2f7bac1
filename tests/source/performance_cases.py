#!/usr/bin/env python3
"""Formulas and rules of bench/report on made-up lines; prints ok NAME and not ok NAME. --sample FILE writes lines for pictures that no committed results have yet;
--same A.svg B.svg compares pictures: the same text, and coordinates to a twentieth of a point, because processors round differently. --used FOLDER names a line that is shown."""
import json
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "bench"))
import performance  # noqa: E402
from report import compare, figures, page, pictures, printed, results, sources  # noqa: E402

OWN = compare.own_types(ROOT)
failures = 0


def same(name, found, wanted):
    """Equal; numbers to rounding."""
    global failures
    good = abs(found - wanted) <= 1e-12 * abs(wanted) if isinstance(wanted, float) else found == wanted
    print(f"ok {name}" if good else f"not ok {name}\n#   found {found!r}\n#   wanted {wanted!r}")
    failures += not good


def line(**given):
    """A line of a product of bdiagh on a GPU, but for what is given; time sets median, least and most."""
    us = given.pop("time", 10.0)
    whole = {"suite": "spmv", "problem": "gh", "case": "8x8x8:1", "rows": 512, "block": 1, "nnz": 3136, "what": "matmult", "mat": "bdiagh", "device": "cuda", "us_median": us, "us_min": us, "us_max": us, "samples": 3,
             "bytes": 4.0e7, "gbs": 4000.0, "copy_gbs": 4000.0, "verified": True, "ranks": 1, "gpus": 1, "gpu": "GPU", "driver": "1", "cuda": "13.0", "cpu": "CPU", "petsc": "3.26.1", "mpi": "MPICH Version: 5",
             "scalar_bytes": 8, "index_bytes": 4, "commit": "abc", "date": "2026-01-01T00:00:00Z", "file": "bench/results/a/f.jsonl", "number": 1}
    return dict(whole, **given)


def solver(ksp, mat, **given):
    return line(**dict({"suite": "ksp", "what": "ksp_iteration", "ksp": ksp, "mat": mat, "pc": "jacobi"}, **given))


def solution(ksp, mat, pc, us, setup, iterations, **given):
    return line(**dict({"suite": "newton", "problem": "sample", "what": "time_to_solution", "ksp": ksp, "mat": mat, "pc": pc, "time": us, "setup_us": setup, "iterations": iterations, "rtol": 1e-8}, **given))


def energies():
    """Iterations with their energy: two sizes, peers, modes and waits; one without a counter."""
    lines = []
    for n, scale in ((64, 1.0), (100, 4.0)):
        for ksp, mat, joules, net in (("cg", "aijcusparse", 0.01, 0.006), ("fusedcg+graph+ksp_fused_wait=polling", "bdiagh", 0.004, 0.003), ("fusedcg+graph+ksp_fused_wait=blocking", "bdiagh", 0.003, 0.002), ("fusedcg+kernels", "bdiagh", None, None)):
            lines.append(solver(ksp, mat, problem="sample", case=f"{n}x{n}x{n}:1", rows=n**3, gpu_joules=joules and scale * joules, gpu_net_joules=net and scale * net, copy_gbs=4010.0))
    return lines


def sample():
    """Times to solution, and an iteration on 1, 2 and 4 GPUs."""
    lines = [solution("fusedcg", "bdiagh", "jacobi", 900.0, 100.0, 9), solution("cg", "aijcusparse", "gamg", 4000.0, 2500.0, 12), solution("cg", "aijcusparse", "jacobi", 3000.0, 10.0, 40),
             solution("fusedcg", "bdiagh", "gamg", 1500.0, 800.0, 12), solution("fusedbcgs", "bdiagh", "pbjacobi", 2000.0, 90.0, 11), solution("fusedbicg", "bdiagh", "jacobi", 2500.0, 90.0, 13)]
    for gpus, us in ((1, 100.0), (2, 60.0), (4, 40.0)):
        lines.append(solver("fusedcg", "bdiagh", problem="sample", gpus=gpus, ranks=gpus, time=us, copy_gbs=4000.0 + gpus))
        lines.append(solver("fusedcg", "bdiagh", problem="sample", case="16x16x16:1", rows=4096, gpus=gpus, ranks=gpus, time=us * us, copy_gbs=4000.0 + gpus))
    return lines


def more_solvers():
    """A third solver beside those of the committed results, so that the picture of speed-ups has more than four lines; four problems."""
    pair = lambda n, mat, us: [solver("fusedbicg", mat, time=us, case=f"{n}x{n}x{n}:1", rows=n**3, gpu="NVIDIA H200"), solver("bicg", mat if mat != "bdiagh" else "sellcuda", time=50.0, case=f"{n}x{n}x{n}:1", rows=n**3, gpu="NVIDIA H200")]
    lines = [one for n in (20, 100) for mat, us in (("bdiagh", 5.0), ("aijcusparse", 9.0)) for one in pair(n, mat, us)]
    return lines + [solution(ksp, "aijcusparse", "jacobi", 50.0, 5.0, 20, problem=problem) for problem in ("one", "two", "three") for ksp in ("fusedcg", "cg")]


def chosen(*lines):
    return compare.newest(compare.compare(results.runs(list(lines)), OWN))


def formulas():
    same("the limit by bandwidth: 40 MB at 4000 GB/s take 10 us", compare.limit_us(line()), 10.0)
    same("no limit without bytes", compare.limit_us(line(bytes=None)), None)
    same("a geometric mean", compare.geometric_mean([1.0, 2.0, 4.0]), 2.0)
    same("operations per byte: 2 nonzeros", compare.intensity(line(nnz=10, bytes=40.0)), 0.5)
    same("a million nonzeros in 10 us are 200 Gflop/s", compare.gflops(line(nnz=1000000)), 200.0)
    c = chosen(line(time=5.0), line(mat="aijcusparse", time=20.0), line(mat="cusparse-sell", time=8.0))[0]
    same("times as fast as the fastest peer", c.speedup, 1.6)
    same("times as fast as PETSc's default", c.over_default, 4.0)
    same("three digits are kept", [figures.short(value) for value in (1234.5, 0.0123456)], [1230.0, 0.0123])


def who():
    same("heptane's types are those of its header", {"bdiagh", "sellp", "fusedcg", "fusedbcgs", "fusedchebyshev", "blockjacobireg"} <= OWN, True)
    same("a fused solver on PETSc's matrix is heptane's", compare.is_own(solver("fusedcg+graph", "aijcusparse"), OWN), True)
    same("a variant of a preconditioner is of its type", compare.is_own(solver("cg", "aijcusparse", pc="blockjacobireg+lu"), OWN), True)
    same("PETSc's solver with a variant is not", compare.is_own(solver("cg+single_reduction", "aijcusparse"), OWN), False)
    run = [solver("fusedcg", "bdiagh"), solver("pipecg", "sellcuda"), solver("cg+single_reduction", "aijcusparse"), solver("bcgs", "aijcusparse"), solver("cg", "aijcusparse", pc="none"), solver("cg", "bdiagh"),
           solver("groppcg", "aijcusparse", verified=False)]
    same("peers of a solver: its family, its preconditioner, without heptane, verified", [compare.name(peer) for peer in compare.peers(run[0], run, OWN)], ["pipecg sellcuda", "cg+single_reduction aijcusparse"])
    run = [line(what="pc_setup", mat=mat, pc=pc) for mat, pc in (("bdiagh", "pbjacobi"), ("cublas-getri", ""), ("cublas-getrf", ""), ("aijcusparse", "pbjacobi"), ("aijcusparse", "jacobi"))]
    same("peers of inverses: inverses", [peer["mat"] for peer in compare.peers(run[0], run, OWN)], ["cublas-getri", "aijcusparse"])
    run = [line(suite="update", what="update", mat=mat, order=order, insert="add") for mat in ("bdiagh", "aijcusparse") for order in ("csr", "block")]
    same("peers of new values: in the same order", [peer["order"] for peer in compare.peers(run[0], run, OWN)], ["csr"])
    run = [solution("fusedcg", "bdiagh", "jacobi", 1.0, 0.5, 9), solution("cg", "aijcusparse", "gamg", 2.0, 1.0, 5), solution("cg", "aijcusparse", "gamg", 1.5, 1.0, 4, rtol=1e-3)]
    same("peers of a time to solution: any preconditioner, the same tolerance", [peer["us_median"] for peer in compare.peers(run[0], run, OWN)], [2.0])
    same("a part of a Newton step is not compared by itself", chosen(line(suite="newton", what="pc_setup", pc="jacobi"), line(suite="newton", what="pc_setup", pc="jacobi", mat="aijcusparse")), [])


def which_run():
    pair = lambda ours, peer, **given: [solver("fusedcg", "bdiagh", time=ours, **given), solver("cg", "aijcusparse", time=peer, **given)]
    later = {"date": "2026-01-02T00:00:00Z", "file": "bench/results/b/f.jsonl"}
    same("the newest run counts", [c.speedup for c in chosen(*pair(10.0, 20.0), *pair(10.0, 40.0, **later))], [4.0])
    same("whatever the order of files", [c.speedup for c in chosen(*pair(10.0, 40.0, **later), *pair(10.0, 20.0))], [4.0])
    same("not if it lacks the peer that was the fastest", [c.speedup for c in chosen(*pair(10.0, 40.0), solver("pipecg", "aijcusparse", time=20.0), *pair(10.0, 40.0, **later))], [2.0])
    same("ratios never mix runs", [c.speedup for c in chosen(solver("fusedcg", "bdiagh", time=1.0), solver("cg", "aijcusparse", time=9.0, **later))], [])
    same("nor processes, which measure their own copy bandwidth", chosen(solver("fusedcg", "bdiagh"), solver("cg", "aijcusparse", copy_gbs=4001.0)), [])
    same("nor commits", chosen(solver("fusedcg", "bdiagh"), solver("cg", "aijcusparse", commit="def")), [])
    same("a candidate that comes again begins a run", [len(run) for run in results.runs(pair(1.0, 2.0) + pair(1.0, 2.0))], [2, 2])
    same("a host's line in between does not", [len(run) for run in results.runs([line(), line(mat="sellp", device="host", copy_gbs=20.0), line(mat="aijcusparse")])], [3])
    same("machines are kept apart", sorted(c.speedup for c in chosen(*pair(10.0, 20.0), *pair(10.0, 40.0, **dict(later, gpu="other")))), [2.0, 4.0])
    same("numbers of GPUs too", sorted(c.machine for c in chosen(*pair(10.0, 20.0), *pair(10.0, 40.0, gpus=2, ranks=2))), ["2 x GPU", "GPU"])
    variant = [solver("fusedcg+fold", "bdiagh", time=5.0), solver("cg", "aijcusparse")]
    same("a variant counts where no run timed the default", [c.line["ksp"] for c in chosen(*variant)], ["fusedcg+fold"])
    same("and not beside the default", [c.line["ksp"] for c in chosen(*variant, *pair(10.0, 20.0, **later))], ["fusedcg"])


def losing():
    texts = {"reasons": [{"mat": "bdiagh", "what": "mat.*", "machine": "GPU", "reason": "Because."}], "omitted": []}
    rows = lambda *lines: [text for text in page.losses(chosen(*lines), texts).split("\n") if text.startswith("| product")]
    same("a case that takes longer is listed, with its reason", rows(line(time=10.01), line(mat="aijcusparse")), ["| product | gh 8x8x8:1 | bdiagh | aijcusparse | 10.01 | 10 | 1.001 | Because. |"])
    same("an equal one is not", rows(line(time=10.0), line(mat="aijcusparse")), [])
    same("the fastest peer decides, not PETSc's default", len(rows(line(time=10.0), line(mat="aijcusparse", time=20.0), line(mat="cusparse-sell", time=9.0))), 1)
    same("without a reason", rows(line(mat="sellp", time=11.0), line(mat="aijcusparse"))[0].split("|")[-2], " Not explained. ")
    overlapping = page.losses(chosen(line(time=11.0, us_min=9.0), line(mat="aijcusparse")), texts)
    same("overlapping samples are listed as such", ["samples overlap: 1" in overlapping, "slower: 1" in overlapping], [True, False])


def drawn():
    runs = results.runs(sample())
    solved = figures.solution([], runs, OWN)["panels"]
    same("time to solution: of each library and preconditioner the fastest", solved, [["sample, 0.512k rows, to 1e-08", [["heptane fusedcg + Jacobi", 0.9, 9, True], ["heptane fusedcg + GAMG", 1.5, 12, True], ["heptane fusedbcgs + point-block Jacobi", 2.0, 11, True],
                                                                                                                     ["PETSc cg + Jacobi", 3.0, 40, False], ["PETSc cg + GAMG", 4.0, 12, False]]]])
    looser = [dict(one, rtol=1e-3, us_median=1.0) for one in sample() if one["what"] == "time_to_solution"]
    same("of several tolerances the smallest", [figures.solution([], results.runs(lines), OWN)["panels"] for lines in (looser + sample(), sample() + looser)], [solved, solved])
    same("options are no part of a name", figures.candidate(solution("cg+ksp_norm_type=unpreconditioned", "aijcusparse", "gamg", 1.0, 0.1, 1), OWN), "PETSc cg + GAMG")
    same("hypre's fastest settings, with their page", figures.of_hypre(ROOT, "spe"), ([["hypre PCG + PFMG", 50.4, 20], ["hypre PCG + BoomerAMG", 43.1, 15]], ["bench/results/2026-11-27-h200x4-evidence/peers.txt"]))
    same("scaling over GPUs", figures.scaling([], runs, OWN)["series"], [["sample, 0.512k rows", [[1, 1.0], [2, 1.67], [4, 2.5]]], ["sample, 4.1k rows", [[1, 1.0], [2, 2.78], [4, 6.25]]]])
    asked = [dict(one, ksp=one["ksp"] + "+persistent", mode="persistent") if one["gpus"] == 4 and one.get("ksp") else one for one in sample()]
    same("a persistent kernel by its name is the solver's", figures.scaling([], results.runs(asked), OWN)["series"], figures.scaling([], runs, OWN)["series"])
    same("but not where another mode ran", [len(series[1]) for series in figures.scaling([], results.runs([dict(one, mode="graph") for one in asked]), OWN)["series"]], [2, 2])
    same("no scaling from two folders", figures.scaling([], results.runs([dict(one, file=f"bench/results/{one['gpus']}/f.jsonl") for one in sample()]), OWN), None)
    same("no scaling from two commits", figures.scaling([], results.runs([dict(one, commit=str(one["gpus"])) for one in sample()]), OWN), None)
    lines = [solver("fusedcg", mat, time=us, case=f"{n}x{n}x{n}:1", rows=n**3, bytes=8e6, copy_gbs=4000.0) for n in (10, 20) for mat, us in (("bdiagh", 5.0), ("aijcusparse", 8.0), ("sellcuda", 9.0))]
    lines = [other for one in lines for other in (one, solver("cg", one["mat"], time=40.0, case=one["case"], rows=one["rows"]))]
    numbers = figures.numbers(compare.newest(compare.compare(results.runs(lines), OWN)), results.runs(lines), OWN)
    same("speed-ups over the rows", numbers["speedup"]["lines"], {"fusedcg": [[1000, 8.0], [8000, 8.0]]})
    same("time, limit and PETSc's fastest over the rows", numbers["iteration"]["panels"], {"fusedcg": [[1000, 5.0, 2.0, 40.0], [8000, 5.0, 2.0, 40.0]]})
    same("pictures without results are not drawn", sorted(numbers), ["iteration", "speedup"])
    same("every picture has a title and a caption", sorted(page.TITLES) == sorted(page.CAPTIONS) == sorted(figures.NAMES), True)


def joules():
    run = energies()
    rows = lambda lines: figures.energy([], results.runs(lines), OWN)["rows"]
    same("energy: the smallest and the largest case, the best of heptane and of PETSc", rows(run), [["CG, 0.26M rows", 3.0, 10.0], ["CG, 1M rows", 12.0, 40.0]])
    later = [dict(one, gpu_joules=0.5, date="2026-01-02T00:00:00Z", file="bench/results/b/f.jsonl") for one in run[:1]]
    same("energy: of a candidate the newest", rows(later + run)[0], ["CG, 0.26M rows", 3.0, 500.0])
    persistent = [dict(run[1], ksp="fusedcg+persistent", mode=mode, gpu_joules=1e-3) for mode in ("graph", "persistent")]
    same("energy: a mode that did not run does not count", [rows(run[:2] + [one])[0][1] for one in persistent], [4.0, 1.0])
    same("no energy without counters", figures.energy([], results.runs([line(), solver("fusedcg", "bdiagh", gpu_joules=None)]), OWN), None)


def passes():
    """Kernels as -heptane_metrics tells of them."""
    kernel = lambda name, us, **given: dict({"suite": "metrics", "what": "kernel", "kernel": "step_kernel<CgComplete>", "pass": name, "launches": 3, "us_total": 3 * us, "bytes": 1e8, "gbs": 1e5 / us, "copy_gbs": 4000.0, "occupancy": 0.5, "scalar_bytes": 8,
                                             "gpu": "GPU", "driver": "1", "cuda": "13.0", "petsc": "3.26.1", "date": "2026-01-01T00:00:00Z", "file": "bench/results/a/m.jsonl", "number": 1}, **given)
    product = {"kernel": "product_kernel<BdiaghUnitRows<1, 3>, false, 1>"}
    run = [kernel("solution: x += a p", 40.0), kernel("product: w = A p, sums (p, w)", 50.0, **product), kernel("product: w = A p, sums (p, w) | start", 25.0, bytes=2e8, gbs=3000.0, **product), kernel("small", 1.0, bytes=1e6),
           kernel("unknown", 1.0, bytes=None, gbs=None), kernel("iterations of fusedcg in one kernel", 1.0), kernel("half", 1.0, scalar_bytes=4)]
    shown = figures.kernels(run, [{"folder": "a", "commit": "abc"}, {"folder": "b", "commit": "def"}])
    same("kernels: of each pass the one with most bytes, the fastest first; what a cache may hold is left out", shown["rows"], [["product: w = A p, bdiagh", 3000.0, 0.5, 200.0], ["solution: x += a p", 2500.0, 0.5, 100.0]])
    same("kernels: where they come from", [shown["commits"], shown["files"], shown["copy"]], [["abc"], ["bench/results/a/m.jsonl"], 4000.0])
    same("no kernels without metrics", figures.kernels([], []), None)
    papers = [line(file=f"bench/results/a/{name}.jsonl", gpu=gpu, scalar_bytes=scalar) for name, gpu, scalar in (("thesis", "GPU", 8), ("thesis-scaling-2", "GPU", 8), ("thesis", "GPU", 4), ("spmv", "GPU", 8), ("thesis", "none", 8), ("thesis", "other", 8))]
    same("the papers' tables show files thesis*, in double precision, of one kind of GPU", printed.committed(papers), papers[:2])


def origins():
    command = sources.commands(ROOT, "bench/results/2026-11-21-h200/sellp-ksp.jsonl")
    same("a command that names its file by a shell variable", [len(command), all("$K" in text or "K=" in text for text in command)], [5, True])
    same("a command in a sentence", sources.commands(ROOT, "bench/results/2026-11-22-h200/sellp-gh.jsonl")[0].startswith("bench/spmv -samples 5"), True)
    same("a file whose name ends like another's", sources.commands(ROOT, "bench/results/2026-11-21-h200/ksp.jsonl"), ["bench/ksp -suite cg,bcgs,solve20 -sizes 16,32,64,100,160,256 -samples 3 -json ksp.jsonl     # ac4b2da; 143 s, one run"])
    same("machine and versions", sources.environment([line()]), ["One GPU, driver 1, CUDA 13.0, PETSc 3.26.1, MPICH 5, 1 process"])
    shown = pictures.stored(os.path.join(ROOT, "docs/figures/blocks.png"))
    same("SVG and PNG hold the same numbers", shown is not None and shown == pictures.stored(os.path.join(ROOT, "docs/figures/blocks.svg")), True)


def difference(paths):
    """What distinguishes two pictures; names of paths, which are hashes of coordinates, do not count."""
    number = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")
    texts = []
    for path in paths:
        with open(path, encoding="utf-8") as f:
            texts.append(re.sub(r'(?<=[#"])[mpCh][0-9a-f]{8,}(?:_\d+)?(_[0-9a-f]+)?', "name", f.read()))
    if number.sub("0", texts[0]) != number.sub("0", texts[1]):
        return "the pictures have other elements"
    far = [(a, b) for a, b in zip(number.findall(texts[0]), number.findall(texts[1])) if abs(float(a) - float(b)) > 0.05]
    return f"{len(far)} numbers differ, the first is {far[0][0]} and {far[0][1]}" if far else None


def used(root):
    """A line that the pictures speedup and iteration show, and where its command stands, as assignments of a shell."""
    _, _, _, comparisons, _ = performance.evaluate(root)
    shown = [c for c in figures.of_one_gpu([c for c in comparisons if c.line["what"] == "ksp_iteration" and c.line["mat"] == "bdiagh" and c.line["bytes"] and c.line["ksp"] == "fusedcg"])
             if figures.CUBE.fullmatch(c.line["case"]) and c.line["pc"] == "jacobi"]
    for c in shown:
        folder = os.path.join(root, os.path.dirname(c.line["file"]))
        commands = sources.commands(root, c.line["file"])
        for name in sorted(os.listdir(folder)) if commands else ():
            with open(os.path.join(folder, name), encoding="utf-8") as f:
                numbers = [number for number, text in enumerate(f, 1) if name.endswith(".md") and text.strip() == commands[-1]]
            if numbers:
                return f"used_file={c.line['file']} used_line={c.line['number']} command_file={os.path.dirname(c.line['file'])}/{name} command_line={numbers[0]}"
    return "false"


if sys.argv[1:2] == ["--used"]:
    print(used(sys.argv[2]))
    sys.exit(0)
if sys.argv[1:2] == ["--same"]:
    sys.exit(difference(sys.argv[2:4]))
if sys.argv[1:2] == ["--sample"]:
    with open(sys.argv[2], "w", encoding="utf-8") as f:
        f.writelines(json.dumps({key: value for key, value in one.items() if key not in ("file", "number")}) + "\n" for one in sample() + more_solvers() + energies())
        f.write(json.dumps({"suite": "metrics", "what": "kernel", "pass": "update", "launches": 3, "bytes": None, "gpu": "GPU", "driver": "1", "cuda": "13.0", "petsc": "3.26.1", "date": "2026-01-01T00:00:00Z"}) + "\n")
    sys.exit(0)
for part in (formulas, who, which_run, losing, drawn, joules, passes, origins):
    part()
sys.exit(failures != 0)
