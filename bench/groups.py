#!/usr/bin/env python3
"""The table of bench/groups, as Markdown, from its groups.jsonl: a line for each name, case, method and quantity, a column for each number of processes."""
import json
import sys

def main():
    cells, ranks = {}, set()
    for line in open(sys.argv[1], encoding="utf-8"):
        r = json.loads(line)
        what = ("new values, " if r["suite"] == "newton" else "") + r["what"]
        key = (r["name"], r["case"], r["ksp"], what, "us" if r["what"] == "ksp_iteration" else "ms")
        scale = 1 if r["what"] == "ksp_iteration" else 1e-3
        cells[key, r["ranks"]] = f"{r['us_median'] * scale:.3g}" if r["verified"] else "WRONG: " + r.get("error", "")[:60]
        ranks.add(r["ranks"])
    ranks = sorted(ranks)
    print("| name | case | method | quantity | | " + " | ".join(map(str, ranks)) + " |")
    print("|---" * (5 + len(ranks)) + "|")
    for key in dict.fromkeys(k for k, _ in cells):
        print("| " + " | ".join(key) + " | " + " | ".join(cells.get((key, n), "") for n in ranks) + " |")


if __name__ == "__main__":
    main()
