"""Tables of printed figures beside those of a run, as Markdown. Reads no files; knows the cases and candidates of the suites thesis-*."""
import collections
import os
import re

from .page import table
from .results import Refused
from .sources import environment

PRODUCT, SOLVE = "matmult", "ksp_solve_unchanged"
SINGLE = 4  # bytes of a value
# columns of the formats: title, printed format, candidates of today on a GPU and on the host in the order of preference
FORMATS = (
    ("CSR", "csr", ("aijcusparse", "aij")),
    ("BSR", "bsr", ("cusparse-bsr", "baij")),
    ("SELL (HYB)", "hyb", ("cusparse-sell", "sellcuda", "sell")),
    ("sellp", None, ("sellp",)),
    ("bdiagh (BDIA)", "bdia", ("bdiagh",)),
)  # yapf: disable
METHODS = {"cg": "CG", "bicg": "BiCG", "bcgs": "BiCGStab"}
FACTORS = (("Gauss-Jordan", "blocks_inverse", ("cublas-getri", "cublas-matinv"), ()), ("LU", "blocks_lu", ("cublas-getrf",), ("lapack-getrf",)),
           ("QR", "blocks_qr", ("cublas-geqrf",), ("lapack-geqrf",)))


class Today:
    """The newest line for each thing that was timed."""

    def __init__(self, lines):
        self.lines = {}
        for line in sorted(lines, key=lambda line: line["date"]):
            key = tuple(line.get(name) for name in ("problem", "case", "what", "mat", "ksp", "pc", "timed_iterations", "mode" if line["what"].startswith("blocks_") else "", "gpus", "ranks"))
            self.lines[key] = dict(line, single=line["ranks"] == 1)

    def select(self, **wanted):
        return [line for line in self.lines.values() if all(line.get(key) == value for key, value in wanted.items())]

    def first(self, mats, **wanted):
        """The line of the first of these matrix types that was timed and is right, else one that failed, else None."""
        found = [line for mat in mats for line in self.select(mat=mat, **wanted)]
        return next((line for line in found if line["verified"]), next((line for line in found if not line.get("error", "").startswith("not applicable")), None))


def ms(line):
    return "-" if line is None else f"{1e-3 * line['us_median']:.3g}" if line["verified"] else "failed"


def us(line):
    return "-" if line is None else f"{line['us_median']:.4g}" if line["verified"] else "failed"


def times(slow, fast):
    return f"{slow['us_median'] / fast['us_median']:.2f}" if slow and fast and slow["verified"] and fast["verified"] else "-"


def precision(lines):
    return "single" if lines[0].get("scalar_bytes") == SINGLE else "double"


def origin(figures, lines):
    """Where the printed figures come from, and those of today."""
    clock = f", {figures['clock']}" if figures["clock"] else ""
    commits = ", ".join(sorted({line["commit"] for line in lines}))
    return (f"Printed: {figures['source']}; {figures['gpu']}{clock}, {figures['precision']} precision; {figures['unit']}.\n"
            f"Today: {'; '.join(environment(lines))}; {precision(lines)} precision; commits {commits}.\n")


def grid(case):
    return case.replace("+wrap", "").replace(":", ", ").replace("x", " x ")


def gh_rows(figures, today, what, key, ksps):
    """Configurations; printed and measured time of each format; how many times as fast as CSR the block diagonals are."""
    for c in figures["configurations"]:
        printed = dict(zip(figures["formats"], c[key]))
        cells, found = [], {}
        for title, format_, mats in FORMATS:
            line = today.first(mats, case=c["case"], what=what, single=True, **({"ksp": ksps[0], "pc": "none"} if ksps else {}))
            found[title] = line
            if line and line["nnz"] != c["nnz"]:
                raise Refused(f"{line['file']}:{line['number']}: {c['case']} has {line['nnz']} nonzeros, printed are {c['nnz']}: bench/thesis.json or the line is wrong")
            cells.append((f"{printed[format_]:g} / " if format_ else "") + ms(line))
        fused = today.first(("bdiagh",), case=c["case"], what=what, single=True, ksp=ksps[1], pc="none") if ksps else None
        if not any(found.values()):
            continue
        best = fused if ksps else found["bdiagh (BDIA)"]
        yield [c["rows"], grid(c["case"]), c["nnz"]] + cells + ([ms(fused)] if ksps else []) + [f"{printed['csr'] / printed['bdia']:.2f} / {times(found['CSR'], best)}"]


