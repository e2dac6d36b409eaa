# ===- device_cases.py - kernels and what they give -------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Kernels of the tile phase as packages, run with every variant on a GPU and compared with what was
expected when they were packed."""

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TOOLS = Path(os.environ.get("CAROUSEL_BUILD_DIR", ROOT / "build")) / "bin"
CHIPS = ("sm_90a", "sm_80")


@dataclass
class Case:
    """`expected` has specifications as carousel-run's --expect does; outputs without one are what the
    kernel gives at the tile phase on the simulated machine."""
    file: Path
    kernel: str
    arguments: list
    outputs: tuple = ()
    tolerance: list = field(default_factory=list)
    expected: dict = field(default_factory=dict)


def run(command, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False,
                          **options)


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
    """`lower` has options of carousel-lower, or nothing."""
    for file in files:
        for chip in CHIPS:
            source, package = file, folder / f"{file.stem}.{chip}"
            if lower:
                source = folder / f"{file.stem}.{chip}.mlir"
                check([TOOLS / "carousel-opt", file, "-o", source,
                       f"--pass-pipeline=builtin.module(carousel-lower{{chip={chip} {lower}}})"])
            # An older chip's code gets to the GPU as PTX.
            check([TOOLS / "carousel-compile", source, "-o", package, "--chip", chip, "--quiet"]
                  + ["--no-cubin"] * (chip != CHIPS[0]))
            if lower:
                source.unlink()


def simulate(case, number, folder):
    """The outputs at the tile phase, as files of `folder`, by name."""
    files = {name: f"{number}.{name}.npy" for name in case.outputs}
    if not files:
        return {}
    command = [TOOLS / "carousel-sim", case.file, *words_of(case.kernel, case.arguments)]
    for name, file in files.items():
        command += ["--out", f"{name}={folder / file}"]
    result = run(command)
    if result.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{result.stdout}{result.stderr}")
    return files


def pack(cases, folder, lower=""):
    folder.mkdir(parents=True, exist_ok=True)
    compile_packages(sorted({case.file for case in cases}), folder, lower)
    listed = [{"file": case.file.stem, "kernel": case.kernel, "arguments": case.arguments,
               "outputs": simulate(case, number, folder), "expected": case.expected,
               "tolerance": case.tolerance} for number, case in enumerate(cases)]
    (folder / "cases.json").write_text(json.dumps(listed, indent=1))
    print(f"{Path(sys.argv[0]).name}: {len(listed)} cases packed")


def line_of(case, variant, package, folder):
    """Of carousel-run --batch."""
    words = [package, "--kernel", case["kernel"], "--variant", variant, "--quiet", *case["tolerance"]]
    for argument in case["arguments"]:
        words += ["--arg", argument]
    expected = {name: folder / file for name, file in case["outputs"].items()} | case["expected"]
    for name, value in expected.items():
        words += ["--expect", f"{name}={value}"]
    return " ".join(map(str, words))


def run_lines(lines, folder):
    """What each line printed and its status, None if it wasn't run, in one process."""
    batch = folder / "batch"
    batch.write_text("\n".join(lines) + "\n")
    done = subprocess.run([os.environ.get("CAROUSEL_RUN", "carousel-run"), "--batch", str(batch)], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, timeout=580)
    results, end = [("", None)] * len(lines), 0
    for match in re.finditer(r"^batch (\d+): (\d+)$", done.stdout, re.M):
        results[int(match[1]) - 1] = (done.stdout[end:match.start()].strip(), int(match[2]))
        end = match.end()
    if done.stdout[end:].strip():
        print(done.stdout[end:].strip()[:600])
    return results


def find_runs(folder):
    """Cases with their variants."""
    runs = []
    for case in json.loads((folder / "cases.json").read_text()):
        for chip in CHIPS:
            package = folder / f"{case['file']}.{chip}"
            manifest = json.loads((package / "manifest.json").read_text())
            kernel = next(k for k in manifest["kernels"] if k["name"] == case["kernel"])
            runs += [(case, variant["function"], chip, package) for variant in kernel["variants"]]
    return runs


def run_all(folder, key=lambda file, kernel, variant: f"{file}: {variant}"):
    """Prints a table, a line for each `key` and chip; returns whether nothing was wrong."""
    counts, failures = {}, []
    runs = find_runs(folder)
    lines = [line_of(case, variant, package, folder) for case, variant, _, package in runs]
    for (case, variant, chip, _), line, (text, status) in zip(runs, lines, run_lines(lines, folder)):
        count = counts.setdefault((key(case["file"], case["kernel"], variant), chip),
                                  {"right": 0, "guarded off": 0, "wrong": 0})
        if status == 0:
            count["right"] += 1
        elif status and re.search(r"refused|guard|expected .* to be (a multiple|aligned)", text):
            count["guarded off"] += 1
        else:
            count["wrong"] += 1
            failures.append(f"{line}\n{text[:600] if status else 'not run'}")
    print(f"{'variant':40} {'chip':8} right  guarded off  wrong")
    for (name, chip), count in sorted(counts.items()):
        print(f"{name:40} {chip:8} {count['right']:5} {count['guarded off']:12} {count['wrong']:6}")
    print("\n\n".join(failures[:12]))
    return not failures
