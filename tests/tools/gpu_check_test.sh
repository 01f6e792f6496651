#!/usr/bin/env bash
# Checks how tools/gpu_check.sh runs its programs: order, limits, resuming, and complete evidence in all cases. Stubs in
# $stubs replace every program that it calls, so nothing is built and no device is needed.
# shellcheck disable=SC2016
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
checkout=$work/checkout
stubs=$work/stubs
results=$work/results
calls=$work/calls
hooks=$work
export checkout calls hooks
mkdir -p "$work/data/fashion-mnist" "$checkout/bench/python" "$checkout/kernels" "$stubs"
cp -r "$root/tools" "$checkout"
cp "$root/bench/python/torch_gather.py" "$checkout/bench/python"
touch "$work/data/fashion-mnist/train-images-idx3-ubyte.gz"
export OCTAVO_DATA=$work/data
echo source >"$checkout/kernels/a.cu"

# stub NAME: makes a stub from the script on stdin. Each stub appends a line to $calls, and first runs $hooks/<name>.sh
# if that exists, which can make it fail or hang.
stub() {
  # shellcheck disable=SC2016 # expanded by the stub
  {
    printf '%s\n' '#!/usr/bin/env bash' 'echo "${0##*/} $*" >>"$calls"' \
      'if [[ -f $hooks/${0##*/}.sh ]]; then source "$hooks/${0##*/}.sh"; fi'
    cat
  } >"$1"
  chmod +x "$1"
}
# shellcheck disable=SC2016 # expanded by the stub
{
  stub "$stubs/nvidia-smi" <<'END'
case "$*" in
  *loop-ms*) while :; do echo "1980, 3201, 40, 300.5"; sleep 0.1; done ;;
  *name*) echo "Test GPU" ;;
  *compute_cap*) echo 9.0 ;;
  *clocks*) echo "1980, 3201" ;;
  *) echo 123 ;;
esac
END
  # Without this machine's Python packages, every run is the same, and takes less time.
  stub "$stubs/python3" <<<"exec $(python3 -c 'import sys; print(sys.executable)') -S"' "$@"'
  stub "$stubs/nvcc" <<<'echo "Cuda compilation tools, release 13.0, V13.0.88"'
  stub "$stubs/compute-sanitizer" <<<'echo "========= ERROR SUMMARY: 0 errors"'
  # The build creates the programs.
  stub "$stubs/cmake" <<'END'
build=$checkout/build/gpu
if [[ $* == *fake-cuda* || $* == *rehearsal* ]]; then build=$checkout/build/rehearsal; fi
if [[ $1 == --build ]]; then
  mkdir -p "$build/tools" "$build/bench"
  for name in tools/octavo bench/bench_gather_cuda bench/bench_batches_cuda bench/bench_train; do cp "${0%/*}/measures" "$build/$name"; done
  if [[ $* == *octavo_gpu_tests* ]]; then touch "$build/tests-are-built"; fi
fi
END
  # A measuring program writes JSON to stdout and to the file after --json; pack writes the file after -o.
  stub "$stubs/measures" <<'END'
while (($# > 0)); do
  case $1 in
    --json) if [[ -n ${2-} ]]; then echo '{"rows": [{"name": "a row", "seconds": 0.25}]}' >"$2"; fi ;;
    -o) touch "$2" ;;
  esac
  shift
done
echo '{"rows": [{"name": "printed", "seconds": 0.5}]}'
END
  stub "$stubs/test-program" <<'END'
