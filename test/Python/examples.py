# ===- examples.py - kernels that the tests share ---------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Small kernels as text, and paths of the examples."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SAXPY = ROOT / "examples/tile/saxpy.mlir"
SOFTMAX = ROOT / "examples/block/softmax.mlir"

KERNEL = """#gl = #gpu.address_space<global>
gpu.module @m {
  gpu.func @twice(%x: memref<?x{type}, #gl> {carousel.argument = #carousel.argument<"x", in>},
                  %y: memref<?x{type}, #gl> {carousel.argument = #carousel.argument<"y", out>})
      kernel attributes {carousel.launch = #carousel.launch<grid = [1], block = [8]>} {
    %i = gpu.thread_id x
    %v = memref.load %x[%i] : memref<?x{type}, #gl>
    %d = arith.addf %v, %v : {type}
    memref.store %d, %y[{index}] : memref<?x{type}, #gl>
    gpu.return
  }
}
"""


def twice(type="f32", index="%i"):
    return KERNEL.replace("{type}", type).replace("{index}", index)


# All threads write the same element.
RACE = twice(index="%c").replace("    %i =", "    %c = arith.constant 0 : index\n    %i =")
