# ===- source_mutants.py - texts of MLIR with a few words changed ------------ py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Mutants of a module's text: lines and operands deleted, doubled and moved, numbers at their limits, other
types, other names. Many don't parse, and their maker keeps those that do."""

import re

COMMENT = re.compile(r"^\s*//")
VALUE = re.compile(r"%[\w$.-]+(?:#\d+)?")
INTEGER = re.compile(r"(?<![\w%@#!.$-])-?\d+(?![\w.])")
# Those of a shape stand before an x.
EXTENT = re.compile(r"(?<=[<x])(?:\d+|\?)(?=x)")
TYPE = re.compile(r"(?<![\w%@#!.$])(?:i\d+|f\d+\w*|bf16|index)\b|(?<=\dx|\?x)(?:i\d+|f\d+\w*|bf16|index)\b")
WORD = re.compile(r"(?<![\w%@!^\"])(?:#?[a-z][\w.]*)")
LIMITS = ("0", "1", "-1", "2", "3", "7", "16", "33", "128", "1024", "65536", "2147483647", "2147483648", "-2147483648",
          "4294967296", "9223372036854775807", "-9223372036854775808", "9223372036854775808")
EXTENTS = ("?", "0", "1", "3", "4", "32", "100", "1024", "1048576", "2147483648", "9223372036854775807")
TYPES = ("i1", "i4", "i8", "i16", "i32", "i64", "i128", "index", "f16", "bf16", "f32", "f64", "tf32", "f8E4M3FN",
         "f8E5M2", "f8E8M0FNU", "f4E2M1FN", "f128")


def read_modules(file):
    """The parts of a file, without its comments."""
    text = file.read_text(errors="replace")
    for part in re.split(r"^// -----.*\n", text, flags=re.M):
        lines = [line for line in part.splitlines() if line.strip() and not COMMENT.match(line)]
        if lines:
            yield "\n".join(lines) + "\n"


def substitute(random, text, pattern, choices, alone=0.5):
    """One place where `pattern` matches, or, as types have to agree, all that read the same."""
    places = list(pattern.finditer(text))
    if not places:
        return text
    place = random.choice(places)
    new = random.choice(choices if isinstance(choices, tuple) else [match[0] for match in places])
    same = [match for match in places if match[0] == place[0]] if random.random() >= alone else [place]
    for match in reversed(same):
        text = text[:match.start()] + new + text[match.end():]
    return text


def change_lines(random, text):
    lines = text.splitlines()
    at, to = random.randrange(len(lines)), random.randrange(len(lines))
    how = random.randrange(4)
    if how == 0:
        del lines[at]
    elif how == 1:
        lines.insert(at, lines[at])
    elif how == 2:
        lines[at], lines[to] = lines[to], lines[at]
    else:
        lines.insert(to, lines.pop(at))
    return "\n".join(lines) + "\n"


def change_values(random, text):
    """Takes another value in one place."""
    return substitute(random, text, VALUE, None, alone=0.9)


def remove_operand(random, text):
    places = list(re.finditer(r"%[\w$.#-]+, |, %[\w$.#-]+", text))
    if not places:
        return text
    place = random.choice(places)
    return text[:place.start()] + text[place.end():]


def remove_attribute(random, text):
    """An entry of a dictionary, or a clause in brackets."""
    places = list(re.finditer(r"(?<=[{,])\s*[\w.]+ = [^,{}]+,?|\[[^\[\]\n]*\]|<[^<>\n]*>|\{[^{}\n]*\}", text))
    if not places:
        return text
    place = random.choice(places)
    return text[:place.start()] + text[place.end():]


CHANGES = (
    change_lines, change_lines, change_lines, change_values, change_values, remove_operand, remove_attribute,
    lambda random, text: substitute(random, text, INTEGER, LIMITS),
    lambda random, text: substitute(random, text, INTEGER, LIMITS),
    lambda random, text: substitute(random, text, EXTENT, EXTENTS),
    lambda random, text: substitute(random, text, TYPE, TYPES),
    lambda random, text: substitute(random, text, WORD, None),
)


def mutate(random, text):
    """`text` with one to three changes; it may come out the same."""
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        text = random.choice(CHANGES)(random, text) or text
    return text
