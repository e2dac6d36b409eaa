# ===- views.py - transfers and accesses through views ---------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Some transfers of a section go through a cast or a subview of their memref, made before the loop or
in it; some parts of buffers are taken in the loop; and some tiles are read through a view behind it.
In every fourth kernel, by numbers of its own: the others, and what the seeds that tests name have
found, stay what they are."""

import random
from dataclasses import dataclass

from .types import GLOBAL, SHARED, row_strides


@dataclass
class Part:
    """A memref of global memory: a value, and what its type is made of."""
    name: str
    element: str
    extents: list  # numbers
    dynamic: list
    strides: list  # text
    layout: str
    type: str


def spell(element, extents, dynamic, layout):
    dims = "".join(("?" if open_ else str(extent)) + "x" for extent, open_ in zip(extents, dynamic))
    return f"memref<{dims}{element}{', ' + layout if layout else ''}, {GLOBAL}>"


def whole(argument):
    """The argument itself."""
    if argument.layout:
        strides = argument.layout[len("strided<["):-len("]>")].split(", ")
    else:
        # Known as long as the extents further in are.
        known = row_strides(argument.extents)
        strides = [str(stride) if not any(argument.dynamic[dim + 1:]) else "?"
                   for dim, stride in enumerate(known)]
    return Part("%" + argument.name, argument.element, argument.extents, argument.dynamic, strides,
                argument.layout, argument.type)


class Views:
    def __init__(self, section):
        self.section, self.kernel, self.body = section, section.kernel, section.body
        kernel = self.kernel
        self.rng = random.Random(f"{kernel.seed} views {len(kernel.arguments)} {len(kernel.tiles)}")
        self.outside, self.inside, self.parts, self.is_behind = {}, set(), [], False
        if kernel.seed % 4 != 2:
            return
        for transfer in section.loads + section.stores:
            self.choose(transfer)
        tiles = dict.fromkeys(t.tile for t in section.loads + section.stores)
        for tile in tiles:
            if tile.part and self.rng.random() < 0.5:
                self.parts.append(tile)
        self.is_behind = self.rng.random() < 0.7

    def choose(self, transfer):
        where, shifts = transfer.offsets
        if self.rng.random() < 0.2:
            self.outside[transfer] = self.rng.choice(["cast", "subview"])
        # A box that begins outside of the memref has no view.
        if where in ("box", "fixed", "own") and not any(shifts) and self.rng.random() < 0.25:
            self.inside.add(transfer)

    # ===- Global memory ----------------------------------------------------------===#

    def start(self):
        """Before the loop: the views that are made there."""
        body, kernel, rng = self.body, self.kernel, self.rng
        for transfer, kind in self.outside.items():
            base = whole(transfer.argument)
            dynamic = [rng.random() < 0.5 for _ in base.extents]
            if kind == "cast":
                kernel.features.add("global cast before loop")
                target = spell(base.element, base.extents, dynamic, base.layout)
                name = base.name if target == base.type else \
                    body.op(f"memref.cast {base.name} : {base.type} to {target}", "g")
                strides = base.strides
                if not base.layout:
                    known = row_strides(base.extents)
                    strides = [str(stride) if not any(dynamic[dim + 1:]) else "?"
                               for dim, stride in enumerate(known)]
                view = Part(name, base.element, base.extents, dynamic, strides, base.layout, target)
            else:
                kernel.features.add("global view before loop")
                # Nothing says that it is none.
                offset = kernel.scalar("o", 0)
                view = self.subview(base, [offset] + ["0"] * (len(base.extents) - 1),
                                    [str(extent) for extent in base.extents],
                                    [False] * len(base.extents))
            self.outside[transfer] = view

    def subview(self, base, offsets, sizes, dynamic):
        layout = f"strided<[{', '.join(base.strides)}], offset: ?>"
        target = spell(base.element, base.extents, dynamic, layout)
        ones = ", ".join(["1"] * len(offsets))
        name = self.body.op(f"memref.subview {base.name}[{', '.join(offsets)}] [{', '.join(sizes)}] "
                            f"[{ones}] : {base.type} to {target}", "g")
        return Part(name, base.element, base.extents, dynamic, base.strides, layout, target)

    def memref(self, transfer, offsets):
        """What the transfer names: a memref, offsets in it, and its type."""
        body = self.body
        base = self.outside.get(transfer) or whole(transfer.argument)
        if transfer not in self.inside:
            return base.name, offsets, base.type
        self.kernel.features.add("global view in loop")
        begin = offsets.split(", ")
        # From the box on to the end.
        rest = [body.op(f"arith.subi {body.const(extent)}, {offset} : index", "i")
                for extent, offset in zip(base.extents, begin)]
        view = self.subview(base, begin, rest, [True] * len(rest))
        return view.name, body.values([0] * len(rest)), view.type

    # ===- Tiles --------------------------------------------------------------------===#

    def enter(self):
        """In an iteration: takes parts of buffers anew; gives what `leave` puts back."""
        names = [(tile, tile.name) for tile in self.parts]
        for tile in self.parts:
            self.kernel.features.add("part taken in loop")
            number = self.body.index("divu", "%thread", tile.walk.threads)
            tile.name = tile.part(self.body.value(number))
        return names

    @staticmethod
    def leave(names):
        for tile, name in names:
            tile.name = name

    def behind(self, tile, linear):
        """The tile's name and type where it is read behind the loop."""
        if not self.is_behind or tile.swizzle:
            return tile.name, tile.type
        self.kernel.features.add("tile view behind loop")
        body, extents = self.body, tile.extents
        # Zero, but nobody sees it: elements have numbers below.
        zero = body.op(f"arith.divui {body.value(linear)}, {body.const(1 << 20)} : index", "i")
        kind = (f"memref<{'x'.join(map(str, extents))}x{tile.element}, "
                f"strided<[{', '.join(map(str, tile.strides))}], offset: ?>, {SHARED}>")
        offsets = ", ".join([zero] + ["0"] * (len(extents) - 1))
        name = body.op(f"memref.subview {tile.name}[{offsets}] [{', '.join(map(str, extents))}] "
                       f"[{', '.join(['1'] * len(extents))}] : {tile.type} to {kind}", "s")
        return name, kind
