# ===- control.py - loops, branches and calls of block programs ------------------ py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Steps with regions. What a region computes leaves it by its terminator only."""

import contextlib

from ..types import is_float
from .values import Vector

MOST_DEPTH = 2


class Control:
    """`steps` are those that regions may have, with their weights."""

    def __init__(self, steps):
        self.steps = [*steps, *((step, weight) for step, weight in
                                ((self.loop, 2), (self.while_loop, 1), (self.branch, 2), (self.branches, 1), (call, 1)))]

    def step(self, b):
        steps = [step for step, _ in self.steps]
        b.rng.choices(steps, [weight for _, weight in self.steps])[0](b)

    @contextlib.contextmanager
    def region(self, b, arguments=()):
        """Lines of a region; the pool is as before behind it."""
        outer, targets = list(b.pool), list(b.targets)
        b.pool += arguments
        b.depth += 1
        b.body.depth += 1
        for _ in range(b.rng.choice([1, 2, 3])):
            self.step(b)
        yield
        b.body.depth -= 1
        b.depth -= 1
        b.pool, b.targets = outer, targets

    def carry(self, b):
        """Values to carry, and what names their types."""
        value = b.pick()
        if not value or b.depth >= MOST_DEPTH:
            return []
        carried = [value]
        if b.chance(0.5):
            carried.append(b.like(value.shape, value.element))
        if b.chance(0.2):
            carried.append(b.like((), value.element))
        return carried

    def yielded(self, b, carried):
        values = [b.like(value.shape, value.element) for value in carried]
        if len(values) > 1 and values[0].type == values[1].type and b.chance(0.3):
            values[:2] = reversed(values[:2])
        return values

    def loop(self, b):
        carried = self.carry(b)
        if not carried:
            return
        trips = b.index(b.rng.choice([0, 1, 2, 3]))
        names, types = [b.body.name("a") for _ in carried], ", ".join(value.type for value in carried)
        inits = ", ".join(f"{name} = {value.name}" for name, value in zip(names, carried))
        results, induction = Results(b, "l", carried), b.body.name("i")
        b.body.line(f"{results.head} = scf.for {induction} = %c0 to {trips} step %c1 iter_args({inits}) -> ({types}) {{")
        arguments = [Vector(name, value.shape, value.element) for name, value in zip(names, carried)]
        with self.region(b, [*arguments, Vector(induction, (), "index")]):
            b.body.line(f"scf.yield {', '.join(v.name for v in self.yielded(b, carried))} : {types}")
        b.body.line("}")
        results.add("loop")

    def while_loop(self, b):
        """A count of iterations is carried, too."""
        carried = self.carry(b)
        if not carried:
            return
        trips = b.index(b.rng.choice([0, 1, 2, 3]))
        counted = [*carried, Vector("%c0", (), "index")]
        types = ", ".join(value.type for value in counted)
        before, after = [b.body.name("a") for _ in counted], [b.body.name("a") for _ in counted]
        inits = ", ".join(f"{name} = {value.name}" for name, value in zip(before, counted))
        results = Results(b, "w", counted)
        b.body.line(f"{results.head} = scf.while ({inits}) : ({types}) -> ({types}) {{")
        b.body.depth += 1
        goes = b.body.op(f"arith.cmpi slt, {before[-1]}, {trips} : index")
        b.body.line(f"scf.condition({goes}) {', '.join(before)} : {types}")
        b.body.depth -= 1
        b.body.line("} do {")
        b.body.line(f"^bb0({', '.join(f'{name}: {value.type}' for name, value in zip(after, counted))}):")
        arguments = [Vector(name, value.shape, value.element) for name, value in zip(after, carried)]
        with self.region(b, arguments):
            following = b.body.op(f"arith.addi {after[-1]}, %c1 : index")
            values = [value.name for value in self.yielded(b, carried)]
            b.body.line(f"scf.yield {', '.join([*values, following])} : {types}")
        b.body.line("}")
        results.add("while")

    def branch(self, b):
        values = self.carry(b)
        if not values:
            return
        condition, types = self.condition(b), ", ".join(value.type for value in values)
        results = Results(b, "b", values)
        b.body.line(f"{results.head} = scf.if {condition} -> ({types}) {{")
        for side in range(2):
            with self.region(b):
                b.body.line(f"scf.yield {', '.join(v.name for v in self.yielded(b, values))} : {types}")
            b.body.line("} else {" if side == 0 else "}")
        results.add("branch")

    def condition(self, b):
        """What the run knows: an argument, the program, or an element of a vector."""
        scalars = [value for value in b.pool if not value.shape and value.element in ("i32", "f32")]
        if scalars and b.chance(0.5):
            value = b.rng.choice(scalars)
            test = "arith.cmpf olt" if is_float(value.element) else "arith.cmpi slt"
            b.features.add("condition of a value")
            return b.body.op(f"{test}, {value.name}, {b.constant((), value.element, 1).name} : {value.element}")
        if b.chance(0.4):
            return b.body.op("arith.cmpi eq, %program, %c0 : index")
        return b.body.op(f"arith.cmpi eq, {b.scalar(b.rng.randrange(3))}, %c1 : index")

    def branches(self, b):
        """Many in a row, with a store in each."""
        if not b.targets or b.depth:
            return
        target, count = b.rng.choice(b.targets), b.rng.choice([3, 6, 12, 30])
        value, number = b.like((), target.element), b.scalar(b.rng.randrange(count))
        for case in range(count):
            place = ", ".join(b.body.const(min(case, extent - 1) if dim == 0 else 0)
                              for dim, extent in enumerate(target.extents[1:]))
            flag = b.body.op(f"arith.cmpi eq, {number}, {b.body.const(case)} : index")
            with b.body.region(f"scf.if {flag}"):
                b.body.line(f"memref.store {value.name}, %{target.name}[%program, {place}] : {target.type}")
        b.features.add(f"{count} branches" if count > 6 else "branches")


class Results:
    """Of an op that may have several, which then are numbered."""

    def __init__(self, b, stem, values):
        self.b, self.values, self.name = b, values, b.body.name(stem)
        self.head = f"{self.name}:{len(values)}" if len(values) > 1 else self.name

    def add(self, feature):
        self.b.features.add(feature)
        for number, value in enumerate(self.values):
            name = f"{self.name}#{number}" if len(self.values) > 1 else self.name
            self.b.pool.append(Vector(name, value.shape, value.element))


def call(b):
    """Of a function with vectors."""
    value = b.pick()
    if not value:
        return
    name, type_ = f"@f{len(b.functions)}", value.type
    op = "arith.maximumf" if is_float(value.element) else "arith.xori"
    b.functions.append("\n".join([f"  func.func private {name}(%p: {type_}, %q: {type_}) -> {type_} {{",
                                  f"    %r = {op} %p, %q : {type_}", f"    return %r : {type_}", "  }"]))
    b.op(f"func.call {name}({value.name}, {b.like(value.shape, value.element).name}) : ({type_}, {type_}) -> {type_}",
         value.shape, value.element, "call")
