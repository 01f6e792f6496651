#!/usr/bin/env bash
# tools/setup.sh [--tests] [--data] [--fuzz]: installs the build dependencies from the packages of Debian 12 or
# Ubuntu 24.04.
#
#   --tests   also install what the tests need
#   --data    also install Fashion-MNIST, as a package
#   --fuzz    also install Clang with libFuzzer, for tools/fuzz.sh
#
# Installs only missing packages, as root or with sudo; if nothing is missing, it does not use the network. Libraries in
# .deps/ (from tools/bundle_deps.sh) and programs on the PATH count as installed. On other distributions, it checks for
# the libraries and lists the missing ones.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

with_tests=no
with_data=no
with_fuzz=no
for argument in "$@"; do
  case $argument in
    --tests) with_tests=yes ;;
    --data) with_data=yes ;;
    --fuzz) with_fuzz=yes ;;
    -h | --help) usage ;;
    *) wrong_usage "unknown option $argument" ;;
  esac
done

# package=command
programs=(cmake=cmake ninja-build=ninja 'g++=g++' make=make pkg-config=pkg-config)
# package=header, relative to the include folders of the compiler or of the packages
libraries=(libhdf5-dev=hdf5.h libcli11-dev=CLI/CLI.hpp nlohmann-json3-dev=nlohmann/json.hpp libxxhash-dev=xxhash.h
  libjpeg-dev=jpeglib.h libpng-dev=png.h
  libhwy-dev=hwy/highway.h zlib1g-dev=zlib.h libdeflate-dev=libdeflate.h)
optional=(libopenblas-dev libarchive-dev libwebp-dev libtiff-dev libgif-dev libutf8proc-dev libcurl4-openssl-dev libssl-dev)
python_packages=(python3-dev python3-venv)
test_packages=(hdf5-tools python3-h5py python3-pil python3-numpy)
lint_packages=(clang-format-14 clang-tidy-14 shellcheck)
# What an example needs.
example_packages=(openmpi-bin libopenmpi-dev)
# What makes the tests faster.
speed_packages=(ccache lld clang-14 libclang-rt-14-dev)

missing_programs() {
  local entry
  for entry in "${programs[@]}"; do
    command -v "${entry#*=}" >/dev/null || echo "${entry%%=*}"
  done
}

# not_installed PACKAGE...: prints the packages that are not installed.
not_installed() {
  (($# > 0)) || return 0
  local installed package
  installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null || true)
  for package in "$@"; do
    grep -qx "installed $package" <<<"$installed" || echo "$package"
  done
}

# ---- Other distributions: check, and list what is missing -------------------
if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  step="checking the build dependencies"
  missing=()
  if [[ $with_fuzz == yes ]]; then programs+=('clang=clang++' 'llvm=llvm-symbolizer'); fi
  mapfile -t missing < <(missing_programs)
  if [[ $with_tests == yes ]]; then
    libraries+=("catch2=catch2/catch_test_macros.hpp|catch2/catch.hpp")
  fi
  for entry in "${libraries[@]}"; do
    found=no
    IFS='|' read -ra headers <<<"${entry#*=}"
    for header in "${headers[@]}"; do
      if [[ -f $root/.deps/include/$header ]] ||
        { command -v g++ >/dev/null && g++ -E -x c++ -include "$header" -I/usr/include/hdf5/serial \
          -o /dev/null /dev/null 2>/dev/null; }; then
        found=yes
      fi
    done
    [[ $found == yes ]] || missing+=("${entry%%=*}")
  done
  if ((${#missing[@]} > 0)); then
    fail "this is neither Debian nor Ubuntu; install the equivalents of ${missing[*]}"
  fi
  echo "All build dependencies are installed."
  exit 0
fi

# ---- Debian and Ubuntu -------------------------------------------------------
step="checking the installed packages"
wanted=()
if [[ -f $root/.deps/include/hdf5.h ]]; then
  optional=()
else
  wanted+=("${libraries[@]%%=*}" "${python_packages[@]}")
  if [[ $with_tests == yes ]]; then
    wanted+=(catch2 "${test_packages[@]}")
    optional+=("${lint_packages[@]}" "${example_packages[@]}" "${speed_packages[@]}")
  fi
fi
if [[ $with_data == yes ]]; then optional+=(dataset-fashion-mnist); fi
# Clang 14 is the version of Debian 12. On releases without it, use the default clang and its runtime library.
if [[ $with_fuzz == yes ]]; then
  if ! compgen -G '/var/lib/apt/lists/*Packages*' >/dev/null || apt-cache show libclang-rt-14-dev >/dev/null 2>&1; then
    wanted+=(catch2 clang-14 libclang-rt-14-dev llvm-14)
  else
    runtime=$(apt-cache depends clang | sed -n 's/^ *Depends: clang-\([0-9]*\)$/libclang-rt-\1-dev/p' | head -1)
    wanted+=(catch2 clang llvm ${runtime:+"$runtime"})
  fi
fi

mapfile -t required < <(missing_programs; not_installed "${wanted[@]}")
mapfile -t extra < <(not_installed "${optional[@]}")
if ((${#required[@]} + ${#extra[@]} == 0)); then
  echo "Everything is installed."
  exit 0
fi

step="installing packages"
as_root=()
if ((EUID != 0)); then
  if command -v sudo >/dev/null; then
    as_root=(sudo)
  elif ((${#required[@]} > 0)); then
    fail "neither root nor sudo; as root, run: apt-get install ${required[*]}"
  else
    note "neither root nor sudo; not installed: ${extra[*]}"
    exit 0
  fi
fi
apt() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Acquire::Retries=3 -o Dpkg::Use-Pty=0 "$@"; }

# Fetch the package lists if they are needed. A package that they do not contain is not in this release.
if ((${#required[@]} > 0)) || ! compgen -G '/var/lib/apt/lists/*Packages*' >/dev/null; then
  apt update || note "the package lists could not be fetched; using the existing ones"
fi
if ((${#required[@]} > 0)); then
  echo "Installing ${required[*]}"
  apt install -y --no-install-recommends "${required[@]}" >/dev/null ||
    fail "apt-get could not install ${required[*]}"
fi
for package in "${extra[@]}"; do
  if ! apt-cache show "$package" >/dev/null 2>&1; then
    note "$package is not in this distribution; continuing without it"
  elif ! apt install -y --no-install-recommends "$package" >/dev/null; then
    note "$package could not be installed; continuing without it"
  fi
done
echo "All build dependencies are installed."
