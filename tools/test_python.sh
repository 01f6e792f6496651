#!/usr/bin/env bash
# tools/test_python.sh [--torch] [--integrations] [--python PYTHON] [--cuda WHEN]: builds and checks the Python package.
#
#   --torch          also run the tests with PyTorch: installs its CPU build and torchvision into the test environment
#   --integrations   also run those with Lightning, Accelerate, Transformers, Datasets, timm, Keras, JAX, Dask,
#                    Ray, submitit and Spark (with Java), and of remote files with obstore and fsspec; implies
#                    --torch
#   --python PYTHON  the interpreter, 3.10 or newer (python3)
#   --cuda WHEN      OCTAVO_CUDA of the build: AUTO, ON or OFF (OFF)
#
# Uses a separate virtual environment, build/python/<version>. Builds an sdist, whose files are compared with the
# repository, and a wheel; with the wheel, runs pytest, mypy and ruff, and builds the documentation as a site. Needs PyPI;
# without it, the tests are skipped and counted. The last line is a summary.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

python=python3
with_torch=no
with_integrations=no
cuda=OFF
while (($# > 0)); do
  case $1 in
    --torch) with_torch=yes ;;
    --integrations) with_torch=yes with_integrations=yes ;;
    --python)
      [[ -n ${2-} ]] || wrong_usage "--python expects an interpreter"
      python=$2
      shift
      ;;
    --cuda)
      [[ ${2-} =~ ^(AUTO|ON|OFF)$ ]] || wrong_usage "--cuda expects AUTO, ON or OFF"
      cuda=$2
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
  # The distribution's python3 has venv only if its package is installed.
  "$python" -m venv "$environment" || fail "$python has no venv; run tools/setup.sh --tests"
fi
bin=$environment/bin
if ! "$bin/python" -m pip install -q --upgrade pip build; then
  note "PyPI is not reachable; the Python package was not tested"
  echo "python $version: 0 tests passed, 1 skipped"
  exit 0
fi
if [[ $with_torch == yes ]]; then
  "$bin/python" -m pip install -q torch torchvision --index-url https://download.pytorch.org/whl/cpu ||
    "$bin/python" -m pip install -q torch torchvision
fi
if [[ $with_integrations == yes ]]; then
  "$bin/python" -m pip install -q lightning accelerate transformers datasets timm keras jax tensorflow-cpu \
    "dask[distributed]" ray submitit pyspark obstore fsspec aiohttp
fi

heading "Python: the package"
rm -rf "$work/dist"
"$bin/python" -m build -q --sdist "$root/python" -o "$work/dist"
sdist=("$work"/dist/octavo-*.tar.gz)
"$bin/python" - "${sdist[0]}" "$root" <<'PYTHON'
import pathlib, subprocess, sys, tarfile

sdist, root = sys.argv[1:]
found = {name.partition("/")[2] for name in tarfile.open(sdist).getnames()}
places = ["CMakeLists.txt", "LICENSE", "cmake", "kernels", "lib", "tools"]
listed = subprocess.run(["git", "-C", root, "ls-files", *places, "python"], capture_output=True, text=True)
if listed.returncode == 0:  # not an unpacked archive of the repository
    wanted = {name.removeprefix("python/") if name.startswith("python/") else f"cpp/{name}" for name in listed.stdout.split("\n") if name}
    if missing := sorted(name for name in wanted - found if pathlib.Path(root, name.removeprefix("cpp/")).exists()):
        sys.exit(f"the sdist lacks {len(missing)} files: {missing[:5]}")
PYTHON
# Without --cuda, the library's suites cover the CUDA code. -O1 takes 3/5 of the compile time of -O3. If tools/test.sh has
# compiled the library, its compiler and the same flags in the same order find most objects in the cache.
export CMAKE_BUILD_PARALLEL_LEVEL=${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)} CXX=${CXX:-c++}
flags="-O1 -DNDEBUG"
warnings_as_errors=OFF
if [[ -n ${CCACHE_DIR-} ]]; then
  flags="-O2 -g1 -DNDEBUG"
  warnings_as_errors=ON
