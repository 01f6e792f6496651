#!/usr/bin/env python3
"""Assembles the results of tools/gpu_check.sh so far: a JSON document and a Markdown text.

gpu_results.py CHECK TARGET [--say]      writes TARGET.json and TARGET.md; exit status 1 if a chosen stage has a problem;
                                         --say prints the files and the problems
gpu_results.py --cuda-executables CHECK  prints a line for each executable with tests labeled cuda: name, tab, path
"""
import csv
import datetime
import json
import os
import pathlib
import platform
import statistics
import sys
import xml.etree.ElementTree

LONGEST_FIGURE = 100  # characters; longer texts are only in the JSON document
LOG_LINES = 40  # of a failed part
MUST_FINISH = ("build", "test", "python")  # in these stages, running out of time is a problem
REHEARSAL = "rehearsal: no GPU, no number here is a speed"


def read_records(check):
    """The parts in the order in which they first ran, each with its last verdict. Skips truncated lines."""
    records = {}
    for line in (check / "records.tsv").read_text().splitlines():
        cells = line.split("\t")
        if len(cells) != 5 or not cells[3].isdigit():
            continue
        stage, name, verdict, seconds, date = cells
        records[stage, name] = dict(stage=stage, name=name, verdict=verdict, seconds=int(seconds), date=date)
    return list(records.values())


def is_problem(record):
    """Whether a verdict is a failure. A benchmark may run out of time, a sanitizer may refuse the machine, and a part
    may be skipped."""
    verdict = record["verdict"]
    if verdict in ("passed", "refused by this machine") or verdict.startswith("skipped"):
        return False
    if verdict in ("ran out of time", "not run: no time was left"):
        return record["stage"] in MUST_FINISH
    return True


def read_log(check, record):
    """The end of a part's output."""
    path = check / record["stage"] / f"{record['name']}.log"
    return path.read_text(errors="replace").splitlines()[-LOG_LINES:] if path.exists() else []


def read_clocks(path):
    """Median, minimum and maximum of the samples taken while a part ran; None without samples."""
    names = ("sm_mhz", "memory_mhz", "temperature_c", "power_w")
    columns = {name: [] for name in names}
    for row in csv.reader(path.read_text(errors="replace").splitlines()):
        try:
            values = [float(cell) for cell in row]
        except ValueError:
            continue
        if len(values) == len(names):
            for name, value in zip(names, values):
                columns[name].append(value)
    if not columns["sm_mhz"]:
        return None
    return {"samples": len(columns["sm_mhz"]),
            **{name: dict(median=statistics.median(values), least=min(values), most=max(values))
               for name, values in columns.items()}}


def says_skipped(case):
    """Whether a Catch2 test printed that it was skipped, which Catch2 2 cannot report in another way."""
    return any("SKIPPED:" in (output.text or "") for output in case.iter("system-out"))


def read_junit(paths):
    """Counts by verdict, and the names of the failed and the skipped tests."""
    counts = dict(passed=0, failed=0, skipped=0)
    failures, skips = [], []
    for path in paths:
        try:
            cases = list(xml.etree.ElementTree.parse(path).getroot().iter("testcase"))
        except xml.etree.ElementTree.ParseError:
            continue  # truncated because the run was killed
        for case in cases:
            # ctest uses an attribute, pytest a child element.
            children = {child.tag for child in case}
            if case.get("status") == "fail" or children & {"failure", "error"}:
                verdict, names = "failed", failures
            elif case.get("status") in ("run", None) and "skipped" not in children and not says_skipped(case):
                verdict, names = "passed", None
            else:
                verdict, names = "skipped", skips
            counts[verdict] += 1
            if names is not None:
                names.append(case.get("name"))
    return {**counts, "failures": failures, "skips": skips}


def read_documents(folder, problems):
    """The JSON documents of a folder by name. Invalid JSON is a problem."""
    documents = {}
    for path in sorted(folder.glob("*.json")):
        try:
            documents[path.stem] = json.loads(path.read_text())
        except ValueError as error:
            problems.append((folder.name, f"{path.stem}: its output is not JSON: {error}"))
    return documents


def cpu_name():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def data_name(folder):
    name = pathlib.Path(folder).name
    return {"digits": "data/digits (1,797 images: too small for meaningful numbers)"}.get(name, name)


def assemble(check):
    """The whole document. gpu_check.sh passes the description of the machine in the environment."""
    env = os.environ
    records = read_records(check)
    problems = [(r["stage"], f"{r['name']}: {r['verdict']}") for r in records if is_problem(r)]
    for record in records:
        clocks = check / record["stage"] / f"{record['name']}.clocks"
        if clocks.exists() and (summary := read_clocks(clocks)):
            record["clocks"] = summary
        if is_problem(record):
            record["log"] = read_log(check, record)
    result = {
        "format": 2,
        "device": {"name": env["gpu_name"], "compute_capability": env["capability"], "memory_mib": env["memory"],
                   "driver": env["driver"], "max_clocks_mhz": env["max_clocks"]},
        "toolkit": env["toolkit"],
        "host": {"cpu": cpu_name(), "cores": len(os.sched_getaffinity(0))},
        "commit": env["commit"],
        "identity": env["identity"],
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "command": env["command_line"],
        "data": data_name(env["dataset"]),
        "records": records,
    }
    if env.get("rehearse") == "yes":
        result = {"rehearsal": REHEARSAL, **result}
    ran = {record["stage"] for record in records}
    if "test" in ran:
        result["test"] = read_junit(sorted((check / "test").glob("*.xml")))
        if result["test"]["passed"] + result["test"]["failed"] == 0:
            problems.append(("test", "no test labeled cuda ran on the device"))
    if "python" in ran:
        result["python"] = read_junit(sorted((check / "python").glob("*.xml")))
    for stage in ("bench", "train"):
        if stage in ran:
            result[stage] = read_documents(check / stage, problems)
    chosen = env["stages_chosen"].split()
    result["problems"] = [f"{stage} {text}" for stage, text in problems]
    result["passed"] = not problems
    return result, [f"{stage} {text}" for stage, text in problems if stage in chosen]


