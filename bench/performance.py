#!/usr/bin/env python3
"""Writes docs/reference/performance.md and the marked block of README.md from the committed results, or checks them. Needs only Python's standard library.

usage: performance.py [--root FOLDER]                  writes the summary and the block; bench/plot.py draws the pictures
       performance.py --tables FILE [--root FOLDER]    writes the tables of all cases, which make docs shows
       performance.py --check [--root FOLDER]          ends with 1 if summary, block or the numbers of a picture differ from the results
"""
import argparse
import json
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "bench"))
from report import compare, figures, limits, page, pictures, printed, results, sources  # noqa: E402

SUMMARY = "docs/reference/performance.md"
REMEDY = "run make performance and commit what it writes"


def evaluate(root):
    """Results, comparisons, and numbers of the pictures."""
    texts = sources.read_input(root)
    lines, kernels = results.read_all(root)
    lines = sources.omit(lines, texts)
    own = compare.own_types(root)
    runs = results.runs(lines)
    chosen = compare.newest(compare.compare(runs, own))
    if not chosen:
        raise results.Refused("bench/results has no case with a candidate of heptane and a peer")
    return texts, lines, runs, chosen, dict(figures.numbers(chosen, runs, own, kernels, texts["metrics"], root), scaling_limits=limits.numbers(root))


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def with_block(text, block):
    """README with its block replaced."""
    if text.count(page.BEGIN) != 1 or text.count(page.END) != 1 or text.index(page.BEGIN) > text.index(page.END):
        raise results.Refused(f"README.md needs the two lines {page.BEGIN} and {page.END}, once and in this order")
    return text[:text.index(page.BEGIN)] + block + text[text.index(page.END) + len(page.END):]


def papers(root, lines):
    """The tables of printed figures beside the committed ones, and the lines they show."""
    shown = printed.committed(lines)
    return printed.tables(json.loads(read(os.path.join(root, "bench/thesis.json"))), printed.Today(shown)), shown


def unused_reasons(texts, chosen):
    """Reasons that are about no losing case any more."""
    lost = [c for c in chosen if c.ratio > 1]
    return [entry for entry in texts["reasons"] if not any(sources.matches(entry, c.line, c.machine) for c in lost)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", default=ROOT, help="the checkout")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--tables", metavar="FILE")
    arguments = parser.parse_args()
    root = arguments.root
    try:
        texts, lines, runs, chosen, shown = evaluate(root)
        if arguments.tables:
            with open(arguments.tables, "w", encoding="utf-8") as f:
                f.write(page.tables(root, chosen, runs, lines, texts, shown, papers(root, lines)))
            return
        readme = read(os.path.join(root, "README.md"))
        wanted = {SUMMARY: page.write(chosen, shown), "README.md": with_block(readme, page.readme(chosen, shown))}
        stale = [] if not arguments.check else pictures.stale(root, shown)
        for name, text in wanted.items():
            path = os.path.join(root, name)
            if arguments.check:
                if not os.path.exists(path) or read(path) != text:
                    stale.append(f"{name} is not what the results say")
            else:
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "w", encoding="utf-8") as f:
                    f.write(text)
    except (results.Refused, OSError) as fault:
        sys.exit(f"performance.py: {fault}")
    for entry in unused_reasons(texts, chosen):
        print(f"performance.py: note: a reason in {sources.INPUT} is about no losing case: {entry}", file=sys.stderr)
    if stale:
        sys.exit("\n".join(f"performance.py: {what}: {REMEDY}" for what in stale))


if __name__ == "__main__":
    main()
