# ===- kernel.py - random programs of the block phase ---------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Programs of all ops of the phase, on vectors of any extents, and of rows that begin at any element."""

import random

from . import elements, memory, shapes
from .control import Control
from .values import Builder

STEPS = [*elements.STEPS, *memory.STEPS, *memory.WRITES, *shapes.STEPS]


def lines(b):
    """Arithmetic and reductions of rows of narrow elements. Other ops want other accesses."""
    rng = b.rng
    b.programs = rng.choice([1, 3, 5])
    element = rng.choice(["i8", "i16", "bf16", "f16"])
    shape = (*([rng.choice([2, 4, 8])] if b.chance(0.3) else []), rng.choice([16, 64, 128, 256, 512, 1024]))
    control = Control([(elements.arithmetic, 2), (elements.reduce, 1)])
    for _ in range(rng.choice([1, 1, 2])):
        first = memory.read_lines(b, shape, element)
    for _ in range(rng.choice([0, 1, 3])):
        control.step(b)
    memory.write_lines(b, b.pick(lambda value: value.shape == shape and value.element == element) or first)
    return b.finish("", f"grid = [{b.programs}], block = [{rng.choice([32, 64, 128])}]")


def generate(seed):
    b = Builder("blocks", seed)
    if random.Random(f"lines {seed}").random() < 0.2:
        return lines(b)
    b.programs = b.rng.choice([1, 1, 2, 3])
    threads = b.rng.choice([32, 64, 64, 128, 256])
    control = Control(STEPS)
    memory.read(b)
    for _ in range(b.rng.choice([2, 4, 6, 10])):
        control.step(b)
    for _ in range(b.rng.choice([1, 2, 3])):
        memory.write(b)
    return b.finish("", f"grid = [{b.programs}], block = [{threads}]")
