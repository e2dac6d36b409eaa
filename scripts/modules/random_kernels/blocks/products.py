# ===- products.py - random matrix products and pipelined loops -------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Programs with vector.contract and with pipelined loops, whose reads and writes become transfers of tiles, from and to
places that begin before their memrefs, too. Factors are small integers, so that sums are exact in each order."""

import math

from . import elements, memory, shapes
from .values import Builder, Vector, vector_type

ROWS, COLUMNS, DEPTHS = [16, 128, 32, 64, 17, 8], [8, 16, 128, 32, 64, 24], [16, 16, 32, 64, 128, 20]
FACTORS = [("bf16", "f32")] * 3 + [("i8", "i32")] * 2 + [("f16", "f32"), ("f32", "f32"), ("i32", "i32")]


def offsets(b, count):
    return [memory.draw_offset(b)[1] if b.chance(0.4) else "%c0" for _ in range(count)]


def source(b, shape, element):
    """A memref of about that shape. Floats count on by ones up to where their products stay exact."""
    extents = [max(1, extent + b.rng.choice([0, 0, 0, -3, 5])) for extent in shape]
    argument = b.argument(extents, element, "in", dynamic=[b.chance(0.7) for _ in extents])
    argument.iota = element == "bf16"
    return argument


def read_factor(b, shape, element, indices=None, memref=None):
    """Of f16 and f32, integers of a byte are converted."""
    stored = "i8" if element in ("f16", "f32") else element
    memref = memref or source(b, shape, stored)
    words = ", ".join(indices or offsets(b, 2))
    value = b.op(f"vector.transfer_read %{memref.name}[{words}], {b.constant((), stored, 0).name} : {memref.type}, "
                 f"{vector_type(shape, stored)}", shape, stored, "read of a factor")
    if stored != element:
        value = b.op(f"arith.sitofp {value.name} : {value.type} to {value.of(element)}", shape, element, "computed factor")
    return value


def write(b, value, indices=None, programs=True):
    """Where programs write, in rows of their own."""
    lead = programs and b.programs > 1 or b.chance(0.3)
    extents = [extent + b.rng.choice([0, 0, 0, -3, 5]) for extent in value.shape]
    at = indices or offsets(b, len(extents))
    dynamic = [b.chance(0.7) for _ in extents]
    if lead:
        extents, at, dynamic = [b.programs, *extents], ["%program", *at], [True, *dynamic]
    target = b.argument([max(1, extent) for extent in extents], value.element, b.rng.choice(["out", "inout"]), dynamic=dynamic)
    mask = b.mask(value.shape) if b.chance(0.2) else None
    b.features.add("masked write" if mask else "write")
    b.body.line(f"vector.transfer_write {value.name}, %{target.name}[{', '.join(at)}]{f', {mask.name}' if mask else ''} : "
                f"{value.type}, {target.type}")


class Product:
    """Shapes, types and maps of a contraction."""

    def __init__(self, b):
        rng = b.rng
        self.b = b
        self.sizes = {"m": rng.choice(ROWS), "n": rng.choice(COLUMNS), "k": rng.choice(DEPTHS)}
        self.factor, self.sum = rng.choice(FACTORS)
        self.orders = [rng.choice(["mk", "mk", "km"]), rng.choice(["kn", "kn", "nk"]), rng.choice(["mn"] * 5 + ["nm"])]
        if b.chance(0.3):  # as warpgroups multiply
            self.sizes = {"m": rng.choice([64, 128]), "n": rng.choice([8, 64, 128]), "k": rng.choice([16, 32, 64])}
            self.factor, self.sum = rng.choice([("bf16", "f32")] * 3 + [("i8", "i32")])
            if self.factor == "i8":
                self.sizes["k"], self.orders[:2] = 64, ["mk", "nk"]

        b.products += [self.shape(operand) for operand in range(3)]

    def shape(self, operand):
        return tuple(self.sizes[loop] for loop in self.orders[operand])

    def contract(self, left, right, acc):
        maps = ", ".join(f"affine_map<(m, n, k) -> ({', '.join(order)})>" for order in self.orders)
        b = self.b
        if self.factor == "f32" and b.chance(0.5):
            left, right = (b.op(f"carousel.round_tf32 {factor.name} : {factor.type}", factor.shape, "f32", "round_tf32")
                           for factor in (left, right))
        attributes = (f"{{indexing_maps = [{maps}], iterator_types = [\"parallel\", \"parallel\", \"reduction\"], "
                      f"kind = #vector.kind<add>}}")
        return b.op(f"vector.contract {attributes} {left.name}, {right.name}, {acc.name} : {left.type}, {right.type} into "
                    f"{acc.type}", self.shape(2), self.sum, f"contract {self.factor}")


def pipeline(b):
    words = [f"stages = {b.rng.choice([1, 2, 3])}"] if b.chance(0.8) else []
    if b.chance(0.15):
        words.append("mode = specialized")
    return f" {{carousel.pipeline = #carousel.pipeline<{', '.join(words)}>}}"


def straight(b):
    product = Product(b)
    left, right = read_factor(b, product.shape(0), product.factor), read_factor(b, product.shape(1), product.factor)
    acc = b.constant(product.shape(2), product.sum, 0) if b.chance(0.7) else \
        read_factor(b, product.shape(2), "i32") if product.sum == "i32" else b.constant(product.shape(2), "f32")
    return product.contract(left, right, acc)


def along_depth(b):
    """The loop goes along what is summed, and carries the sums."""
    product = Product(b)
    depth, turns = product.sizes["k"], b.rng.choice([1, 2, 3])
    if depth * turns > 256:
        turns = 1
    # The memrefs have all of the depth; the loop may begin before them.
    memrefs = []
    for operand in range(2):
        extents = [product.sizes[loop] * (turns if loop == "k" else 1) - b.rng.choice([0, 0, 3]) for loop in
                   product.orders[operand]]
        memrefs.append(source(b, [max(1, extent) for extent in extents], "i8" if product.factor in ("f16", "f32") else
                              product.factor))
    zero = b.constant(product.shape(2), product.sum, 0)
    result, induction, carried = (b.body.name(stem) for stem in "lia")
    first = memory.draw_offset(b, 0)[0] if b.chance(0.4) else 0
    upper = b.index(first + depth * turns)
    b.body.line(f"{result} = scf.for {induction} = {b.body.const(first)} to {upper} step {b.body.const(depth)} iter_args("
                f"{carried} = {zero.name}) -> ({zero.type}) {{")
    b.body.depth += 1
    pool = list(b.pool)
    factors = [read_factor(b, product.shape(operand), product.factor,
                           [induction if loop == "k" else offsets(b, 1)[0] for loop in product.orders[operand]],
                           memrefs[operand]) for operand in range(2)]
    following = product.contract(*factors, Vector(carried, zero.shape, zero.element))
    b.body.line(f"scf.yield {following.name} : {zero.type}")
    b.body.depth -= 1
    b.pool = pool
    b.body.line("}" + pipeline(b))
    b.features.add("pipelined product")
    value = Vector(result, zero.shape, zero.element)
    b.pool.append(value)
    return value


def row_blocks(b):
    """A pipelined loop over blocks of rows, which writes each; perhaps after a product."""
    rng = b.rng
    product = Product(b) if b.chance(0.4) else None
    element = product.factor if product else rng.choice(["f32", "i32", "bf16", "i8"])
    if element in ("f16", "f32") and product:
        product.factor, product.sum, element = "bf16", "f32", "bf16"
    if product:
        product.orders[0], product.orders[2] = "mk", "mn"
    shape = product.shape(0) if product else (rng.choice([4, 8, 16]), rng.choice([16, 32, 64, 33]))
    turns = rng.choice([0, 1, 2, 5])
    rows = max(1, shape[0] * turns - rng.choice([0, 0, 3]))
    memref = source(b, [rows, shape[1]], element)
    memref.iota = element == "bf16"
    right = read_factor(b, product.shape(1), element) if product else None
    result_shape, result_element = (product.shape(2), product.sum) if product else (shape, element)
    target = b.argument([max(1, rows + rng.choice([0, -2, 4])), max(1, result_shape[1] + rng.choice([0, 0, -3, 5]))],
                        result_element, rng.choice(["out", "inout"]), dynamic=[True, b.chance(0.7)])
    induction, pool = b.body.name("i"), list(b.pool)
    first = rng.choice([0, 0, -1, -4])
    column, other = offsets(b, 2)
    b.body.line(f"scf.for {induction} = {b.body.const(first)} to {b.index(max(first, 0) + shape[0] * turns)} step "
                f"{b.body.const(shape[0])} {{")
    b.body.depth += 1
    b.pool = []
    value = b.op(f"vector.transfer_read %{memref.name}[{induction}, {column}], {b.constant((), element, 0).name} : "
                 f"{memref.type}, {vector_type(shape, element)}", shape, element, "pipelined read")
    if product:
        value = product.contract(value, right, b.constant(product.shape(2), product.sum, 0))
    elif b.chance(0.7):
        elements.arithmetic(b)
        value = b.pick(lambda v: v.shape == shape and v.element == element) or value
    at = induction
    if b.chance(0.3):
        at = b.body.op(f"arith.addi {induction}, {memory.draw_offset(b)[1]} : index")
    b.body.line(f"vector.transfer_write {value.name}, %{target.name}[{at}, {other}] : {value.type}, {target.type}")
    b.body.depth -= 1
    b.pool = pool
    b.body.line("}" + pipeline(b))
    b.features.add("pipelined write")


def largest(b):
    """The elements of the largest factor or sums."""
    return max((math.prod(shape) for shape in b.products), default=0)


def generate(seed):
    b = Builder("products", seed)
    b.products = []
    b.programs = b.rng.choice([1, 1, 1, 2])
    threads = b.rng.choice([None, 32, 64, 128, 256])
    way = b.rng.choice([straight, along_depth, row_blocks])
    if way == row_blocks:
        b.programs = 1  # all rows are its own
    value = way(b)
    if value and b.chance(0.8):
        write(b, value)
    for _ in range(b.rng.choice([0, 1, 2]) if value else 0):
        b.rng.choice([elements.arithmetic, elements.select, elements.reduce, shapes.transpose, memory.read])(b)
        value = b.pick(lambda v: len(v.shape) == 2) or value
    if value:
        write(b, value)
    # Larger vectors have a block of at least four warps, or one that passes choose.
    if threads and largest(b) > threads * 64:
        threads = None
    block = f", block = [{threads}]" if threads else ""
    return b.finish("", f"grid = [{b.programs}]{block}")