while (($# > 0)); do
  if [[ $1 == --out ]]; then
    echo "<testsuite><testcase name='case of ${2##*/}'>${failure-}</testcase></testsuite>" >"$2"
  fi
  shift
done
exit "${exit_status:-0}"
END
  stub "$stubs/ctest" <<'END'
[[ -f $checkout/build/gpu/tests-are-built || -f $checkout/build/rehearsal/tests-are-built ]] || { echo '{"tests": []}'; exit; }
tests=$checkout/build/test-program
cp "${0%/*}/test-program" "$tests"
if [[ $* == *show-only* ]]; then
  printf '{"tests": ['
  for name in a_tests b_tests; do
    printf '{"name": "%s: on CUDA", "command": ["%s", "on CUDA"], "properties": [{"name": "LABELS", "value": ["cuda"]}]}, ' $name $tests
  done
  printf '{"name": "c_tests: host", "command": ["/c"], "properties": []}]}'
  exit
fi
while (($# > 0)); do
  if [[ $1 == --output-junit ]]; then
    echo "<testsuite><testcase name='case of ${2##*/}' status='${status:-run}'/></testsuite>" >"$2"
  fi
  shift
done
exit "${exit_status:-0}"
END
}

fail() {
  printf '%s\noutput:\n' "$1"
  cat "$work/output"
  exit 1
}
# run STATUS ARGUMENTS...: expects that exit status of gpu_check.sh. Its output goes to $work/output, program calls to
# $calls.
run() {
  local expected=$1 status=0
  shift
  : >"$calls"
  PATH=$stubs:$PATH OCTAVO_COMMIT=abc "$checkout/tools/gpu_check.sh" --out "$results" "$@" >"$work/output" 2>&1 || status=$?
  ((status == expected)) || fail "gpu_check.sh $*: exit status $status instead of $expected"
}
start_over() { rm -rf "$checkout/build" "$results" "$work"/*.sh; }
# shows FILE PATTERN; does_not_show FILE PATTERN
shows() { grep -qE -- "$2" "$1" || fail "no \"$2\" in $1: $(cat "$1")"; }
does_not_show() { if grep -qE -- "$2" "$1"; then fail "\"$2\" in $1: $(cat "$1")"; fi; }
text=$results/test-gpu.md
json=$results/test-gpu.json

# ---- Everything, in order --------------------------------------------------------------
start_over
run 0 --stage build,bench,test,sanitize,train
order=$(awk '{ print $1 }' "$checkout/build/gpu/check/records.tsv" | uniq | tr '\n' ' ')
[[ $order == "build bench test sanitize train " ]] || fail "the order is $order"
shows "$text" '^\| test \| a_tests \| passed'
shows "$text" '^\| a row \| 0.25 \|$'
shows "$text" '^\| printed \| 0.5 \|$'
shows "$text" 'SM 1980 MHz'
shows "$text" '^\| data \| fashion-mnist'
shows "$text" '^\| sanitize \| racecheck-b_tests \| passed'
shows "$calls" 'compute-sanitizer --tool memcheck --error-exitcode 86 --report-api-errors no .*\[cuda\]~\[large\]~\[exclusive\]'
shows "$calls" '^test-program \[cuda\] --reporter junit --out .*/a_tests.xml'
does_not_show "$calls" '^ctest .*-R'
shows "$calls" '^octavo repack .*/fashion-mnist.h5 -o .*/fashion-mnist-lc8.h5 --compress lc8'
shows "$calls" '^bench_batches_cuda .*/fashion-mnist-none.h5 .*/fashion-mnist-lp8.h5 .*/fashion-mnist-lc8.h5 --batch-size 65536 --json'
shows "$json" '"passed": true'
does_not_show "$text" rehearsal

# Finished work is not repeated unless requested.
run 0 --stage bench,test
does_not_show "$calls" '^(test-program|bench_gather_cuda|octavo)'
shows "$work/output" 'bench +gather_cuda +passed, before'
run 0 --stage bench --again
shows "$calls" '^bench_gather_cuda'
does_not_show "$calls" '^(ctest|test-program)'
shows "$text" '^\| test \| a_tests \| passed'

# Different sources: earlier results are not mixed with them.
echo changed >"$checkout/kernels/a.cu"
run 0 --stage bench
shows "$work/output" 'starting over'
does_not_show "$text" 'a_tests'

# ---- Other files, and a build from another machine ------------------------------------------
start_over
touch "$work/own.h5"
run 0 --stage bench --file "$work/own.h5"
shows "$calls" '^octavo repack .*/own.h5 -o .*/own-lp8.h5 --compress lp8'
shows "$calls" '^octavo report .*/own.h5'
does_not_show "$calls" '^octavo pack'
shows "$text" '^\| data \| own.h5'
run 2 --file "$work/no-such-file.h5"

start_over
run 2 --prepare H100
run 1 --prepare 9.0
shows "$work/output" '.deps not found; run tools/bundle_deps.sh'
mkdir "$checkout/.deps"
run 0 --prepare 9.0
shows "$calls" 'cmake --preset cuda .*ARCHITECTURES=90-real .*OPTIONAL_LIBRARIES=OFF'
does_not_show "$calls" 'nvidia-smi'
run 0 --stage test
shows "$text" '^\| build \| built on another machine \| passed'
does_not_show "$calls" '^cmake'
echo 'changed again' >"$checkout/kernels/a.cu"
run 0 --stage test
shows "$calls" '^cmake --build'
rmdir "$checkout/.deps"

# ---- Evidence after a failure ------------------------------------------------------------
start_over
echo 'if [[ $* == *a_tests* ]]; then failure="<failure/>" exit_status=1; fi' >"$work/test-program.sh"
echo 'if [[ $* == *"-R ^a_tests"* ]]; then status=fail exit_status=8; echo "expected 1, got 2"; fi' >"$work/ctest.sh"
run 1 --stage test,bench
shows "$work/output" 'problem: test a_tests: failed'
shows "$text" '^- failed: case of a_tests.xml'
shows "$text" 'expected 1, got 2'
shows "$text" '^\| test \| b_tests \| passed'
shows "$text" '^\| bench \| gather_cuda \| passed'
shows "$json" '"passed": false'
# Another stage has its own verdict; the failure stays in the results.
run 0 --stage bench
shows "$text" '^- test a_tests: failed'

start_over
echo 'if [[ $1 == --build ]]; then echo "no such header"; exit 1; fi' >"$work/cmake.sh"
run 1 --stage bench,test
shows "$text" 'no such header'
shows "$text" 'gather_cuda \| not run: bench_gather_cuda is not built'
shows "$text" 'not run: no tests labeled cuda are built'
rm "$work/cmake.sh"
run 0 --stage bench,test

start_over
echo 'echo "Error: Device not supported"; exit 1' >"$work/compute-sanitizer.sh"
run 0 --stage sanitize
shows "$text" 'memcheck-a_tests \| refused by this machine'

# ---- Limits -----------------------------------------------------------------------------------
start_over
echo 'if [[ $* == *a_tests* ]]; then sleep 30; fi' >"$work/test-program.sh"
SECONDS=0
run 1 --stage test --limit 2
((SECONDS < 20)) || fail "the limit of 2 s took $SECONDS s"
shows "$text" '^\| test \| a_tests \| ran out of time'
shows "$text" '^\| test \| b_tests \| not run: no time was left'
rm "$work/test-program.sh"
run 0 --stage test
shows "$text" '^\| test \| a_tests \| passed'

start_over
echo 'sleep 30' >"$work/bench_gather_cuda.sh"
run 0 --stage bench --limit 2
shows "$text" '^\| bench \| gather_cuda \| ran out of time'

# ---- Killed -------------------------------------------------------------------------------------
start_over
echo 'if [[ $* == *b_tests* ]]; then echo $$ >"'"$work"'/pid"; sleep 60; fi' >"$work/test-program.sh"
rm -f "$work/pid"
PATH=$stubs:$PATH OCTAVO_COMMIT=abc setsid "$checkout/tools/gpu_check.sh" --out "$results" --stage test >"$work/output" 2>&1 &
killed=$!
for ((i = 0; i < 300; ++i)); do
  [[ ! -s $work/pid ]] || break
  sleep 0.1
done
[[ -s $work/pid ]] || fail "b_tests did not start"
PATH=$stubs:$PATH "$checkout/tools/gpu_check.sh" --stage test >"$work/second" 2>&1 && fail "two runs at the same time"
shows "$work/second" 'another run is in progress'
kill -KILL "$killed"
wait "$killed" 2>/dev/null || true
shows "$text" '^\| test \| a_tests \| passed'
does_not_show "$text" 'b_tests'
rm "$work/test-program.sh"
run 0 --stage test
shows "$work/output" 'stopped what a killed run had left running'
# A killed process stays a zombie until its parent reaps it.
if grep -qE '^State:[[:space:]]+[^Z]' "/proc/$(<"$work/pid")/status" 2>/dev/null; then
  fail "a process of the killed run is still running"
fi
shows "$work/output" 'test +a_tests +passed, before'
does_not_show "$calls" '^test-program .*a_tests'
shows "$text" '^\| test \| b_tests \| passed'

# ---- Rehearsal, and no GPU ----------------------------------------------------------------------
start_over
run 0 --stage build,bench,test,sanitize,train --rehearse
shows "$results/rehearsal-without-a-gpu.md" '^\*\*rehearsal: no GPU, no number here is a speed'
shows "$calls" 'cmake --preset fake-cuda .*OCTAVO_FAKE_CUDA=ON'
does_not_show "$calls" '^(nvidia-smi|nvcc|compute-sanitizer)'
[[ ! -e $text ]] || fail "a rehearsal wrote the results of a GPU"
echo "passed"
