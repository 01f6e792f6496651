#!/usr/bin/env bash
# tools/fuzz.sh [TARGET...] [--runs N] [--seconds N] [--out FILE]: fuzzes every parser and image decoder.
#
#   TARGET        a target of tests/fuzz (all)
#   --runs N      runs per target (1,000,000 for parsers; 200,000 for image decoders, dataset files and sources)
#   --seconds N   time limit per target (none)
#   --out FILE    the file for the results (docs/results/fuzzing.md if all targets run). Existing rows of other targets
#                 are kept
#
# Builds the fuzz preset: Clang's libFuzzer with AddressSanitizer and UndefinedBehaviorSanitizer. Runs two targets at a
# time, each with the seeds of its corpus and, if the shared data exists, the difficult files of its kind. Writes one
# table row when a target ends. Exits with status 1 if anything failed: the failing inputs are in build/fuzz/run; add
# them to tests/fuzz/corpus with the fix. tools/setup.sh --fuzz installs the dependencies.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

targets=()
runs=
seconds=0
out=
command_line="tools/fuzz.sh${*:+ $*}"
while (($# > 0)); do
  case $1 in
    -h | --help) usage ;;
    --runs)
      [[ ${2-} =~ ^[1-9][0-9]*$ ]] || wrong_usage "--runs expects a whole number"
      runs=$2
      shift 2
      ;;
    --seconds)
      [[ ${2-} =~ ^[1-9][0-9]*$ ]] || wrong_usage "--seconds expects a whole number"
      seconds=$2
      shift 2
      ;;
    --out)
      [[ -n ${2-} ]] || wrong_usage "--out expects a file"
      out=$(realpath -m "$2")
      shift 2
      ;;
    -*) wrong_usage "unknown option $1" ;;
    *)
      [[ -d $root/tests/fuzz/corpus/$1 ]] || wrong_usage "unknown target $1"
      targets+=("$1")
      shift
      ;;
  esac
done

heading "Compiler"
compiler=clang++-14
if ! command -v $compiler >/dev/null; then compiler=clang++; fi
command -v $compiler >/dev/null || fail "Clang not found; run tools/setup.sh --fuzz"
printf 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }\n' |
  $compiler -x c++ -fsanitize=fuzzer,address,undefined - -o /dev/null 2>/dev/null ||
  fail "$compiler has no libFuzzer; run tools/setup.sh --fuzz"
version=$($compiler --version | head -1)
echo "$version"

