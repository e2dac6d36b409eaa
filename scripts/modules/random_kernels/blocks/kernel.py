# ===- kernel.py - random programs of the block phase ---------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Programs of all ops of the phase, on vectors of any extents."""

from . import elements, memory, shapes
from .control import Control
from .values import Builder

STEPS = [*elements.STEPS, *memory.STEPS, *memory.WRITES, *shapes.STEPS]


def generate(seed):
    b = Builder("blocks", seed)
    b.programs = b.rng.choice([1, 1, 2, 3])
    threads = b.rng.choice([32, 64, 64, 128, 256])
    control = Control(STEPS)
    memory.read(b)
    for _ in range(b.rng.choice([2, 4, 6, 10])):
        control.step(b)
    for _ in range(b.rng.choice([1, 2, 3])):
        memory.write(b)
    return b.finish("", f"grid = [{b.programs}], block = [{threads}]")
