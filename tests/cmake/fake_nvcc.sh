#!/bin/sh
# Answers `nvcc --list-gpu-arch` like the toolkit version in the script's name: fake_nvcc_12.4, fake_nvcc_13.0.
[ "$1" = --list-gpu-arch ] || exit 1
case $0 in
  *12.4) known="50 52 53 60 61 62 70 72 75 80 86 87 89 90" ;;
  *12.8) known="50 52 53 60 61 62 70 72 75 80 86 87 89 90 100 101 120" ;;
  *13.0) known="75 80 86 87 88 89 90 100 110 103 120 121" ;;
  *) exit 1 ;;
esac
for architecture in $known; do echo "compute_$architecture"; done
