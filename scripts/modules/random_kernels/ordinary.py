# ===- ordinary.py - loops of ordinary code that keep their rings ----------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Kernels with one pipelined loop over tiles, whose loads need more than an induction variable to run ahead:
calls, reductions of the CTA and reports in the loop; parts and other shapes of a buffer; offsets that a loaded
tile holds; sources in branches; stores into the memref that is loaded from. A kernel's result doesn't depend
on the order of its CTAs: with several of them, each stores boxes that no other one loads."""

import random

from .text import Body
from .types import GLOBAL, SHARED, Argument, Kernel, Scalar, product

ELEMENTS = ["i32", "i32", "i32", "i16"]  # the last is too narrow for cp.async
IDS = 4  # numbers of tiles in a tile of them


class Generator:
    def __init__(self, seed):
        self.seed, self.rng, self.body = seed, random.Random(f"ordinary {seed}"), Body()
        rng = self.rng
        self.type = rng.choice(ELEMENTS)
        self.threads = rng.choice([32, 64, 64, 96])
        self.width = rng.choice([1, 2, 4])
        self.elements = self.threads * self.width
        self.tiles = rng.choice([0, 1, 2, 3, 5, 7])
        self.view = rng.choice(["whole", "whole", "expanded", "collapsed", "parts", "nested parts"])
        self.source = rng.choice(["box", "box", "box", "gathered", "gathered in a branch", "branches", "condition"])
        self.target = rng.choice(["other", "other", "parts", "in place", "same box", "alias", "shift", "halves"])
        self.functions, self.arguments = [], []
        # The CTAs of a kernel that shifts would race.
        self.grid = 1 if self.target in ("shift", "halves") else rng.choice([1, 1, 2, 3])
        self.stores_source = self.target in ("in place", "same box", "alias", "shift", "halves")
        moves = self.target in ("shift", "halves")
        if (self.stores_source and self.source.startswith("gathered")) or (moves and self.source == "condition"):
            self.source = "box"
        # Does an iteration store before it reads what it has loaded?
        self.stores_first = self.target != "in place" and rng.random() < 0.2
        self.features = {self.type, f"view: {self.view}", f"source: {self.source}", f"target: {self.target}"}

    # ===- Arguments ---------------------------------------------------------------===#

    def memref(self, name, extent, access, **options):
        argument = Argument(name, self.type, [extent], [1], [True], access, self.rng.randrange(1000), **options)
        self.arguments.append(argument)
        return argument

    def scalar(self, name, number):
        scalar = Scalar(name, number)
        self.arguments.append(scalar)
        return "%" + scalar.name

    def declare_arguments(self):
        rng, extent = self.rng, max(self.tiles, 1) * self.elements
        room = extent + 4 * self.elements if self.target in ("shift", "halves") else extent
        self.x = self.memref("x", room, "inout" if self.stores_source and self.target != "alias" else "in")
        self.w = self.memref("w", extent, "in")
        if self.target == "alias":
            self.y = self.memref("y", room, "out", may_alias=0, same_as=rng.choice(["x", None]))
            if self.y.same_as:
                self.x.access = self.y.access = "inout"
        elif self.stores_source:
            self.y = self.x
        else:
            self.y = self.memref("y", room, "out")
        self.z = Argument("z", self.type, [self.grid * self.threads], [1], [False], "out")
        self.table = Argument("table", self.type, [self.threads], [1], [False], "in", rng.randrange(1000))
        self.ids = Argument("ids", "i32", [max(self.tiles, 1) * IDS], [1], [True], "in", rng.randrange(1000))
        self.arguments += [self.z, self.table, self.ids]
        self.count = self.scalar("n", self.tiles)
        # Elements: nothing, parts of a tile, tiles. Some distances let no load run ahead.
        steps = [0, self.width, self.elements // 2, self.elements, 2 * self.elements, 4 * self.elements]
        self.distance = self.scalar("s", rng.choice(steps))

    # ===- The loop's body ---------------------------------------------------------===#

    def define(self, name, text):
        if text not in self.functions:
            self.functions.append(text)
        return f"func.call @{name}"

    def call(self, value):
        """A function of the thread's value that touches no tile."""
        body, kind = self.body, self.type
        which = self.rng.choice(["pure", "table", "note", "nested"])
        self.features.add(f"call: {which}")
        pure = self.define("mix", f"""func.func private @mix(%v: {kind}) -> {kind} {{
    %c5 = arith.constant 5 : {kind}
    %r = arith.muli %v, %c5 : {kind}
    return %r : {kind}
  }}""")
        if which == "pure":
            return body.op(f"{pure}({value}) : ({kind}) -> {kind}")
        table, note = self.table.type, self.z.type
        lookup = self.define("lookup", f"""func.func private @lookup(%m: {table}, %i: index, %v: {kind}) -> {kind} {{
    %e = memref.load %m[%i] : {table}
    %r = arith.addi %e, %v : {kind}
    return %r : {kind}
  }}""")
        if which == "table":
            return body.op(f"{lookup}(%table, %thread, {value}) : ({table}, index, {kind}) -> {kind}")
        if which == "note":
            self.define("note", f"""func.func private @note(%m: {note}, %i: index, %v: {kind}) {{
    memref.store %v, %m[%i] : {note}
    return
  }}""")
            body.line(f"func.call @note(%z, {self.own_z}, {value}) : ({note}, index, {kind}) -> ()")
            return value
        self.define("both", f"""func.func private @both(%m: {table}, %i: index, %v: {kind}) -> {kind} {{
    %a = func.call @lookup(%m, %i, %v) : ({table}, index, {kind}) -> {kind}
    %r = func.call @mix(%a) : ({kind}) -> {kind}
    return %r : {kind}
  }}""")
        return body.op(f"func.call @both(%table, %thread, {value}) : ({table}, index, {kind}) -> {kind}")

    def compute(self, value):
        """Of a value of the thread's own, anything that doesn't order what it reads."""
        body, rng, kind = self.body, self.rng, self.type
        for _ in range(rng.choice([0, 1, 1, 2])):
            what = rng.choice(["call", "call", "reduce", "assert", "arithmetic"])
            if what == "call":
                value = self.call(value)
            elif what == "reduce" and kind == "i32":
                self.features.add("all_reduce")
                total = body.op(f"gpu.all_reduce add {value} uniform {{}} : ({kind}) -> {kind}")
                value = body.op(f"arith.addi {value}, {total} : {kind}")
            elif what == "assert":
                self.features.add("assert")
                below = body.op(f"arith.cmpi ult, %thread, {body.const(self.threads)} : index")
                body.line(f'cf.assert {below}, "threads have numbers below the block\'s"')
            else:
                value = body.op(f"arith.muli {value}, {body.const(3, kind)} : {kind}")
        return value

    def buffer(self, name, shape):
        kind = f"memref<{'x'.join(map(str, shape))}x{self.type}, {SHARED}>"
        return self.body.allocate(kind, name), kind

    def shape(self):
        """Of the input's buffer."""
        if self.view == "whole" or self.view == "expanded":
            return [self.elements]
        if self.view == "collapsed":
            return [self.threads, self.width]
        return [2, self.elements // 2] if self.view == "parts" else [2, 1, self.elements // 2]

    def take_part(self, buffer, kind, shape, number):
        """A half of a buffer in two parts, as a tile of one dimension."""
        body, half = self.body, self.elements // 2
        flat = f"memref<{half}x{self.type}, strided<[1], offset: {number * half}>, {SHARED}>"
        lead = ", ".join([str(number)] + ["0"] * (len(shape) - 1))
        if len(shape) == 2:
            return body.op(f"memref.subview {buffer}[{lead}] [1, {half}] [1, 1] : {kind} to {flat}", "p"), flat
        inner = (f"memref<1x{half}x{self.type}, strided<[{half}, 1], offset: {number * half}>, {SHARED}>")
        part = body.op(f"memref.subview {buffer}[{lead}] [1, 1, {half}] [1, 1, 1] : {kind} to {inner}", "p")
        return body.op(f"memref.subview {part}[0, 0] [1, {half}] [1, 1] : {inner} to {flat}", "p"), flat

    def take_flat(self, buffer, kind, shape):
        """The whole buffer as one row."""
        flat = f"memref<{self.elements}x{self.type}, {SHARED}>"
        if kind == flat:
            return buffer, flat
        dims = ", ".join(map(str, range(len(shape))))
        return self.body.op(f"memref.collapse_shape {buffer} [[{dims}]] : {kind} into {flat}", "f"), flat

    # ===- Loads and stores --------------------------------------------------------===#

    def emit_loads(self, memref, first):
        """From `first` on, into the tile or its parts."""
        body, kind = self.body, memref.type
        if "parts" not in self.view:
            tile, tile_type = self.take_flat(self.tile, self.tile_type, self.shape())
            body.line(f"carousel.load %{memref.name}[{first}] to {tile} : {kind}, {tile_type}")
            return
        for number, (part, flat) in enumerate(self.parts):
            at = body.value(body.index("add", first, number * (self.elements // 2)))
            body.line(f"carousel.load %{memref.name}[{at}] to {part} : {kind}, {flat}")

    def emit_gathered(self, number):
        body = self.body
        at = body.value(body.index("mul", number, IDS))
        body.line(f"carousel.load %ids[{at}] to %idt : {self.ids.type}, memref<{IDS}xi32, {SHARED}>")
        slot = body.const(self.rng.randrange(IDS))
        found = body.op(f"memref.load %idt[{slot}] : memref<{IDS}xi32, {SHARED}>")
        wide = body.op(f"arith.index_castui {found} : i32 to index")
        tile = body.op(f"arith.remui {wide}, {body.const(max(self.tiles, 1))} : index")
        return body.op(f"arith.muli {tile}, {body.const(self.elements)} : index")

    def emit_source(self, number, first):
        body, rng = self.body, self.rng
        if self.source.startswith("gathered"):
            row = self.emit_gathered(number)
            if self.source == "gathered":
                return self.emit_loads(self.x, row)
            return self.emit_branches(number, (self.x, row), (self.w, first))
        if self.target == "shift":
            first = body.op(f"arith.addi {first}, {self.distance} : index")
        if self.source == "box":
            return self.emit_loads(self.x, first)
        if self.source == "branches":
            return self.emit_branches(number, (self.x, first), (self.w, self.first))
        # The tile is accessed under the same condition.
        self.condition = self.emit_condition(number)
        with body.region(f"scf.if {self.condition}"):
            self.emit_loads(self.x, first)
        return None

    def emit_condition(self, number):
        body = self.body
        if self.rng.random() < 0.5:
            rest = body.index("remu", number, 2)
            return body.op(f"arith.cmpi eq, {rest}, {body.const(0)} : index")
        return body.op(f"arith.cmpi ult, {number}, {body.const(2)} : index")

    def emit_branches(self, number, *sources):
        body = self.body
        with body.region(f"scf.if {self.emit_condition(number)}", "} else {"):
            self.emit_loads(*sources[0])
        body.depth += 1
        self.emit_loads(*sources[1])
        body.depth -= 1
        body.line("}")

    def element(self, tile, kind, lane, place):
        """`[...]` of an element of the thread `lane` in a tile, through the view."""
        body = self.body
        if tile == self.tile and self.view == "expanded":
            return f"{self.expanded}[{lane}, {body.const(place)}] : {self.expanded_type}"
        at = body.value(body.index("add", body.index("mul", lane, self.width), place))
        flat, flat_type = self.take_flat(tile, kind, self.shape()) if tile == self.tile else (tile, kind)
        return f"{flat}[{at}] : {flat_type}"

    def emit_compute(self, in_place):
        """Reads the tile, and writes the one that is stored."""
        body, kind = self.body, self.type
        total = None
        for place in range(self.width):
            if self.stores_first:
                own = body.op(f"arith.index_cast %thread : index to {kind}")
            else:
                own = body.op(f"memref.load {self.element(self.tile, self.tile_type, '%thread', place)}")
            value = body.op(f"arith.muli {own}, {body.const(7 + place, kind)} : {kind}")
            # Another thread's element, which nobody writes before the next load.
            if not in_place and not self.stores_first and self.rng.random() < 0.5:
                other = body.op(f"memref.load {self.element(self.tile, self.tile_type, '%other', place)}")
                value = body.op(f"arith.addi {value}, {other} : {kind}")
            if self.condition is None:
                value = self.compute(value)
            target = self.tile if in_place else "%out"
            target_type = self.tile_type if in_place else self.out_type
            body.line(f"memref.store {value}, {self.element(target, target_type, '%thread', place)}")
            total = value if total is None else body.op(f"arith.xori {total}, {value} : {kind}")
        return total

    def emit_stores(self, tile, kind, first):
        body, memref = self.body, self.y
        if self.target == "halves":
            first = body.op(f"arith.addi {first}, {self.distance} : index")
        if self.target != "parts":
            flat, flat_type = (self.take_flat(tile, kind, self.shape()) if tile == self.tile else (tile, kind))
            body.line(f"carousel.store {flat} to %{memref.name}[{first}] : {flat_type}, {memref.type}")
            return
        half = self.elements // 2
        for number in range(2):
            flat = f"memref<{half}x{self.type}, strided<[1], offset: {number * half}>, {SHARED}>"
            part = body.op(f"memref.subview %out[{number * half}] [{half}] [1] : {kind} to {flat}", "p")
            at = body.value(body.index("add", first, number * half))
            body.line(f"carousel.store {part} to %{memref.name}[{at}] : {flat}, {memref.type}")

    # ===- The kernel --------------------------------------------------------------===#

    def draw_pipeline(self):
        rng = self.rng
        stages = rng.choice([2, 2, 3, 4])
        fields = [f"stages = {stages}"]
        if rng.random() < 0.3:
            fields.append("mode = specialized")
            self.features.add("specialized")
        elif rng.random() < 0.3:
            fields.append(f"epilogue = {rng.choice(['peeled', 'predicated'])}")
        if rng.random() < 0.2:
            fields.append(f"prefetch = {rng.randrange(stages)}")
        return f"carousel.pipeline = #carousel.pipeline<{', '.join(fields)}>"

    def emit_body(self, number, carried):
        body = self.body
        first = self.first = body.op(f"arith.muli {number}, {body.const(self.elements)} : index")
        self.condition = None
        self.emit_source(number, first)
        in_place = self.target == "in place"
        tile, kind = (self.tile, self.tile_type) if in_place else ("%out", self.out_type)
        if self.condition is not None:
            with body.region(f"scf.if {self.condition}"):
                self.emit_compute(in_place)
                self.emit_stores(tile, kind, first)
            return carried
        total = self.emit_compute(in_place)
        self.emit_stores(tile, kind, first)
        if self.stores_first:
            self.features.add("stores first")
            late = body.op(f"memref.load {self.element(self.tile, self.tile_type, '%other', 0)}")
            total = body.op(f"arith.xori {total}, {late} : {self.type}")
        return body.op(f"arith.addi {carried}, {total} : {self.type}")

    def emit(self):
        body = self.body
        body.line(f"%other = arith.subi {body.const(self.threads - 1)}, %thread : index")
        at = body.op(f"arith.muli %block, {body.const(self.threads)} : index")
        self.own_z = body.op(f"arith.addi {at}, %thread : index")
        self.tile, self.tile_type = self.buffer("%in", self.shape())
        self.out, self.out_type = self.buffer("%out", [self.elements])
        body.allocate(f"memref<{IDS}xi32, {SHARED}>", "%idt")
        if self.view == "expanded":
            self.expanded_type = f"memref<{self.threads}x{self.width}x{self.type}, {SHARED}>"
            self.expanded = body.op(
                f"memref.expand_shape %in [[0, 1]] output_shape [{self.threads}, {self.width}] : "
                f"{self.tile_type} into {self.expanded_type}", "e")
        if "parts" in self.view:
            self.parts = [self.take_part("%in", self.tile_type, self.shape(), part) for part in range(2)]
        start = body.const(0, self.type)
        with body.loop("%block", self.count, self.grid, [(start, self.type)],
                       self.draw_pipeline()) as (number, values, loop):
            loop.values = [self.emit_body(number, values[0])]
        if not any(feature == "call: note" for feature in self.features):
            body.line(f"memref.store {loop.results[0]}, %z[{self.own_z}] : {self.z.type}")

    def generate(self):
        self.declare_arguments()
        self.emit()
        if "call: note" in self.features:
            self.z.access = "inout"  # a thread without tiles leaves its element
        declared = ",\n      ".join(argument.declare() for argument in self.arguments)
        functions = "".join(f"  {text}\n" for text in self.functions)
        text = f"""// {', '.join(sorted(self.features))}
{SHARED} = #gpu.address_space<workgroup>
{GLOBAL} = #gpu.address_space<global>
gpu.module @m{self.seed} {{
{functions}  gpu.func @k{self.seed}(
      {declared}) kernel
      attributes {{carousel.launch = #carousel.launch<grid = [{self.grid}], block = [{self.threads}]>}} {{
    %thread = gpu.thread_id x
    %block = gpu.block_id x
{self.body.text()}
    gpu.return
  }}
}}
"""
        return Kernel(f"k{self.seed}", self.seed, text, self.arguments, self.features)


def generate(seed):
    return Generator(seed).generate()
