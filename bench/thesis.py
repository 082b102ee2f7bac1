#!/usr/bin/env python3
"""Tables of the suites thesis-*: figures printed in papers (bench/thesis.json) beside those of a run.

usage: thesis.py RESULTS.jsonl...    prints Markdown, a table for each suite that the lines have

The lines are those of `spmv`, `ksp` and `blocks` with `-suite thesis-... -json FILE`, of one kind of GPU; for the scaling those of runs on several GPUs too. Of lines that
time the same the newest counts. What failed its check is shown as "failed". Needs Python's standard library alone.
"""
import argparse
import json
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "bench"))
from report import printed, results  # noqa: E402

SUITES = "run bench/spmv, bench/ksp or bench/blocks with -suite thesis-gh, thesis-widths, thesis-scaling, thesis-laplace or thesis-blocks, and -json"


def read(paths):
    lines = [line for path in paths for line in results.read_file("", path)]
    kinds = {(line["gpu"], line["scalar_bytes"]) for line in lines}
    if len(kinds) > 1:
        raise results.Refused(f"the lines are of {len(kinds)} kinds of machine ({', '.join(sorted(gpu for gpu, _ in kinds))}): give the files of one kind")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", nargs="+", metavar="RESULTS.jsonl")
    paths = parser.parse_args().results
    try:
        with open(os.path.join(ROOT, "bench/thesis.json"), encoding="utf-8") as f:
            figures = json.load(f)
        tables = printed.tables(figures, printed.Today(read(paths)))
        if not tables:
            raise results.Refused(f"{', '.join(paths)}: no line is of a suite thesis-*: {SUITES}")
    except (results.Refused, OSError) as fault:
        sys.exit(f"thesis.py: {fault}")
    print("\n".join(tables), end="")


if __name__ == "__main__":
    main()
