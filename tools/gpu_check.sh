#!/usr/bin/env bash
# tools/gpu_check.sh [--stage STAGES] [--again] [--limit SECONDS] [--out DIR] [--rehearse]: checks and measures Octavo on
# this machine's GPU, in at most ten minutes.
#
#   --stage STAGES   some of build,bench,test,sanitize,python,train; may be repeated; the default is all of them. They
#                    run in this order, and what they need is built first
#   --again          run the finished parts of these stages again
#   --limit SECONDS  the time limit of each stage
#   --out DIR        where the results go; the default is docs/results
#   --rehearse       run without a GPU: the preset fake-cuda, small sizes, results in build/rehearsal/results. It shows
#                    that every stage works; no number of it is a speed
#
# build      Release, for this GPU's architecture, only what the chosen stages need     300 s
# bench      the gather kernels, PyTorch beside them, batches, the memory report         80 s
# test       every test labeled cuda, one at a time, each at most 60 s                    70 s
# sanitize   compute-sanitizer's memcheck, racecheck and initcheck                        75 s
# python     the Python package's tests on the GPU, with the machine's own PyTorch        35 s
# train      a training run compared with float32 residency                               30 s
#
# Without --limit a stage may also use the time that the stages before it left over. Each stage consists of parts. After every part
# <gpu name>.json and .md are rewritten, so that a run that is killed loses only its part in progress; the next run
# skips what is finished. Changed sources or another GPU start over. Exit status: 0 if every chosen stage passed, 1 if
# anything failed, 2 for a wrong command line. A benchmark or a sanitizer that runs out of time and a sanitizer that
# refuses the machine are recorded and are not failures.
#
# Needs nvcc, CMake, Ninja, g++ and Python 3; no network. Libraries come from .deps/ where it exists. OCTAVO_COMMIT
# names the commit where there is no git.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

all_stages=(build bench test sanitize python train)
declare -A limit_of=([build]=300 [bench]=80 [test]=70 [sanitize]=75 [python]=35 [train]=30)
test_seconds=60  # the most for a test case

# ---- Command line ----------------------------------------------------------------
chosen=
again=no
limit=
out=
rehearse=no
while (($# > 0)); do
  case $1 in
    -h | --help) usage ;;
    --again) again=yes ;;
    --rehearse) rehearse=yes ;;
    --stage | --limit | --out)
      [[ -n ${2-} ]] || wrong_usage "$1 expects a value"
      case $1 in
        --stage) chosen+=,$2 ;;
        --limit) limit=$2 ;;
        --out) out=$2 ;;
      esac
      shift
      ;;
    *) wrong_usage "unknown option $1" ;;
  esac
  shift
done
IFS=, read -ra names <<<"${chosen#,}"
for name in "${names[@]}"; do
  [[ -n $name && -n ${limit_of[$name]-} ]] || wrong_usage "unknown stage \"$name\"; --stage expects some of ${all_stages[*]}"
done
[[ -z $limit || $limit =~ ^[1-9][0-9]*$ ]] || wrong_usage "--limit expects a number of seconds"

is_chosen() { [[ -z $chosen || ,$chosen, == *,$1,* ]]; }
stages=()
for name in "${all_stages[@]}"; do
  # Whatever is chosen must have been built.
  if [[ $name == build ]] || is_chosen "$name"; then stages+=("$name"); fi
done

# ---- The machine -------------------------------------------------------------------
step="looking at the machine"
cd "$root"
command -v python3 >/dev/null || fail "there is no python3 to write the results with"
if [[ $rehearse == yes ]]; then
  gpu() { case $1 in name) echo "Rehearsal without a GPU" ;; *) echo none ;; esac; }
  build=$root/build/rehearsal
  out=${out:-$build/results}
  toolkit=none
  sanitizer=none
else
  command -v nvidia-smi >/dev/null || fail "there is no nvidia-smi, and so no NVIDIA GPU; --rehearse runs without one"
  gpu() { nvidia-smi --id=0 --query-gpu="$1" --format=csv,noheader,nounits; }
  build=$root/build/gpu
  out=${out:-$root/docs/results}
  nvcc=$(find_nvcc)
  [[ -n $nvcc ]] || fail "there is no CUDA compiler"
  toolkit=$("$nvcc" --version | sed -n 's/.*release [^,]*, V\(.*\)/\1/p')
  sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda/bin/compute-sanitizer 2>/dev/null || true)
