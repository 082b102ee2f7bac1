#!/usr/bin/env python3
"""Time of an iteration of CG on 1 to 4096 GPUs: replays its dependency graph (bench/report/cg.py) with measured kernels and given networks. Needs Python's standard library alone.

usage: scaling.py [--root FOLDER]                          how far each problem scales, and eight GPUs
       scaling.py --check [--root FOLDER]                  compares each measured point of bench/scaling.tsv; ends with 1 if one is off by more than 15 % without a reason
       scaling.py --rows N [--gpus P] [--root FOLDER]      each way, with the parts of its critical path
"""
import argparse
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "bench"))
from report import cg, limits, results  # noqa: E402

TOLERANCE = 0.15


def of_parts(parts):
    return ", ".join(f"{kind} {us:.1f}" for kind, us in sorted(parts.items(), key=lambda part: -part[1]) if us > 0.05)


def check(root):
    """Prints each measured point beside its replay. Returns what is wrong, one text each."""
    table = limits.points(root)
    kernels, wrong, worst = limits.kernels(table), [], {}
    for point in table:
        limits.compare(root, point)
        if point["gpus"] == 1:
            continue
        name = f"{point['way']}, {point['rows']} rows, halo {point['halo']}, {point['gpus']} GPUs"
        case = cg.Case(point["rows"] / point["gpus"], point["gpus"], point["halo"], min(point["gpus"] - 1, 2), point["nodes"])
        us, parts = cg.iteration(point["way"], case, kernels)
        ratio = us / point["us"]
        print(f"{name}: measured {point['us']:.4g}, replay {us:.4g}, ratio {ratio:.2f} ({of_parts(parts)}){'; ' + point['reason'] if point['reason'] else ''}")
        if (abs(ratio - 1) > TOLERANCE) != bool(point["reason"]):
            wrong.append(f"{name}: the replay is {100 * (ratio - 1):+.0f} % off: " + ("take its reason out of" if point["reason"] else "mend the model, or give a reason in") + f" {limits.TABLE}")
        if not point["reason"] and abs(ratio - 1) >= abs(worst.get(point["way"], (1, ""))[0] - 1):
            worst[point["way"]] = (ratio, name)
        if case.gpus == 4 and case.nodes == 1:
            alike = cg.iteration(point["way"], case, kernels, True)[0]
            if abs(alike / us - 1) > 1e-9:
                wrong.append(f"{name}: one GPU for all gives {alike:.4g}, four give {us:.4g}")
    for ratio, name in worst.values():
        print(f"worst: {ratio:.2f}, {name}")
    return wrong


def case(root, rows, gpus):
    """Every way of one case."""
    kernels = limits.kernels(limits.points(root))
    for name, network in cg.NETWORKS.items() if gpus > cg.NODE else [("one node", None)]:
        print(f"{name}:")
        for way in limits.WAYS:
            us, parts = limits.best(way, rows, gpus, network, kernels)
            print(f"  {way}: {us:.1f} us ({of_parts(parts)})")


def tables(root):
    """What the picture shows, and eight GPUs of a node."""
    shown = limits.numbers(root)
    for way, network, line in shown["strong"]:
        print(f"{way}, {network}: efficiency 50 % on so many GPUs: " + ", ".join(f"{rows >> 20}M {gpus:.0f} ({what})" for rows, gpus, what in line))
    for rows, network, line in shown["weak"]:
        print(f"nccl, {network}, {rows / 2**20:.2g}M rows per GPU, efficiency: " + ", ".join(f"{gpus} {efficiency:.2f}" for gpus, efficiency in line))
    kernels = limits.kernels(limits.points(root))
    for rows in (1000000, 4096000, 16777216, 33554432):
        found = {way: cg.iteration(way, cg.Case(rows / 8, 8, *limits.cut(rows, 8)), kernels) for way in ("persistent", "graph", "mpi", "petsc")}
        print(f"eight GPUs, {rows} rows: " + ", ".join(f"{way} {each[0]:.1f}" for way, each in found.items() if each))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", default=ROOT, help="the checkout")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--rows", type=int, help="of all GPUs")
    parser.add_argument("--gpus", type=int, default=1)
    arguments = parser.parse_args()
    if arguments.gpus < 1 or (arguments.rows is not None and arguments.rows < arguments.gpus):
        parser.error("--gpus must be positive, and --rows at least that")
    try:
        wrong = []
        if arguments.check:
            wrong = check(arguments.root)
        elif arguments.rows:
            case(arguments.root, arguments.rows, arguments.gpus)
        else:
            tables(arguments.root)
    except (results.Refused, OSError) as fault:
        sys.exit(f"scaling.py: {fault}")
    if wrong:
        sys.exit("\n".join(f"scaling.py: {what}" for what in wrong))


if __name__ == "__main__":
    main()
