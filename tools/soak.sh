#!/usr/bin/env bash
# tools/soak.sh [--minutes N] [--seed S] [--out FILE]: overnight fault injection: kills, power cuts, failing calls,
# damaged files.
#
#   --minutes N   approximate duration (480). Every kind of case gets an equal share of the time, or finishes earlier
#   --seed S      seed of the random cases (a new one). A seed and a case number reproduce that case
#   --out FILE    the file for the results (docs/results/faults.md)
#
# Builds the cpu preset, runs the tests of tests/faults/ with the counts for a night, prints a table and writes it to
# the file. If NVIDIA's headers are installed, it also makes CUDA calls fail (every one from 120 minutes on), and runs
# the CUDA tests and the code that nvcc generates in random orders, with the preset fake-cuda. Exits with status 1 if
# anything failed. Every run of ctest includes the same tests with lower counts. docs/reliability.md describes them.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

minutes=480
seed=$RANDOM$RANDOM
out=$root/docs/results/faults.md
while (($# > 0)); do
  case $1 in
    -h | --help) usage ;;
    --minutes)
      [[ ${2-} =~ ^[1-9][0-9]*$ ]] || wrong_usage "--minutes expects a whole number"
      minutes=$2
      shift 2
      ;;
    --seed)
      [[ ${2-} =~ ^[0-9]+$ ]] || wrong_usage "--seed expects a whole number"
      seed=$2
      shift 2
      ;;
    --out)
      [[ -n ${2-} ]] || wrong_usage "--out expects a file"
      out=$(realpath -m "$2")
      shift 2
      ;;
    *) wrong_usage "unknown option $1" ;;
  esac
done

heading "Build"
cd "$root"
build=$root/build/cpu
jobs=$(nproc)
cmake --preset cpu >/dev/null
cmake --build "$build" -j "$jobs" --target faults_tests faults_memory_tests

heading "Run, for about $minutes minutes, seed $seed"
# The number of kinds of cases that use their whole share of the time; the others take a few seconds each.
long_kinds=38
results=$build/soak
rm -rf "$results"
mkdir -p "$results"
export OCTAVO_FAULTS=night OCTAVO_FAULTS_SEED=$seed OCTAVO_FAULTS_FIGURES=$results/figures.tsv
export OCTAVO_FAULTS_SECONDS=$((minutes * 60 * jobs / long_kinds + 1))
: >"$OCTAVO_FAULTS_FIGURES"

begin=$SECONDS
failed=no
ctest --test-dir "$build/tests/faults" -j "$jobs" --no-tests=error --output-on-failure 2>&1 | tee "$results/log" || failed=yes
took=$(((SECONDS - begin + 59) / 60))
skipped=$(grep -c '\*\*\*Skipped' "$results/log" || true)

