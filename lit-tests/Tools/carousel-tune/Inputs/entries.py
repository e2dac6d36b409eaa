# ===- entries.py - the tuned entries of a manifest ---------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""entries.py TUNED BEFORE: prints the entries of the first kernel, and whether all else is the same."""

import json
import sys

tuned, before = (json.load(open(path)) for path in sys.argv[1:])
for entry in tuned["kernels"][0].pop("tuned"):
    print(json.dumps(entry))
print("the rest is the same" if tuned == before else "the rest differs")