heading "Build"
cd "$root"
build=$root/build/fuzz
cmake --preset fuzz -DCMAKE_CXX_COMPILER=$compiler >/dev/null
# The targets that can be built with the installed libraries.
mapfile -t all_targets <"$build/tests/fuzz/targets.txt"
if ((${#targets[@]} == 0)); then
  targets=("${all_targets[@]}")
  out=${out:-$root/docs/results/fuzzing.md}
fi
for target in "${targets[@]}"; do
  [[ " ${all_targets[*]} " == *" $target "* ]] || fail "$target needs a library that is missing; run tools/setup.sh"
done
cmake --build "$build" -j "$(nproc)" --target "${targets[@]/#/fuzz_}"

# ---- The inputs and limits of each target ------------------------------------------
odd=${root%/*}/shared/data/odd
# odd_folders TARGET: difficult files of its kind, below shared/data/odd.
odd_folders() {
  case $1 in
    idx | idx_gzip) echo idx ;;
    cifar_binary) echo cifar-bin ;;
    npy | npz) echo npy ;;
    decode_jpeg) echo jpeg-broken jpeg-exif jpeg-mode made made-hostile ;;
    decode_png) echo png pngsuite made made-hostile ;;
    decode_bmp | decode_gif | decode_pnm | decode_tiff | decode_webp) echo other-format ;;
    image_header) echo jpeg-broken jpeg-exif jpeg-mode made made-hostile other-format png pngsuite ;;
  esac
}
# default_runs TARGET: image decoders and whole files are slower.
default_runs() {
  case $1 in
    decode_* | image_sample | dataset | source) echo 200000 ;;
    *) echo 1000000 ;;
  esac
}
# most_bytes TARGET: the largest input. A CIFAR record has 3,073 bytes, a dataset file at least 8 KiB; long lists are
# slow because they are processed line by line.
most_bytes() {
  case $1 in
    cifar_* | source) echo 16384 ;;
    dataset) echo 32768 ;;
    archive_tree | npz) echo 8192 ;;
    image_table) echo 1024 ;;
    *) echo 4096 ;;
  esac
}

# The memory of a parser is bounded by its input: deflate expands one byte to at most 1,032; archives and images may
# always claim 4 MiB. Decoders use a few times the largest number of pixels here. The limit is above zstd's largest
# window, 128 MiB, which libarchive allocates if five bytes of the input claim it.
limits=(-timeout=10 -rss_limit_mb=1024 -malloc_limit_mb=160)
# Targets that write temporary files are faster in memory.
if [[ -w /dev/shm ]]; then export TMPDIR=/dev/shm; fi
export ASAN_OPTIONS=quarantine_size_mb=16:detect_leaks=1:allocator_may_return_null=0

work=$build/run
rm -rf "$work"
mkdir -p "$work"
commit=$(git rev-parse --verify --quiet --short HEAD 2>/dev/null || echo unknown)
if [[ -n $(git status --porcelain --untracked-files=no -- lib kernels tests 2>/dev/null) ]]; then commit+=" and changes"; fi

# row TARGET: prints a row of the table.
row() {
  local log=$work/$1.log seen total
  seen=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -1)
  total=$(sed -n 's/^INFO: Loaded .* (\([0-9]*\) inline 8-bit counters).*/\1/p' "$log" | tail -1)
  printf '| %s | %s | %s | %s of %s | %s | %s | %s |\n' "$1" \
    "$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")" "$(sed -n 's/^stat::average_exec_per_sec: *//p' "$log")" \
    "${seen:-0}" "${total:-0}" "$(find "$work/$1" -type f | wc -l)" \
    "$(find "$work" -maxdepth 1 -name "$1-*" | wc -l)" "$commit"
}

# write_row TARGET: replaces the target's row in the results file.
write_row() {
  local rows
  rows=$({
    row "$1"
    if [[ -e $out ]]; then grep -E '^\| [a-z0-9_]+ \| [0-9]' "$out" | grep -v "^| $1 |" || true; fi
  } | sort)
  cat >"$out.new" <<END
# Results of the fuzz targets

Written by \`tools/fuzz.sh\`, the last time by \`$command_line\`. [How it is tested](../reliability.md).

- preset fuzz, $version
- $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1), $(nproc) cores, two targets at a time
- each run: ${limits[*]}
- edges are the covered ones of all in the program; a target reaches only a part of the library. A
  failure is a crash, a sanitizer report, a leak, more than 10 seconds, or more memory than the limits

| target | runs | runs/s | edges | corpus | failures | commit |
|---|---:|---:|---:|---:|---:|---|
$rows
END
  mv "$out.new" "$out"
}

# run_target TARGET: runs it and writes its log to $work/TARGET.log.
run_target() {
  local target=$1 folder folders=()
  mkdir -p "$work/$target"
  folders=("$root/tests/fuzz/corpus/$target")
  for folder in $(odd_folders "$target"); do
    if [[ -d $odd/$folder ]]; then folders+=("$odd/$folder"); fi
  done
  nice -n 10 "$build/tests/fuzz/fuzz_$target" "${limits[@]}" -max_len="$(most_bytes "$target")" \
    -runs="${runs:-$(default_runs "$target")}" -max_total_time="$seconds" -artifact_prefix="$work/$target-" \
    -print_final_stats=1 "$work/$target" "${folders[@]}" >"$work/$target.log" 2>&1 ||
    echo failed >"$work/$target.failed"
  row "$target"
  if [[ -n $out ]]; then (flock 9 && write_row "$target") 9>"$work/results.lock"; fi
}

heading "Run ${#targets[@]} targets"
if [[ -n $out ]]; then mkdir -p "$(dirname "$out")"; fi
for target in "${targets[@]}"; do
  while (($(jobs -rp | wc -l) >= 2)); do wait -n || true; done
  run_target "$target" &
done
wait

if [[ -n $out ]]; then note "written to $out"; fi
compgen -G "$work/*.failed" >/dev/null && fail "some targets failed; see their logs and inputs in $work"
exit 0
