"""Who is compared with whom, which of several runs counts, and the formulas. Reads no files but include/heptane.h, which says what is heptane's."""
import math
import os
import re

FAMILIES = {"cg": ("cg", "pipecg", "groppcg"), "bcgs": ("bcgs", "fbcgs", "pipebcgs")}
PETSC_DEFAULT = ("aijcusparse", "aij")
INVERSES = ("getri", "matinv")
PARTS = {"newton": ("update", "pc_setup", "ksp_solve")}  # of a whole step, which is compared instead
NOT_COMPARED = ("model", "parameters")
SOLVES = ("ksp_iteration", "ksp_solve", "ksp_solve_unchanged")


def own_types(root):
    """The names of heptane's types, as its header defines them."""
    with open(os.path.join(root, "include/heptane.h"), encoding="utf-8") as f:
        return frozenset(re.findall(r'^#define (?:MAT|KSP|PC)\w+\s+"(\w+)"', f.read(), re.M))


def base(name):
    """A solver without its variants: fusedcg of fusedcg+graph."""
    return (name or "").split("+")[0]


def family(name):
    """PETSc's solvers that compute the same as this one."""
    plain = re.sub("^fused", "", base(name))
    return next((members for members in FAMILIES.values() if plain in members), (plain,))


def is_own(line, own):
    return bool({base(line.get("ksp")), line["mat"], base(line.get("pc"))} & own) or line["mat"].startswith("heptane")


def is_library(line):
    """A library called without PETSc."""
    return "-" in line["mat"]


def geometric_mean(values):
    values = list(values)
    return math.exp(sum(math.log(value) for value in values) / len(values))


def limit_us(line):
    """The time that moving the declared bytes takes at the copy bandwidth; None where they are not known."""
    return 1e-3 * line["bytes"] / line["copy_gbs"] if line["bytes"] and line["copy_gbs"] else None


def intensity(line):
    """Operations per byte of a product: a multiplication and an addition for each nonzero."""
    return 2.0 * line["nnz"] / line["bytes"]


def gflops(line):
    return 2e-3 * line["nnz"] / line["us_median"]


def machine(line):
    """The kind of machine: what may be replaced by a newer measurement."""
    on_gpu = line["gpu"] != "none" and line.get("device") != "host"
    name = f"{line['gpu']}" if on_gpu else f"{line['cpu']}, host"
    if on_gpu and line["gpus"] > 1:
        name = f"{line['gpus']} x {name}"
    processes = line["ranks"] if not on_gpu or line["ranks"] != line["gpus"] else 1
    if processes > 1:
        name += f", {processes} processes"
    return name + (", single precision" if line.get("scalar_bytes") == 4 else "")


def norm(ksp):
    """The norm that a candidate names: one without norms does less."""
    return next((variant for variant in ksp.split("+")[1:] if variant.startswith("ksp_norm_type=")), None)


def peers(line, run, own):
    """The lines of the run that do the same without heptane."""
    extras = ("what", "order", "insert", "memtype", "rtol") + (("timed_iterations",) if line["what"] != "ksp_iteration" else ())
    found = [other for other in run if other["verified"] and not is_own(other, own) and all(other.get(key) == line.get(key) for key in extras)]
    if line["what"] in SOLVES:
        members = family(line["ksp"])
        found = [other for other in found if base(other["ksp"]) in members and other["pc"] == line["pc"]]
        if norm(line["ksp"]):
            found = [other for other in found if norm(other["ksp"]) == norm(line["ksp"])] or found
    elif line["what"] == "pc_setup":
        found = [other for other in found if is_library(other) or other.get("pc") == line.get("pc")]
        same = [other for other in found if not is_library(other) or other["mat"].endswith(INVERSES)]
        found = same or found
    return found


class Comparison:
    """A candidate of heptane and the fastest of its peers in the same run."""

    def __init__(self, line, others):
        self.line, self.others = line, others
        self.best = min(others, key=lambda other: other["us_median"])
        self.default = next((other for other in others if other["mat"] in PETSC_DEFAULT and (other.get("ksp") or "") in ("",) + family(line.get("ksp"))[:1]), None)
        self.machine = machine(line)

    @property
    def ratio(self):
        """How many times as long heptane takes as the fastest peer."""
        return self.line["us_median"] / self.best["us_median"]

    @property
    def speedup(self):
        return 1 / self.ratio

    @property
    def over_default(self):
        """How many times as fast as PETSc's own type for the machine; None if that was not timed."""
        return self.default["us_median"] / self.line["us_median"] if self.default else None

    @property
    def overlaps(self):
        """Whether the fastest sample of heptane was no slower than the slowest of the peer's."""
        return self.line["us_min"] <= self.best["us_max"]

    @property
    def variant(self):
        return "+" in (self.line.get("ksp") or "")

    def case(self):
        """What is timed, but for the variants of the solver."""
        keys = ("suite", "problem", "case", "what", "mat", "pc", "order", "insert", "memtype", "rtol")
        return (self.machine, base(self.line.get("ksp"))) + tuple(self.line.get(key) for key in keys)


def name(line):
    return " ".join(part for part in (line.get("ksp"), line["mat"], line.get("pc") if line["what"] not in SOLVES else None) if part)


def compare(runs, own):
    """All comparisons of all runs, oldest first."""
    found = []
    for run in runs:
        for line in run:
            if not line["verified"] or not is_own(line, own) or line["what"] in NOT_COMPARED + PARTS.get(line["suite"], ()):
                continue
            others = peers(line, run, own)
            if others:
                found.append(Comparison(line, others))
    return sorted(found, key=lambda c: (c.line["date"], c.line["file"], c.line["number"]))


def newest(comparisons):
    """Of several runs of a case the newest, as long as it timed the peer that was the fastest before. Variants count where no run timed the default."""
    current = {}
    for c in comparisons:
        key = (c.case(), c.line.get("ksp"))
        before = current.get(key)
        if not before or name(before.best) in [name(other) for other in c.others]:
            current[key] = c
    default = {key[0] for key, c in current.items() if not c.variant}
    return [c for key, c in sorted(current.items(), key=lambda item: tuple(str(part) for part in item[0])) if not c.variant or key[0] not in default]
