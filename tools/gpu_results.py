#!/usr/bin/env python3
"""Puts together what tools/gpu_check.sh left in its folder: one JSON document, and a text to read beside it.

gpu_results.py CHECK TARGET              writes TARGET.json and TARGET.md; exit status 1 if there are problems
gpu_results.py --cuda-executables CHECK  prints the executables that hold tests labelled cuda
"""
import datetime
import json
import os
import pathlib
import platform
import sys
import xml.etree.ElementTree

LONGEST_FIGURE = 100  # characters; longer texts are in the JSON document only


def cuda_tests(check):
    """The tests that ctest labels cuda, as `ctest --show-only=json-v1` describes them."""

    def labels(test):
        return next((p["value"] for p in test.get("properties", []) if p["name"] == "LABELS"), [])

    return [test for test in json.loads((check / "ctest.json").read_text())["tests"] if "cuda" in labels(test)]


def read_records(check):
    """The lines that gpu_check.sh recorded, one a step."""
    rows = (line.split("\t") for line in (check / "records.tsv").read_text().splitlines())
    return [dict(kind=kind, name=name, verdict=verdict, seconds=int(seconds)) for kind, name, verdict, seconds in rows]


def is_problem(record):
    """A benchmark may run out of time and a sanitizer may refuse the machine; a test must pass."""
    return record["verdict"] in ("failed", "no summary") or (
        record["kind"] == "tests" and record["verdict"] != "passed")


def count_tests(check):
    """Counts by verdict, of all tests and of those labelled cuda, and the names of those that failed."""
    cuda_names = {test["name"] for test in cuda_tests(check)}
    counts = {group: dict(passed=0, failed=0, skipped=0) for group in ("all", "cuda")}
    failures = []
    for path in sorted(check.glob("tests-*.xml")):
        for case in xml.etree.ElementTree.parse(path).getroot().iter("testcase"):
            verdict = {"run": "passed", "fail": "failed"}.get(case.get("status"), "skipped")
            counts["all"][verdict] += 1
            if case.get("name") in cuda_names:
                counts["cuda"][verdict] += 1
            if verdict == "failed":
                failures.append(case.get("name"))
    return {**counts, "failures": failures}


def read_documents(folder, problems):
    """The JSON documents of a folder by name; one that is none is a problem."""
    documents = {}
    for path in sorted(folder.glob("*.json")):
        try:
            documents[path.stem] = json.loads(path.read_text())
        except ValueError as error:
            problems.append(f"{folder.name} {path.stem}: what it wrote is not JSON: {error}")
    return documents


def cpu_name():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def assemble(check):
    """The whole document; what it measured with comes from gpu_check.sh in the environment."""
    env = os.environ
    records = read_records(check)
    problems = [f"{r['kind']} {r['name']}: {r['verdict']}" for r in records if is_problem(r)]
    stages = env["stages"].split(",")
    result = {
        "format": 1,
        "device": {"name": env["gpu_name"], "compute_capability": env["capability"], "memory_mib": env["memory"],
                   "driver": env["driver"]},
        "toolkit": env["toolkit"],
        "host": {"cpu": cpu_name(), "cores": len(os.sched_getaffinity(0))},
        "commit": env["commit"],
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "command": env["command_line"],
        "records": records,
    }
    if "tests" in stages:
        result["tests"] = count_tests(check)
        if result["tests"]["cuda"]["passed"] + result["tests"]["cuda"]["failed"] == 0:
            problems.append("tests: not one test labelled cuda ran on the device")
    if "bench" in stages:
        result["program"] = read_documents(check / "program", problems)
        result["bench"] = read_documents(check / "bench", problems)
    return {**result, "problems": problems, "passed": not problems}


def as_text(value):
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def is_row(value):
    return isinstance(value, dict) and not any(isinstance(inner, (dict, list)) for inner in value.values())


def figures(value, path=""):
    """Pairs of path and text, one for each figure of a document."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from figures(inner, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from figures(inner, f"{path}[{index}]")
    else:
        yield path, as_text(value)


def table(header, rows):
    lines = [header, ["---"] * len(header), *rows]
    return ["| " + " | ".join(str(cell).replace("\n", " ").replace("|", "\\|") for cell in row) + " |"
            for row in lines] + [""]


def document_tables(document):
    """Every list of flat objects as a table of its own, and everything else as one table of figures."""
    lists = {key: value for key, value in document.items()
             if isinstance(value, list) and value and all(is_row(entry) for entry in value)}
    rest = {key: value for key, value in document.items() if key not in lists}
    rows = [pair for pair in figures(rest) if len(pair[1]) <= LONGEST_FIGURE]
    lines = table(["figure", "value"], rows) if rows else []
    for value in lists.values():
        header = list(dict.fromkeys(key for entry in value for key in entry))
        lines += table(header, [[as_text(entry.get(key, "")) for key in header] for entry in value])
    return lines


def to_text(result):
    device, host = result["device"], result["host"]
    lines = [f"# {device['name']}", "",
             f"{'Passed' if result['passed'] else 'Failed'}. Every figure is in the JSON document beside this one.", ""]
    lines += table(["measured", "with"], [
        ["device", f"{device['name']}, compute capability {device['compute_capability']}, {device['memory_mib']} MiB"],
        ["driver", device["driver"]],
        ["toolkit", f"CUDA {result['toolkit']}"],
        ["host", f"{host['cpu']}, {host['cores']} cores"],
        ["commit", result["commit"]],
        ["date", result["date"]],
        ["command", f"`{result['command']}`"],
    ])
    if result["problems"]:
        lines += ["## Problems", ""] + [f"- {problem}" for problem in result["problems"]] + [""]
    if "tests" in result:
        rows = [[group, *result["tests"][group].values()] for group in ("all", "cuda")]
        lines += ["## Tests", ""] + table(["tests", "passed", "failed", "skipped"], rows)
        lines += [f"- failed: {name}" for name in result["tests"]["failures"]] + [""]
    lines += ["## Steps", ""] + table(["step", "what", "verdict", "seconds"],
                                      [record.values() for record in result["records"]])
    for group in ("program", "bench"):
        for name, document in result.get(group, {}).items():
            lines += [f"## {name}", ""] + document_tables(document)
    return "\n".join(lines).rstrip("\n") + "\n"


def main(arguments):
    if len(arguments) != 2:
        sys.exit(__doc__)
    if arguments[0] == "--cuda-executables":
        commands = [test["command"] for test in cuda_tests(pathlib.Path(arguments[1])) if "command" in test]
        print("\n".join(sorted({command[0] for command in commands})))
        return 0
    check, target = pathlib.Path(arguments[0]), arguments[1]
    result = assemble(check)
    pathlib.Path(f"{target}.json").write_text(json.dumps(result, indent=1) + "\n")
    pathlib.Path(f"{target}.md").write_text(to_text(result))
    print(f"{target}.json and .md")
    for problem in result["problems"]:
        print(f"problem: {problem}")
    return 0 if result["passed"] else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
