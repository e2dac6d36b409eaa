# ===- real_models - models of real size ------------------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Models of real size, whose weights are arguments of their programs: for scripts/zoo --size=real, which compiles them, and for
benchmarks/gpu/models.py, which times them. NAMES needs no framework; the files do.

A name with `_part` is the same model with the fewest layers of each kind. Its graph is in graphs/, as carousel-import wrote it:
two layers of GPT-2 and Llama, which compute masks and rotations once for all layers, and one of the others."""

FRAMEWORKS = {"gpt2": "torch", "bert": "torch", "vit": "torch", "llama": "torch", "resnet50": "torch", "resnet50_nhwc": "torch",
              "resnet_block": "torch", "train": "jax"}
# Those whose parts the tree has.
PARTS = ("gpt2", "vit", "llama", "resnet50", "resnet_block", "train")
