# ===- random_kernels - the parts of scripts/random-kernels ---------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""text: MLIR, line by line; types: elements and arguments; generate: kernels; sections: their
loops; paths: kernels of another kind; check: what they give at each phase; minimise: the least of a failing one."""
