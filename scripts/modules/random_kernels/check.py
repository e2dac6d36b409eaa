# ===- check.py - what a kernel gives at each phase ------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Runs kernels: at the tile phase, whose results are the expected ones, and lowered for chips, where
they have to be the same without a finding under all schedules; and kernels of the block phase as a stock mlir-opt
canonicalizes them."""

import json
import os
import re
import shlex
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path

from lowered_kernels import Failure
from lowered_runs import compile_ptx
from split_input import FATAL
from split_input import run as run_limited

from . import broken, guards

VERIFY = "builtin.module(gpu.module(carousel-verify-tile))"
VERIFY_BLOCK = "builtin.module(gpu.module(carousel-verify-block))"
SPLIT = "// -----"
STOCK = "mlir-opt"  # a stage: what a stock one makes of kernels of the block phase
# Without the patterns of docs/UpstreamFolds.md.
CANONICALIZE = ("builtin.module(canonicalize{disable-patterns='(anonymous namespace)::ShapeCastBroadcastFolder,"
                "(anonymous namespace)::FoldContiguousGather,(anonymous namespace)::ElideUnitDimsInMultiDimReduction'})")
LLVM = Path(os.environ.get("CAROUSEL_LLVM_ROOT", "/usr/lib/llvm-22"))
MEMORY = 3 << 30  # bytes of carousel-opt, for any of these kernels


@dataclass
class Fault:
    """Why a case fails. `kind` is what the minimiser keeps: "crash", "silent", "refused", "finding data-race",
    "difference", "deadlock", "timeout", "invalid"."""
    stage: str  # "verify", "tile", "mlir-opt", "lower CHIP", "CHIP"
    kind: str
    detail: str = ""
    policy: str = None  # of the schedule that failed
    seed: int = 0

    def __str__(self):
        return f"{self.stage}: {self.kind}" + (f": {self.detail}" if self.detail else "")

    def same(self, other):
        return other is not None and self.describe_kind() == other.describe_kind()

    def describe_kind(self):
        # Rules differ by their words; values and types are the case's.
        rule = re.sub(r"'[^']*'|\d+", "", self.detail) if self.kind == "refused" else None
        return self.stage, self.kind, rule


@dataclass
class Settings:
    tools: Path
    folder: Path
    chips: list
    lower: str  # a pipeline, with CHIP in it
    schedules: int
    policy: str
    timeout: float
    seed: int = 0
    repeat_tile: bool = True  # under the schedules, too
    symbolize: bool = True  # name the frames of a crash, which takes seconds
    step_limit: int = 20_000_000
    broken: str = None  # a mistake of broken.NAMES that lowering makes
    codes: tuple = ()  # also as PTX, by "llvm" or "nvrtc"


def run(command, timeout):
    """None: it took too long."""
    try:
        return subprocess.run([str(word) for word in command], capture_output=True, text=True,
                              timeout=timeout, check=False)
    except subprocess.TimeoutExpired:
        return None


def first_error(text):
    lines = text.strip().splitlines()
    return next((line for line in lines if "error:" in line), lines[0] if lines else "")


class Checker:
    def __init__(self, settings):
        self.settings = settings

    # ===- carousel-opt -----------------------------------------------------------===#

    def transform(self, texts, pipeline, stage):
        """Runs a pipeline on several modules in one process. Gives, for each, the text or a Fault:
        where one of them fails, each goes alone."""
        tool = [self.settings.tools / "carousel-opt"]
        if stage == STOCK:
            tool = [LLVM / "bin/mlir-opt", f"--load-dialect-plugin={self.settings.tools.parent / 'lib/CarouselPlugin.so'}"]
        command = [*tool, "-", f"--pass-pipeline={pipeline}", "--split-input-file", "--mlir-print-local-scope"]
        joined = f"\n{SPLIT}\n".join(texts)
        done = run_limited(command, joined, self.settings.timeout * len(texts), MEMORY,
                           {} if self.settings.symbolize else {"LLVM_DISABLE_SYMBOLIZATION": "1"})
        if done is not None and done.returncode == 0:
            parts = done.stdout.split(SPLIT)
            if len(parts) == len(texts):
                return parts
        if len(texts) > 1:
            return [self.transform([text], pipeline, stage)[0] for text in texts]
        if done is None or done.returncode == -signal.SIGXCPU:
            return [Fault(stage, "timeout")]
        if done.returncode == 1 and not done.stderr.strip():
            return [Fault(stage, "silent", "exit status 1 without a message")]
        if done.returncode != 1 or "error:" not in done.stderr:
            return [Fault(stage, "crash", describe_crash(done))]
        return [Fault(stage, "refused", first_error(done.stderr).partition("error: ")[2])]

    # ===- carousel-sim -----------------------------------------------------------===#

    def make_words(self, words, schedules, policy):
        words = [*words, "--json", "--jobs", 1, "--step-limit", self.settings.step_limit]
        if schedules:
            words += ["--schedules", schedules, "--policy", policy, "--seed", self.settings.seed]
        return words

    def passes(self, file, runs):
        """Whether (words, schedules, policy) pass one after the other in one process, which compiles a kernel once."""
        words = [word for given in runs for word in ("--again", *self.make_words(*given))]
        done = run([self.settings.tools / "carousel-sim", file, *words[1:]], self.settings.timeout * len(runs))
        return done is not None and done.returncode == 0

    def simulate(self, file, words, stage, schedules, policy):
        """A Fault, or None."""
        settings = self.settings
        done = run([settings.tools / "carousel-sim", file, *self.make_words(words, schedules, policy)], settings.timeout)
        if done is None:
            return Fault(stage, "timeout")
        if done.returncode == 0:
            return None
        if done.returncode == 2:
            return Fault(stage, "invalid", first_error(done.stderr))
        if done.returncode != 1:
            return Fault(stage, "crash", describe_crash(done))
        shown = json.loads(done.stdout)["shown"]
        policy, seed = shown["policy"], shown["seed"]
        replay = f"--policy {policy} --seed {seed}"
        if shown["findings"]:
            finding = shown["findings"][0]
            return Fault(stage, f"finding {finding['kind']}", f"{finding['message']}; {replay}",
                         policy, seed)
        if shown["status"] != "finished":
            return Fault(stage, shown["status"], replay, policy, seed)
        names = [c["argument"] for c in shown["comparisons"] if c["mismatches"]]
        return Fault(stage, "difference", f"in {', '.join(names)}; {replay}", policy, seed)

    def run_tile(self, kernel, file):
        """Runs the tile phase and keeps its results; then under the schedules, which have to agree."""
        expected = []
        words = kernel.words()
        for name in kernel.outputs():
            npy = self.settings.folder / f"{kernel.name}.{name}.npy"
            words += ["--out", f"{name}={npy}"]
            expected += ["--expect", f"{name}={npy}"]
        repeats = self.settings.schedules and self.settings.repeat_tile
        if repeats and self.passes(file, [(words, 0, None), (kernel.words() + expected, 1, self.settings.policy)]):
            return None, expected
        fault = self.simulate(file, words, "tile", 0, None)
        if fault is None and repeats:
            fault = self.simulate(file, kernel.words() + expected, "tile", 1, self.settings.policy)
        return fault, expected

    def run_chip(self, kernel, text, chip, expected):
        """Runs a lowered kernel: of its variants, each whose guards hold."""
        file = self.settings.folder / f"{kernel.name}.{chip}.mlir"
        file.write_text(text)
        variants = guards.find_variants(text, kernel, chip)
        if not variants:
            return Fault(chip, "invalid", guards.describe_none(kernel))
        schedules, policy = self.settings.schedules, self.settings.policy
        runs = []
        for variant in variants:
            words = kernel.words()
            words[1] = "@" + variant
            kernel.variants.add(f"{chip} variant{variant[len(kernel.name):]}")
            runs.append(([*words, *expected, "--chip", chip, *kernel.machine], schedules, policy))
        return self.run_variants(file, variants, runs, chip) or self.run_codes(file, variants, runs, chip)

    def run_variants(self, file, variants, runs, stage):
        """The Fault of the first variant that has one, or None."""
        if len(runs) > 1 and self.passes(file, runs):
            return None
        for variant, given in zip(variants, runs):
            fault = self.simulate(file, given[0], stage, *given[1:])
            if fault:
                fault.detail = f"@{variant}: {fault.detail}"
                return fault
        return None

    def run_codes(self, file, variants, runs, chip):
        """The same with the PTX that a compiler makes of the file."""
        for code in self.settings.codes:
            stage = f"{chip} as PTX by {code}"
            try:
                ptx = compile_ptx(file, chip, code)
            except Failure as failure:
                return Fault(stage, "refused", str(failure))
            given = [([*words, "--ptx", ptx], schedules, policy) for words, schedules, policy in runs]
            fault = self.run_variants(file, variants, given, stage)
            if fault:
                return fault
        return None

    # ===- Several kernels --------------------------------------------------------===#

    def prepare(self, kernels):
        """Stages of carousel-opt, of all kernels in few processes. Gives (stage, texts or Faults)."""
        texts = [kernel.text for kernel in kernels]
        verify = VERIFY_BLOCK if "carousel.block_program" in texts[0] else VERIFY
        stages = [("verify", self.transform(texts, verify, "verify"))]
        if verify == VERIFY_BLOCK:
            stages.append((STOCK, self.transform(texts, CANONICALIZE, STOCK)))
        for chip in self.settings.chips:
            pipeline = self.settings.lower.replace("CHIP", chip)
            stages.append((chip, self.break_and_lower(texts, chip) if self.settings.broken else
                           self.transform(texts, pipeline, f"lower {chip}")))
        return stages

    def break_and_lower(self, texts, chip):
        """As the pipeline, with a mistake. Gives None where a kernel has nothing to break."""
        rule, stage = self.settings.broken, f"lower {chip}"

        def change(results, rules):
            if rule not in rules:
                return results
            return [rules[rule](text) if isinstance(text, str) else text for text in results]

        def lower(results, pipeline):
            return [self.transform([text], pipeline.replace("CHIP", chip), stage)[0] if isinstance(text, str)
                    else text for text in results]

        rings = change(lower(change(texts, broken.TILE), broken.FIRST), broken.RINGS)
        return change(lower(rings, broken.SECOND), broken.LOWERED)

    def finish(self, kernel, results):
        """Faults of one kernel; `results` are (stage, its text or Fault) of prepare."""
        stages = dict(results)
        if isinstance(stages["verify"], Fault):
            return [stages["verify"]]
        file = self.settings.folder / f"{kernel.name}.mlir"
        file.write_text(kernel.text)
        fault, expected = self.run_tile(kernel, file)
        if fault:
            return [fault]
        faults = []
        fault = stages.get(STOCK)
        if isinstance(fault, str):
            file = self.settings.folder / f"{kernel.name}.stock.mlir"
            file.write_text(fault)
            fault = self.simulate(file, kernel.words() + expected, STOCK, 0, None)
        faults += [fault] if fault else []
        for chip in self.settings.chips:
            fault = stages[chip]
            if fault is None:
                continue
            if not isinstance(fault, Fault):
                fault = self.run_chip(kernel, fault, chip, expected)
            if fault:
                faults.append(fault)
        return faults

    def check(self, kernel):
        return self.finish(kernel, [(stage, results[0]) for stage, results in self.prepare([kernel])])


def describe_crash(done):
    """The signal, what LLVM said of it, and the innermost frame that is Carousel's own."""
    status = done.returncode
    words = [f"signal {-status}" if status < 0 else f"exit status {status}"]
    if (fatal := FATAL.search(done.stderr)) and not fatal[0].startswith("Stack dump"):
        words.append(done.stderr[fatal.start():].splitlines()[0][:200])
    # Frames end with files, which have the name of the build's folder.
    frames = [line.partition(" 0x")[2] for line in done.stderr.splitlines()]
    frames = [re.sub(r"^\w+ | \(/.*", "", frame) for frame in frames]
    frame = next((f for f in frames if "carousel::" in f or "(anonymous namespace)::" in f), None)
    return ": ".join(words + ([frame[:200]] if frame else []))


def reproduce(kernel, options, fault):
    """The command that makes this case again."""
    chips = f" --chip {','.join(options.chips)}" if options.chips else ""
    lower = f" --lower {shlex.quote(options.lower)}" if options.lower_given else ""
    kind = "" if options.kind == "sections" else f" --kind {options.kind}"
    return (f"scripts/random-kernels{kind} --seed {kernel.seed} --count 1{chips}{lower} "
            f"--schedules {options.schedules}  # {re.sub(chr(10), ' ', str(fault))}")
