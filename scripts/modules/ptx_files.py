# ===- ptx_files.py - files of kernels that ptxas takes ----------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Puts kernels of single instructions into files of PTX. A case is a dictionary whose "kernel" is an entry named KERNEL."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

KERNELS_A_FILE = 400
VERSIONS = ("8.0", "9.0")  # of PTX: the first one is known to drivers that are older than the toolkit
MOST = 20 << 20  # of an archive


def find_ptxas():
    root = os.environ.get("CAROUSEL_CUDA_ROOT")
    found = root and Path(root, "bin/ptxas")
    ptxas = str(found) if found and found.exists() else shutil.which("ptxas")
    if not ptxas:
        sys.exit(f"{Path(sys.argv[0]).name}: error: expected ptxas in $CAROUSEL_CUDA_ROOT/bin or on PATH, got none")
    try:
        done = subprocess.run([ptxas, "--version"], capture_output=True, text=True, check=False)
        found = f"exit status {done.returncode}" if done.returncode else ""
    except OSError as error:
        found = error.strerror
    if found:
        sys.exit(f"{Path(sys.argv[0]).name}: error: expected a ptxas that runs, got {ptxas}: {found}")
    return ptxas


def make_text(cases, version, chip):
    """The text of a file, and the case of each of its lines."""
    lines = [f".version {version}", f".target {chip}", ".address_size 64"]
    owners = [None] * len(lines)
    for number, case in enumerate(cases):
        kernel = case["kernel"].replace("KERNEL", f"k{number}").splitlines()
        lines += kernel
        owners += [case] * len(kernel)
    return "\n".join(lines) + "\n", owners


def assemble(ptxas, cases, version, chip):
    """Parts the cases into those that ptxas takes and those that it doesn't."""
    refused = []
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch, "cases.ptx")
        while cases:
            text, owners = make_text(cases, version, chip)
            path.write_text(text, encoding="utf-8")
            done = subprocess.run([ptxas, "-O0", f"-arch={chip}", str(path), "-o", str(Path(scratch, "cases.cubin"))],
                                  capture_output=True, text=True, check=False)
            if done.returncode == 0:
                break
            wrong = {int(line) - 1 for line in re.findall(r", line (\d+); (?:error|fatal)", done.stdout + done.stderr)}
            found = {id(owners[line]) for line in wrong if line < len(owners) and owners[line]}
            if not found:
                # Without a line, halves say which it is.
                if len(cases) == 1:
                    return [], refused + cases
                half = len(cases) // 2
                parts = [assemble(ptxas, part, version, chip) for part in (cases[:half], cases[half:])]
                return parts[0][0] + parts[1][0], refused + parts[0][1] + parts[1][1]
            refused += [case for case in cases if id(case) in found]
            cases = [case for case in cases if id(case) not in found]
    return cases, refused


def assemble_all(ptxas, cases, version, chip, jobs):
    parts = [cases[first:first + KERNELS_A_FILE] for first in range(0, len(cases), KERNELS_A_FILE)]
    with ThreadPoolExecutor(jobs) as pool:
        done = list(pool.map(lambda part: assemble(ptxas, part, version, chip), parts))
    return [case for taken, _ in done for case in taken], [case for _, left in done for case in left]


def write_archive(folder):
    """Packs a folder to FOLDER.tar.xz beside it."""
    archive = folder.with_name(folder.name + ".tar.xz")
    with tarfile.open(archive, "w:xz", preset=6) as tar:
        tar.add(folder, folder.name)
    size, name = archive.stat().st_size, Path(sys.argv[0]).name
    print(f"{name}: {archive}: {size / 1e6:.1f} MB")
    if size > MOST:
        sys.exit(f"{name}: error: expected an archive of at most {MOST} bytes, got {size}; take fewer inputs")


def unpack(path):
    """The folder of an archive, beside it."""
    if path.is_dir():
        return path
    with tarfile.open(path) as tar:
        tar.extractall(path.parent, filter="data")
    return path.with_name(path.name.removesuffix(".tar.xz"))
