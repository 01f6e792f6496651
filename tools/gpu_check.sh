#!/usr/bin/env bash
# tools/gpu_check.sh [--stage STAGES] [--file FILE.h5] [--again] [--limit SECONDS] [--out DIR] [--rehearse]
# tools/gpu_check.sh --prepare CAPABILITY
#
# Checks and measures Octavo on this machine's GPU, in at most fifteen minutes.
#
#   --stage STAGES   some of build,bench,test,sanitize,python,train (all); may be repeated. Stages run in this order;
#                    their programs are built first
#   --file FILE.h5   measure with this dataset file instead of Fashion-MNIST; may be repeated for more kinds of batches
#   --again          repeat the finished parts of these stages
#   --limit SECONDS  the time limit of each stage
#   --out DIR        the folder for results (docs/results)
#   --rehearse       run without a GPU: the preset fake-cuda, small sizes, results in build/rehearsal/results. It checks
#                    that every stage works; its numbers are not speeds
#   --prepare CAPABILITY
#                    only build, for GPUs of this compute capability, such as 9.0. Needs no GPU. The host of the GPU
#                    needs .deps and build/gpu of this checkout in a folder with the same path, and builds nothing
#
# build      Release, for this GPU's architecture, only what the chosen stages need     300 s
# bench      the gather kernels, compared with PyTorch, batches, the memory report       260 s
# test       every test of the tag [cuda]; after a failure, one at a time                 70 s
# sanitize   compute-sanitizer's memcheck, racecheck and initcheck                       120 s
# python     the Python package's tests on the GPU, with the machine's own PyTorch       120 s
# train      a training run compared with float32 residency                               30 s
#
# Without --limit, a stage may also use the time that earlier stages left over. Each stage consists of parts. After
# every part, <gpu name>.json and .md are rewritten, so that a killed run loses only the part in progress; the next run
# skips finished parts. Changed sources or another GPU start over. Exit status: 0 if every chosen stage passed, 1 if
# anything failed, 2 for a wrong command line. A benchmark or sanitizer that runs out of time, and a sanitizer that
# refuses the machine, are recorded and do not count as failures.
#
# Requires nvcc, CMake, Ninja, g++ and Python 3, but no network. Libraries come from .deps/ if it exists. OCTAVO_COMMIT
# names the commit if git is not available.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

all_stages=(build bench test sanitize python train)
declare -A limit_of=([build]=300 [bench]=260 [test]=70 [sanitize]=120 [python]=120 [train]=30)
test_seconds=60  # time limit of a test case

# ---- Command line ----------------------------------------------------------------
chosen=
again=no
limit=
out=
rehearse=no
prepared_for=
files=()
while (($# > 0)); do
  case $1 in
    -h | --help) usage ;;
    --again) again=yes ;;
    --rehearse) rehearse=yes ;;
    --stage | --file | --limit | --out | --prepare)
      [[ -n ${2-} ]] || wrong_usage "$1 expects a value"
      case $1 in
        --stage) chosen+=,$2 ;;
        --file) files+=("$(realpath "$2")") ;;
        --limit) limit=$2 ;;
        --out) out=$2 ;;
        --prepare) prepared_for=$2 ;;
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
[[ -z $prepared_for || $prepared_for =~ ^[0-9]+\.[0-9]+$ ]] || wrong_usage "--prepare expects a compute capability, such as 9.0"
for file in "${files[@]}"; do [[ -f $file ]] || wrong_usage "no file $file"; done

is_chosen() { [[ -z $chosen || ,$chosen, == *,$1,* ]]; }
stages=()
for name in "${all_stages[@]}"; do
  # Every stage needs the build.
  if [[ $name == build ]] || is_chosen "$name"; then stages+=("$name"); fi
done

# ---- Building -----------------------------------------------------------------------
cd "$root"
# sources_digest: changes whenever the sources do.
sources_digest() {
  { find CMakeLists.txt CMakePresets.json cmake kernels lib tools tests bench python -type f ! -name '*.pyc' -print0 2>/dev/null ||
    true; } | LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum | cut -c1-16
}
# preparation CAPABILITY: identifies a build; that of another machine is used if it has the same one.
preparation() { printf '%s, compute capability %s, sources %s\n' "$root" "$1" "$(sources_digest)"; }

