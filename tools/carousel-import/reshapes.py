# ===- reshapes.py - reshapes as the tensor dialect has them ---------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Writes reshapes for carousel-import by any front end's Python bindings of MLIR: dimensions that are joined or split."""

import math


def list_groups(long, short):
    """All ways to make the dimensions of `short` of neighbours of `long`, as far as extents are known."""
    if not short:
        return [[]] if all(extent == 1 for extent in long) else []
    found = []
    for count in range(1, len(long) - len(short) + 2):
        own = long[:count]
        isKnown = -1 not in own
        if isKnown != (short[0] != -1) or (isKnown and math.prod(own) != short[0]):
            continue
        if len(short) == 1 and count < len(long):
            continue
        for groups in list_groups(long[count:], short[1:]) if len(short) > 1 else [[]]:
            found.append([list(range(count)), *[[at + count for at in group] for group in groups]])
    return found


def find_groups(long, short):
    """The neighbours of `long` that are one dimension of `short`; None if there are none, or if it isn't sure: both may
    have the same unknown extents in another order, and several unknown extents could be one. One that isn't known is -1."""

    def describe(groups):
        """What of unknown extents is in each group, and by how much it is multiplied."""
        return [([at for at in group if long[at] == -1], math.prod(long[at] for at in group if long[at] != -1))
                for group in groups if any(long[at] == -1 for at in group)]

    if long.count(-1) > 1 and short.count(-1) > 1:
        return None
    found = list_groups(long, short)
    return found[0] if found and all(describe(groups) == describe(found[0]) for groups in found) else None


def is_equal(a, b):
    """Of polynomials, too."""
    difference = a - b
    return bool(difference == 0) or (hasattr(difference, "expand") and difference.expand() == 0)


def pair_groups(given, wanted):
    """The least groups of neighbours with equal products: (how many of the one, how many of the other). None if
    there are none. Extents that aren't known are polynomials of their names."""
    pairs, begin, other = [], 0, 0
    while begin < len(given) and other < len(wanted):
        found = next(((count, many) for total in range(2, len(given) - begin + len(wanted) - other + 1)
                      for count in range(1, total) for many in [total - count]
                      if count <= len(given) - begin and many <= len(wanted) - other
                      and is_equal(math.prod(given[begin:begin + count]), math.prod(wanted[other:other + many]))), None)
        if not found:
            return None
        pairs.append(found)
        begin, other = begin + found[0], other + found[1]
    # Extents of 1 are left, which belong to the last group.
    if pairs:
        pairs[-1] = (pairs[-1][0] + len(given) - begin, pairs[-1][1] + len(wanted) - other)
    return pairs or None


def number(counts):
    """The dimensions of each of the groups of so many neighbours."""
    begins = [sum(counts[:at]) for at in range(len(counts))]
    return [list(range(begin, begin + count)) for begin, count in zip(begins, counts)]


class Reshapes:
    """Ops at the insertion point and location that the caller has set. `ir`: the bindings."""

    def __init__(self, ir):
        self.ir = ir
        self.index = ir.IndexType.get()

    def create(self, name, results, operands, attributes=None):
        return self.ir.Operation.create(name, results=results, operands=operands, attributes=attributes or {}).results

    def constant(self, value):
        return self.create("arith.constant", [self.index], [],
                           {"value": self.ir.IntegerAttr.get(self.index, value)})[0]

    def dim(self, tensor, at):
        return self.create("tensor.dim", [self.index], [tensor, self.constant(at)])[0]

    def shape(self, type):
        type = self.ir.RankedTensorType(type)
        return [-1 if type.is_dynamic_dim(at) else type.shape[at] for at in range(type.rank)]

    def reassociation(self, groups):
        i64 = self.ir.IntegerType.get_signless(64)
        return self.ir.ArrayAttr.get(
            [self.ir.ArrayAttr.get([self.ir.IntegerAttr.get(i64, at) for at in group]) for group in groups])

    def collapse(self, source, groups, type):
        return self.create("tensor.collapse_shape", [type], [source], {"reassociation": self.reassociation(groups)})[0]

    def expand(self, source, groups, type, extents):
        dynamic = [extent for extent, size in zip(extents, self.shape(type)) if size == -1]
        unknown = -(1 << 63)
        sizes = [unknown if size == -1 else size for size in self.shape(type)]
        return self.create("tensor.expand_shape", [type], [source, *dynamic],
                           {"reassociation": self.reassociation(groups),
                            "static_output_shape": self.ir.DenseI64ArrayAttr.get(sizes)})[0]

    def reshapeTo(self, source, type, extents):
        """By a tensor of extents, for dimensions of which neither side is a part of the other."""
        rank = len(self.shape(type))
        shape = self.create("tensor.from_elements", [self.ir.RankedTensorType.get([rank], self.index)], extents)[0]
        return self.create("tensor.reshape", [type], [source, shape])[0]
