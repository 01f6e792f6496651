"""Runs the code of the documentation: every block of docs/, of the READMEs and of SKILL.md, and the notebook.

The blocks of a page run in order, in one folder and one namespace. Comments of a page, which readers do not see:

- ``<!-- test files: photos, photos.h5 -->``: the files that the folder has at the beginning (`FILES`);
- ``<!-- not run: REASON -->`` before a block: it does not run here, and is reported as skipped;
- ``<!-- given: CODE -->`` before a block: code that runs before it;
- ``<!-- file: NAME -->`` before a block: it is written to this file instead of run;
- ``<!-- same as: PATH -->`` before a block: it is this file of the repository, which other tests run;
- ``<!-- output -->`` before a block of text: what the block before it prints, except for numbers and units.

A block that imports a package which is not installed skips the rest of its page.
"""

from __future__ import annotations

import ast
import contextlib
import doctest
import importlib
import importlib.util
import io
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import octavo
import pytest
from conftest import write_packed

ROOT = Path(__file__).resolve().parent.parent.parent
DOCS = ROOT / "docs"
# The tests also run outside the checkout, with an installed package.
pytestmark = pytest.mark.skipif(not DOCS.is_dir(), reason="there is no documentation here")

SKILL = ROOT / "tools" / "skill" / "SKILL.md"
NOTEBOOKS = sorted(DOCS.glob("**/*.ipynb"))
PAGES = [
    *(page for page in sorted(DOCS.glob("**/*.md")) if page.relative_to(DOCS).parts[0] not in ("results", "decisions")),
    *(page for page in (ROOT / "README.md", ROOT / "python" / "README.md", SKILL) if page.exists()),
]
PYTHON, SHELL, CPP = ("python", "pycon"), ("sh", "bash", "console"), ("cpp", "c++")

FENCE = re.compile(r"^( *)```([\w+]*)\s*$")
NOTE = re.compile(r"^ *<!-- (test files|not run|given|file|same as|output):?(.*)-->$")


@dataclass
class Block:
    """Code of a page. `line` is the number of its first line."""

    page: Path
    line: int
    language: str
    code: str
    notes: dict[str, str] = field(default_factory=dict)

    @property
    def where(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def blocks_of(page: Path) -> Iterator[Block]:
    """The blocks in languages that run."""
    if page.suffix == ".ipynb":
        yield from cells_of(page)
        return
    lines = page.read_text().splitlines()
    notes: dict[str, str] = {}
    number = 0
    while number < len(lines):
        fence = FENCE.match(lines[number])
        note = NOTE.match(lines[number])
        number += 1
        if fence:
            begin = number
            while lines[number].strip() != "```":
                number += 1
            code = "\n".join(line[len(fence[1]) :] for line in lines[begin:number]) + "\n"
            number += 1
            if fence[2] in (*PYTHON, *SHELL, *CPP) or "output" in notes or "same as" in notes:
                yield Block(page, begin + 1, fence[2], code, notes)
        elif note:
            notes = {**notes, note[1]: note[2].strip()}
            continue
        notes = {}


def cells_of(notebook: Path) -> Iterator[Block]:
    """The code cells, without the commands of IPython; the line is the number of the cell."""
    for number, cell in enumerate(json.loads(notebook.read_text())["cells"], 1):
        if cell["cell_type"] == "code":
            lines = "".join(cell["source"]).splitlines(keepends=True)
            code = "".join(line for line in lines if not line.startswith("%"))
            yield Block(notebook, number, "python", code)


# ---- Files that pages begin with -------------------------------------------------------------------------------------


def make_photos(folder: Path) -> None:
    """Three classes of 12 small photos of different sizes, in the formats that people have."""
    image = pytest.importorskip("PIL.Image")
    rng = np.random.default_rng(1)
    for name, color in {"desert": (200, 160, 90), "forest": (50, 110, 60), "sea": (40, 90, 160)}.items():
        (folder / name).mkdir(parents=True)
        for number in range(12):
            height, width = rng.integers(60, 90, 2)
            values = (rng.normal(0, 40, (height, width, 3)) + color).clip(0, 255).astype(np.uint8)
            image.fromarray(values).save(folder / name / f"{number:03}.{'png' if number % 3 else 'jpg'}")


def make_pets(folder: Path) -> None:
    """Photos with masks of the classes 0 and 1, and 2 for the outline."""
    image = pytest.importorskip("PIL.Image")
    rng = np.random.default_rng(2)
    for name in ("images", "masks"):
        (folder / name).mkdir(parents=True)
    for number in range(20):
        top, left = rng.integers(5, 30, 2)
        mask = np.zeros((80, 80), np.uint8)
        mask[top : top + 40, left : left + 40] = 2
        mask[top + 4 : top + 36, left + 4 : left + 36] = 1
        values = (rng.normal(0, 20, (80, 80, 3)) + 60 * mask[..., None] + 60).clip(0, 255).astype(np.uint8)
        image.fromarray(values).save(folder / "images" / f"{number:03}.jpg")
        image.fromarray(mask).save(folder / "masks" / f"{number:03}.png")


def make_packed_photos(path: Path) -> None:
    make_photos(path.parent / "originals")
    octavo.pack(path.parent / "originals", path, size=64, holdout=0.25, progress=False)


def make_cifar10(path: Path) -> None:
    write_packed(path, 1100, (3, 32, 32))
    classes = octavo.Dataset(path).classes
    with octavo.Writer(path, append=True, classes=classes, layout="chw") as writer:
        for number in range(20):
            writer.append(np.full((3, 32, 32), number, np.uint8), number % 10, split="test")


FILES = {
    "photos": make_photos,
    "pets": make_pets,
    "photos.h5": make_packed_photos,
    "cifar10.h5": make_cifar10,
    "imagenet.h5": lambda path: write_packed(path, 40, (3, 40, 40)),
}


def make_files(page: Path, folder: Path) -> None:
    for line in page.read_text().splitlines():
        note = NOTE.match(line)
        if note and note[1] == "test files":
            for name in note[2].strip().split(", "):
                FILES[name](folder / name)


# ---- Running ---------------------------------------------------------------------------------------------------------


def skip_without_imports(block: Block, code: str) -> None:
    for node in ast.walk(ast.parse(code)):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        for name in names:
            package = name.partition(".")[0]
            if importlib.util.find_spec(package) is None:
                pytest.skip(f"{block.where} needs {package}; blocks before it have run")
            if package == "pyspark" and shutil.which("java") is None:
                pytest.skip(f"{block.where} needs Java; blocks before it have run")
            if name == "octavo.lightning":
                pytest.importorskip("lightning")


def run_python(block: Block, namespace: dict[str, Any]) -> str:
    """Returns what the code prints."""
    code = block.code
    if ">>> " in code:
        code = "".join(example.source for example in doctest.DocTestParser().get_examples(code))
    skip_without_imports(block, code)
    if "file" in block.notes:
        Path(block.notes["file"]).write_text(code)
        return ""
    exec(block.notes.get("given", ""), namespace)
    # Tracebacks name the line of the page.
    compiled = compile("\n" * (block.line - 1) + code, str(block.page), "exec")
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compiled, namespace)
    return printed.getvalue()