fi
gpu_name=$(gpu name)
capability=$(gpu compute_cap)
driver=$(gpu driver_version)
memory=$(gpu memory.total)
max_clocks=$(gpu clocks.max.sm,clocks.max.mem)
# The first GPU is the same one for CUDA as for nvidia-smi.
export CUDA_DEVICE_ORDER=PCI_BUS_ID
dataset=$(find_dataset)
commit=${OCTAVO_COMMIT:-$(git rev-parse --verify --quiet HEAD 2>/dev/null || echo unknown)}
if [[ -z ${OCTAVO_COMMIT-} && -n $(git status --porcelain --untracked-files=no 2>/dev/null) ]]; then commit+=" and changes"; fi
command_line="tools/gpu_check.sh${chosen:+ --stage ${chosen#,}}${limit:+ --limit $limit}"
if [[ $rehearse == yes ]]; then command_line+=" --rehearse"; fi
mkdir -p "$out"
out=$(cd "$out" && pwd)
target=$out/$(tr '[:upper:]' '[:lower:]' <<<"$gpu_name" | tr -cs 'a-z0-9\n' - | sed 's/^-*//; s/-*$//')

# ---- Records: what has been done, in $check/records.tsv ------------------------------
check=$build/check
mkdir -p "$check"
exec 9>"$check/lock"
flock -n 9 || fail "another run is in progress in ${check#"$root"/}"
# start_of PID: when a process began; nothing where there is none. It tells a process from a later one of that number.
start_of() { sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | cut -d ' ' -f 20 || true; }
# What a killed run left behind would compete with this one for the GPU.
if [[ -s $check/running ]]; then
  read -r group began <"$check/running"
  if [[ $(start_of "$group") == "$began" ]]; then
    kill -KILL -- "-$group" 2>/dev/null || true
    note "stopped what a killed run had left running"
  fi
  rm -f "$check/running"
fi

# identity: one line that differs whenever earlier results must not be mixed with new ones.
identity() {
  printf '%s, driver %s, toolkit %s, data %s, sources ' "$gpu_name" "$driver" "$toolkit" "$(basename "$dataset")"
  { find CMakeLists.txt CMakePresets.json cmake kernels lib tools tests bench python -type f ! -name '*.pyc' -print0 2>/dev/null ||
    true; } | sort -z | xargs -0 sha256sum | sha256sum | cut -c1-16
}
identity=$(identity)
if [[ -f $check/identity && $(<"$check/identity") != "$identity" ]]; then
  note "the sources or the machine changed: starting over"
  find "$check" -mindepth 1 -maxdepth 1 ! -name lock -exec rm -rf {} +
fi
echo "$identity" >"$check/identity"
touch "$check/records.tsv"
# forget STAGE [NAME]: removes the records of a stage, or of one part of it.
forget() {
  awk -F '\t' -v stage="$1" -v name="${2-}" '$1 != stage || (name != "" && $2 != name)' "$check/records.tsv" >"$check/records.new"
  mv "$check/records.new" "$check/records.tsv"
}
if [[ $again == yes ]]; then
  for stage in "${stages[@]}"; do
    is_chosen "$stage" || continue
    forget "$stage"
    rm -rf "${check:?}/$stage"
  done
fi
for stage in "${all_stages[@]}"; do mkdir -p "$check/$stage"; done

# verdict_of STAGE NAME: the last one recorded, or nothing.
verdict_of() {
  awk -F '\t' -v stage="$1" -v name="$2" '$1 == stage && $2 == name { verdict = $3 } END { print verdict }' "$check/records.tsv"
}

# publish: rewrites the results; its exit status says whether the chosen stages passed.
publish() {
  python3 "$root/tools/gpu_results.py" "$check" "$target" "$@"
}

# record NAME VERDICT SECONDS: a part of the current stage, in the results before anything else begins.
record() {
  printf '%s\t%s\t%s\t%s\t%s\n' "$stage" "$1" "$2" "$3" "$(date -u +%FT%TZ)" >>"$check/records.tsv"
  printf '%-9s %-42s %s (%d s)\n' "$stage" "$1" "$2" "$3"
  publish >/dev/null || true
}

export gpu_name capability toolkit driver memory max_clocks commit command_line identity dataset rehearse
export stages_chosen="${stages[*]}"

octavo=$build/tools/octavo
packed=$check/$(basename "$dataset").h5

# ---- Parts ----------------------------------------------------------------------------
child=
stop_child() { if [[ -n $child ]]; then kill -TERM -- "-$child" 2>/dev/null || true; fi; }
trap 'stop_child; exit 130' INT
trap 'stop_child; exit 143' TERM