# configure_for CAPABILITY [OPTION...]: sets $configure.
configure_for() {
  local architecture=native
  if [[ $1 =~ ^[0-9]+\.[0-9]+$ ]]; then architecture=${1/./}-real; fi
  configure=(cmake --preset cuda -B "$root/build/gpu" -D CMAKE_BUILD_TYPE=Release -D "CMAKE_CUDA_ARCHITECTURES=$architecture"
    -D OCTAVO_WARNINGS_AS_ERRORS=OFF "${@:2}")
}
benchmarks=(bench_gather_cuda bench_batches_cuda bench_train)
with_nanobind() { PYTHONPATH=$root/.deps/python${PYTHONPATH:+:$PYTHONPATH} "$@"; }
with_python() { configure+=(-D OCTAVO_PYTHON=ON -D "Python_EXECUTABLE=$(python3 -c 'import sys; print(sys.executable)')"); }

if [[ -n $prepared_for ]]; then
  heading "Build for compute capability $prepared_for"
  [[ -d .deps ]] || fail ".deps not found; run tools/bundle_deps.sh, because the other machine may lack libraries"
  rm -f build/gpu/prepared
  targets=(octavo_program "${benchmarks[@]}" octavo_gpu_tests)
  configure_for "$prepared_for" -D OCTAVO_OPTIONAL_LIBRARIES=OFF
  if with_nanobind python3 -m nanobind --cmake_dir >/dev/null 2>&1; then
    with_python
    targets+=(octavo_python_modules)
    note "the Python module is for $(python3 --version); for another one, put that python3 on the PATH"
  else
    note "without the Python module, because nanobind is neither installed nor in .deps"
  fi
  mkdir -p build
  with_nanobind run_logged "Configuring" build/gpu-configure.log "${configure[@]}"
  with_nanobind run_logged "Building" build/gpu-build.log cmake --build build/gpu -j "$(nproc)" --target "${targets[@]}"
  preparation "$prepared_for" >build/gpu/prepared
  echo "Built in build/gpu."
  exit 0
fi

# ---- The machine -------------------------------------------------------------------
step="checking the machine"
command -v python3 >/dev/null || fail "python3 not found; it is needed to write the results"
if [[ $rehearse == yes ]]; then
  gpu() { case $1 in name) echo "Rehearsal without a GPU" ;; *) echo none ;; esac; }
  build=$root/build/rehearsal
  out=${out:-$build/results}
  toolkit=none
  sanitizer=none
else
  command -v nvidia-smi >/dev/null || fail "nvidia-smi not found; use --rehearse to run without an NVIDIA GPU"
  gpu() { nvidia-smi --id=0 --query-gpu="$1" --format=csv,noheader,nounits; }
  build=$root/build/gpu
  out=${out:-$root/docs/results}
  nvcc=$(find_nvcc)
  [[ -n $nvcc ]] || fail "CUDA compiler not found; put nvcc on the PATH"
  toolkit=$("$nvcc" --version | sed -n 's/.*release [^,]*, V\(.*\)/\1/p')
  sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda/bin/compute-sanitizer 2>/dev/null || true)
fi
gpu_name=$(gpu name)
capability=$(gpu compute_cap)
driver=$(gpu driver_version)
memory=$(gpu memory.total)
max_clocks=$(gpu clocks.max.sm,clocks.max.mem)
# Make CUDA number the GPUs as nvidia-smi does.
export CUDA_DEVICE_ORDER=PCI_BUS_ID
dataset=${files[0]:-$(find_dataset)}
commit=${OCTAVO_COMMIT:-$(git rev-parse --verify --quiet HEAD 2>/dev/null || echo unknown)}
if [[ -z ${OCTAVO_COMMIT-} && -n $(git status --porcelain --untracked-files=no 2>/dev/null) ]]; then commit+=" and changes"; fi
command_line="tools/gpu_check.sh${chosen:+ --stage ${chosen#,}}${limit:+ --limit $limit}"
if [[ $rehearse == yes ]]; then command_line+=" --rehearse"; fi
mkdir -p "$out"
out=$(cd "$out" && pwd)
target=$out/$(tr '[:upper:]' '[:lower:]' <<<"$gpu_name" | tr -cs 'a-z0-9\n' - | sed 's/^-*//; s/-*$//')

# ---- Records of finished parts, in $check/records.tsv --------------------------------
check=$build/check
mkdir -p "$check"
exec 9>"$check/lock"
flock -n 9 || fail "another run is in progress in ${check#"$root"/}"
# start_of PID: prints when a process started, or nothing. Distinguishes a process from a later one with the same PID.
start_of() { sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | cut -d ' ' -f 20 || true; }
# Processes left by a killed run would compete with this one for the GPU.
if [[ -s $check/running ]]; then
  read -r group began <"$check/running"
  if [[ $(start_of "$group") == "$began" ]]; then
    kill -KILL -- "-$group" 2>/dev/null || true
    note "stopped what a killed run had left running"
  fi
  rm -f "$check/running"
