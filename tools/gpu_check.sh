#!/usr/bin/env bash
# tools/gpu_check.sh [--only STAGES] [--out DIR] [--budget SECONDS]: checks and measures Octavo on this machine's GPU.
#
#   --only STAGES      some of tests,sanitizer,bench; the default is all three
#   --out DIR          where the results go; the default is docs/results, or build/gpu/results with --only
#   --budget SECONDS   for everything together; the default is 530
#
# Builds the cuda preset in build/gpu for this GPU alone, with the libraries in .deps/ where they are, and without a
# network. Then: every test (no CUDA test may be skipped for want of a device); compute-sanitizer's memcheck, racecheck
# and initcheck on the CUDA tests; the benchmarks of the device, the memory report, and a training run compared with
# float32. Writes <gpu name>.json and .md, and fails if anything failed. A benchmark or a sanitizer that runs out of time, and a
# sanitizer that refuses the machine, are recorded and fail nothing. Where there is no git, OCTAVO_COMMIT names the
# commit.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

stages=tests,sanitizer,bench
out=$root/docs/results
budget=530
only=
while (($# > 0)); do
  case $1 in
    -h | --help) usage ;;
    --only)
      only=${2-}
      stages=$only
      out=$root/build/gpu/results
      ;;
    --out) chosen_out=${2-} ;;
    --budget) budget=${2-} ;;
    *) wrong_usage "unknown option $1" ;;
  esac
  shift 2 || wrong_usage "$1 wants a value"
done
[[ $stages =~ ^(tests|sanitizer|bench)(,(tests|sanitizer|bench))*$ ]] || wrong_usage "--only knows tests,sanitizer,bench"
[[ $budget =~ ^[1-9][0-9]*$ ]] || wrong_usage "--budget wants a number of seconds"
if [[ -n ${chosen_out-} ]]; then
  mkdir -p "$chosen_out"
  out=$(cd "$chosen_out" && pwd)
fi

wanted() { [[ ,$stages, == *,$1,* ]]; }

# ---- What is measured, and with what ------------------------------------------
step="looking at the machine"
cd "$root"
command -v nvidia-smi >/dev/null || fail "there is no nvidia-smi, and so no NVIDIA GPU"
command -v python3 >/dev/null || fail "there is no python3 to write the results with"
gpu() { nvidia-smi --id=0 --query-gpu="$1" --format=csv,noheader,nounits; }
gpu_name=$(gpu name)
capability=$(gpu compute_cap)
nvcc=$(find_nvcc)
[[ -n $nvcc ]] || fail "there is no CUDA compiler"
sanitizer=$(command -v compute-sanitizer || true)
if [[ -z $sanitizer && -x /usr/local/cuda/bin/compute-sanitizer ]]; then
  sanitizer=/usr/local/cuda/bin/compute-sanitizer
fi
commit=${OCTAVO_COMMIT:-$(git rev-parse --verify --quiet HEAD 2>/dev/null || echo unknown)}
if [[ -z ${OCTAVO_COMMIT-} && -n $(git status --porcelain --untracked-files=no 2>/dev/null) ]]; then commit+=" and changes"; fi

build=$root/build/gpu
check=$build/check
rm -rf "$check"
mkdir -p "$check/sanitizer" "$check/bench" "$check/program"
deadline=$((SECONDS + budget))

# limited SECONDS LOG COMMAND...: runs it with both outputs in LOG, for so long at most and within the budget; gives its
# exit status, 124 for one that ran out of time.
limited() {
  local limit=$1 log=$2 left=$((deadline - SECONDS))
  shift 2
  if ((left < limit)); then limit=$left; fi
  if ((limit <= 0)); then
    echo "no time was left for it" >"$log"
    return 124
  fi
  timeout --kill-after=5 "$limit" "$@" >"$log" 2>&1
}

# verdict STATUS: the word for an exit status.
verdict() {
  case $1 in
    0) echo passed ;;
    124 | 137) echo "ran out of time" ;;
    *) echo failed ;;
  esac
}

# record KIND NAME VERDICT SECONDS: a line for the results, and for who watches.
record() {
  printf '%s\t%s\t%s\t%s\n' "$@" >>"$check/records.tsv"
  printf '%-10s %-48s %s (%d s)\n' "$@"
}

# ---- Build -----------------------------------------------------------------------
heading "Build for $gpu_name"
architecture=native
if [[ $capability =~ ^[0-9]+\.[0-9]+$ ]]; then architecture=${capability/./}-real; fi
started=$SECONDS
build_all() {
  cmake --preset cuda -B "$build" -D CMAKE_BUILD_TYPE=Release -D CMAKE_CUDA_ARCHITECTURES="$architecture" \
    -D OCTAVO_WARNINGS_AS_ERRORS=OFF && cmake --build "$build" -j "$(nproc)"
}
export -f build_all
export build architecture
if ! limited 300 "$check/build.log" bash -c build_all; then
  tail -n 40 "$check/build.log" >&2
  fail "the build failed or took too long; its log is build/gpu/check/build.log"
fi
record build "$architecture" passed $((SECONDS - started))
ctest --test-dir "$build" --show-only=json-v1 >"$check/ctest.json"

