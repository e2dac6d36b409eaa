# ===- broken.py - rings of ordinary loops, broken on purpose --------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Mistakes that the passes for rings could make, as changes of a kernel's text. Each function gives the changed
text, or None where the kernel has nothing to break. A run of such kernels must find some of them wrong."""

import re

VALUE = r"%[\w$#.:-]+"
WAIT = re.compile(rf"^\s*carousel\.ring\.wait ({VALUE})\[({VALUE})\]")
PRODUCE = re.compile(rf"^\s*carousel\.ring\.produce ({VALUE})\[({VALUE})\]")
BRANCH = re.compile(rf"^(\s*)scf\.if ({VALUE}) \{{$")


def depth(line):
    return len(line) - len(line.lstrip())


def find_end(lines, start):
    """The line that closes the region which `start` opens."""
    return next(at for at in range(start + 1, len(lines)) if depth(lines[at]) <= depth(lines[start]))


def find_block(lines, at):
    """The lines after `at` in its block."""
    end = next((i for i in range(at + 1, len(lines)) if depth(lines[i]) < depth(lines[at])), len(lines))
    return range(at + 1, end)


def find_operand_waits(lines):
    """(the line of a wait, that of the produce of another ring whose operands the wait is for)."""
    for at, line in enumerate(lines):
        wait = WAIT.match(line)
        if not wait:
            continue
        for other in find_block(lines, at):
            produce = PRODUCE.match(lines[other])
            if produce and produce[1] != wait[1] and depth(lines[other]) == depth(line):
                yield at, other
                break


def drop_operand_waits(text):
    """Reads offsets from a tile that may not have landed."""
    lines = text.splitlines()
    waits = {at for at, _ in find_operand_waits(lines)}
    return "\n".join(line for at, line in enumerate(lines) if at not in waits) if waits else None


def find_produces(lines):
    return [range(at, find_end(lines, at)) for at, line in enumerate(lines) if PRODUCE.match(line)]


def swap_branches(text):
    """Loads from the source of the other branch."""
    lines, changed = text.splitlines(), False
    for produce in find_produces(lines):
        for at in produce:
            if not BRANCH.match(lines[at]):
                continue
            middle = find_end(lines, at)
            if lines[middle].strip() == "} else {":
                end = find_end(lines, middle)
                lines[at + 1:end] = lines[middle + 1:end] + [lines[middle]] + lines[at + 1:middle]
                changed = True
                break
    return "\n".join(lines) if changed else None


def load_never(text):
    """Loads nothing where the condition holds."""
    lines, changed = text.splitlines(), False
    for produce in reversed(find_produces(lines)):
        for at in produce:
            branch = BRANCH.match(lines[at])
            if branch and lines[find_end(lines, at)].strip() == "}":
                name = f"%broken{at}"
                lines[at] = f"{branch[1]}scf.if {name} {{"
                lines.insert(at, f"{branch[1]}{name} = arith.constant false")
                changed = True
                break
    return "\n".join(lines) if changed else None


def forget_aliases(text):
    """Takes arguments that may alias to be different memory."""
    changed = re.sub(r", may_alias = \d+", "", text)
    return changed if changed != text else None


def ignore_box_guards(text):
    """Runs variants for launches in which loads meet stores. Only guards on boxes go up to the largest number."""
    changed = re.sub(r",? ?range\([^<>\[\]]*, 0, 9223372036854775807\)", "", text)
    return changed if changed != text else None


# By name: a change of the kernel before it is lowered, of its rings, or of what was lowered.
TILE = {"forget-aliases": forget_aliases}
RINGS = {
    "drop-operand-waits": drop_operand_waits,
    "swap-branches": swap_branches,
    "load-never": load_never,
}
LOWERED = {"ignore-box-guards": ignore_box_guards}
NAMES = sorted({**TILE, **RINGS, **LOWERED})

# The pipeline of --carousel-lower in two halves.
FIRST = ("builtin.module(gpu.module(carousel-attach-target{chip=CHIP},carousel-raise-to-transfers,"
         "carousel-select-engine,carousel-guard-boxes,carousel-fill-in-readers,carousel-circular-buffer))")
SECOND = ("builtin.module(gpu.module(carousel-swizzle-tiles,carousel-insert-async-sync,carousel-verify-ring,"
          "carousel-lower-rings,carousel-allocate-shared,carousel-verify-machine))")
