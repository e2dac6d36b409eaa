# ===- device_cases.py - kernels and what they give -------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Kernels as packages, run with every variant on a GPU and compared with what was expected when they were
packed."""

import hashlib
import json
import os
import re
import select
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOOLS = Path(os.environ.get("CAROUSEL_BUILD_DIR", ROOT / "build")) / "bin"
CHIPS = ("sm_90a", "sm_80")
HANG = 60  # seconds in which a line has to end
# What the runtime says of a variant that is there, works, and isn't for these sizes or addresses.
REFUSAL = re.compile(r"doesn't take these arguments: expected (?:(?!, got ).)*"
                     r"(to be a multiple of \d+|aligned to \d+|to be from -?\d+ to \d+)")


@dataclass
class Case:
    """`expected` has specifications as carousel-run's --expect does; outputs without one are what the
    kernel gives, as `file` has it, on the simulated machine, which has to be what the function `reference`
    gives, if there is one."""
    file: Path
    kernel: str
    arguments: list
    outputs: tuple = ()
    tolerance: list = field(default_factory=list)
    expected: dict = field(default_factory=dict)
    chips: tuple = CHIPS
    reference: str = ""


def is_at_tile_phase(file):
    """Whether a module is to be lowered: it moves tiles by ops of the tile phase."""
    return re.search(r"^\s*carousel\.(load|store|accumulate)\b", file.read_text(), re.M) is not None


def find_patterns(root=ROOT):
    """The files of examples/patterns: those at the tile phase, and those at the machine phase."""
    files = sorted((root / "examples/patterns").glob("*.mlir"))
    tile = [file for file in files if is_at_tile_phase(file)]
    return tile, [file for file in files if file not in tile]


def run(command, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False,
                          **options)


def renew(folder):
    """An empty folder to pack in; another one than an earlier pack's stays."""
    if folder.exists():
        if not folder.is_dir() or (any(folder.iterdir()) and not (folder / "cases.json").is_file()):
            sys.exit(f"{Path(sys.argv[0]).name}: error: expected a folder to make, an empty one, or one with cases.json, got {folder}")
        shutil.rmtree(folder)
    folder.mkdir(parents=True)


def words_of(kernel, arguments):
    words = ["--kernel", "@" + kernel]
    for argument in arguments:
        words += ["--arg", argument]
    return words


def check(command):
    result = run(command)
    if result.returncode:
        sys.exit(result.stderr)


def compile_packages(files, folder, lower):
    """`files` has the chips of each; `lower` has options of carousel-lower, or nothing."""
    for file, chips in sorted(files.items()):
        for chip in chips:
            source, package = file, folder / f"{file.stem}.{chip}"
            if lower:
                source = folder / f"{file.stem}.{chip}.mlir"
                check([TOOLS / "carousel-opt", file, "-o", source,
                       f"--pass-pipeline=builtin.module(carousel-lower{{chip={chip} {lower}}})"])
            # An older chip's code gets to the GPU as PTX.
            kinds = "cubin,ptx,cuda" if chip == CHIPS[0] else "ptx,cuda"
            check([TOOLS / "carousel-compile", source, "-o", package, "--chip", chip, "--quiet", f"--emit={kinds}"])
            if lower:
                source.unlink()


def simulate(case, folder):
    """The outputs as files of `folder`, by name. What several cases give is there once."""
    if not case.outputs:
        return {}
    command = [TOOLS / "carousel-sim", case.file, *words_of(case.kernel, case.arguments)]
    if case.reference:
        command += ["--reference", "@" + case.reference, *case.tolerance]
    written = {name: folder / f"new.{name}.npy" for name in case.outputs}
    for name, file in written.items():
        command += ["--out", f"{name}={file}"]
    result = run(command)
    if result.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{result.stdout}{result.stderr}")
    files = {}
    for name, file in written.items():
        files[name] = hashlib.sha256(file.read_bytes()).hexdigest()[:16] + ".npy"
        file.replace(folder / files[name])
    return files


def pack(cases, folder, lower=""):
    if not cases:
        sys.exit("expected cases to pack, got none")
    for case in cases:
        if not case.outputs and not case.expected:
            sys.exit(f"expected an output of {case.kernel} in {case.file} to compare, got none")
    folder.mkdir(parents=True, exist_ok=True)
    compile_packages({case.file: case.chips for case in cases}, folder, lower)
    listed = [{"file": case.file.stem, "kernel": case.kernel, "arguments": case.arguments, "chips": case.chips,
               "outputs": simulate(case, folder), "expected": case.expected, "tolerance": case.tolerance}
              for case in cases]
    (folder / "cases.json").write_text(json.dumps(listed, indent=1))
    print(f"{Path(sys.argv[0]).name}: {len(listed)} cases packed")


