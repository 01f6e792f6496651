#!/usr/bin/env bash
# tools/valgrind.sh [TOPIC...]: runs unit tests under valgrind memcheck: uninitialized reads, use after free, reads out
# of bounds, leaks.
#
#   TOPIC   folders of tests/lib (those that read untrusted bytes: files arrays archive image pack)
#
# Builds the cpu preset. Takes a few minutes per topic; tests run 20 to 50 times slower. Exits with status 1 if valgrind
# found anything. A test that fails because it is slow, or because valgrind's own memory counts toward a limit, is only
# noted.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

topics=()
for argument in "$@"; do
  case $argument in
    -h | --help) usage ;;
    -*) wrong_usage "unknown option $argument" ;;
    *) topics+=("$argument") ;;
  esac
done
((${#topics[@]} > 0)) || topics=(files arrays archive image pack)

heading "Build"
command -v valgrind >/dev/null || fail "valgrind not found; install it"
cd "$root"
cmake --preset cpu >/dev/null
cmake --build build/cpu -j "$(nproc)" --target "${topics[@]/%/_tests}"

heading "Run"
logs=build/cpu/valgrind
rm -rf "$logs"
mkdir -p "$logs"
for topic in "${topics[@]}"; do
  valgrind --quiet --leak-check=full --show-leak-kinds=definite \
    --suppressions=tests/support/valgrind_suppressions.txt --log-file="$logs/$topic.%p" \
    "build/cpu/tests/lib/$topic/${topic}_tests" >"$logs/$topic.out" 2>&1 || note "$topic: $(tail -2 "$logs/$topic.out" | head -1)"
done

heading "Results"
# One log per process. There are many child processes, and most logs are empty.
find "$logs" -name '*.[0-9]*' -size +0 -exec cat {} + | tee "$logs/found"
[[ ! -s $logs/found ]] || fail "valgrind found errors"
echo "no errors found in ${topics[*]}"
