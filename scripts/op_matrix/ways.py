# ===- ways.py - what each way makes of a cell -------------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Compiles cells, many in a process, and finds out which of them a tool refused or crashed on. An outcome is
empty where the cell was taken, else the first error, or "crash: ..."."""

import concurrent.futures
import os
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from device_cases import TOOLS
from nvrtc import NVRTC, find_library

BATCH = 60
SECONDS = 120
CRASH = "crash: "
SPLIT = re.compile(r"within split at .*?:(\d+) offset :\d+:\d+: error: (.*)")
MARK = "// =-=-="


def run(command, stdin="", seconds=SECONDS):
    try:
        return subprocess.run([str(word) for word in command], input=stdin, capture_output=True, text=True,
                              check=False, timeout=seconds, errors="replace")
    except subprocess.TimeoutExpired:
        return None


def number(cell, index):
    """The text of a cell whose symbols are its own in a batch."""
    return re.sub(r"@(k|g)\b", rf"@\g<1>{index}", cell.text)


def is_crash(result):
    return result is None or result.returncode < 0 or result.returncode >= 128


def describe_crash(result):
    if result is None:
        return CRASH + f"no end after {SECONDS} s"
    return CRASH + f"signal {-result.returncode if result.returncode < 0 else result.returncode - 128}"


def run_split(command, cells, first):
    """Outcomes, and what was printed for each."""
    texts, lines, line = [], {}, 1
    for index, cell in enumerate(cells):
        text = number(cell, first + index)
        lines[line] = index
        texts.append(text)
        line += text.count("\n") + 1
    result = run(command, "// -----\n".join(texts))
    if is_crash(result):
        if len(cells) == 1:
            return [describe_crash(result)], [""]
        half = len(cells) // 2
        left, right = (run_split(command, cells[:half], first), run_split(command, cells[half:], first + half))
        return left[0] + right[0], left[1] + right[1]
    outcomes = [""] * len(cells)
    starts = sorted(lines)
    for match in SPLIT.finditer(result.stderr):
        start = max(at for at in starts if at <= int(match[1]) + 1)
        outcomes[lines[start]] = outcomes[lines[start]] or match[2]
    if result.returncode and not any(outcomes):
        if len(cells) == 1:
            return [(result.stderr.strip() or f"status {result.returncode}").splitlines()[0]], [""]
        half = len(cells) // 2
        left, right = (run_split(command, cells[:half], first), run_split(command, cells[half:], first + half))
        return left[0] + right[0], left[1] + right[1]
    printed = result.stdout.split(MARK)
    return outcomes, printed if len(printed) == len(cells) else [""] * len(cells)


def check_valid(cells, first, _):
    return run_split([TOOLS / "carousel-opt", "--split-input-file", "-o", os.devnull], cells, first)[0]


def check_tile(cells, first, _):
    return run_split([TOOLS / "carousel-opt", "--split-input-file", "-o", os.devnull,
                      "--pass-pipeline=builtin.module(gpu.module(carousel-verify-tile))"], cells, first)[0]


def check_ptx(cells, first, chip):
    return run_split([TOOLS / "carousel-translate", "--mlir-to-cubin", f"--chip={chip}", "--split-input-file",
                      f"--output-split-marker={MARK}", "-o", os.devnull], cells, first)[0]


def compile_texts(nvrtc, texts, chip):
    """Outcomes of NVRTC."""
    log = nvrtc.compile("\n".join(texts), chip, "--fmad=false").log if texts else ""
    if "error" not in log:
        return [""] * len(texts)
    if len(texts) == 1:
        return [next(line for line in log.splitlines() if "error" in line)]
    half = len(texts) // 2
    return compile_texts(nvrtc, texts[:half], chip) + compile_texts(nvrtc, texts[half:], chip)


def check_cuda(cells, first, chip):
    outcomes, printed = run_split(
        [TOOLS / "carousel-translate", "--mlir-to-cuda", f"--chip={chip}", "--cuda-locations=0",
         "--split-input-file", f"--output-split-marker={MARK}"], cells, first)
    library = find_library(os.environ.get("CAROUSEL_CUDA_ROOT"))
    taken = [index for index, outcome in enumerate(outcomes) if not outcome]
    if library and not os.environ.get("NO_NVRTC"):
        for index, outcome in zip(taken, compile_texts(NVRTC(library), [printed[i] for i in taken], chip)):
            outcomes[index] = outcome and "NVRTC: " + outcome
    return outcomes


def check_sim(cells, first, _):
    outcomes = []
    for index, cell in enumerate(cells):
        words = [word for argument in cell.arguments for word in ("--arg", argument)]
        result = run([TOOLS / "carousel-sim", "-", "--kernel", f"@k{first + index}", *words], number(cell, first + index))
        if is_crash(result):
            outcomes.append(describe_crash(result))
        elif result.returncode:
            text = (result.stderr + result.stdout).strip().splitlines()
            errors = [line for line in text if "error" in line] or text
            outcomes.append(errors[0] if errors else f"status {result.returncode}")
        else:
            outcomes.append("")
    return outcomes


CHECKS = {"valid": check_valid, "tile": check_tile, "sim": check_sim, "ptx": check_ptx, "cuda": check_cuda}


def check_all(cells, way, chip="sm_90a", jobs=None):
    """The outcome of each cell."""
    function = CHECKS[way]
    starts = range(0, len(cells), BATCH)
    with concurrent.futures.ThreadPoolExecutor(jobs or os.cpu_count()) as pool:
        parts = pool.map(lambda start: function(cells[start:start + BATCH], start, chip), starts)
        return [outcome for part in parts for outcome in part]
