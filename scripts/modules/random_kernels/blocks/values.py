# ===- values.py - what block programs are built with ------------------------ py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""A program under construction: its lines, its arguments, and a pool of values that later ops may use."""

import random
from dataclasses import dataclass

from ..text import Body
from ..types import GLOBAL, Argument, Kernel, Scalar, is_float, product, row_strides

EXTENTS = [1, 2, 3, 4, 5, 7, 8, 16, 17, 32, 33, 64, 100, 128, 256, 1000]
MOST = 4096  # elements of a vector
LISTED = 32  # elements of a constant whose elements differ
BOUND = 8.0  # of floats
ELEMENTS = ["i32"] * 5 + ["i8", "i16", "i64", "f32", "f32", "bf16", "f16", "f64"]


@dataclass(frozen=True)
class Vector:
    name: str
    shape: tuple  # empty: a scalar
    element: str

    @property
    def type(self):
        return vector_type(self.shape, self.element)

    def of(self, element):
        """The type of a vector of its shape."""
        return vector_type(self.shape, element)


def vector_type(shape, element):
    return f"vector<{'x'.join(map(str, shape))}x{element}>" if shape else element


def is_even(shape):
    return all(extent & (extent - 1) == 0 for extent in shape)


def spell(number, element):
    return f"{float(number)}" if is_float(element) else f"{number}"


def spell_list(rng, shape, element):
    """Elements that differ, in brackets for each dimension."""
    if not shape:
        return spell(rng.choice([0, 1, 2, 3, 5, 7, -1]), element)
    return f"[{', '.join(spell_list(rng, shape[1:], element) for _ in range(shape[0]))}]"


