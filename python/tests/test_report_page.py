"""The report as a page: its content, and how a browser shows it."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import octavo
import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

# Runs in the page, and replaces it by a list of problems: text with less contrast than WCAG 2.1 AA asks for, pictures
# without a description or that do not load, and content that is wider than the window.
INSPECTION = """
<script>
addEventListener("load", () => {
  const problems = [matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"];
  const numbers = (color) => color.match(/[0-9.]+/g).map(Number);
  const luminance = (color) => {
    const [r, g, b] = numbers(color).map((v) => v / 255).map(
      (v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const background = (element) => {
    for (; element; element = element.parentElement) {
      const color = getComputedStyle(element).backgroundColor;
      if ((numbers(color)[3] ?? 1) === 1) return color;
    }
    return "rgb(255, 255, 255)";
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let texts = 0;
  for (let node; (node = walker.nextNode());) {
    const element = node.parentElement;
    if (!node.textContent.trim() || ["SCRIPT", "STYLE", "title"].includes(element.tagName)) continue;
    ++texts;
    const [a, b] = [luminance(getComputedStyle(element).color), luminance(background(element))].sort((x, y) => y - x);
    const contrast = (a + 0.05) / (b + 0.05);
    if (contrast < 4.5) problems.push(`contrast ${contrast.toFixed(2)}: ${node.textContent.trim().slice(0, 40)}`);
  }
  if (texts < 50) problems.push(`only ${texts} texts`);
  for (const image of document.images) {
    if (!image.alt || !image.naturalWidth) problems.push(`image ${image.alt}`);
  }
  if (document.documentElement.scrollWidth > innerWidth) problems.push("wider than the window");
  document.body.innerHTML = "<pre>problems:" + problems.join(";") + ":end</pre>";
});
</script>
"""


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    random = np.random.default_rng(1)
    images = random.integers(0, 256, (64, 3, 40, 40), dtype=np.uint8)
    images[9] = images[4]
    images[12] = 7
    path = tmp_path_factory.mktemp("page") / "shapes.h5"
    with octavo.Writer(path, classes=["a", "b", "<c>"], layout="chw") as writer:
        for row, image in enumerate(images):
            writer.append(image, row % 3)
        for row, image in enumerate(images[:8]):
            writer.append(image, row % 3, split="test")
    return path


@pytest.fixture(scope="module")
def report(dataset: Path) -> octavo.MemoryReport:
    return octavo.report(dataset, device="cpu", batch_size=16)


def test_the_page_spells_options_as_in_python(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    with octavo.Writer(tmp_path / "a.h5") as writer:
        for row in range(8):
            writer.append(rng.integers(0, 256, (1, 8, 8), np.uint8), row % 2, split="train" if row % 2 else "val",
                          metadata={"patient": row // 4})  # fmt: skip
    page = octavo.report(tmp_path / "a.h5", device="cpu", batch_size=4).to_html()
    assert "divided by group with holdout=&quot;F&quot; and group_by=&quot;COLUMN&quot;" in page
    assert "--group-by" not in page


def test_a_report_makes_a_page(report: octavo.MemoryReport, tmp_path: Path) -> None:
    page = report.to_html(tmp_path / "page.html", progress=False)
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == page
    assert "8 images are in more than one split" in page
    assert "1 sample of train has one value in every pixel" in page
    assert "octavo.Loader on cpu" in page
    assert "&lt;c&gt;" in page
    assert "<c>" not in page
    assert report.to_html() is page


def test_the_page_shows_the_samples_with_the_largest_error(tmp_path: Path) -> None:
    images = np.tile(np.linspace(0, 255, 64).round().reshape(1, 8, 8), (20, 1, 1)).astype(np.float32)
    images[13] += 0.25
    images[17, 0, 0] += 0.25
    np.save(tmp_path / "images.npy", images)
    octavo.pack(tmp_path / "images.npy", tmp_path / "a.h5", value_range=(0, 255), progress=False)
    quantized = octavo.report(tmp_path / "a.h5", device="cpu", batch_size=16)
    page = quantized.to_html(progress=False)
    assert not quantized["certificate"]["lossless"]
    worst = re.findall("<li>train #([0-9]+): ([0-9.]+) steps</li>", page)
    assert worst == [("13", "0.250"), ("17", "0.031")]


def test_a_notebook_shows_the_page_in_a_frame(report: octavo.MemoryReport) -> None:
    frame = report._repr_html_()
    assert frame.startswith('<iframe srcdoc="&lt;!DOCTYPE html&gt;')
    assert frame.count("<") == 2


def test_a_page_needs_a_folder(report: octavo.MemoryReport, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"page\.html"):
        report.to_html(tmp_path / "none" / "page.html")


def test_a_page_replaces_only_html_files(report: octavo.MemoryReport, dataset: Path) -> None:
    with pytest.raises(ValueError, match=r"ends in \.html or \.htm"):
        report.to_html(dataset)
    assert len(octavo.Dataset(dataset)) == 2


@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 500])
def test_a_browser_shows_the_page(report: octavo.MemoryReport, tmp_path: Path, theme: str, width: int) -> None:
    page = report.to_html()
    (tmp_path / "page.html").write_text(page.replace("</body>", INSPECTION + "</body>"), encoding="utf-8")
    assert CHROMIUM is not None
    command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}"]
    command += [f"--window-size={width},900", "--enable-logging=stderr"]
    command += [f"--blink-settings=preferredColorScheme={0 if theme == 'dark' else 1}"]
    shown = subprocess.run(
        [*command, "--dump-dom", (tmp_path / "page.html").as_uri()], capture_output=True, text=True, timeout=120
    )
    assert "CONSOLE" not in shown.stderr
    found = re.search("problems:(.*):end", shown.stdout)
    assert found is not None, shown.stdout[-500:] + shown.stderr[-500:]
    assert found.group(1) == theme
