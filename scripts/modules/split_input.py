# ===- split_input.py - many texts in one run of a tool ---------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Runs tools on texts with --split-input-file, and finds out which of the texts a tool refused, crashed on or
didn't end with. An outcome is empty where the text was taken, else the first error, or "crash: ..."."""

import math
import os
import re
import resource
import signal
import subprocess

CRASH = "crash: "
WAITS = 10  # a run that doesn't compute may last so much longer
MARK = "// =-=-="  # between what is printed for each text
SPLIT = re.compile(r"within split at .*?:(\d+) offset :\d+:\d+: error: (.*)")
# What LLVM and the C++ library print before they abort.
FATAL = re.compile(r"LLVM ERROR|UNREACHABLE executed|Assertion .* failed|terminate called|Stack dump:")


def run(command, stdin="", seconds=None, memory=None, variables=None):
    """`seconds` of the processors' time, so that a loaded machine is no fault; None after many times as much without
    an end. `memory` limits the bytes of the address space. `variables` are of the environment, beside those it has."""
    def limit():
        if seconds:
            resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(seconds), math.ceil(seconds) + 5))
        if memory:
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))

    try:
        return subprocess.run([str(word) for word in command], input=stdin, capture_output=True, text=True, check=False,
                              timeout=seconds and seconds * WAITS, errors="replace", preexec_fn=limit,
                              env={**os.environ, **(variables or {})})
    except subprocess.TimeoutExpired:
        return None


def describe_crash(result, seconds=None):
    """How a run ended that wasn't to end so; nothing for any other."""
    status = result.returncode if result else -signal.SIGXCPU
    number = -status if status < 0 else status - 128
    if number == signal.SIGXCPU and seconds:
        return CRASH + f"no end in {seconds:g} s"
    if number >= 0:
        return CRASH + (signal.Signals(number).name if number in set(signal.Signals) else f"signal {number}")
    fatal = FATAL.search(result.stderr)
    return CRASH + fatal[0] if fatal else ""


def halve(texts, function):
    half = len(texts) // 2
    left, right = function(texts[:half]), function(texts[half:])
    return left[0] + right[0], left[1] + right[1]


def find_crashes(command, texts, seconds, memory=None):
    """What a tool crashed on: a dict of places and outcomes."""
    if not texts:
        return {}
    result = run([*command, "--split-input-file"], "// -----\n".join(texts), seconds, memory)
    crash = describe_crash(result, seconds)
    if not crash or len(texts) == 1:
        return {0: crash} if crash else {}
    half = len(texts) // 2
    crashes = find_crashes(command, texts[:half], seconds, memory)
    for place, outcome in find_crashes(command, texts[half:], seconds, memory).items():
        crashes[half + place] = outcome
    return crashes


def run_split(command, texts, seconds, memory=None):
    """Outcomes, and what was printed for each where `command` prints MARK between them."""
    if not texts:
        return [], []
    starts, line = [], 1
    for text in texts:
        starts.append(line)
        line += text.count("\n") + 1
    result = run([*command, "--split-input-file"], "// -----\n".join(texts), seconds, memory)
    crash = describe_crash(result, seconds)
    outcomes = [crash] * len(texts)
    if not crash:
        for match in SPLIT.finditer(result.stderr):
            place = max(i for i, start in enumerate(starts) if start <= int(match[1]) + 1)
            outcomes[place] = outcomes[place] or match[2]
        if result.returncode and not any(outcomes) and len(texts) == 1:
            outcomes = [(result.stderr.strip() or f"status {result.returncode}").splitlines()[0]]
    if len(texts) > 1 and (crash or (result.returncode and not any(outcomes))):
        return halve(texts, lambda part: run_split(command, part, seconds, memory))
    printed = result.stdout.split(MARK) if result else []
    return outcomes, printed if len(printed) == len(texts) else [""] * len(texts)
