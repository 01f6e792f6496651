#!/usr/bin/env python3
"""Breaks one place of the device code of the kernels at a time, and shows by what the tests notice it.

mutations.py [--build DIR] [--nvcc FILE] [--work DIR] [--only TEXT] [--markdown FILE]

The mutations are those of mutations.txt, and the removal of each statement that orders threads. Each one changes a
copy of the kernels, compiles the kernels that it affects to PTX again, and runs generated_code_tests with them on the
interpreter (tests/device_code), test case by test case until one fails. The host code of the program stays as it is,
so only device code is mutated. Build generated_code_tests and octavo_ptx before. Exits with 1 if a mutation goes
unnoticed that mutations.txt does not explain.
"""

import argparse
import concurrent.futures
import dataclasses
import html
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
# The folders of kernels. Files are named relative to the first one; in the others, by their path from the root.
FOLDERS = ["kernels", "lib/lab/src/training/kernels"]
# As in octavo_add_ptx().
FLAGS = ["-std=c++20", "--fmad=false", "--expt-relaxed-constexpr", "-DNDEBUG", "-lineinfo"]
# The slowest test case takes 20 s on a quiet core.
TEST_TIMEOUT_S = 300

GATHER = [
    "the CUDA gather reads samples that are within one word",
    "the CUDA gather takes several steps per warp in every variant",
    "the CUDA gather crosses the end of an epoch in every variant",
    "the CUDA gather rounds unusual numbers like the definition",
    "the CUDA gather copies labels of more words than a block has threads",
    "the CUDA gather serves batches that its blocks divide unevenly",
    "the CUDA gather advances its cursor past the end of an epoch",
    "the CUDA gather gives the exact values of every case",
]
CODED = [
    "the CUDA gather of any coded rows gives the values of the definition",
    "the CUDA gather augments coded rows like plain ones",
]
AUGMENTED = [
    "the CUDA gather changes the values of whole images step by step",
    "the CUDA gather shrinks images with more weights than fit in shared memory",
    "the CUDA gather resizes also with filters that do not fit in shared memory",
    "the CUDA gather augments like the definition",
]
# The test cases that launch the kernels of a file, those that take less time first.
TESTS = {
    "gather_any": GATHER,
    "gather_pixels": GATHER,
    "gather_planes": GATHER,
    "gather_moved": [
        "the CUDA gather moves images of every type and layout like the definition",
        "the CUDA gather moves images with every variant of its kernel",
        "the CUDA gather moves images whose lines are longer than a tile",
        "the CUDA gather moves several images per warp",
        "the CUDA gather moves several images of any width per warp",
        "the CUDA gather moves images that have several blocks",
        "the CUDA gather moves images of any width and alignment",
    ],
    "gather_augmented": AUGMENTED,
    "gather_images": CODED + AUGMENTED,
    "gather_resized": [
        "the CUDA gather stores resized images at any address",
        "the CUDA gather resizes images of several tiles and parts",
        "the CUDA gather resizes images to and from every extreme size",
        "the CUDA gather resizes images of every type and layout like the definition",
    ],
    "mask_gather": [
        "the CUDA gather copies masks that are not augmented",
        "the CUDA gather of masks gives the masks of the CPU",
        "the CUDA gather of masks decodes coded rows",
    ],
    **dict.fromkeys(["gather_lc8", "gather_lp8"], [
        "the CUDA gather of whole tiles gives the values of the definition",
        "the CUDA gather of tiles reads no plain rows beyond a band",
        "the CUDA gather of tiles advances its cursor when all blocks have read it",
        "the CUDA gather of LC8 rows decodes rows of zeros",
        "the CUDA decoders write the codes of rows of every width",
    ]),
    "batch_decoding": [*CODED, "a cursor advances when the last part of its batch is selected"],
    "row_copy": ["the CUDA copy of float32 rows copies values and labels"],
    "batch_mean": ["the CUDA mean of a batch*", "the sums of a batch of coded rows are those of the CPU"],
    "sample_selection": ["the CUDA selection of samples*"],
    "cuda_arithmetic": [
        "the CUDA bias kernel matches the CPU",
        "the CUDA ReLU gradient matches the CPU",
        "the CUDA softmax matches the CPU",
        "the CUDA momentum step matches the CPU even if the grid is smaller than the work",
    ],
}


