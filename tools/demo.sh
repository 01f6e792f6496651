#!/usr/bin/env bash
# tools/demo.sh: from a fresh clone to a trained model: builds octavo, packs Fashion-MNIST, inspects it, trains on it.
#
# If the Fashion-MNIST package is not available, it packs the handwritten digits in data/. Writes to demo/ in the
# checkout. It can be run repeatedly.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

case ${1-} in
  '') ;;
  -h | --help) usage ;;
  *) wrong_usage "unknown option $1" ;;
esac

# run COMMAND...: shows the command as a user would type it, and runs it.
run() {
  printf '$ octavo'
  printf ' %q' "$@"
  printf '\n'
  "$octavo" "$@" || fail "octavo $1 ended with exit status $?"
}

heading "Install the build dependencies"
"$root/tools/setup.sh" --data

heading "Build octavo"
cd "$root"
options=()
if nvidia-smi >/dev/null 2>&1; then options+=(-D CMAKE_CUDA_ARCHITECTURES=native); fi
# In a separate folder, without the tests, so that their dependencies are not needed.
cmake --preset release -B build/demo -D OCTAVO_TESTS=OFF -D OCTAVO_BENCH=OFF -D OCTAVO_EXAMPLES=OFF \
  -D OCTAVO_WARNINGS_AS_ERRORS=OFF "${options[@]}" --log-level=NOTICE
cmake --build build/demo -j "$(nproc)"
octavo=$root/build/demo/tools/octavo

source_folder=$(find_dataset)
case $source_folder in
  */digits)
    name=digits
    note "Fashion-MNIST is not installed; packing the handwritten digits in data/ instead"
    ;;
  *) name=fashion ;;
esac
mkdir -p demo
cd demo

heading "Pack: make one int8 file from $source_folder"
run pack "$source_folder" -o "$name.h5" --force

heading "Info: show its content"
run info "$name.h5"

heading "Verify: check every checksum"
run verify "$name.h5"

heading "Train: a small network on the packed samples"
run train "$name.h5" --model mlp --epochs 5 --batch-size 128 --lr 0.1 --seed 1

heading "Report: measure the memory it saves"
run report "$name.h5"

heading "View: draw a contact sheet"
run view "$name.h5" -o sheet.png --force

heading "Done"
cat <<END
In demo/: $name.h5 (plain HDF5: h5dump or h5py reads it too) and sheet.png.
Next steps, from the checkout:

  PATH="$root/build/demo/tools:\$PATH"

  octavo train demo/$name.h5 --compare-float32   the same training with 4 bytes per value: same losses, more memory
  octavo view demo/$name.h5 -o batch.png --batch 0   a batch exactly as training sees it
  octavo export demo/$name.h5 -o images              back to one PNG per sample, lossless
  octavo pack FOLDER -o mine.h5 --size 96x96          your own images; for MNIST and CIFAR see data/README.md
  octavo --help                                       everything else
END
