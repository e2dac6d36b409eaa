# ===- walk.py - who takes which boxes -------------------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""The loops of a section, and which boxes of the index space each unit (CTA, warpgroup or warp)
takes. No two units take the same box. A walk may be used by several sections."""

import random

from .types import product

THREADS = {"warp": 32, "warpgroup": 128}
MOST_ELEMENTS = 512  # of a tile, of all units of a CTA together


class Walk:
    def __init__(self, kernel):
        self.kernel, self.rng, self.body = kernel, kernel.rng, kernel.body
        rng = self.rng
        scopes = ["cta"] * 6 + ["warp"] * 2 + ["warpgroup"] * 2 * (kernel.block % 128 == 0)
        self.scope = rng.choice(scopes)
        self.threads = THREADS.get(self.scope, kernel.block)
        self.per_cta = kernel.block // self.threads
        self.units = self.per_cta * kernel.grid
        self.name_units()
        self.rank = rng.choice([1, 1, 2, 2, 3, 4])
        self.tile = self.choose_tile(rng.randrange(1, self.rank + 1))
        self.style = self.choose_style()
        self.stages = rng.choice([None, None, 1, 2, 2, 3, 4, 5, 6])
        self.choose_extents()

    def name_units(self):
        body = self.body
        if self.scope == "cta":
            self.lane, self.unit, self.first_thread, self.part = "%thread", "%block", 0, 0
            return
        self.lane = body.index("remu", "%thread", self.threads)
        self.part = body.index("divu", "%thread", self.threads)
        self.first_thread = body.index("mul", self.part, self.threads)
        self.unit = body.index("add", body.index("mul", "%block", self.per_cta), self.part)

    def choose_tile(self, rank):
        rng, most = self.rng, MOST_ELEMENTS // self.per_cta
        inner = [n for n in (4, 5, 8, 12, 16, 16, 32, 32, 64, 128, 256) if n <= most]
        tile = [rng.choice(inner)]
        for _ in range(rank - 1):
            room = most // product(tile)
            tile.insert(0, rng.choice([n for n in (1, 2, 3, 4, 8, 8, 16) if n <= max(room, 1)]))
        return tile

    def choose_style(self):
        styles = ["linear", "linear", "chunk", "stepped", "stepped", "straight"]
        return self.rng.choice(styles + ["nested"] * 2 * (self.rank > 1))

    def choose_extents(self):
        """Boxes in each dimension, so that a unit makes `trips` turns or so, and the extents, whose
        last boxes are ragged."""
        rng = self.rng
        most = 3 * (self.stages or 3)
        trips = rng.choice([0, 1, 2, rng.randint(0, most), rng.randint(0, most)])
        target = max(0, self.units * trips - rng.randrange(self.units))
        self.boxes = [1] * self.rank
        if self.style == "nested":
            self.outer, self.inner = rng.sample(range(self.rank), 2)
            self.boxes[self.outer] = max(1, rng.randrange(2 * self.units + 1))
            self.boxes[self.inner] = max(1, min(trips, 6))
            target = product(self.boxes)
        elif self.style == "stepped":
            self.outer = rng.randrange(self.rank)
            self.boxes[self.outer] = max(1, target)
        else:
            if self.style == "straight":
                target = max(1, self.units - rng.randrange(2))
            for dim in range(1, self.rank):
                self.boxes[dim] = rng.choice([1, 1, 2, 3])
            self.boxes[0] = max(1, -(-target // product(self.boxes)))
            rng.shuffle(self.boxes)
        self.total = product(self.boxes)
        self.limit = min(target, self.total)
        self.box = [1] * (self.rank - len(self.tile)) + self.tile
        ragged = rng.random() < 0.6
        self.extents = [n * t - (rng.randrange(t) if ragged else 0)
                        for n, t in zip(self.boxes, self.box)]

    def is_exact(self, extents):
        """Whether all boxes lie inside."""
        return all(extent >= n * t for extent, n, t in zip(extents, self.boxes, self.box))

    def own_extents(self):
        """Of an argument with one box for each unit."""
        return [self.units] + self.tile

    def own_box(self):
        return [self.unit] + [0] * len(self.tile)

    def step_unit(self):
        return self.box[self.outer] if self.style == "stepped" else 1

    # ===- Loops ------------------------------------------------------------------===#

    def place(self, number):
        """The offsets of box `number`."""
        body, result = self.body, []
        for dim in reversed(range(self.rank)):
            if self.boxes[dim] == 1:
                result.insert(0, 0)
                continue
            rest = product(self.boxes[:dim])
            part = number if rest == 1 else body.index("remu", number, self.boxes[dim])
            number = body.index("divu", number, self.boxes[dim])
            result.insert(0, body.index("mul", part, self.box[dim]))
        return result

    def extent(self, section, dim):
        """The extent of the index space: from an argument that has it, or a constant."""
        transfers = [t for t in section.loads + section.stores
                     if t.argument.extents == self.extents]
        if not transfers:
            return self.extents[dim]
        argument = self.rng.choice(transfers).argument
        return self.body.op(f"memref.dim %{argument.name}, {self.body.const(dim)} : {argument.type}")

    def bound(self, section):
        """The number of boxes that are taken."""
        body = self.body
        if self.limit != self.total:
            return self.kernel.scalar("n", self.limit)
        if self.rng.random() < 0.3:
            return self.limit
        total = 1
        for dim in range(self.rank):
            boxes = body.op(f"arith.ceildivui {body.value(self.extent(section, dim))}, "
                            f"{body.const(self.box[dim])} : index")
            total = body.index("mul", total, boxes)
        return total

    def pipeline(self, loads):
        """#carousel.pipeline<...> of a loop with so many loads, or nothing."""
        rng = self.rng
        if rng.random() < 0.1:
            return ""
        fields = []
        stages = self.stages
        if stages or rng.random() < 0.3:
            fields.append(f"stages = {stages or 'auto'}")
        if rng.random() < 0.4:
            distance = rng.randrange(stages) if stages and rng.random() < 0.8 else "auto"
            fields.append(f"prefetch = {distance}")
        specialized = self.scope == "cta" and rng.random() < 0.35
        if specialized:
            fields.append("mode = specialized")
            if rng.random() < 0.3:
                fields.append(f"producers = {rng.choice([1, 2])}")
        elif rng.random() < 0.2:
            fields.append("mode = unified")
        if self.scope != "cta":
            fields.append(f"scope = {self.scope}")
        releases = {"cta": ["cta_barrier"] * (not specialized), "warp": ["warp_barrier"],
                    "warpgroup": []}[self.scope] + ["empty_barrier", "auto"]
        if rng.random() < 0.4:
            fields.append(f"release = {rng.choice(releases)}")
        rng.shuffle(fields)
        self.add_later_fields(fields, loads, specialized)
        for field in fields:
            self.kernel.features.add(field)
        return f"carousel.pipeline = #carousel.pipeline<{', '.join(fields)}>"

    def add_later_fields(self, fields, loads, specialized):
        """What pipelines were given after the seeds of tests: by numbers of its own, so that those
        kernels stay what they are but for these fields."""
        rng = random.Random(f"{self.kernel.seed} {len(self.kernel.features)} {fields}")
        if loads > 1 and rng.random() < 0.3:
            counts = [rng.choice([1, 2, 2, 3, 4, 5, "auto"]) for _ in range(loads)]
            if any(field.startswith("prefetch") for field in fields):
                counts[rng.randrange(loads)] = max(self.stages or 3, 3)
            fields[:] = [field for field in fields if not field.startswith("stages")]
            fields.append(f"stages = [{', '.join(map(str, counts))}]")
        if not specialized and rng.random() < 0.5:
            fields.append(f"epilogue = {rng.choice(['peeled', 'predicated', 'auto'])}")
        if rng.random() < 0.7:
            fields.append(f"stores = {rng.choice(['shared', 'shared', 'registers'])}")
        if rng.random() < 0.2:
            fields.append(f"store_slots = {rng.choice([1, 2, 3])}")

    def emit(self, section, carried):
        self.kernel.features |= {self.style, f"scope {self.scope}", f"rank {self.rank}",
                                 f"tile rank {len(self.tile)}"}
        return getattr(self, "emit_" + self.style)(section, carried)

    def run_loop(self, section, carried, bounds, at, attributes=None):
        """One loop around an iteration; at(number) gives the offsets."""
        kinds = [(value, section.kind) for value in carried]
        attributes = self.pipeline(section.count_loads()) if attributes is None else attributes
        carries_place = self.rng.random() < 0.08
        if carries_place:
            # The place is carried from turn to turn, not computed from the loop's variable.
            self.kernel.features.add("loop-carried offset")
            kinds.append((self.body.value(bounds[0]), "index"))
        with self.body.loop(*bounds, kinds, attributes) as (number, values, loop):
            if carries_place:
                number = values.pop()
            loop.values = section.iteration(number, at(number), values)
            if carries_place:
                loop.values.append(self.body.op(
                    f"arith.addi {number}, {self.body.value(bounds[2])} : index", "i"))
        return loop.results[:len(carried)]

    def emit_linear(self, section, carried):
        bounds = (self.unit, self.bound(section), self.units)
        return self.run_loop(section, carried, bounds, self.place)

    def emit_chunk(self, section, carried):
        """Each unit takes boxes in a row."""
        body = self.body
        upper, size = self.bound(section), max(1, -(-self.limit // self.units))
        first = body.index("mul", self.unit, size)
        last = body.op(f"arith.minui {body.index('add', first, size)}, {body.value(upper)} : index")
        return self.run_loop(section, carried, (first, last, 1), self.place)

    def emit_stepped(self, section, carried):
        """The loop counts elements, as in examples/tile."""
        body, size = self.body, self.box[self.outer]
        upper = self.extent(section, self.outer)
        if self.limit != self.total:
            upper = self.kernel.scalar("n", min(self.limit * size, self.extents[self.outer]))

        def at(number):
            return [number if dim == self.outer else 0 for dim in range(self.rank)]

        first = body.index("mul", self.unit, size)
        return self.run_loop(section, carried, (first, upper, self.units * size), at)

    def emit_straight(self, section, carried):
        """No loop: a box for each unit, as far as there are some."""
        if self.total >= self.units:
            return section.iteration(self.unit, self.place(self.unit), carried)
        body = self.body
        some = body.op(f"arith.cmpi ult, {self.unit}, {body.const(self.total)} : index")
        return section.guarded(some, carried, lambda: section.iteration(
            self.unit, self.place(self.unit), carried))

    def emit_nested(self, section, carried):
        """A persistent loop around the pipelined one, or around any of both."""
        body, rng = self.body, self.rng
        inner_size = self.box[self.inner]
        where = rng.choice(["inner", "inner", "outer", "both"])
        kinds = [(value, section.kind) for value in carried]
        rows = self.boxes[self.outer]
        columns = self.extent(section, self.inner)
        with body.loop(self.unit, rows, self.units, kinds,
                       "" if where == "inner" else self.pipeline(
                           section.count_loads() if where == "outer" else 0)) as (row, values, outer):
            start = body.index("mul", row, self.box[self.outer])

            def at(number):
                result = [0] * self.rank
                result[self.outer], result[self.inner] = start, number
                return result

            outer.values = self.run_loop(section, values, (0, columns, inner_size), at,
                                         "" if where == "outer" else None)
        return outer.results
