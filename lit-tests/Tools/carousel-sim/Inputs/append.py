# ===- append.py - a command with more options ------------------------------ py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""append.py FILE COMMAND...: runs the command with the words in FILE added; expects status 1."""

import subprocess
import sys

words = open(sys.argv[1]).read().split()
if not words:
    sys.exit(f"expected options in {sys.argv[1]}, got none")
status = subprocess.run(sys.argv[2:] + words).returncode
sys.exit(0 if status == 1 else f"expected exit status 1, got {status}")
