# ===- guards.py - which variants of a lowered kernel may run --------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Reads the kernels of a module that carousel-opt printed (with --mlir-print-local-scope), and evaluates
the guards of their carousel.variant for the arguments of a case (docs/Package.md). The rules of tensor
maps are guards without being written."""

import re
from dataclasses import dataclass

from .types import Scalar

BUFFER_ALIGNMENT = 4096  # of the memory that carousel-sim gives to arguments, in pages
MULTIPROCESSORS = 132

SYMBOL = r'@("(?:[^"\\]|\\.)*"|[\w.$-]+)'
MODULE = re.compile(r"gpu\.module " + SYMBOL)
FUNCTION = re.compile(r"gpu\.func (?:private |public |nested )?" + SYMBOL + r"\(")
PARAMETER = re.compile(r"%[\w$.-]+: ")
OPENING, CLOSING = "([{<", ")]}>"
MARK = re.compile(r'"(?:[^"\\]|\\.)*"|->|[,()\[\]{}<>]')


# ===- Text ------------------------------------------------------------------===#

def walk(text, start=0):
    """(position, bracket or comma, depth of the brackets that it stands in), strings and arrows left out."""
    depth = 0
    for mark in MARK.finditer(text, start):
        if len(mark[0]) > 1:
            continue
        depth -= mark[0] in CLOSING
        yield mark.start(), mark[0], depth
        depth += mark[0] in OPENING


def get_outer(text):
    """What stands outside of brackets."""
    start, parts = 0, []
    for at, character, depth in walk(text):
        if depth == 0 and character in OPENING:
            parts.append(text[start:at])
        elif depth == 0 and character in CLOSING:
            start = at + 1
    return "".join(parts) + text[start:]


def find_end(text, start):
    """The position behind the bracket that closes the one at `start`."""
    return next(at for at, character, depth in walk(text, start) if depth == 0 and character in CLOSING) + 1


def split(text):
    """At the commas outside of brackets."""
    parts, start = [], 0
    for at, character, depth in walk(text):
        if character == "," and depth == 0:
            parts.append(text[start:at].strip())
            start = at + 1
    return [part for part in parts + [text[start:].strip()] if part]


def find_field(text, name):
    """What stands in the brackets behind `NAME = [`, split; None if there is no such field."""
    match = re.search(rf"\b{name} = \[", text)
    return split(text[match.end():find_end(text, match.end() - 1) - 1]) if match else None


@dataclass
class Parameter:
    """One of a gpu.func: its type, and the text of its attributes."""
    type: str
    attributes: str

    @property
    def encode(self):
        match = re.search(r"#carousel\.encode<", self.attributes)
        return self.attributes[match.end():find_end(self.attributes, match.end() - 1) - 1] if match else None


@dataclass
class KernelText:
    """A gpu.func that is a kernel. `guards` is empty where it may always run."""
    module: str
    name: str
    serves: str  # the kernel that callers name
    guards: list
    parameters: list


def parse_parameter(text):
    text = PARAMETER.sub("", text, count=1)
    brace = next((at for at, character, depth in walk(text) if character == "{" and depth == 0), len(text))
    return Parameter(text[:brace].strip(), text[brace:])


def find_kernels(text):
    """The kernels of a module, in the order of its text, which is that of preference."""
    modules = [(match.start(), match[1].strip('"')) for match in MODULE.finditer(text)]
    kernels = []
    for match in FUNCTION.finditer(text):
        behind = find_end(text, match.end() - 1)
        head = text[behind:text.index("\n", behind)]
        if not re.search(r"\bkernel\b", get_outer(head)):
            continue
        name = match[1].strip('"')
        variant = re.search(r'\bcarousel\.variant = #carousel\.variant<kernel = "([^"]*)"', head)
        guards = find_field(head[variant.start():find_end(head, head.index("<", variant.start()))], "guards") \
            if variant else None
        module = next((other for at, other in reversed(modules) if at < match.start()), "")
        kernels.append(KernelText(module, name, variant[1] if variant else name, guards or [],
                                  [parse_parameter(part) for part in split(text[match.end():behind - 1])]))
    return kernels


# ===- Guards ----------------------------------------------------------------===#

def count_bytes(element):
    """Of an element type: bf16 and f8E4M3FN have their bits in their names; an index is one of 64."""
    bits = re.search(r"\d+", element)
    return max(int(bits[0]) // 8, 1) if bits else 8


class Guards:
    """`kernel` has the arguments of a case."""

    def __init__(self, kernel, chip, multiprocessors=MULTIPROCESSORS):
        self.arguments = kernel.arguments
        self.chip = int(re.sub(r"\D", "", chip))
        self.names = {
            "extent": lambda a, d: self.arguments[a].extents[d],
            "stride": lambda a, d: self.arguments[a].strides[d],
            "scalar": lambda a: self.arguments[a].number,
            "sms": multiprocessors, "min": min, "max": max,
            "floordiv": lambda a, b: a // b, "ceildiv": lambda a, b: -(-a // b),
            "mod": lambda a, b: a % b,
        }
        self.kinds = {
            "capability": lambda least, most=1 << 31: (least <= self.chip <= most, self.chip),
            "aligned": lambda _, nbytes: (BUFFER_ALIGNMENT % nbytes == 0, f"an address of {BUFFER_ALIGNMENT}"),
            "divisible": lambda value, by: (value % by == 0, value),
            "range": lambda value, least, most: (least <= value <= most, value),
            "equal": lambda a, b: (a == b, f"{a} and {b}"),
        }

    def evaluate(self, text):
        # The text is the compiler's own; there are no builtins in reach.
        return eval(text, {"__builtins__": {}}, self.names)  # pylint: disable=eval-used

    def find_refusal(self, guard):
        """Why a guard doesn't hold, with the value; None if it does."""
        kind, _, operands = guard.partition("(")
        if kind not in self.kinds:
            raise ValueError(f"expected one of the guards {', '.join(self.kinds)}, got '{guard}'")
        holds, found = self.kinds[kind](*map(self.evaluate, split(operands.removesuffix(")"))))
        return None if holds else f"expected {guard}, got {found}"

    def find_map_refusal(self, encode):
        """What the driver asks of a tensor map, by the text of its carousel.encode."""
        argument = self.arguments[int(re.search(r"argument = (\d+)", encode)[1])]
        what = f"expected a tensor map of {argument.name} with"
        if isinstance(argument, Scalar):
            return f"{what} a tensor, got a number"
        extents, strides = find_field(encode, "extents"), find_field(encode, "strides")
        extents = argument.extents if extents is None else list(map(self.evaluate, extents))
        if strides is not None:
            strides = list(map(self.evaluate, strides))
        elif argument.strides and argument.strides[-1] != 1:
            return f"{what} an inner stride of 1, got {argument.strides[-1]}"
        else:
            strides = [stride * count_bytes(argument.element) for stride in argument.strides[:-1]]
        if not all(0 < extent <= 1 << 32 for extent in extents):
            return f"{what} extents of 1 to 2^32, got {'x'.join(map(str, extents))}"
        # Where there is one element, its stride doesn't matter.
        wrong = next((stride for extent, stride in zip(extents, strides)
                      if extent != 1 and (stride % 16 or not 0 < stride < 1 << 40)), None)
        return None if wrong is None else f"{what} strides of a multiple of 16 bytes below 2^40, got {wrong}"


def find_refusal(variant, kernel, chip, multiprocessors=MULTIPROCESSORS):
    """Why the variant, of find_kernels, doesn't take the arguments of `kernel`; None if it does."""
    guards = Guards(kernel, chip, multiprocessors)
    refusals = map(guards.find_refusal, variant.guards)
    maps = (guards.find_map_refusal(parameter.encode) for parameter in variant.parameters if parameter.encode)
    return next(filter(None, refusals), None) or next(filter(None, maps), None)


def find_variants(text, kernel, chip):
    """The names of the kernels in `text` that may run on the arguments of `kernel`."""
    return [variant.name for variant in find_kernels(text) if find_refusal(variant, kernel, chip) is None]


def describe_none(kernel):
    """Why find_variants finds none: not all programs go over rows in chunks."""
    wide = ", and extents above the width of the vectors" if "wide rows" in kernel.features else ""
    return f"no variant whose guards hold{wide}"
