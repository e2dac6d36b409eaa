# ===- memory.py - what kernels read and write ------------------------ py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Tensors of arguments, views of them, and tiles of shared memory: all are read and written by slices."""

from __future__ import annotations

import copy
import re
from collections.abc import Sequence
from typing import Any, Optional, TypeVar, Union

from .._numbers import FLOATS, INTEGERS, Number
from .trace import Listed, Node, Region, Trace, TraceError, Type
from .values import INDEX, Operand, Value, as_value, find_linear, make, suggest_element, type_name

GLOBAL, SHARED, PEER = ("#gpu.address_space<global>", "#gpu.address_space<workgroup>", "#nvvm.memory_space<shared_cluster>")
ELEMENTS = (*INTEGERS, *FLOATS, "f8E8M0FNU")
ANNOTATION = re.compile(r"\s*(?:(in|out|inout|workspace)\s+)?(?:(symmetric|peer|multicast)\s+)?(contiguous\s+)?(\w+)\s*"
                        r"(?:\[([^\[\]]*)\])?\s*(?:strides\s*\[([^\[\]]*)\]\s*)?")
# Types that hardware combines atomically: sums of integers have the same bits with and without a sign.
ORDERED = {"i32": "s32", "i64": "s64", "f16": "f16", "bf16": "bf16"}
REDUCTIONS = {"add": {"i32": "s32", "i64": "u64", "f16": "f16", "bf16": "bf16", "f32": "f32", "f64": "f64"}, "max": ORDERED,
              "min": ORDERED}
Self = TypeVar("Self", bound="Memory")


def describe_operand(value: object) -> str:
    return str(value.type) if isinstance(value, (Memory, Value)) else type_name(value)


def split_extents(text: str) -> list[str]:
    """At commas that aren't in parentheses."""
    return [part.strip() for part in re.split(r",(?![^(]*\))", text) if part.strip()]


