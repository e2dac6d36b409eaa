# ===- broken_tools.py - a build whose lowering is wrong -------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""broken_tools.py TOOLS FOLDER: fills FOLDER with a carousel-sim that is the one of TOOLS, and with a
carousel-opt that is, but for the pipelines `lose CHIP` (all stores of tiles), `crash CHIP` and
`refuse CHIP`."""

import sys
from pathlib import Path

OPT = """#!{python}
import os, signal, subprocess, sys
pipeline = next(a for a in sys.argv if a.startswith("--pass-pipeline=")).partition("=")[2]
what, _, chip = pipeline.partition(" ")
if what == "crash":
    os.kill(os.getpid(), signal.SIGSEGV)
if what == "refuse":
    sys.exit("k.mlir:1:1: error: expected less of " + chip)
if what != "lose":
    os.execv("{opt}", sys.argv)
for part in sys.stdin.read().split("// -----"):
    lines = part.splitlines(keepends=True)
    stores = [n for n, line in enumerate(lines) if "carousel.store" in line]
    print("".join(line for n, line in enumerate(lines) if n not in stores))
"""

tools, folder = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
folder.mkdir(parents=True)
(folder / "carousel-sim").symlink_to(tools / "carousel-sim")
(folder / "carousel-opt").write_text(OPT.format(python=sys.executable, opt=tools / "carousel-opt"))
(folder / "carousel-opt").chmod(0o755)
