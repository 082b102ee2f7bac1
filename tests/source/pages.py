#!/usr/bin/env python3
"""Checks the pages of docs/ and README.md: examples, links and sizes. Needs HEPTANE_BUILD and HEPTANE_LIB, as the makefile sets them, for the examples.

A fenced block "console" has commands, after "$ ", and lines that their output must contain, in this order; "..." stands for
lines, or the end of a line, that are left out.
Numbers with a point or an exponent may differ, whole numbers by a tenth. A block whose first line is a comment with the name of a file is that file.
All blocks of a page run in one empty folder that has the example programs and heptane-advise.

Usage: pages.py [--links] [PAGE...]      --links: examples are not run
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
FILE = re.compile(r"^(?:/\*|!|#) ([\w-]+\.(?:c|F90|py|petscrc))\b")
LIMITS = {"README.md": 120, "CHANGELOG.md": 90, "docs/guide/*.md": 150, "docs/develop/architecture.md": 120}
WORDS = 35000
GENERATED = ("docs/index.md", "docs/reference/")  # columns do not count; make docs checks links to and from these


def pages():
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-co", "--exclude-standard", "*.md"], capture_output=True, text=True).stdout.split()
    found = listed or [os.path.relpath(p, ROOT) for p in glob.glob(ROOT + "/**/*.md", recursive=True) if "/build/" not in p]
    return sorted(p for p in found if os.path.exists(os.path.join(ROOT, p)) and not p.startswith("bench/results/"))


def text_of(page):
    with open(os.path.join(ROOT, page), encoding="utf-8") as file:
        return file.read()


def blocks(text):
    """(language, lines) of each fenced block."""
    for match in re.finditer(r"^```(\S*)[^\n]*\n(.*?)^```$", text, re.M | re.S):
        yield match.group(1), match.group(2).splitlines()


def same(wanted, got):
    """Whether two lines have the same words, and numbers that agree."""
    a, b = (" ".join(line.split()) for line in (wanted, got))
    words, printed = (NUMBER.sub("#", line) for line in (a.removesuffix(" ..."), b))
    if not (printed.startswith(words) if a.endswith(" ...") else printed == words):
        return False
    for x, y in zip(NUMBER.findall(a), NUMBER.findall(b)):
        if x.lstrip("+-").isdigit() and y.lstrip("+-").isdigit() and abs(int(x) - int(y)) > max(2, abs(int(x)) // 10):
            return False
    return True


def steps(lines):
    """(command, lines of its output) of a block."""
    found = []
    for line in lines:
        if line.startswith("$ "):
            found.append([line[2:], []])
        elif found and found[-1][0].endswith("\\"):
            found[-1][0] = found[-1][0][:-1] + line.strip()
        elif found and line.strip() and line.strip() != "...":
            found[-1][1].append(line)
    return found


def examples(page, text):
    """Runs the examples of a page; yields errors."""
    found = [(language, lines) for language, lines in blocks(text) if language == "console" or (lines and FILE.match(lines[0]))]
    if not any(language == "console" for language, _ in found):
        return
    environment = dict(os.environ, MPIR_CVAR_CH4_PROGRESS_THROTTLE="1", MPIR_CVAR_CH4_PROGRESS_THROTTLE_NO_PROGRESS_COUNT="16")
    environment["PETSC_OPTIONS"] = f"-dll_append {os.environ['HEPTANE_LIB']} -heptane_device host -use_gpu_aware_mpi 0"
    if "PETSC_DIR" in environment:
        folder = os.path.join(environment["PETSC_DIR"], environment.get("PETSC_ARCH", ""), "lib")
        environment["PKG_CONFIG_PATH"] = os.path.join(folder, "pkgconfig") + ":" + environment.get("PKG_CONFIG_PATH", "")
    if os.path.dirname(environment.get("MPIEXEC", "")):
        environment["PATH"] = os.path.dirname(environment["MPIEXEC"].split()[0]) + ":" + environment["PATH"]
    with tempfile.TemporaryDirectory() as scratch:
        for program in ("examples/ex45", "examples/reservoir", "examples/solve_matrix", "bin/heptane-advise"):
            os.symlink(os.path.join(os.environ["HEPTANE_BUILD"], program), os.path.join(scratch, os.path.basename(program)))
        for _, lines in found:
            named = FILE.match(lines[0])
            if named:
                with open(os.path.join(scratch, named.group(1)), "w", encoding="utf-8") as file:
                    file.write("\n".join(lines) + "\n")
                continue
            for command, wanted in steps(lines):
                run = subprocess.run(
                    ["bash", "-c", command], cwd=scratch, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=100)
                output = iter(run.stdout.splitlines())
                for line in wanted:
                    if not any(same(line, got) for got in output):
                        yield f"{page}: `{command}` does not print, in this order: {line.strip()}"
                        break


def links(page, text):
    """Yields relative links that lead nowhere."""
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`\n]*`", "", prose)):
        path = target.split("#")[0]
        if os.path.normpath(os.path.join(os.path.dirname(page), path)).startswith(GENERATED):
            continue
        if path and "://" not in target and not path.startswith("mailto:") and not os.path.exists(os.path.join(ROOT, os.path.dirname(page), path)):
            yield f"{page}: there is no {target}"


def sizes(texts):
    """Yields pages that are too long or too wide."""
    for pattern, most in LIMITS.items():
        for path in sorted(glob.glob(os.path.join(ROOT, pattern))):
            page = os.path.relpath(path, ROOT)
            lines = text_of(page).count("\n")
            if lines > most:
                yield f"{page}: {lines} lines, the limit is {most}"
    for page, text in texts.items():
        fenced = False
        for number, line in enumerate(text.splitlines(), 1):
            fenced ^= line.startswith("```")
            prose = page.startswith(("docs/", "README", "CONTRIB", "CHANGE")) and not page.startswith(GENERATED) and not fenced
            if len(line) > 120 and prose and not line.startswith("|"):
                yield f"{page}:{number}: {len(line)} columns, the limit is 120"
    words = sum(len(text.split()) for text in texts.values())
    if words > WORDS:
        yield f"the pages have {words} words, the limit is {WORDS}"


def main():
    arguments = [a for a in sys.argv[1:] if a != "--links"]
    texts = {page: text_of(page) for page in (arguments or pages())}
    wrong = [] if arguments else list(sizes(texts))
    for page, text in texts.items():
        if not page.startswith(GENERATED):
            wrong += links(page, text)
        if "--links" not in sys.argv[1:]:
            wrong += examples(page, text)
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
