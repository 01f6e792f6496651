#!/usr/bin/env bash
# Checks the scripts of tools/ without installing, building or using a device: their help, their errors, gpu_check.sh
# with stubs for all programs, the licenses of the wheels, the check of words, and the output of bench_results.py. Also
# checks the committed data against their checksums.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# expect STATUS PATTERN COMMAND...: the command exits with that status, and its output matches.
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
scripts=("$root"/tools/*.sh "$root/.ci/run" "$root"/tests/tools/{scripts,gpu_check}_test.sh)
for script in "${scripts[@]}"; do expect 0 '' bash -n "$script"; done
for name in setup demo test lint bench bundle_deps gpu_check soak valgrind fuzz test_python wheel; do
  expect 0 "^tools/$name.sh" "$root/tools/$name.sh" --help
  expect 2 "^tools/$name.sh: error: unknown option --no-such-option" "$root/tools/$name.sh" --no-such-option
done
for name in wheel_check wheel_deps; do expect 0 "^tools/$name.sh" "$root/tools/$name.sh" --help; done
expect 2 'unknown option or system sarge' "$root/tools/wheel_check.sh" sarge
expect 2 'the only system is trixie' "$root/tools/wheel_check.sh" --arch aarch64 noble
expect 2 'unknown architecture m68k' "$root/tools/wheel_deps.sh" m68k
expect 2 '--arch expects x86_64 or aarch64' "$root/tools/wheel.sh" --arch m68k
expect 2 'unknown stage "everything"' "$root/tools/gpu_check.sh" --stage everything
expect 2 'unknown stage "everything"' "$root/tools/gpu_check.sh" --stage bench,everything
expect 2 '--out expects a value' "$root/tools/gpu_check.sh" --out
expect 2 '--limit expects a number of seconds' "$root/tools/gpu_check.sh" --limit 0
expect 2 '--only expects some of gather_cpu' "$root/tools/bench.sh" --only everything
expect 2 '--runs expects a whole number' "$root/tools/fuzz.sh" --runs 0
expect 2 'unknown target none' "$root/tools/fuzz.sh" none
expect 2 '--minutes expects a whole number' "$root/tools/soak.sh" --minutes 0
expect 2 '--cuda expects AUTO, ON or OFF' "$root/tools/test_python.sh" --cuda MAYBE
expect 2 '--compare expects two' "$root/tools/bench.sh" --compare one.json

# ---- Long steps of a script ---------------------------------------------------------
# run_step COMMAND...: runs it as a step that a script logs.
# shellcheck disable=SC2016 # the inner shell expands it
run_step() { env -u OCTAVO_STARTED_AT bash -c 'source "$0/tools/common.sh"; run_logged "compiling zlib" "$1" "${@:2}"; progress end' "$root" "$work/log" "$@"; }
expect 0 '^\[  0:0[0-9]\] end$' run_step echo one
expect 0 '^one$' cat "$work/log"
expect 1 'error: .*: compiling zlib failed; see the output above' run_step ls "$work/none"
expect 1 'cannot access' run_step ls "$work/none"

# ---- The committed data -----------------------------------------------------------
(cd "$root/data/digits" && sha256sum --quiet -c SHA256SUMS)

# ---- A run on a GPU ---------------------------------------------------------------------
bash "$root/tests/tools/gpu_check_test.sh"

# ---- The licenses in the wheels, and the check of words --------------------------------
expect 0 '^OK' python3 "$root/tests/tools/wheel_contents_test.py"
expect 0 '^OK' python3 "$root/tests/tools/check_words_test.py"

# ---- Results of the benchmarks --------------------------------------------------------
# bench_run FRACTION: writes a results file with one row.
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