def begin_line(case, variant, package):
    """Of carousel-run --batch."""
    words = [package, "--kernel", case["kernel"], "--variant", variant, "--quiet"]
    for argument in case["arguments"]:
        words += ["--arg", argument]
    return words


def line_of(case, variant, package, folder):
    words = begin_line(case, variant, package) + case["tolerance"]
    expected = {name: folder / file for name, file in case["outputs"].items()} | case["expected"]
    for name, value in expected.items():
        words += ["--expect", f"{name}={value}"]
    return " ".join(map(str, words))


def run_batch(lines, folder, deadline):
    """What the first lines printed and their statuses, and why it ended there, if it did before the last."""
    batch, text, end = folder / "batch", b"", ""
    batch.write_text("\n".join(lines) + "\n")
    command = [os.environ.get("CAROUSEL_RUN", "carousel-run"), "--batch", str(batch)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        while not end:
            seconds = max(0, min(HANG, deadline - time.monotonic()))
            if not select.select([process.stdout], [], [], seconds)[0]:
                process.kill()
                end = f"no end after {seconds:.0f} s"
            elif piece := os.read(process.stdout.fileno(), 1 << 16):
                text += piece
            else:
                end = f"the process ended with status {process.wait()}"
    text, done, behind = text.decode(errors="replace"), [], 0
    for match in re.finditer(r"^batch \d+: (\d+)$", text, re.M):
        done.append((text[behind:match.start()].strip(), int(match[1])))
        behind = match.end()
        # The process's context is lost, and with it what the lines behind this one say.
        if "failed on the device" in done[-1][0]:
            return done, ""
    return done, f"{end}; {text[behind:].strip()}" if len(done) < len(lines) else ""


def run_lines(lines, folder, seconds=580):
    """What each line printed and its status, None if it wasn't run. A process runs many of them; where one
    fails on the device, crashes or hangs, another process goes on with the next."""
    results, deadline = [], time.monotonic() + seconds
    while len(results) < len(lines) and time.monotonic() < deadline:
        done, end = run_batch(lines[len(results):], folder, deadline)
        results += done
        if end:
            results.append((end, None))
            if not done:  # It may well not start at all.
                break
    return results + [("", None)] * (len(lines) - len(results))


def read_cases(folder):
    try:
        return json.loads((folder / "cases.json").read_text())
    except (OSError, ValueError) as error:
        sys.exit(f"expected a folder that was packed, with cases.json: {error}")


def find_runs(folder):
    """Cases with their variants."""
    runs = []
    for case in read_cases(folder):
        for chip in case["chips"]:
            package = folder / f"{case['file']}.{chip}"
            manifest = json.loads((package / "manifest.json").read_text())
            kernel = next((k for k in manifest["kernels"] if k["name"] == case["kernel"]), None)
            if kernel is None:
                sys.exit(f"expected a kernel {case['kernel']} in {package}, got none")
            runs += [(case, variant["function"], chip, package) for variant in kernel["variants"]]
    return runs


def run_all(folder, key=lambda file, kernel, variant: f"{file}: {variant}", refusals=True):
    """Prints a table, a line for each `key` and chip; returns whether nothing was wrong and each line has
    a run. Without `refusals` a guard that doesn't hold is wrong, too."""
    counts, failures = {}, []
    runs = find_runs(folder)
    lines = [line_of(case, variant, package, folder) for case, variant, _, package in runs]
    for (case, variant, chip, _), line, (text, status) in zip(runs, lines, run_lines(lines, folder)):
        count = counts.setdefault((key(case["file"], case["kernel"], variant), chip),
                                  {"right": 0, "guarded off": 0, "wrong": 0})
        if status == 0:
            count["right"] += 1
        elif refusals and status == 3 and REFUSAL.search(text):
            count["guarded off"] += 1
        else:
            count["wrong"] += 1
            failures.append(f"{line}\n{text[:600] or 'not run'}")
    print(f"{'variant':40} {'chip':8} right  guarded off  wrong")
    for (name, chip), count in sorted(counts.items()):
        print(f"{name:40} {chip:8} {count['right']:5} {count['guarded off']:12} {count['wrong']:6}")
        if not count["right"] and not count["wrong"]:
            failures.append(f"{name}, {chip}: expected a case that its guards let run, got none")
    print("\n\n".join(failures[:12]))
    return bool(runs) and not failures


def time_kernel(package, kernel, arguments):
    """What carousel-run says of it, or an error."""
    tool = os.environ.get("CAROUSEL_RUN", "carousel-run")
    command = [tool, package, "--kernel", kernel, "--bench", "--seconds", "0.5", "--json", "--quiet"]
    for argument in arguments:
        command += ["--arg", argument]
    result = run(command, timeout=200)
    try:
        data = json.loads(result.stdout)
        return data["variant"], data["bench"]["median_us"], data["bench"].get("gb_per_s", 0)
    except (ValueError, KeyError):
        return (result.stdout + result.stderr).strip()[:300]
