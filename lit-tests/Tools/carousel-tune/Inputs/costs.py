# ===- costs.py - a manifest whose variants have costs ------------------------ py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""costs.py FROM TO: the two variants of "copy" get costs, and a third one without takes what they refuse."""

import copy
import json
import sys

manifest = json.load(open(sys.argv[1]))
variants = manifest["kernels"][0]["variants"]
third = copy.deepcopy(variants[1])
third["function"] = "copy_any"
third["guards"][0]["max"] = 2000000
variants.append(third)
variants[0]["cost"] = ["mul", ["extent", 0, 0], 10]
variants[1]["cost"] = 4000
json.dump(manifest, open(sys.argv[2], "w"), indent=2)
