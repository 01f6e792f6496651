#!/usr/bin/env bash
# tools/soak.sh [--minutes N] [--seed S] [--out FILE]: a night of faults: kills, power cuts, failing calls, damaged files.
#
#   --minutes N   about how long; the default is 480. Every kind of case gets an equal share of the time, or is done before
#   --seed S      of the random cases; the default is a new one. A seed and the number of a case repeat that case
#   --out FILE    where the figures go; the default is docs/results/faults.md
#
# Builds the cpu preset, runs the tests of tests/faults/ at the counts of a night, prints a
# table and writes it. Where NVIDIA's headers are, it also fails every call of CUDA on the preset fake-cuda. Ends with exit status 1 if anything failed. The same tests run with lower counts in every run of
# ctest. docs/reliability.md tells what they are.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

minutes=480
seed=$RANDOM$RANDOM
out=$root/docs/results/faults.md
while (($# > 0)); do
  case $1 in
    -h | --help) usage ;;
    --minutes)
      [[ ${2-} =~ ^[1-9][0-9]*$ ]] || wrong_usage "--minutes wants a whole number"
      minutes=$2
      shift 2
      ;;
    --seed)
      [[ ${2-} =~ ^[0-9]+$ ]] || wrong_usage "--seed wants a whole number"
      seed=$2
      shift 2
      ;;
    --out)
      [[ -n ${2-} ]] || wrong_usage "--out wants a file"
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
# Kinds of cases that would go on for longer than their share; all others are done in a few seconds each.
long_kinds=36
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

if cmake --preset fake-cuda >/dev/null 2>&1; then
  heading "Fail every call of CUDA"
  cmake --build "$root/build/fake-cuda" -j "$jobs" --target cuda_faults_tests
  for schedule in eager lazy random,seed="$seed" random,seed="$((seed + 1))"; do
    FAKE_CUDA=schedule=$schedule "$root/build/fake-cuda/tests/lib/cuda/cuda_faults_tests" 2>&1 |
      tee "$results/cuda-$schedule" || failed=yes
  done

  heading "The CUDA tests under random schedules, for about $((minutes / 8 + 1)) minutes"
  cmake --build --preset fake-cuda -j "$jobs"
  # under_seed SEED: every test of the CUDA path under the schedule of that seed; a line for each test that fails.
  under_seed() {
    local test
    (($(date +%s) < schedules_end)) || return 0
    for test in "$root"/build/fake-cuda/tests/lib/{cuda/cuda_use,store/store,loader/loader,loader/graph_capture}_tests; do
      FAKE_CUDA=schedule=random,seed=$1 "$test" '[cuda]~[large]' >"$results/seed-$1" 2>&1 ||
        { echo "$(basename "$test") failed with FAKE_CUDA=schedule=random,seed=$1"; cp "$results/seed-$1" "$results/failed-$1"; }
      rm -f "$results/seed-$1"
    done
    echo "$1" >>"$results/seeds"
  }
  export -f under_seed
  export root results schedules_end=$(($(date +%s) + minutes * 60 / 8 + 60))
  seq "$seed" $((seed + 100000)) | xargs -P "$jobs" -I{} bash -c 'under_seed {}' | tee "$results/schedules"
  if [[ -s $results/schedules ]]; then failed=yes; fi
  note "$(wc -l <"$results/seeds") seeds were run"
else
  note "the failures of CUDA are left out: NVIDIA's headers were not found"
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
# Figures of a run of faults

Written by \`tools/soak.sh --minutes $minutes\`. [What is promised, and how it is tested](../reliability.md).

- commit $commit, preset cpu
- $processor, $jobs cores, Linux $(uname -r | sed 's/-.*//'), $(findmnt -n -f -o FSTYPE --target "${TMPDIR:-/dev/shm}") file system
- $took minutes on $jobs cores; $skipped tests skipped; seed $seed
- The first column is the kind of fault: 1 files cut, 2 single bits, 3 other damage, 4 forged with right checksums, 5 kill -9, 6 power
  cuts, 7 failing calls and limits, 8 no memory, 10 random operations beside plain arrays, 12 bombs and foreign references, 15 several
  at once. A failure is a crash, a hang, wrong data without an error, an unclear error, or anything left behind.

| | cases | run | failures | seed |
|---|---|---:|---:|---|
$table
END
} >"$out"
sed -n '/^|/p' "$out"
note "written to $out"
[[ $failed == no ]] || fail "some cases failed; $results/log tells which"
