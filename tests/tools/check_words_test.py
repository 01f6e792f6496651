"""Checks tools/check_words.py: which sentences and files it finds, and which it accepts."""

from __future__ import annotations

import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
sys.dont_write_bytecode = True

import check_words  # noqa: E402


def found(text: str, name: str = "a.cpp") -> list[int]:
    """The numbers of the lines with a finding."""
    return [number for number, _ in check_words.findings_of(name, text.splitlines())]


class Sentences(unittest.TestCase):
    def test_phrases_that_a_reader_stops_at_are_found(self) -> None:
        for text in (
            "// 8 bytes, of which the first one is 0.",
            "// It gives 0, instead of which the fill value is set.",
            "// of which nothing else is used",
            "// The laws of random numbers.",
            "// The square lies in the image. Others lie outside.",
            "// Which numbers view `view` of `sample` draws.",
            '"displayName": "CPU only, optimised, with tests"',
            "// It continues where they say.",
        ):
            self.assertIn(1, found(text), text)

    def test_the_line_and_what_to_write_are_reported(self) -> None:
        findings = list(check_words.findings_of("a.cpp", ["int a;", "// optimised"]))
        self.assertEqual(findings, [(2, '"optimised"; write: the American spelling')])

    def test_plain_english_with_the_same_words_is_accepted(self) -> None:
        for text in (
            "// Groups, all of which are in one split, and each of which has a name, the last of which is empty.",
            "// Which sample of which epoch it is.",
            "// Little's law. Lawn. The layer applies.",
            "// Archives that lie about their sizes.",
            "// Which random numbers to draw. The part that it draws.",
            "// Which kernel runs? It draws a number.",
        ):
            self.assertEqual(found(text), [], text)


class Files(unittest.TestCase):
    def test_presets_and_other_data_files_are_read(self) -> None:
        for name in ("CMakePresets.json", "python/mkdocs.yml", "python/pyproject.toml", "README.md", "a/b.yaml"):
            self.assertTrue(check_words.is_checked(name), name)
        for name in ("", "LICENSE", "tools/check_words.py", "docs/results/a.json", "a.png"):
            self.assertFalse(check_words.is_checked(name), name)

    def test_prose_of_markdown_is_limited_in_width(self) -> None:
        self.assertEqual(found("word " * 21, "a.md"), [1])
        self.assertEqual(found("word " * 20, "a.md"), [])
        self.assertEqual(found("word " * 21), [])


if __name__ == "__main__":
    unittest.main()
