# ===- memory.py - what block programs read and write --------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Steps that access memory: boxes that begin before their memref or end after it, at constants and at numbers of the run;
permuted, masked, by indices and element by element. Programs write to rows of their own."""

from ..types import product
from .values import ELEMENTS, Vector, vector_type

OFFSETS = [0, 0, 0, 0, 1, 3, 8, -1, -2, -5]


def draw_offset(b, most=8):
    """A number and its value: a constant, an argument, or what follows from the program."""
    number = min(b.rng.choice(OFFSETS), most)
    if number < 0:
        b.features.add("negative offset")
    if b.chance(0.15):
        b.features.add("offset of the program")
        return number, b.body.op(f"arith.addi %program, {b.body.const(number)} : index")
    return number, b.index(number)


def draw_static(b, rank):
    """Of each dimension, whether the type leaves it open; the first one counts programs."""
    if b.chance(0.5):
        return [True] * rank
    return [True] + [b.chance(0.5) for _ in range(rank - 1)]


class Box:
    """A vector's place in a memref: extents, indices, and what the transfer says of them."""

    def __init__(self, b, shape, rank, order):
        self.extents, self.indices, self.inside = [1] * rank, ["%c0"] * rank, []
        rng, all_inside = b.rng, b.chance(0.25)
        for dim, along in enumerate(order):
            extent = shape[dim]
            if all_inside:
                first = rng.choice([0, 0, 1, 3])
                self.indices[along] = b.index(first)
                self.extents[along] = extent + first + rng.choice([0, 1, 5])
            else:
                first, self.indices[along] = draw_offset(b)
                # As many as the vector has, so that its end is inside and its begin may not be.
                self.extents[along] = max(1, extent + rng.choice([0, 0, max(first, 0), -1, -3, 2]))
            self.inside.append("true" if all_inside else "false")


def attributes(inside, rank, order):
    words = [f"in_bounds = [{', '.join(inside)}]"]
    if order != list(range(rank - len(order), rank)):
        dims = ", ".join(f"d{i}" for i in range(rank))
        words.append(f"permutation_map = affine_map<({dims}) -> ({', '.join(f'd{i}' for i in order)})>")
    return f" {{{', '.join(words)}}}"


def read(b, shape=None, element=None):
    """A box of an input; its dimensions may be permuted, or one of them repeated."""
    rng = b.rng
    shape, element = shape or b.draw_shape(), element or rng.choice(ELEMENTS)
    rank = len(shape) + rng.choice([0, 0, 1])
    order = list(range(rank - len(shape), rank))
    if b.chance(0.2):
        rng.shuffle(order)
    plain = order == sorted(order)
    box = Box(b, shape, rank, order)
    if rank > len(shape):
        box.extents[0], box.indices[0] = b.programs, "%program"
    dynamic = draw_static(b, rank) if rank > len(shape) or b.chance(0.5) else [b.chance(0.5) for _ in range(rank)]
    source = b.argument(box.extents, element, "in", dynamic=dynamic)
    name, type_ = source.name, vector_type(shape, element)
    if len(shape) > 1 and plain and b.chance(0.08):
        # One row for all: the dimension isn't read along.
        b.features.add("repeated read")
        order[0], box.inside[0] = None, "true"
        dims = ", ".join(f"d{i}" for i in range(rank))
        results = ", ".join("0" if i is None else f"d{i}" for i in order)
        box.indices[rank - len(shape)] = "%c0"
        words = f" {{in_bounds = [{', '.join(box.inside)}], permutation_map = affine_map<({dims}) -> ({results})>}}"
        return b.op(f"vector.transfer_read %{name}[{', '.join(box.indices)}], {b.constant((), element).name}{words} : "
                    f"{source.type}, {type_}", shape, element, "read")
    mask = b.mask(shape) if plain and b.chance(0.2) else None
    pad = b.constant((), element).name
    words, at = attributes(box.inside, rank, order), ", ".join(box.indices)
    b.features.add("read" if plain else "permuted read")
    if not mask or b.chance(0.5):
        masked = f", {mask.name}" if mask else ""
        return b.op(f"vector.transfer_read %{name}[{at}], {pad}{masked}{words} : {source.type}, {type_}", shape, element,
                    "masked read" if mask else "read")
    other = b.any_constant(shape, element) if b.chance(0.5) else b.like(shape, element)
    other, feature = (f", {other.name}", "passthru") if b.chance(0.6) else ("", "read in mask")
    return b.op(f"vector.mask {mask.name}{other} {{ vector.transfer_read %{name}[{at}], {pad}{words} : {source.type}, {type_} "
                f"}} : {mask.type} -> {type_}", shape, element, feature)


