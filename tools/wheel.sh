#!/usr/bin/env bash
# tools/wheel.sh [--cpu] [--python PYTHON]...: builds the Python wheels for manylinux_2_28_x86_64 in build/wheel/dist.
#
#   --cpu            without the CUDA backend
#   --python PYTHON  an interpreter, 3.10 or newer, with its headers; may be repeated. Default: python3.10, python3.11
#                    and python3.12, as far as they are on the PATH. From 3.12 on, one wheel serves every later version.
#
# A wheel contains the library, the program, and all that they need beyond glibc 2.28 and Python: nothing else has to be
# installed, neither a compiler nor CUDA. tools/wheel_deps.sh compiles the dependencies on the first run. Each wheel has
# the licenses of what it contains (THIRD_PARTY.md) and a list of it in SPDX format. tools/wheel_check.sh tests wheels.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

cuda=ON
pythons=()
while (($# > 0)); do
  case $1 in
    --cpu) cuda=OFF ;;
    --python)
      [[ -n ${2-} ]] || wrong_usage "--python expects an interpreter"
      pythons+=("$2")
      shift
      ;;
    -h | --help) usage ;;
    *) wrong_usage "unknown option $1" ;;
  esac
  shift
done

# A command of pyenv exists for every version, but works only for those that are enabled.
if ((${#pythons[@]} == 0)); then
  for version in 3.10 3.11 3.12; do
    for candidate in "python$version" "${PYENV_ROOT:-$HOME/.pyenv}"/versions/"$version".*/bin/python; do
      if "$candidate" -c "" 2>/dev/null; then
        pythons+=("$candidate")
        break
      fi
    done
  done
fi
((${#pythons[@]} > 0)) || fail "no Python from 3.10 to 3.12 found; name one with --python"

"$root/tools/wheel_deps.sh"
readonly base=$root/build/wheel
export PATH=$base/venv/bin:$PATH
rm -rf "$base/raw"

if [[ $cuda == ON ]]; then
  step="looking for the CUDA compiler"
  nvcc=$(find_nvcc)
  [[ -n $nvcc ]] || fail "nvcc not found; install the CUDA Toolkit, or build with --cpu"
  cuda_version=$("$nvcc" --version | sed -n 's/.*release \([0-9.]*\),.*/\1/p')
fi

for python in "${pythons[@]}"; do
  version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  heading "Wheel: Python $version"
  # The stable interface exists from 3.12 on.
  abi=$([[ ${version#3.} -ge 12 ]] && echo cp312 || echo "")
  environment=$base/python$version
  if [[ ! -x $environment/bin/python ]]; then "$python" -m venv "$environment"; fi
  "$environment/bin/python" -m pip install -q --upgrade pip 'scikit-build-core>=1.0' 'nanobind>=3.0' ninja
  CMAKE_BUILD_PARALLEL_LEVEL=${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)} \
    "$environment/bin/python" -m pip wheel -q --no-deps --no-build-isolation "$root/python" -w "$base/raw" \
    -C build-dir="$base/cmake-$cuda" -C wheel.py-api="$abi" -C install.strip=true \
    -C cmake.define.CMAKE_TOOLCHAIN_FILE="$base/toolchain.cmake" -C cmake.define.OCTAVO_CUDA=$cuda \
    -C cmake.define.OCTAVO_PYTHON_ONE_LIBRARY=ON -C cmake.define.Python_EXECUTABLE="$environment/bin/python"
done

# CMake before 3.26 cannot build against the stable interface, and names such a library for one version.
step="checking the stable interface"
for wheel in "$base"/raw/*-abi3-*.whl; do
  [[ ! -f $wheel ]] || unzip -l "$wheel" | grep -q '_native\.abi3\.so$' ||
    fail "$(basename "$wheel") is for one version of Python; update CMake"
done

heading "Wheel: licenses and platform"
rm -rf "$base/dist"
mkdir -p "$base/dist"
for raw in "$base"/raw/*.whl; do
  python "$root/tools/wheel_contents.py" "$raw" "$base/prefix" "$root" ${cuda_version:+"$cuda_version"}
  auditwheel repair --plat manylinux_2_28_x86_64 -w "$base/dist" "$raw" >"$base/auditwheel.log" 2>&1 ||
    fail "auditwheel refuses $(basename "$raw"): $(tail -n 1 "$base/auditwheel.log")"
done
for wheel in "$base"/dist/*.whl; do
  printf '%s  %.1f MB\n' "${wheel#"$root"/}" "$(stat -c %s "$wheel")e-6"
done
