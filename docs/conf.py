"""Sphinx: the pages are Markdown (MyST), the theme is PETSc's. make docs builds the site into build/docs."""
import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))


def version_of_header():
    """Of include/heptane.h; pages are built from a copy in build/docs-source."""
    for path in ("../include/heptane.h", "../../include/heptane.h"):
        path = os.path.join(HERE, path)
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                return ".".join(re.findall(r"HEPTANE_VERSION_\w+ (\d+)", file.read()))
    return ""


project = "heptane"
author = "The heptane developers"
copyright = "The heptane developers"  # noqa: A001
release = version_of_header()
extensions = ["myst_parser"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
exclude_patterns = ["_*"]
html_theme = "pydata_sphinx_theme"
html_title = f"heptane {release}"
html_static_path = ["_static"]
html_css_files = ["heptane.css"]
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "navigation_with_keys": False,
    "show_prev_next": False,
    "header_links_before_dropdown": 6,
    "navbar_end": ["theme-switcher"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_sidebars = {"index": []}