class Memory(Listed):
    """What is read and written by slices: `x[i, :1024]`, `y[i:i + 64, j:j + 64] = v`. A slice has as many elements as the
    vector; a number takes one, which the tensor must have. Elements of slices beyond a tensor read as 0, and aren't
    written."""

    def __init__(self, node: Node, name: str, dtype: str, extents: Sequence[Union[int, str]], *, is_writable: bool,
                 strides: Optional[Sequence[Optional[int]]] = None, space: str = GLOBAL):
        self.node, self.name, self.dtype = node, name, dtype
        self.extents = list(extents)  # names are those of extents that each launch chooses
        self.strides = strides  # None: contiguous; an entry that is None is known at the launch only
        self.is_writable, self.space = is_writable, space
        self.padding: Number = 0
        self.reduction = ""  # by which writes combine their elements with those of the memory
        self.table = ""  # the name of the table that names rows
        self.is_inside = space != GLOBAL  # whether accesses end with the memory; a tile of shared memory has nothing beyond
        self.layout = ""  # which thread has which element of what is read

    @property
    def type(self) -> str:
        return str(self.node.type)

    def _key(self) -> tuple[Any, ...]:
        """What a function that takes it depends on."""
        return self.type, tuple(self.extents), self.is_writable, repr(self.padding), self.reduction, self.table, self.layout, self.is_inside

    def _with(self: Self, node: Node, **changes: Any) -> Self:
        """The same with another value of MLIR."""
        made = copy.copy(self)
        made.__dict__.update(changes, node=node)
        return made

    @property
    def shape(self) -> tuple[Union[int, Value], ...]:
        """Extents: numbers of Python where they are fixed."""
        return tuple(extent if isinstance(extent, int) else self._extent(dim) for dim, extent in enumerate(self.extents))

    def _extent(self, dim: int) -> Value:
        name = str(self.extents[dim])
        return make(f"memref.dim {{0}}, {{1}} : {self.type}", [Value(self.node), as_value(dim, INDEX)], INDEX,
                    name if name.isidentifier() else "extent")

    def pad(self: Self, value: Number) -> Self:
        """The same memory, whose elements beyond the end read as `value`."""
        return self._with(self.node, padding=value)

    def in_bounds(self: Self) -> Self:
        """The same memory, for slices that end before it does: nothing checks them."""
        return self._with(self.node, is_inside=True)

    def with_layout(self: Self, *, register: Sequence[Sequence[int]], lane: Sequence[Sequence[int]],
                    warp: Sequence[Sequence[int]]) -> Self:
        """The same memory, of which reads give each thread the elements that a layout says (docs/BlockPhase.md). The compiler
        chooses one without it."""
        parts = {"register": register, "lane": lane, "warp": warp}
        for name, bases in parts.items():
            if not all(isinstance(base, Sequence) and all(isinstance(place, int) for place in base) for base in bases):
                raise TraceError(f"with_layout: expected lists of coordinates as {name}, got {bases}")
        spelt = ", ".join(f"{name} = {[list(base) for base in bases]}" for name, bases in parts.items())
        return self._with(self.node, layout=f"carousel.layout = #carousel.layout<{spelt}>")

    def first(self: Self, *ends: Optional[Operand]) -> Self:
        """A view of the elements before `ends`, one for each dimension; None: all of them. What is beyond isn't written."""
        if len(ends) != len(self.extents):
            raise TraceError(f"first: expected an end for each of {len(self.extents)} dimensions of {self.name}, got {len(ends)}")
        sizes: list[Operand] = []
        for dim, (end, extent) in enumerate(zip(ends, self.extents)):
            sizes.append(end if end is not None else extent if isinstance(extent, int) else self._extent(dim))
        fixed = [size if isinstance(size, int) else None for size in sizes]
        values = [as_value(size, INDEX) for size in sizes if not isinstance(size, int)]
        names = iter(range(1, len(values) + 1))
        spelt = ", ".join("{%d}" % next(names) if size is None else str(size) for size in fixed)
        zeros, ones = (", ".join([number] * len(sizes)) for number in "01")
        strides = self._get_strides()
        result = spell_memref(fixed, self.dtype, self.space, strides, has_offset="offset: ?" in self.type)
        view = make(f"memref.subview {{0}}[{zeros}] [{spelt}] [{ones}] : {self.type} to {result}", [Value(self.node), *values],
                    Type(result), self.name + "_part")
        extents = [size if isinstance(size, int) else f"end{dim}" for dim, size in enumerate(sizes)]
        return self._with(view.node, extents=extents, strides=strides)

    def _get_strides(self) -> list[Optional[int]]:
        if self.strides is not None:
            return list(self.strides)
        strides: list[Optional[int]] = []
        stride: Optional[int] = 1
        for extent in reversed(self.extents):
            strides.append(stride)
            stride = stride * extent if stride is not None and isinstance(extent, int) else None
        return strides[::-1]

    def row(self: Self, index: Operand) -> Self:
        """A view of a row of the first dimension, which has the other dimensions."""
        if len(self.extents) < 2:
            raise TraceError(f"row: expected memory of two dimensions or more, got {self.name} of {len(self.extents)}")
        sizes = [extent if isinstance(extent, int) else self._extent(dim) for dim, extent in enumerate(self.extents)][1:]
        values = [size for size in sizes if isinstance(size, Value)]
        names = iter(range(2, len(values) + 2))
        spelt = ", ".join(["1", *("{%d}" % next(names) if isinstance(size, Value) else str(size) for size in sizes)])
        begin, ones = ", ".join(["{1}"] + ["0"] * len(sizes)), ", ".join(["1"] * (len(sizes) + 1))
        strides = self._get_strides()[1:]
        result = spell_memref([size if isinstance(size, int) else None for size in sizes], self.dtype, self.space, strides,
                              has_offset=True)
        view = make(f"memref.subview {{0}}[{begin}] [{spelt}] [{ones}] : {self.type} to {result}",
                    [Value(self.node), self._index(index), *values], Type(result), self.name + "_row")
        return self._with(view.node, extents=self.extents[1:], strides=strides)

    def rows(self: Self, table: Memory, *, add: bool = False, max: bool = False, min: bool = False) -> Self:
        """A view whose row i is row `table[i]`: reads gather rows, and writes scatter them. With `add`, writes add to the
        rows, atomically; with `max` or `min`, the larger or the smaller elements remain. A number that is no row stands for
        one outside (docs/BlockPhase.md#rows-of-a-table)."""
        if not isinstance(table, Memory) or len(table.extents) != 1 or table.dtype not in INTEGERS:
            raise TraceError(f"rows: expected a table of integers of one dimension in memory, got {describe_operand(table)}")
        asked = [kind for kind, is_asked in (("add", add), ("max", max), ("min", min)) if is_asked]
        if len(asked) > 1:
            raise TraceError(f"rows: expected at most one of add, max and min, got {' and '.join(asked)}")
        reduction = asked[0] if asked else ""
        verb = "add to" if add else f"take the {reduction} of"
        if reduction and not self.is_writable:
            raise TraceError(f"{self.name}: expected an argument with 'out' or 'inout' to {verb}, got one with 'in'")
        if reduction and self.dtype not in REDUCTIONS[reduction]:
            raise TraceError(f"{self.name}: expected elements of {', '.join(REDUCTIONS[reduction])} to {verb}, got {self.dtype}")
        reduce = f" reduce<{reduction} {REDUCTIONS[reduction][self.dtype]}>" if reduction else ""
        view = make(f"carousel.rows {{0}}[{{1}}]{reduce} : {self.type}, {table.type}", [Value(self.node), Value(table.node)],
                    Type(self.type), self.name + "_rows")
        return self._with(view.node, reduction=reduction, table=table.name)

    def _box(self, index: Any) -> tuple[list[Value], list[int], list[int]]:
        """Where an access starts, the extents of its vector, and the dimensions that these are of."""
        indices = index if isinstance(index, tuple) else (index,)
        if len(indices) != len(self.extents):
            raise TraceError(f"{self.name}: expected {len(self.extents)} indices, got {len(indices)}")
        starts, extents, dims = [], [], []
        for dim, each in enumerate(indices):
            if not isinstance(each, slice):
                starts.append(self._check_index(self._index(each), dim))
                continue
            if each.step is not None:
                raise TraceError(f"{self.name}: expected slices without a step, got one with {each.step}")
            start = self._index(0 if each.start is None else each.start)
            extents.append(self._count(start, each.stop, dim))
            starts.append(start)
            dims.append(dim)
        return starts, extents, dims

    def _check_index(self, index: Value, dim: int) -> Value:
        """A single index that the trace knows is that of an element. A view's row numbers are places in its table."""
        terms, number = find_linear(index) or ((), 0)
        extent = self.extents[dim] if dim or not self.table else ""
        if not terms and (number < 0 or (isinstance(extent, int) and number >= extent)):
            wanted = f"0 to {extent - 1}" if isinstance(extent, int) else "0 on"
            raise TraceError(f"{self.name}: expected an index from {wanted} in dimension {dim}, got {number}; slices may end "
                             "beyond the tensor")
        return index

    def _index(self, value: Operand) -> Value:
        made = as_value(value, INDEX)
        if made.type != INDEX:
            raise TraceError(f"{self.name}: expected indices of type index, got {made.type}; convert them with .to('index')")
        return made

    def _count(self, start: Value, stop: Optional[Operand], dim: int) -> int:
        """The elements of a slice, which the trace must know: i:i + 64."""
        if stop is None:
            fixed = self.extents[dim]
            if not isinstance(fixed, int):
                raise TraceError(f"{self.name}: expected slices with a stop, such as i:i + 64, since the extent {fixed} is "
                                 "known at the launch only")
            stop = fixed
        first, last = find_linear(start), find_linear(self._index(stop))
        assert first is not None and last is not None
        if first[0] != last[0]:
            raise TraceError(f"{self.name}: expected a slice whose number of elements is fixed, such as i:i + 64")
        count = last[1] - first[1]
        if count < 1:
            raise TraceError(f"{self.name}: expected a slice of at least one element, got {count}")
        return count

    def _attributes(self, dims: list[int], *, is_read: bool = False) -> str:
        """Vectors are of the last dimensions unless a map says of which."""
        rank = len(self.extents)
        parts = [] if not self.is_inside else [f"in_bounds = [{', '.join(['true'] * len(dims))}]"]
        if dims != list(range(rank - len(dims), rank)):
            names = [f"d{dim}" for dim in range(rank)]
            parts.append(f"permutation_map = affine_map<({', '.join(names)}) -> ({', '.join(names[dim] for dim in dims)})>")
        if is_read and self.layout:
            parts.append(self.layout)
        return f" {{{{{', '.join(parts)}}}}}" if parts else ""

    def _fill(self, number: Number, type: Type) -> Value:
        """A number in place of elements that aren't read. Integers are numbers of floats, too."""
        is_plain = isinstance(number, int) and self.dtype in FLOATS
        return as_value(float(number) if is_plain else number, type)

    def __getitem__(self, index: Any) -> Value:
        starts, extents, dims = self._box(index)
        places = ", ".join(f"{{{number + 1}}}" for number in range(len(starts)))
        if not dims:
            return make(f"memref.load {{0}}[{places}] : {self.type}", [Value(self.node), *starts], Type(self.dtype), "element")
        padding = self._fill(self.padding, Type(self.dtype))
        result = Type(self.dtype, tuple(extents))
        return make(f"vector.transfer_read {{0}}[{places}], {{{len(starts) + 1}}}"
                    f"{self._attributes(dims, is_read=True)} : {self.type}, {result}",
                    [Value(self.node), *starts, padding], result, self.name + "_tile")

    def __setitem__(self, index: Any, value: Operand) -> None:
        if not self.is_writable:
            raise TraceError(f"{self.name}: expected an argument with 'out' or 'inout' to write to, got one with 'in'")
        if self.reduction and not any(isinstance(each, slice) for each in (index if isinstance(index, tuple) else (index,))):
            raise TraceError(f"{self.name}: expected a slice to {self.reduction} to, got a single element")
        starts, extents, dims = self._box(index)
        wanted = Type(self.dtype, tuple(extents) if dims else None)
        made = as_value(value, wanted)
        if made.type != wanted:
            hint = f"; convert it with .to('{self.dtype}')" if made.shape == wanted.shape else ""
            raise TraceError(f"{self.name}: expected {wanted} for this slice, got {made.type}{hint}")
        places = ", ".join(f"{{{number + 2}}}" for number in range(len(starts)))
        text = (f"vector.transfer_write {{0}}, {{1}}[{places}]{self._attributes(dims)} : {wanted}, {self.type}" if dims else
                f"memref.store {{0}}, {{1}}[{places}] : {self.type}")
        Trace.get().add(text, [made.node, self.node, *[start.node for start in starts]], None, "", has_effects=True)


