# ===- entries.py - the tuned entries of a manifest ---------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""entries.py TUNED BEFORE: prints the entries of the first kernel, and whether all else is the same text."""

import json
import re
import sys

tuned, before = (open(path).read() for path in sys.argv[1:])
for entry in json.loads(tuned)["kernels"][0]["tuned"]:
    print(json.dumps(entry))
rest = re.sub(r',\s*"tuned": \[\n.*?\n\s*\]', "", tuned, flags=re.DOTALL)
print("the rest is the same" if rest == before else "the rest differs")
