# ===- sections.py - a loop of a kernel, with its tiles --------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""A section walks over boxes: it loads tiles, computes, stores. The units that share the work are
CTAs, warpgroups or warps. Each thread owns the same elements of all tiles, so that what threads write
to a tile needs a barrier only where a thread looks at another one's elements."""

from .arithmetic import (add, broadcast, combine, convert, expression, forget_fill, from_index, vector)
from .types import ELEMENTS, REDUCTIONS, is_float, product
from .views import Views
from .walk import Walk

SWIZZLES = {32: "b32", 64: "b64", 128: "b128"}
SPECIAL = ("nan", "-inf", "inf")  # fills that arithmetic keeps


class Transfer:
    """A load or a store of a section, and what it says."""

    def __init__(self, argument, tile, offsets, options="", fill=None, reduction=None):
        self.argument, self.tile, self.offsets = argument, tile, offsets
        self.options, self.fill, self.reduction = options, fill, reduction


class Section:
    def __init__(self, kernel, walk=None):
        self.kernel, self.rng, self.body = kernel, kernel.rng, kernel.body
        self.walk = walk or Walk(kernel)
        self.kind = self.rng.choice(["f32", "f32", "i32", "i32", "f64", "i64"])
        if is_float(self.kind):
            elements = [e for e in ELEMENTS if is_float(e)] + ["i32", "i8"]
        else:
            elements = [e for e in ELEMENTS if not is_float(e)] + ["f32"]
        self.elements = [self.kernel.element(elements) for _ in range(2)]
        self.width = self.choose_width()
        self.loads, self.stores, self.before = [], [], []
        self.condition = self.choose_condition()
        self.written = []  # arguments that a later section of the same walk may load

    def choose_width(self):
        """Elements that a thread takes at a time; more than one only of flat tiles."""
        count = product(self.walk.tile)
        widths = [w for w in (2, 4, 8) if count % w == 0]
        if len(self.walk.tile) == 1 and widths and self.rng.random() < 0.4:
            return self.rng.choice(widths)
        return 1

    def choose_condition(self):
        """What is made under a condition that is the same in all threads of the scope."""
        if self.rng.random() < 0.7:
            return None
        return self.rng.choice(["all", "load", "store"])

    # ===- What there is ----------------------------------------------------------===#

    def transfer_options(self, tile, is_load, exact):
        rng, words = self.rng, []
        if self.walk.scope != "cta":
            words.append(f"scope({self.walk.scope})")
        fill = None
        if exact and rng.random() < 0.5:
            words.append("in_bounds")
            self.kernel.features.add("in bounds")
        elif is_load and rng.random() < 0.25:
            numbers = ["nan", "-inf", "inf", "-1.5", "3"] if is_float(tile.element) else ["7", "-3"]
            fill = rng.choice(numbers)
            words.append(f"fill({fill})")
            self.kernel.features.add(fill if fill[-1].isalpha() else "fill of a number")
        if tile.swizzle is None:
            row = tile.extents[-1] * ELEMENTS[tile.element][0]
            spans = [span for span in SWIZZLES if row % span == 0 and not tile.padded]
            tile.swizzle = rng.choice(spans) if spans and rng.random() < 0.2 else 0
        if tile.swizzle:
            self.kernel.features.add("swizzle")
        return words, fill

    def finish_options(self, words, tile):
        if tile.swizzle:
            words.append(f"swizzle({SWIZZLES[tile.swizzle]})")
        if self.rng.random() < 0.2:
            words.append(f"cache({self.rng.choice(['evict_first', 'evict_last'])})")
        return " ".join([""] + words)

    def add_load(self, argument=None, where="box"):
        """`where`: the walk's box, one that never moves, the unit's own, or one that a table in memory
        names."""
        walk, rng = self.walk, self.rng
        shifts = [0] * walk.rank
        if argument is None:
            element = rng.choice(self.elements)
            extents = walk.own_extents() if where == "own" else walk.extents
            argument = self.kernel.argument(element, extents, "in")
            if where == "box" and rng.random() < 0.15:
                dim = rng.randrange(walk.rank - len(walk.tile), walk.rank)
                shifts[dim] = rng.choice([-3, -1, 1, 2])
                self.kernel.features.add("halo")
        if where == "table":
            self.table = self.kernel.argument("i32", [max(walk.boxes)], "in", plain=True)
            self.table.iota = True
            self.kernel.features.add("offset from memory")
        tile = self.kernel.tile(argument.element, walk)
        exact = walk.is_exact(argument.extents) and not any(shifts) and where in ("box", "fixed")
        words, fill = self.transfer_options(tile, True, exact)
        load = Transfer(argument, tile, (where, shifts), self.finish_options(words, tile), fill)
        self.loads.append(load)
        return load

    def add_store(self, tile, argument=None, where="box"):
        walk, rng = self.walk, self.rng
        reduction = None
        if argument is None:
            if tile.element in REDUCTIONS and rng.random() < 0.3:
                reduction = rng.choice(REDUCTIONS[tile.element])
                where = rng.choice(["box", "fixed"])
                argument = self.kernel.argument(tile.element, walk.extents, "inout")
                self.kernel.features.add("reduction")
            else:
                access = rng.choice(["out", "inout"])
                argument = self.kernel.argument(tile.element, walk.extents, access)
                self.written.append(argument)
        words, _ = self.transfer_options(tile, False, walk.is_exact(argument.extents) and
                                         where == "box")
        if reduction:
            words.append(f"reduce<{reduction[0]} {reduction[1]}>")
        self.stores.append(Transfer(argument, tile, (where, [0] * walk.rank),
                                    self.finish_options(words, tile), reduction=reduction))

    def plan(self, chained):
        """Decides what is loaded and stored. `chained` are arguments that an earlier section of the
        same walk has written: each unit reads what it wrote itself."""
        rng = self.rng
        for argument in chained[:2]:
            argument.access = "inout"
            argument.seed = argument.seed or rng.randrange(1000)
            self.add_load(argument)
            self.kernel.features.add("chained loops")
        for _ in range(rng.choice([0, 1, 1, 2]) if chained else rng.choice([1, 1, 2, 3])):
            self.add_load(where=rng.choices(["box", "fixed", "table"], [17, 2, 1])[0])
        self.accumulates = rng.random() < 0.5
        style = rng.random()
        if style < 0.25 and not chained:  # load t; change t; store t
            load = rng.choice(self.loads)
            self.add_store(load.tile)
            self.kernel.features.add("in-place tile")
        elif style < 0.35 and self.walk.style != "nested" and not chained:
            # y = f(x, y), box by box; or the same box of the unit in all iterations.
            where = rng.choice(["box", "own"])
            element = rng.choice(self.elements)
            extents = self.walk.own_extents() if where == "own" else self.walk.extents
            argument = self.kernel.argument(element, extents, "inout")
            load = self.add_load(argument, where)
            target = load.tile if rng.random() < 0.5 else self.kernel.tile(element, self.walk)
            self.add_store(target, argument, where)
            self.kernel.features.add("in-place global" if where == "box" else "recurrence")
        stores = rng.choice([0, 1, 1, 1, 2]) if self.stores or self.accumulates else \
            rng.choice([1, 1, 2])
        for _ in range(stores):
            self.add_store(self.kernel.tile(rng.choice(self.elements), self.walk))
        self.plan_again()
        self.plan_before()
        self.exchange = rng.choice([None, None, None, "shuffle", "buffer", "reverse"])
        if not self.accumulates and self.exchange in ("shuffle", "buffer"):
            self.exchange = None
        self.kernel.note(self)
        self.views = Views(self)

    def plan_again(self):
        """A box that is loaded again once it is stored, and stored elsewhere."""
        self.again = []
        plain = [store for store in self.stores if store.offsets[0] == "box" and not store.reduction and
                 self.condition != "store"]
        if not plain or self.rng.random() > 0.15:
            return
        argument = self.rng.choice(plain).argument
        argument.access = "inout"
        argument.seed = argument.seed or self.rng.randrange(1000)
        load = self.add_load(argument)
        load.tile = self.kernel.new_tile(argument.element, self.walk)
        load.options = "" if self.walk.scope == "cta" else f" scope({self.walk.scope})"
        self.loads.remove(load)
        self.add_store(load.tile)
        self.again = [load, self.stores.pop()]
        self.kernel.features.add("loaded again")

    def count_loads(self):
        """Of the loop."""
        return len(self.loads) + bool(self.again)

    def plan_before(self):
        """A tile that is there before the loop, and after it: of memory that nobody writes."""
        loads = [load for load in self.loads if load.argument.access == "in"]
        if not loads or (self.rng.random() > 0.25 and self.condition != "load"):
            self.condition = None if self.condition == "load" else self.condition
            return
        load = self.rng.choice(loads)
        options = load.options.replace(" in_bounds", "")
        self.before.append(Transfer(load.argument, load.tile, ("fixed", [0] * self.walk.rank),
                                    options, load.fill))
        self.kernel.features.add("load before loop")
        if self.condition == "load":
            self.loads.remove(load)
            self.loads.append(load)

    # ===- Transfers --------------------------------------------------------------===#

    def offsets(self, transfer, at):
        where, shifts = transfer.offsets
        body, walk = self.body, self.walk
        if where == "fixed":
            return body.values([0] * walk.rank)
        if where == "own":
            return body.values(walk.own_box())
        if where == "table":
            dim = max(range(walk.rank), key=lambda d: walk.boxes[d])
            place = body.index("remu", self.number, self.table.extents[0])
            entry = body.op(f"memref.load %{self.table.name}[{body.value(place)}] : {self.table.type}")
            entry = body.op(f"arith.index_cast {entry} : i32 to index", "i")
            at = list(at)
            at[dim] = body.index("mul", entry, walk.box[dim])
            return body.values(at)
        box = [body.index("add" if shift >= 0 else "sub", offset, abs(shift))
               for offset, shift in zip(at, shifts)]
        # A constant that went below zero stays one.
        return ", ".join(body.const(o) if isinstance(o, int) else o for o in box)

    def emit_load(self, load, at):
        name, offsets, kind = self.views.memref(load, self.offsets(load, at))
        self.body.line(f"carousel.load {name}[{offsets}] to {load.tile.name}{load.options} : {kind}, "
                       f"{load.tile.type}")

    def emit_store(self, store, at):
        name, offsets, kind = self.views.memref(store, self.offsets(store, at))
        self.body.line(f"carousel.store {store.tile.name} to {name}[{offsets}]{store.options} : "
                       f"{store.tile.type}, {kind}")

    # ===- Elements ---------------------------------------------------------------===#

    def read(self, tile, indices, is_special=False, view=None):
        """`is_special`: elements may be NaN or infinities. `view`: the name and the type to read the tile by."""
        body = self.body
        name, kind = view or (tile.name, tile.type)
        shape = vector(tile.element, self.width)
        operation = "memref.load" if self.width == 1 else "vector.load"
        suffix = "" if self.width == 1 else f", {shape}"
        value = body.op(f"{operation} {name}[{body.values(indices)}] : {kind}{suffix}")
        if is_special:
            value = forget_fill(body, value, tile.element, self.width)
        return convert(body, value, tile.element, self.kind, self.width)

    def write(self, value, tile, indices):
        body = self.body
        value = convert(body, value, self.kind, tile.element, self.width)
        operation = "memref.store" if self.width == 1 else "vector.store"
        suffix = "" if self.width == 1 else f", {vector(tile.element, self.width)}"
        body.line(f"{operation} {value}, {tile.name}[{body.values(indices)}] : {tile.type}{suffix}")

    def indices(self, linear):
        """Of a tile, from the number of an element."""
        body, result = self.body, []
        for extent in reversed(self.walk.tile[1:]):
            result.insert(0, body.index("remu", linear, extent))
            linear = body.index("divu", linear, extent)
        return [linear] + result

    def for_elements(self, carried, emit):
        """Each thread's own elements; emit(indices, linear, carried) gives what is carried on."""
        walk, body, count = self.walk, self.body, product(self.walk.tile)
        first = body.index("mul", walk.lane, self.width)
        with body.loop(first, count, walk.threads * self.width,
                       [(value, self.kind) for value in carried]) as (j, values, loop):
            loop.values = emit(self.indices(j), j, values)
        return loop.results

    def to_scalar(self, value):
        if self.width == 1:
            return value
        return self.body.op(f"vector.extract {value}[{self.rng.randrange(self.width)}] : {self.kind} "
                            f"from {vector(self.kind, self.width)}")

    def compute(self, loads, targets, at, carried, behind=False):
        rng, body = self.rng, self.body
        twist = rng.random() < 0.3

        def emit(indices, linear, values):
            views = [self.views.behind(load.tile, linear) if behind else None for load in loads]
            inputs = [self.read(load.tile, indices, load.fill in SPECIAL, view)
                      for load, view in zip(loads, views)]
            if twist or not inputs:
                number = from_index(body, body.index("add", linear, at[-1]), self.kind)
                inputs.append(broadcast(body, number, self.kind, self.width))
            result = expression(rng, body, inputs, self.kind, self.width)
            for n, tile in enumerate(targets):
                if n:
                    result = combine(rng, body, result, rng.choice(inputs), self.kind, self.width)
                self.write(result, tile, indices)
            if values:
                return [add(body, values[0], self.to_scalar(result), self.kind)]
            return []

        return self.for_elements(carried, emit)

    # ===- Between threads --------------------------------------------------------===#

    def barrier(self):
        self.body.line("gpu.barrier" if self.walk.scope == "cta" else "carousel.barrier.warp")

    def exchange_values(self, carried, tiles):
        """Threads look at what others have; gives what is carried on."""
        body, rng, walk = self.body, self.rng, self.walk
        if walk.scope == "warpgroup" and self.exchange != "shuffle":
            return carried  # it has no barrier of its own at this phase
        if self.exchange == "shuffle" and carried and self.kind in ("f32", "i32"):
            self.kernel.features.add("shuffle")
            offset = body.const(rng.choice([1, 2, 4, 8, 16]), "i32")
            width = body.const(32, "i32")
            other = body.name()
            body.line(f"{other}, {other}_ok = gpu.shuffle xor {carried[0]}, {offset}, {width} : "
                      f"{self.kind}")
            return [add(body, carried[0], other, self.kind)]
        if self.exchange == "buffer" and carried:
            self.kernel.features.add("exchange buffer")
            name, kind = self.kernel.buffer(self.kind)
            near = body.index("add", walk.lane, rng.randrange(1, walk.threads))
            near = body.index("remu", near, walk.threads)
            near = body.index("add", near, walk.first_thread)
            body.line(f"memref.store {carried[0]}, {name}[%thread] : {kind}")
            self.barrier()
            other = body.op(f"memref.load {name}[{near}] : {kind}")
            self.barrier()
            return [add(body, carried[0], other, self.kind)]
        if self.exchange == "reverse" and carried and tiles:
            self.kernel.features.add("other threads' elements")
            tile, width = rng.choice(tiles), self.width
            self.width = 1
            last = product(walk.tile) - 1
            self.barrier()  # what the others wrote

            def emit(_, linear, values):
                mirrored = self.indices(body.index("sub", last, linear))
                value = self.read(tile, mirrored, is_special=is_float(tile.element))
                return [add(body, values[0], value, self.kind)]

            carried = self.for_elements(carried, emit)
            self.barrier()  # before they write again
            self.width = width
        return carried

    # ===- The whole --------------------------------------------------------------===#

    def guarded(self, condition, carried, emit):
        """emit() under a condition; else what is carried stays."""
        body = self.body
        if not carried:
            with body.region(f"scf.if {condition}"):
                emit()
            return []
        name = body.name("r")
        body.line(f"{name} = scf.if {condition} -> ({self.kind}) {{")
        body.depth += 1
        result = emit()
        body.line(f"scf.yield {result[0]} : {self.kind}")
        body.depth -= 1
        body.line("} else {")
        body.line(f"  scf.yield {carried[0]} : {self.kind}")
        body.line("}")
        return [name]

    def make_condition(self, number):
        body, rng = self.body, self.rng
        choice = rng.randrange(3)
        if choice == 0:
            flag = self.kernel.scalar("flag", rng.randrange(2))
            return body.op(f"arith.cmpi ne, {flag}, {body.const(0)} : index")
        if choice == 1 or isinstance(number, int):
            limit = body.const(rng.randrange(1, 9) * self.walk.step_unit())
            return body.op(f"arith.cmpi ult, {body.value(number)}, {limit} : index")
        part = body.index("divu", number, self.walk.step_unit())
        part = body.op(f"arith.remui {body.value(part)}, {body.const(rng.choice([2, 3]))} : index")
        return body.op(f"arith.cmpi eq, {part}, {body.const(0)} : index")

    def iteration(self, number, at, carried):
        """The body of the loop; `at` is the box, `number` counts."""
        targets = list(dict.fromkeys(store.tile for store in self.stores))
        self.number = number
        names = self.views.enter()

        def work():
            values = list(carried)
            for load in self.loads[:-1]:
                self.emit_load(load, at)
            if self.loads and self.condition == "load":
                self.kernel.features.add("load under condition")
                with self.body.region(f"scf.if {self.make_condition(number)}"):
                    self.emit_load(self.loads[-1], at)
            elif self.loads:
                self.emit_load(self.loads[-1], at)
            values = self.compute(self.loads, targets, at, values)
            values = self.exchange_values(values, targets + [load.tile for load in self.loads])
            for store in self.stores:
                if self.condition == "store":
                    self.kernel.features.add("store under condition")
                    with self.body.region(f"scf.if {self.make_condition(number)}"):
                        self.emit_store(store, at)
                else:
                    self.emit_store(store, at)
            if self.again:
                self.emit_load(self.again[0], at)
                self.emit_store(self.again[1], at)
            return values

        if self.condition != "all":
            carried = work()
        else:
            self.kernel.features.add("all under condition")
            carried = self.guarded(self.make_condition(number), carried, work)
        self.views.leave(names)
        return carried

    def emit(self):
        body, walk = self.body, self.walk
        self.views.start()
        for load in self.before:
            self.emit_load(load, [0] * walk.rank)
        carried = []
        if self.accumulates:
            carried = [body.const("0.000000e+00" if is_float(self.kind) else 0, self.kind)]
            self.kernel.features.add("loop-carried value")
        carried = walk.emit(self, carried)
        if self.before and self.accumulates:
            self.kernel.features.add("tile after loop")
            carried = self.compute(self.before[:1], [], [0] * walk.rank, carried, behind=True)
        if carried:
            self.finish(carried[0])

    def finish(self, value):
        """Each thread's value goes to global memory, directly or through a tile."""
        body, kernel, walk = self.body, self.kernel, self.walk
        if self.rng.random() < 0.5:
            result = kernel.argument(self.kind, [kernel.grid * kernel.block], "out", plain=True)
            base = body.index("mul", "%block", kernel.block)
            place = body.index("add", base, "%thread")
            body.line(f"memref.store {value}, %{result.name}[{place}] : {result.type}")
            return
        kernel.features.add("store after loop")
        result = kernel.argument(self.kind, [walk.units * walk.threads], "out")
        tile = kernel.plain_tile(self.kind, walk)
        body.line(f"memref.store {value}, {tile.name}[{body.value(walk.lane)}] : {tile.type}")
        scope = "" if walk.scope == "cta" else f" scope({walk.scope})"
        at = body.value(body.index("mul", walk.unit, walk.threads))
        body.line(f"carousel.store {tile.name} to %{result.name}[{at}]{scope} : {tile.type}, "
                  f"{result.type}")
