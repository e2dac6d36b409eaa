# ===- program_table.py - what programs are predicted to take ---------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""What the compiler says of a program's speed, compared with a table: a performance test without a GPU.

A row of the table is a program on a chip: the sum of the predicted times of its steps in us, the numbers of its launches and of
its kernels, those whose products are multiply-adds of threads, those that are warned of since they take more than three times
their bound, and the bytes of registers that a thread of each kernel spills, summed. ptxas assembles the first of the variants
of each kernel that launches may take, which isn't always the one that they do take."""

import json
import re
import tempfile
from concurrent.futures import ThreadPoolExecutor
from os import cpu_count
from pathlib import Path

from device_cases import CHIPS, TOOLS, run

# By how much a quantity may be worse: a part of what it was, and an amount.
TOLERANCES = {"predicted us": (0.03, 0.5), "launches": (0, 0), "kernels": (0, 0), "multiply-adds": (0, 0), "slow": (0, 0),
              "spilled bytes": (0.1, 16)}


def measure(graph, chip):
    """A row of the table, and the warnings that it counts; or nothing, and the error."""
    with tempfile.TemporaryDirectory() as folder:
        package = Path(folder) / "package"
        done = run([TOOLS / "carousel-compile", graph, "-o", package, "--chip", chip, "--variants=first", "--explain=json"])
        if done.returncode:
            return None, [line for line in done.stderr.splitlines() if "error: " in line] or [f"status {done.returncode}"]
        if not list(package.glob("*.cubin")):
            return None, ["expected a CUDA toolkit, whose ptxas says what kernels spill, got none"]
    decisions = json.loads(done.stdout)
    steps = [note for note in decisions["graphs"] if note["name"] == "Time" and not note["Step"].endswith(" at load")]
    slow = [note["text"] for note in decisions["graphs"] if note["name"] == "Slow"]
    byThreads = {kernel["name"]: note["value"] for kernel in decisions["kernels"] for variant in kernel["variants"]
                 for note in variant["decisions"].get("notes", []) if "multiply-adds" in note["value"]}
    avoidable = re.findall(r"warning: (.*\[product:.*\])", done.stderr)
    spills = re.findall(r"warning: (.* spills (\d+) bytes .*)", done.stderr)
    row = {"predicted us": sum(float(note["Predicted"]) for note in steps if " steps" not in note["Step"]),
           "launches": len(steps) - 1, "kernels": len(decisions["kernels"]),
           "multiply-adds": len(byThreads) + len(avoidable), "slow": len(slow), "spilled bytes": sum(int(size) for _, size in spills)}
    row["predicted us"] = round(row["predicted us"], 1)
    return row, [*slow, *(f"{name}: {text}" for name, text in byThreads.items()), *avoidable, *(text for text, _ in spills)]


def compare(was, row):
    """Words for each quantity that is worse, and for each that is better, by more than its tolerance."""
    worse, better = [], []
    for quantity, (part, amount) in TOLERANCES.items():
        change, allowed = row[quantity] - was[quantity], part * was[quantity] + amount
        if abs(change) > allowed:
            (worse if change > 0 else better).append(f"{quantity} was {was[quantity]}, is {row[quantity]}")
    return worse, better


def judge(known, own, row, update):
    """What is worse, and what is better, than the table's row of a program."""
    if update:
        known[own] = row
        return [], []
    return compare(known[own], row) if own in known else (["expected a row of the table, got none (--update writes it)"], [])


def check(graphs, table, update):
    """`graphs`: files by their models' names; `table`: the file. Returns whether no program is worse."""
    known = json.loads(table.read_text(encoding="utf-8")) if table.exists() else {}
    isGood, isBetter = True, False
    cases = [(name, chip) for name in graphs for chip in CHIPS]
    with ThreadPoolExecutor(cpu_count()) as pool:
        for (name, chip), (row, words) in zip(cases, pool.map(lambda case: measure(graphs[case[0]], case[1]), cases)):
            worse, better = judge(known, f"{name}, {chip}", row, update) if row else (words, [])
            facts = [f"worse: {text}" for text in worse] + [f"better: {text}" for text in better]
            if worse and row:
                facts += words
            print(f"{name}, {chip}: " + "\n  ".join(facts or [", ".join(f"{quantity} {row[quantity]}" for quantity in TOLERANCES)]),
                  flush=True)
            isGood, isBetter = isGood and not worse, isBetter or bool(better)
    if update:
        lines = (f"  {json.dumps(own)}: {json.dumps(known[own])}" for own in sorted(known))
        table.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    if isBetter:
        print(f"better than {table.name}: --update writes what it is now")
    return isGood
