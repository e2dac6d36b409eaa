# ===- turns.py - CTAs that add to one box, in turns ------------------------ py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Behind everything else: the CTAs of a segment accumulate a tile each into its box, in turns that follow
tickets or, in co-resident grids, block ids. By transfers or by registers; the last one may read the
result back and store it elsewhere, changed. Of kinds that don't depend on the order some are unordered.
By numbers of its own, so that kernels of earlier seeds stay what they are but for this."""

import random

from .types import REDUCTIONS, SHARED, Workspace, product

KINDS = {**REDUCTIONS, "f32": [("add", "f32")], "f64": [("add", "f64")],
         "f16": [("add", "f16"), ("min", "f16")], "bf16": [("add", "bf16"), ("max", "bf16")]}
ONES = {"f32": "1.0", "f64": "1.0", "i32": "1", "i64": "1", "f16": "1.0", "bf16": "1.0"}


class Turns:
    def __init__(self, kernel):
        self.kernel, self.body = kernel, kernel.body
        self.rng = random.Random(f"{kernel.seed} turns")
        self.wanted = self.rng.random() < 0.2

    def workspace(self, stem, extents, element="i32"):
        argument = Workspace(f"{stem}{len(self.kernel.arguments)}", element, extents)
        self.kernel.arguments.append(argument)
        return argument

    def cut(self, extents):
        """Without the last rows or columns, perhaps."""
        extents = list(extents)
        if self.rng.random() < 0.4:
            dim = self.rng.randrange(len(extents))
            extents[dim] = max(1, extents[dim] - self.rng.randrange(1, self.box[dim] + 1))
            self.kernel.features.add("ragged box of turns")
        return extents

    def argument(self, element, extents, access):
        return self.kernel.argument(element, self.cut(extents), access)

    def plan(self):
        kernel, rng = self.kernel, self.rng
        self.segments = rng.choice([n for n in range(1, kernel.grid + 1) if kernel.grid % n == 0])
        self.count = kernel.grid // self.segments
        self.by_tickets = rng.random() < 0.7
        kernel.coresident = kernel.coresident or not self.by_tickets
        self.trips = rng.choice([1, 1, 2, 3])
        self.element = rng.choice(sorted(KINDS))
        self.reduction = rng.choice(KINDS[self.element])
        self.box = [rng.choice([32, 64, 100, 128, 256])] if rng.random() < 0.5 else \
            [rng.choice([1, 2, 3, 5, 8]), rng.choice([8, 16, 24, 33])]
        exact = self.element.startswith("i") or self.reduction[0] != "add"
        self.unordered = exact and rng.random() < 0.15
        self.reads_back = not self.unordered and rng.random() < 0.5
        words = [f"reduce<{self.reduction[0]} {self.reduction[1]}>", "first(%{first})"]
        if self.reads_back:
            words.append("last(%{last})")
        by_registers = rng.random() < 0.35
        if by_registers:
            words.append("scheme(registers)")
        elif self.reads_back and rng.random() < 0.4:
            words.append("read_back(threads)")
        self.words = " ".join(words)
        kernel.features |= {
            "turns", f"turns of {self.count}", "turns by tickets" if self.by_tickets else "turns by block ids",
            "unordered turns" if self.unordered else "read back" if self.reads_back else "left in memory",
            "accumulated in registers" if by_registers else "accumulated by transfers"}

    def rows(self, boxes):
        """The extents of boxes one below the other."""
        return [boxes * self.box[0]] + self.box[1:]

    def at(self, number):
        return [self.body.index("mul", number, self.box[0])] + [0] * (len(self.box) - 1)

    def change(self, tile, kind):
        """Each thread adds one to its own elements."""
        body, rank = self.body, len(self.box)
        one = body.const(ONES[self.element], self.element)
        with body.loop("%thread", product(self.box), self.kernel.block) as (j, _, _):
            indices = [j] if rank == 1 else [body.index("divu", j, self.box[1]),
                                             body.index("remu", j, self.box[1])]
            where = f"{tile}[{body.values(indices)}] : {kind}"
            value = body.op(f"memref.load {where}")
            operation = "arith.addi" if self.element.startswith("i") else "arith.addf"
            body.line(f"memref.store {body.op(f'{operation} {value}, {one} : {self.element}')}, {where}")

    def emit(self):
        if not self.wanted:
            return
        self.plan()
        kernel, body, rng = self.kernel, self.body, self.rng
        segments = self.segments * self.trips
        source = self.argument(self.element, self.rows(kernel.grid * self.trips), "in")
        extents = self.rows(segments)
        if self.reads_back:
            self.result = self.argument(self.element, extents, "out")
        else:
            box = self.argument(self.element, extents, "inout" if self.unordered else "out")
        trips = kernel.scalar("n", self.trips) if self.trips > 1 else None
        if self.reads_back:  # what is left in memory isn't said
            box = self.workspace("box", self.cut(extents), self.element)
        semaphores = self.workspace("semaphores", [segments, 32] if rng.random() < 0.5 else [segments])
        self.tickets = self.workspace("tickets", [self.trips]) if self.by_tickets else None
        kind = f"memref<{'x'.join(map(str, self.box))}x{self.element}, {SHARED}>"
        tile = body.allocate(kind, body.name("t"))
        body.line("gpu.barrier")
        if trips is None:
            self.turn(0, source, box, semaphores, tile, kind)
            return
        pipeline = rng.choice(["", "", "carousel.pipeline = #carousel.pipeline<stages = 2>"])
        with body.loop(0, trips, 1, attributes=pipeline) as (trip, _, _):
            self.turn(trip, source, box, semaphores, tile, kind)

    def turn(self, trip, source, box, semaphores, tile, kind):
        kernel, body, rng = self.kernel, self.body, self.rng
        number = "%block"
        if self.tickets:
            number = body.op(f"carousel.grid.ticket %{self.tickets.name}[{body.value(trip)}] of "
                             f"{body.const(kernel.grid)} : {self.tickets.type}", "i")
        segment = body.index("add", body.index("mul", trip, self.segments),
                             body.index("remu", number, self.segments))
        turn = body.index("divu", number, self.segments)
        part = body.index("add", body.index("mul", trip, kernel.grid), number)
        body.line(f"carousel.load %{source.name}[{body.values(self.at(part))}] to {tile} : {source.type}, {kind}")
        if rng.random() < 0.6:
            self.change(tile, kind)
        first, last, ended = (body.name("b") for _ in range(3))
        indices = body.values([segment] + [0] * (len(semaphores.extents) - 1))
        order = " order(unordered)" if self.unordered else ""
        words = self.words.format(first=first[1:], last=last[1:])
        begin = f"{ended} = " if self.reads_back else ""
        end = f"}} : {semaphores.type}" + (" -> i1" if self.reads_back else "")
        with body.region(f"{begin}carousel.serialize %{semaphores.name}[{indices}] turn {body.value(turn)} of "
                         f"{body.const(self.count)}{order} ({first}, {last})", end):
            body.line(f"carousel.accumulate {tile} into %{box.name}[{body.values(self.at(segment))}] {words} : "
                      f"{kind}, {box.type}")
            if self.reads_back:
                body.line(f"carousel.pass_turn {last} : i1")
        if self.reads_back:
            with body.region(f"scf.if {ended}"):
                if rng.random() < 0.5:
                    self.change(tile, kind)
                body.line(f"carousel.store {tile} to %{self.result.name}[{body.values(self.at(segment))}] : "
                          f"{kind}, {self.result.type}")
