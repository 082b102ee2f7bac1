"""Up to how many GPUs CG scales, and what limits it, from replays (cg.py) with the kernels and points of bench/scaling.tsv."""
import csv
import functools
import math
import os
import re

from . import cg
from .results import Refused, read_file

TABLE = "bench/scaling.tsv"
COLUMNS = ["way", "rows", "halo", "gpus", "nodes", "us", "file", "case", "reason"]
MOST = 4096
LOW, HALF = 0.02, 0.5  # parallel efficiencies: of the last case replayed, and that counts as scaling
# rows of all GPUs, and of each
STRONG = [2**k for k in range(20, 31, 2)]
WEAK = [2**18, 2**20, 2**22, 2**24]
# ways of the picture
WAYS = {"nccl": "NCCL, two sums", "nccl, one sum": "NCCL, one sum", "nccl, none exposed": "NCCL, none exposed", "mpi": "MPI, two sums", "petsc": "PETSc's cg"}
# the candidates and modes that a way stands for in lines of results
LINES = {"persistent": (r"fusedcg(\+persistent)?", "persistent"), "one-sum": (r"fusedcg\+(ksp_cg_single_reduction=true|single_reduction)", "persistent"),
         "graph": (r"fusedcg(\+graph|\+ksp_fused_mode=graph)?(\+ksp_fused_wait=polling)?", "graph|kernels"), "nccl": (r"fusedcg", "graph"), "mpi": (r"fusedcg", "kernels"), "petsc": (r"cg", "")}


def points(root):
    """The lines of the table, numbers as numbers."""
    with open(os.path.join(root, TABLE), encoding="utf-8") as f:
        reader = csv.DictReader(f, delimiter="\t")
        if reader.fieldnames != COLUMNS:
            raise Refused(f"{TABLE}: the columns must be {', '.join(COLUMNS)}")
        lines = list(reader)
    try:
        return [dict(line, **{key: int(line[key]) for key in ("rows", "halo", "gpus", "nodes")}, us=float(line["us"])) for line in lines]
    except (TypeError, ValueError) as fault:
        raise Refused(f"{TABLE}: a value that is no number: {fault}") from fault


@functools.lru_cache(maxsize=None)
def lines(root, path):
    return read_file(root, path)


def source(root, point):
    """The lines of results that a point is the mean of; none if its file is a page."""
    if not point["file"].endswith(".jsonl"):
        return []
    ksp, mode = LINES[point["way"].removesuffix(", loopback")]
    mat = "aijcusparse" if point["way"] == "petsc" else "bdiagh"
    return [line for line in lines(root, "bench/results/" + point["file"]) if all(line.get(key) == value for key, value in (("what", "ksp_iteration"), ("case", point["case"]), ("gpus", point["gpus"]), ("pc", "jacobi"), ("mat", mat)))
            and re.fullmatch(ksp, line["ksp"]) and re.fullmatch(mode, line.get("mode") or "")]


def compare(root, point):
    """Refuses a point that is not the mean of its lines."""
    found = source(root, point)
    mean = sum(line["us_median"] for line in found) / max(len(found), 1)
    if point["file"].endswith(".jsonl") and (not found or abs(point["us"] / mean - 1) > 0.005):
        raise Refused(f"{TABLE}: {point['way']}, {point['rows']} rows, {point['gpus']} GPUs: {point['file']} has {f'{mean:.4g}' if found else 'no such line'}: correct the table")


def kernels(table):
    ways = {}
    for point in table:
        if point["gpus"] == 1:
            ways.setdefault(point["way"], []).append((point["rows"], point["us"]))
    return cg.Kernels(ways)


def cut(rows, gpus):
    """Values to a neighbour, and neighbours, of a cube of all rows: slabs inside a node, as measured; on more GPUs the slabs, bars or boxes that send least."""
    side = rows ** (1 / 3)
    slabs = (side**2, 1 if gpus == 2 else 2)
    if gpus <= cg.NODE:
        return slabs
    found = [(side**2 / gpus**0.5, 4), ((rows / gpus) ** (2 / 3), 6)] + ([slabs] if gpus <= side else [])
    return min(found, key=lambda shape: shape[0] * shape[1])


def best(way, rows, gpus, network, kernel):
    """The fastest replay of a way of the picture: inside a node kernels that store into each other's memory, the way itself between nodes. rows: of all GPUs."""
    host = way in ("mpi", "petsc")
    halo, neighbours = cut(rows, gpus) if gpus > 1 else (0, 0)
    if gpus > cg.NODE:
        # of the GPUs of a node half of the neighbours are in the node
        return cg.iteration(way, cg.Case(rows / gpus, gpus, halo, neighbours if host else neighbours // 2, math.ceil(gpus / cg.NODE), network), kernel)
    ways = [way] if way == "petsc" or host and gpus > 1 else ["persistent", "graph"] + (["one-sum"] if way == "nccl, one sum" else [])
    found = [cg.iteration(each, cg.Case(rows / gpus, gpus, halo, neighbours), kernel) for each in ways]
    return min((each for each in found if each), key=lambda each: each[0])


def limit(parts):
    """What takes most of an iteration beside memory."""
    return max((kind for kind in parts if kind != "memory"), key=lambda kind: parts[kind])


def efficiencies(way, network, kernel, rows_of):
    """(GPUs, efficiency, parts) for 1, 2, 4, ... GPUs, which end where the efficiency between nodes is low. rows_of(GPUs): all rows."""
    found, gpus, alone = [], 1, best(way, rows_of(1), 1, None, kernel)[0] / rows_of(1)
    while gpus <= MOST and (gpus <= 2 * cg.NODE or found[-1][1] > LOW):
        us, parts = best(way, rows_of(gpus), gpus, network, kernel)
        found.append((gpus, alone * rows_of(gpus) / gpus / us, parts))
        gpus *= 2
    return found


def reach(found):
    """The number of GPUs at which the efficiency falls below a half for good, on a line between powers of two, and what limits it there."""
    last = max(k for k, (_, efficiency, _) in enumerate(found) if efficiency >= HALF)
    if last + 1 == len(found):
        return found[last][0], "none"
    (gpus, high, _), (_, low, parts) = found[last:last + 2]
    return gpus * 2 ** ((high - HALF) / (high - low)), limit(parts)


def numbers(root):
    """What the picture shows."""
    table = points(root)
    kernel = kernels(table)
    used = [line for point in table if point["gpus"] == 1 for line in source(root, point)]
    strong = [[way, network, [[rows, *(lambda r: (round(r[0], 1), r[1]))(reach(efficiencies(way, given, kernel, lambda gpus, rows=rows: rows)))] for rows in STRONG]]
              for way in WAYS for network, given in cg.NETWORKS.items()]
    weak = [[rows, network, [[gpus, round(efficiency, 3)] for gpus, efficiency, _ in efficiencies("nccl", given, kernel, lambda gpus, rows=rows: rows * gpus)]] for rows in WEAK for network, given in cg.NETWORKS.items()]
    return {"strong": strong, "weak": weak, "names": WAYS, "machine": ["Kernels as measured on one H200 (bench/scaling.tsv), nodes of eight with NVLink, the rest by replay (bench/scaling.py)"],
            "commits": sorted({line["commit"] for line in used}), "files": []}
