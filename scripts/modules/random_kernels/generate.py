# ===- generate.py - random kernels of the tile phase ----------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""A kernel of one seed: one to three sections, its arguments, its buffers. What it gives doesn't
depend on the order in which threads, CTAs and engines act."""

import random

from .handover import Handover
from .sections import Section
from .text import Body
from .turns import Turns
from .types import ELEMENTS, SHARED, WEIGHTS, Argument, Kernel, Scalar, Tile, product, row_strides


class Generator:
    def __init__(self, seed):
        self.seed, self.rng, self.body = seed, random.Random(seed), Body()
        self.features, self.arguments = set(), []
        self.tiles, self.buffers, self.attributions = [], {}, []
        self.section = 0
        self.coresident = False  # are all CTAs on the device at once?
        self.reuse = False  # may a section take the tiles of one before?
        self.block = self.rng.choice([32, 64, 64, 96, 128, 128, 160, 256])
        self.grid = self.rng.choice([1, 1, 2, 2, 3, 4, 5, 6])
        # Rows in multiples of 16 bytes, which tensor maps need.
        self.wide_rows = self.rng.random() < 0.5
        self.dynamic_views, self.shared_bytes = self.rng.random() < 0.1, 0

    # ===- What sections ask for ---------------------------------------------------===#

    def element(self, choices):
        return self.rng.choices(choices, [WEIGHTS[choice] for choice in choices])[0]

    def argument(self, element, extents, access, plain=False):
        """A new memref of global memory. `plain`: threads index it, and it is contiguous."""
        rng = self.rng
        dynamic = [not plain and rng.random() < 0.6 for _ in extents]
        strides, layout, padded = row_strides(extents), "", False
        unit = 16 // ELEMENTS[element][0] if self.wide_rows else 1
        if not plain and len(extents) > 1 and (rng.random() < 0.4 or strides[-2] % unit):
            # Rows with room behind them, or a layout that only the caller knows.
            rows = -(-(strides[-2] + rng.choice([0, 1, 3, 4, 8])) // unit) * unit
            strides = [s // max(strides[-2], 1) * rows if dim < len(extents) - 1 else 1
                       for dim, s in enumerate(strides)]
            known = rng.random() < 0.4
            listed = ", ".join("1" if dim == len(extents) - 1 else str(s) if known else "?"
                               for dim, s in enumerate(strides))
            layout, padded = f"strided<[{listed}]>", True
            self.features.add("strided rows")
        if any(dynamic):
            self.features.add("dynamic extents")
        name = f"{'x' if access == 'in' else 'y'}{len(self.arguments)}"
        argument = Argument(name, element, list(extents), strides, dynamic, access,
                            rng.randrange(1000), padded, layout)
        self.arguments.append(argument)
        self.features.add(element)
        return argument

    def scalar(self, stem, number):
        argument = Scalar(f"{stem}{len(self.arguments)}", number)
        self.arguments.append(argument)
        return "%" + argument.name

    def buffer(self, kind):
        """One element for each thread."""
        if kind not in self.buffers:
            text = f"memref<{self.block}x{kind}, {SHARED}>"
            self.buffers[kind] = (self.allocate(text), text)
        return self.buffers[kind]

    def allocate(self, text):
        """Shared memory: a workgroup attribution or an allocation at the top."""
        if self.rng.random() < 0.15:
            name = self.body.name("w")
            self.attributions.append(f"{name}: {text}")
            return name
        return self.body.allocate(text, self.body.name("t"))

    def tile(self, element, walk):
        """A tile of the walk's extents, new or of an earlier section."""
        # Each section has its own way to give elements to threads: between two, there is a barrier.
        same = [tile for tile in self.tiles if tile.element == element and
                tile.extents == walk.tile and (tile.section == self.section or
                                               (self.reuse and tile.walk.scope == walk.scope))]
        if same and self.rng.random() < 0.3:
            self.features.add("shared tile")
            return self.rng.choice(same)
        return self.new_tile(element, walk)

    def new_tile(self, element, walk):
        extents, rng = walk.tile, self.rng
        padded = len(extents) > 1 and rng.random() < 0.08
        room = extents[:-1] + [extents[-1] + rng.choice([1, 4])] if padded else extents
        return self.make_tile(element, extents, room, walk, padded)

    def plain_tile(self, element, walk):
        """One element for each thread of a unit."""
        return self.make_tile(element, [walk.threads], [walk.threads], walk, False)

    def make_tile(self, element, extents, room, walk, padded):
        body, rng = self.body, self.rng
        parts = [] if walk.scope == "cta" else [walk.per_cta]
        shape = "x".join(map(str, parts + room))
        whole = f"memref<{shape}x{element}, {SHARED}>"
        buffer = body.name("t")
        nbytes = product(parts + room) * ELEMENTS[element][0]
        if self.dynamic_views and rng.random() < 0.5:
            self.features.add("dynamic shared memory")
            base = body.op_at_top("gpu.dynamic_shared_memory : "
                                  f"memref<?xi8, {SHARED}>")
            offset = body.const(self.shared_bytes)
            self.shared_bytes += -(-nbytes // 128) * 128
            body.line(f"{buffer} = memref.view {base}[{offset}][] : memref<?xi8, {SHARED}> to {whole}")
        elif not padded and is_small(nbytes) and rng.random() < 0.15:
            self.attributions.append(f"{buffer}: {whole}")
        else:
            body.allocate(whole, buffer)
        if not parts and not padded:
            tile = Tile(buffer, element, extents, whole)
        else:
            strides = row_strides(room)
            open_ = ", offset: ?" if parts else ""
            kind = (f"memref<{'x'.join(map(str, extents))}x{element}, "
                    f"strided<[{', '.join(map(str, strides))}]{open_}>, {SHARED}>")
            sizes = ", ".join(map(str, [1] * len(parts) + extents))
            ones = ", ".join(["1"] * (len(parts) + len(extents)))

            def take(number):
                offsets = ", ".join([number] * len(parts) + ["0"] * len(extents))
                return body.op(f"memref.subview {buffer}[{offsets}] [{sizes}] [{ones}] : {whole} to "
                               f"{kind}", "s")

            tile = Tile(take(walk.part), element, extents, kind, padded)
            tile.part = take if parts else None
            self.features.add("padded tile" if padded else "part of a buffer")
        tile.walk, tile.section, tile.strides = walk, self.section, row_strides(room)
        self.tiles.append(tile)
        return tile

    def note(self, section):
        self.features.add(f"{len(section.loads)} loads")
        self.features.add(f"{len(section.stores)} stores")
        if section.width > 1:
            self.features.add("vectors")

    # ===- The kernel -------------------------------------------------------------===#

    def generate(self):
        body, rng = self.body, self.rng
        count = rng.choice([1, 1, 1, 2, 2, 3])
        before = None
        for number in range(count):
            self.section = number
            if number:
                self.reuse = rng.random() < 0.5
                if self.reuse or rng.random() < 0.2:
                    body.line("gpu.barrier")
            chained = before is not None and before.written and rng.random() < 0.5
            section = Section(self, before.walk if chained else None)
            section.plan(before.written if chained else [])
            section.emit()
            before = section
        self.features.add(f"{count} sections")
        Handover(self).emit()
        Turns(self).emit()
        return Kernel(f"k{self.seed}", self.seed, self.print(), self.arguments, self.features)

    def print(self):
        declared = ",\n      ".join(argument.declare() for argument in self.arguments)
        shared = f"\n      workgroup({', '.join(self.attributions)})" if self.attributions else ""
        launch = f"grid = [{self.grid}], block = [{self.block}]"
        if self.shared_bytes:
            launch += f", shared = {self.shared_bytes}"
        attributes = "carousel.coresident, " if self.coresident else ""
        ids = ["%thread = gpu.thread_id x", "%block = gpu.block_id x"]
        return f"""// {', '.join(sorted(self.features))}
{SHARED} = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>
gpu.module @m{self.seed} {{
  gpu.func @k{self.seed}(
      {declared}){shared} kernel
      attributes {{{attributes}carousel.launch = #carousel.launch<{launch}>}} {{
{chr(10).join('    ' + line for line in ids)}
{self.body.text()}
    gpu.return
  }}
}}
"""


def is_small(nbytes):
    """Attributions are at most 48 KB in all."""
    return nbytes <= 4096


def generate(seed):
    return Generator(seed).generate()
