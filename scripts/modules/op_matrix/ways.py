# ===- ways.py - what each way makes of a cell -------------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Compiles cells, many in a process, and finds out which of them a tool refused or crashed on. Outcomes are those
of split_input.py."""

import bisect
import concurrent.futures
import os
import re
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from device_cases import TOOLS
from nvrtc import NVRTC, find_library
from split_input import MARK, describe_crash, run, run_split

from .cells import HEAD

BATCH = 60  # kernels of a process or of NVRTC
LAUNCHES = 15  # those of a carousel-sim
SECONDS = 300
PROGRESS_SECONDS = 10
NVRTC_ERROR = re.compile(r"^kernel\.cu\((\d+)\): (?:catastrophic )?error.*", re.M)
SIM_ERROR = re.compile(r"^<stdin>:(\d+):\d+: error: (.*)", re.M)


def number(cell, index):
    """The text of a cell whose symbols are its own in a batch."""
    return re.sub(r"@(k|g)\b", rf"@\g<1>{index}", cell.text)


def split(tool, *options, cells, first):
    """Outcomes, and what was printed for each."""
    texts = [number(cell, index) for index, cell in enumerate(cells, first)]
    return run_split([TOOLS / tool, *options], texts, SECONDS)


def check_valid(cells, first, _):
    return split("carousel-opt", "-o", os.devnull, cells=cells, first=first)[0]


def check_tile(cells, first, _):
    return split("carousel-opt", "-o", os.devnull, "--pass-pipeline=builtin.module(gpu.module(carousel-verify-tile))",
                 cells=cells, first=first)[0]


def check_ptx(cells, first, chip):
    return split("carousel-translate", "--mlir-to-cubin", f"--chip={chip}", "-o", os.devnull, cells=cells, first=first)[0]


def compile_texts(nvrtc, texts, chip):
    """Outcomes of NVRTC."""
    log = nvrtc.compile("".join(texts), chip, "--fmad=false").log if texts else ""
    errors = [(int(m[1]), m[0]) for m in NVRTC_ERROR.finditer(log)]
    if not errors and "error" not in log:
        return [""] * len(texts)
    return blame(texts, errors, log, lambda left, _: compile_texts(nvrtc, left, chip))


def check_cuda(cells, first, chip):
    outcomes, printed = split("carousel-translate", "--mlir-to-cuda", f"--chip={chip}", "--cuda-locations=0",
                              f"--output-split-marker={MARK}", cells=cells, first=first)
    library = find_library(os.environ.get("CAROUSEL_CUDA_ROOT"))
    taken = [index for index, outcome in enumerate(outcomes) if not outcome]
    if library and not os.environ.get("NO_NVRTC"):
        for index, outcome in zip(taken, compile_texts(NVRTC(library), [printed[i] for i in taken], chip)):
            outcomes[index] = outcome and "NVRTC: " + outcome
    return outcomes


def blame(texts, errors, log, again):
    """Outcomes of texts that a tool refused as one. `errors` are lines of the whole and what was said of them; `again`
    finds the outcomes of fewer texts, of which it gets the places too."""
    if len(texts) == 1:
        lines = log.strip().splitlines()
        errors = [text for _, text in errors] or [line for line in lines if "error" in line] or lines
        return [errors[0] if errors else "no message"]
    starts = [0]
    for text in texts:
        starts.append(starts[-1] + text.count("\n"))
    outcomes = {}
    for line, text in errors:
        if line <= starts[-1]:
            outcomes.setdefault(bisect.bisect_left(starts, line) - 1, text)
    if outcomes:
        rest = [[place for place in range(len(texts)) if place not in outcomes]]
    else:
        rest = [range(len(texts) // 2), range(len(texts) // 2, len(texts))]
    for places in filter(None, rest):
        outcomes.update(zip(places, again([texts[place] for place in places], places)))
    return [outcomes[place] for place in range(len(texts))]


def simulate(texts, words, kernels):
    """Outcomes of launches of one process, each in a module of its own."""
    names = [word for name in kernels for word in ("--then", name)]
    arguments = [word for some in words for argument in some for word in ("--arg", argument)]
    result = run([TOOLS / "carousel-sim", "-", "--kernel", *names[1:], *arguments], HEAD + "".join(texts), SECONDS)
    crash = describe_crash(result, SECONDS)
    if crash and len(texts) == 1:
        return [crash]
    if not crash and result.returncode == 0:
        return [""] * len(texts)
    text = "" if crash else result.stderr + result.stdout
    errors = [(int(m[1]) - HEAD.count("\n"), m[2]) for m in SIM_ERROR.finditer(text)]
    return blame(texts, errors, text, lambda left, places: simulate(left, [words[i] for i in places],
                                                                    [kernels[i] for i in places]))


def check_sim(cells, first, _):
    texts, words, kernels = [], [], []
    for index, cell in enumerate(cells, first):
        # Arguments of one name are one, and modules of a file have names of their own.
        text = number(cell, index).removeprefix(HEAD).replace("gpu.module @m ", f"gpu.module @m{index} ")
        texts.append(text.replace('carousel.argument<"', f'carousel.argument<"n{index}_'))
        words.append([f"n{index}_{argument}" for argument in cell.arguments])
        kernels.append(f"@m{index}::@k{index}")
    outcomes = []
    for at in range(0, len(cells), LAUNCHES):
        batch = slice(at, at + LAUNCHES)
        outcomes += simulate(texts[batch], words[batch], kernels[batch])
    return outcomes


CHECKS = {"valid": check_valid, "tile": check_tile, "sim": check_sim, "ptx": check_ptx, "cuda": check_cuda}


def check_all(cells, way, chip="sm_90a", jobs=None):
    """The outcome of each cell. Says how far it is, on stderr."""
    function = CHECKS[way]
    starts = range(0, len(cells), BATCH)
    outcomes, said = [], time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(jobs or os.cpu_count()) as pool:
        for part in pool.map(lambda start: function(cells[start:start + BATCH], start, chip), starts):
            outcomes += part
            if time.monotonic() - said > PROGRESS_SECONDS:
                said = time.monotonic()
                print(f"op-matrix: {way}: {len(outcomes)} of {len(cells)}", file=sys.stderr, flush=True)
    return outcomes