class Argument(Memory):
    """A tensor that a kernel's annotation describes."""

    def __init__(self, name: str, text: str, position: int, body: Region):
        match = ANNOTATION.fullmatch(text)
        if not match or match[4] not in ELEMENTS or match[5] is None:
            hint = suggest_element(match[4]) if match else ""
            raise TraceError(f"{name}: expected an annotation such as 'bf16[m, n]', 'out f32[m]' or 'f32', of "
                             f"{', '.join(ELEMENTS)}, got '{text}'{hint}")
        self.is_workspace = match[1] == "workspace"
        access = "inout" if self.is_workspace else match[1] or "in"
        self.sharing = match[2] or ""  # which GPU's memory it is in, if others access it
        if self.is_workspace and self.sharing:
            raise TraceError(f"{name}: expected a workspace in this GPU's memory, got a {self.sharing} one")
        extents: list[Union[int, str]] = []
        for extent in split_extents(match[5]):
            if not self.is_workspace and not re.fullmatch(r"\d+|[A-Za-z_]\w*", extent):
                raise TraceError(f"{name}: expected numbers and names as extents, got '{extent}'")
            extents.append(int(extent) if extent.isdigit() else extent)
        is_packed = (self.is_workspace or bool(match[3]) or len(extents) < 2) and match[6] is None
        strides = None if is_packed else [*[None] * (len(extents) - 1), 1]
        if match[6] is not None:
            strides = parse_strides(name, match[6], len(extents))
            if self.is_workspace or match[3]:
                raise TraceError(f"{name}: expected strides of an argument that isn't contiguous, got '{text}'")
        fixed = [extent if isinstance(extent, int) else None for extent in extents]
        node = Node(Type(spell_memref(fixed, match[4], GLOBAL, strides, has_offset=not is_packed)), name, body)
        super().__init__(node, name, match[4], extents, is_writable=access != "in", strides=strides)
        self.access, self.position = access, position


