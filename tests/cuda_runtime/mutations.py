#!/usr/bin/env python3
"""Removes one wait, stream argument or synchronization at a time from the library, and shows which test notices.

mutations.py [--work DIR] [--only TEXT] [--markdown FILE]

Works on a copy of the checkout. All mutations are compiled in together, and the environment variable OCTAVO_MUTANT
selects one by its number, so the copy is built only once. The tests run on the fake CUDA runtime, under several
schedules, until one fails. Exits with 1 if a mutation goes unnoticed that is not explained below.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = ["lib/core/src/backend/cuda_backend.cpp", "lib/core/src/backend/in_flight.cpp", "lib/core/src/backend/owned_tensor.cpp",
           "lib/core/src/store/**/*.?pp", "lib/core/src/loader/**/*.?pp",
           "lib/lab/src/comparisons/*_server.?pp", "lib/lab/src/training/*.cpp",
           "lib/core/src/cuda/*.cpp"]
# Statements that order work, each on a line of its own.
STATEMENT = re.compile(
    r"^(\s*(?:(?:if|for) \(.*\) )?)((?!progress|counter|work\.changed|hash\.|add\()(?:[\w\->.:*()]+(?:->|\.|::))?"
    r"(?:wait|synchronize|synchronize_event|finish|record|record_or_finish|add|order_after|begin_use|end_use|"
    r"finish_block|mark_used|refuse_capture)\(.*\);)(\s*//.*)?$")
CALL = re.compile(r"^(\s*)(check\(cuda(?:StreamWaitEvent|EventRecord|EventSynchronize|StreamSynchronize)\(.*\);)$")
EXCHANGE = re.compile(r"^(\s*)(static_cast<void>\(cudaThreadExchangeStreamCaptureMode\(.*\)\);)$")
STREAM_HANDLE = re.compile(r"stream_of\(stream\)")
STREAM_ARGUMENT = re.compile(r"(?<=, )stream(?=\))")
HEADER = """#pragma once
#include <cstdlib>
/// Whether this run selects mutation `number`.
inline bool octavo_mutant(int number) {
  static const int chosen = std::getenv("OCTAVO_MUTANT") == nullptr ? 0 : std::atoi(std::getenv("OCTAVO_MUTANT"));
  return number == chosen;
}
"""
SCHEDULES = ["lazy", "random,seed=1", "random,seed=2", "random,seed=3"]
TESTS = ["cuda_use_tests", "store_tests", "graph_capture_tests", "backend_tests", "training_tests", "loader_tests",
         "cuda_faults_tests"]

# The slowest test takes 20 s on a quiet core. A test that hangs costs the whole limit.
TEST_TIMEOUT_S = 120

# Mutations that no test on a device can notice: part of the line, and the reason. They are not run.
EXPLAINED = {
    "backend::finish(*samples_->backend, copied_.get());":
        "what fill() copied is waited for by every use(), whose event is waited for next",
    "backend.synchronize_event(used_.get());":
        "for the CPU only, whose tests notice it under ThreadSanitizer",
    "if (stream_.get() != nullptr) backend::finish(*samples_->backend, StreamRef(stream_.get()));":
        "slots and uploads, which are destroyed first, wait for everything that was enqueued; kept for safety",
    "device.copy_to_device(to.labels.data, batch_labels.data()":
        "the copy before it has waited for the stream, and this one waits too: nothing is left to order",
}


class Mutator:
    """Inserts every mutation into the sources of the copy."""

    def __init__(self, copy):
        self.copy, self.mutations = copy, []

    def number(self, path, line, text, kind):
        self.mutations.append(dict(file=path, line=line, text=text.strip(), kind=kind))
        return len(self.mutations)

    def mutate(self, path):
        lines = (ROOT / path).read_text().splitlines()
        for index, line in enumerate(lines):
            is_prefix = line.lstrip().startswith(("//", "/*", "#", "void ", "inline ", "virtual ", "template", "static "))
            statement = None if is_prefix else STATEMENT.match(line) or CALL.match(line) or EXCHANGE.match(line)
            if statement:
                number = self.number(path, index + 1, line, "removed")
                lines[index] = f"{statement.group(1)}if (!octavo_mutant({number})) {{ {statement.group(2)} }}"
                continue
            if is_prefix or "StreamRef stream" in line:
                continue

            def handle(_):
                return f"(octavo_mutant({self.number(path, index + 1, line, 'default stream')}) ? nullptr : stream_of(stream))"

            def argument(_):
                return f"octavo_mutant({self.number(path, index + 1, line, 'default stream')}) ? StreamRef{{}} : stream"

            lines[index] = STREAM_ARGUMENT.sub(argument, STREAM_HANDLE.sub(handle, line))
        write_if_changed(self.copy / path, "\n".join(lines) + "\n")


def write_if_changed(path, text):
    """Keeps the timestamp of an unchanged file, so that a second run rebuilds little."""
    if not path.is_file() or path.read_text() != text:
        path.write_text(text)


def make_copy(work, mutated):
    copy = work / "source"
    files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    for name in files.decode().split("\0"):
        if name and (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            if name not in mutated:
                shutil.copy2(ROOT / name, copy / name)
    return copy


def build(copy):
    write_if_changed(copy / "mutant.hpp", HEADER)
    subprocess.run(["cmake", "--preset", "fake-cuda", f"-DCMAKE_CXX_FLAGS=-include {copy}/mutant.hpp",
                    "-DOCTAVO_WARNINGS_AS_ERRORS=OFF"], cwd=copy, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", "build/fake-cuda", "-j", str(os.cpu_count()), "--target", "octavo_gpu_tests"],
                   cwd=copy, check=True, stdout=subprocess.DEVNULL)
    found = {path.name: path for path in (copy / "build/fake-cuda/tests").rglob("*_tests") if os.access(path, os.X_OK)}
    return [found[name] for name in TESTS]


def failure_of(tests, number, timeout=TEST_TIMEOUT_S):
    """The schedule, the test case and its report; None if all tests passed."""
    for schedule in SCHEDULES:
        for test in tests:
            environment = dict(os.environ, FAKE_CUDA=f"schedule={schedule}", OCTAVO_MUTANT=str(number))
            try:
                run = subprocess.run([test, "[cuda]~[large],[faults]"], env=environment, capture_output=True, text=True,
                                     errors="replace", timeout=timeout)
            except subprocess.TimeoutExpired:
                return f"{test.name}, {schedule}: it hangs"
            if run.returncode == 0:
                continue
            report = re.search(r"fake CUDA: (.*?)[:\n]", run.stderr)
            case = re.search(r"^-{79}\n(.*?)\n-{79}", run.stdout, re.S | re.M)
            said = report.group(1) if report else "another result"
            return f"{case.group(1).strip() if case else test.name} ({schedule}): {said}"
    return None


def verdict_on(tests, number, mutation):
    reason = next((why for text, why in EXPLAINED.items() if text in mutation["text"]), None)
    return f"not noticed: {reason}" if reason else failure_of(tests, number) or "NOT NOTICED"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "build/mutations")
    parser.add_argument("--only", default="", help="run only mutations whose file or line contains this text")
    parser.add_argument("--markdown", type=pathlib.Path)
    arguments = parser.parse_args()
    sources = [str(path.relative_to(ROOT)) for pattern in SOURCES for path in sorted(ROOT.glob(pattern))]
    copy = make_copy(arguments.work.resolve(), set(sources))
    mutator = Mutator(copy)
    for source in sources:
        mutator.mutate(source)
    tests = build(copy)
    failure = failure_of(tests, 0, 600)
    if failure:
        sys.exit(f"the tests fail without a mutation: {failure}")

    chosen = [(number, mutation) for number, mutation in enumerate(mutator.mutations, 1)
              if arguments.only in mutation["file"] + mutation["text"]]
    pool = concurrent.futures.ThreadPoolExecutor(os.cpu_count())
    rows, missed = [], 0
    for (_, mutation), verdict in zip(chosen, pool.map(lambda pair: verdict_on(tests, *pair), chosen)):
        missed += verdict == "NOT NOTICED"
        rows.append((mutation, verdict))
        print(f"{mutation['file']}:{mutation['line']} [{mutation['kind']}] {mutation['text']}\n    {verdict}", flush=True)
    print(f"{len(rows)} mutations, {missed} not noticed and not explained")
    if arguments.markdown:
        table = ["| where | what | noticed by |", "| --- | --- | --- |"]
        for mutation, verdict in rows:
            text = mutation["text"].replace("|", "\\|")
            table.append(f"| {mutation['file']}:{mutation['line']} | {mutation['kind']}: `{text}` | {verdict} |")
        arguments.markdown.write_text("\n".join(table) + "\n")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
