# ===- mutant_runs.py - whole pipelines on mutated files ---------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Makes mutants of files, keeps those that parse, and runs the pipelines of carousel-opt on them, and
carousel-sim. A result or an error is right; a signal, LLVM's fatal error and a run that doesn't end aren't."""

import concurrent.futures
import json
import os
import random
import re
from dataclasses import dataclass
from pathlib import Path

from source_mutants import mutate, read_modules
from split_input import CRASH, describe_crash, find_crashes, run, run_split

BATCH = 100
MEMORY = 8 << 30  # bytes that a tool may map
PIPELINES = (
    "--carousel-lower=chip=sm_80", "--carousel-lower=chip=sm_90a", "--carousel-lower=chip=sm_100a",
    "--carousel-to-ptx=chip=sm_80", "--carousel-to-ptx=chip=sm_90a", "--carousel-to-emitc=chip=sm_90a",
    "--carousel-lower-to-nvvm=chip=sm_90a verify=true", "--carousel-lower-to-emitc=chip=sm_90a",
)


@dataclass
class Mutant:
    file: Path
    number: int
    text: str


def make_mutants(files, seed, count):
    """The same ones for a seed, whatever their count."""
    modules = {}
    for number in range(count):
        draw = random.Random(f"{seed}/{number}")
        file = draw.choice(files)
        parts = modules.setdefault(file, list(read_modules(file)))
        if parts:
            yield Mutant(file, number, mutate(draw, draw.choice(parts)))


def guess_value(argument):
    """What --arg says of an argument that --list names."""
    shape = re.match(r"memref<((?:(?:\d+|\?)x)*)", argument["type"])
    if not shape:
        return f"{argument['name']}=3"
    extents = [extent if extent != "?" else "64" for extent in shape[1].split("x")[:-1]]
    return f"{argument['name']}=zeros:{'x'.join(extents) or '[]'}"


def simulate(tools, text, seconds):
    """How carousel-sim crashed on a module, on its list or on one of its kernels; empty if it didn't."""
    listed = run([tools / "carousel-sim", "-", "--list", "--json"], text, seconds, MEMORY)
    crash = describe_crash(listed, seconds)
    if crash or listed.returncode:
        return crash
    for kernel in json.loads(listed.stdout)[:3]:
        words = [word for argument in kernel["arguments"] for word in ("--arg", guess_value(argument))]
        if not kernel.get("launch"):
            words += ["--grid", "2", "--block", "64"]
        result = run([tools / "carousel-sim", "-", "--kernel", f"@{kernel['module']}::@{kernel['name']}", *words,
                      "--step-limit", "100000", "--quiet"], text, seconds, MEMORY)
        crash = describe_crash(result, seconds)
        if crash:
            return f"{crash}, of @{kernel['name']}"
    return ""


def check_batch(tools, mutants, seconds):
    """How many parse, and what is wrong: (mutant, tool or pipeline, outcome)."""
    opt = [tools / "carousel-opt", "--allow-unregistered-dialect", "--mlir-disable-threading", "-o", os.devnull]
    valid, _ = run_split(opt, [mutant.text for mutant in mutants], seconds, MEMORY)
    faults = [(mutant, "the parser", outcome) for mutant, outcome in zip(mutants, valid) if outcome.startswith(CRASH)]
    mutants = [mutant for mutant, outcome in zip(mutants, valid) if not outcome]
    for pipeline in PIPELINES:
        crashes = find_crashes([*opt, pipeline], [mutant.text for mutant in mutants], seconds, MEMORY)
        faults += [(mutants[place], pipeline, outcome) for place, outcome in crashes.items()]
    for mutant in mutants:
        outcome = simulate(tools, mutant.text, seconds)
        if outcome:
            faults.append((mutant, "carousel-sim", outcome))
    return len(mutants), faults


def run_mutants(tools, files, seed, count, seconds, jobs, report):
    """How many mutants parsed. `report` is called with each fault."""
    mutants = list(make_mutants(files, seed, count))
    batches = [mutants[at:at + BATCH] for at in range(0, len(mutants), BATCH)]
    parsed = 0
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for valid, faults in pool.map(lambda batch: check_batch(tools, batch, seconds), batches):
            parsed += valid
            for fault in faults:
                report(*fault)
    return parsed