# limited SECONDS LOG COMMAND...: both outputs in LOG; the exit status, 124 or 137 for one that ran out of time. The
# command leads a process group of its own, so that all of it can be stopped.
limited() {
  local seconds=$1 log=$2 status=0
  shift 2
  setsid timeout --kill-after=5 "$seconds" "$@" >"$log" 2>&1 9>&- &
  child=$!
  printf '%s %s\n' "$child" "$(start_of "$child")" >"$check/running"
  wait "$child" || status=$?
  child=
  rm -f "$check/running"
  return "$status"
}

# part NAME SECONDS COMMAND...: a part of the current stage, unless it is finished: runs the command with its output in
# $check/STAGE/NAME.log, for at most so long and only in the time of the stage. Exit status 0 if it passed, now or before.
part() {
  local name=$1 seconds=$2 left=$((stage_deadline - SECONDS)) started=$SECONDS status=0 verdict log word
  shift 2
  verdict=$(verdict_of "$stage" "$name")
  if [[ $verdict == passed || $verdict == refused* || ($verdict == failed && $stage != build) || $verdict == "no summary" ]]; then
    printf '%-9s %-42s %s, before\n' "$stage" "$name" "$verdict"
    [[ $verdict == passed ]]
    return
  fi
  log=$check/$stage/$name.log
  for word in "$@"; do
    if [[ ($word == "$octavo" || $word == "$build"/bench/*) && ! -x $word ]]; then
      record "$name" "not run: ${word##*/} is not built" 0
      return 1
    fi
  done
  if ((left <= 0)); then
    record "$name" "not run: no time was left" 0
    return 1
  fi
  if ((seconds > left)); then seconds=$left; fi
  watch_clocks "$check/$stage/$name.clocks"
  limited "$seconds" "$log" "$@" || status=$?
  stop_watching
  case $status in
    0) verdict=passed ;;
    124 | 137) verdict="ran out of time" ;;
    *) verdict=failed ;;
  esac
  if [[ $stage == sanitize && $verdict != passed ]] &&
    grep -qiE 'device not supported|internal sanitizer error|unable to find injection|failed to initialize' "$log"; then
    verdict="refused by this machine"
  elif [[ $stage == sanitize && $verdict == passed && $rehearse == no ]] &&
    ! grep -qE '(ERROR|RACECHECK) SUMMARY: 0 ' "$log"; then
    verdict="no summary"
  elif ((status == 77)); then
    verdict="skipped: $(tail -n 1 "$log" | tr '\t' ' ' | cut -c1-120)"
  fi
  if [[ $verdict == failed ]]; then tail -n 12 "$log" >&2; fi
  record "$name" "$verdict" $((SECONDS - started))
  [[ $verdict == passed ]]
}

# skip NAME REASON: records a part that cannot run here.
skip() { record "$1" "skipped: $2" 0; }

# watch_clocks FILE: samples clocks, temperature and power until stop_watching.
watcher=
watch_clocks() {
  [[ $rehearse == no && ($stage == bench || $stage == train) ]] || return 0
  timeout 300 nvidia-smi --id=0 --query-gpu=clocks.sm,clocks.mem,temperature.gpu,power.draw --format=csv,noheader,nounits \
    --loop-ms=250 >"$1" 2>/dev/null 9>&- &
  watcher=$!
}
stop_watching() {
  if [[ -n $watcher ]]; then
    kill "$watcher" 2>/dev/null || true
    wait "$watcher" 2>/dev/null || true
    watcher=
  fi
}

# ---- build ------------------------------------------------------------------------------
has_python_headers() {
  python3 -c 'import os, sysconfig, sys; sys.exit(not os.path.exists(sysconfig.get_path("include") + "/Python.h"))'
}
with_nanobind() { PYTHONPATH=$root/.deps/python${PYTHONPATH:+:$PYTHONPATH} "$@"; }