fi

# identity: prints one line that changes whenever earlier results must not be mixed with new ones.
identity() {
  printf '%s, driver %s, toolkit %s, data %s, sources %s' "$gpu_name" "$driver" "$toolkit" "$(basename "$dataset")" \
    "$(sources_digest)"
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

# verdict_of STAGE NAME: prints the last recorded verdict, or nothing.
verdict_of() {
  awk -F '\t' -v stage="$1" -v name="$2" '$1 == stage && $2 == name { verdict = $3 } END { print verdict }' "$check/records.tsv"
}

# publish: rewrites the results; the exit status is 0 if the chosen stages passed.
publish() {
  python3 "$root/tools/gpu_results.py" "$check" "$target" "$@"
}

# record NAME VERDICT SECONDS: records a part of the current stage and updates the results.
record() {
  printf '%s\t%s\t%s\t%s\t%s\n' "$stage" "$1" "$2" "$3" "$(date -u +%FT%TZ)" >>"$check/records.tsv"
  printf '%-9s %-42s %s (%d s)\n' "$stage" "$1" "$2" "$3"
  publish >/dev/null || true
}

export gpu_name capability toolkit driver memory max_clocks commit command_line identity dataset rehearse
export stages_chosen="${stages[*]}"

octavo=$build/tools/octavo
packed=$check/$(basename "$dataset").h5
if ((${#files[@]} > 0)); then packed=${files[0]}; else files=("$packed"); fi

# ---- Parts ----------------------------------------------------------------------------
child=
stop_child() { if [[ -n $child ]]; then kill -TERM -- "-$child" 2>/dev/null || true; fi; }
trap 'stop_child; exit 130' INT
trap 'stop_child; exit 143' TERM

# limited SECONDS LOG COMMAND...: runs the command with stdout and stderr in LOG. Returns its exit status, or 124 or 137
# if it ran out of time. The command has its own process group, so that all of its processes can be stopped.
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

# part NAME SECONDS COMMAND...: runs a part of the current stage, unless it is finished. The output goes to
# $check/STAGE/NAME.log. SECONDS and the time left in the stage limit it. Returns 0 if it passed, now or before.
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
stage_build() {
  local make=(cmake --build "$build" -j "$(nproc)" --target)
  if [[ $rehearse == no && -f $build/prepared && $(<"$build/prepared") == "$(preparation "$capability")" ]]; then
    record "built on another machine" passed 0
    return 0
  fi
  configure_for "$capability"
  if [[ $rehearse == yes ]]; then
    configure=(cmake --preset fake-cuda -B "$build" -D OCTAVO_FAKE_CUDA=ON -D OCTAVO_BENCH=ON -D OCTAVO_WARNINGS_AS_ERRORS=OFF)
  fi
  # Disable the Python module, which an earlier run may have enabled: it needs nanobind.
  part configure 60 "${configure[@]}" -D OCTAVO_PYTHON=OFF || return 0
  # Separate builds: an error in a test's source must not prevent building the benchmarks.
  if is_chosen bench || is_chosen train; then part program 300 "${make[@]}" octavo_program || true; fi
  if is_chosen bench; then part benchmarks 300 "${make[@]}" "${benchmarks[@]}" || true; fi
  if is_chosen test || is_chosen sanitize; then part tests 300 "${make[@]}" octavo_gpu_tests || true; fi
  if is_chosen python; then
    if ! has_python_headers; then
      skip python-module "this python3 has no development headers"
    elif ! with_nanobind python3 -m nanobind --cmake_dir >/dev/null 2>&1; then
      skip python-module "nanobind is neither installed nor in .deps"
    else
      with_python
      if with_nanobind part configure-python 60 "${configure[@]}"; then
        part python-module 200 "${make[@]}" octavo_python_modules || true
      fi
    fi
  fi
}

# ---- bench --------------------------------------------------------------------------------
# to_file FILE COMMAND...: runs the command with its stdout in FILE, which is created only on success.
# shellcheck disable=SC2016 # expanded by the inner shell
to_file=(bash -c '"$@" >"$0.part" && mv "$0.part" "$0"')

# pack_dataset: makes the dataset file that several stages need.
pack_dataset() {
  local few=()
  if [[ $rehearse == yes ]]; then few=(--limit 500); fi
  [[ -f $packed ]] || part pack 30 "$octavo" pack "$dataset" -o "$packed" --force --quiet "${few[@]}"
}

# batches_of FILE: measures batches of the file's samples with every compression: small, of 64 MiB, and as large as fits.
batches_of() {
  local name compression size versions=()
  name=$(basename "$1" .h5)
  for compression in none lp8 lc8; do
    versions+=("$check/$name-$compression.h5")
    [[ -f ${versions[-1]} ]] || part "repack $name, $compression" 30 "$octavo" repack "$1" -o "${versions[-1]}" \
      --compress "$compression" --force --quiet || return 0
  done
  for size in 512 0 65536; do
    part "batches_cuda $name, size $size" 60 "$build/bench/bench_batches_cuda" "${versions[@]}" "${quick[@]}" "${buffer[@]}" \
      --batch-size "$size" --json "$results/batches_cuda-$name-$size.json" || true
  done
}

stage_bench() {
  local results=$check/bench small=() quick=() buffer=() file
  if [[ $rehearse == yes ]]; then
    small=(--rounds 1 --mib 2)
    quick=(--rounds 1)
    buffer=(--mib 16)
  fi
  part gather_cuda 60 "$build/bench/bench_gather_cuda" "${small[@]}" --json "$results/gather_cuda.json" || true
  part torch_gather 45 python3 "$root/bench/python/torch_gather.py" --json "$results/torch_gather.json" || true
  pack_dataset || return 0
  for file in "${files[@]}"; do batches_of "$file"; done
  part report 20 "${to_file[@]}" "$results/report.json" "$octavo" report "$packed" --json || true
  # With the tests' CUDA runtime, host threads copy its 64 MiB per timing, which is slow.
  part octavo_bench "$([[ $rehearse == yes ]] && echo 120 || echo 20)" "${to_file[@]}" "$results/octavo_bench.json" "$octavo" bench "$packed" --json || true
  part octavo_batch_sizes 20 "${to_file[@]}" "$results/octavo_batch_sizes.json" "$octavo" bench "$packed" --batch-sizes --json || true
  part octavo_strategies 60 "${to_file[@]}" "$results/octavo_strategies.json" "$octavo" bench "$packed" --strategies --json || true
  part bench_train 30 "$build/bench/bench_train" "$packed" "${quick[@]}" --json "$results/bench_train.json" || true
  if [[ $rehearse == no && -n $(python_path) ]] && python3 -c 'import numpy' 2>/dev/null; then
    part loaders 60 env PYTHONPATH="$(python_path)" python3 "$root/bench/python/loaders.py" --device cuda \
      --shapes 1x28x28:60000,3x32x32:50000 --rounds 5 --json "$results/loaders.json" || true
  fi
}

# ---- test ------------------------------------------------------------------------------------
# cuda_executables: prints a line for each executable with CUDA tests: its name, a tab, its path.
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
  # One process for all cases takes a fraction of the time, but may end with the first failure.
  while IFS=$'\t' read -r name path; do
    if part "$name" 200 "$path" '[cuda]' --reporter junit --out "$check/test/$name.xml" </dev/null; then
      forget test "$name, one at a time"
    else
      part "$name, one at a time" 400 env OCTAVO_TEST_TIMEOUT="$test_seconds" ctest --test-dir "$build" -L '^cuda$' \
        -R "^$name: " -j 1 --no-tests=error --output-on-failure --output-junit "$check/test/$name.xml" </dev/null || true
    fi
  done <<<"$executables"
}

# ---- sanitize -----------------------------------------------------------------------------------
# Exclude the cases that use the whole device or compare its memory, because a sanitizer changes that. Racecheck and
# initcheck run only on our kernels: training is cuBLAS, and reporting is timing.
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
    # Tests of allocations that must fail are not errors.
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
# python_path: prints a folder with the package's sources and this build's compiled module, or nothing if it is not
# built.
python_path() {
  local package=$build/python-package/octavo modules
  modules=("$build"/python/octavo/{*.so,_augment_types.py})
  [[ -f ${modules[0]} ]] || return 0
  mkdir -p "${package%/*}"
  cp -r "$root/python/src/octavo" "${package%/*}"
  cp "${modules[@]}" "$package"
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
  local -r loading="loading/test_graph_loader loading/test_lifetimes loading/test_residency loading/test_memory"
  for test in test_cuda test_torch $loading loading/test_loader; do
    name=$(basename "$test")
    part "$name" 30 python3 -m pytest -q -p no:cacheprovider -rs --junit-xml "$check/python/$name.xml" \
      "$root/python/tests/$test.py" || true
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
