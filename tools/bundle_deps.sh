#!/usr/bin/env bash
# tools/bundle_deps.sh: gathers the libraries that a build needs into .deps/, for a host without network or packages.
#
# Run it on Debian or Ubuntu on x86-64, and take the checkout with .deps/ to the host: it needs only CMake, Ninja, g++
# and a C library that is not older. Packages that are not installed are downloaded, and nothing is installed. The
# libraries are static, but for Highway where the distribution has no static one. Debian's HDF5 comes without its S3
# reader, which alone needs the curl and ssl libraries. What Octavo can do without is not in it: OpenBLAS, the
# readers of archives, WebP, TIFF and GIF, and `octavo fetch`, which needs those two libraries as well.
#
# Debian compiles its archives of HDF5, zlib, JPEG and PNG for executables only: a Python module needs their packages.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

case ${1-} in
  '') ;;
  -h | --help) usage ;;
  *) wrong_usage "unknown option $1" ;;
esac

# Where two names stand, the first one is Debian's, the second one Ubuntu's.
packages=(libhdf5-dev libaec-dev libxxhash-dev nlohmann-json3-dev zlib1g-dev 'libjpeg62-turbo-dev|libjpeg-turbo8-dev'
  libpng-dev libexif-dev libdeflate-dev libcsv-dev libhwy-dev 'libhwy1|libhwy1t64' libcli11-dev catch2)

step="looking for apt-get"
if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
  fail "this runs on Debian and Ubuntu"
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unpacked=$work/unpacked
bundle=$work/bundle
mkdir -p "$unpacked" "$bundle/include" "$bundle/lib" "$bundle/licences"

# ---- Gather: every package, unpacked in one tree -----------------------------
# unpack PACKAGE: from this machine where it is installed, else downloaded.
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
    cp -L "$unpacked/usr/share/doc/$1/copyright" "$bundle/licences/$1"
  fi
}

heading "Gather the packages"
for names in "${packages[@]}"; do
  IFS='|' read -ra alternatives <<<"$names"
  unpack "${alternatives[0]}" || unpack "${alternatives[-1]}" ||
    fail "neither installed nor to be downloaded: ${names/|/ or }; run apt-get update"
done

# ---- Arrange: include/ and lib/ ----------------------------------------------
heading "Arrange .deps"
multiarch=$(g++ -print-multiarch)
libraries=$unpacked/usr/lib/$multiarch

# A header under its usual name, whatever links stood in the way; architecture's own headers among the others.
cp -rL "$unpacked/usr/include/hdf5/serial/." "$bundle/include"
for header in CLI catch2 csv.h hwy libexif nlohmann jpeglib.h jerror.h jmorecfg.h libdeflate.h png.h pngconf.h pnglibconf.h xxhash.h \
  xxh_x86dispatch.h zconf.h zlib.h; do
  cp -rL "$unpacked/usr/include/$header" "$bundle/include"
done
for header in jconfig.h zconf.h; do
  if [[ -f $unpacked/usr/include/$multiarch/$header ]]; then
    cp -L "$unpacked/usr/include/$multiarch/$header" "$bundle/include"
  fi
done

cp -L "$libraries/libhdf5_serial.a" "$bundle/lib/libhdf5.a"
for name in sz aec xxhash z deflate csv jpeg png16 exif; do
  cp -L "$libraries/lib$name.a" "$bundle/lib"
done
if [[ -f $libraries/libhwy.a ]]; then
  cp -L "$libraries/libhwy.a" "$bundle/lib"
else
  cp -L "$libraries/libhwy.so.1" "$bundle/lib"
  ln -s libhwy.so.1 "$bundle/lib/libhwy.so"
fi
# Catch2 2 is a header; version 3 has a library, and its CMake files know where it lies.
if [[ -f $bundle/include/catch2/catch_all.hpp ]]; then
  (cd "$unpacked/usr" && find lib -path '*Catch2*' -print0 | tar --null -T - --no-recursion -cf -) |
    tar -C "$bundle" -xf -
fi

# Nothing else in the library refers to the S3 reader: a program asks for it by name.
mapfile -t networked < <(ar t "$bundle/lib/libhdf5.a" | grep -xE 'H5FD(ros3|s3comms).*\.o')
if ((${#networked[@]} > 0)); then ar d "$bundle/lib/libhdf5.a" "${networked[@]}"; fi
strip --strip-debug "$bundle"/lib/*.a

# ---- Prove: a program built with it alone writes and reads a file -------------
heading "Check .deps"
undefined=$(nm "$bundle/lib/libhdf5.a" 2>/dev/null | grep -E ' U (curl_|EVP_|HMAC|SHA256|.*(ros3|s3comms))' || true)
[[ -z $undefined ]] || fail "HDF5 still refers to network libraries: $undefined"
cat >"$work/check.cpp" <<'END'
// Writes a deflated HDF5 dataset, reads it back and compares; then asks each other library for something.
#include <cstdio>
#include <numeric>
#include <vector>
#include <hdf5.h>
#include <hwy/targets.h>
#include <jpeglib.h>
#include <libexif/exif-data.h>
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
  ExifData* exif = exif_data_new();
  exif_data_unref(exif);
  std::printf("HDF5 %s, XXH3 of nothing %016llx\n", H5_VERS_INFO, static_cast<unsigned long long>(XXH3_64bits("", 0)));
}
END
g++ -std=c++20 -I"$bundle/include" "$work/check.cpp" -o "$work/check" -L"$bundle/lib" -Wl,-rpath,"$bundle/lib" \
  -lhdf5 -lsz -laec -lpng16 -ljpeg -lexif -lxxhash -lhwy -lz -lm -ldl -pthread
"$work/check" "$work/check.h5"
linked=$(ldd "$work/check")
if grep -E 'libcurl|libssl|libcrypto|libhdf5|libsz|libz\.' <<<"$linked"; then
  fail "the check program needs shared libraries that .deps should have replaced"
fi

rm -rf "$root/.deps"
mv "$bundle" "$root/.deps"
heading "Done"
du -sh "$root/.deps" | sed 's/\t.*/ in .deps/'