def write(b, value=None):
    """To rows of the program's own."""
    rng, value = b.rng, value or b.pick() or read(b)
    shape, element = value.shape, value.element
    rank, order = len(shape) + 1, list(range(1, len(shape) + 1))
    if b.chance(0.2):
        rng.shuffle(order)
    plain = order == sorted(order)
    box = Box(b, shape, rank, order)
    box.extents[0], box.indices[0] = b.programs, "%program"
    access = rng.choice(["out", "inout"])
    target = b.argument(box.extents, element, access, dynamic=draw_static(b, rank))
    if access == "inout" and plain:
        b.targets.append(target)
    put(b, value, target, box, order)


def draw_line(b, shape, element, access):
    """A program's rows, of a known extent near the vector's, which begin anywhere; and the indices of a vector's first element."""
    rng = b.rng
    first = rng.choice([0, 0, 0, 1, 5, -3])
    inside = rng.random() < 0.2 and first >= 0
    columns = shape[-1] + first + (rng.choice([0, 1, 5]) if inside else rng.choice([-9, -3, -1, 1, 2, 7]))
    source = b.argument([b.programs, *shape[:-1], max(1, columns)], element, access, dynamic=[True] * len(shape) + [False],
                        gaps=(1, 3, 7))
    indices = ["%program", *["%c0"] * (len(shape) - 1), b.index(first)]
    words = ", ".join(["true"] * (len(shape) - 1) + ["true" if inside else "false"])
    return source, f"%{source.name}[{', '.join(indices)}]", f"{{in_bounds = [{words}]}}"


def read_lines(b, shape, element):
    source, at, words = draw_line(b, shape, element, "in")
    return b.op(f"vector.transfer_read {at}, {b.constant((), element).name} {words} : {source.type}, "
                f"{vector_type(shape, element)}", shape, element, "read of lines")


def write_lines(b, value):
    target, at, words = draw_line(b, value.shape, value.element, "out")
    b.features.add("write of lines")
    b.body.line(f"vector.transfer_write {value.name}, {at} {words} : {value.type}, {target.type}")


def put(b, value, target, box, order):
    mask = b.mask(value.shape) if order == sorted(order) and b.chance(0.25) else None
    words, at = attributes(box.inside, len(box.extents), order), ", ".join(box.indices)
    text = f"vector.transfer_write {value.name}, %{target.name}[{at}]"
    if mask and b.chance(0.4):
        b.features.add("write in mask")
        b.body.line(f"vector.mask {mask.name} {{ {text}{words} : {value.type}, {target.type} }} : {mask.type}")
        return
    b.features.add("masked write" if mask else "write")
    b.body.line(f"{text}{f', {mask.name}' if mask else ''}{words} : {value.type}, {target.type}")


def again(b):
    """Reads what the program may have written, or writes to it once more."""
    if not b.targets:
        return
    rng, target = b.rng, b.rng.choice(b.targets)
    box = Box(b, target.extents[1:], len(target.extents), list(range(1, len(target.extents))))
    box.extents, box.indices[0] = target.extents, "%program"
    box.inside = ["false"] * len(box.inside)
    shape, order = tuple(target.extents[1:]), list(range(1, len(target.extents)))
    if rng.random() < 0.5:
        put(b, b.like(shape, target.element), target, box, order)
        b.features.add("second write")
        return
    b.op(f"vector.transfer_read %{target.name}[{', '.join(box.indices)}], {b.constant((), target.element).name}"
         f"{attributes(box.inside, len(target.extents), order)} : {target.type}, {vector_type(shape, target.element)}",
         shape, target.element, "read again")


