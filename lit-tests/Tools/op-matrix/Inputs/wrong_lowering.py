# ===- wrong_lowering.py - a build whose lowering computes something else ----- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""wrong_lowering.py TOOLS FOLDER: fills FOLDER with a carousel-sim that is the one of TOOLS, and with a carousel-opt
that is, but for the results of carousel-lower, in which `or` stands for `xor`. It refuses to lower negations, and
remainders in all else."""

import sys
from pathlib import Path

OPT = """#!{python}
import subprocess, sys
lowers = any("carousel-lower" in word for word in sys.argv)
text = sys.stdin.read()
if lowers and "arith.negf" in text:
    sys.exit("k.mlir:1:1: error: expected less of a negation")
if not lowers:
    text = text.replace("arith.remf", "arith.none")
done = subprocess.run(["{opt}", *sys.argv[1:]], input=text, capture_output=True, text=True)
sys.stderr.write(done.stderr)
sys.stdout.write(done.stdout.replace("arith.xori", "arith.ori") if lowers else done.stdout)
sys.exit(done.returncode)
"""

tools, folder = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
folder.mkdir(parents=True)
(folder / "carousel-sim").symlink_to(tools / "carousel-sim")
(folder / "carousel-opt").write_text(OPT.format(python=sys.executable, opt=tools / "carousel-opt"))
(folder / "carousel-opt").chmod(0o755)
