# ===- blocks.py - random kernels on values of the CTA ---------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Kernels of the block phase: reads and writes of any shape, partly outside of their memrefs, permuted and masked;
elementwise arithmetic, reductions, broadcasts, changes of shape, masks, gathers, loops and branches that carry vectors.
Integers are added in any order; floats are only compared, so that all phases give the same bytes."""

import random
from dataclasses import dataclass

from .text import Body
from .types import GLOBAL, Argument, Kernel, Scalar, is_float, product, row_strides

EXTENTS = [1, 2, 3, 4, 5, 7, 8, 16, 17, 32, 33, 64, 100, 128, 256, 1000]
MOST = 4096  # elements of a vector
ELEMENTS = ["i32"] * 5 + ["i8", "i16", "i64", "f32", "f32", "bf16", "f16"]
KINDS = {True: ["maxnumf", "minnumf", "maximumf"],
         False: ["add", "add", "mul", "and", "or", "xor", "minsi", "maxsi", "minui", "maxui"]}


@dataclass(frozen=True)
class Vector:
    name: str
    shape: tuple  # empty: a scalar
    element: str

    @property
    def type(self):
        return vector_type(self.shape, self.element)


def vector_type(shape, element):
    return f"vector<{'x'.join(map(str, shape))}x{element}>" if shape else element


def is_even(shape):
    return all(extent & (extent - 1) == 0 for extent in shape)


class Generator:
    def __init__(self, seed):
        self.seed, self.rng = seed, random.Random(f"blocks {seed}")
        self.body, self.arguments, self.features = Body(), [], set()
        self.pool, self.programs = [], self.rng.choice([1, 1, 2, 3])
        self.threads = self.rng.choice([32, 64, 64, 128, 256])
        self.depth = 0

    # ===- Values ------------------------------------------------------------------===#

    def op(self, text, shape, element, feature):
        self.features.add(feature)
        value = Vector(self.body.op(text), tuple(shape), element)
        self.pool.append(value)
        return value

    def constant(self, shape, element, number=None):
        number = self.rng.choice([0, 1, 2, 3, 5]) if number is None else number
        literal = f"{float(number)}" if is_float(element) else f"{number}"
        if not shape:
            return Vector(self.body.const(literal, element) if element != "index" else self.body.const(number),
                          (), element)
        return Vector(self.body.const(literal, vector_type(shape, element)), tuple(shape), element)

    def draw_shape(self, rank=None):
        rank = rank or self.rng.choice([1, 1, 2, 2, 2, 3, 3, 4])
        while True:
            shape = tuple(self.rng.choice(EXTENTS) for _ in range(rank))
            if product(shape) <= MOST:
                return shape

    def vectors(self, test=lambda value: True):
        return [value for value in self.pool if value.shape and value.element != "i1" and test(value)]

    def pick(self, test=lambda value: True):
        found = self.vectors(test)
        return self.rng.choice(found[-8:]) if found else self.read()

    def like(self, shape, element):
        """A value of that type: one from the pool, what broadcasts to it, or a constant."""
        rng = self.rng
        same = [v for v in self.pool if v.shape == shape and v.element == element]
        if same and rng.random() < 0.7:
            return rng.choice(same)
        sources = [v for v in self.pool if v.element == element and v.shape != shape and len(v.shape) <= len(shape) and
                   all(a in (1, b) for a, b in zip(reversed(v.shape), reversed(shape)))]
        if sources and rng.random() < 0.6:
            source = rng.choice(sources)
            return self.op(f"vector.broadcast {source.name} : {source.type} to {vector_type(shape, element)}", shape,
                           element, "broadcast")
        return self.constant(shape, element)

    def mask(self, shape):
        rng = self.rng
        type_ = vector_type(shape, "i1")
        way = rng.choice(["create", "constant", "compare", "steps"])
        if way == "create":
            sizes = ", ".join(self.body.const(rng.randrange(0, extent + 2)) for extent in shape)
            return self.op(f"vector.create_mask {sizes} : {type_}", shape, "i1", "create_mask")
        if way == "constant":
            sizes = [rng.randrange(1, extent + 1) for extent in shape]
            return self.op(f"vector.constant_mask {sizes} : {type_}", shape, "i1", "constant_mask")
        if way == "steps":
            steps = self.op(f"vector.step : vector<{shape[-1]}xindex>", shape[-1:], "index", "step")
            limit = self.like(shape, "index") if rng.random() < 0.3 else self.constant(shape, "index",
                                                                                       rng.randrange(shape[-1] + 1))
            if len(shape) > 1:
                steps = self.op(f"vector.broadcast {steps.name} : {steps.type} to {vector_type(shape, 'index')}", shape,
                                "index", "step")
            return self.op(f"arith.cmpi {rng.choice(['eq', 'ne', 'slt', 'sge', 'ult'])}, {steps.name}, {limit.name} : "
                           f"{steps.type}", shape, "i1", "compare steps")
        value = self.like(shape, "i32")
        other = self.like(shape, "i32")
        return self.op(f"arith.cmpi {rng.choice(['eq', 'slt', 'uge'])}, {value.name}, {other.name} : {value.type}",
                       shape, "i1", "compare")

    # ===- Memory ------------------------------------------------------------------===#

    def argument(self, extents, element, access, name):
        rng, rank = self.rng, len(extents)
        padded = rank > 1 and rng.random() < 0.4
        strides = row_strides(extents)
        if padded:
            strides = row_strides([*extents[:-1], extents[-1] + rng.choice([1, 3, 8])])
        layout = f"strided<[{', '.join(['?'] * (rank - 1) + ['1'])}], offset: ?>" if padded else ""
        argument = Argument(name, element, list(extents), strides, [True] * rank, access, seed=self.seed + rank,
                            padded=padded, layout=layout)
        self.arguments.append(argument)
        return argument

    def read(self):
        """A box that may begin before the memref and end behind it; a permutation of dimensions, or some repeated."""
        rng = self.rng
        shape, element = self.draw_shape(), rng.choice(ELEMENTS)
        rank = len(shape) + rng.choice([0, 0, 1])
        order = list(range(rank - len(shape), rank))
        if rng.random() < 0.25:
            rng.shuffle(order)
        extents, indices = [1] * rank, ["%c0"] * rank
        inside = rng.random() < 0.3
        for dim, along in enumerate(order):
            first = rng.choice([0, 0, 0, 1, 3, 8])
            extents[along] = max(1, shape[dim] + first + (rng.choice([0, 1, 5]) if inside else rng.choice([-3, -1, 0])))
            indices[along] = self.body.const(first)
            if not inside and rng.random() < 0.1:
                indices[along] = self.body.const(-1)
        if rank > len(shape):
            extents[0], indices[0] = self.programs, "%program"
        source = self.argument(extents, element, "in", f"x{len(self.arguments)}")
        plain = order == sorted(order)
        dims = ", ".join(f"d{i}" for i in range(rank))
        permutation = "" if plain else f", permutation_map = affine_map<({dims}) -> ({', '.join(f'd{i}' for i in order)})>"
        bounds = f"in_bounds = [{', '.join(['true' if inside else 'false'] * len(shape))}]"
        mask = self.mask(shape) if plain and rng.random() < 0.15 else None
        masked = f", {mask.name}" if mask else ""
        pad = self.constant((), element)
        self.features.add("permuted read" if not plain else "masked read" if mask else "read")
        return self.op(f"vector.transfer_read %{source.name}[{', '.join(indices)}], {pad.name}{masked} {{{bounds}{permutation}}}"
                       f" : {source.type}, {vector_type(shape, element)}", shape, element, "read")

    def write(self):
        rng, value = self.rng, self.pick()
        shape, element = value.shape, value.element
        if element == "index":
            return
        extents = [max(1, extent + rng.choice([0, 0, -1, 2])) for extent in shape]
        order = list(range(len(shape)))
        if rng.random() < 0.25:
            rng.shuffle(order)
        plain = order == sorted(order)
        target = self.argument([self.programs] + [extents[dim] for dim in order], element, "out", f"y{len(self.arguments)}")
        # Vector dimension d goes along memref dimension 1 + order.index(d).
        dims = ", ".join(f"d{i}" for i in range(len(shape) + 1))
        along = ", ".join(f"d{1 + order.index(dim)}" for dim in range(len(shape)))
        permutation = "" if plain else f" {{permutation_map = affine_map<({dims}) -> ({along})>}}"
        mask = self.mask(shape) if plain and rng.random() < 0.2 else None
        masked = f", {mask.name}" if mask else ""
        self.features.add("write")
        self.body.line(f"vector.transfer_write {value.name}, %{target.name}[%program{', %c0' * len(shape)}]{masked}{permutation}"
                       f" : {value.type}, {target.type}")

    def gather(self):
        rng, shape, element = self.rng, self.draw_shape(), "i32"
        extent = rng.choice([7, 64, 1000])
        source = self.argument([extent], element, "in", f"x{len(self.arguments)}")
        numbers = self.like(shape, "i32")
        bound = self.constant(shape, "i32", extent)
        inside = self.op(f"arith.remui {numbers.name}, {bound.name} : {numbers.type}", shape, "i32", "gather")
        mask, other = self.mask(shape), self.like(shape, element)
        self.op(f"vector.gather %{source.name}[%c0] [{inside.name}], {mask.name}, {other.name} : {source.type}, "
                f"{inside.type}, {mask.type}, {other.type} into {other.type}", shape, element, "gather")

    # ===- Arithmetic --------------------------------------------------------------===#

    def arithmetic(self):
        value = self.pick()
        other = self.like(value.shape, value.element)
        ops = ["arith.maxnumf", "arith.minnumf"] if is_float(value.element) else \
            ["arith.addi", "arith.subi", "arith.muli", "arith.xori", "arith.maxsi", "arith.minui"]
        self.op(f"{self.rng.choice(ops)} {value.name}, {other.name} : {value.type}", value.shape, value.element, "arithmetic")

    def select(self):
        value = self.pick()
        mask, other = self.mask(value.shape), self.like(value.shape, value.element)
        self.op(f"arith.select {mask.name}, {value.name}, {other.name} : {mask.type}, {value.type}", value.shape,
                value.element, "select")

    def convert(self):
        value = self.pick(lambda v: v.element in ("i8", "i16", "bf16", "f16"))
        wide = "f32" if is_float(value.element) else "i32"
        if value.element in ("i8", "i16", "bf16", "f16"):
            self.op(f"arith.{'extf' if is_float(wide) else 'extsi'} {value.name} : {value.type} to "
                    f"{vector_type(value.shape, wide)}", value.shape, wide, "convert")

    def reduce(self):
        rng, value = self.rng, self.pick()
        dims = sorted(rng.sample(range(len(value.shape)), rng.randrange(1, len(value.shape) + 1)))
        shape = tuple(extent for dim, extent in enumerate(value.shape) if dim not in dims)
        acc = self.like(shape, value.element) if shape else self.constant((), value.element)
        kind = rng.choice(KINDS[is_float(value.element)])
        self.op(f"vector.multi_reduction <{kind}>, {value.name}, {acc.name} {dims} : {value.type} to "
                f"{vector_type(shape, value.element)}", shape, value.element, f"reduce {kind}")

    # ===- Changes of shape --------------------------------------------------------===#

    def transpose(self):
        value = self.pick(lambda v: len(v.shape) > 1)
        order = list(range(len(value.shape)))
        self.rng.shuffle(order)
        shape = tuple(value.shape[dim] for dim in order)
        self.op(f"vector.transpose {value.name}, {order} : {value.type} to {vector_type(shape, value.element)}", shape,
                value.element, "transpose")

    def reshape(self):
        rng = self.rng
        value = self.pick(lambda v: len(v.shape) < 4)
        if len(value.shape) >= 4:
            return
        if is_even(value.shape) and rng.random() < 0.6:
            count, shape = product(value.shape), []
            while count > 1 and len(shape) < 3:
                part = rng.choice([2 ** i for i in range(count.bit_length())])
                shape.append(part)
                count //= part
            shape = tuple(shape + [count])
        else:
            at = rng.randrange(len(value.shape) + 1)
            shape = value.shape[:at] + (1,) + value.shape[at:]
        if shape != value.shape:
            self.op(f"vector.shape_cast {value.name} : {value.type} to {vector_type(shape, value.element)}", shape,
                    value.element, "shape_cast")

    def part(self):
        rng = self.rng
        value = self.pick(lambda v: any(extent % 2 == 0 for extent in v.shape))
        sizes, offsets = [], []
        for extent in value.shape:
            size = extent
            if extent & (extent - 1) == 0 and extent > 1 and rng.random() < 0.7:
                size = extent // rng.choice([2, min(4, extent)])
            sizes.append(size)
            offsets.append(rng.randrange(extent // size) * size)
        strides = [1] * len(sizes)
        shape = tuple(sizes)
        if rng.random() < 0.5:
            self.op(f"vector.extract_strided_slice {value.name} {{offsets = {offsets}, sizes = {sizes}, strides = {strides}}} "
                    f": {value.type} to {vector_type(shape, value.element)}", shape, value.element, "extract slice")
        else:
            part = self.like(shape, value.element)
            self.op(f"vector.insert_strided_slice {part.name}, {value.name} {{offsets = {offsets}, strides = {strides}}} : "
                    f"{part.type} into {value.type}", value.shape, value.element, "insert slice")

    def row(self):
        value = self.pick(lambda v: len(v.shape) > 1)
        if len(value.shape) < 2:
            return
        at = self.rng.randrange(value.shape[0])
        shape = value.shape[1:]
        if self.rng.random() < 0.5:
            self.op(f"vector.extract {value.name}[{at}] : {vector_type(shape, value.element)} from {value.type}", shape,
                    value.element, "extract")
        else:
            row = self.like(shape, value.element)
            self.op(f"vector.insert {row.name}, {value.name} [{at}] : {row.type} into {value.type}", value.shape,
                    value.element, "insert")

    def element(self):
        value = self.pick()
        at = ", ".join(str(self.rng.randrange(extent)) for extent in value.shape)
        if self.rng.random() < 0.5:
            self.op(f"vector.extract {value.name}[{at}] : {value.element} from {value.type}", (), value.element,
                    "extract element")
        else:
            scalar = self.constant((), value.element)
            self.op(f"vector.insert {scalar.name}, {value.name} [{at}] : {value.element} into {value.type}", value.shape,
                    value.element, "insert element")

    def interleave(self):
        rng = self.rng
        value = self.pick(lambda v: 2 * product(v.shape) <= MOST)
        if rng.random() < 0.5 and 2 * product(value.shape) <= MOST:
            other = self.like(value.shape, value.element)
            shape = value.shape[:-1] + (2 * value.shape[-1],)
            self.op(f"vector.interleave {value.name}, {other.name} : {value.type} -> {vector_type(shape, value.element)}",
                    shape, value.element, "interleave")
        elif value.shape[-1] % 2 == 0:
            shape = value.shape[:-1] + (value.shape[-1] // 2,)
            type_ = vector_type(shape, value.element)
            low, high = self.body.name(), self.body.name()
            self.body.line(f"{low}, {high} = vector.deinterleave {value.name} : {value.type} -> {type_}")
            self.features.add("deinterleave")
            self.pool += [Vector(low, shape, value.element), Vector(high, shape, value.element)]

    # ===- Control flow ------------------------------------------------------------===#

    def loop(self):
        """One or two vectors are carried, perhaps exchanged."""
        rng = self.rng
        if self.depth > 1:
            return
        carried = [self.pick()]
        if rng.random() < 0.5:
            carried.append(self.like(carried[0].shape, carried[0].element))
        trips = self.body.const(rng.choice([0, 1, 2, 3]))
        names = [self.body.name("a") for _ in carried]
        types = ", ".join(value.type for value in carried)
        inits = ", ".join(f"{name} = {value.name}" for name, value in zip(names, carried))
        result, induction = self.body.name("l"), self.body.name("i")
        count = f":{len(carried)}" if len(carried) > 1 else ""
        self.body.line(f"{result}{count} = scf.for {induction} = %c0 to {trips} step %c1 iter_args({inits}) -> ({types}) {{")
        arguments = [Vector(name, value.shape, value.element) for name, value in zip(names, carried)]
        yielded = self.block(arguments, [(value.shape, value.element) for value in carried])
        if len(yielded) > 1 and rng.random() < 0.4:
            yielded.reverse()
        self.body.line(f"  scf.yield {', '.join(v.name for v in yielded)} : {types}")
        self.body.line("}")
        self.features.add("loop")
        for number, value in enumerate(carried):
            self.pool.append(Vector(f"{result}#{number}" if count else result, value.shape, value.element))

    def branch(self):
        rng = self.rng
        if self.depth > 1:
            return
        value = self.pick()
        scalar = Scalar(f"n{sum(isinstance(a, Scalar) for a in self.arguments)}", rng.randrange(3))
        self.arguments.append(scalar)
        condition = self.body.op(f"arith.cmpi eq, %{scalar.name}, %c1 : index")
        result = self.body.name("b")
        self.body.line(f"{result} = scf.if {condition} -> ({value.type}) {{")
        for side in range(2):
            yielded = self.block([], [(value.shape, value.element)])
            self.body.line(f"  scf.yield {yielded[0].name} : {value.type}")
            self.body.line("} else {" if side == 0 else "}")
        self.features.add("branch")
        self.pool.append(Vector(result, value.shape, value.element))

    def block(self, arguments, types):
        """A few ops in a region; values of `types`."""
        outer = list(self.pool)
        self.pool += arguments
        self.depth += 1
        self.body.depth += 1
        for _ in range(self.rng.choice([1, 2, 3])):
            self.step(inner=True)
        yielded = [self.like(*type_) for type_ in types]
        self.body.depth -= 1
        self.depth -= 1
        self.pool = outer
        return yielded

    # ===- Kernel ------------------------------------------------------------------===#

    def step(self, inner=False):
        steps = [(self.read, 3), (self.arithmetic, 4), (self.select, 2), (self.convert, 1), (self.reduce, 4),
                 (self.transpose, 3), (self.reshape, 2), (self.part, 2), (self.row, 1), (self.element, 1),
                 (self.interleave, 1), (self.gather, 1), (self.loop, 2), (self.branch, 1)]
        if not inner:
            steps.append((self.write, 3))
        self.rng.choices([step for step, _ in steps], [weight for _, weight in steps])[0]()

    def generate(self):
        for _ in range(self.rng.choice([2, 4, 6, 10])):
            self.step()
        for _ in range(self.rng.choice([1, 2, 3])):
            self.write()
        if not any(argument.access == "out" for argument in self.arguments):
            self.pool = []
            self.write()
        name = f"blocks_{self.seed}"
        arguments = ",\n      ".join(argument.declare() for argument in self.arguments)
        top = [f"    {value} = {text}" for text, value in self.body.top.items()]
        for number in (0, 1):
            if f"arith.constant {number} : index" not in self.body.top:
                top.append(f"    %c{number} = arith.constant {number} : index")
        text = "\n".join([
            f"{GLOBAL} = #gpu.address_space<global>", "gpu.module @random {", f"  gpu.func @{name}(", f"      {arguments}) kernel",
            "      attributes {carousel.block_program = #carousel.block_program<>,",
            f"        carousel.launch = #carousel.launch<grid = [{self.programs}], block = [{self.threads}]>}} {{", *top,
            "    %program = gpu.block_id x", *self.body.lines, "    gpu.return", "  }", "}", ""])
        return Kernel(name, self.seed, text, self.arguments, self.features)


def generate(seed):
    return Generator(seed).generate()
