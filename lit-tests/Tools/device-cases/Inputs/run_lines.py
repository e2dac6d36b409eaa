# ===- run_lines.py - a GPU on which some lines fail ------------------------ py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""run_lines.py SCRIPTS DIR: calls device_cases.run_lines with a program that does what the lines say."""

import os
import sys
from pathlib import Path

sys.path.insert(0, sys.argv[1])
import device_cases  # noqa: E402

FAKE = """#!/usr/bin/env python3
import os, signal, sys, time
lost = False
for number, line in enumerate(open(sys.argv[2]), 1):
    word = line.strip()
    if word == "start":
        print("no driver")
        sys.exit(3)
    if word == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    if word == "hang":
        time.sleep(300)
    lost |= word == "fail"
    text, status = {"wrong": ("got 1", 1)}.get(word, ("right", 0))
    if lost:
        text, status = "x failed on the device", 3
    print(f"{text}\\nbatch {number}: {status}", flush=True)
"""

folder = Path(sys.argv[2])
folder.mkdir(parents=True, exist_ok=True)
(folder / "fake").write_text(FAKE)
(folder / "fake").chmod(0o755)
os.environ["CAROUSEL_RUN"] = str(folder / "fake")
for words, seconds in ((("right", "wrong", "fail", "right"), 60), (("right", "crash", "right"), 60),
                       (("right", "hang", "right"), 60), (("start", "right"), 60), (("right",), 0)):
    # A busy machine may take a second to begin.
    device_cases.HANG = 8 if "hang" in words else 60
    print(*map(list, device_cases.run_lines(words, folder, seconds)))
