#!/usr/bin/env bash
# tools/test.sh [--quick] [--large]: builds with warnings as errors, and runs the tests.
#
#   --quick   only the first suite
#   --large   also the tests that need many gigabytes of memory or disk
#
# The suites are presets: cuda where there is a CUDA compiler, else cpu; then asan (AddressSanitizer and
# UndefinedBehaviorSanitizer); then the Python package (tools/test_python.sh). Without a device the tests that need one
# are skipped, and counted. The last lines sum up.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

quick=no
selection=(-LE large)
for argument in "$@"; do
  case $argument in
    --quick) quick=yes ;;
    --large) selection=() ;;
    -h | --help) usage ;;
    *) wrong_usage "unknown option $argument" ;;
  esac
done

heading "Packages"
"$root/tools/setup.sh" --tests --data

if [[ -n $(find_nvcc) ]]; then suites=(cuda); else suites=(cpu); fi
if [[ $quick == no ]]; then suites+=(asan); fi

cd "$root"
jobs=$(nproc)
log=$(mktemp)
trap 'rm -f "$log"' EXIT
summary=()
all_count=0
all_skipped=0

for suite in "${suites[@]}"; do
  heading "$suite: configure"
  cmake --preset "$suite"
  heading "$suite: build"
  cmake --build --preset "$suite" -j "$jobs"
  heading "$suite: test"
  ctest --preset "$suite" -j "$jobs" --no-tests=error "${selection[@]}" 2>&1 | tee "$log"

  result=$(grep -E '^[0-9]+% tests passed' "$log")
  count=${result##* }
  skipped=$(grep -c '\*\*\*Skipped' "$log" || true)
  summary+=("$suite: $result, $skipped skipped")
  all_count=$((all_count + count))
  all_skipped=$((all_skipped + skipped))
done

heading "Public headers, each by itself"
cmake --build --preset "${suites[0]}" -j "$jobs" --target all_verify_interface_header_sets

if [[ $quick == no ]]; then
  "$root/tools/test_python.sh" 2>&1 | tee "$log"
  result=$(tail -1 "$log")
  [[ $result =~ ^python\ [0-9.]+:\ ([0-9]+)\ tests\ passed,\ ([0-9]+)\ skipped$ ]] || fail "no summary of the Python tests"
  summary+=("$result")
  all_count=$((all_count + BASH_REMATCH[1] + BASH_REMATCH[2]))
  all_skipped=$((all_skipped + BASH_REMATCH[2]))
fi

# A failed test has stopped the script before this.
heading "Summary"
printf '%s\n' "${summary[@]}"
printf '100%% tests passed, 0 tests failed out of %d, %d skipped\n' "$all_count" "$all_skipped"
