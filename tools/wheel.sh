#!/usr/bin/env bash
# tools/wheel.sh [--cpu] [--arch ARCH] [--python PYTHON]...: builds the Python wheels for manylinux_2_28 in
# build/wheel/dist.
#
#   --cpu            without the CUDA backend
#   --arch ARCH      x86_64 (the default) or aarch64: with --cpu, for Python 3.12 and later, after the wheels for x86_64;
#                    needs the packages qemu-user-static and binfmt-support
#   --python PYTHON  an interpreter, 3.10 or newer, with its headers; may be repeated. Default: python3.10, python3.11
#                    and python3.12, as far as they are on the PATH. From 3.12 on, one wheel serves every later version.
#
# A wheel contains the library, the program, and all that they need beyond glibc 2.28 and Python: nothing else has to be
# installed, neither a compiler nor CUDA. tools/wheel_deps.sh compiles the dependencies on the first run. Each wheel has
# the licenses of what it contains (THIRD_PARTY.md) and a list of it in SPDX format, dated by SOURCE_DATE_EPOCH or else by
# the commit. Lines that begin with a time show the progress. tools/wheel_check.sh tests wheels.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

arch=x86_64
cuda=ON
pythons=()
while (($# > 0)); do
  case $1 in
    --cpu) cuda=OFF ;;
    --arch)
      [[ ${2-} =~ ^(x86_64|aarch64)$ ]] || wrong_usage "--arch expects x86_64 or aarch64"
      arch=$2
      shift
      ;;
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

command -v unzip >/dev/null || fail "unzip not found; install the package unzip"
versions=(3.10 3.11 3.12)
stubs=
if [[ $arch == aarch64 ]]; then
  # nvcc needs the CUDA toolkit of the other processor, and the names of modules for one version of Python depend on it.
  [[ $cuda == OFF ]] || wrong_usage "--arch aarch64 needs --cpu"
  versions=(3.12)
  # This Python cannot import the modules.
  wheels_here=("$root"/build/wheel/dist/octavo-*-abi3-*_x86_64.whl)
  [[ -f ${wheels_here[0]} ]] || fail "the stubs come from the wheel for x86_64; run tools/wheel.sh first"
  stubs=$root/build/wheel/aarch64/stubs
  rm -rf "$stubs"
  unzip -q "${wheels_here[0]}" 'octavo/_*.pyi' octavo/_augment_types.py -d "$stubs"
  export QEMU_LD_PREFIX=$root/build/wheel/aarch64/system
fi

