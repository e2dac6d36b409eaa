# ===- table.py - what is taken, as a page ------------------------------------ py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""From outcomes to docs/OpMatrix.md and back. An entry is the set of ways that take an op with an element type:
"yes" for all of them, "no" for none, "" where MLIR has no such op, else letters of ways."""

import re
import textwrap

from split_input import CRASH

from .types import COLUMNS

WAYS = {"sim": "S", "ptx": "P", "cuda": "C"}
# Why an op is taken by some ways only, or in some forms only: op, types, text.
REASONS = (
    (r"vector\.mask", r".*", "a gap: the simulated machine reduces no masked vectors of indices, and of floats that it "
                            "computes in f32"),
    (r"gpu\.subgroup_broadcast", r"index", "a gap: targets broadcast integers, floats and vectors of them"),
    (r"gpu\.printf", r".*", "the simulated machine prints nothing"),
    (r"gpu\.subgroup_mma_.*", r".*", "only LLVM has the conversions; nvgpu.mma.sync goes all ways"),
    (r"memref\.generic_atomic_rmw", r".*", "a gap: the simulated machine swaps integers only"),
    (r"memref\.atomic_rmw", r".*", "the targets have the kinds and widths of PTX's atom"),
    (r"(arith|math|vector|gpu)\..*", r"i1", "C++ has no arithmetic of bool but and, or, xor"),
    (r"(arith|math|vector|memref|gpu)\..*", r"i1|index", "the layout of a vector of i1 in memory is LLVM's own; index "
                                                         "is a number, not a word"),
    (r"vector\.type_cast|memref\.(load|store)", r".*", "memrefs of vectors are LLVM's own"),
    (r"arith\.scaling_.*", r".*", "upstream's expansion goes by way of f8E8M0FNU, which no way converts"),
    (r"(vector|gpu|memref|math|arith)\..*", r"f8E4M3FN|f8E5M2", "arithmetic on 8-bit floats is that of arith and math: "
                                                              "other ops move them"),
)
HEAD = """# Ops and element types

This page says which targets take the ops of arith, math, vector, gpu and memref, with which element
types. `scripts/op-matrix write` writes it from compilations of a kernel for each entry;
`scripts/op-matrix check` compares it with compilations.

- **yes**: the simulated machine runs the op, ptxas takes its PTX, and NVRTC its CUDA C++.
- **no**: no target takes it. `--carousel-verify-tile` refuses it at the op, or each target does.
- **S**, **P**, **C**: only the simulated machine, PTX or CUDA C++ takes it; the number says why.
- An empty entry: MLIR has no such op, or it was not tried.

An entry holds for all forms of the op: scalars, vectors of one and of two dimensions, its modes,
and the types of operands that may differ from the result's, such as an exponent, a condition, an
index or a factor. PTX with an indirect call isn't taken (C240 of [Spec.md](Spec.md)).

`scripts/block-matrix` runs block programs: of each op of the block phase with each element type,
static, dynamic, masked, and narrowed by the width of its rows. Lowered, they must give what they
give as they are.

Floats of other formats (f8E4M3, f8E3M4, the FNUZ ones, f8E8M0FNU) are bytes that kernels move. A
kernel that converts them or computes with them is refused, as is one with f4, f6, tf32, f80 or f128
(C201). PTX and the simulated machine take integers of other widths up to 128 bits; CUDA C++ has 8,
16, 32 and 64 bits.