@dataclasses.dataclass
class Mutation:
    file: str  # in kernels/, or a path from the root
    old: str
    new: str
    sources: list[str]  # the files *.cu that are compiled again
    kind: str
    nth: int = 0  # which occurrence of `old`
    architecture: int = 90
    reason: str = ""  # why no test can notice it

    @property
    def path(self):
        """From the root of the repository."""
        return self.file if self.file.startswith(tuple(FOLDERS)) else f"{FOLDERS[0]}/{self.file}"

    def line(self, text):
        return text[: self.position(text)].count("\n") + 1

    def position(self, text):
        at = -1
        for _ in range(self.nth + 1):
            at = text.find(self.old, at + 1)
            if at < 0:
                sys.exit(f'mutate {self.file}: it has no "{self.old}" number {self.nth + 1}; adapt the table')
        return at

    def applied(self, text):
        at = self.position(text)
        return text[:at] + self.new + text[at + len(self.old) :]

    def description(self):
        one_line = re.sub(r"\s+", " ", self.old)
        return f"{self.kind}: `{one_line}`" + (f" → `{self.new}`" if self.new.strip("; ") else " → removed")


# Every statement that orders threads is removed in turn.
ORDERING = re.compile(
    r"^ *((?:__syncwarp|__syncthreads|__threadfence|threads_?\.wait)\(\);)|(?<=\{ )(__syncthreads\(\);)", re.M
)
# Where, and through which kernels.
ORDERED = {
    "cuda/batch_decoding.cu": "batch_decoding",
    "cuda/gather_any.cu": "gather_any",
    "cuda/gather_pixels.cu": "gather_pixels",
    "cuda/gather_moved.cu": "gather_moved",
    "cuda/block/moved_block.cuh": "gather_moved",
    "cuda/block/filter_tables.cuh": "gather_augmented",
    "cuda/gather_images.cu": "gather_images",
    "cuda/gather_lc8.cu": "gather_lc8",
    "cuda/gather_lp8.cu": "gather_lp8",
    "codecs/lp8_rows.hpp": "gather_images",
    "codecs/lc8_rows.hpp": "batch_mean",
    "stages/load.hpp": "gather_images mask_gather batch_mean",
    "cuda/gather_resized.cu": "gather_resized",
    "cuda/mask_gather.cu": "mask_gather",
    "cuda/sample_selection.cu": "sample_selection",
    "cuda/block/block_image.cuh": "gather_augmented",
    "cuda/block/batch_rows.cuh": "row_copy gather_planes",
    "augment/image_passes.hpp": "gather_images",
}


def removals():
    found = []
    for file, sources in ORDERED.items():
        text = (ROOT / "kernels" / file).read_text()
        for match in ORDERING.finditer(text):
            group = 1 if match.group(1) else 2
            nth = text.count(match.group(group), 0, match.start(group))
            found.append(Mutation(file, match.group(group), ";", sources.split(), "order", nth))
    return found


def listed():
    """The mutations of mutations.txt."""
    found = []
    for line in pathlib.Path(__file__).with_suffix(".txt").read_text().splitlines():
        sign, text = line[:1], line[2:]
        if sign == "@":
            file, kind, sources, architecture = re.fullmatch(r"(\S+), (.+): ([\w ]+)(?:, (\d+))?", text).groups()
        elif sign == "-":
            number, old = re.fullmatch(r"-(\d*) (.*)", line).groups()
        elif sign == "+":
            found.append(
                Mutation(file, old, text, sources.split(), kind, int(number or 1) - 1, int(architecture or 90))
            )
        elif sign == "?":
            found[-1].reason = text
    return found


def code_of(path):
    """The instructions of a PTX file, without names and comments that depend on the path of the source."""
    lines = [line for line in path.read_text().splitlines() if not line.lstrip().startswith((".loc", ".file", "//"))]
    return re.sub(r"_[0-9a-f]{8}(_\d+_\w+?_cu)_[0-9a-f]{8}", r"\1", "\n".join(lines))


def fault_of(report):
    """What an XML report says of the first failure: the fault and its place, or that the result is another one."""
    thrown = re.search(r"<Exception.*?>(.*?)</Exception>", report, re.S)
    if not thrown:
        return "bytes that are not written" if re.search(r"<Original>\s*unwritten_bytes", report) else "another result"
    text = html.unescape(thrown.group(1)).strip()
    faults = re.findall(r"^\s*(\S.*?) at (\S.*?) in .*? times;", text, re.M)
    if not faults:
        return text.splitlines()[0]
    kinds = {}
    for kind, places in faults:  # an inlined function, < the place that calls it, and so on
        kinds.setdefault(kind, next((place for place in places.split(" < ") if place.startswith(tuple(FOLDERS))), places))
    return "; ".join(f"{kind} at {place}" for kind, place in kinds.items())