if cmake --preset fake-cuda "-DOCTAVO_TESTED_ARCHITECTURES=75;80;90;120" >/dev/null 2>&1; then
  heading "Make every CUDA call fail"
  cmake --build "$root/build/fake-cuda" -j "$jobs" --target cuda_faults_tests
  # Each of thousands of calls fails in turn under every schedule, which takes an hour. In less time, some of them do.
  faults_of() {
    if ((minutes < 120)); then unset OCTAVO_FAULTS; fi
    FAKE_CUDA=schedule=$1 "$root/build/fake-cuda/tests/lib/cuda/cuda_faults_tests" >"$results/cuda-$1" 2>&1 ||
      { echo "cuda_faults_tests failed with FAKE_CUDA=schedule=$1"; return 1; }
  }
  export -f faults_of
  export minutes root results
  printf '%s\n' eager lazy random,seed="$seed" random,seed="$((seed + 1))" |
    xargs -P "$jobs" -I{} bash -c 'faults_of {}' || failed=yes
  tail -n 2 "$results"/cuda-*

  heading "The CUDA tests under random schedules, for about $((minutes / 8 + 1)) minutes"
  cmake --build --preset fake-cuda -j "$jobs"
  # schedules_of SEED: runs every test of the CUDA path with the schedule of that seed; prints a line per failing test.
  schedules_of() {
    local test schedule=random,seed=$1
    if (($1 == seed)); then schedule=eager; fi
    for test in "$fake"/lib/{cuda/cuda_use,store/store,loader/loader,loader/graph_capture}_tests; do
      FAKE_CUDA=schedule=$schedule "$test" '[cuda]~[large]' >"$results/seed-$1" 2>&1 ||
        { echo "$(basename "$test") failed with FAKE_CUDA=schedule=$schedule"; cp "$results/seed-$1" "$results/failed-$1"; }
    done
  }
  # orders_of SEED: runs some kernels as generated code, threads in the order of that seed.
  orders_of() {
    local order=order=random,seed=$1,blocks=$(($1 % 4 + 1))
    DEVICE_CODE=ptx=$fake/device_code/ptx/90,$order OCTAVO_CASE_STRIDE=100 OCTAVO_FIRST_CASE=$(($1 % 100)) \
      "$fake/device_code/generated_code_tests" '[order]' >"$results/seed-$1" 2>&1 ||
      { echo "generated_code_tests failed with DEVICE_CODE=…,$order"; cp "$results/seed-$1" "$results/failed-order-$1"; }
  }
  # under_seed WHAT SEED: runs one of the above, unless the time is over.
  under_seed() {
    (($(date +%s) < end)) || return 0
    "$1" "$2"
    rm -f "$results/seed-$2"
    echo "$2" >>"$results/seeds-$1"
  }
  # under_seeds WHAT: the same for one seed after the other.
  under_seeds() {
    export end=$(($(date +%s) + minutes * 60 / 8 + 60))
    seq "$seed" $((seed + 100000)) | xargs -P "$jobs" -I{} bash -c "under_seed $1 {}" | tee "$results/$1"
    if [[ -s $results/$1 ]]; then failed=yes; fi
    note "ran $(wc -l <"$results/seeds-$1") seeds"
  }
  export -f under_seed schedules_of orders_of
  export seed fake=$root/build/fake-cuda/tests
  under_seeds schedules_of
  if [[ -x $fake/device_code/generated_code_tests ]]; then
    heading "Generated code in random orders, for about $((minutes / 8 + 1)) minutes"
    under_seeds orders_of
    heading "The machine code of every architecture"
    ptx=$fake/device_code/ptx
    mapfile -t architectures < <(ls "$ptx")
    python3 "$root/tests/kernels/cuda/cuda_code_test.py" "$(dirname "$(find_nvcc)")/ptxas" "$ptx" "${architectures[@]}" ||
      failed=yes
  fi
else
  note "skipped the CUDA faults: NVIDIA's headers were not found"
fi

heading "Results"
commit=$(git rev-parse --verify --quiet --short HEAD 2>/dev/null || echo unknown)
if [[ -n $(git status --porcelain --untracked-files=no -- lib kernels tools tests 2>/dev/null) ]]; then commit+=" and changes"; fi
processor=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1)
table=$(sort -t$'\t' -V -s -k1,1 "$OCTAVO_FAULTS_FIGURES" | awk -F'\t' '
  function line(  row, name) {
    row = what; sub(/ .*/, "", row)
    name = substr(what, length(row) + 2)
    printf "| %s | %s | %d | %d | %s |\n", row, name, count, failures, seed
  }
  $1 != what { if (NR > 1) line(); what = $1; count = failures = 0; seed = $4 }
  { count += $2; failures += $3 }
  END { line() }')
mkdir -p "$(dirname "$out")"
{
  cat <<END
# Results of fault injection

Written by \`tools/soak.sh --minutes $minutes\`. [What is guaranteed, and how it is tested](../reliability.md).

- commit $commit, preset cpu
- $processor, $jobs cores, Linux $(uname -r | sed 's/-.*//'), $(findmnt -n -f -o FSTYPE --target "${TMPDIR:-/dev/shm}") file system
- $took minutes on $jobs cores; $skipped tests skipped; seed $seed
- The first column is the kind of fault: 1 truncated files, 2 single bits, 3 other damage, 4 forged
  files with valid checksums, 5 kill -9, 6 power cuts, 7 failing calls and limits, 8 out of memory,
  10 random operations compared with plain arrays, 12 bombs and foreign references, 15 several packers
  at a time. A failure is a crash, a hang, wrong data without an error, an unclear error, or leftovers.

| | cases | run | failures | seed |
|---|---|---:|---:|---|
$table
END
} >"$out"
sed -n '/^|/p' "$out"
note "written to $out"
[[ $failed == no ]] || fail "some cases failed; see $results/log"
