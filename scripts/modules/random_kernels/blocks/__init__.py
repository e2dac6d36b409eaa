# ===- blocks - random kernels on values of the CTA -------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Kernels of the block phase. values: what a kernel is built with; elements, memory, shapes and control: its ops, as steps
that each add a few; kernel: programs of any of them; rows: programs that cover an extent; products: matrix products and
pipelined loops; tiles: products of a grid of tiles. Integers are added in any order; floats are compared, computed
element by element, or small integers whose sums are exact, so that all phases give the same bytes."""
