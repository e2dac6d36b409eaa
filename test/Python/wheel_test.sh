#!/usr/bin/env bash
#===- wheel_test.sh - the wheel in an environment of its own -------- bash -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
#
#   wheel_test.sh DIR: makes the wheel of the build in CAROUSEL_BUILD_DIR, and installs it in a new
#   environment in DIR, without a registry. Checks size and tag, what can be imported, and a kernel.

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
[[ $wheel == *-py3-none-manylinux_2_*_x86_64.whl ]] || fail "expected a wheel for manylinux, got $wheel"
bytes=$(stat -c %s "$wheel")
((bytes <= 120 << 20)) || fail "expected a wheel of at most 120 MiB, got $bytes bytes"

"$root/.venv/bin/twine" check --strict "$wheel" >"$work/twine" || fail "$(<"$work/twine")"

python3 -m venv "$work/venv"
"$work/venv/bin/python" -m pip install --quiet --no-index --disable-pip-version-check "$wheel"
cp "$root"/test/Python/*_test.py "$root/test/Python/examples.py" "$work"
sed -i "s|^ROOT = .*|ROOT = Path('$root')|" "$work/examples.py"
cd "$work"
for test in compile simulate; do
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
# The tools, on a package that the compiler has written.
"$work/venv/bin/python" -m carousel compile "$root/examples/tile/saxpy.mlir" --chip sm_90a --no-cubin --quiet -o saxpy.pkg
"$work/venv/bin/carousel-run" saxpy.pkg >"$work/listing"
grep -q saxpy_tma "$work/listing" || fail "expected carousel-run to list saxpy_tma, got $(<"$work/listing")"
"$work/venv/bin/carousel-tune" --version >"$work/version"
"$work/venv/bin/python" - <<'PYTHON'
import carousel

try:
    carousel.tune(carousel.open("saxpy.pkg"), None, 2.0, "random:16", "random:16", "empty:16")
except carousel.InvalidArgumentError as error:
    assert "with a cost to choose from, got none" in str(error), error
else:
    raise AssertionError("expected carousel-tune to refuse a kernel without costs")
PYTHON
