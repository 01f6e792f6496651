#!/usr/bin/env bash
# tools/test_python.sh [--torch] [--python PYTHON]: builds the Python package and runs everything that is checked about it.
#
#   --torch          also the tests with PyTorch: installs its CPU build into the environment of the tests
#   --python PYTHON  the interpreter, 3.10 or newer; the default is python3
#
# In a virtual environment of its own, build/python/<version>: an sdist, a wheel built from it alone, and with that wheel
# pytest, mypy, ruff and the documentation. Needs PyPI; without it the tests are skipped, and counted. The last line sums up.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

python=python3
with_torch=no
while (($# > 0)); do
  case $1 in
    --torch) with_torch=yes ;;
    --python)
      [[ -n ${2-} ]] || wrong_usage "--python wants an interpreter"
      python=$2
      shift
      ;;
    -h | --help) usage ;;
    *) wrong_usage "unknown option $1" ;;
  esac
  shift
done

heading "Python: environment"
version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
work=$root/build/python/$version
environment=$work/venv
if [[ ! -x $environment/bin/python ]]; then
  # The distribution's python3 has no venv without its package; another one on the PATH may.
  "$python" -m venv "$environment" || fail "$python has no venv; run tools/setup.sh --tests"
fi
bin=$environment/bin
if ! "$bin/python" -m pip install -q --upgrade pip build; then
  note "PyPI could not be reached, so the Python package was not tested"
  echo "python $version: 0 tests passed, 1 skipped"
  exit 0
fi
if [[ $with_torch == yes ]]; then
  "$bin/python" -m pip install -q torch --index-url https://download.pytorch.org/whl/cpu ||
    "$bin/python" -m pip install -q torch
fi

heading "Python: the package"
# The wheel is made from the sdist alone, in a folder where nothing but what is in it can be found. The CUDA code is left
# to the suite cuda: nothing of it runs here.
rm -rf "$work/dist"
"$bin/python" -m build -q --sdist "$root/python" -o "$work/dist"
elsewhere=$(mktemp -d)
trap 'rm -rf "$elsewhere"' EXIT
cp "$work"/dist/octavo-*.tar.gz "$elsewhere"
export CMAKE_BUILD_PARALLEL_LEVEL=${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}
(cd "$elsewhere" && "$bin/python" -m pip wheel -q --no-deps octavo-*.tar.gz -C cmake.define.OCTAVO_CUDA=OFF -w "$work/dist")
wheel=("$work"/dist/octavo-*.whl)
"$bin/python" - "${wheel[0]}" <<'PYTHON'
import sys, zipfile

names = zipfile.ZipFile(sys.argv[1]).namelist()
for wanted in ("octavo/__init__.py", "octavo/py.typed", "octavo/_native.pyi", "scripts/octavo"):
    if not any(name.endswith(wanted) for name in names):
        sys.exit(f"the wheel has no {wanted}: {names}")
PYTHON
"$bin/python" -m pip install -q --force-reinstall --no-deps "${wheel[0]}"
"$bin/python" -m pip install -q "${wheel[0]}[test,lint,docs]"

heading "Python: tests"
log=$work/pytest.log
"$bin/python" -m pytest -q "$root/python/tests" | tee "$log"
result=$(tail -1 "$log")
passed=$(grep -oE '[0-9]+ passed' <<<"$result" | grep -oE '[0-9]+')
skipped=$(grep -oE '[0-9]+ skipped' <<<"$result" | grep -oE '[0-9]+' || echo 0)

heading "Python: types, style, documentation"
(cd "$work" && "$bin/mypy" --config-file "$root/python/pyproject.toml")
sources=(python bench/python/loaders.py examples/python)
(cd "$root" && "$bin/ruff" check -q --config python/pyproject.toml --extend-ignore D "${sources[@]}" &&
  "$bin/ruff" check -q python && "$bin/ruff" format -q --check --config python/pyproject.toml "${sources[@]}")
"$bin/mkdocs" build -q -f "$root/python/mkdocs.yml" -d "$work/site"

echo "python $version: $passed tests passed, $skipped skipped"
