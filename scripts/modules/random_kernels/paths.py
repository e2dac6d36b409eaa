# ===- paths.py - accesses around regions that may not run ------------------ py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Kernels of a few buffers whose loops and branches may run zero times: transfers, and accesses of
threads to their own and to other threads' elements, before, in and after them. A barrier stands where
the accesses of this run need one, and mostly nowhere else: what orders two accesses on one path may be
a transfer, and on another path a barrier."""

import random

from .text import Body
from .types import GLOBAL, SHARED, Argument, Kernel, Scalar

ELEMENTS = ["i32", "i32", "i16"]  # the last is too narrow for cp.async
BOXES = 6  # of each global memref; trip counts are smaller


class Node:
    """An access, a barrier or a region op. `blocks` are the regions of one."""

    def __init__(self, kind, buffer=None, blocks=(), **details):
        self.kind, self.buffer, self.blocks = kind, buffer, list(blocks)
        self.__dict__.update(details)


class Race(Exception):
    def __init__(self, node, block, earlier):
        super().__init__()
        self.node, self.block, self.earlier = node, block, earlier


class Run:
    """One execution: which accesses the threads have not ordered yet. Elements are those of the
    thread itself (own) and of a thread of the same scope (other)."""

    def __init__(self, body):
        self.writes, self.reads = {}, {}  # by buffer: the (node, block) of the last
        self.block(body, [])

    def block(self, block, counters):
        for node in block:
            getattr(self, "do_" + node.kind)(node, block, counters)

    def do_write(self, node, block, _):
        if node.buffer in self.reads:
            raise Race(node, block, self.reads[node.buffer])
        self.writes[node.buffer] = (node, block)

    def do_own(self, _node, _block, _counters):
        pass

    def do_other(self, node, block, _):
        if node.buffer in self.writes:
            raise Race(node, block, self.writes[node.buffer])
        self.reads[node.buffer] = (node, block)

    def do_load(self, node, _block, _counters):
        self.writes.pop(node.buffer, None)
        self.reads.pop(node.buffer, None)

    def do_store(self, node, _block, _counters):
        # Who knows of the transfer knows of the writes before it, and not of the reads.
        # Of global memory they may be other boxes than those that threads access.
        self.writes.pop(node.buffer, None)

    def do_barrier(self, _node, _block, _counters):
        self.writes.clear()
        self.reads.clear()

    def do_for(self, node, _block, counters):
        for number in range(node.trips):
            self.block(node.blocks[0], counters + [number])

    do_while = do_for

    def do_if(self, node, _block, counters):
        taken = node.test(counters)
        if taken or len(node.blocks) > 1:
            self.block(node.blocks[0 if taken else 1], counters)

    def do_switch(self, node, _block, counters):
        self.block(node.blocks[min(node.taken, len(node.blocks) - 1)], counters)

    def do_execute(self, node, _block, counters):
        self.block(node.blocks[0], counters)


def has_transfer(block):
    """Whether a transfer would belong to a pipeline around `block`."""
    return any(node.kind in ("load", "store") or
               any(has_transfer(inner) for inner in node.blocks if not getattr(node, "pipeline", ""))
               for node in block)


class Generator:
    def __init__(self, seed):
        self.seed, self.rng = seed, random.Random(f"paths {seed}")
        rng = self.rng
        self.type = random.Random(f"paths element {seed}").choice(ELEMENTS)
        self.scope = rng.choice(["cta"] * 4 + ["warp"])
        self.block = rng.choice([32, 64, 64, 96])
        self.threads = 32 if self.scope == "warp" else self.block
        self.parts = self.block // self.threads
        # Of the whole kernel, and of loops that have one to themselves, which makes it a ring's.
        self.buffers = ["a", "b", "c"][:rng.choice([1, 1, 2, 2, 3])]
        self.inner, self.most = [], rng.choice([5, 8, 12, 20])
        self.features, self.scalars, self.count = {f"scope {self.scope}", self.type}, [], 0
        self.locals = []
        # Loops with a pipeline of a kernel mostly agree in their mode.
        self.specialized = self.scope == "cta" and rng.random() < 0.7
        # Threads access global memory through views of their own, whose second element is the next thread's.
        self.has_views = random.Random(f"paths views {seed}").random() < 0.4
        self.folds = random.Random(f"paths folds {seed}")
        self.body = Body()

    # ===- Drawing a kernel --------------------------------------------------------===#

    def scalar(self, number):
        scalar = Scalar(f"n{len(self.scalars)}", number)
        self.scalars.append(scalar)
        return "%" + scalar.name

    def draw_access(self, loops):
        rng = self.rng
        kind = rng.choices(["write", "own", "other", "load", "store"], [4, 2, 4, 3, 4])[0]
        local = self.inner and self.inner[-1] and kind != "load" and rng.random() < 0.5
        node = Node(kind, self.inner[-1] if local else rng.choice(self.buffers))
        if kind in ("write", "own", "other") and rng.random() < (0.4 if self.has_views else 0.12):
            node.buffer = "g"
        if kind == "load":
            node.source = rng.choice(["x", "x", "x", "g"])
        if kind == "store":
            node.target = rng.choice(["y", "y", "y", "g"])
            node.reduces = node.target == "y" and rng.random() < 0.15 and self.type == "i32"
        node.moves = bool(loops) and rng.random() < 0.6  # with the innermost loop
        return node

    def draw_loop(self, kind, depth, loops):
        """A pipelined one mostly has a buffer of its own, which is loaded, or written and stored."""
        rng = self.rng
        node = Node(kind, trips=rng.choice([0, 0, 1, 1, 2, 3, 4]), known=rng.random() < 0.2,
                    pipeline=self.draw_pipeline() if kind == "for" else "")
        node.local = f"own{self.count}" if node.pipeline and rng.random() < 0.8 else None
        self.inner.append(node.local)
        block = self.draw_block(depth + 1, loops + 1)
        self.inner.pop()
        if node.local:
            self.locals.append(node.local)
            if rng.random() < 0.8:
                block.insert(0, Node("load", node.local, source="x", moves=True))
            else:
                block.insert(0, Node("write", node.local))
                block.append(Node("store", node.local, target="y", moves=True, reduces=False))
        elif not has_transfer(block):
            node.pipeline = ""
        node.blocks = [block]
        return node

    def draw_folded(self):
        """A pipelined loop whose only transfer is in a loop that folds away."""
        rng, buffer = self.folds, self.folds.choice(self.buffers)
        scope = "" if self.scope == "cta" else f", scope = {self.scope}"

        def pipeline():
            return f"carousel.pipeline = #carousel.pipeline<stages = {rng.choice([1, 2, 3])}{scope}>"

        transfer = Node("load", buffer, source="x", moves=True) if rng.random() < 0.6 else \
            Node("store", buffer, target="y", moves=True, reduces=False)
        gone = Node("for", trips=0, known=True, pipeline=pipeline() if rng.random() < 0.5 else "", blocks=[[transfer]])
        around = [Node(rng.choice(["own", "write", "other"]), rng.choice(self.buffers)) for _ in range(rng.choice([0, 1, 2]))]
        around.insert(rng.randrange(len(around) + 1), gone)
        self.features.add("folded loop")
        return Node("for", trips=rng.choice([0, 1, 3]), known=rng.random() < 0.3, pipeline=pipeline(), blocks=[around])

    def draw_region(self, depth, loops):
        rng = self.rng
        kind = rng.choices(["for", "while", "if", "switch", "execute"], [8, 2, 4, 2, 1])[0]
        self.features.add(kind)
        if kind in ("for", "while"):
            return self.draw_loop(kind, depth, loops)
        if kind == "if":
            blocks = [self.draw_block(depth + 1, loops) for _ in range(rng.choice([1, 1, 2]))]
            way = rng.choice(["always", "never", "first", "odd"] if loops else ["always", "never"])
            tests = {"always": lambda _: True, "never": lambda _: False,
                     "first": lambda c: c[-1] == 0, "odd": lambda c: c[-1] % 2 == 1}
            return Node(kind, blocks=blocks, way=way, test=tests[way])
        if kind == "switch":
            blocks = [self.draw_block(depth + 1, loops) for _ in range(rng.choice([2, 3]))]
            return Node(kind, blocks=blocks, taken=rng.randrange(3))
        return Node(kind, blocks=[self.draw_block(depth + 1, loops)])

    def draw_pipeline(self):
        rng = self.rng
        if rng.random() < 0.35:
            return ""
        stages = rng.choice([1, 2, 2, 3, 4])
        fields = [f"stages = {stages}"]
        if self.specialized and rng.random() < 0.8:
            fields.append("mode = specialized")
            self.features.add("specialized")
        elif rng.random() < 0.3:
            fields.append(f"epilogue = {rng.choice(['peeled', 'predicated'])}")
        if rng.random() < 0.3:
            fields.append(f"prefetch = {rng.randrange(stages)}")
        if self.scope != "cta":
            fields.append(f"scope = {self.scope}")
        if rng.random() < 0.2 and "mode = specialized" not in fields:
            fields.append(f"release = {rng.choice([self.scope + '_barrier', 'empty_barrier'])}")
        return f"carousel.pipeline = #carousel.pipeline<{', '.join(fields)}>"

    def draw_block(self, depth, loops):
        rng, block = self.rng, []
        for _ in range(rng.choice([1, 2, 2, 3, 3, 4]) + (depth == 0)):
            self.count += 1
            if depth < 3 and self.count < self.most and rng.random() < (0.6 if depth == 0 else 0.25):
                block.append(self.draw_region(depth, loops))
            else:
                block.append(self.draw_access(loops))
        return block

    def draw(self):
        """The tree, with barriers where this run needs them."""
        rng = self.rng
        top = [Node("write", buffer) if rng.random() < 0.7 else
               Node("load", buffer, source="x", moves=False) for buffer in self.buffers]
        if self.specialized:
            top.append(self.draw_loop("for", 0, 0))
        top += self.draw_block(0, 0)
        if self.folds.random() < 0.15:
            top.insert(self.folds.randrange(len(self.buffers), len(top) + 1), self.draw_folded())
        places = []
        while True:
            try:
                Run(top)
                break
            except Race as race:
                # Right before the later access, or right behind the earlier one.
                barrier = Node("barrier")
                node, block = (race.node, race.block) if rng.random() < 0.6 else race.earlier
                at = next(i for i, other in enumerate(block) if other is node)
                block.insert(at if node is race.node else at + 1, barrier)
                places.append((block, barrier))
        rng.shuffle(places)
        for block, barrier in places:
            at = next(i for i, other in enumerate(block) if other is barrier)
            del block[at]
            try:
                Run(top)
            except Race:
                block.insert(at, barrier)
        self.add_barriers(top)
        return top

    def add_barriers(self, top):
        """Some that no access needs: what lowering leaves out may rely on them."""
        rng, blocks = random.Random(f"paths barriers {self.seed}"), [top]
        for block in blocks:
            blocks += [inner for node in block for inner in node.blocks]
        for _ in range(rng.choice([0, 0, 0, 1, 2])):
            block = rng.choice(blocks)
            block.insert(rng.randrange(len(block) + 1), Node("barrier"))

    # ===- Text --------------------------------------------------------------------===#

    def tile(self, buffer):
        return f"%{buffer}_tile" if self.parts > 1 else f"%{buffer}"

    def element(self, buffer, own):
        """`[...]` of the thread's own element or of another one's."""
        lane = self.lane if own else self.other
        if buffer == "g" and self.has_views:
            return f"%g_view[{self.body.const(int(not own))}] : {self.view_type}"
        if buffer == "g":
            first = self.body.index("add", self.base, lane)
            return f"%g[{first}] : {self.global_type}"
        indices = f"{self.unit}, {lane}" if self.parts > 1 else lane
        return f"%{buffer}[{indices}] : {self.buffer_type}"

    def box(self, node, counters):
        """The first element of a transfer's box, of the unit's own part of the memref."""
        if node.moves and counters:
            number = counters[-1]
        else:
            number = node.box = getattr(node, "box", None) or self.rng.randrange(BOXES)
        first = self.body.index("mul", number, self.threads)
        return self.body.value(self.body.index("add", self.base, first))

    def emit_block(self, block, value, counters):
        for node in block:
            value = getattr(self, "emit_" + node.kind)(node, value, counters)
        return value

    def emit_write(self, node, value, _):
        element = self.element(node.buffer, True)
        self.body.line(f"memref.store {value}, {element}")
        return value

    def emit_read(self, node, value, own):
        body = self.body
        read = body.op(f"memref.load {self.element(node.buffer, own)}")
        scaled = body.op(f"arith.muli {value}, {body.const(3, self.type)} : {self.type}")
        return body.op(f"arith.addi {scaled}, {read} : {self.type}")

    def emit_own(self, node, value, _):
        return self.emit_read(node, value, True)

    def emit_other(self, node, value, _):
        return self.emit_read(node, value, False)

    def options(self):
        return "" if self.scope == "cta" else f" scope({self.scope})"

    def emit_load(self, node, value, counters):
        memref = f"%{node.source}[{self.box(node, counters)}]"
        self.body.line(f"carousel.load {memref} to {self.tile(node.buffer)}{self.options()} : "
                       f"{self.global_type}, {self.tile_type}")
        return value

    def emit_store(self, node, value, counters):
        memref = f"%{node.target}[{self.box(node, counters)}]"
        reduce = " reduce<add u32>" if node.reduces else ""
        self.body.line(f"carousel.store {self.tile(node.buffer)} to {memref}{self.options()}{reduce} : "
                       f"{self.tile_type}, {self.global_type}")
        return value

    def emit_barrier(self, _node, value, _counters):
        if self.scope == "warp" and self.rng.random() < 0.5:
            self.body.line("carousel.barrier.warp")
        else:
            self.body.line("gpu.barrier")
        return value

    def bound(self, node):
        return node.trips if node.known else self.scalar(node.trips)

    def emit_for(self, node, value, counters):
        with self.body.loop(0, self.bound(node), 1, [(value, self.type)],
                            node.pipeline) as (number, values, loop):
            loop.values = [self.emit_block(node.blocks[0], values[0], counters + [number])]
        return loop.results[0]

    def emit_while(self, node, value, counters):
        body = self.body
        result, number, inner = body.name("w"), body.name("i"), body.name("a")
        taken, carried = body.name("i"), body.name("a")
        upper, zero, one = body.value(self.bound(node)), body.const(0), body.const(1)
        kinds = f"index, {self.type}"
        body.line(f"{result}:2 = scf.while ({number} = {zero}, {inner} = {value}) : ({kinds}) -> ({kinds}) {{")
        body.depth += 1
        more = body.op(f"arith.cmpi ult, {number}, {upper} : index")
        body.line(f"scf.condition({more}) {number}, {inner} : {kinds}")
        body.depth -= 1
        with body.region("} do", "}"):
            body.depth -= 1
            body.line(f"^bb0({taken}: index, {carried}: {self.type}):")
            body.depth += 1
            last = self.emit_block(node.blocks[0], carried, counters + [taken])
            following = body.op(f"arith.addi {taken}, {one} : index", "i")
            body.line(f"scf.yield {following}, {last} : {kinds}")
        return f"{result}#1"

    def condition(self, node, counters):
        body = self.body
        if node.way in ("always", "never"):
            given = self.scalar(int(node.way == "always"))
            return body.op(f"arith.cmpi ne, {given}, {body.const(0)} : index")
        if node.way == "first":
            return body.op(f"arith.cmpi eq, {counters[-1]}, {body.const(0)} : index")
        rest = body.index("remu", counters[-1], 2)
        return body.op(f"arith.cmpi eq, {rest}, {body.const(1)} : index")

    def emit_if(self, node, value, counters):
        body, result = self.body, self.body.name("r")
        with body.region(f"{result} = scf.if {self.condition(node, counters)} -> ({self.type})", "} else {"):
            last = self.emit_block(node.blocks[0], value, counters)
            body.line(f"scf.yield {last} : {self.type}")
        body.depth += 1
        last = self.emit_block(node.blocks[1], value, counters) if len(node.blocks) > 1 else value
        body.line(f"scf.yield {last} : {self.type}")
        body.depth -= 1
        body.line("}")
        return result

    def emit_switch(self, node, value, counters):
        body, result = self.body, self.body.name("r")
        body.line(f"{result} = scf.index_switch {self.scalar(node.taken)} -> {self.type}")
        heads = [f"case {i}" for i in range(len(node.blocks) - 1)] + ["default"]
        for head, block in zip(heads, node.blocks):
            with body.region(head):
                last = self.emit_block(block, value, counters)
                body.line(f"scf.yield {last} : {self.type}")
        return result

    def emit_execute(self, node, value, counters):
        body, result = self.body, self.body.name("r")
        with body.region(f"{result} = scf.execute_region -> {self.type}"):
            last = self.emit_block(node.blocks[0], value, counters)
            body.line(f"scf.yield {last} : {self.type}")
        return result

    def emit_head(self):
        body = self.body
        self.unit, self.lane = 0, "%thread"
        if self.parts > 1:
            self.unit, self.lane = (body.index("divu", "%thread", 32), body.index("remu", "%thread", 32))
        self.other = body.index("sub", body.const(self.threads - 1), self.lane)
        self.base = body.index("mul", self.unit, self.threads * BOXES)
        start = body.op(f"arith.index_cast %thread : index to {self.type}")
        if self.has_views:
            self.view_type = f"memref<2x{self.type}, strided<[1], offset: ?>, {GLOBAL}>"
            first = body.index("add", self.base, self.lane)
            body.line(f"%g_view = memref.subview %g[{first}] [2] [1] : {self.global_type} to {self.view_type}")
            self.features.add("views of threads")
        for buffer in self.buffers + self.locals:
            body.allocate(self.buffer_type, f"%{buffer}")
            if self.parts > 1:
                body.line(f"%{buffer}_tile = memref.subview %{buffer}[{self.unit}, 0] [1, {self.threads}] "
                          f"[1, 1] : {self.buffer_type} to {self.tile_type}")
        return start

    def generate(self):
        tree = self.draw()
        extents = [self.parts * BOXES * self.threads]
        arguments = [Argument("x", self.type, extents, [1], [False], "in", self.rng.randrange(1000)),
                     Argument("g", self.type, extents, [1], [False], "inout", self.rng.randrange(1000)),
                     Argument("y", self.type, extents, [1], [False], "inout", self.rng.randrange(1000)),
                     Argument("z", self.type, [self.block], [1], [False], "out")]
        self.global_type = arguments[0].type
        if self.parts > 1:
            self.buffer_type = f"memref<{self.parts}x{self.threads}x{self.type}, {SHARED}>"
            self.tile_type = f"memref<{self.threads}x{self.type}, strided<[1], offset: ?>, {SHARED}>"
        else:
            self.buffer_type = self.tile_type = f"memref<{self.threads}x{self.type}, {SHARED}>"
        value = self.emit_block(tree, self.emit_head(), [])
        self.body.line(f"memref.store {value}, %z[%thread] : {arguments[3].type}")
        arguments += self.scalars
        declared = ",\n      ".join(argument.declare() for argument in arguments)
        text = f"""// {', '.join(sorted(self.features))}
{SHARED} = #gpu.address_space<workgroup>
{GLOBAL} = #gpu.address_space<global>
gpu.module @m{self.seed} {{
  gpu.func @k{self.seed}(
      {declared}) kernel
      attributes {{carousel.launch = #carousel.launch<grid = [1], block = [{self.block}]>}} {{
    %thread = gpu.thread_id x
{self.body.text()}
    gpu.return
  }}
}}
"""
        return Kernel(f"k{self.seed}", self.seed, text, arguments, self.features)


def generate(seed):
    return Generator(seed).generate()