def run_shell(block: Block) -> str:
    """Returns what the commands print."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    if shutil.which("octavo", path=path) is None:
        pytest.skip(f"{block.where} needs the program octavo")
    code = block.code
    if block.language == "console":
        code = "".join(line[2:] for line in code.splitlines(keepends=True) if line.startswith("$ "))
    code = f"{block.notes.get('given', '')}\n{code}"
    environment = {**os.environ, "PATH": path}
    run = subprocess.run(["bash", "-euo", "pipefail", "-c", code], capture_output=True, text=True, env=environment)
    assert run.returncode == 0, f"{block.where} ended with {run.returncode}:\n{code}\n{run.stdout}\n{run.stderr}"
    return run.stdout


def shape_of(output: str) -> str:
    """Output without what differs between runs and machines."""
    text = re.sub(r"\b[KMG]iB\b", "B", re.sub(r"\b(us|ms|s)\b", "s", output))
    return re.sub(r"\s+", " ", re.sub(r"[\d.]*\d", "0", text)).strip()


def compile_cpp(block: Block) -> None:
    """Checks the syntax and the types of statements."""
    compiler = shutil.which("c++")
    if compiler is None:
        pytest.skip(f"{block.where} needs a C++ compiler")
    folders = [ROOT / "kernels" / "include", ROOT / "lib" / "include", *sorted((ROOT / "lib").glob("*/include"))]
    code = (
        "#include <octavo/octavo.hpp>\n"
        "[[maybe_unused]] const auto train_step = [](const auto&...) {};\n"
        f"void example() {{\n{block.notes.get('given', '')}\n{block.code}}}\n"
    )
    command = [compiler, "-std=c++20", "-fsyntax-only", *(f"-I{folder}" for folder in folders), "-x", "c++", "-"]
    run = subprocess.run(command, input=code, capture_output=True, text=True)
    assert run.returncode == 0, f"{block.where} does not compile:\n{code}\n{run.stderr}"


def id_of(value: Path | Block) -> str:
    return value.where if isinstance(value, Block) else str(value.relative_to(ROOT))


@pytest.fixture
def one_thread(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The models are so small that threads of PyTorch only wait for each other."""
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    if importlib.util.find_spec("torch") is None:
        yield
        return
    torch = importlib.import_module("torch")
    count = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(count)


@pytest.mark.usefixtures("one_thread")
@pytest.mark.parametrize("page", [*PAGES, *NOTEBOOKS], ids=id_of)
def test_the_code_of_a_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = [block for block in blocks_of(page) if "not run" not in block.notes]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_DATASETS_CACHE", str(tmp_path / "cache"))
    if blocks and page.suffix == ".md":
        make_files(page, tmp_path)
    namespace: dict[str, Any] = {"__name__": "__main__"}
    printed = ""
    for block in blocks:
        if "same as" in block.notes:
            assert block.code == (ROOT / block.notes["same as"]).read_text(), f"{block.where} differs from its file"
        elif "output" in block.notes:
            assert shape_of(printed) == shape_of(block.code), f"{block.where} differs from what is printed:\n{printed}"
        elif block.language in PYTHON:
            printed = run_python(block, namespace)
        elif block.language in SHELL:
            printed = run_shell(block)
        else:
            compile_cpp(block)