def parse_strides(name: str, text: str, rank: int) -> list[Optional[int]]:
    """Numbers, and ? for those that each launch chooses."""
    strides = split_extents(text)
    if len(strides) != rank or not all(re.fullmatch(r"\?|\d+", stride) for stride in strides):
        raise TraceError(f"{name}: expected a number or ? as the stride of each of {rank} dimensions, got '{text}'")
    return [None if stride == "?" else int(stride) for stride in strides]


def spell_memref(extents: Sequence[Optional[int]], dtype: str, space: str, strides: Optional[Sequence[Optional[int]]],
                 has_offset: bool) -> str:
    dims = "".join(f"{'?' if extent is None else extent}x" for extent in extents)
    layout = "" if strides is None else \
        f"strided<[{', '.join('?' if stride is None else str(stride) for stride in strides)}]{', offset: ?' if has_offset else ''}>, "
    return f"memref<{dims}{dtype}, {layout}{space}>"


class SharedTile(Memory):
    """A tile of shared memory."""

    def peer(self, rank: Operand) -> Memory:
        """The tile of the CTA with this rank in the cluster, to read."""
        made = as_value(rank, Type("i32"))
        if str(made.type) != "i32":
            raise TraceError(f"peer: expected a rank of type i32, got {made.type}; convert it with .to('i32')")
        result = self.type.replace(SHARED, PEER)
        view = make(f"carousel.cluster.map_shared {{0}}, {{1}} : {self.type} to {result}", [Value(self.node), made],
                    Type(result), self.name + "_of_peer")
        return Memory(view.node, self.name, self.dtype, self.extents, is_writable=False, space=PEER)


