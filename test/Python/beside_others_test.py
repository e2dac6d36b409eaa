# ===- beside_others_test.py - one process with other compilers -------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Imports and uses the packages that have an LLVM or MLIR of their own, in a process for each order: Carousel at each place
among the others, these in two orders, or with CAROUSEL_ALL_ORDERS=1 in all. Only those that are installed take part.
TensorFlow comes last: before Triton or CIRCT it ends a process without Carousel, too."""

import array
import importlib.util
import itertools
import os
import subprocess
import sys
import unittest

from examples import SAXPY

ALL = os.environ.get("CAROUSEL_ALL_ORDERS") == "1"
NAMES = ("torch", "triton", "jax", "circt", "tensorflow")


def use(name):
    if name == "carousel":
        import carousel

        x, y, out = (array.array("f", values) for values in (range(3000), [1] * 3000, [0] * 3000))
        carousel.simulate(SAXPY, {"a": 2.5, "x": x, "y": y, "out": out}, lower=True).check()
        assert list(out) == [2.5 * i + 1 for i in range(3000)]
        assert carousel.compile(SAXPY, chips="sm_90a", cuda_root="", emit="ptx").ptx
    elif name == "torch":
        import torch

        assert torch.arange(4.0).sum() == 6
    elif name == "triton":
        import triton._C.libtriton
        import triton.language  # noqa: F401
    elif name == "jax":
        import jax

        assert jax.jit(lambda x: (x * 2).sum())(jax.numpy.arange(4.0)) == 12
    elif name == "tensorflow":
        import tensorflow

        assert tensorflow.reduce_sum(tensorflow.range(4)) == 6
    elif name == "circt":  # another MLIR's bindings
        import circt.ir

        with circt.ir.Context():
            assert "module" in str(circt.ir.Module.parse("module {}"))


class BesideOthersTest(unittest.TestCase):
    def test_orders(self):
        installed = [name for name in NAMES if importlib.util.find_spec(name)]
        free = [name for name in installed if name != "tensorflow"]
        others = [[*order, *installed[len(free):]] for order in
                  (itertools.permutations(free) if ALL else (free, free[::-1]))]
        orders = {(*other[:place], "carousel", *other[place:]) for other in others for place in range(len(installed) + 1)}
        for order in sorted(orders):
            with self.subTest(order=order):
                done = subprocess.run([sys.executable, __file__, *order], capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 0, done.stderr[-500:])


if __name__ == "__main__":
    if len(sys.argv) == 1:
        unittest.main()
    for given in [*sys.argv[1:], "carousel", *sys.argv[1:]]:
        use(given)
