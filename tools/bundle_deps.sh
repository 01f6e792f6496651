#!/usr/bin/env bash
# tools/bundle_deps.sh [--again]: collects the libraries for a build in .deps/, for a host without network access.
#
#   --again   recompile the libraries in build/deps
#
# Run it on Debian or Ubuntu on x86-64, and copy the checkout with .deps/ to the host, which needs only CMake, Ninja,
# g++ and a C library that is at least as new. Packages that are not installed are downloaded; nothing is installed. The
# libraries are static, except Highway if the distribution has no static version.
#
# Debian compiles its static HDF5, zlib, JPEG and PNG for executables only, and a Python module cannot link them. This
# script compiles these four as position-independent code in build/deps, from the distribution's patched sources; a
# second run reuses them. HDF5 is built without its S3 reader, the only part that needs the curl and ssl libraries.
#
# .deps also contains data/fashion-mnist if this machine has it (the package dataset-fashion-mnist, or a folder in
# $OCTAVO_DATA), python/nanobind if PyPI is reachable, and licenses/. It does not contain the libraries for optional
# features: OpenBLAS, archives, WebP, TIFF, GIF, Unicode normalization, and `octavo fetch`.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
source "$(dirname "${BASH_SOURCE[0]}")/source_packages.sh"

again=no
for argument in "$@"; do
  case $argument in
    --again) again=yes ;;
    -h | --help) usage ;;
    *) wrong_usage "unknown option $argument" ;;
  esac
done

# If there are two names, the first is for Debian and the second for Ubuntu.
packages=(libaec-dev libxxhash-dev nlohmann-json3-dev libdeflate-dev libhwy-dev
  'libhwy1|libhwy1t64' libcli11-dev catch2)
# The source packages to compile, in dependency order.
sources=(zlib libpng1.6 libjpeg-turbo hdf5)

step="checking for apt-get"
if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
  fail "this script requires Debian or Ubuntu"
fi
command -v dpkg-source >/dev/null || fail "dpkg-source not found; install the package dpkg-dev"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unpacked=$work/unpacked
bundle=$work/bundle
mkdir -p "$unpacked" "$bundle/include" "$bundle/lib" "$bundle/licenses"