@pytest.mark.parametrize(
    "block", [block for page in PAGES for block in blocks_of(page) if "not run" in block.notes], ids=id_of
)
def test_a_block_that_does_not_run_has_a_reason(block: Block) -> None:
    assert block.notes["not run"], f"{block.where}: write why the block is not run"
    pytest.skip(f"{block.where}: {block.notes['not run']}")


# ---- Links -----------------------------------------------------------------------------------------------------------


def without_code(page: Path) -> str:
    return re.sub(r"^ *```.*?^ *```|`[^`\n]+`(?!\])", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)


def anchors_of(page: Path) -> set[str]:
    """As GitHub makes them from headings."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", [*PAGES, *DOCS.glob("results/**/*.md"), *DOCS.glob("decisions/*.md")], ids=id_of)
def test_the_links_of_a_page_lead_somewhere(page: Path) -> None:
    broken = []
    for target in re.findall(r"\]\(([^)\s]+)\)", without_code(page)):
        if not target.startswith(("http:", "https:")):
            path, _, anchor = target.partition("#")
            file = page.parent / path if path else page
            if not file.exists() or (anchor and anchor not in anchors_of(file)):
                broken.append(target)
    assert broken == []


# ---- Installing ------------------------------------------------------------------------------------------------------


def lines_of_code() -> Iterator[tuple[str, str]]:
    """The commands of the pages, the notebooks and the scripts, and where they are."""
    for page in PAGES:
        for block in blocks_of(page):
            yield from ((block.where, line) for line in block.code.splitlines())
    for notebook in NOTEBOOKS:
        for cell in json.loads(notebook.read_text())["cells"]:
            yield from ((notebook.name, line) for line in cell["source"])
    for script in (ROOT / "tools").glob("*.sh"):
        yield from ((script.name, line) for line in script.read_text().splitlines())


def test_nothing_installs_the_package_by_its_name_alone() -> None:
    # Until the name is registered, an index may have a package of somebody else.
    installs = [(where, line.split()) for where, line in lines_of_code() if "pip install" in line]
    assert len(installs) > 10
    for where, words in installs:
        named = [word.strip('"') for word in words if re.match(r'"?octavo([=<>~!\[]|"?$)', word)]
        if named:
            assert "--no-index" in words or '"$TEST_INDEX"' in words, (where, words)
            assert all(re.match(r"octavo==(\$VERSION|X\.Y\.Z|[\d.]+)$", word) for word in named), (where, named)


def test_the_pages_name_the_wheels_of_this_version() -> None:
    pages = {page: page.read_text() for page in [*PAGES, *NOTEBOOKS]}
    named = {version for text in pages.values() for version in re.findall(r"octavo-(\d[\d.]*)-cp", text)}
    pinned = {version for text in pages.values() for version in re.findall(r"octavo==(\d[\d.]*)", text)}
    assert named == pinned == {octavo.__version__}
    first_commands = [DOCS / "tutorial.md", DOCS / "faq.md", DOCS / "quickstart.ipynb", ROOT / "python" / "README.md"]
    assert [page for page in first_commands if f"octavo-{octavo.__version__}-cp312-abi3" not in pages[page]] == []


# ---- The page for coding agents --------------------------------------------------------------------------------------


def test_the_skill_has_the_header_that_agents_read() -> None:
    head, _, body = SKILL.read_text().removeprefix("---\n").partition("\n---\n")
    assert re.match(r"name: octavo\ndescription: >-\n(  \S.*\n?)+$", head)
    assert len(head) < 1024
    assert len(body.splitlines()) < 200


def test_the_skill_is_in_the_package_and_in_the_program() -> None:
    printed = subprocess.run([sys.executable, "-m", "octavo", "skill"], capture_output=True, text=True)
    assert printed.stdout == SKILL.read_text()
    assert Path(octavo.__file__).with_name("SKILL.md").read_text() == SKILL.read_text()


# ---- Content ---------------------------------------------------------------------------------------------------------


def test_every_public_name_is_in_the_reference() -> None:
    reference = (DOCS / "reference" / "python.md").read_text()
    missing = [name for name in octavo.__all__ if not re.search(rf"\boctavo\.{name}\b", reference)]
    assert missing == []


def test_every_recipe_is_listed() -> None:
    recipes = (DOCS / "how-to" / "augmentation.md").read_text()
    assert [name for name in octavo.recipes.__all__ if f"`{name}`" not in recipes] == ["Recipe"]


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=id_of)
def test_a_notebook_has_no_outputs_and_installs_octavo_first(notebook: Path) -> None:
    cells = [cell for cell in json.loads(notebook.read_text())["cells"] if cell["cell_type"] == "code"]
    assert [cell["outputs"] for cell in cells] == [[]] * len(cells)
    assert {cell["execution_count"] for cell in cells} == {None}
    assert "%pip install" in "".join(cells[0]["source"])
    assert "octavo" in "".join(cells[0]["source"])
