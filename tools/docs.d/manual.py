"""Manual pages in the form of PETSc's, as Markdown, from the comments /*MC ... M*/ and /*@ ... @*/ of heptane.h and of the sources."""
import os
import re

SECTIONS = ("Options Database Keys", "Options Database Key", "Input Parameters", "Input Parameter", "Output Parameters", "Output Parameter",
            "Input/Output Parameter", "Input/Output Parameters", "Level", "Notes", "Note", "References")
KINDS = {"MAT": "Mat", "Mat": "Mat", "KSP": "KSP", "PC": "PC", "Vec": "Vec", "VEC": "Vec", "Petsc": "Sys"}


class Page:
    def __init__(self, name, path, comment, code):
        self.name, self.path, self.comment, self.code = name, path, comment, code


def read(root):
    """All pages, by name."""
    pages = {}
    paths = sorted(os.path.join(folder, name) for folder, _, names in os.walk(os.path.join(root, "src")) for name in names)
    paths = ["include/heptane.h"] + [os.path.relpath(path, root) for path in paths if path.endswith(".cxx")]
    for path in paths:
        with open(os.path.join(root, path), encoding="utf-8") as file:
            text = file.read()
        for found in re.finditer(r"^/\*(MC|@C?)\n(.*?)^(?:M|@)\*/\n(.*?)(?:\n\n|\n\{|\Z)", text, re.S | re.M):
            name = re.match(r"\s*(\w+) - ", found.group(2)).group(1)
            pages[name] = Page(name, path, found.group(2), found.group(3))
    return pages


def blocks(comment):
    """(heading or None, lines) of a comment without its first indentation."""
    lines = comment.rstrip("\n").split("\n")
    least = min(len(line) - len(line.lstrip()) for line in lines if line.strip() and line[0] == " ")
    lines = [line[least:] if line.startswith(" " * least) else line for line in lines]
    parts, heading, kept = [], None, []
    for line in lines:
        found = re.match(r"([A-Z][A-Za-z/ ]*):\s*(.*)$", line)
        if line.startswith(".seealso:"):
            parts.append((heading, kept))
            heading, kept = "See also", [line.split(":", 1)[1]]
        elif found and (found.group(1) in SECTIONS or not found.group(2)):
            parts.append((heading, kept))
            heading, kept = found.group(1), [found.group(2)] if found.group(2) else []
        else:
            kept.append(line)
    return parts + [(heading, kept)]


def escaped(text):
    """Text for Markdown; code in backquotes stays."""
    return "".join(part if k % 2 else re.sub(r"([*<|{])", r"\\\1", part) for k, part in enumerate(re.split(r"(`[^`]*`)", text)))


def address(name, pages):
    """Where a name is described: a page here, or PETSc's."""
    plain = name.strip("`").removesuffix("()")
    if plain in pages:
        return f"{plain}.md"
    kind = next((folder for prefix, folder in KINDS.items() if re.match(prefix + r"[A-Z]", plain)), None)
    return f"https://petsc.org/release/manualpages/{kind}/{plain}/" if kind else None


def linked(text, pages, here):
    """Names of other manual pages become links."""
    def link(found):
        name = found.group(1).removesuffix("()")
        return f"[`{found.group(1)}`]({name}.md)" if name in pages and name != here else found.group()
    return re.sub(r"`([A-Z]\w+(?:\(\))?)`", link, text)


def entries(lines):
    """The items of a list of PETSc's, "+ a - text", and what precedes them."""
    before, items = [], []
    for line in lines:
        found = re.match(r"[+.-] {1,3}(\S.*)$", line)
        if found:
            items.append(found.group(1))
        elif items and line.strip() and line.startswith(" "):
            items[-1] += " " + line.strip()
        elif line.strip():
            before.append(line)
    return before, items


def option_row(item):
    """-name <default> - text, or -name value - text: name, value to give, default, text"""
    left, _, text = item.partition(" - ")
    name, _, value = left.strip().partition(" ")
    given = value.strip().startswith("<")
    return name, "" if given else value.strip(), value.strip().strip("<>") if given else "", text.strip()


