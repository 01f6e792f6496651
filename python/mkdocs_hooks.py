"""Adds generated pages to the site, and makes links of the repository work there.

- ``reference/command-line.md``, which the installed program writes (``octavo manual --markdown``);
- ``reference/cpp/``, a page for each public header;
- the table of operations in ``reference/augmentation.md``, from the installed package;
- the pages of the repository that are outside docs/ and that docs/ refers to;
- the navigation of "C++" and "Project".

A link to another file outside docs/ becomes plain text.
"""

from __future__ import annotations

import os
import posixpath
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files

_ROOT = Path(__file__).resolve().parents[1]

#: Pages outside docs/, and their names on the site.
_OUTSIDE = {
    "CHANGELOG.md": "project/changelog.md",
    "SECURITY.md": "project/security.md",
    "data/README.md": "project/datasets.md",
    "python/README.md": "project/package.md",
    "tools/skill/SKILL.md": "project/skill.md",
}

#: Libraries, in the order in which their headers are listed.
_LIBRARIES = {
    "core": "Dataset files, stores and loaders",
    "pack": "Making and checking dataset files",
    "fetch": "Downloads",
    "lab": "Reference training and comparisons",
}

_LINK = re.compile(r"\[([^\]]*)\]\(([^)\s]+)\)")


# ---- Pages -----------------------------------------------------------------------------------------------------------


def _program() -> str:
    """The program that is installed with the package."""
    folder = os.path.dirname(sys.executable)
    program = shutil.which("octavo", path=folder) or shutil.which("octavo")
    if program is None:
        raise PluginError("write the command line reference: there is no program octavo; install the package")
    return program


def _command_line() -> str:
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run([_program(), "manual", folder, "--markdown"], capture_output=True, text=True)
        if run.returncode != 0:
            raise PluginError(f"write the command line reference: {run.stderr.strip()}")
        return Path(folder, "octavo.md").read_text()


def _operations() -> str:
    """A table of the operations of `octavo.augment`."""
    from octavo import _core

    rows = ["| operation | what it does |", "|---|---|"]
    for operation in _core.describe_augmentation_types()[:-1]:  # the last one is the mixing
        parameters = ", ".join(parameter["name"] for parameter in operation["parameters"])
        text = operation["summary"].replace("``", "`").replace("|", "\\|")
        rows.append(f"| `{operation['name']}({parameters})` | {text} |")
    return "\n".join(rows)


def _paragraphs(header: str) -> list[str]:
    """The comment at the beginning of a header."""
    lines = []
    for line in header.splitlines():
        if not line.startswith("//"):
            break
        lines.append(line.lstrip("/").strip())
    text = "\n".join(lines).replace("<", "&lt;")
    return [" ".join(paragraph.split("\n")) for paragraph in text.split("\n\n")]


def _headers(library: str) -> list[Path]:
    folders = [_ROOT / "lib" / library] + ([_ROOT / "kernels"] if library == "core" else [])
    return sorted(
        (path for folder in folders for path in folder.glob("include/octavo/*.hpp")), key=lambda path: path.name
    )


def _header_page(path: Path) -> str:
    header = path.read_text()
    comment = "\n\n".join(_paragraphs(header))
    return f"# octavo/{path.name}\n\n{comment}\n\n```cpp\n{header.rstrip()}\n```\n"


def _header_index() -> str:
    umbrella = _ROOT / "lib" / "include" / "octavo" / "octavo.hpp"
    text = f"# C++ headers\n\n`octavo/octavo.hpp`: {_paragraphs(umbrella.read_text())[0]}\n\n"
    for library, title in _LIBRARIES.items():
        text += f"## {title}\n\nTarget `octavo::{library}`.\n\n"
        for path in _headers(library):
            text += f"- [{path.name}]({path.stem}.md): {_paragraphs(path.read_text())[0]}\n"
        text += "\n"
    return text


def _title_of(path: Path) -> str:
    return path.read_text().split("\n", 1)[0].removeprefix("# ").strip()


# ---- Hooks -----------------------------------------------------------------------------------------------------------


def on_config(config: Any) -> Any:
    """Fills the parts of the navigation that list files."""
    docs = Path(config.docs_dir)
    cpp = ["reference/cpp/index.md"]
    cpp += [f"reference/cpp/{path.stem}.md" for library in _LIBRARIES for path in _headers(library)]
    decisions = [
        {f"{int(path.name[:4])}. {_title_of(path).split('. ', 1)[-1]}": f"decisions/{path.name}"}
        for path in sorted((docs / "decisions").glob("*.md"))
    ]
    results = [path.relative_to(docs).as_posix() for path in sorted((docs / "results").rglob("*.md"))]
    project = [
        {"Changes": "project/changelog.md"},
        {"Datasets": "project/datasets.md"},
        {"Python package": "project/package.md"},
        {"For coding agents": "project/skill.md"},
        {"Security": "project/security.md"},
        {"Design": "design.md"},
        {"Releasing": "release.md"},
        {"Decisions": decisions},
        {"Results": results},
    ]
    for section in config.nav:
        if "Reference" in section:
            section["Reference"] = [{"C++": cpp} if "C++" in entry else entry for entry in section["Reference"]]
        if "Project" in section:
            section["Project"] = project
    return config


def on_files(files: Files, config: Any) -> Files:
    """Adds the generated pages."""
    pages = {"reference/command-line.md": _command_line(), "reference/cpp/index.md": _header_index()}
    for library in _LIBRARIES:
        for path in _headers(library):
            pages[f"reference/cpp/{path.stem}.md"] = _header_page(path)
    for source, name in _OUTSIDE.items():
        pages[name] = (_ROOT / source).read_text()
    for name, content in pages.items():
        files.append(File.generated(config, name, content=content))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Fills the table of operations. Makes links that leave docs/ work, and drops those that cannot."""
    name = page.file.src_uri
    if name == "reference/augmentation.md":
        markdown = markdown.replace("<!-- operations -->", _operations())
    in_repository = next((source for source, site in _OUTSIDE.items() if site == name), f"docs/{name}")

    def replaced(match: re.Match[str]) -> str:
        text, target = match[1], match[2]
        if target.startswith(("http:", "https:", "mailto:", "#")):
            return match[0]
        path, mark, anchor = target.partition("#")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(in_repository), path))
        if path in _OUTSIDE:
            path = _OUTSIDE[path]
        elif path.startswith("docs/") and path.endswith((".md", ".svg", ".ipynb", ".json")):
            path = path.removeprefix("docs/")
        else:
            return text
        return f"[{text}]({posixpath.relpath(path, posixpath.dirname(name) or '.')}{mark}{anchor})"

    # Text between fences and in backquotes stays as it is.
    parts = re.split(r"(^```.*?^```|`[^`\n]+`(?!\]))", markdown, flags=re.DOTALL | re.MULTILINE)
    return "".join(part if part.startswith("`") else _LINK.sub(replaced, part) for part in parts)
