#!/usr/bin/env python3
"""Assembles the results of tools/bench.sh: one JSON document, and tables in Markdown.

bench_results.py RESULTS OUT               RESULTS has one JSON document per benchmark; writes OUT/<processor>.json and .md
bench_results.py --compare OLD NEW         prints the rows of two results files that differ by more than their spread
"""
import datetime
import json
import os
import pathlib
import platform
import re
import sys

from gpu_results import cpu_name

SMALLEST_MOVE = 0.05  # relative change of a ratio; less is noise on most machines


def assemble(folder):
    documents = {path.stem: json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))}
    # A benchmark that was skipped has no rows.
    documents = {name: document for name, document in documents.items() if document.get("rows")}
    return {
        "format": 1,
        "host": {"cpu": cpu_name(), "cores": len(os.sched_getaffinity(0)), "kernel": platform.release().split("-")[0]},
        "commit": os.environ["commit"],
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "command": os.environ["command_line"],
        "bench": documents,
    }


def sections(document):
    """The rows of a benchmark by section, in their order."""
    grouped = {}
    for row in document["rows"]:
        grouped.setdefault(row["section"], []).append(row)
    return grouped


def ratio(row):
    """The number that does not depend on the speed of the machine."""
    return row.get("fraction_of_reference", row.get("octavo_is_faster_by"))


def time_text(seconds):
    for unit, scale in (("s", 1), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def to_text(result):
    host = result["host"]
    lines = [f"# {host['cpu']}, {host['cores']} cores", "",
             f"Measured by `{result['command']}` on {result['date'][:10]} at commit {result['commit']}, Linux "
             f"{host['kernel']}. Medians; spread is (third quartile - first) / median. The JSON document next to "
             "this file has all numbers.", ""]
    for name, document in result["bench"].items():
        lines += [f"## {name}", ""]
        for section, rows in sections(document).items():
            last = "Octavo is faster by" if "octavo_is_faster_by" in rows[0] else "of the reference"
            lines += [f"**{section}**", "", f"| | time | GB/s | spread | {last} |", "|---|---:|---:|---:|---:|"]
            for row in rows:
                rate = f"{row['bytes_per_second'] / 1e9:.2f}" if "bytes_per_second" in row else ""
                lines.append(f"| {row['name']} | {time_text(row['median_seconds'])} | {rate} | {row['spread']:.1%} | "
                             f"{ratio(row):.3g} |")
            lines.append("")
    return "\n".join(lines)


def compare(old, new):
    """Prints the rows that changed, and counts those that changed by noise only."""
    def rows(result):
        return {(name, row["section"], row["name"]): row for name, document in result["bench"].items()
                for row in document["rows"]}

    before, after = rows(old), rows(new)
    still = 0
    for key in after:
        if key not in before:
            print(f"new      {ratio(after[key]):8.3f}            {' / '.join(key)}")
            continue
        was, now = ratio(before[key]), ratio(after[key])
        noise = max(SMALLEST_MOVE, before[key]["spread"], after[key]["spread"])
        if abs(now / was - 1) <= noise:
            still += 1
            continue
        print(f"{'better' if now > was else 'worse':7} {was:8.3f} -> {now:8.3f}  {' / '.join(key)}")
    for key in before.keys() - after.keys():
        print(f"gone     {ratio(before[key]):8.3f}            {' / '.join(key)}")
    print(f"{still} rows did not move by more than their spread")


def main(arguments):
    if len(arguments) == 3 and arguments[0] == "--compare":
        return compare(*(json.loads(pathlib.Path(path).read_text()) for path in arguments[1:]))
    if len(arguments) != 2:
        sys.exit(__doc__)
    result = assemble(pathlib.Path(arguments[0]))
    name = re.sub(r"[^a-z0-9]+", "-", f"{result['host']['cpu']} {result['host']['cores']} cores".lower()).strip("-")
    stem = f"{arguments[1]}/{name}"
    pathlib.Path(f"{stem}.json").write_text(json.dumps(result, indent=1) + "\n")
    pathlib.Path(f"{stem}.md").write_text(to_text(result))
    print(f"{stem}.json\n{stem}.md")


if __name__ == "__main__":
    main(sys.argv[1:])
