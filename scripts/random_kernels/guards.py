# ===- guards.py - which variants of a lowered kernel may run --------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Reads the kernels of a module's text and their carousel.variant, and evaluates the guards for the
arguments of a case (docs/Package.md). The rules of tensor maps are guards without being written."""

import re

from .types import ELEMENTS, Scalar

KERNEL = re.compile(r"gpu\.func @([\w.$]+)\((.*?)\bkernel\b(?: \{|(.*?)\} \{)$", re.S | re.M)
GUARDS = re.compile(r'#carousel\.variant<.*?guards = \[(.*?)\]>', re.S)
ENCODE = re.compile(r"#carousel\.encode<argument = (\d+)>")
BUFFER_ALIGNMENT = 4096  # of the memory that carousel-sim gives to arguments, in pages
MULTIPROCESSORS = 132


def split(text):
    """At the commas outside of parentheses."""
    parts, depth, start = [], 0, 0
    for position, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if character == "," and depth == 0:
            parts.append(text[start:position].strip())
            start = position + 1
    return [part for part in parts + [text[start:].strip()] if part]


class Guards:
    def __init__(self, kernel, chip):
        self.arguments = kernel.arguments
        self.chip = int(re.sub(r"\D", "", chip))
        self.names = {
            "extent": lambda a, d: self.arguments[a].extents[d],
            "stride": lambda a, d: self.arguments[a].strides[d],
            "scalar": lambda a: self.arguments[a].number,
            "sms": MULTIPROCESSORS, "min": min, "max": max,
            "floordiv": lambda a, b: a // b, "ceildiv": lambda a, b: -(-a // b),
            "mod": lambda a, b: a % b,
            "capability": lambda least, most=1 << 31: least <= self.chip <= most,
            "aligned": lambda _, nbytes: BUFFER_ALIGNMENT % nbytes == 0,
            "divisible": lambda value, by: value % by == 0,
            "range": lambda value, least, most: least <= value <= most,
            "equal": lambda a, b: a == b,
        }

    def evaluate(self, text):
        # The text is the compiler's own; there are no builtins in reach.
        return eval(text, {"__builtins__": {}}, self.names)  # pylint: disable=eval-used

    def holds(self, text):
        return bool(self.evaluate(text))

    def can_encode(self, number):
        """What the driver asks of a tensor map over a whole argument."""
        argument = self.arguments[number]
        if isinstance(argument, Scalar):
            return False
        size = ELEMENTS[argument.element][0]
        return argument.strides[-1] == 1 and all(
            stride * size % 16 == 0 and stride > 0 for stride in argument.strides[:-1]) and \
            all(extent > 0 for extent in argument.extents)


def find_variants(text, kernel, chip, serving=None):
    """The names of the kernels in `text`, or of those `serving` it, that may run on the arguments of `kernel`."""
    guards, names = Guards(kernel, chip), []
    for match in KERNEL.finditer(text):
        name, arguments, attributes = match.groups()
        if serving is not None and name not in serving:
            continue
        listed = GUARDS.search(attributes or "")
        if listed and not all(guards.holds(guard) for guard in split(listed[1])):
            continue
        if all(guards.can_encode(int(number)) for number in ENCODE.findall(arguments)):
            names.append(name)
    return names
