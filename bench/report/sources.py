"""Where a figure comes from: machine, versions and commits from the lines, commands from the pages beside them. Reads the committed texts bench/performance.json too."""
import glob
import json
import os
import re

from .results import Refused

INPUT = "bench/performance.json"


def read_input(root):
    """Reasons and omissions, see bench/README.md."""
    try:
        with open(os.path.join(root, INPUT), encoding="utf-8") as f:
            texts = json.load(f)
    except ValueError as fault:
        raise Refused(f"{INPUT}: not JSON ({fault}): see bench/README.md, Performance page") from fault
    for part, keys in (("reasons", {"reason"}), ("omitted", {"file", "reason"}), ("metrics", {"folder", "commit"})):
        for entry in texts.get(part, [None]):
            if not isinstance(entry, dict) or not keys <= set(entry):
                raise Refused(f"{INPUT}: an entry of {part} lacks {' or '.join(sorted(keys))}: see bench/README.md, Performance page")
    return texts


def omit(lines, texts):
    """The lines that may be compared. An omission of lines that do not exist is refused."""
    left = lines
    for entry in texts["omitted"]:
        first, last = entry.get("lines", [1, 10**9])
        path = "bench/results/" + entry["file"]
        gone = [line for line in lines if line["file"] == path and first <= line["number"] <= last]
        if not gone:
            raise Refused(f"{INPUT}: there are no lines {first} to {last} of {path} to omit: correct the entry or remove it")
        numbers = {line["number"] for line in gone}
        left = [line for line in left if line["file"] != path or line["number"] not in numbers]
    return left


def matches(entry, line, machine):
    """Whether an entry of the reasons is about a line: each key but the reason is a regular expression that the value matches as a whole."""
    values = dict(line, machine=machine)
    return all(re.fullmatch(pattern, str(values.get(key, ""))) for key, pattern in entry.items() if key != "reason")


def reason(texts, line, machine):
    return next((entry["reason"] for entry in texts["reasons"] if matches(entry, line, machine)), "Not explained.")


def environment(lines):
    """Machine and versions of lines, one text for each kind."""
    found = []
    for line in lines:
        on_gpu = line["gpus"] > 0
        place = f"{line['gpus'] if line['gpus'] > 1 else 'One'} {line['gpu']}, driver {line['driver']}, CUDA {line['cuda']}" if on_gpu else line["cpu"]
        mpi = re.sub(r"\s*Version:\s*", " ", line["mpi"])
        text = f"{place}, PETSc {line['petsc']}, {mpi}, {line['ranks']} process" + ("es" if line["ranks"] > 1 else "")
        if text not in found:
            found.append(text)
    return found


def commits(lines):
    return sorted({line["commit"] for line in lines})


def files(lines):
    return sorted({line["file"] for line in lines})


def _code(text):
    """The lines of the fenced blocks of a page."""
    inside = False
    for line in text.split("\n"):
        if line.startswith("```"):
            inside = not inside
        elif inside and line.strip():
            yield line.strip()


def commands(root, path):
    """The command lines of the pages beside a file that name it, or that use a shell variable that does."""
    folder, name = os.path.split(path)
    found = []
    for page in sorted(glob.glob(os.path.join(glob.escape(os.path.join(root, folder)), "*.md"))):
        with open(page, encoding="utf-8") as f:
            text = f.read()
        lines = list(_code(text)) + re.findall(rf"`{re.escape(name)}`\s*\(`([^`]+)`", text)
        found += [line for line in lines if line in re.findall(rf"`{re.escape(name)}`\s*\(`([^`]+)`", text)]
        here = re.compile(r"(?<![\w.-])" + re.escape(name) + r"(?![\w-])")
        variables = {variable for line in lines for variable, value in re.findall(r'(\w+)="([^"]*)"', line) if here.search(value)}
        uses = re.compile("|".join([here.pattern] + [rf"\${variable}\b" for variable in sorted(variables)]))
        found += [line for line in lines if uses.search(line) and line not in found]
    return found