# ---- Tests -------------------------------------------------------------------------
if wanted tests; then
  heading "Tests"
  # The large ones hold gigabytes each: a few at a time.
  for part in "usual -LE large -j $(nproc)" "large -L large -j 2 --no-tests=ignore"; do
    read -ra words <<<"$part"
    started=$SECONDS
    status=0
    limited 180 "$check/tests-${words[0]}.log" ctest --test-dir "$build" "${words[@]:1}" --output-on-failure \
      --timeout 120 --output-junit "$check/tests-${words[0]}.xml" || status=$?
    grep -E 'tests passed|\(Failed\)|\(Timeout\)|No tests were found' "$check/tests-${words[0]}.log" || true
    record tests "${words[0]}" "$(verdict "$status")" $((SECONDS - started))
  done
fi

# ---- Sanitizer -----------------------------------------------------------------------
# sanitize TOOL EXECUTABLE: leaves the verdict and the seconds beside the log.
sanitize() {
  local tool=$1 executable=$2 status=0 word started=$SECONDS log
  log=$check/sanitizer/$tool-$(basename "$executable")
  limited 150 "$log.log" "$sanitizer" --tool "$tool" --error-exitcode 86 "$executable" '[cuda]~[large]' || status=$?
  if grep -qiE 'device not supported|internal sanitizer error|unable to find injection|failed to initialize' "$log.log"; then
    word="refused by this machine"
  elif ((status == 0)) && ! grep -q 'ERROR SUMMARY: 0 errors' "$log.log" && ! grep -q 'RACECHECK SUMMARY: 0' "$log.log"; then
    word="no summary"
  else
    word=$(verdict "$status")
  fi
  printf '%s\t%d\n' "$word" $((SECONDS - started)) >"$log.verdict"
}

if wanted sanitizer; then
  heading "compute-sanitizer on the CUDA tests"
  mapfile -t executables < <(python3 "$root/tools/gpu_results.py" --cuda-executables "$check")
  if [[ -z $sanitizer ]]; then
    record sanitizer compute-sanitizer "not on this machine" 0
  elif [[ -z ${executables[0]-} ]]; then
    record sanitizer compute-sanitizer "no CUDA tests in this build" 0
  else
    for tool in memcheck racecheck initcheck; do
      for executable in "${executables[@]}"; do sanitize "$tool" "$executable"; done &
    done
    wait
    for log in "$check"/sanitizer/*.verdict; do
      IFS=$'\t' read -r word seconds <"$log"
      record sanitizer "$(basename "$log" .verdict)" "$word" "$seconds"
    done
  fi
fi

# ---- Benchmarks, report and training ------------------------------------------------
# measure KIND NAME SECONDS JSON COMMAND...: records how the command ended; JSON is what it wrote, dropped if it failed.
measure() {
  local kind=$1 name=$2 limit=$3 json=$4 started=$SECONDS status=0
  shift 4
  limited "$limit" "$check/$kind/$name.log" "$@" || status=$?
  if ((status != 0)); then
    rm -f "$json"
    tail -n 5 "$check/$kind/$name.log" >&2
  fi
  record "$kind" "$name" "$(verdict "$status")" $((SECONDS - started))
}

if wanted bench; then
  heading "Memory report and training"
  octavo=$build/tools/octavo
  dataset=$(find_dataset)
  packed=$check/program/$(basename "$dataset").h5
  report=$check/program/report.json
  train=$check/program/train.json
  # shellcheck disable=SC2016 # expanded by the inner shell: the command, with its stdout in the file
  to_file=(bash -c '"$@" >"$0"')
  measure program pack 60 "" "$octavo" pack "$dataset" -o "$packed" --force
  measure program report 60 "$report" "${to_file[@]}" "$report" "$octavo" report "$packed" --json
  measure program train 120 "$train" "${to_file[@]}" "$train" "$octavo" train "$packed" --model mlp --epochs 5 \
    --batch-size 128 --lr 0.1 --seed 1 --compare-float32 --json

  heading "Benchmarks"
  # Those that are about the device; tools/bench.sh has the others.
  measure bench bench_gather_cuda 90 "$check/bench/bench_gather_cuda.json" \
    "$build/bench/bench_gather_cuda" --json "$check/bench/bench_gather_cuda.json"
  measure bench bench_train 90 "$check/bench/bench_train.json" \
    "$build/bench/bench_train" "$packed" --json "$check/bench/bench_train.json"
  measure bench octavo_bench 90 "$check/bench/octavo_bench.json" \
    "${to_file[@]}" "$check/bench/octavo_bench.json" "$octavo" bench "$packed" --json
  measure bench octavo_strategies 120 "$check/bench/octavo_strategies.json" \
    "${to_file[@]}" "$check/bench/octavo_strategies.json" "$octavo" bench "$packed" --strategies --json
  measure bench octavo_batch_sizes 60 "$check/bench/octavo_batch_sizes.json" \
    "${to_file[@]}" "$check/bench/octavo_batch_sizes.json" "$octavo" bench "$packed" --batch-sizes --json
fi

# ---- Results -----------------------------------------------------------------------------
heading "Results"
file_name=$(tr '[:upper:]' '[:lower:]' <<<"$gpu_name" | tr -cs 'a-z0-9\n' - | sed 's/^-*//; s/-*$//')
mkdir -p "$out"
toolkit=$("$nvcc" --version | sed -n 's/.*release [^,]*, V\(.*\)/\1/p')
driver=$(gpu driver_version)
memory=$(gpu memory.total)
# As it can be repeated anywhere, whatever the folder was.
command_line="tools/gpu_check.sh${only:+ --only $only}"
export gpu_name capability toolkit driver memory commit command_line stages
python3 "$root/tools/gpu_results.py" "$check" "$out/$file_name" || fail "not everything passed"
echo "Passed."
