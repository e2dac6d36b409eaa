# ===- handover.py - warps that take what other warps left ------------------ py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Behind the sections: warps or warpgroups load and store a box each, meet the others at a barrier of
the whole block, and go on with what was another one's: its box of global memory, or its part of the
buffer, which they load to or write. In the end the block may store the buffer as one tile. By numbers
of its own, so that kernels of earlier seeds stay what they are but for this."""

import random

from .types import SHARED
from .walk import THREADS

ONES = {"f32": "1.0", "i32": "1", "f16": "1.0"}


class Handover:
    def __init__(self, kernel):
        self.kernel, self.body = kernel, kernel.body
        self.rng = random.Random(f"{kernel.seed} handover")
        scopes = [s for s in THREADS if kernel.block % THREADS[s] == 0 and kernel.block > THREADS[s]]
        self.scope = self.rng.choice(scopes) if scopes and self.rng.random() < 0.2 else None

    def transfer(self, kind, argument, offsets, tile, type_, scope=None):
        scope = self.scope if scope is None else scope
        options = "" if scope == "cta" else f" scope({scope})"
        at = f"%{argument.name}[{self.body.values(offsets)}]"
        if kind == "load":
            self.body.line(f"carousel.load {at} to {tile}{options} : {argument.type}, {type_}")
        else:
            self.body.line(f"carousel.store {tile} to {at}{options} : {type_}, {argument.type}")

    def part(self, buffer, number):
        """The part of the buffer that belongs to a unit of the block."""
        return self.body.op(f"memref.subview {buffer}[{self.body.value(number)}, 0] [1, {self.size}] [1, 1] : "
                            f"{self.whole} to {self.piece}", "s")

    def argument(self, access):
        return self.kernel.argument(self.element, [self.kernel.grid * self.count, self.size], access)

    def emit(self):
        if not self.scope:
            return
        kernel, body, rng = self.kernel, self.body, self.rng
        threads = THREADS[self.scope]
        self.element, self.size = rng.choice(sorted(ONES)), rng.choice([32, 64, 96, 128])
        self.count = kernel.block // threads
        self.whole = f"memref<{self.count}x{self.size}x{self.element}, {SHARED}>"
        self.piece = f"memref<{self.size}x{self.element}, strided<[1], offset: ?>, {SHARED}>"
        body.line("gpu.barrier")
        own, lane = body.index("divu", "%thread", threads), body.index("remu", "%thread", threads)
        other = body.index("remu", body.index("add", own, rng.randrange(1, self.count)), self.count)
        first = body.index("mul", "%block", self.count)
        here, there = body.index("add", first, own), body.index("add", first, other)
        source, left, result = self.argument("in"), self.argument("inout"), self.argument("out")
        buffer, second = (body.allocate(self.whole, body.name("t")) for _ in range(2))
        mine, taken = self.part(buffer, own), self.part(buffer, other)
        if rng.random() < 0.5:
            taken = self.part(second, own)
        ways = rng.sample(["box", "refill", "write"], rng.choice([1, 2]))
        warp_barrier = rng.random() < 0.3
        trips = rng.choice([1, 2, 3])
        with body.loop(0, kernel.scalar("n", trips), 1):
            self.transfer("load", source, [here, 0], mine, self.piece)
            self.transfer("store", left, [here, 0], mine, self.piece)
            body.line("gpu.barrier")
            if warp_barrier:
                body.line("carousel.barrier.warp")
            for way in ways:
                if way == "write":
                    one = body.const(ONES[self.element], self.element)
                    with body.loop(lane, self.size, threads) as (j, _, _):
                        body.line(f"memref.store {one}, {taken}[{j}] : {self.piece}")
                else:
                    self.transfer("load", left if way == "box" else source, [there, 0], taken, self.piece)
            self.transfer("store", result, [there, 0], taken, self.piece)
            body.line("gpu.barrier")
        if rng.random() < 0.5:
            at_end = self.argument("out")
            self.transfer("load", source, [here, 0], mine, self.piece)
            self.transfer("store", at_end, [first, 0], buffer, self.whole, "cta")
            kernel.features.add("parts stored as one")
        kernel.features |= {"handover", f"scope {self.scope}"} | {f"handover by {way}" for way in ways}