def shared(extents: Union[int, Sequence[int]], dtype: str, *, alignment: int = 128) -> SharedTile:
    """A tile of shared memory, which the CTAs of a cluster can read (`peer`). It is made before loops and branches."""
    shape = [extents] if isinstance(extents, int) else list(extents)
    if dtype not in ELEMENTS or not shape or any(not isinstance(extent, int) or extent < 1 for extent in shape):
        raise TraceError(f"shared: expected extents from 1 on, of {', '.join(ELEMENTS)}, got {extents} and '{dtype}'")
    if alignment < 1 or alignment & (alignment - 1):
        raise TraceError(f"shared: expected an alignment that is a power of two, got {alignment}")
    trace = Trace.get()
    if trace.region.parent is not None:
        raise TraceError("shared: expected a tile outside of loops and branches, got one inside")
    result = Type(spell_memref(shape, dtype, SHARED, None, has_offset=False))
    node = trace.add(f"memref.alloc() {{{{alignment = {alignment} : i64}}}} : {result}", [], result, "tile")
    return SharedTile(node, "tile", dtype, shape, is_writable=True, space=SHARED)


def draw_ticket(tickets: Memory, count: Operand, *, index: Operand = 0, is_ordered: bool = False) -> Value:
    """Draws the next number of 0 to `count` - 1, each for one program of the grid; the last one sets the counter back. With
    `is_ordered`, a program sees what those wrote that drew before. `tickets` is a workspace of i32."""
    if not isinstance(tickets, Memory) or tickets.dtype != "i32" or len(tickets.extents) != 1 or not tickets.is_writable:
        raise TraceError(f"draw_ticket: expected counters such as 'workspace i32[1]', got {describe_operand(tickets)}")
    order = " acq_rel" if is_ordered else ""
    node = Trace.get().add(f"carousel.grid.ticket {{0}}[{{1}}] of {{2}}{order} : {tickets.type}",
                           [tickets.node, as_value(index, INDEX).node, as_value(count, INDEX).node], INDEX, "ticket",
                           has_effects=True)
    return Value(node)