Conversions to f8E4M3FN and f8E5M2 round to the nearest value, ties to even, as MLIR's arith does.
They **don't saturate**: beyond the largest finite magnitude an f8E5M2 is an infinity, and an
f8E4M3FN is NaN. The instructions (`cvt.rn.satfinite`, sm_89 and later) saturate, so the compiler
corrects their results. A kernel must not rely on the sign or the payload of a NaN. Arithmetic on
these types is computed in f32 and rounded after each op. `math.ipowi` with a negative exponent is a
power of the base's inverse, an integer: for 0 it is undefined, as a division by 0.
"""


def reason_of(op, kind):
    for number, (ops, kinds, text) in enumerate(REASONS, 1):
        if re.fullmatch(ops, op) and re.fullmatch(kinds, kind):
            return number
    return None


def find_faults(outcomes):
    """`outcomes` has a dict of ways for each cell: crashes, what one way takes and another refuses without a reason,
    what no target takes and verify-tile does, messages that name no rule."""
    faults = []
    for cell, ways in outcomes.items():
        for way, outcome in ways.items():
            if outcome.startswith(CRASH):
                faults.append(f"{cell.name}: {way}: {outcome}")
            elif "failed to legalize" in outcome:
                faults.append(f"{cell.name}: {way}: {outcome}")
        if ways["tile"]:
            continue  # refused for all
        taken = {way for way in WAYS if not ways[way]}
        if len(taken) != len(WAYS) and not reason_of(cell.op, cell.kind):
            missing = next(way for way in WAYS if ways[way])
            faults.append(f"{cell.name}: taken by {', '.join(sorted(taken)) or 'verify-tile alone'}; {missing}: "
                          f"{ways[missing]}")
    return faults


def entries_of(outcomes):
    """Entries by op and type: what all forms have in common."""
    entries = {}
    for cell, ways in outcomes.items():
        row = entries.setdefault(cell.op, {})
        taken = set() if ways["tile"] else {way for way in WAYS if not ways[way]}
        row.setdefault(cell.kind, []).append(taken)
    return {op: {kind: spell(op, kind, forms) for kind, forms in row.items()} for op, row in entries.items()}


def spell(op, kind, forms):
    common = set.intersection(*forms)
    if len(common) == len(WAYS):
        return "yes"
    if not any(forms):
        return "no"
    letters = "".join(letter for way, letter in WAYS.items() if way in common) or "part"
    return f"{letters}<sup>{reason_of(op, kind) or '?'}</sup>"


def print_page(entries, note=""):
    text = HEAD + note
    for dialect in ("arith", "math", "vector", "gpu", "memref"):
        rows = {op: row for op, row in sorted(entries.items()) if op.startswith(dialect + ".")}
        if not rows:
            continue
        columns = [kind for kind in COLUMNS if any(kind in row for row in rows.values())]
        text += f"\n## {dialect}\n\n| op | {' | '.join(columns)} |\n|---{'|---' * len(columns)}|\n"
        for op, row in rows.items():
            text += f"| {op[len(dialect) + 1:]} | {' | '.join(row.get(kind, '') for kind in columns)} |\n"
    used = sorted({int(n) for n in re.findall(r"<sup>(\d+)</sup>", text)})
    if used:
        text += "\n## Reasons\n\n"
        for number in used:
            text += textwrap.fill(f"- <sup>{number}</sup> {REASONS[number - 1][2]}", 100, subsequent_indent="  ") + "\n"
    return text


def merge(page, entries, tried, known):
    """`entries` for what was tried, and those of a page for what else there is, with the numbers of today's reasons."""
    merged = {op: dict(row) for op, row in entries.items()}
    for op, row in page.items():
        for kind, entry in row.items():
            if (op, kind) not in tried and (op, kind) in known:
                merged.setdefault(op, {})[kind] = re.sub(r"<sup>.*</sup>", f"<sup>{reason_of(op, kind) or '?'}</sup>", entry)
    return merged


def read_page(text):
    """Entries of a page."""
    entries, dialect, columns = {}, "", []
    for line in text.splitlines():
        if line.startswith("## "):
            dialect = line[3:]
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| op |"):
            columns = cells[1:]
        elif line.startswith("| ") and columns:
            entries[f"{dialect}.{cells[0]}"] = {k: e for k, e in zip(columns, cells[1:]) if e}
    return entries
