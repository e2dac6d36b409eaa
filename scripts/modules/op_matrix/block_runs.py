# ===- block_runs.py - block programs as they are, and lowered ------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Runs cells of the block phase, many in a process: as they are, and each variant of what they are lowered to, which has
to give the same bytes. An outcome is empty where it did, or says what was refused, and by whom."""

import concurrent.futures
import json
import os
import tempfile
from pathlib import Path

from device_cases import TOOLS
from random_kernels import guards
from split_input import CRASH, describe_crash, run, run_split

from .cells import HEAD

BATCH = 60  # kernels whose ops are verified in one process
LAUNCHES = 20  # kernels of a module that is lowered, and of a carousel-sim
SECONDS, MEMORY = 120, 3 << 30
REFUSED = "refused by --carousel-verify-block: "


def verify(cells, first):
    texts = [HEAD + cell.number(index)[0] for index, cell in enumerate(cells, first)]
    command = [TOOLS / "carousel-opt", "-o", os.devnull, "--pass-pipeline=builtin.module(gpu.module(carousel-verify-block))"]
    return run_split(command, texts, SECONDS, MEMORY)[0]


class Batch:
    """Kernels of one file. `outcomes` has what went wrong, by a cell's number."""

    def __init__(self, cells, chip, folder):
        self.cells, self.chip, self.folder = cells, chip, folder  # (number, cell)
        self.kernels = {number: cell.number(number)[1] for number, cell in cells}
        self.outcomes = {}

    def lower(self, numbers):
        """The texts of modules that were lowered together; kernels that can't be have an outcome."""
        text = HEAD + "".join(self.kernels[number].text for number in numbers)
        command = [TOOLS / "carousel-opt", "-", f"--pass-pipeline=builtin.module(carousel-lower{{chip={self.chip}}})",
                   "--mlir-print-local-scope"]
        result = run(command, text, SECONDS, MEMORY)
        crash = describe_crash(result, SECONDS)
        if not crash and result.returncode == 0:
            return [(numbers, result.stdout)]
        if len(numbers) == 1:
            lines = [line for line in result.stderr.splitlines() if "error: " in line] if result else []
            self.outcomes[numbers[0]] = crash or (lines[0].partition("error: ")[2] if lines else "refused without a message")
            return []
        half = len(numbers) // 2
        return self.lower(numbers[:half]) + self.lower(numbers[half:])

    def simulate(self, file, launches, stage, options=()):
        """`launches` are (number, kernel); one that goes wrong is found."""
        if not launches:
            return
        words = [word for number, name in launches for word in ("--then", f"@m{number}::@{name}")]
        for number, _ in launches:
            for argument in self.kernels[number].arguments:
                words += ["--arg", argument.value()]
                if getattr(argument, "access", "in") != "in":
                    npy = self.folder / f"{argument.name}.npy"
                    words += ["--out" if stage == "block" else "--expect", f"{argument.name}={npy}"]
        result = run([TOOLS / "carousel-sim", file, "--kernel", *words[1:], "--json", *options], "", SECONDS)
        crash = describe_crash(result, SECONDS)
        if not crash and result.returncode == 0:
            return
        if len(launches) > 1:
            half = len(launches) // 2
            self.simulate(file, launches[:half], stage, options)
            self.simulate(file, launches[half:], stage, options)
            return
        self.outcomes.setdefault(launches[0][0], f"{stage}: {crash or describe(result)}")

    def check(self):
        file = self.folder / f"block{self.cells[0][0]}.mlir"
        file.write_text(HEAD + "".join(kernel.text for kernel in self.kernels.values()))
        self.simulate(file, [(number, kernel.name) for number, kernel in self.kernels.items()], "block")
        left = [number for number in self.kernels if number not in self.outcomes]
        for numbers, text in self.lower(left) if left else []:
            file = self.folder / f"lowered{numbers[0]}.mlir"
            file.write_text(text)
            kernels = guards.find_kernels(text)
            variants = {number: [v.name for v in kernels if v.module == f"m{number}" and
                                 guards.find_refusal(v, self.kernels[number], self.chip) is None] for number in numbers}
            for turn in range(max(map(len, variants.values()))):
                self.simulate(file, [(number, names[turn]) for number, names in variants.items() if turn < len(names)],
                              self.chip, ("--chip", self.chip))
            for number, names in variants.items():
                if not names:
                    self.outcomes[number] = "no variant whose guards hold"
        return self.outcomes


def describe(result):
    if result.returncode == 2:
        lines = [line for line in result.stderr.splitlines() if "error: " in line] or [result.stderr.strip()]
        return lines[0].partition("error: ")[2] or lines[0]
    shown = json.loads(result.stdout)["shown"]
    if shown["findings"]:
        return f"finding {shown['findings'][0]['kind']}: {shown['findings'][0]['message']}"
    wrong = [c["argument"] for c in shown["comparisons"] if c["mismatches"]]
    return f"difference in {', '.join(wrong)}" if wrong else shown["status"]


def find_outcomes(cells, chip, jobs):
    """Outcomes by cell."""
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        starts = range(0, len(cells), BATCH)
        verified = [outcome for part in pool.map(lambda at: verify(cells[at:at + BATCH], at), starts) for outcome in part]
        outcomes = [outcome if not outcome or outcome.startswith(CRASH) else REFUSED + outcome for outcome in verified]
        left = [(number, cell) for number, cell in enumerate(cells) if not outcomes[number]]
        batches = [Batch(left[at:at + LAUNCHES], chip, Path(scratch)) for at in range(0, len(left), LAUNCHES)]
        for found in pool.map(Batch.check, batches):
            for number, outcome in found.items():
                outcomes[number] = outcome
    return dict(zip(cells, outcomes))
