"""Reads the JSON lines below bench/results and divides them into runs. Knows the schema, not what is compared."""
import glob
import json
import os
import re

NUMBER, TEXT = (int, float), (str,)
# the keys that every line has, see bench/README.md; None stands for null
SCHEMA = {
    "suite": TEXT, "problem": TEXT, "case": TEXT, "what": TEXT, "mat": TEXT,
    "rows": (int,), "block": (int,), "nnz": (int,), "ranks": (int,), "gpus": (int,), "samples": (int,),
    "us_median": NUMBER, "us_min": NUMBER, "us_max": NUMBER,
    "bytes": NUMBER + (type(None),), "gbs": NUMBER + (type(None),), "copy_gbs": NUMBER + (type(None),),
    "verified": (bool,), "gpu": TEXT, "driver": TEXT, "cuda": TEXT, "cpu": TEXT, "petsc": TEXT, "mpi": TEXT, "commit": TEXT, "date": TEXT,
}  # yapf: disable
SOLUTION = {"ksp": TEXT, "pc": TEXT, "setup_us": NUMBER, "iterations": (int,), "rtol": NUMBER}
ENERGY = ("gpu_joules", "gpu_net_joules")  # of ksp -energy; null where there is no counter
# lines of -heptane_metrics and bench/compare_bytes, see docs/guide/slow-solve.md: kept beside the results that they belong to, no times to compare
METRICS = {"what": TEXT, "pass": TEXT, "launches": (int,), "bytes": NUMBER + (type(None),), "gpu": TEXT, "driver": TEXT, "cuda": TEXT, "petsc": TEXT, "date": TEXT}
MACHINE = ("gpu", "driver", "cuda", "cpu", "petsc", "mpi", "ranks", "gpus", "scalar_bytes", "index_bytes", "commit")
REMEDY = "append lines by -json of a program of bench/ (keys: bench/README.md), or move the file out of bench/results"


class Refused(Exception):
    """A file that is not what the benchmarks write; the text names file, line and remedy."""


def refuse(path, number, what):
    raise Refused(f"{path}:{number}: {what}: {REMEDY}")


def _constant(text):
    raise ValueError(f"{text} is not JSON")


def is_metrics(line):
    return line.get("suite") == "metrics"


def check(line, path, number):
    """Refuses a line of another schema."""
    if not isinstance(line, dict):
        refuse(path, number, "not a JSON object")
    wanted = METRICS if is_metrics(line) else dict(SCHEMA, **(SOLUTION if line.get("what") == "time_to_solution" and line.get("verified") else {}),
                                                   **{key: NUMBER + (type(None),) for key in ENERGY if key in line})
    for key, kinds in wanted.items():
        if key not in line:
            refuse(path, number, f"the key {key} is missing")
        if not isinstance(line[key], kinds) or (isinstance(line[key], bool) and kinds != (bool,)):
            refuse(path, number, f"the value {json.dumps(line[key])} of {key} is of another kind")
    nested = [key for key, value in line.items() if isinstance(value, (dict, list))]
    if nested:
        refuse(path, number, f"the value of {nested[0]} is not a plain one")
    if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", line["date"]):
        refuse(path, number, f"the date {line['date']} is not of the form 2026-01-31T23:59:59Z")
    if line.get("verified") and line["what"] != "parameters" and not 0 < line["us_min"] <= line["us_median"] <= line["us_max"]:
        refuse(path, number, "us_min, us_median and us_max are not positive and in order")


def read_lines(root, path):
    """The lines of one file; each knows its file and number."""
    lines = []
    with open(os.path.join(root, path), encoding="utf-8") as f:
        for number, text in enumerate(f, 1):
            try:
                line = json.loads(text, parse_constant=_constant)
            except ValueError as fault:
                refuse(path, number, f"not a line of JSON ({fault})")
            check(line, path, number)
            line["file"], line["number"] = path, number
            lines.append(line)
    return lines


def read_file(root, path):
    """The lines of one file that tell times of calls."""
    return [line for line in read_lines(root, path) if not is_metrics(line)]


def read_all(root):
    """All lines of bench/results, file by file: those that tell times of calls, and those of kernels."""
    paths = sorted(glob.glob(os.path.join(glob.escape(root), "bench/results/*/*.jsonl")))
    # tables of heptane-tune and of bench/placement, see docs/guide/other-gpus.md: tests/unit/tune_measured.cxx and bench/placement/crossing read them
    paths = [path for path in paths if not os.path.basename(path).startswith(("launches-", "placement-"))]
    if not paths:
        raise Refused(f"{root}/bench/results has no results (*/*.jsonl): run this in a checkout")
    lines = [line for path in paths for line in read_lines(root, os.path.relpath(path, root))]
    # a figure comes from a commit: lines of a tree with other changes stay beside the page that tells of them
    lines = [line for line in lines if not str(line.get("commit", "")).endswith("-dirty")]
    return [line for line in lines if not is_metrics(line)], [line for line in lines if is_metrics(line)]


def candidate(line):
    """What was timed, by the names that the program was given, with what else tells two lines of a case apart."""
    return tuple(line.get(key) for key in ("what", "mat", "ksp", "pc", "order", "insert", "memtype", "rtol", "timed_iterations", "registers"))


def runs(lines):
    """Lines that were timed in turns in one process: neighbours in a file with one problem, machine and commit, one copy bandwidth per device, and no candidate twice."""
    found, last, copies, seen = [], None, {}, set()
    for line in lines:
        here = (line["file"], line["suite"], line["problem"], line["case"]) + tuple(line.get(key) for key in MACHINE)
        device = line.get("device")
        if here != last or copies.get(device, line["copy_gbs"]) != line["copy_gbs"] or candidate(line) in seen:
            found.append([])
            last, copies, seen = here, {}, set()
        copies[device] = line["copy_gbs"]
        seen.add(candidate(line))
        found[-1].append(line)
    return found