def number(b):
    """One element, which is a scalar of the pool."""
    source = b.argument([b.programs + 2], b.rng.choice(["i32", "i64", "f32"]), "in")
    at = b.rng.choice(["%program", "%c0", b.index(1)])
    b.op(f"memref.load %{source.name}[{at}] : {source.type}", (), source.element, "load")


def view(b):
    """Reads from a part of a memref, or from one of other dimensions."""
    shape = b.draw_shape(2)
    element, first = b.rng.choice(ELEMENTS), b.rng.choice([0, 1, 4])
    if b.chance(0.5):
        source = b.argument([shape[0] + 2, shape[1] + first + 1], element, "in", padded=False)
        sizes = [b.index(max(1, extent - b.rng.choice([0, 1]))) for extent in shape]
        layout = f"memref<?x?x{element}, strided<[?, 1], offset: ?>, #gl>"
        name = b.body.op(f"memref.subview %{source.name}[1, {b.index(first)}] [{', '.join(sizes)}] [1, 1] : {source.type} to "
                         f"{layout}", "s")
        b.features.add("subview")
    else:
        source = b.argument([product(shape)], element, "in", dynamic=[False])
        layout = f"memref<{shape[0]}x{shape[1]}x{element}, #gl>"
        name = b.body.op(f"memref.expand_shape %{source.name} [[0, 1]] output_shape [{shape[0]}, {shape[1]}] : {source.type} "
                         f"into {layout}", "s")
        b.features.add("expand_shape")
    at = [draw_offset(b)[1] for _ in shape]
    b.op(f"vector.transfer_read {name}[{', '.join(at)}], {b.constant((), element).name} : {layout}, "
         f"{vector_type(shape, element)}", shape, element, "read of a view")


def gather(b):
    shape, element = b.draw_shape(), b.rng.choice(["i32", "i32", "f32", "bf16", "i8"])
    extent = b.rng.choice([7, 64, 1000])
    source = b.argument([extent], element, "in")
    numbers, bound = b.like(shape, "i32"), b.constant(shape, "i32", extent)
    inside = b.op(f"arith.remui {numbers.name}, {bound.name} : {numbers.type}", shape, "i32", "gather")
    mask, other = b.mask(shape), b.like(shape, element)
    b.op(f"vector.gather %{source.name}[%c0] [{inside.name}], {mask.name}, {other.name} : {source.type}, "
         f"{inside.type}, {mask.type}, {other.type} into {other.type}", shape, element, "gather")


def scatter(b):
    """To places that differ: an odd multiple of each place, in a power of two of them."""
    value = b.pick(lambda v: len(v.shape) == 1 and v.shape[0] & (v.shape[0] - 1) == 0)
    if not value:
        return
    extent, indices = value.shape[0], value.of("index")
    target = b.argument([b.programs, extent], value.element, "inout", padded=False)
    steps = b.op(f"vector.step : {indices}", value.shape, "index", "step")
    turned = b.body.op(f"arith.muli {steps.name}, {b.body.const(b.rng.choice([1, 3, 5]), indices)} : {indices}")
    place = b.body.op(f"arith.remui {turned}, {b.body.const(extent, indices)} : {indices}")
    mask = b.mask(value.shape)
    b.features.add("scatter")
    b.body.line(f"vector.scatter %{target.name}[%program, %c0] [{place}], {mask.name}, {value.name} : {target.type}, {indices}, "
                f"{mask.type}, {value.type}")


STEPS = [(read, 4), (number, 1), (view, 1), (gather, 1), (again, 2)]
WRITES = [(write, 3), (scatter, 1)]
