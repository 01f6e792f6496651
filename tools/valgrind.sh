#!/usr/bin/env bash
# tools/valgrind.sh [TOPIC...]: valgrind memcheck over unit tests: memory that is used unset, freed, beyond its end, or lost.
#
#   TOPIC   folders of tests/lib; the default is those that read foreign bytes: files arrays archive image pack
#
# Builds the cpu preset. Takes some minutes a topic, in which tests run 20 to 50 times slower. Ends with exit status 1 if
# valgrind found anything; a test that fails because of how slow it is, or because valgrind's own memory counts towards a
# limit, is only noted.
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
command -v valgrind >/dev/null || fail "valgrind was not found; install it"
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
# A log for each process, of which children are many; most are empty.
find "$logs" -name '*.[0-9]*' -size +0 -exec cat {} + | tee "$logs/found"
[[ ! -s $logs/found ]] || fail "valgrind found something"
echo "nothing found in ${topics[*]}"