class Laboratory:
    """Where mutations are compiled and run."""

    def __init__(self, nvcc, build, work):
        self.nvcc, self.build, self.work = nvcc, build, work
        self.tests = build / "tests/device_code/generated_code_tests"
        shutil.rmtree(work, ignore_errors=True)

    def ptx(self, architecture):
        return self.build / f"tests/device_code/ptx/{architecture}"

    def failure_of(self, folder, sources):
        """The first test case of the kernels of `sources` that fails, and why; None if none does."""
        for test in dict.fromkeys(test for source in sources for test in TESTS[source]):
            command = ["nice", self.tests, test, "--reporter", "xml", "--abort"]
            environment = dict(os.environ, DEVICE_CODE=f"ptx={folder}")
            try:
                run = subprocess.run(
                    command, env=environment, capture_output=True, text=True, errors="replace", timeout=TEST_TIMEOUT_S
                )
            except subprocess.TimeoutExpired:
                return f"{test}: it hangs"
            cases = re.findall(r'<TestCase name="(.*?)"', run.stdout)
            if not cases:
                sys.exit(f'run the tests: there is no test case "{test}"; adapt TESTS')
            if run.returncode:
                return f"{html.unescape(cases[-1])}: {fault_of(run.stdout)}"
        return None

    def compile(self, place, mutation):
        """Compiles kernels of the mutated copy in `place`. Returns the error of the compiler, or an empty text."""
        for source in mutation.sources:
            command = ["nice", self.nvcc, "-ptx", f"-arch=compute_{mutation.architecture}", *FLAGS, f"-I{place}"]
            command += [f"-I{place}/kernels/include", f"-I{place}/lib/lab/src", *place.rglob(f"{source}.cu")]
            run = subprocess.run([*command, "-o", place / f"ptx/{source}.ptx"], capture_output=True, text=True)
            if run.returncode:
                return run.stderr.strip().splitlines()[0]
        return ""

    def verdict_on(self, number, mutation):
        place, original = self.work / str(number), self.ptx(mutation.architecture)
        for folder in FOLDERS:
            shutil.copytree(ROOT / folder, place / folder)
        path = place / mutation.path
        path.write_text(mutation.applied(path.read_text()))
        (place / "ptx").mkdir()
        if error := self.compile(place, mutation):
            return f"DOES NOT COMPILE: {error}"
        compiled = {source: f"{source}.ptx" for source in mutation.sources}
        is_same = all(code_of(place / "ptx" / name) == code_of(original / name) for name in compiled.values())
        for file in original.glob("*.ptx"):
            if file.stem not in compiled:
                (place / "ptx" / file.name).symlink_to(file)
        failure = None if is_same else self.failure_of(place / "ptx", mutation.sources)
        shutil.rmtree(place)
        if failure:
            return failure
        return f"not noticed: {mutation.reason}" if mutation.reason else "THE SAME CODE" if is_same else "NOT NOTICED"


def table_of(rows):
    lines = ["| where | what | noticed by |", "| --- | --- | --- |"]
    for place, what, verdict in rows:
        what = what.replace("|", "\\|")
        lines.append(f"| {place} | {what} | {verdict} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--build", type=pathlib.Path, default=ROOT / "build/fake-cuda", help="the build folder with generated_code_tests"
    )
    parser.add_argument("--nvcc", default=shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "build/kernel_mutations")
    parser.add_argument("--only", default="", help="run only mutations whose file or text contains this text")
    parser.add_argument("--markdown", type=pathlib.Path)
    arguments = parser.parse_args()
    laboratory = Laboratory(arguments.nvcc, arguments.build.resolve(), arguments.work.resolve())
    chosen = [mutation for mutation in removals() + listed() if arguments.only in str(mutation)]
    for mutation in chosen:  # finds texts that are no longer there
        mutation.position((ROOT / mutation.path).read_text())
    for architecture in sorted({mutation.architecture for mutation in chosen}):
        sources = [source for mutation in chosen for source in mutation.sources]
        if failure := laboratory.failure_of(laboratory.ptx(architecture), sources):
            sys.exit(f"the tests fail without a mutation: {failure}")

    pool = concurrent.futures.ThreadPoolExecutor(os.cpu_count())
    rows, missed = [], 0
    for mutation, verdict in zip(chosen, pool.map(lambda pair: laboratory.verdict_on(*pair), enumerate(chosen))):
        missed += verdict.startswith(("NOT NOTICED", "THE SAME CODE", "DOES NOT COMPILE"))
        place = f"{mutation.file}:{mutation.line((ROOT / mutation.path).read_text())}"
        if mutation.architecture != 90:
            place += f" ({mutation.architecture // 10}.{mutation.architecture % 10})"
        rows.append((place, mutation.description(), verdict))
        print(f"{place} {mutation.description()}\n    {verdict}", flush=True)
    print(f"{len(rows)} mutations, {missed} not noticed and not explained")
    if arguments.markdown:
        arguments.markdown.write_text(table_of(rows))
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
