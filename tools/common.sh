# What the scripts of this folder share; sourced by them. Gives $root (the checkout), and stops at the first failure
# with the step that it happened in.
# shellcheck shell=bash
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
script=tools/$(basename "$0")
step="reading the command line"

# heading TEXT: says which step begins.
heading() {
  step=$1
  printf '\n== %s\n' "$step"
}

# note TEXT: something worth knowing that stops nothing.
note() { printf '%s: note: %s\n' "$script" "$1" >&2; }

# fail TEXT: the reason, in one line, and the end.
fail() {
  trap - ERR
  printf '%s: error: %s: %s\n' "$script" "$step" "$1" >&2
  exit 1
}

# wrong_usage TEXT: likewise, for a command line that cannot be understood.
wrong_usage() {
  trap - ERR
  printf '%s: error: %s; see %s --help\n' "$script" "$1" "$script" >&2
  exit 2
}

# usage: prints the comment at the top of the script, which is its manual.
usage() {
  sed -n '2,/^[^#]/{/^#/!d;s/^# \{0,1\}//;p}' "$0"
  exit 0
}

# on_error STATUS COMMAND: says where the script stopped. A subshell leaves that to the shell that waits for it.
on_error() {
  trap - ERR
  ((BASH_SUBSHELL > 0)) || printf '%s: error: %s: "%s" failed with exit status %d\n' "$script" "$step" "${2%%$'\n'*}" "$1" >&2
  exit "$1"
}
set -E
trap 'on_error $? "$BASH_COMMAND"' ERR

# The CUDA compiler, or nothing.
find_nvcc() {
  command -v nvcc || { [[ -x /usr/local/cuda/bin/nvcc ]] && echo /usr/local/cuda/bin/nvcc; } || true
}

# find_fashion_mnist: the folder of its four files; nothing, and exit status 1, where there is none. OCTAVO_DATA may name
# the folder or the one above it.
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

# find_dataset: the folder of Fashion-MNIST where there is one, else of the digits, which are always there.
find_dataset() { find_fashion_mnist || echo "$root/data/digits"; }
