# ===- shapes.py - other shapes, and parts of vectors --------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Steps that move elements: transposes, changes of shape, parts at fixed positions and at those of the run, pairs."""

from ..types import product
from .values import MOST, is_even, vector_type


def transpose(b):
    value = b.pick(lambda v: len(v.shape) > 1)
    if not value:
        return
    order = list(range(len(value.shape)))
    b.rng.shuffle(order)
    shape = tuple(value.shape[dim] for dim in order)
    b.op(f"vector.transpose {value.name}, {order} : {value.type} to {vector_type(shape, value.element)}", shape,
         value.element, "transpose")


def draw_reshape(rng, value):
    if is_even(value.shape) and rng.random() < 0.6:
        count, shape = product(value.shape), []
        while count > 1 and len(shape) < 3:
            part = rng.choice([2 ** i for i in range(count.bit_length())])
            shape.append(part)
            count //= part
        return tuple(shape + [count])
    at = rng.randrange(len(value.shape) + 1)
    return value.shape[:at] + (1,) + value.shape[at:]


def reshape(b):
    value = b.pick(lambda v: len(v.shape) < 4)
    if not value:
        return
    shape = draw_reshape(b.rng, value)
    if shape != value.shape:
        b.op(f"vector.shape_cast {value.name} : {value.type} to {vector_type(shape, value.element)}", shape, value.element,
             "shape_cast")


def draw_part(rng, shape):
    """Sizes and offsets: powers of two at multiples of theirs, or whole dimensions; sometimes any."""
    sizes, offsets = [], []
    is_aligned = rng.random() < 0.6
    for extent in shape:
        size = extent
        if not is_aligned:
            sizes.append(rng.choice([1, extent, rng.randint(1, extent)]))
            offsets.append(rng.randrange(extent - sizes[-1] + 1))
            continue
        if is_even([extent]) and extent > 1 and rng.random() < 0.7:
            size = extent // rng.choice([2, min(4, extent)])
        sizes.append(size)
        offsets.append(rng.randrange(extent // size) * size)
    return sizes, offsets


def part(b):
    rng, value = b.rng, b.pick(lambda v: any(extent > 1 for extent in v.shape))
    if not value:
        return
    sizes, offsets = draw_part(rng, value.shape)
    if rng.random() < 0.5:
        shape = tuple(sizes)
        b.op(f"vector.extract_strided_slice {value.name} {{offsets = {offsets}, sizes = {sizes}, strides = {[1] * len(sizes)}}} "
             f": {value.type} to {vector_type(shape, value.element)}", shape, value.element, "extract slice")
        return
    # A part of fewer dimensions is in one row.
    fewer = rng.randrange(len(sizes)) if rng.random() < 0.4 else 0
    offsets[:fewer] = [rng.randrange(extent) for extent in value.shape[:fewer]]
    other = b.like(tuple(sizes[fewer:]), value.element)
    b.op(f"vector.insert_strided_slice {other.name}, {value.name} {{offsets = {offsets}, strides = {[1] * len(other.shape)}}} : "
         f"{other.type} into {value.type}", value.shape, value.element,
         "insert slice of fewer dimensions" if fewer else "insert slice")


def row(b):
    value = b.pick(lambda v: len(v.shape) > 1)
    if not value:
        return
    count = b.rng.randrange(1, len(value.shape))
    at, shape = ", ".join(b.position(extent) for extent in value.shape[:count]), value.shape[count:]
    if b.chance(0.5):
        b.op(f"vector.extract {value.name}[{at}] : {vector_type(shape, value.element)} from {value.type}", shape,
             value.element, "extract row")
    else:
        other = b.like(shape, value.element)
        b.op(f"vector.insert {other.name}, {value.name} [{at}] : {other.type} into {value.type}", value.shape, value.element,
             "insert row")


def element(b):
    value = b.pick()
    if not value:
        return
    at = ", ".join(b.position(extent) for extent in value.shape)
    if b.chance(0.5):
        taken = b.op(f"vector.extract {value.name}[{at}] : {value.element} from {value.type}", (), value.element,
                     "extract element")
        b.broadcast(taken, value.shape)
    else:
        scalar = b.like((), value.element)
        b.op(f"vector.insert {scalar.name}, {value.name} [{at}] : {value.element} into {value.type}", value.shape,
             value.element, "insert element")


def interleave(b):
    value = b.pick(lambda v: 2 * product(v.shape) <= MOST)
    if not value:
        return
    if b.chance(0.5):
        other, shape = b.like(value.shape, value.element), value.shape[:-1] + (2 * value.shape[-1],)
        b.op(f"vector.interleave {value.name}, {other.name} : {value.type} -> {vector_type(shape, value.element)}", shape,
             value.element, "interleave")
    elif value.shape[-1] % 2 == 0:
        shape = value.shape[:-1] + (value.shape[-1] // 2,)
        b.ops(f"vector.deinterleave {value.name} : {value.type} -> {vector_type(shape, value.element)}",
              [(shape, value.element)] * 2, "deinterleave")


def constant(b):
    """One that a part, a row or an element may be put into."""
    shape = tuple(b.rng.choice([1, 2, 4, 5, 8]) for _ in range(b.rng.choice([1, 2])))
    b.pool.append(b.any_constant(shape, b.rng.choice(["i32", "f32", "i8", "bf16"])))


STEPS = [(transpose, 3), (reshape, 2), (part, 3), (row, 2), (element, 2), (interleave, 2), (constant, 1)]