def as_text(value):
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def is_row(value):
    return isinstance(value, dict) and not any(isinstance(inner, (dict, list)) for inner in value.values())


def figures(value, path=""):
    """Pairs of path and text, one for each value of a document."""
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
    """Every list of flat objects as a separate table, and everything else as one table."""
    lists = {key: value for key, value in document.items()
             if isinstance(value, list) and value and all(is_row(entry) for entry in value)}
    rest = {key: value for key, value in document.items() if key not in lists}
    rows = [pair for pair in figures(rest) if len(pair[1]) <= LONGEST_FIGURE]
    lines = table(["figure", "value"], rows) if rows else []
    for value in lists.values():
        header = list(dict.fromkeys(key for entry in value for key in entry))
        lines += table(header, [[as_text(entry.get(key, "")) for key in header] for entry in value])
    return lines


def failure_logs(result):
    lines = []
    for record in result["records"]:
        if record.get("log"):
            lines += [f"### {record['stage']} {record['name']}", "", "```", *record["log"], "```", ""]
    return ["## Output of failed parts", "", *lines] if lines else []


def test_tables(result):
    lines = []
    for stage in ("test", "python"):
        if stage in result:
            counts = result[stage]
            lines += [f"## {stage}", ""]
            lines += table(["passed", "failed", "skipped"], [[counts[key] for key in ("passed", "failed", "skipped")]])
            lines += [f"- failed: {name}" for name in counts["failures"]]
            lines += [f"- skipped: {name}" for name in counts["skips"]] + [""]
    return lines


def clocks_text(record):
    clocks = record.get("clocks")
    if not clocks:
        return ""
    return (f"SM {clocks['sm_mhz']['median']:.0f} MHz ({clocks['sm_mhz']['least']:.0f} to {clocks['sm_mhz']['most']:.0f}), "
            f"memory {clocks['memory_mhz']['median']:.0f} MHz, at most {clocks['power_w']['most']:.0f} W")


def summary(result):
    if result["passed"]:
        return "Passed so far"
    finished = ("passed", "skipped", "refused", "ran out of time", "not run: no time was left")
    return "Incomplete" if all(record["verdict"].startswith(finished) for record in result["records"]) else "Failed"


def to_text(result):
    device, host = result["device"], result["host"]
    lines = [f"# {device['name']}", ""]
    if "rehearsal" in result:
        lines += [f"**{result['rehearsal']}**", ""]
    lines += [f"{summary(result)}. The JSON document has all numbers.", ""]
    lines += table(["measured", "with"], [
        ["device", f"{device['name']}, compute capability {device['compute_capability']}, {device['memory_mib']} MiB"],
        ["highest clocks", f"{device['max_clocks_mhz']} MHz (SM, memory)"],
        ["driver", device["driver"]],
        ["toolkit", f"CUDA {result['toolkit']}"],
        ["host", f"{host['cpu']}, {host['cores']} cores"],
        ["data", result["data"]],
        ["commit", result["commit"]],
        ["date", result["date"]],
        ["command", f"`{result['command']}`"],
    ])
    if result["problems"]:
        lines += ["## Problems", ""] + [f"- {problem}" for problem in result["problems"]] + [""]
    lines += ["## Parts", ""] + table(["stage", "part", "verdict", "seconds", "clocks during the part"], [
        [record["stage"], record["name"], record["verdict"], record["seconds"], clocks_text(record)]
        for record in result["records"]])
    lines += test_tables(result)
    for stage in ("bench", "train"):
        for name, document in result.get(stage, {}).items():
            lines += [f"## {stage}: {name}", ""] + document_tables(document)
    lines += failure_logs(result)
    return "\n".join(lines).rstrip("\n") + "\n"


def write_whole(path, text):
    """Replaces the file atomically, so that it is never half written."""
    part = pathlib.Path(f"{path}.part")
    part.write_text(text)
    os.replace(part, path)


def cuda_executables(check):
    """Name and path of the executables with the ctest label cuda, from the output of `ctest --show-only=json-v1`."""
    found = {}
    for test in json.loads((check / "ctest.json").read_text())["tests"]:
        labels = next((p["value"] for p in test.get("properties", []) if p["name"] == "LABELS"), [])
        if "cuda" in labels and "command" in test:
            found[test["name"].split(":", 1)[0]] = test["command"][0]
    return sorted(found.items())


def main(arguments):
    if len(arguments) == 2 and arguments[0] == "--cuda-executables":
        for name, path in cuda_executables(pathlib.Path(arguments[1])):
            print(f"{name}\t{path}")
        return 0
    if len(arguments) not in (2, 3) or arguments[2:] not in ([], ["--say"]):
        sys.exit(__doc__)
    check, target = pathlib.Path(arguments[0]), arguments[1]
    result, problems = assemble(check)
    write_whole(f"{target}.json", json.dumps(result, indent=1) + "\n")
    write_whole(f"{target}.md", to_text(result))
    if len(arguments) == 3:
        print(f"{target}.json and .md")
        for problem in problems:
            print(f"problem: {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
