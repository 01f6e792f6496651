#!/usr/bin/env bash
# tools/odd_table.sh: writes docs/results/odd_files.md, which compares how Pillow and Octavo decode difficult image
# files.
#
# Requires a build of the preset cpu with its tests, python3-pil, python3-numpy, and the difficult files in
# shared/data/odd next to the checkout.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

case ${1:-} in
  "") ;;
  -h | --help) usage ;;
  *) wrong_usage "unknown option $1" ;;
esac

table=$root/docs/results/odd_files.md
tests=$root/build/cpu/tests/lib/images/images_tests
[[ -x $tests ]] || fail "$tests not found; build the preset cpu first"
files=${root%/*}/shared/data/odd
[[ -d $files ]] || fail "$files not found"

heading "Comparing with Pillow"
rm -f "$table"
OCTAVO_ODD_TABLE=$table "$tests" "difficult files are decoded as by Pillow"
[[ -f $table ]] || fail "no table was written; is python3-pil installed?"
commit=$(git -C "$root" rev-parse --short HEAD)
sed -i "s|^Written by .tools/odd_table.sh.|& at commit $commit|" "$table"
note "wrote $table"