def gh(figures, today):
    parts = []
    for title, what, key, ksps in (("product", PRODUCT, "product", ()), ("five iterations of BiCGStab", SOLVE, "solve", ("bcgs", "fusedbcgs"))):
        rows = list(gh_rows(figures, today, what, key, ksps))
        if rows:
            head = ["rows", "J x H x I, Nc", "nonzeros"] + [name for name, _, _ in FORMATS] + (["fusedbcgs, bdiagh"] if ksps else []) + ["bdiagh over CSR"]
            lines = [line for line in today.select(what=what) if line["case"] in {c["case"] for c in figures["configurations"]}]
            parts.append(f"## thesis-gh: {title}\n\n{origin(figures, lines)}\nMilliseconds, printed / today; the last column: times as fast{', today with fusedbcgs' if ksps else ''}.\n\n" + table(head, rows))
    return parts


def widths(configurations, today):
    """Block diagonals of equal size with blocks of 1 to 512 rows. Nothing printed is at hand."""
    parts = []
    known = {c["case"] for c in configurations}
    for title, what, ksps in (("product", PRODUCT, ()), ("five iterations of BiCGStab", SOLVE, ("bcgs", "fusedbcgs"))):
        of_what = [line for line in today.select(what=what, single=True) if "+wrap" in line["case"] and line["case"] not in known and not line["case"].startswith("32x128x")]
        rows = []
        for case in sorted({line["case"] for line in of_what}, key=lambda case: int(re.search(r":(\d+)", case).group(1))):
            some = next(line for line in of_what if line["case"] == case)
            keys = {"ksp": "bcgs", "pc": "none"} if ksps else {}
            found = [today.first(mats, case=case, what=what, single=True, **keys) for _, _, mats in FORMATS]
            fused = today.first(("bdiagh",), case=case, what=what, single=True, ksp="fusedbcgs", pc="none") if ksps else found[-1]
            rows.append([some["block"], some["rows"], some["nnz"]] + [ms(line) for line in found] + ([ms(fused)] if ksps else []) + [times(found[0], fused)])
        if rows:
            head = ["Nc", "rows", "nonzeros"] + [name.split(" ")[0] for name, _, _ in FORMATS] + (["fusedbcgs, bdiagh"] if ksps else []) + ["bdiagh over CSR"]
            parts.append(f"## thesis-widths: {title}\n\nToday: {'; '.join(environment(of_what))}; {precision(of_what)} precision. Milliseconds; printed figures are not at hand.\n\n" + table(head, rows))
    return parts


def scaling(figures, today):
    parts = []
    for title, what, key, candidates in (("product", PRODUCT, "product", (("", "aijcusparse"), ("", "bdiagh"))),
                                         ("five iterations of BiCGStab", SOLVE, "solve", (("bcgs", "aijcusparse"), ("fusedbcgs", "bdiagh")))):
        of_what = [line for line in today.select(what=what) if line["case"].startswith("32x128x") and "+wrap" in line["case"] and line["ranks"] == max(1, line["gpus"])]
        gpus = sorted({line["gpus"] for line in of_what if line["gpus"] > 1})
        rows = []
        for block, rows_, case in sorted({(line["block"], line["rows"], line["case"]) for line in of_what}):
            for ksp, mat in candidates:
                keys = {"case": case, "what": what, **({"ksp": ksp, "pc": "none"} if ksp else {})}
                one = today.first((mat,), single=True, **keys)
                if one:
                    rows.append([block, rows_, one["nnz"], f"{ksp} {mat}".strip(), ms(one)] +
                                [f"{figures[key].get(str(n), '-')} / {times(one, today.first((mat,), gpus=n, ranks=n, **keys))}" for n in gpus])
        if rows and gpus:
            head = ["Nc", "rows", "nonzeros", "candidate", "1 GPU, ms"] + [f"{n} GPUs" for n in gpus]
            parts.append(f"## thesis-scaling: {title}\n\n{origin(figures, of_what)}\nTimes as fast as one GPU, printed / today; printed is the best of all sizes, below 1 under "
                         f"{figures['slower_below_rows']} rows.\n\n" + table(head, rows))
    return parts


