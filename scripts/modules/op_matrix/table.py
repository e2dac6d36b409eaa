# ===- table.py - what is taken, as data and as a page ------------------------ py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""From outcomes to docs/op-matrix.json, and from there to a page. An entry is the set of ways that take an op with an element type:
"yes" for all of them, "no" for none, "" where MLIR has no such op, else letters of ways."""

import json
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
types. `scripts/op-matrix page` prints it from `docs/op-matrix.json`, which `scripts/op-matrix write`
writes from compilations of a kernel for each entry, and which `scripts/op-matrix check` compares with
compilations.

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

[Phases.md](Phases.md#which-ops-a-kernel-may-hold) says how 8-bit floats compute, and which other types
are refused.
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
    return {op: {kind: spell(forms) for kind, forms in row.items()} for op, row in entries.items()}


def spell(forms):
    common = set.intersection(*forms)
    if len(common) == len(WAYS):
        return "yes"
    if not any(forms):
        return "no"
    return "".join(letter for way, letter in WAYS.items() if way in common) or "part"


def print_cell(op, kind, entry):
    return entry if entry in ("", "yes", "no") else f"{entry}<sup>{reason_of(op, kind) or '?'}</sup>"


def print_page(entries, note=""):
    text = HEAD + note
    for dialect in ("arith", "math", "vector", "gpu", "memref"):
        rows = {op: row for op, row in sorted(entries.items()) if op.startswith(dialect + ".")}
        if not rows:
            continue
        columns = [kind for kind in COLUMNS if any(kind in row for row in rows.values())]
        text += f"\n## {dialect}\n\n| op | {' | '.join(columns)} |\n|---{'|---' * len(columns)}|\n"
        for op, row in rows.items():
            cells = [print_cell(op, kind, row.get(kind, "")) for kind in columns]
            text += f"| {op[len(dialect) + 1:]} | {' | '.join(cells)} |\n"
    used = sorted({int(n) for n in re.findall(r"<sup>(\d+)</sup>", text)})
    if used:
        text += "\n## Reasons\n\n"
        for number in used:
            text += textwrap.fill(f"- <sup>{number}</sup> {REASONS[number - 1][2]}", 100, subsequent_indent="  ") + "\n"
    return text


def merge(entries, others, tried, known):
    """`entries` for what was tried, and `others` for what else there is."""
    merged = {op: dict(row) for op, row in entries.items()}
    for op, row in others.items():
        for kind, entry in row.items():
            if (op, kind) not in tried and (op, kind) in known:
                merged.setdefault(op, {})[kind] = entry
    return merged


def write_entries(path, entries, few):
    """Writes a line for each op: its entries, each with the types that have it."""
    lines = []
    for op, row in sorted(entries.items()):
        kinds = {}
        for kind in COLUMNS:
            if entry := row.get(kind):
                kinds.setdefault(entry, []).append(kind)
        lines.append(f'    "{op}": {json.dumps({entry: " ".join(of) for entry, of in kinds.items()})}')
    path.write_text('{\n  "few": %s,\n  "ops": {\n%s\n  }\n}\n' % (json.dumps(few), ",\n".join(lines)), encoding="utf-8")


def read_entries(path):
    """The entries of a file, and whether they stand for one form of each op only."""
    data = json.loads(path.read_text(encoding="utf-8"))
    return {op: {kind: entry for entry, kinds in row.items() for kind in kinds.split()}
            for op, row in data["ops"].items()}, data["few"]
