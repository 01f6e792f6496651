#!/usr/bin/env bash
# tools/lint.sh [--fix] [--tidy BUILD]: checks words, formatting and scripts.
#
#   --fix         format the sources instead of checking them
#   --tidy BUILD  only run clang-tidy (.clang-tidy) on the library, as compiled in the build folder BUILD, which needs
#                 compile_commands.json
#
# Uses version 14 of clang-format and clang-tidy, since versions format differently. A missing tool is reported and
# skipped.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

fix=no
tidy=
while (($# > 0)); do
  case $1 in
    --fix) fix=yes ;;
    --tidy)
      [[ -n ${2-} ]] || wrong_usage "--tidy expects a build folder"
      tidy=$2
      shift
      ;;
    -h | --help) usage ;;
    *) wrong_usage "unknown option $1" ;;
  esac
  shift
done
cd "$root"

# find_llvm TOOL: prints the command for version 14 of TOOL, or nothing.
find_llvm() {
  local name
  for name in "$1-14" "$1"; do
    if command -v "$name" >/dev/null && "$name" --version | grep -q 'version 14\.'; then
      echo "$name"
      return
    fi
  done
  note "$1 14 is not installed; its checks are skipped"
}

if [[ -n $tidy ]]; then
  heading "clang-tidy"
  tool=$(find_llvm clang-tidy)
  [[ -n $tool ]] || exit 0
  [[ -f $tidy/compile_commands.json ]] || fail "$tidy has no compile_commands.json; configure with -DCMAKE_EXPORT_COMPILE_COMMANDS=ON"
  # Only C++: clang 14 does not know the CUDA toolkit.
  python3 -c '
import json, pathlib, sys
for entry in json.load(open(sys.argv[1] + "/compile_commands.json")):
    path = entry["file"]
    if path.endswith((".cpp", ".cxx")) and ("/octavo_support.dir/" in path or "/octavo_format.dir/" in path
                                            or "/octavo_core.dir/" in path or "/octavo_pack.dir/" in path
                                            or "/octavo_fetch.dir/" in path or "/octavo_remote.dir/" in path
                                            or "/octavo_lab.dir/" in path
                                            or "/kernels/cpu/" in path or "/lab/src/training/kernels/" in path):
        print(path)
' "$tidy" | xargs -P "$(nproc)" -n 1 "$tool" -p "$tidy" --quiet --extra-arg=-Wno-unknown-warning-option 2>/dev/null ||
    fail "clang-tidy found problems"
  exit 0
fi

heading "Words"
python3 tools/check_words.py

heading "Format"
tool=$(find_llvm clang-format)
if [[ -n $tool ]]; then
  mapfile -t sources < <(git ls-files '*.cpp' '*.hpp' '*.cu' '*.cuh')
  if [[ $fix == yes ]]; then
    "$tool" -i "${sources[@]}"
  else
    "$tool" --dry-run --Werror "${sources[@]}" || fail "run tools/lint.sh --fix"
  fi
fi

heading "Scripts"
if command -v shellcheck >/dev/null; then
  shellcheck -x -P tools tools/*.sh .ci/run tests/tools/*.sh
else
  note "shellcheck is not installed; its checks are skipped"
fi

heading "Python style"
ruff=$(command -v ruff || compgen -G "$root/build/python/*/venv/bin/ruff" | head -1 || true)
if [[ -n $ruff ]]; then
  check_python_style "$ruff"
else
  note "ruff is not installed; tools/test_python.sh installs it and checks the style"
fi
