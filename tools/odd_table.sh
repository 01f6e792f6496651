#!/usr/bin/env bash
# tools/odd_table.sh: writes docs/results/odd_files.md, what Pillow and Octavo make of each difficult image file.
#
# Wants a build of the preset cpu with its tests, python3-pil and python3-numpy, and the difficult files, which lie in
# shared/data/odd beside the checkout.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

case ${1:-} in
  "") ;;
  -h | --help) usage ;;
  *) wrong_usage "unknown option $1" ;;
esac

table=$root/docs/results/odd_files.md
tests=$root/build/cpu/tests/lib/images/images_tests
[[ -x $tests ]] || fail "there is no $tests; build the preset cpu first"
files=${root%/*}/shared/data/odd
[[ -d $files ]] || fail "there is no $files"

heading "Comparing with Pillow"
rm -f "$table"
OCTAVO_ODD_TABLE=$table "$tests" "difficult files become what Pillow makes of them"
[[ -f $table ]] || fail "no table was written; is python3-pil installed?"
note "wrote $table"
