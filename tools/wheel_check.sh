#!/usr/bin/env bash
# tools/wheel_check.sh [OPTION]... [SYSTEM]...: installs the wheels of build/wheel/dist in bare systems.
#
#   --torch   also load batches with PyTorch, and run its tests: downloads about 3 GB for each Python version
#   --again   make the systems again
#   --arch ARCH             x86_64 (the default) or aarch64: with QEMU, which takes many times as long
#   --ubuntu-keyring FILE   Ubuntu's public keys, from its package ubuntu-keyring
#                           (/usr/share/keyrings/ubuntu-archive-keyring.gpg)
#
# The systems are bullseye, bookworm and trixie (Debian 11 to 13), and focal, jammy and noble (Ubuntu 20.04 to 24.04); by
# default all of them; for aarch64, trixie. Each is a folder below build/wheel/systems, made with debootstrap, and has Python but neither a
# compiler nor HDF5 nor CUDA. In each one, this script installs the wheel with pip, runs the program, packs photos,
# verifies the file, reads batches, and runs the Python tests. It needs root, debootstrap, the package mirrors that
# debootstrap knows, and PyPI.
#
# The Python of bullseye and focal is too old. They get 3.11, compiled from Debian's sources in a system of its own.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
source "$(dirname "${BASH_SOURCE[0]}")/source_packages.sh"

arch=x86_64
torch=no
again=no
ubuntu_keyring=/usr/share/keyrings/ubuntu-archive-keyring.gpg
systems=()
while (($# > 0)); do
  case $1 in
    --torch) torch=yes ;;
    --again) again=yes ;;
    --arch)
      [[ ${2-} =~ ^(x86_64|aarch64)$ ]] || wrong_usage "--arch expects x86_64 or aarch64"
      arch=$2
      shift
      ;;
    --ubuntu-keyring)
      [[ -n ${2-} ]] || wrong_usage "--ubuntu-keyring expects a file"
      ubuntu_keyring=$2
      shift
      ;;
    bullseye | bookworm | trixie | focal | jammy | noble) systems+=("$1") ;;
    -h | --help) usage ;;
    *) wrong_usage "unknown option or system $1" ;;
  esac
  shift