def paragraphs(lines, pages, here):
    """Paragraphs, code between .vb and .ve, and lists."""
    out, items, code = [], [], False

    def flush():
        for item in items:
            name, _, text = (part.strip() for part in item.partition(" - "))
            out.append("* " + ("" if name == "*" else f"`{name}`: ") + linked(escaped(text), pages, here))
        out.extend([""] if items else [])
        items.clear()

    for line in lines:
        if line.strip() == ".vb":
            flush()
            out.append("```text")
            code = True
        elif line.strip() == ".ve":
            out += ["```", ""]
            code = False
        elif code:
            out.append(line)
        elif re.match(r"[+.-] {1,3}\S", line):
            items.append(re.sub(r"^[+.-] +", "", line))
        elif items and line.startswith(" ") and line.strip():
            items[-1] += " " + line.strip()
        else:
            flush()
            out.append(linked(escaped(line.strip()), pages, here))
    flush()
    return "\n".join(out).strip("\n")


def options_table(items, pages, here):
    rows = ["| option | default | meaning |", "|---|---|---|"]
    for name, value, default, text in map(option_row, items):
        rows.append(f"| `{(name + ' ' + value).strip()}` | {'`' + default + '`' if default else ''} | {linked(escaped(text), pages, here)} |")
    return "\n".join(rows)


def synopsis(page):
    code = re.sub(r"\n\{.*", "", page.code, flags=re.S).strip()
    lines = ["#include <heptane.h>"] + code.split("\n")
    return "```c\n" + "\n".join(line.rstrip() + (";" if line.startswith("PetscErrorCode") else "") for line in lines) + "\n```"


def render(page, pages):
    parts = blocks(page.comment)
    rest = "\n".join(parts[0][1]).split("\n\n", 1)
    summary = " ".join(rest[0].split()).split(" - ", 1)[1]
    summary = re.sub(r'^(\w+) = ("\w+") - ', "", summary)
    out = [f"# {page.name}", "", linked(escaped(summary[0].upper() + summary[1:]).rstrip(".") + ".", pages, page.name), ""]
    if len(rest) > 1:
        out += [paragraphs(rest[1].split("\n"), pages, page.name), ""]
    out += ["## Synopsis", "", synopsis(page), ""]
    for heading, lines in parts[1:]:
        if heading == "See also":
            names = [name.strip() for name in " ".join(lines).split(",") if name.strip()]
            links = [f"[{name}]({address(name, pages)})" if address(name, pages) else name for name in names]
            out += ["## See also", "", ", ".join(links), ""]
        elif heading.startswith("Options Database"):
            out += ["## Options", "", options_table(entries(lines)[1], pages, page.name), "", "All options, with their types: [](../options.md)", ""]
        elif heading == "Level":
            out += ["## Level", "", " ".join(lines).strip(), ""]
        else:
            out += [("## " if heading in SECTIONS else "### ") + heading, "", paragraphs(lines, pages, page.name), ""]
    return "\n".join(out)


def index(pages):
    """The list of all pages, by kind."""
    kinds = (("Matrix types", ("MAT",)), ("Solver types", ("KSP",)), ("Preconditioner types", ("PC",)), ("Functions", ("",)))
    out, left = ["# Manual pages", "", "Generated from `include/heptane.h` and the sources, in the form of PETSc's manual pages.", ""], dict(pages)
    for title, prefixes in kinds:
        here = [name for name in left if name.startswith(prefixes)]
        out += [f"## {title}", ""]
        for name in here:
            page = left.pop(name)
            summary = re.sub(r'^(\w+) = ("\w+") - ', "", " ".join(page.comment.split("\n\n", 1)[0].split()).split(" - ", 1)[1])
            out.append(f"* [`{name}`]({name}.md): {escaped(summary)}")
        out.append("")
    out += ["```{toctree}", ":hidden:", ""] + list(pages) + ["```", ""]
    return "\n".join(out)


def write(root, folder):
    pages = read(root)
    os.makedirs(folder, exist_ok=True)
    for name, page in pages.items():
        with open(os.path.join(folder, name + ".md"), "w", encoding="utf-8") as file:
            file.write(render(page, pages))
    with open(os.path.join(folder, "index.md"), "w", encoding="utf-8") as file:
        file.write(index(pages))


def documented(root):
    """The options of all manual pages."""
    names = set()
    for page in read(root).values():
        for heading, lines in blocks(page.comment):
            if heading and heading.startswith("Options Database"):
                names |= {option_row(item)[0] for item in entries(lines)[1]}
    return names
