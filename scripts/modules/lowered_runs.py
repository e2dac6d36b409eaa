# ===- lowered_runs.py - the variants of lowered kernels, run -------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Lowers a file of the block or the tile phase for some chips, once for each, and runs on the simulated machine those
variants of its kernels whose guards hold for a command line of carousel-sim. Many runs share a process, which parses the
file once and compiles each kernel once. A variant that is, letter by letter, one that has run for a chip with no more
shared memory doesn't run again. A variant may also run as PTX, which LLVM or NVRTC makes of it: the same command line on
the same floor of the memory model, with the code that a device gets."""

import functools
import os
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from lowered_kernels import Failure, find_call, find_serving, take_option
from nvrtc import NVRTC, find_library
from random_kernels.guards import find_kernels, find_refusal

TOOLS = Path(os.environ.get("CAROUSEL_BUILD_DIR", Path(__file__).resolve().parents[2] / "build")) / "bin"
PIPELINE = "builtin.module(carousel-lower{chip=CHIP})"
# Shared memory of a CTA, which carousel-sim checks.
KILOBYTES = {"sm_86": 99, "sm_89": 99, "sm_120": 99, "sm_80": 163, "sm_90": 227, "sm_100": 227}


def run(tool, *words):
    try:
        return subprocess.run([TOOLS / tool, *words], capture_output=True, text=True, check=False)
    except OSError as error:
        raise Failure(f"expected a build with {TOOLS / tool}, got {error.strerror}") from error


def transform(*words):
    """What carousel-opt prints."""
    done = run("carousel-opt", *words)
    if done.returncode:
        raise Failure("\n".join((done.stderr or f"carousel-opt ended with {done.returncode}").splitlines()[:20]))
    return done.stdout


FUNCTION = re.compile(r"^    gpu\.func @(\w+)\(.*?^    \}(?: loc\([^\n]*)?\n", flags=re.MULTILINE | re.DOTALL)


def is_kernel(function):
    return re.search(r"\) kernel\b", function[0].split("\n", 1)[0])


MODULE = re.compile(r"^  gpu\.module @\w+.*?^  \}(?: loc\([^\n]*)?\n", flags=re.MULTILINE | re.DOTALL)


def isolate(text, name):
    """The module with one kernel of all: the others would be parsed for nothing, and so would modules without any."""
    text = FUNCTION.sub(lambda function: function[0] if function[1] == name or not is_kernel(function) else "", text)
    return MODULE.sub(lambda module: module[0] if re.search(r"^    gpu\.func ", module[0], re.MULTILINE) else "", text)


def isolate_named(file, words, folder):
    """A file in `folder` with those kernels of `file` alone that a command line of carousel-sim names: the others would
    be lowered for nothing. The file itself where something launches its kernels."""
    text = transform(file, "--mlir-print-debuginfo", "--mlir-print-local-scope")
    named = set(re.findall(r"@(\w+)", " ".join(words)))
    kept = {kernel.name for kernel in find_kernels(text) if named & {kernel.name, kernel.serves}}
    if not kept or re.search(r"\blaunch_(func|kernel)\b|\{-#", text):
        return file
    alone = folder / file.name
    alone.write_text(FUNCTION.sub(lambda function: function[0] if function[1] in kept or not is_kernel(function) else "",
                                  text), encoding="utf-8")
    return alone


def add_code_option(parser):
    parser.add_argument("--code", metavar="KIND,...",
                        help="run variants also as PTX: llvm, nvrtc; CAROUSEL_CODE is the default")
    parser.add_argument("--code-words", default="", metavar="WORDS",
                        help="more arguments of carousel-sim for these runs: tolerances of approximations")


def parse_codes(parser, options):
    """The kinds of code in which a variant runs; the first is the machine phase."""
    options.says_codes = options.code is not None  # else a test runs that checks what is said of others
    options.code = os.environ.get("CAROUSEL_CODE", "") if options.code is None else options.code
    codes = ["", *filter(None, options.code.split(","))]
    if not set(codes) <= {"", "llvm", "nvrtc"}:
        parser.error(f"expected --code with llvm and nvrtc, got '{options.code}'")
    return codes


def as_code(run_):
    """For messages."""
    return f" as PTX by {run_.code}" if run_.code else ""


def compile_ptx(file, chip, code):
    """The file with the PTX of a lowered module: by LLVM ("llvm"), or by NVRTC of its CUDA C++ ("nvrtc")."""
    path = file.with_suffix(f".{code}.ptx")
    kind = "--mlir-to-ptx" if code == "llvm" else "--mlir-to-cuda"
    done = run("carousel-translate", kind, file, "--chip", chip)
    if done.returncode:
        raise Failure("\n".join(done.stderr.splitlines()[:20]))
    text = done.stdout if code == "llvm" else compile_cuda(done.stdout, chip, file.stem + ".cu")
    path.write_text(text, encoding="utf-8")
    return path


def compile_cuda(text, chip, name):
    """The PTX that NVRTC makes of CUDA C++, by the options of the runtime."""
    library = os.environ.get("CAROUSEL_NVRTC") or find_library(os.environ.get("CAROUSEL_CUDA_ROOT"))
    if not library:
        raise Failure("expected NVRTC, of the toolkit on the path or of CAROUSEL_CUDA_ROOT, got none")
    # As the runtime does: each operation rounds.
    compiled = NVRTC(library).compile(text, chip, "--fmad=false", kind="PTX", name=name)
    if compiled.output is None:
        raise Failure(compiled.log)
    return compiled.output.rstrip(b"\0").decode()


def compile_modules(file, chip, code):
    """The same for a file with several gpu.modules and what launches their kernels: a file for each."""
    text = transform(file, "--mlir-print-local-scope", "--mlir-print-debuginfo")
    files, modules = [], MODULE.findall(text)
    if len(modules) != len(re.findall(r"^ *gpu\.module ", text, re.MULTILINE)):
        raise Failure(f"expected each gpu.module of {file} in lines of its own, got {len(modules)}")
    for number, module in enumerate(modules):
        path = file.with_suffix(f".{number}.mlir")
        path.write_text(f"module {{\n{module}}}\n", encoding="utf-8")
        files.append(compile_ptx(path, chip, code))
    return files


def find_limit(chip):
    return KILOBYTES.get(chip.rstrip("af"))


class LoweredFile:
    """A file, and what it was lowered to for each chip."""

    def __init__(self, file, folder, pipeline=PIPELINE):
        self.file, self.folder, self.pipeline = file, folder, pipeline
        self.source = transform(file, "--mlir-print-local-scope")
        self.lowered = {}  # chip -> the file, and its text without locations; or the failure

    def lower(self, chip):
        if chip not in self.lowered:
            path = self.folder / f"{self.file.stem}.{chip}.mlir"
            try:
                transform(self.file, "-o", path, "--mlir-print-debuginfo",
                          f"--pass-pipeline={self.pipeline.replace('CHIP', chip)}")
                self.lowered[chip] = path, transform(path, "--mlir-print-local-scope")
            except Failure as failure:
                self.lowered[chip] = failure
        if isinstance(self.lowered[chip], Failure):
            raise self.lowered[chip]
        return self.lowered[chip]

    @functools.cache  # pylint: disable=method-cache-max-size-none
    def find_variants(self, chip, name):
        """The kernels that serve `name` on a chip."""
        return find_serving(self.source, self.lower(chip)[1], name)

    @functools.cache  # pylint: disable=method-cache-max-size-none
    def find_codes(self, chip):
        """By kernel: equal for those that are equal but for their chip, and so is what is around them."""
        text = re.sub(r"#nvvm\.target<[^>]*>", "", self.lower(chip)[1])
        around = hash(FUNCTION.sub(lambda function: "" if is_kernel(function) else function[0], text))
        return {function[1]: (around, hash(function[0])) for function in FUNCTION.finditer(text)}


@dataclass
class Run:
    """A variant for a chip, with the words of its run."""
    chip: str
    name: str
    words: list
    code: str = ""  # "llvm" or "nvrtc": as PTX
    same: str = ""  # the chip for which the same code runs

    good: bool = True
    lines: list = field(default_factory=list)  # what there is to say


class Case:
    """A kernel of a file, with a command line of carousel-sim."""

    def __init__(self, lowered, words):
        self.lowered, self.words = lowered, take_option(words, "--kernel")[1]
        self.name, self.call = find_call(lowered.source, words)
        # These name other kernels of the file.
        self.is_alone = "gpu.launch_func" not in lowered.source and "--then" not in words

    def plan(self, chips, codes=("",), code_words=()):
        """For each chip all runs, and a line for each variant whose guards don't hold. `codes` as in Run; runs of PTX
        have more words."""
        done = {}  # code -> chip
        plans = {}
        for chip in chips:
            runs, lines = [], []
            variants = self.lowered.find_variants(chip, self.name)
            for variant in variants:
                refusal = find_refusal(variant, self.call, chip, self.call.multiprocessors)
                if refusal:
                    lines.append(f"@{variant.name} not run: {refusal}")
                    continue
                words = self.words if take_option(self.words, "--chip")[0] else ["--chip", chip, *self.words]
                words = ["--kernel", f"@{variant.module}::@{variant.name}", *words]
                same = ""
                if self.is_alone and find_limit(chip) and len(chips) > 1:
                    code = self.lowered.find_codes(chip)[variant.name]
                    other = done.setdefault(code, chip)
                    same = other if find_limit(other) <= find_limit(chip) and other != chip else ""
                # The code that a chip gets has its name.
                # Accesses of PTX aren't counted.
                uncounted = [word for word in take_option(words, "--bank-conflict-limit")[1] if word != "--bank-conflicts"]
                runs += [Run(chip, variant.name, [*uncounted, *code_words], code) if code else
                         Run(chip, variant.name, words, same=same) for code in codes]
            plans[chip] = runs, lines, variants
        return plans

    def run_alone(self, run_):
        """In a process of its own. One that fails is repeated with the names of the source."""
        lowered, text = self.lowered.lower(run_.chip)
        alone = lowered
        if self.is_alone:
            alone = lowered.with_suffix(f".{run_.name}.mlir")
            alone.write_text(isolate(text, run_.name), encoding="utf-8")
        words = run_.words
        if run_.code:
            try:
                words = [*words, "--ptx", compile_ptx(alone, run_.chip, run_.code)]
            except Failure as failure:
                run_.good, run_.lines = False, str(failure).splitlines()
                return
        result = run("carousel-sim", alone, *words)
        if result.returncode and alone != lowered and not run_.code:
            named = run("carousel-sim", lowered, *run_.words)
            result = named if named.returncode else result
        run_.good = result.returncode == 0
        lines = (result.stdout if run_.good else result.stdout + result.stderr).strip().splitlines()
        run_.lines = lines[-1:] if run_.good else lines[:40]


def run_together(lowered, pairs):
    """Runs (case, run) pairs of one chip in one process, and each on its own if one of them fails."""
    for case, run_ in pairs:
        if run_.code:
            case.run_alone(run_)
    pairs = [(case, run_) for case, run_ in pairs if not run_.same and not run_.code]
    if not pairs:
        return
    # Equal kernels are neighbours, so that their files' orders don't matter.
    words = [word for _, run_ in pairs for word in ("--again", *run_.words)][1:]
    together = len(pairs) > 1 and not any("--json" in case.words for case, _ in pairs)
    result = run("carousel-sim", lowered.lower(pairs[0][1].chip)[0], *words) if together else None
    if result is None or result.returncode:
        for case, run_ in pairs:
            case.run_alone(run_)
        if result is not None and all(run_.good for _, run_ in pairs):
            first = pairs[0][1]
            first.good, first.lines = False, ["together with others:", *(result.stdout + result.stderr).splitlines()[:40]]
        return
    ends = [line for line in result.stdout.splitlines() if line.startswith("carousel-sim: ")]
    if len(ends) == len(pairs):  # else all are quiet
        for (_, run_), end in zip(pairs, ends):
            run_.lines = [end]
