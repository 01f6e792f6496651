# Shared by the scripts of this folder, which source it. Sets $root (the checkout), and stops at the first failure with
# the name of the current step.
# shellcheck shell=bash
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
script=tools/$(basename "$0")
step="reading the command line"

# heading TEXT: begins a step and prints its name.
heading() {
  step=$1
  printf '\n== %s\n' "$step"
}

# progress TEXT: prints what a long step does now, after the time since the script started. A script that it runs counts
# on, so that the times of one command add up.
export OCTAVO_STARTED_AT=${OCTAVO_STARTED_AT:-$EPOCHSECONDS}
progress() {
  local elapsed_s=$((EPOCHSECONDS - OCTAVO_STARTED_AT))
  printf '[%3d:%02d] %s\n' $((elapsed_s / 60)) $((elapsed_s % 60)) "$1"
}

# show_progress TEXT LOG: every half minute, prints TEXT and the last step, such as [3/80], that a build wrote to LOG. Ends
# with the script.
show_progress() {
  local next_s=$((EPOCHSECONDS + 30)) at
  while sleep 0.2 && kill -0 $$ 2>/dev/null; do
    ((EPOCHSECONDS >= next_s)) || continue
    next_s=$((EPOCHSECONDS + 30))
    at=$(grep -oE '^ *\[[0-9]+/[0-9]+\]' "$2" | tail -n 1 | tr -d ' ' || true)
    progress "$1${at:+ $at}"
  done
}

# run_logged TEXT LOG COMMAND...: runs the command with its output in the file LOG, and shows its progress. If the command
# fails, prints the end of LOG and stops.
run_logged() {
  local text=$1 log=$2 status=0 watcher
  shift 2
  show_progress "$text" "$log" &
  watcher=$!
  "$@" >"$log" 2>&1 || status=$?
  kill "$watcher" 2>/dev/null || true
  wait "$watcher" 2>/dev/null || true
  if ((status != 0)); then
    tail -n 30 "$log" >&2
    fail "$text failed; see the output above"
  fi
}

# note TEXT: prints a note to stderr.
note() { printf '%s: note: %s\n' "$script" "$1" >&2; }

# fail TEXT: prints the reason in one line and exits with status 1.
fail() {
  trap - ERR
  printf '%s: error: %s: %s\n' "$script" "$step" "$1" >&2
  exit 1
}

# wrong_usage TEXT: prints what is wrong with the command line and exits with status 2.
wrong_usage() {
  trap - ERR
  printf '%s: error: %s; see %s --help\n' "$script" "$1" "$script" >&2
  exit 2
}

# usage: prints the comment at the top of the script, which is its help text.
usage() {
  sed -n '2,/^[^#]/{/^#/!d;s/^# \{0,1\}//;p}' "$0"
  exit 0
}

# on_error STATUS COMMAND: reports where the script stopped. A subshell leaves the report to its parent shell.
on_error() {
  trap - ERR
  ((BASH_SUBSHELL > 0)) || printf '%s: error: %s: "%s" failed with exit status %d\n' "$script" "$step" "${2%%$'\n'*}" "$1" >&2
  exit "$1"
}
set -E
trap 'on_error $? "$BASH_COMMAND"' ERR

# find_nvcc: prints the path of the CUDA compiler, or nothing.
find_nvcc() {
  command -v nvcc || { [[ -x /usr/local/cuda/bin/nvcc ]] && echo /usr/local/cuda/bin/nvcc; } || true
}

# check_python_style RUFF: checks the Python sources. Only the package needs docstrings everywhere.
check_python_style() {
  local sources=(python bench/python/loaders.py examples/python)
  (cd "$root" && "$1" check -q --config python/pyproject.toml --extend-ignore D "${sources[@]}" &&
    "$1" check -q python && "$1" format -q --check --config python/pyproject.toml "${sources[@]}")
}

# find_fashion_mnist: prints the folder of its four files, or returns 1 if there is none. OCTAVO_DATA may name the
# folder or its parent.
find_fashion_mnist() {
  local folder
  for folder in ${OCTAVO_DATA:+"$OCTAVO_DATA/fashion-mnist" "$OCTAVO_DATA"} /usr/share/datasets/fashion-mnist \
    "$root/data/fashion-mnist" "$root/.deps/data/fashion-mnist"; do
    if [[ -f $folder/train-images-idx3-ubyte.gz ]]; then
      echo "$folder"
      return
    fi
  done
  return 1
}

# find_dataset: prints the folder of Fashion-MNIST if it exists, else of the digits, which are in the repository.
find_dataset() { find_fashion_mnist || echo "$root/data/digits"; }