def laplace(figures, today):
    rows = []
    of_what = [line for line in today.select(what="ksp_iteration", problem="laplace7") if line["gpus"] <= 1]
    for nrows, case in sorted({(line["rows"], line["case"]) for line in of_what}):
        for pc in ("none", "jacobi"):
            for ksp, name in METHODS.items():
                keys = {"what": "ksp_iteration", "case": case, "pc": pc, "single": True}
                own = today.first(("aijcusparse", "aij"), ksp=ksp, **keys)
                same = today.first(("aijcusparse", "aij"), ksp="fused" + ksp, **keys)
                diagonals = today.first(("bdiagh",), ksp="fused" + ksp, **keys)
                if own is None and same is None and diagonals is None:
                    continue
                before, after = figures["kernels"][f"{ksp} {pc}"]
                change = [f"{100 * (line['us_median'] / own['us_median'] - 1):+.1f} %" if line and own and line["verified"] and own["verified"] else "-" for line in (same, diagonals)]
                launches = [f"{line['launches']:.1f}" if line and line.get("launches") is not None else "-" for line in (same, diagonals)]
                rows.append([f"A{round(nrows ** (1 / 3))}", f"{name}{', Jacobi' if pc == 'jacobi' else ''}", us(own), us(same), us(diagonals), change[0], change[1], f"{before} to {after}"] + launches)
    if not rows:
        return []
    spread = figures["change"]["all"]
    head = ["matrix", "method", "PETSc, CSR, us", "fused, CSR, us", "fused, bdiagh, us", "change, CSR", "change, bdiagh", "kernels printed", "launches, CSR", "launches, bdiagh"]
    return [f"## thesis-laplace: an iteration\n\n{origin(figures, of_what)}\nPrinted change of the time by fusing: {spread['least']} to {spread['most']} % ({spread['gpu']}), all methods. "
            "Kernels printed: of an iteration with cuBLAS and fused.\n\n" + table(head, rows)]


def blocks(figures, today):
    of_what = [line for line in today.lines.values() if line["what"].startswith("blocks_")]
    rows = []
    for block, case in sorted({(line["block"], line["case"]) for line in of_what}):
        for name, what, gpu, host in FACTORS:
            own = today.first(("bdiagh",), case=case, what=what)
            other = min((line for mat in gpu for line in today.select(mat=mat, case=case, what=what) if line["verified"]), key=lambda line: line["us_median"], default=None)
            lapack = today.first(host, case=case, what=what)
            printed = figures["qr"].get(case, {}) if name == "QR" else {}
            ratios = [f"{printed[where]['ratio'] if where in printed else '-'} / {times(line, own)}" for where, line in (("gpu", other), ("host", lapack))]
            rows.append([block, case.split("x")[0], name, us(own), us(other), us(lapack)] + ratios)
    if not rows:
        return []
    named = figures["qr"]["5000x56"]
    head = ["rows of a block", "blocks", "method", "heptane, us", "cuBLAS, us", "LAPACK, us", "over the library on the GPU", "over the library on the host"]
    return [f"## thesis-blocks\n\n{origin(figures, of_what)}\nThe last two columns: times as fast, printed / today. Libraries printed: {named['gpu']['library']}; {named['host']['library']}. "
            f"Libraries today: cuBLAS (the faster of getri and matinv for Gauss-Jordan elimination); LAPACK on one core of {of_what[0]['cpu']}.\n\n" + table(head, rows)]


def tables(figures, today):
    """All tables that the lines have something for, one text each."""
    return gh(figures["gh"], today) + widths(figures["gh"]["configurations"], today) + scaling(figures["scaling"], today) + laplace(figures["laplace"], today) + blocks(figures["blocks"], today)


def committed(lines):
    """The lines of files thesis*.jsonl in double precision, of the kind of GPU that has most of them."""
    found = [line for line in lines if os.path.basename(line["file"]).startswith("thesis") and line["gpu"] != "none" and line["scalar_bytes"] != SINGLE]
    counts = collections.Counter(line["gpu"] for line in found)
    most = max(sorted(counts), key=counts.get, default=None)
    return [line for line in found if line["gpu"] == most]