stage_build() {
  local architecture=native configure
  local make=(cmake --build "$build" -j "$(nproc)" --target)
  if [[ $capability =~ ^[0-9]+\.[0-9]+$ ]]; then architecture=${capability/./}-real; fi
  configure=(cmake --preset cuda -B "$build" -D CMAKE_BUILD_TYPE=Release -D "CMAKE_CUDA_ARCHITECTURES=$architecture"
    -D OCTAVO_WARNINGS_AS_ERRORS=OFF)
  if [[ $rehearse == yes ]]; then
    configure=(cmake --preset fake-cuda -B "$build" -D OCTAVO_FAKE_CUDA=ON -D OCTAVO_BENCH=ON -D OCTAVO_WARNINGS_AS_ERRORS=OFF)
  fi
  # Without the module, which may be there from a run before: it needs nanobind.
  part configure 60 "${configure[@]}" -D OCTAVO_PYTHON=OFF || return 0
  # One after another: an error in a test's source must not keep the benchmarks from being built.
  if is_chosen bench || is_chosen train; then part program 300 "${make[@]}" octavo_program || true; fi
  if is_chosen bench; then part benchmarks 300 "${make[@]}" bench_gather_cuda bench_train || true; fi
  if is_chosen test || is_chosen sanitize; then part tests 300 "${make[@]}" octavo_gpu_tests || true; fi
  if is_chosen python; then
    if ! has_python_headers; then
      skip python-module "this python3 has no headers"
    elif ! with_nanobind python3 -m nanobind --cmake_dir >/dev/null 2>&1; then
      skip python-module "nanobind is neither installed nor in .deps"
    elif with_nanobind part configure-python 60 "${configure[@]}" -D OCTAVO_PYTHON=ON \
      -D "Python_EXECUTABLE=$(python3 -c 'import sys; print(sys.executable)')"; then
      part python-module 200 "${make[@]}" _native || true
    fi
  fi
}

# ---- bench --------------------------------------------------------------------------------
# to_file FILE COMMAND...: the command with its stdout in FILE, which is there only if it succeeded.
# shellcheck disable=SC2016 # expanded by the inner shell
to_file=(bash -c '"$@" >"$0.part" && mv "$0.part" "$0"')

# pack_dataset: the dataset file that several stages need.
pack_dataset() {
  local few=()
  if [[ $rehearse == yes ]]; then few=(--limit 500); fi
  [[ -f $packed ]] || part pack 30 "$octavo" pack "$dataset" -o "$packed" --force --quiet "${few[@]}"
}

stage_bench() {
  local results=$check/bench small=() quick=()
  if [[ $rehearse == yes ]]; then
    small=(--rounds 1 --mib 2)
    quick=(--rounds 1)
  fi
  part gather_cuda 60 "$build/bench/bench_gather_cuda" "${small[@]}" --json "$results/gather_cuda.json" || true
  part torch_gather 45 python3 "$root/bench/python/torch_gather.py" --json "$results/torch_gather.json" || true
  pack_dataset || return 0
  part report 20 "${to_file[@]}" "$results/report.json" "$octavo" report "$packed" --json || true
  # On the CUDA runtime of the tests it moves its 64 MiB a timing by the host's threads, slowly.
  part octavo_bench "$([[ $rehearse == yes ]] && echo 120 || echo 20)" "${to_file[@]}" "$results/octavo_bench.json" "$octavo" bench "$packed" --json || true
  part octavo_batch_sizes 20 "${to_file[@]}" "$results/octavo_batch_sizes.json" "$octavo" bench "$packed" --batch-sizes --json || true
  part octavo_strategies 30 "${to_file[@]}" "$results/octavo_strategies.json" "$octavo" bench "$packed" --strategies --json || true
  part bench_train 30 "$build/bench/bench_train" "$packed" "${quick[@]}" --json "$results/bench_train.json" || true
  if [[ $rehearse == no && -n $(python_path) ]] && python3 -c 'import numpy' 2>/dev/null; then
    part loaders 40 env PYTHONPATH="$(python_path)" python3 "$root/bench/python/loaders.py" --device cuda \
      --shapes 1x28x28:60000,3x32x32:50000 --rounds 5 --json "$results/loaders.json" || true
  fi
}

# ---- test ------------------------------------------------------------------------------------
# cuda_executables: a line for each executable with tests on CUDA: its name, a tab, its path.
cuda_executables() {
  ctest --test-dir "$build" --show-only=json-v1 >"$check/ctest.json" 2>"$check/ctest.log" &&
    python3 "$root/tools/gpu_results.py" --cuda-executables "$check"
}

stage_test() {
  local name path executables
  executables=$(cuda_executables || true)
  if [[ -z $executables ]]; then
    record tests "not run: no tests labeled cuda are built" 0
    return 0
  fi
  forget test tests
  while IFS=$'\t' read -r name path; do
    part "$name" 400 env OCTAVO_TEST_TIMEOUT="$test_seconds" ctest --test-dir "$build" -L '^cuda$' -R "^$name: " \
      -j 1 --no-tests=error --output-on-failure --output-junit "$check/test/$name.xml" </dev/null || true
  done <<<"$executables"
}