def gather(memory: Memory, places: Sequence[Operand], indices: Value, *, where: Optional[Value] = None,
           other: Number = 0) -> Value:
    """Elements of the last dimension at indices from `places` on, one for each dimension; `other` where the mask is false."""
    starts, mask, _ = check_gather("gather", memory, places, indices, where)
    result = Type(memory.dtype, indices.shape)
    rest = memory._fill(other, result)
    at = ", ".join(f"{{{number + 1}}}" for number in range(len(starts)))
    index, masked, passed = (f"{{{len(starts) + number}}}" for number in (1, 2, 3))
    return make(f"vector.gather {{0}}[{at}] [{index}], {masked}, {passed} : {memory.type}, {indices.type}, {mask.type}, "
                f"{result} into {result}", [Value(memory.node), *starts, indices, mask, rest], result, memory.name + "_elements")


def scatter(memory: Memory, places: Sequence[Operand], indices: Value, value: Value, *, where: Optional[Value] = None) -> None:
    """Writes elements of the last dimension at indices from `places` on. Indices must differ."""
    starts, mask, wanted = check_gather("scatter", memory, places, indices, where)
    if not memory.is_writable:
        raise TraceError(f"{memory.name}: expected an argument with 'out' or 'inout' to write to, got one with 'in'")
    if not isinstance(value, Value) or value.type != wanted:
        raise TraceError(f"scatter: expected {wanted}, got {describe_operand(value)}")
    at = ", ".join(f"{{{number + 1}}}" for number in range(len(starts)))
    index, masked, passed = (f"{{{len(starts) + number}}}" for number in (1, 2, 3))
    operands = [memory.node, *[start.node for start in starts], indices.node, mask.node, value.node]
    Trace.get().add(f"vector.scatter {{0}}[{at}] [{index}], {masked}, {passed} : {memory.type}, {indices.type}, {mask.type}, "
                    f"{value.type}", operands, None, "", has_effects=True)


def check_gather(what: str, memory: Memory, places: Sequence[Operand], indices: Value,
                 where: Optional[Value]) -> tuple[list[Value], Value, Type]:
    if not isinstance(memory, Memory):
        raise TraceError(f"{what}: expected a tensor or a tile in memory, got {describe_operand(memory)}")
    if len(places) != len(memory.extents):
        raise TraceError(f"{what}: expected a place for each of {len(memory.extents)} dimensions of {memory.name}, got "
                         f"{len(places)}")
    if not isinstance(indices, Value) or not indices.type.is_vector or indices.dtype not in INTEGERS:
        raise TraceError(f"{what}: expected a vector of integers as indices, got {describe_operand(indices)}")
    starts = [memory._index(place) for place in places]
    mask = as_value(True, Type("i1", indices.shape)) if where is None else where
    if not isinstance(mask, Value) or mask.type != Type("i1", indices.shape):
        raise TraceError(f"{what}: expected a mask of {Type('i1', indices.shape)}, got {describe_operand(mask)}")
    return starts, mask, Type(memory.dtype, indices.shape)
