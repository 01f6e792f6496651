#!/usr/bin/env python3
"""check_words.py [PATH...]: rejects words that the project does not use, and Markdown prose lines that are too long.

Reads the files of the checkout that git knows, or those below the given paths. Prints one line per finding, FILE:LINE: and
what to write instead, and exits with 1 if there is any. Identifiers are not checked, except where a word stands alone.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
PROSE_COLUMNS = 100
SUFFIXES = {".cpp", ".hpp", ".cu", ".cuh", ".h", ".py", ".sh", ".md", ".txt", ".cmake", ".in", ".json", ".yml", ".yaml",
            ".toml", ".ipynb"}
# Kept as they were written: results, and what others wrote.
SKIPPED = ("docs/results/", "tests/fuzz/corpus/", "tests/golden/", "tests/tools/check_words_test.py", "tools/check_words.py",
           "LICENSE")

# Old spellings that are still accepted stand in these files.
ACCEPTED = re.compile(r"--normalise|\blicence\b|\bquantised\b")
ACCEPTED_IN = ("CHANGELOG.md", "lib/fetch/src/fetching/read_set.cpp", "lib/pack/src/sources/recorded_loss.cpp",
               "tests/tools/train_test.cpp", "tools/old_spellings.cpp")

# Words that are not used, and what to write instead.
WORDS = [
    (r"tells? (?:what|of|which|where|how)\b", "shows, reports, describes"),
    (r"\bsays? so\b", "reports it"),
    (r"\bbrings? (?:\w+ )?(?:back|to the device|along|up)\b", "copies, uploads, loads, restores"),
    (r"\b(?:to|can|could|may) be had\b", "is available"),
    (r'(?:"|\\"|`) is none\b', 'unknown X "foo"; expected a, b or c'),
    (r"\b(?:is|are) no (?:image|images|bytes|number|numbers|size|color|directory|folder|split|file)\b", "is not a ..."),
    (r"\banew\b", "again"),
    (r"\balike\b", "similar, the same way"),
    (r"\blately\b", "recently"),
    (r"\bas far as need be\b", "as needed"),
    (r"\bof no use\b|\bof use only\b", "is unspecified, used only with"),
    (r"\bunfolds? into\b", "expands to"),
    (r"\bwhat came of\b", "the result of"),
    (r"\bleft alone\b", "reserved"),
    (r"\bbeside\b", "in addition to, next to"),
    (r"\bmend(?:s|ed)?\b|\bmake good\b", "fix"),
    (r"\bwants?\b", "expects, requires, needs"),
    (r"(?<!\ball )(?<!\beach )(?<!\bmost )(?<!\blast )(?<!\b[Ww]hich sample )\bof which\b", "two sentences"),
    (r"\blaws?\b(?<!Little's law)", "distribution"),
    (r"\b[Ll]ies?\b(?! about)", "is, is in, is stored at"),
    (r"\bWhich \w+ [^.?]*\bdraws\b", "The ... that ... uses"),
    (r"\bwhere (?:they|it) says?\b", "the thing by its name"),
    (r"\blikeliest\b|\btaken together\b", "most likely; total"),
    (r"\b[Bb]ack ends?\b", "backend"),
    (r"\b[Pp]acked files?\b", "dataset file"),
    (r"\b[Mm]inibatch(?:es)?\b", "batch"),
    (r"\b(?:normali|quanti|optimi|vectori|initiali|recogni)s(?:e|ed|es|ing|ation)\b|\b[Cc]entred?\b|\b[Cc]olours?\b"
     r"|\b[Bb]ehaviour\b|\b[Nn]eighbours?\b|\b[Ll]icen[c]es?\b", "the American spelling"),
]
PATTERNS = [(re.compile(pattern), instead) for pattern, instead in WORDS]


def is_checked(name):
    return not name.startswith(SKIPPED) and pathlib.Path(name).suffix in SUFFIXES


def listed_files(paths):
    names = subprocess.run(["git", "ls-files", "-z", "--", *paths], cwd=ROOT, capture_output=True, check=True).stdout
    for name in names.decode().split("\0"):
        if is_checked(name):
            yield name


def findings_of_markdown(lines):
    """Prose lines over the limit; not tables, code, links alone on their line, or headings."""
    in_code = False
    for number, line in enumerate(lines, 1):
        if line.lstrip().startswith("```"):
            in_code = not in_code
        is_prose = not (in_code or line.startswith(("|", "#", "    ")) or re.fullmatch(r"\S*\[.*\]\(.*\)\S*", line.strip()))
        if is_prose and len(line) > PROSE_COLUMNS:
            yield number, f"prose of {len(line)} columns; wrap at {PROSE_COLUMNS}"


def findings_of(name, lines):
    """Line numbers and what is wrong there, of a file of this name with these lines."""
    for number, line in enumerate(lines, 1):
        if name in ACCEPTED_IN:
            line = ACCEPTED.sub("", line)
        for pattern, instead in PATTERNS:
            for match in pattern.finditer(line):
                yield number, f'"{match.group()}"; write: {instead}'
    if name.endswith(".md"):
        yield from findings_of_markdown(lines)


def main():
    count = 0
    for name in listed_files(sys.argv[1:]):
        lines = (ROOT / name).read_text(errors="replace").splitlines()
        for number, finding in findings_of(name, lines):
            print(f"{name}:{number}: {finding}")
            count += 1
    if count:
        sys.exit(f"{count} findings")


if __name__ == "__main__":
    main()