# ---- sanitize -----------------------------------------------------------------------------------
# Not the cases that take the whole device or compare its memory, which a sanitizer changes. Racecheck and initcheck look
# at our kernels alone: what trains is cuBLAS, and what reports is a timing.
sanitize_cases='[cuda]~[large]~[exclusive]'
not_ours='^(training_tests|report_tests|comparisons_tests)$'

stage_sanitize() {
  local tool name path options executables
  if [[ -z $sanitizer ]]; then
    skip compute-sanitizer "not on this machine"
    return 0
  fi
  executables=$(cuda_executables || true)
  if [[ -z $executables ]]; then
    record compute-sanitizer "not run: no tests labeled cuda are built" 0
    return 0
  fi
  forget sanitize compute-sanitizer
  for tool in memcheck racecheck initcheck; do
    # A test of an allocation that must fail is no error.
    options=(--error-exitcode 86)
    if [[ $tool == memcheck ]]; then options+=(--report-api-errors no); fi
    while IFS=$'\t' read -r name path; do
      if [[ -z $name || ($tool != memcheck && $name =~ $not_ours) ]]; then continue; fi
      if [[ $rehearse == yes ]]; then
        part "$tool-$name" 60 "$path" "$sanitize_cases" </dev/null || true
      else
        part "$tool-$name" 40 "$sanitizer" --tool "$tool" "${options[@]}" "$path" "$sanitize_cases" </dev/null || true
      fi
    done <<<"$executables"
  done
}

# ---- python ---------------------------------------------------------------------------------------
# python_path: a folder with the package as it is in the sources, and this build's compiled module; nothing without one.
python_path() {
  local package=$build/python-package/octavo modules
  modules=("$build"/python/_native*.so)
  [[ -f ${modules[0]} ]] || return 0
  mkdir -p "$package"
  ln -sf "$root"/python/src/octavo/*.py "$root/python/src/octavo/py.typed" "${modules[@]}" "$package"
  echo "$build/python-package"
}

stage_python() {
  local path name
  path=$(python_path)
  if [[ -z $path ]]; then
    case $(verdict_of build python-module) in
      skipped*) skip import "the Python module could not be built here" ;;
      *) record import "not run: the Python module is not built" 0 ;;
    esac
    return 0
  fi
  export PYTHONPATH=$path
  if ! python3 -c 'import numpy' 2>/dev/null; then
    skip import "this python3 has no NumPy"
    return 0
  fi
  part import 20 python3 -c 'import octavo; print(octavo.backends(), octavo.devices()); assert len(octavo.devices()) > 1' || return 0
  part torch 30 python3 -c '
import sys
try:
    import torch
except ImportError:
    print("this python3 has no PyTorch"); sys.exit(77)
print(torch.__version__, torch.cuda.is_available() and torch.cuda.get_device_name(0))
sys.exit(0 if torch.cuda.is_available() else 77)' || true
  if ! python3 -c 'import pytest' 2>/dev/null; then
    skip pytest "this python3 has no pytest"
    return 0
  fi
  for name in test_cuda test_graph_loader test_torch test_lifetimes test_residency test_memory test_loader; do
    part "$name" 30 python3 -m pytest -q -p no:cacheprovider -rs --junit-xml "$check/python/$name.xml" \
      "$root/python/tests/$name.py" || true
  done
}

# ---- train -------------------------------------------------------------------------------------------
stage_train() {
  local epochs=5
  if [[ $rehearse == yes ]]; then epochs=1; fi
  pack_dataset || return 0
  part mlp 30 "${to_file[@]}" "$check/train/mlp.json" "$octavo" train "$packed" --model mlp --epochs "$epochs" \
    --batch-size 128 --lr 0.1 --seed 1 --compare-float32 --json || true
}

# ---- All of it ---------------------------------------------------------------------------------------
heading "$gpu_name, ${stages[*]}"
publish >/dev/null || true
stage_deadline=$SECONDS
for stage in "${stages[@]}"; do
  heading "$stage"
  if [[ -n $limit ]] && is_chosen "$stage"; then
    stage_deadline=$((SECONDS + limit))
  else
    stage_deadline=$((stage_deadline + ${limit_of[$stage]}))
  fi
  "stage_$stage"
done

heading "Results"
publish --say || fail "not everything passed"
echo "Passed."