# A command of pyenv exists for every version, but works only for those that are enabled.
if ((${#pythons[@]} == 0)); then
  for version in "${versions[@]}"; do
    for candidate in "python$version" "${PYENV_ROOT:-$HOME/.pyenv}"/versions/"$version".*/bin/python; do
      if "$candidate" -c "" 2>/dev/null; then
        pythons+=("$candidate")
        break
      fi
    done
  done
fi
((${#pythons[@]} > 0)) || fail "no Python ${versions[*]} found; name one with --python"

# The date of the archive members and of the list of contents.
if [[ -z ${SOURCE_DATE_EPOCH-} ]]; then
  SOURCE_DATE_EPOCH=$(git -C "$root" log -1 --format=%ct 2>/dev/null) ||
    fail "this folder is not a git checkout; set SOURCE_DATE_EPOCH to the date of the release, in seconds since 1970"
fi
export SOURCE_DATE_EPOCH

# find_cuda_license: copies NVIDIA's license to $cuda_license: from the toolkit, or else from its package on PyPI.
find_cuda_license() {
  local toolkit package=nvidia-cuda-runtime
  cuda_license=$base/$arch/cuda-eula.txt
  if [[ -s $cuda_license ]]; then return; fi
  toolkit=$(dirname "$(dirname "$(readlink -f "$nvcc")")")
  if [[ -s $toolkit/EULA.txt ]]; then
    cp "$toolkit/EULA.txt" "$cuda_license"
    return
  fi
  # Before 13, the package's name has the version.
  if ((${cuda_version%%.*} < 13)); then package+=-cu${cuda_version%%.*}; fi
  rm -rf "$base/cuda-package"
  python -m pip download -q --no-deps --only-binary=:all: -d "$base/cuda-package" "$package==$cuda_version.*" ||
    fail "$toolkit has no EULA.txt, and PyPI no $package $cuda_version"
  unzip -p "$base"/cuda-package/*.whl '*/License.txt' >"$cuda_license"
}

# linked_libraries FOLDER: prints the static libraries that the build in the folder links into the module.
linked_libraries() {
  local module
  module=$(ninja -C "$1" -t targets all | sed -n 's,^\(.*/_native[^/]*\.so\): .*,\1,p' | head -n 1)
  # These are parts of glibc and stay shared.
  ninja -C "$1" -t commands "$module" | tail -n 1 | tr ' ' '\n' |
    sed -nE -e '/\.a$/p' -e '/^-l(pthread|dl|m|rt|c)$/d' -e 's/^-l(.+)$/lib\1.a/p' | sort -u
}

"$root/tools/wheel_deps.sh" "$arch"
readonly base=$root/build/wheel
export PATH=$base/venv/bin:$PATH
rm -rf "$base/$arch"/{raw,linked.txt}

if [[ $cuda == ON ]]; then
  step="looking for the CUDA compiler"
  nvcc=$(find_nvcc)
  [[ -n $nvcc ]] || fail "nvcc not found; install the CUDA Toolkit, or build with --cpu"
  cuda_version=$("$nvcc" --version | sed -n 's/.*release \([0-9.]*\),.*/\1/p')
  find_cuda_license
fi

for python in "${pythons[@]}"; do
  version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  heading "Wheel: Python $version"
  # The stable interface exists from 3.12 on.
  abi=$([[ ${version#3.} -ge 12 ]] && echo cp312 || echo "")
  environment=$base/python$version
  if [[ ! -x $environment/bin/python ]]; then "$python" -m venv "$environment"; fi
  "$environment/bin/python" -m pip install -q --upgrade pip 'scikit-build-core>=1.0' 'nanobind>=3.0' ninja
  progress "compiling Octavo for Python $version"
  CMAKE_BUILD_PARALLEL_LEVEL=${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)} _PYTHON_HOST_PLATFORM=linux-$arch \
    run_logged "compiling Octavo for Python $version" "$base/$arch/python$version.log" \
    "$environment/bin/python" -m pip wheel -v --no-deps --no-build-isolation "$root/python" -w "$base/$arch/raw" \
    -C build-dir="$base/$arch/cmake-$cuda" -C wheel.py-api="$abi" -C install.strip=true \
    -C cmake.define.CMAKE_TOOLCHAIN_FILE="$base/$arch/toolchain.cmake" -C cmake.define.OCTAVO_CUDA=$cuda \
    -C cmake.define.OCTAVO_PYTHON_ONE_LIBRARY=ON -C cmake.define.Python_EXECUTABLE="$environment/bin/python" \
    -C cmake.define.OCTAVO_PYTHON_STUBS="${stubs:+$stubs/octavo}"
  linked_libraries "$base/$arch/cmake-$cuda" >>"$base/$arch/linked.txt"
done

# CMake before 3.26 cannot build against the stable interface, and names such a library for one version.
step="checking the stable interface"
for wheel in "$base/$arch"/raw/*-abi3-*.whl; do
  [[ ! -f $wheel ]] || grep -q '_native\.abi3\.so$' < <(unzip -l "$wheel") ||
    fail "$(basename "$wheel") is for one version of Python; update CMake"
done

heading "Wheel: licenses and platform"
mkdir -p "$base/dist"
rm -f "$base"/dist/octavo-*_"$arch".whl
# auditwheel knows the platforms of this processor by name; it finds that of others.
platform=manylinux_2_28_$arch
if [[ $arch != "$(uname -m)" ]]; then platform=auto; fi
for raw in "$base/$arch"/raw/*.whl; do
  progress "$(basename "$raw")"
  python "$root/tools/wheel_contents.py" "$raw" "$base/$arch/prefix" "$root" "$base/$arch/linked.txt" \
    ${cuda_version:+"$cuda_version" "$cuda_license"}
  auditwheel repair --plat "$platform" -w "$base/dist" "$raw" >"$base/auditwheel.log" 2>&1 ||
    fail "auditwheel refuses $(basename "$raw"): $(tail -n 1 "$base/auditwheel.log")"
done
compgen -G "$base/dist/octavo-*-manylinux_2_28_$arch.whl" >/dev/null || fail "the wheel needs a newer glibc than 2.28"
for wheel in "$base"/dist/*_"$arch".whl; do
  printf '%s  %.1f MB\n' "${wheel#"$root"/}" "$(stat -c %s "$wheel")e-6"
done
progress "done; the time depends mostly on the number of cores ($(nproc)); the libraries are kept for the next run"
