# ===- rows.py - random programs that cover an extent ----------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Programs of rows, with `width` and `covers`. Passes compile them for narrower vectors and for several programs of a CTA,
so vectors of the width are taken apart, and control flow depends on the row. Padding is neutral for what follows, or is
masked; sometimes neither, which a pass has to refuse or to mend."""

from ..types import is_float
from . import elements, padding, shapes
from .control import Control
from .values import MOST, Builder, Vector, vector_type

WIDTHS = [64, 128, 128, 256, 256, 512, 1024, 2048]
ELEMENTS = ["i32", "i32", "i32", "f32", "i8", "bf16"]
# Element types and kinds -> the padding that makes no difference.
NEUTRAL = {"add": 0, "or": 0, "xor": 0, "mul": 1, "maxui": 0, "and": -1, "minui": -1}


class Rows:
    def __init__(self, seed):
        self.b = Builder("rows", seed)
        rng = self.b.rng
        self.width = rng.choice(WIDTHS)
        # Mostly few enough for a narrower variant.
        self.columns = rng.choice([self.width, self.width - 1, self.width // 2, self.width // 2 + 1, 64, 52, 17,
                                   rng.randrange(1, self.width + 1)])
        if self.b.chance(0.1):  # wider rows go in chunks
            self.columns += rng.choice([1, 2]) * self.width
            self.b.features.add("wide rows")
        self.rows = rng.choice([1, 3, 5, 19])
        self.b.programs = self.rows
        self.inputs = {}
        steps = [(self.read, 3), (self.common, 2), (self.part_read, 1), (self.reduce, 6), (self.number, 2), (self.table, 1),
                 (self.write, 1), (self.again, 1), (self.padded, 2), (elements.arithmetic, 4), (elements.function, 2),
                 (elements.power, 1), (elements.two_results, 1), (elements.select, 2), (elements.convert, 1), *shapes.STEPS]
        self.control = Control(steps)

    def input(self, element):
        """A matrix of rows; the first argument is one."""
        if element not in self.inputs or self.b.chance(0.3):
            self.inputs[element] = self.b.argument([self.rows, self.columns], element, "in")
        return self.inputs[element]

    # ===- Steps -------------------------------------------------------------------===#

    def read(self, b, element=None, pad=None):
        element = element or b.rng.choice(ELEMENTS)
        source, shape = self.input(element), (self.width,)
        pad = b.body.const(b.rng.choice(padding.ODD[element]), element) if element in padding.ODD and b.chance(0.2) else \
            b.constant((), element, pad).name
        masked = ""
        if b.chance(0.15):  # of a row that ends earlier
            # Beyond the width other tools take the mask for true.
            end = b.index(b.rng.randrange(min(self.columns, self.width) + 1))
            mask = b.op(f"vector.create_mask {end} : {vector_type(shape, 'i1')}", shape, "i1", "create_mask")
            masked = f", {mask.name}"
        return b.op(f"vector.transfer_read %{source.name}[%program, %c0], {pad}{masked} : {source.type}, "
                    f"{vector_type(shape, element)}", shape, element, "read of a row")

    def padded(self, _):
        padding.step(self)

    def common(self, b):
        """What all programs read."""
        element, shape = b.rng.choice(ELEMENTS), (self.width,)
        source = b.argument([self.columns], element, "in")
        b.op(f"vector.transfer_read %{source.name}[%c0], {b.constant((), element).name} : {source.type}, "
             f"{vector_type(shape, element)}", shape, element, "read of weights")

    def part_read(self, b):
        """Of half the width, or of several rows."""
        element = b.rng.choice(ELEMENTS)
        if b.chance(0.5):
            shape, source = (self.width // 2,), self.input(element)
            return b.op(f"vector.transfer_read %{source.name}[%program, %c0], {b.constant((), element).name} : "
                        f"{source.type}, {vector_type(shape, element)}", shape, element, "read of half a row")
        count = b.rng.choice([2, 4])
        if count * self.width > MOST:
            return None
        shape, source = (count, self.width), b.argument([count, self.columns], element, "in")
        return b.op(f"vector.transfer_read %{source.name}[%c0, %c0], {b.constant((), element).name} : {source.type}, "
                    f"{vector_type(shape, element)}", shape, element, "read of a table")

    def number(self, b):
        """A number of each row, on which control flow may depend."""
        source = b.argument([self.rows], "i32", "in")
        source.iota = True
        number = b.op(f"memref.load %{source.name}[%program] : {source.type}", (), "i32", "number of a row")
        if b.chance(0.4):
            self.turns(b, number)

    def turns(self, b, number):
        """As many iterations as the row has, up to 4."""
        value = b.pick(lambda v: v.shape == (self.width,))
        if not value or b.depth:
            return
        few = b.body.op(f"arith.andi {number.name}, {b.body.const(3, 'i32')} : i32")
        end = b.body.op(f"arith.index_cast {few} : i32 to index")
        result, induction, carried = (b.body.name(stem) for stem in "lia")
        b.body.line(f"{result} = scf.for {induction} = %c0 to {end} step %c1 iter_args({carried} = {value.name}) -> "
                    f"({value.type}) {{")
        with self.control.region(b, [Vector(carried, value.shape, value.element)]):
            b.body.line(f"scf.yield {b.like(value.shape, value.element).name} : {value.type}")
        b.body.line("}")
        b.features.add("turns of a row")
        b.pool.append(Vector(result, value.shape, value.element))

    def table(self, b):
        """A constant whose extent is the width by chance."""
        if self.width <= 64:
            numbers = ", ".join(str(b.rng.randrange(9)) for _ in range(self.width))
            type_ = vector_type((self.width,), "i32")
            b.pool.append(Vector(b.body.const(f"[{numbers}]", type_), (self.width,), "i32"))
            b.features.add("constant row")

    def reduce(self, b):
        """Of a vector whose padding is neutral, in most cases."""
        value = b.pick(lambda v: v.shape[-1] == self.width)
        if not value or len(value.shape) > 2:
            return
        kind = b.rng.choice(elements.KINDS[is_float(value.element)])
        if is_float(value.element) and value.element == "f32" and b.chance(0.4):
            few = b.op(f"arith.fptosi {value.name} : {value.type} to {value.of('i32')}", value.shape, "i32", "whole")
            few = b.op(f"math.absi {few.name} : {few.type}", value.shape, "i32", "whole")
            value = b.op(f"math.exp2 {self.whole(b, few)} : {value.type}", value.shape, "f32", "sum of powers")
            kind = "add"
        if b.chance(0.6):
            value = self.neutral(b, value, kind)
            if not value:
                return
        else:
            b.features.add("padding in a reduction")
            if kind == "add" and b.chance(0.5):  # padding that isn't neutral any more
                one = b.constant(value.shape, value.element, 1)
                op = "addf" if is_float(value.element) else "addi"
                value = b.op(f"arith.{op} {value.name}, {one.name} : {value.type}", value.shape, value.element, "one more")
        shape = value.shape[:-1]
        acc = b.constant(shape, value.element)
        result = b.op(f"vector.multi_reduction <{kind}>, {value.name}, {acc.name} [{len(shape)}] : {value.type} to {acc.type}",
                      shape, value.element, f"reduce {kind}")
        if not shape:
            result = b.broadcast(result, (self.width,))
            if b.chance(0.5):
                self.write(b, result)

    @staticmethod
    def whole(b, value):
        few = b.body.op(f"arith.andi {value.name}, {b.body.const(3, value.type)} : {value.type}")
        return b.body.op(f"arith.sitofp {few} : {value.type} to {value.of('f32')}")

    def neutral(self, b, value, kind):
        """The value with what makes no difference beyond the columns."""
        number = NEUTRAL.get(kind, {"min": 100, "max": -100}.get(kind[:3]))
        other = b.constant(value.shape, value.element, number)
        end = b.body.op(f"memref.dim %{self.inputs['first'].name}, %c1 : {self.inputs['first'].type}")
        mask_type = vector_type(value.shape[-1:], "i1")
        mask = b.op(f"vector.create_mask {end} : {mask_type}", value.shape[-1:], "i1", "mask of a row")
        mask = b.broadcast(mask, value.shape)
        return b.op(f"arith.select {mask.name}, {value.name}, {other.name} : {mask.type}, {value.type}", value.shape,
                    value.element, "masked padding")

    def write(self, b, value=None):
        value = value or b.pick(lambda v: len(v.shape) == 1) or self.read(b)
        columns = self.columns if value.shape[0] == self.width else value.shape[0]
        access = b.rng.choice(["out", "inout"])
        target = b.argument([self.rows, max(1, columns + b.rng.choice([0, 0, -1, 1]) * (value.shape[0] != self.width))],
                            value.element, access)
        if access == "inout" and value.shape[0] == self.width:
            b.targets.append(target)
        b.body.line(f"vector.transfer_write {value.name}, %{target.name}[%program, %c0] : {value.type}, {target.type}")
        b.features.add("write of a row")

    def again(self, b):
        if not b.targets:
            return
        target, shape = b.rng.choice(b.targets), (self.width,)
        if b.chance(0.5):
            b.op(f"vector.transfer_read %{target.name}[%program, %c0], {b.constant((), target.element).name} : {target.type}, "
                 f"{vector_type(shape, target.element)}", shape, target.element, "read again")
            return
        value = b.like(shape, target.element)
        b.body.line(f"vector.transfer_write {value.name}, %{target.name}[%program, %c0] : {value.type}, {target.type}")
        b.features.add("second write")

    # ===- Kernel ------------------------------------------------------------------===#

    def generate(self):
        b = self.b
        self.inputs["first"] = b.argument([self.rows, self.columns], "i32", "in")
        self.inputs["i32"] = self.inputs["first"]
        self.read(b, "i32")
        for _ in range(b.rng.choice([2, 4, 6, 10])):
            self.control.step(b)
        for _ in range(b.rng.choice([1, 2])):
            self.write(b)
        b.features.add(f"width {self.width}")
        return b.finish(f"width = {self.width}, covers = extent(0, 1)", "grid = [extent(0, 0)]")


def generate(seed):
    return Rows(seed).generate()
