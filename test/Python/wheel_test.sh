#!/usr/bin/env bash
#===- wheel_test.sh - the wheel in an environment of its own -------- bash -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
#   wheel_test.sh DIR: makes the wheel of the build in CAROUSEL_BUILD_DIR, and installs it in a new
#   environment in DIR, without a registry. Checks size and tag, what can be imported, a kernel, the
#   programs, and a project of CMake that uses the C interfaces.

set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$1
unset PYTHONPATH CAROUSEL_LIBRARY_DIR
rm -rf "$work"
mkdir -p "$work"

fail() {
  printf 'wheel_test: error: %s\n' "$*" >&2
  exit 1
}

wheel=$("$root/scripts/wheel" "$work/dist")
# The lowest that this toolchain gives (docs/Python.md#install).
[[ $wheel == *-py3-none-manylinux_2_34_x86_64.whl ]] || fail "expected a wheel for manylinux_2_34, got $wheel"
"$root/.venv/bin/auditwheel" show "$wheel" >"$work/audit"
grep -q 'consistent with' "$work/audit" && grep -q '"manylinux_2_34_x86_64"' "$work/audit" || fail "$(<"$work/audit")"
bytes=$(stat -c %s "$wheel")
((bytes <= 120 << 20)) || fail "expected a wheel of at most 120 MiB, got $bytes bytes"

"$root/.venv/bin/twine" check --strict "$wheel" >"$work/twine" || fail "$(<"$work/twine")"

python3 -m venv "$work/venv"
"$work/venv/bin/python" -m pip install --quiet --no-index --disable-pip-version-check "$wheel"
cp "$root"/test/Python/*_test.py "$root/test/Python/examples.py" "$work"
sed -i "s|^ROOT = .*|ROOT = Path('$root')|" "$work/examples.py"
cd "$work"
for test in bad_input compile simulate; do
  "$work/venv/bin/python" "${test}_test.py"
done
"$work/venv/bin/python" - <<'PYTHON'
import pathlib

import carousel

package = pathlib.Path(carousel.__file__).parent
assert "venv" in package.parts, package
for name in ("py.typed", "include/carousel-c/Compiler.h", "_importer/jax_lowerings.py", "licenses/libzstd-dev.txt"):
    assert (package / name).is_file(), name
# No name of LLVM's library is in the process, and no symbol of it is visible.
carousel.transform("module {}", "builtin.module(cse)")
maps = pathlib.Path("/proc/self/maps").read_text()
assert "libCarouselCompiler" in maps and "libLLVM" not in maps and "libMLIR" not in maps
PYTHON
# The programs, on a package that the compiler has written. Those of the wheel share its library.
bin=$work/venv/bin
"$bin/carousel-compile" "$root/examples/tile/saxpy.mlir" --chip sm_90a --no-cubin --quiet -o tool.pkg
"$bin/python" -m carousel compile "$root/examples/tile/saxpy.mlir" --chip sm_90a --no-cubin --quiet -o saxpy.pkg
diff -r tool.pkg saxpy.pkg || fail "expected carousel-compile and python -m carousel compile to write the same package"
"$bin/carousel-run" saxpy.pkg >"$work/listing"
grep -q saxpy_tma "$work/listing" || fail "expected carousel-run to list saxpy_tma, got $(<"$work/listing")"
"$bin/carousel-opt" "$root/examples/tile/saxpy.mlir" --pass-pipeline='builtin.module(carousel-lower{chip=sm_90a})' \
  -o lowered.mlir
"$bin/carousel-sim" lowered.mlir --kernel saxpy_tma --arg a=2 --arg x=iota:5000 --arg y=iota:5000 --arg out=like:x \
  --quiet >"$work/simulated" || fail "$(<"$work/simulated")"
"$bin/carousel-mutate" lowered.mlir --list >"$work/mutants"
[[ -s $work/mutants ]] || fail "expected carousel-mutate to list mutants, got none"
"$bin/python" -m carousel simulate lowered.mlir --list >"$work/list"
grep -q saxpy_tma "$work/list" || fail "expected python -m carousel simulate to list saxpy_tma, got $(<"$work/list")"
"$bin/carousel-tune" --version >"$work/version"

# A project in C finds the interfaces, needs no LLVM, and runs.
cmake -S "$root/test/Tools/CInterface/Consumer" -B consumer "-DCMAKE_PREFIX_PATH=$("$bin/python" -m carousel --cmake-dir)" \
  >"$work/configure" || fail "$(<"$work/configure")"
cmake --build consumer >"$work/build" || fail "$(<"$work/build")"
consumer/launcher >"$work/launched"
consumer/embedder "$root/examples/tile/saxpy.mlir" embedded.pkg >"$work/embedded"
"$work/venv/bin/python" - <<'PYTHON'
import carousel

try:
    carousel.tune(carousel.open("saxpy.pkg"), None, 2.0, "random:16", "random:16", "empty:16")
except carousel.InvalidArgumentError as error:
    assert "with a cost to choose from, got none" in str(error), error
else:
    raise AssertionError("expected carousel-tune to refuse a kernel without costs")
PYTHON
