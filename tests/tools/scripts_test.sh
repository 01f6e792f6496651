#!/usr/bin/env bash
# Checks the scripts of tools/ without installing, building or a device: their manuals, their refusals, and what
# gpu_results.py makes of a run; and that the committed data are what their checksums say.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# expect STATUS PATTERN COMMAND...: the command ends so, and its output matches.
expect() {
  local expected=$1 pattern=$2 status=0 output
  shift 2
  output=$("$@" 2>&1) || status=$?
  if ((status != expected)) || ! grep -qE -- "$pattern" <<<"$output"; then
    printf '%s: exit status %d instead of %d, or no "%s" in:\n%s\n' "$*" "$status" "$expected" "$pattern" "$output"
    exit 1
  fi
}

# ---- Every script ---------------------------------------------------------------
scripts=("$root"/tools/*.sh "$root/.ci/run" "${BASH_SOURCE[0]}")
for script in "${scripts[@]}"; do expect 0 '' bash -n "$script"; done
if command -v shellcheck >/dev/null; then expect 0 '' shellcheck -x -P "$root/tools" "${scripts[@]}"; fi
for name in setup demo test bench bundle_deps gpu_check soak valgrind fuzz; do
  expect 0 "^tools/$name.sh" "$root/tools/$name.sh" --help
  expect 2 "^tools/$name.sh: error: unknown option --no-such-option" "$root/tools/$name.sh" --no-such-option
done
expect 2 '--only knows' "$root/tools/gpu_check.sh" --only everything
expect 2 '--out wants a value' "$root/tools/gpu_check.sh" --out
expect 2 '--only knows gather_cpu' "$root/tools/bench.sh" --only everything
expect 2 '--runs wants a whole number' "$root/tools/fuzz.sh" --runs 0
expect 2 'there is no target none' "$root/tools/fuzz.sh" none
expect 2 '--minutes wants a whole number' "$root/tools/soak.sh" --minutes 0
expect 2 '--compare wants two' "$root/tools/bench.sh" --compare one.json

# ---- The committed data -----------------------------------------------------------
(cd "$root/data/digits" && sha256sum --quiet -c SHA256SUMS)

# ---- What becomes of a run on a GPU -------------------------------------------------
# make_run CUDA_STATUS SANITIZER_VERDICT: a folder as tools/gpu_check.sh leaves it, with one test of each kind.
make_run() {
  rm -rf "$work/run"
  mkdir -p "$work/run/program" "$work/run/bench"
  printf '%s\t%s\t%s\t%s\n' tests usual passed 3 sanitizer memcheck-kernel_tests "$2" 4 >"$work/run/records.tsv"
  cat >"$work/run/ctest.json" <<'END'
{"tests": [{"name": "a | b", "command": ["/x y/kernel_tests", "b"], "properties": [{"name": "LABELS", "value": ["cuda"]}]},
           {"name": "host", "command": ["/x y/lib_tests", "c"], "properties": []}]}
END
  cat >"$work/run/tests-usual.xml" <<END
<testsuite><testcase name="a | b" status="$1"/><testcase name="host" status="run"/></testsuite>
END
  echo '{"rows": [{"name": "uint8", "seconds": 0.25}]}' >"$work/run/bench/bench_gather.json"
}
assemble() {
  env gpu_name=Device capability=9.0 memory=1000 driver=1 toolkit=13 commit=abc stages=tests,sanitizer,bench \
    command_line=tools/gpu_check.sh python3 "$root/tools/gpu_results.py" "$work/run" "$work/device"
}

make_run run "refused by this machine"
expect 0 'device.json and .md' assemble
expect 0 '^/x y/kernel_tests$' python3 "$root/tools/gpu_results.py" --cuda-executables "$work/run"
expect 0 '^\| cuda \| 1 \| 0 \| 0 \|$' cat "$work/device.md"
expect 0 '^\| uint8 \| 0.25 \|$' cat "$work/device.md"
expect 0 'True' python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["passed"])' "$work/device.json"
make_run notrun passed
expect 1 'not one test labelled cuda ran' assemble
make_run run failed
expect 1 'problem: sanitizer memcheck-kernel_tests: failed' assemble
make_run run passed
echo 'not JSON' >"$work/run/bench/bench_gather.json"
expect 1 'bench bench_gather: what it wrote is not JSON' assemble

# ---- What becomes of a run of the benchmarks ------------------------------------------
# bench_run FRACTION: a results file of one row.
bench_run() {
  mkdir -p "$work/json"
  cat >"$work/json/load.json" <<END
{"rows": [{"section": "warm", "name": "checked", "median_seconds": 0.25, "spread": 0.01, "bytes_per_second": 4e9,
           "fraction_of_reference": $1}]}
END
  env command_line=tools/bench.sh commit=abc python3 "$root/tools/bench_results.py" "$work/json" "$work" >/dev/null
  mv "$work"/*cores.json "$work/bench-$1.json"
}
bench_run 0.5
expect 0 '^\| checked \| 250 ms \| 4.00 \| 1.0% \| 0.5 \|$' cat "$work"/*cores.md
bench_run 0.8
bench_run 0.51
expect 0 'better +0.500 -> +0.800  load / warm / checked' "$root/tools/bench.sh" --compare "$work/bench-0.5.json" "$work/bench-0.8.json"
expect 0 '^1 rows did not move' "$root/tools/bench.sh" --compare "$work/bench-0.5.json" "$work/bench-0.51.json"
echo "passed"
