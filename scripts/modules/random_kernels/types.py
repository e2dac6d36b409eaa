# ===- types.py - elements, tiles and arguments ---------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""What kernels hold: element types with the arithmetic that is exact and the same everywhere,
memrefs of global and shared memory, and the arguments' values for carousel-sim."""

from dataclasses import dataclass, field

GLOBAL, SHARED = "#gl", "#ws"
# Type of MLIR -> bytes, and the type that is computed in.
ELEMENTS = {
    "f32": (4, "f32"), "bf16": (2, "f32"), "f16": (2, "f32"), "f64": (8, "f64"),
    "i8": (1, "i8"), "i16": (2, "i16"), "i32": (4, "i32"), "i64": (8, "i64"),
}
WEIGHTS = {"f32": 5, "bf16": 3, "f16": 2, "f64": 1, "i8": 2, "i16": 1, "i32": 4, "i64": 1}
# What a store may reduce by in any order: element -> (kind, type).
REDUCTIONS = {
    "i32": [("add", "u32"), ("add", "s32"), ("min", "u32"), ("min", "s32"), ("max", "s32"),
            ("max", "u32"), ("and", "b32"), ("or", "b32"), ("xor", "b32")],
    "i64": [("add", "u64"), ("min", "s64"), ("max", "u64"), ("and", "b64"), ("or", "b64"),
            ("xor", "b64")],
    "f16": [("min", "f16"), ("max", "f16")],
    "bf16": [("min", "bf16"), ("max", "bf16")],
}


def is_float(kind):
    return kind.startswith(("f", "bf"))


def bits(kind):
    return 8 * ELEMENTS[kind][0]


def product(values):
    result = 1
    for value in values:
        result *= value
    return result


def row_strides(extents):
    strides = [1] * len(extents)
    for dim in range(len(extents) - 2, -1, -1):
        strides[dim] = strides[dim + 1] * max(extents[dim + 1], 1)
    return strides


@dataclass(eq=False)
class Tile:
    """A buffer in shared memory, or one scope's part of one. `name` is the value."""
    name: str
    element: str
    extents: list
    type: str
    padded: bool = False
    swizzle: int = None  # bytes, 0: none asked for; None: not decided
    walk: object = None
    section: int = 0  # the one that made it
    strides: list = None
    part: object = None  # of a unit's part of a buffer: takes the part of that number once more


@dataclass(eq=False)
class Argument:
    """A memref in global memory."""
    name: str
    element: str
    extents: list
    strides: list
    dynamic: list  # of each dimension, whether the type leaves it open
    access: str
    seed: int = 0
    padded: bool = False
    layout: str = field(default="")
    iota: bool = False
    count: int = None  # of the integers of iota
    may_alias: int = None  # the number of the argument that it may be the same as
    same_as: str = None  # the argument whose memory it has

    def __post_init__(self):
        dims = "".join(("?" if open_ else str(extent)) + "x"
                       for extent, open_ in zip(self.extents, self.dynamic))
        layout = f", {self.layout}" if self.layout else ""
        self.type = f"memref<{dims}{self.element}{layout}, {GLOBAL}>"

    def declare(self):
        alias = "" if self.may_alias is None else f", may_alias = {self.may_alias}"
        return (f'%{self.name}: {self.type} '
                f'{{carousel.argument = #carousel.argument<"{self.name}", {self.access}{alias}>}}')

    def value(self):
        """For --arg."""
        shape = "x".join(map(str, self.extents))
        if self.padded:
            shape += "@" + "x".join(map(str, self.strides))
        if self.same_as:
            return f"{self.name}=same:{self.same_as}"
        if self.access == "out":
            return f"{self.name}=empty:{shape}"
        if self.iota:
            return f"{self.name}=iota:{shape}" + (f":{self.count}" if self.count else "")
        return f"{self.name}=random:{shape}:{self.seed}"


@dataclass(eq=False)
class Workspace:
    """Memory that the runtime allocates, zero before the first launch. Nobody passes it."""
    name: str
    element: str
    extents: list
    access: str = "workspace"

    def __post_init__(self):
        self.type = f"memref<{'x'.join(map(str, self.extents))}x{self.element}, {GLOBAL}>"
        self.strides = row_strides(self.extents)

    def declare(self):
        return (f'%{self.name}: {self.type} {{carousel.argument = #carousel.argument<"{self.name}", inout>, '
                f'carousel.workspace = #carousel.workspace<[]>}}')


@dataclass(eq=False)
class Scalar:
    """An index that a kernel is given: a bound or a condition."""
    name: str
    number: int
    access: str = "in"

    def declare(self):
        return f'%{self.name}: index {{carousel.argument = #carousel.argument<"{self.name}", in>}}'

    def value(self):
        return f"{self.name}={self.number}"


@dataclass
class Kernel:
    name: str
    seed: int
    text: str
    arguments: list
    features: set
    variants: set = field(default_factory=set)  # of lowered forms, those that ran
    machine: list = field(default_factory=list)  # options of carousel-sim for runs of lowered forms

    def words(self):
        """The arguments of carousel-sim."""
        words = ["--kernel", "@" + self.name]
        for argument in self.arguments:
            if argument.access != "workspace":
                words += ["--arg", argument.value()]
        return words

    def outputs(self):
        return [a.name for a in self.arguments if a.access not in ("in", "workspace")]