fi
options=()
if [[ -n ${CCACHE_DIR-} ]]; then options+=(-C cmake.define.CMAKE_DISABLE_PRECOMPILE_HEADERS=ON); fi
for option in "OCTAVO_CUDA=$cuda" "OCTAVO_WARNINGS_AS_ERRORS=$warnings_as_errors" OCTAVO_PYTHON=ON OCTAVO_TESTS=OFF OCTAVO_BENCH=OFF OCTAVO_EXAMPLES=OFF \
  "CMAKE_CXX_FLAGS_RELWITHDEBINFO=$flags"; do
  options+=(-C "cmake.define.$option")
done
# The CMake of PyPI would give the compiler its flags in another order.
"$bin/python" -m pip install -q scikit-build-core nanobind
"$bin/python" -m pip wheel -q --no-deps --no-build-isolation "$root/python" -w "$work/dist" \
  -C "build-dir=$root/build/python-wheel" -C "cmake.source-dir=$root" -C cmake.build-type=RelWithDebInfo "${options[@]}"
wheel=("$work"/dist/octavo-*.whl)
"$bin/python" - "${wheel[0]}" <<'PYTHON'
import sys, zipfile

names = zipfile.ZipFile(sys.argv[1]).namelist()
for wanted in ("octavo/__init__.py", "octavo/py.typed", "octavo/_core.pyi", "octavo/_pack.pyi", "octavo/SKILL.md",
               "scripts/octavo", "share/man/man1/octavo-pack.1", "share/bash-completion/completions/octavo"):
    if not any(name.endswith(wanted) for name in names):
        sys.exit(f"the wheel has no {wanted}: {names}")
PYTHON
"$bin/python" -m pip install -q --force-reinstall --no-deps "${wheel[0]}"
"$bin/python" -m pip install -q "${wheel[0]}[test,lint,docs]"

heading "Python: tests"
log=$work/pytest.log
# Each file in one process: its fixtures are made once.
parallel=(-n "$(nproc)" --maxprocesses 8 --dist loadfile)
"$bin/python" -m pytest -q "${parallel[@]}" "$root/python/tests" | tee "$log"
result=$(tail -1 "$log")
passed=$(grep -oE '[0-9]+ passed' <<<"$result" | grep -oE '[0-9]+')
skipped=$(grep -oE '[0-9]+ skipped' <<<"$result" | grep -oE '[0-9]+' || echo 0)

# If tools/test.sh has built the preset fake-cuda: the GPU tests, on the tests' own CUDA runtime.
if [[ -f $root/build/fake-cuda/CMakeCache.txt ]]; then
  heading "Python: on the fake GPU"
  fake=$root/build/fake-cuda
  "$bin/python" -m pip install -q nanobind
  cmake -B "$fake" -D OCTAVO_PYTHON=ON -D Python_EXECUTABLE="$bin/python" "$root" >/dev/null
  cmake --build "$fake" --target octavo_python_modules
  package=$work/fake
  rm -rf "$package"
  mkdir -p "$package"
  cp -r "$root/python/src/octavo" "$package"
  cp "$fake"/python/octavo/*.so "$fake"/python/octavo/_augment_types.py "$package/octavo"
  export OCTAVO_FAKE_CUDA=$fake/tests/cuda_runtime/libfake_cuda.so
  for schedule in lazy random,seed=1; do
    PYTHONPATH=$package FAKE_CUDA=schedule=$schedule "$bin/python" -m pytest -q "${parallel[@]}" \
      "$root"/python/tests/{test_cuda,loading/test_{graph_loader,residency}}.py | tee "$log"
    result=$(tail -1 "$log")
    passed=$((passed + $(grep -oE '[0-9]+ passed' <<<"$result" | grep -oE '[0-9]+')))
    skipped=$((skipped + $(grep -oE '[0-9]+ skipped' <<<"$result" | grep -oE '[0-9]+' || echo 0)))
  done
  unset OCTAVO_FAKE_CUDA
fi

heading "Python: types, style, documentation"
(cd "$work" && "$bin/mypy" --config-file "$root/python/pyproject.toml" &&
  "$bin/mypy" --config-file "$root/python/pyproject.toml" "$root/python/tests/typed_batches.py")
check_python_style "$bin/ruff"
if [[ -x $bin/mkdocs ]]; then
  # The variable turns off an advertisement of the theme.
  NO_MKDOCS_2_WARNING=1 "$bin/mkdocs" build -q --strict -f "$root/python/mkdocs.yml" -d "$work/site"
else
  note "MkDocs needs Python 3.11; the documentation was not built"
fi

echo "python $version: $passed tests passed, $skipped skipped"
