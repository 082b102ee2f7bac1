#!/usr/bin/env python3
"""Tests of bench/thesis.py, from lines that the programs of bench/ wrote on small problems: products and solves (thesis-gh), thesis-widths, thesis-laplace, thesis-blocks.

usage: printed_tests.py THESIS.jsonl WIDTHS.jsonl LAPLACE.jsonl FACTORS.jsonl    prints "ok NAME" and "not ok NAME", ends with 1 if one is not
"""
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
failed = False


def result(name, good, *shown):
    global failed
    print(("ok " if good else "not ok ") + name)
    if not good:
        failed = True
        print(*shown, sep="\n")


def run(*files):
    done = subprocess.run([sys.executable, os.path.join(HERE, "..", "thesis.py"), *files], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def read(path):
    with open(path, encoding="utf-8") as f:
        return [json.loads(line) for line in f]


def write(path, lines):
    with open(path, "w", encoding="utf-8") as f:
        f.writelines(json.dumps(line) + "\n" for line in lines)
    return path


def row(text, title, *start):
    """The cells of the row of a table that begins with these cells."""
    part = text.split(f"## {title}\n")[-1].split("\n## ")[0] if f"## {title}\n" in text else ""
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in part.split("\n") if line.startswith("|")]
    return next((cells for cells in rows if tuple(cells[:len(start)]) == start), [])


def of(lines, **wanted):
    return next(line for line in lines if all(line.get(key) == value for key, value in wanted.items()))


def check_data():
    with open(os.path.join(HERE, "..", "thesis.json"), encoding="utf-8") as f:
        configurations = json.load(f)["gh"]["configurations"]
    wrong = []
    for c in configurations:
        J, H, I, b = map(int, re.fullmatch(r"(\d+)x(\d+)x(\d+):(\d+)\+wrap", c["case"]).groups())
        if J * H * I * b != c["rows"] or b * b * (7 * J * H * I - 2 * (1 + J + J * H)) != c["nnz"]:
            wrong.append(c["case"])
    result("thesis: printed sizes belong to the printed grids", len(configurations) == 10 and not wrong, wrong)


def check_gh(text, lines):
    product = {mat: of(lines, what="matmult", mat=mat)["us_median"] for mat in ("aij", "baij", "sellp", "bdiagh")}
    solve = {(line["ksp"], line["mat"]): line["us_median"] for line in lines if line["what"] == "ksp_solve_unchanged"}
    start = ("65536", "16 x 16 x 32, 8", "3635072")
    cells = row(text, "thesis-gh: product", *start)
    wanted = [f"0.505 / {1e-3 * product['aij']:.3g}", f"0.473 / {1e-3 * product['baij']:.3g}", "0.243 / -", f"{1e-3 * product['sellp']:.3g}", f"0.189 / {1e-3 * product['bdiagh']:.3g}",
              f"2.67 / {product['aij'] / product['bdiagh']:.2f}"]
    result("thesis: products beside the printed ones", cells[3:] == wanted, cells[3:], wanted, text)
    cells = row(text, "thesis-gh: five iterations of BiCGStab", *start)
    wanted = [f"6.745 / {1e-3 * solve['bcgs', 'aij']:.3g}", f"{1e-3 * solve['fusedbcgs', 'bdiagh']:.3g}", f"1.94 / {solve['bcgs', 'aij'] / solve['fusedbcgs', 'bdiagh']:.2f}"]
    result("thesis: solves beside the printed ones", cells[3:4] + cells[-2:] == wanted, cells, wanted)
    result("thesis: the tables name printed and present machine", "one GK210 of a Tesla K80" in text and lines[0]["cpu"] in text and lines[0]["commit"] in text, text)


def check_rest(text, widths, laplace, factors):
    own, other = of(widths, block=512, mat="bdiagh"), of(widths, block=512, mat="aij")
    cells = row(text, "thesis-widths: product", "512", str(own["rows"]))
    result("thesis: a width", cells[-1:] == [f"{other['us_median'] / own['us_median']:.2f}"], cells, text)
    own, other = (of(laplace, case="9:1", ksp=ksp, mat=mat, pc="jacobi") for ksp, mat in (("fusedbcgs", "bdiagh"), ("bcgs", "aij")))
    cells = row(text, "thesis-laplace: an iteration", "A9", "BiCGStab, Jacobi")
    result("thesis: a Laplacian", cells[6:8] == [f"{100 * (own['us_median'] / other['us_median'] - 1):+.1f} %", "20 to 8"], cells, text)
    own, other = of(factors, block=24, mat="bdiagh", mode="qr"), of(factors, block=24, mat="lapack-geqrf")
    cells = row(text, "thesis-blocks", "24", "3", "QR")
    result("thesis: QR of blocks", cells[-2:] == ["- / -", f"- / {other['us_median'] / own['us_median']:.2f}"], cells, text)


def check_scaling(lines):
    """Lines of several GPUs, made from one of the host."""
    made = []
    for n, us in ((1, 800.0), (2, 500.0), (4, 400.0)):
        made.append(dict(of(lines, what="ksp_solve_unchanged", ksp="fusedbcgs"), case="32x128x32:8+wrap", gpus=n, ranks=n, us_median=us, us_min=us, us_max=us))
    code, text = run(write("scaling.jsonl", made))
    cells = row(text, "thesis-scaling: five iterations of BiCGStab", "8", str(made[0]["rows"]))
    result("thesis: speed-ups on several GPUs", code == 0 and cells[3:] == ["fusedbcgs bdiagh", "0.8", "1.88 / 1.60", "3.28 / 2.00"], cells, text)


def check_refusals(lines):
    wrong = dict(lines[0], nnz=lines[0]["nnz"] - 1)
    code, text = run(write("wrong.jsonl", [wrong]))
    result("thesis: nonzeros that are not the printed ones are refused", code == 1 and "printed are 3635072" in text, text)
    code, text = run(write("other.jsonl", lines + [dict(lines[0], gpu="another")]))
    result("thesis: lines of two machines are refused", code == 1 and "give the files of one kind" in text, text)
    code, text = run(write("none.jsonl", [dict(lines[0], case="4x4x4:1")]))
    result("thesis: lines of other suites are refused", code == 1 and "-suite thesis-gh" in text, text)
    code, text = run(write("bad.jsonl", [dict(lines[0], verified=False, error="wrong result")] + lines[1:]))
    result("thesis: what failed its check is shown as failed", code == 0 and row(text, "thesis-gh: product", "65536")[3:4] == ["0.505 / failed"], text)


def main():
    files = sys.argv[1:]
    gh, widths, laplace, factors = map(read, files)
    check_data()
    code, text = run(*files)
    result("thesis: tables of all suites", code == 0, text)
    check_gh(text, gh)
    check_rest(text, widths, laplace, factors)
    check_scaling(gh)
    check_refusals(gh)
    sys.exit(failed)


if __name__ == "__main__":
    main()
