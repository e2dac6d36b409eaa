# ===- minimise.py - the least of a failing kernel -------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Takes ops out of a kernel as long as it fails in the same way: at the same stage, with the same kind
of fault. One op stands on one line (text.py), so what is left parses, or isn't taken. A case that
fails after the tile phase stays right at the tile phase by that."""

import dataclasses
import re

from .check import Checker, Fault

NAME = re.compile(r"%[A-Za-z_]\w*")
RESULT = re.compile(r"^\s*(%\w+(?::\d+)?(?:, %\w+)*) = ")
KEPT = ("#", "//", "gpu.return", "scf.yield", "scf.condition", "return", "^", "gpu.func", "gpu.module", "workgroup",
        "attributes")


def defined(lines):
    """Whether each name that is used is defined somewhere: what else is wrong, a parser has to say."""
    names, known = set(), set()
    for line in lines:
        found = NAME.findall(line)
        names.update(found)
        if match := RESULT.match(line):
            known.update(NAME.findall(match[1]))
        known.update(re.findall(r"(%\w+)(?: =|:)", line))
    return names <= known


def find_units(lines):
    """Ranges of lines that may go: single ops, and ops with all of their regions."""
    units, stack = [], []
    for number, line in enumerate(lines):
        text = line.strip()
        closes, opens = text.startswith("}"), text.endswith("{")
        if closes and opens:  # } else {, } do {
            continue
        if opens:
            stack.append(number)
        elif closes and stack:
            units.append((stack.pop(), number + 1))
        elif " = " in text.split("attributes")[0] or not text.startswith(KEPT + ("%",)):
            units.append((number, number + 1))
    # What is large goes first; of the rest, the last: its values have no users.
    return sorted(units, key=lambda unit: (unit[0] - unit[1], -unit[0]))


def without(lines, gone):
    return [line for number, line in enumerate(lines) if number not in gone]


def replace_name(lines, old, new):
    pattern = re.compile(re.escape(old) + r"\b(?:#\d+)?")
    return [pattern.sub(new, line) for line in lines]


def candidates(lines):
    """Smaller kernels, the most hopeful first."""
    units = find_units(lines)
    for begin, end in units:
        yield without(lines, range(begin, end))
    for begin, end in units:
        match = RESULT.match(lines[begin])
        if not match:
            continue
        # The op's results become one of its operands, or of what a loop begins with.
        rest = without(lines, range(begin, end))
        for operand in dict.fromkeys(NAME.findall(lines[begin].partition(" = ")[2])):
            replaced = rest
            for result in NAME.findall(match[1]):
                replaced = replace_name(replaced, result, operand)
            yield replaced
    for begin, end in units:  # a region's body instead of the op
        if end - begin > 2 and "else" not in "".join(lines[begin:end]):
            yield without(lines, (begin, end - 1))


def shrink(text, is_same):
    """Sweeps over the candidates until a whole sweep takes nothing."""
    lines, position, taken = text.splitlines(), 0, True
    while taken:
        position, taken = 0, False
        while True:
            smaller = list(candidates(lines))
            while position < len(smaller) and not (
                    defined(smaller[position]) and is_same("\n".join(smaller[position]) + "\n")):
                position += 1
            if position >= len(smaller):
                break
            # What is at this place now comes behind what was taken.
            lines, taken = smaller[position], True
    return "\n".join(lines) + "\n"


def simplify(text, is_same):
    """Options of transfers and pipelines that make no difference."""
    patterns = [r" cache\(\w+\)", r" swizzle\(\w+\)", r" fill\([^)]*\)", r" in_bounds",
                r",? ?producers = \d", r",? ?release = \w+", r",? ?prefetch = \w+"]
    for pattern in patterns:
        for match in reversed(list(re.finditer(pattern, text))):
            candidate = text[:match.start()] + text[match.end():]
            if is_same(candidate):
                text = candidate
    return text


def drop_arguments(text, arguments, is_same):
    """Without those that nothing uses. Attributes number arguments: the first one stays."""
    arguments = [argument for argument in arguments if argument.declare() in text]
    for argument in arguments[:0:-1]:
        rest = [other for other in arguments if other is not argument]
        smaller = text.replace(",\n      " + argument.declare(), "", 1)
        if len(re.findall(rf"%{argument.name}\b", text)) == 1 and is_same(smaller, rest):
            text, arguments = smaller, rest
    return text, arguments


def minimise(checker, kernel, fault):
    """A kernel with less in it and the same fault, under the schedule that showed it."""
    chips = [chip for chip in checker.settings.chips if fault.stage.endswith(chip)]
    settings = dataclasses.replace(checker.settings, chips=chips,
                                   repeat_tile=fault.stage == "tile", symbolize=False)
    if fault.policy:
        settings = dataclasses.replace(settings, policy=fault.policy, seed=fault.seed, schedules=1)

    if fault.kind == "timeout":
        settings = dataclasses.replace(settings, timeout=min(settings.timeout, 20))
    checker = Checker(settings)

    def is_same(text, arguments=None):
        smaller = dataclasses.replace(kernel, text=text, arguments=arguments or kernel.arguments)
        stages = checker.prepare([smaller])
        faults = [results[0] for _, results in stages if isinstance(results[0], Fault)]
        # A fault of the compiler is seen without running anything.
        if not fault.stage.startswith("lower") and not faults:
            faults = checker.finish(smaller, [(stage, results[0]) for stage, results in stages])
        return any(fault.same(other) for other in faults)

    text = shrink(simplify(kernel.text, is_same), is_same)
    text, arguments = drop_arguments(text, kernel.arguments, is_same)
    return dataclasses.replace(kernel, text=text, arguments=arguments)