# ---- Gather: unpack every package into one tree ------------------------------
# unpack PACKAGE: copies its files if it is installed, else downloads it.
unpack() {
  if dpkg-query -W -f '${db:Status-Status}\n' "$1" 2>/dev/null | grep -q '^installed'; then
    dpkg-query -L "$1" | sed -n 's,^/\(usr/\(include\|lib\|share/doc\)/\),\1,p' |
      while read -r path; do if [[ ! -d /$path || -L /$path ]]; then printf '%s\0' "$path"; fi; done |
      tar -C / --null -T - -cf - | tar -C "$unpacked" -xf -
  else
    apt-cache show "$1" >/dev/null 2>&1 || return 1
    mkdir -p "$work/download"
    (cd "$work/download" && rm -f ./*.deb && apt-get -qq -o APT::Sandbox::User=root download "$1")
    dpkg -x "$work"/download/*.deb "$unpacked"
  fi
  if [[ -f $unpacked/usr/share/doc/$1/copyright ]]; then
    cp -L "$unpacked/usr/share/doc/$1/copyright" "$bundle/licenses/$1"
  fi
}

heading "Gather the packages"
for names in "${packages[@]}"; do
  IFS='|' read -ra alternatives <<<"$names"
  unpack "${alternatives[0]}" || unpack "${alternatives[-1]}" ||
    fail "not installed and cannot be downloaded: ${names/|/ or }; run apt-get update"
done

# ---- Compile: libraries that the distribution builds for executables only -----
# compile_source NAME: compiles it in a subshell, static and position independent, and installs it in $compiled.
compile_source() (
  local options=()
  case $1 in
    zlib) # Debian's sources lack a file that its CMakeLists.txt names.
      (cd "$work/source/zlib" && CFLAGS='-O2 -fPIC' ./configure --static --prefix="$compiled" && make -j "$(nproc)" libz.a &&
        make install)
      exit
      ;;
    libpng1.6) options=(-D PNG_SHARED=OFF -D PNG_TESTS=OFF) ;;
    libjpeg-turbo) options=(-D ENABLE_SHARED=OFF -D WITH_TURBOJPEG=OFF -D REQUIRE_SIMD=ON) ;;
    hdf5) options=(-D BUILD_SHARED_LIBS=OFF -D BUILD_STATIC_LIBS=ON -D BUILD_TESTING=OFF -D HDF5_BUILD_CPP_LIB=OFF
      -D HDF5_BUILD_HL_LIB=OFF -D HDF5_BUILD_TOOLS=OFF -D HDF5_BUILD_EXAMPLES=OFF -D HDF5_BUILD_FORTRAN=OFF
      -D HDF5_ENABLE_Z_LIB_SUPPORT=ON -D ZLIB_USE_EXTERNAL=OFF -D HDF5_ENABLE_SZIP_SUPPORT=ON
      -D HDF5_ENABLE_SZIP_ENCODING=ON -D SZIP_USE_EXTERNAL=OFF -D SZIP_INCLUDE_DIR="$unpacked/usr/include"
      -D SZIP_LIBRARY="$libraries/libsz.a") ;;
  esac
  # HDF5's build needs a file that one of its own programs writes to the working folder.
  mkdir -p "$work/build/$1" && cd "$work/build/$1" && cmake -S "$work/source/$1" -B . -G Ninja -D CMAKE_BUILD_TYPE=Release -D CMAKE_C_FLAGS_RELEASE="-O2 -DNDEBUG" \
    -D CMAKE_POSITION_INDEPENDENT_CODE=ON -D CMAKE_INSTALL_PREFIX="$compiled" -D CMAKE_INSTALL_LIBDIR:STRING=lib \
    -D CMAKE_PREFIX_PATH="$compiled" -D ZLIB_LIBRARY="$compiled/lib/libz.a" -D ZLIB_INCLUDE_DIR="$compiled/include" \
    "${options[@]}" && cmake --build . && cmake --install .
)

multiarch=$(g++ -print-multiarch)
libraries=$unpacked/usr/lib/$multiarch
compiled=$root/build/deps
if [[ $again == yes ]]; then rm -rf "$compiled"; fi
if [[ ! -f $compiled/complete ]]; then
  heading "Compile position-independent libraries"
  rm -rf "$compiled"
  mkdir -p "$compiled/licenses"
  prepare_source_index
  need_nasm
  for name in "${sources[@]}"; do
    version=$(fetch_source "$name") || fail "cannot download the sources of $name"
    echo "$name $version" | tee -a "$compiled/versions"
    cp "$work/source/$name/debian/copyright" "$compiled/licenses/$name"
    if ! compile_source "$name" >"$work/$name.log" 2>&1; then
      tail -n 20 "$work/$name.log" >&2
      fail "cannot compile $name; see the output above"
    fi
  done
  touch "$compiled/complete"
fi

# ---- Arrange: include/ and lib/ ----------------------------------------------
heading "Arrange .deps"
# Copy headers under their usual names, following links.
for header in CLI catch2 hwy nlohmann libdeflate.h xxhash.h xxh_x86dispatch.h; do
  cp -rL "$unpacked/usr/include/$header" "$bundle/include"
done
cp -rL "$compiled/include/." "$bundle/include"
cp "$compiled"/licenses/* "$bundle/licenses"
cp "$compiled/versions" "$bundle/versions"

for name in sz aec xxhash deflate; do
  cp -L "$libraries/lib$name.a" "$bundle/lib"
done
for name in hdf5 z jpeg png16; do
  cp -L "$compiled/lib/lib$name.a" "$bundle/lib"
done
if [[ -f $libraries/libhwy.a ]]; then
  cp -L "$libraries/libhwy.a" "$bundle/lib"
else
  cp -L "$libraries/libhwy.so.1" "$bundle/lib"
  ln -s libhwy.so.1 "$bundle/lib/libhwy.so"
fi
# Catch2 2 is a header. Version 3 has a library and CMake files that locate it.
if [[ -f $bundle/include/catch2/catch_all.hpp ]]; then
  (cd "$unpacked/usr" && find lib -path '*Catch2*' -print0 | tar --null -T - --no-recursion -cf -) |
    tar -C "$bundle" -xf -
fi

strip --strip-debug "$bundle"/lib/*.a

# ---- Data and nanobind: for runs without network access ------------------------
if dataset=$(find_fashion_mnist); then
  mkdir -p "$bundle/data/fashion-mnist"
  cp -L "$dataset"/*-ubyte.gz "$bundle/data/fashion-mnist"
  for license in /usr/share/doc/dataset-fashion-mnist/copyright "$dataset/LICENSE"; do
    if [[ -f $license ]]; then cp -L "$license" "$bundle/data/fashion-mnist/LICENSE"; fi
  done
  [[ -f $bundle/data/fashion-mnist/LICENSE ]] || note "$dataset has no license file"
  (cd "$bundle/data/fashion-mnist" && sha256sum ./*-ubyte.gz >SHA256SUMS)
else
  note "Fashion-MNIST not found (tools/setup.sh --data installs it); a run with .deps uses data/digits"
fi
nanobind=$(sed -n 's/.*"\(nanobind[^"]*\)".*/\1/p' "$root/python/pyproject.toml")
if python3 -m pip download -q --no-deps --only-binary=:all: -d "$work/wheels" "$nanobind" 2>"$work/pip.log"; then
  python3 -m zipfile -e "$work"/wheels/nanobind-*.whl "$bundle/python"
else
  note "cannot download nanobind; the host needs it to build the Python module: $(tail -n 1 "$work/pip.log")"
fi

# ---- Check: a program built only with .deps writes and reads a file -----------
heading "Check .deps"
undefined=$(nm "$bundle/lib/libhdf5.a" 2>/dev/null | grep -E ' U (curl_|EVP_|HMAC|SHA256)' || true)
[[ -z $undefined ]] || fail "HDF5 refers to network libraries: $undefined"
for library in "$bundle"/lib/*.a; do
  case $library in */libCatch2*) continue ;; esac
  g++ -shared -o "$work/whole.so" -Wl,--whole-archive "$library" -Wl,--no-whole-archive 2>"$work/whole.log" ||
    fail "$(basename "$library") is not position independent: $(head -n 1 "$work/whole.log")"
done
cat >"$work/check.cpp" <<'END'
// Writes a deflated HDF5 dataset, reads it back and compares; then asks each other library for something.
#include <cstdio>
#include <numeric>
#include <vector>
#include <hdf5.h>
#include <hwy/targets.h>
#include <jpeglib.h>
#include <png.h>
#include <xxhash.h>

int main(int, char* argv[]) {
  std::vector<int> written(1 << 16), read(1 << 16);
  std::iota(written.begin(), written.end(), -7);
  const hsize_t extent = written.size();
  hid_t file = H5Fcreate(argv[1], H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t space = H5Screate_simple(1, &extent, nullptr), properties = H5Pcreate(H5P_DATASET_CREATE);
  const hsize_t chunk = 4096;
  H5Pset_chunk(properties, 1, &chunk);
  H5Pset_deflate(properties, 6);
  hid_t data = H5Dcreate2(file, "x", H5T_NATIVE_INT, space, H5P_DEFAULT, properties, H5P_DEFAULT);
  if (H5Dwrite(data, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, written.data()) < 0) return 1;
  H5Dclose(data), H5Pclose(properties), H5Sclose(space), H5Fclose(file);

  file = H5Fopen(argv[1], H5F_ACC_RDONLY, H5P_DEFAULT);
  data = H5Dopen2(file, "x", H5P_DEFAULT);
  if (H5Dread(data, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, read.data()) < 0 || read != written) return 2;
  H5Dclose(data), H5Fclose(file);

  jpeg_error_mgr errors;
  if (jpeg_std_error(&errors) != &errors || png_access_version_number() == 0 || hwy::SupportedTargets() == 0) return 3;
  std::printf("HDF5 %s, XXH3 of nothing %016llx\n", H5_VERS_INFO, static_cast<unsigned long long>(XXH3_64bits("", 0)));
}
END
g++ -std=c++20 -I"$bundle/include" "$work/check.cpp" -o "$work/check" -L"$bundle/lib" -Wl,-rpath,"$bundle/lib" \
  -lhdf5 -lsz -laec -lpng16 -ljpeg -lxxhash -lhwy -lz -lm -ldl -pthread
"$work/check" "$work/check.h5"
linked=$(ldd "$work/check")
if grep -E 'libcurl|libssl|libcrypto|libhdf5|libsz|libz\.' <<<"$linked"; then
  fail "the check program uses shared libraries that .deps should replace"
fi

rm -rf "$root/.deps"
mv "$bundle" "$root/.deps"
heading "Done"
du -sh "$root/.deps" | sed 's/\t.*/ in .deps/'
tar -C "$root" -cf - .deps | gzip -6 | wc -c | awk '{ printf "%.1f MB compressed\n", $1 / 1e6 }'