done
if [[ $arch == aarch64 ]]; then
  # The wheel needs Python 3.12, and Ubuntu has other mirrors for this processor.
  ((${#systems[@]} == 0)) || [[ ${systems[*]} == trixie ]] || wrong_usage "for aarch64, the only system is trixie"
  systems=(trixie)
elif ((${#systems[@]} == 0)); then
  systems=(bullseye bookworm trixie focal jammy noble)
fi

step="checking what is there"
readonly base=$root/build/wheel
readonly dist=$base/dist folder=$base/systems
compgen -G "$dist/octavo-*_$arch.whl" >/dev/null || fail "no wheels for $arch in build/wheel/dist; run tools/wheel.sh"
wheels=("$dist"/octavo-*_"$arch".whl)
version=$(basename "${wheels[0]}" | cut -d - -f 2)
[[ $arch == "$(uname -m)" || -f /proc/sys/fs/binfmt_misc/qemu-$arch ]] ||
  fail "programs for $arch do not run here; install the packages qemu-user-static and binfmt-support"
((EUID == 0)) || fail "making a system requires root"
command -v debootstrap >/dev/null || fail "debootstrap not found; install the package debootstrap"
if [[ $again == yes ]]; then rm -rf "$folder"; fi
mkdir -p "$folder"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# ---- Systems ------------------------------------------------------------------
# make_system NAME SUITE PACKAGES: a minimal system in $folder/NAME, unless it exists.
make_system() {
  local options=(--variant=minbase --include="ca-certificates,$3") script=()
  if [[ $arch == aarch64 ]]; then options+=(--arch=arm64); fi
  if [[ -f $folder/$1.complete ]]; then return; fi
  rm -rf "${folder:?}/$1"
  case $2 in
    focal | jammy | noble)
      [[ -f $ubuntu_keyring ]] || fail "$ubuntu_keyring not found; name a copy with --ubuntu-keyring"
      options+=("--components=main,universe" --keyring="$ubuntu_keyring")
      # All releases of Ubuntu share one script; an older debootstrap may not know the newest name. An empty mirror means
      # the default.
      script=("" gutsy)
      ;;
  esac
  debootstrap "${options[@]}" "$2" "$folder/$1" "${script[@]}" >"$folder/$1.log" 2>&1 ||
    fail "debootstrap failed: $(tail -n 1 "$folder/$1.log")"
  # The certificates of this machine: its way to PyPI may be through a proxy with one of its own.
  cp -L /etc/ssl/certs/ca-certificates.crt "$folder/$1/etc/ssl/certs/ca-certificates.crt"
  touch "$folder/$1.complete"
}

# run_in NAME COMMAND...: runs it in the system, with /proc, /dev and the network. The mounts end with the command.
run_in() {
  local system=$folder/$1
  shift
  cp -L /etc/resolv.conf "$system/etc/resolv.conf"
  # shellcheck disable=SC2016  # expanded by the inner shell
  unshare --mount --pid --fork bash -c 'mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && exec chroot "$@"' \
    "$system" "$system" /usr/bin/env -i HOME=/root PATH=/opt/python/bin:/usr/bin:/bin:/usr/sbin:/sbin LC_ALL=C.UTF-8 \
    PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore PIP_CERT=/etc/ssl/certs/ca-certificates.crt \
    ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} "$@"
}

# compile_python: /opt/python for the systems whose own Python is too old, as an archive.
compile_python() {
  if [[ -f $folder/python.tar ]]; then return; fi
  make_system compiler focal gcc,make,libc6-dev,libssl-dev,zlib1g-dev,libffi-dev,libbz2-dev,liblzma-dev
  prepare_source_index
  fetch_source python3.11 >/dev/null || fail "cannot download the sources of python3.11"
  rm -rf "$folder/compiler/source"
  mkdir "$folder/compiler/source"
  # Without Debian's patches, which disable parts that the distribution packages separately.
  tar -C "$folder/compiler/source" --strip-components=1 -xf "$work"/download/python3.11/python3.11_*.orig.tar.*
  run_in compiler sh -c "cd /source && CFLAGS='-O1 -g0' ./configure --prefix=/opt/python --disable-test-modules &&
    make -j$(nproc) && make install" >"$folder/python.log" 2>&1 ||
    fail "cannot compile Python; see build/wheel/systems/python.log"
  tar -C "$folder/compiler" -cf "$folder/python.tar" opt/python
}

# ---- Check ----------------------------------------------------------------------
# In the system: installs and uses the wheel, as in the README.
cat >"$work/check.sh" <<'END'
set -eu
for program in cc gcc g++ clang nvcc h5dump; do
  if command -v "$program"; then echo "this system has $program" >&2; exit 1; fi
done
rm -rf /venv /photos /photos.h5
python3 -m venv /venv
export PATH=/venv/bin:$PATH
pip install -q --upgrade pip
pip install -q --only-binary=:all: numpy
# Nothing but this file: an index may have another package of this name, with a higher version.
pip install -q --no-index --find-links /dist "octavo==$VERSION"
octavo --version
ls /venv/share/man/man1/octavo.1 /venv/share/bash-completion/completions/octavo >/dev/null
pip install -q pytest pillow tqdm h5py $TORCH
python - <<'PYTHON'
import pathlib, numpy, PIL.Image
random = numpy.random.default_rng(1)
for name in ("cat", "dog"):
    folder = pathlib.Path("/photos", name)
    folder.mkdir(parents=True)
    for number in range(20):
        levels = random.integers(0, 256, (64, 64, 3), dtype=numpy.uint8)
        PIL.Image.fromarray(levels).save(folder / f"{number}.{'png' if number % 2 else 'jpg'}")
PYTHON
octavo pack /photos -o /photos.h5 --holdout 0.2 --seed 1 --quiet
octavo verify /photos.h5
octavo info /photos.h5
octavo train /photos.h5 --epochs 1 --batch-size 8 --quiet
python - <<'PYTHON'
import numpy, octavo
count = 0
for split in ("train", "val"):
    for images, labels in octavo.Loader("/photos.h5", split, batch_size=2, seed=1):
        assert numpy.asarray(images).shape == (2, 3, 64, 64) and len(labels) == 2
        count += 2
assert count == 40, count
print("40 images in batches; backends:", octavo.backends())
PYTHON
if [ -n "$TORCH" ]; then
  python - <<'PYTHON'
import octavo, torch
for images, labels in octavo.Loader("/photos.h5", "train", batch_size=4, shuffle=True, seed=1):
    assert isinstance(images, torch.Tensor) and images.shape == (4, 3, 64, 64), images
PYTHON
fi
cd /tests && python -m pytest -q -p no:cacheprovider
END

compile_needed=no
for system in "${systems[@]}"; do
  case $system in bullseye | focal) compile_needed=yes ;; esac
done
if [[ $compile_needed == yes ]]; then
  heading "Python for old systems"
  compile_python
fi

summary=()
for system in "${systems[@]}"; do
  name=$system
  if [[ $arch != x86_64 ]]; then name+=-$arch; fi
  heading "Check: $name"
  case $system in
    bullseye | focal)
      make_system "$name" "$system" libssl1.1,libffi7
      tar -C "$folder/$name" -xf "$folder/python.tar"
      ;;
    *) make_system "$name" "$system" python3,python3-venv ;;
  esac
  rm -rf "$folder/$name"/{dist,tests}
  cp -r "$dist" "$folder/$name/dist"
  cp -r "$root/python/tests" "$folder/$name/tests"
  cp "$work/check.sh" "$folder/$name/check.sh"
  log=$folder/$name-check.log
  run_in "$name" env VERSION="$version" TORCH="$([[ $torch == yes ]] && echo torch torchvision)" sh /check.sh | tee "$log"
  result=$(tail -n 1 "$log")
  summary+=("$name: $(grep -oE '[0-9]+ passed' <<<"$result"), $(grep -oE '[0-9]+ skipped' <<<"$result" || echo 0 skipped)")
done
printf '%s\n' "${summary[@]}"
