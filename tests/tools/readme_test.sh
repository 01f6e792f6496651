#!/usr/bin/env bash
# Runs the `octavo` commands of the README and of data/README.md that need only the checkout, exactly as written.
#
# readme_test.sh SOURCE_DIR OCTAVO_PROGRAM
set -euo pipefail
source_dir=$1
program=$2

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ln -s "$source_dir/data" "$work/data"
mkdir "$work/bin"
ln -s "$program" "$work/bin/octavo"
PATH="$work/bin:$PATH"
cd "$work"

# shellcheck disable=SC2016 # backquotes of Markdown
mapfile -t commands < <(sed -n '/^```sh$/,/^```$/p' "$source_dir/README.md" | grep '^octavo ')
if ((${#commands[@]} < 3)); then
  echo "the README has ${#commands[@]} octavo commands; expected at least 3" >&2
  exit 1
fi
for command in "${commands[@]}"; do
  echo "README.md: $command"
  bash -euo pipefail -c "$command"
done

cd data
command=$(grep -m 1 '^octavo pack digits ' "$source_dir/data/README.md")
echo "data/README.md: $command"
bash -euo pipefail -c "${command/-o digits.h5/-o \"$work/again.h5\"}"
cmp <(octavo info "$work/digits.h5" --json | grep -o '"sample_count": *[0-9]*') \
  <(octavo info "$work/again.h5" --json | grep -o '"sample_count": *[0-9]*')
