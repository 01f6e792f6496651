#!/usr/bin/env bash
# tools/bench.sh [--out DIR] [--only NAMES] [--quick]: measures Octavo on this machine's CPU, relative to its limits.
# tools/bench.sh --compare OLD.json NEW.json: prints the differences between two results files.
#
#   --out DIR      the folder for results (docs/results, or build/bench/results with --only or --quick)
#   --only NAMES   some of gather_cpu,augmented,batches,epoch,load,pack,photos,pack_scale,deflate,scale,stream,train,
#                  coded_rows,coded_stream,peers,loaders (all)
#   --quick        less data and fewer rounds: to check that it works, not for reporting
#
# Builds the release preset in build/bench and runs every benchmark of bench/ in sequence. Nothing else should run
# meanwhile. Writes <processor>.json and .md. $PYTHON names the Python interpreter for the rows of PyTorch, NumPy
# and h5py; missing packages are skipped and counted. `loaders` needs the Python package installed there; `photos` needs
# a folder of JPEGs or PNGs in $PHOTOS.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

names=gather_cpu,augmented,batches,epoch,load,pack,photos,pack_scale,deflate,scale,stream,train,coded_rows,coded_stream,peers,loaders
only=
quick=
while (($# > 0)); do
  case $1 in
    -h | --help) usage ;;
    --compare)
      (($# == 3)) || wrong_usage "--compare expects two results files"
      exec python3 "$root/tools/bench_results.py" --compare "$2" "$3"
      ;;
    --out)
      [[ -n ${2-} ]] || wrong_usage "--out expects a folder"
      mkdir -p "$2"
      chosen_out=$(cd "$2" && pwd)
      shift 2
      ;;
    --only)
      only=${2-}
      [[ -n $only ]] || wrong_usage "--only expects names"
      shift 2
      ;;
    --quick)
      quick=1
      shift
      ;;
    *) wrong_usage "unknown option $1" ;;
  esac
done
IFS=, read -ra wanted <<<"${only:-$names}"
for name in "${wanted[@]}"; do
  [[ ,$names, == *,$name,* ]] || wrong_usage "--only expects some of $names"
done
out=$root/docs/results
if [[ -n $only$quick ]]; then out=$root/build/bench/results; fi
out=${chosen_out:-$out}
python=${PYTHON:-python3}

heading "Build"
cd "$root"
build=$root/build/bench
cmake --preset release -B "$build" -D OCTAVO_CUDA=OFF -D OCTAVO_BENCH=ON -D OCTAVO_TESTS=OFF >/dev/null
cmake --build "$build" -j "$(nproc)"

heading "Data"
work=$build/data
results=$build/json
rm -rf "$work" "$results"
mkdir -p "$work" "$results" "$out"
dataset=$(find_dataset)
packed=$work/$(basename "$dataset").h5
"$build/tools/octavo" pack "$dataset" -o "$packed" --quiet

# arguments_of NAME: the arguments of a benchmark, reduced by --quick.
arguments_of() {
  local name=$1
  case $name in
    epoch | train | coded_rows | coded_stream) printf '%s\n' "$packed" ;;
    pack | deflate) printf '%s\n' "$dataset" ;;
    photos) printf '%s\n' "${PHOTOS:-}" ;;
  esac
  if [[ -n $quick ]]; then
    printf '%s\n' --rounds 1
    case $name in
      gather_cpu | augmented | batches | load | pack | deflate | stream | coded_rows | coded_stream) printf '%s\n' --mib 256 ;;
      photos) printf '%s\n' --count 100 ;;
      pack_scale) printf '%s\n' --largest 1000000 ;;
    esac
  fi
}

for name in "${wanted[@]}"; do
  heading "$name"
  mapfile -t words < <(arguments_of "$name")
  if [[ $name == peers ]]; then
    if "$python" -c 'import numpy, h5py' 2>/dev/null; then
      "$build/bench/make_peers_file" "$work/peers.h5"
      "$python" "$root/bench/python/peers.py" "$build/bench/liboctavo_bench_gather.so" "$work/peers.h5" \
        ${quick:+--rounds 2} --json "$results/peers.json"
    else
      note "SKIPPED: $python lacks NumPy or h5py"
    fi
  elif [[ $name == loaders ]]; then
    if "$python" -c 'import octavo' 2>/dev/null; then
      "$python" "$root/bench/python/loaders.py" ${quick:+--rounds 2 --shapes 1x28x28:8000} --json "$results/loaders.json"
    else
      note "SKIPPED: $python has no octavo; pip install ./python"
    fi
  else
    "$build/bench/bench_$name" "${words[@]}" --json "$results/$name.json"
  fi
done

heading "Results"
command_line="tools/bench.sh${only:+ --only $only}${quick:+ --quick}"
commit=$(git rev-parse --verify --quiet HEAD 2>/dev/null || echo unknown)
if [[ -n $(git status --porcelain --untracked-files=no 2>/dev/null) ]]; then commit+=" and changes"; fi
export command_line commit
python3 "$root/tools/bench_results.py" "$results" "$out"
