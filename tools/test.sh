#!/usr/bin/env bash
# tools/test.sh [--quick] [--large]: builds with warnings as errors, and runs the tests.
#
#   --quick   run only the first suite
#   --large   also run the tests that need many gigabytes of memory or disk
#
# The style is checked first (tools/lint.sh). The suites are presets: cuda if there is a CUDA compiler, else cpu; then
# asan (AddressSanitizer and UndefinedBehaviorSanitizer); then, with a CUDA toolkit, fake-cuda (the CUDA tests on the
# tests' own CUDA runtime); then the Python package (tools/test_python.sh). Tests that need a missing device are skipped
# and counted. The last lines are a summary: the seconds of each phase, and those of the processors, then the tests.
#
# With ccache, what cuda and fake-cuda have in common is compiled once. Its cache is build/ccache.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

quick=no
with_large=no
for argument in "$@"; do
  case $argument in
    --quick) quick=yes ;;
    --large) with_large=yes ;;
    -h | --help) usage ;;
    *) wrong_usage "unknown option $argument" ;;
  esac
done

phases=()
phase_begin=$SECONDS
phase_begin_processors=0
# end_phase NAME: records the time since the end of the previous phase.
end_phase() {
  local processors
  times >"$times" # not in a subshell, which has times of its own
  processors=$(awk -F'[ms ]+' 'NR == 2 { print int(60 * $1 + $2 + 60 * $3 + $4) }' "$times")
  phases+=("$(printf '%5d s %6d s  %s' $((SECONDS - phase_begin)) $((processors - phase_begin_processors)) "$1")")
  phase_begin=$SECONDS
  phase_begin_processors=$processors
}

# selection SUITE: the labels that ctest excludes. This replaces the filter of the test preset.
selection() {
  case $1:$with_large in
    asan:yes) echo -LE plain-only ;;
    asan:no) echo -LE 'plain-only|large' ;;
    *:no) echo -LE large ;;
  esac
}

# can_sanitize COMPILER: whether it compiles with sanitizers, against the standard library of this machine.
can_sanitize() {
  command -v "$1" >/dev/null &&
    "$1" -std=c++20 -fsanitize=address,undefined -x c++ -o /dev/null - <<<$'#include <chrono>\n#include <ranges>\nint main() {}' 2>/dev/null
}

log=$(mktemp)
times=$(mktemp)
checks=
trap 'rm -f "$log" "$times" "${checks_log-}"; [[ -z $checks ]] || kill "$checks" 2>/dev/null || true' EXIT

heading "Packages"
"$root/tools/setup.sh" --tests --data
end_phase "packages"

if [[ -n $(find_nvcc) ]]; then suites=(cuda); else suites=(cpu); fi
if [[ $quick == no ]]; then
  suites+=(asan)
  # Needs NVIDIA's headers, which are part of the toolkit.
  if [[ ${suites[0]} == cuda ]]; then suites+=(fake-cuda); fi
fi

cd "$root"
jobs=$(nproc)
summary=()
all_count=0
all_skipped=0

"$root/tools/lint.sh"
end_phase "lint"

if command -v ccache >/dev/null; then
  export CCACHE_DIR=$root/build/ccache CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1 CMAKE_CXX_COMPILER_LAUNCHER=ccache
fi

for suite in "${suites[@]}"; do
  heading "$suite: configure"
  options=()
  # Without a device, the CUDA code does not run: PTX of one architecture is enough, in half of the time. The tests of
  # fake-cuda assemble PTX of several.
  if [[ $suite == cuda ]] && ! nvidia-smi -L &>/dev/null; then options+=("-DCMAKE_CUDA_ARCHITECTURES=75-virtual"); fi
  # lld links the large programs of the sanitizers three times as fast. Clang compiles them faster, too, and its programs
  # take half the time to run.
  if [[ $suite == asan ]] && command -v ld.lld >/dev/null; then
    options+=("-DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld")
  fi
  # Where fake-cuda checks the accesses of the generated code, the CUDA sources are not compiled with sanitizers, too.
  if [[ $suite == asan && ${suites[0]} == cuda ]]; then options+=("-DOCTAVO_TEST_CUDA_SOURCES=OFF"); fi
  if [[ $suite == asan ]] && can_sanitize clang++-14; then options+=("-DCMAKE_CXX_COMPILER=clang++-14"); fi
  # ccache would not find what was compiled with precompiled headers in another folder.
  if command -v ccache >/dev/null; then options+=("-DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON"); fi
  cmake --preset "$suite" "${options[@]}" -DCMAKE_EXPORT_COMPILE_COMMANDS=ON
  heading "$suite: build"
  cmake --build --preset "$suite" -j "$jobs"
  end_phase "$suite: build"
  heading "$suite: test"
  # One more than there are processors: some tests wait for others or for a disk.
  # shellcheck disable=SC2046 # words, or nothing
  ctest --preset "$suite" -j "$((jobs + 1))" --no-tests=error $(selection "$suite") 2>&1 | tee "$log"
  end_phase "$suite: test"

  result=$(grep -E '^[0-9]+% tests passed' "$log")
  count=${result##* }
  skipped=$(grep -c '\*\*\*Skipped' "$log" || true)
  summary+=("$suite: $result, $skipped skipped")
  all_count=$((all_count + count))
  all_skipped=$((all_skipped + skipped))
done

# Tests of Python take longest and use one processor; these checks get what they leave.
checks_log=$(mktemp)
check_sources() {
  # The sources as compiled without CUDA: clang 14 does not know std::source_location, which the CUDA sources use.
  if [[ $quick == no ]]; then nice "$root/tools/lint.sh" --tidy "$root/build/asan"; fi
  heading "Public headers, each on its own"
  nice cmake --build --preset "${suites[0]}" -j "$jobs" --target all_verify_interface_header_sets
}
check_sources >"$checks_log" 2>&1 &
checks=$!

if [[ $quick == no ]]; then
  heading "Python"
  "$root/tools/test_python.sh" 2>&1 | tee "$log"
  result=$(tail -1 "$log")
  [[ $result =~ ^python\ [0-9.]+:\ ([0-9]+)\ tests\ passed,\ ([0-9]+)\ skipped$ ]] || fail "no summary of the Python tests"
  summary+=("$result")
  all_count=$((all_count + BASH_REMATCH[1] + BASH_REMATCH[2]))
  all_skipped=$((all_skipped + BASH_REMATCH[2]))
fi

wait "$checks" || { cat "$checks_log"; fail "clang-tidy or the public headers"; }
checks=
cat "$checks_log"
end_phase "python, clang-tidy, public headers"

# A failed test stops the script earlier.
heading "Summary"
printf '%s\n' "${phases[@]}"
printf '%s\n' "${summary[@]}"
printf '100%% tests passed, 0 tests failed out of %d, %d skipped\n' "$all_count" "$all_skipped"
