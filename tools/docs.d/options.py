"""The page of all options: names, defaults and texts from -help of the built library, types from the calls in the sources."""
import os
import re
import subprocess

import manual

# what an option's call in the sources says of its value
TYPES = {"PetscOptionsBool": "boolean", "PetscOptionsEList": "choice", "PetscOptionsEnum": "choice",
         "PetscOptionsString": "text", "OptionInt": "integer", "OptionReal": "real", "OptionIntArray": "integers",
         "OptionRealArray": "reals", "DensePrecisionOption": "choice"}
# heading, pattern of the options, manual page
GROUPS = (("Library", r"-heptane_", "HeptaneInitialize"),
          ("Matrix type bdiagh", r"-mat_bdiagh_", "MATBDIAGH"),
          ("Matrix type sellp", r"-mat_sellp_", "MATSELLP"),
          ("Solver types fusedcg, fusedbcgs, fusedbicg, fusedchebyshev", r"-ksp_fused_", "KSPFUSEDCG"),
          ("Preconditioner gridmg", r"-pc_gridmg_", "PCGRIDMG"),
          ("Preconditioners blockjacobireg and pbjacobi", r"-pc_(blockjacobireg|pbjacobi)_", "PCBLOCKJACOBIREG"))
OWN = re.compile("|".join(pattern for _, pattern, _ in GROUPS))
# for tests: not shown
HIDDEN = re.compile(r"-heptane_((test|probe)_\w+|comm_(check|share_gpu))")
# solves that between them use every type, by the example reservoir
RUNS = (["-mat_type", "bdiagh", "-ksp_type", "fusedbcgs", "-pc_type", "gridmg"],
        ["-mat_type", "sellp", "-ksp_type", "fusedcg", "-pc_type", "blockjacobireg"],
        ["-mat_type", "bdiagh", "-ksp_type", "fusedbicg", "-pc_type", "pbjacobi"])
PETSC = """
## Options of PETSc with a meaning for heptane

| option | value |
|---|---|
| `-mat_type`, `-dm_mat_type` | `bdiagh`, `sellp` |
| `-ksp_type` | `fusedcg`, `fusedbcgs`, `fusedbicg`, `fusedchebyshev` |
| `-mg_levels_ksp_type` | `fusedchebyshev` |
| `-pc_type` | `gridmg`, `blockjacobireg`, `pbjacobi`, `jacobi` |
| `-ksp_cg_single_reduction` | `fusedcg`: one reduction per iteration |
| `-ksp_view`, `-ksp_view ::ascii_info_detail` | mode and cost of a fused solve; its passes |
| `-mat_view ::ascii_info` | format, padding and bytes of a matrix |
| `-info` | each choice and its reason |
"""


class Option:
    def __init__(self, name, default, text, choices):
        self.name, self.default, self.text, self.choices = name, default, text, choices


def parse(text):
    """The options of heptane in an output of -help."""
    found = {}
    for line in text.split("\n"):
        match = re.match(r"\s+(-[a-z]\w*): <(?:now )?(.*?)(?: : formerly .*?)?>:? *(.*)$", line)
        if not match or not OWN.match(match.group(1)) or HIDDEN.fullmatch(match.group(1)):
            continue
        name, default, rest = match.groups()
        choices = re.search(r"\((?:choose )?one of\) (.*?)(?: \(\w+\))?$", rest)
        text = re.sub(r" ?\((?:choose )?one of\).*$| \(\w+\)$", "", rest).strip()
        found[name] = Option(name, default.strip(), text, choices.group(1).split() if choices else [])
    return found


def of_help(program, library):
    """The options that -help of solves with each type lists."""
    found = {}
    for options in RUNS:
        command = [program, "-dll_append", library, "-grid", "4,4,4", "-wells", "0", "-steps", "1", *options, "-help"]
        environment = {key: value for key, value in os.environ.items() if key != "PETSC_OPTIONS"}
        run = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
        if "Krylov" not in run.stdout:
            end = run.stdout[-2000:] + run.stderr[-2000:]
            raise SystemExit(f"docs: {' '.join(command)} has not come to a solver:\n{end}")
        for name, option in parse(run.stdout).items():
            found.setdefault(name, option)
    return found


def sources(root):
    for folder, _, names in os.walk(os.path.join(root, "src")):
        for name in sorted(names):
            if name.endswith((".cxx", ".hpp", ".cu", ".cuh")) and os.sep + "tools" not in folder:
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    yield os.path.relpath(os.path.join(folder, name), root), file.read()


def of_sources(root):
    """Each option that is a string of the sources: its place, and the type of its value if the call shows it."""
    found = {}
    for path, text in sources(root):
        text = re.sub(r"/\*.*?\*/", lambda comment: re.sub(r"[^\n]", " ", comment.group()), text, flags=re.S)
        for match in re.finditer(r'"(-[a-z]\w+)"', text):
            name = match.group(1)
            if not OWN.match(name) or HIDDEN.fullmatch(name):
                continue
            before = re.findall(r"(\w+)\([^()\"]*$", text[max(0, match.start() - 200):match.start()])
            kind = TYPES.get(before[-1] if before else "")
            place = f"{path}:{text.count(chr(10), 0, match.start()) + 1}"
            if name not in found or kind:
                found[name] = (place, kind or (found[name][1] if name in found else None))
    return found


def check(root, helped):
    """The differences between the options of sources, -help and manual pages."""
    in_sources, documented = of_sources(root), {name for name in manual.documented(root) if OWN.match(name)}
    wrong = [f"{place}: {name} is not in -help: call PetscOptions...() between PetscOptionsBegin() and PetscOptionsEnd()"
             for name, (place, _) in sorted(in_sources.items()) if name not in helped]
    wrong += [f"{name} is in -help, and no source has it in quotes" for name in sorted(helped) if name not in in_sources]
    wrong += [f"{in_sources[name][0]}: {name} is on no manual page: add it to the Options Database Keys of its type"
              for name in sorted(in_sources) if name not in documented]
    wrong += [f"{name} is on a manual page, and no source has it" for name in sorted(documented) if name not in in_sources]
    return wrong


def cell(text):
    return text.replace("|", r"\|").replace("<", r"\<")


def row(option, kinds):
    kind = kinds.get(option.name, (None, None))[1] or "text"
    value = ", ".join(f"`{choice}`" for choice in option.choices) if option.choices else kind
    default = option.default.rstrip(".") if re.fullmatch(r"-?\d+\.", option.default) else option.default
    return f"| `{option.name}` | {value} | {'`' + default + '`' if default else ''} | {cell(option.text)} |"


def render(root, helped):
    kinds = of_sources(root)
    out = ["# Options", "", "All options of heptane, as `-help` of the library prints them. Options of a matrix, solver or preconditioner accept the",
           "prefix of their object (`MatSetOptionsPrefix()`, `KSPSetOptionsPrefix()`).", ""]
    for title, pattern, page in GROUPS:
        names = sorted(name for name in helped if re.match(pattern, name))
        out += [f"## {title}", "", f"Details: [`{page}`](manual/{page}.md).", "", "| option | value | default | description |", "|---|---|---|---|"]
        out += [row(helped[name], kinds) for name in names] + [""]
    return "\n".join(out) + PETSC