class Builder:
    def __init__(self, kind, seed):
        self.kind, self.seed, self.rng = kind, seed, random.Random(f"{kind} {seed}")
        self.body, self.arguments, self.features = Body(), [], set()
        self.pool, self.targets, self.functions = [], [], []
        self.programs, self.depth = 1, 0

    def chance(self, probability):
        return self.rng.random() < probability

    # ===- Values ------------------------------------------------------------------===#

    def op(self, text, shape, element, feature):
        return self.ops(text, [(shape, element)], feature)[0]

    def ops(self, text, results, feature):
        """An op with one or several results."""
        self.features.add(feature)
        names = [self.body.name() for _ in results]
        self.body.line(f"{', '.join(names)} = {text}")
        values = [Vector(name, tuple(shape), element) for name, (shape, element) in zip(names, results)]
        self.pool += values
        return values

    def constant(self, shape, element, number=None):
        number = self.rng.choice([0, 1, 2, 3, 5]) if number is None else number
        if not shape:
            return Vector(self.body.const(number if element == "index" else spell(number, element), element), (), element)
        return Vector(self.body.const(spell(number, element), vector_type(shape, element)), tuple(shape), element)

    def any_constant(self, shape, element):
        """Of one number, or of several."""
        if not 1 < product(shape) <= LISTED or not shape or self.chance(0.6):
            return self.constant(shape, element)
        self.features.add("constant of several numbers")
        return Vector(self.body.const(spell_list(self.rng, shape, element), vector_type(shape, element)), tuple(shape),
                      element)

    def draw_shape(self, rank=None):
        rank = rank or self.rng.choice([1, 1, 2, 2, 2, 3, 3, 4])
        while True:
            shape = tuple(self.rng.choice(EXTENTS) for _ in range(rank))
            if product(shape) <= MOST:
                return shape

    def pick(self, test=lambda value: True):
        """One of the latest vectors of numbers that pass; None if there is none."""
        found = [value for value in self.pool if value.shape and value.element not in ("i1", "index") and test(value)]
        return self.rng.choice(found[-8:]) if found else None

    def like(self, shape, element):
        """A value of that type: one from the pool, what broadcasts to it, or a constant."""
        rng = self.rng
        same = [v for v in self.pool if v.shape == shape and v.element == element]
        if same and rng.random() < 0.7:
            return rng.choice(same)
        sources = [v for v in self.pool if v.element == element and v.shape != shape and len(v.shape) <= len(shape) and
                   all(a in (1, b) for a, b in zip(reversed(v.shape), reversed(shape)))]
        if sources and shape and rng.random() < 0.6:
            return self.broadcast(rng.choice(sources), shape)
        return self.any_constant(shape, element)

    def broadcast(self, value, shape):
        if value.shape == tuple(shape):
            return value
        return self.op(f"vector.broadcast {value.name} : {value.type} to {vector_type(shape, value.element)}", shape,
                       value.element, "broadcast")

    def settle(self, value):
        """A float of few bits before the point, and no zero below zero: of two zeros, a maximum is any."""
        if not is_float(value.element):
            return value
        if value in self.pool:
            self.pool.remove(value)
        for op, bound in (("minnumf", BOUND), ("maxnumf", -BOUND), ("addf", 0.0)):
            bound = self.body.const(f"{bound}", value.type)
            value = Vector(self.body.op(f"arith.{op} {value.name}, {bound} : {value.type}"), value.shape, value.element)
        self.pool.append(value)
        return value

    # ===- Numbers that the run knows ------------------------------------------------===#

    def scalar(self, number):
        """An argument of the kernel."""
        name = f"n{sum(isinstance(a, Scalar) for a in self.arguments)}"
        self.arguments.append(Scalar(name, number))
        return f"%{name}"

    def index(self, number):
        """A constant, or an argument of that number."""
        if self.chance(0.6):
            return self.body.const(number)
        self.features.add("number at run time")
        return self.scalar(number)

    def position(self, extent):
        """In a vector: a number, or a value of the run."""
        rng = self.rng
        if rng.random() < 0.4:
            return str(rng.randrange(extent))
        self.features.add("position at run time")
        if rng.random() < 0.4:
            return self.scalar(rng.randrange(extent))
        number = self.body.op(f"arith.addi %program, {self.body.const(rng.randrange(extent))} : index")
        return self.body.op(f"arith.remui {number}, {self.body.const(extent)} : index")

    # ===- Masks -------------------------------------------------------------------===#

    def mask(self, shape):
        rng, type_ = self.rng, vector_type(shape, "i1")
        way = rng.choice(["create", "create", "constant", "compare", "steps", "listed"])
        if way == "listed" and product(shape) <= LISTED:
            self.features.add("listed mask")
            return Vector(self.body.const(spell_mask(rng, shape), type_), tuple(shape), "i1")
        if way == "create":
            sizes = ", ".join(self.index(rng.randrange(-1, extent + 2)) for extent in shape)
            return self.op(f"vector.create_mask {sizes} : {type_}", shape, "i1", "create_mask")
        if way in ("constant", "listed"):
            sizes = [rng.randrange(1, extent + 1) for extent in shape]
            return self.op(f"vector.constant_mask {sizes} : {type_}", shape, "i1", "constant_mask")
        if way == "steps":
            steps = self.op(f"vector.step : vector<{shape[-1]}xindex>", shape[-1:], "index", "step")
            limit = self.like(shape, "index") if rng.random() < 0.3 else self.constant(shape, "index",
                                                                                       rng.randrange(shape[-1] + 1))
            steps = self.broadcast(steps, shape)
            return self.op(f"arith.cmpi {rng.choice(['eq', 'ne', 'slt', 'sge', 'ult'])}, {steps.name}, {limit.name} : "
                           f"{steps.type}", shape, "i1", "compare steps")
        value, other = self.like(shape, "i32"), self.like(shape, "i32")
        return self.op(f"arith.cmpi {rng.choice(['eq', 'slt', 'uge'])}, {value.name}, {other.name} : {value.type}",
                       shape, "i1", "compare")

    # ===- Kernels -------------------------------------------------------------------===#

    def argument(self, extents, element, access, name=None, dynamic=None, padded=None, gaps=(1, 3, 8)):
        """`dynamic`: of each dimension, whether the type leaves it open. `gaps`: elements behind padded rows."""
        rng, rank = self.rng, len(extents)
        if padded is None:
            padded = rank > 1 and rng.random() < 0.4
        strides = row_strides(extents)
        if padded:
            strides = row_strides([*extents[:-1], extents[-1] + rng.choice(gaps)])
        layout = f"strided<[{', '.join(['?'] * (rank - 1) + ['1'])}], offset: ?>" if padded else ""
        argument = Argument(name or f"{'x' if access == 'in' else 'y'}{len(self.arguments)}", element, list(extents), strides,
                            dynamic or [True] * rank, access, seed=self.seed + rank, padded=padded, layout=layout)
        self.arguments.append(argument)
        return argument

    def finish(self, program, launch):
        """The kernel, with the texts of its attributes."""
        name = f"{self.kind}_{self.seed}"
        arguments = ",\n      ".join(argument.declare() for argument in self.arguments)
        top = [f"    {value} = {text}" for text, value in self.body.top.items()]
        for number in (0, 1):
            if f"arith.constant {number} : index" not in self.body.top:
                top.append(f"    %c{number} = arith.constant {number} : index")
        text = "\n".join([
            f"{GLOBAL} = #gpu.address_space<global>", "gpu.module @random {", *self.functions, f"  gpu.func @{name}(",
            f"      {arguments}) kernel", f"      attributes {{carousel.block_program = #carousel.block_program<{program}>,",
            f"        carousel.launch = #carousel.launch<{launch}>}} {{", *top, "    %program = gpu.block_id x",
            *self.body.lines, "    gpu.return", "  }", "}", ""])
        return Kernel(name, self.seed, text, self.arguments, self.features)


def spell_mask(rng, shape):
    if not shape:
        return rng.choice(["true", "false"])
    return f"[{', '.join(spell_mask(rng, shape[1:]) for _ in range(shape[0]))}]"
