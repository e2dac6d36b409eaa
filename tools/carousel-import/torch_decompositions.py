# ===- torch_decompositions.py - ops of PyTorch in terms of others ------------ py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Decompositions that carousel-import takes in place of torch-mlir's."""


def decompose_gelu(value, approximate="none"):
    """torch-mlir takes 0.797724 for the square root of 2 / pi, which is 0.797885: gelu is off by 1e-4 with it."""
    import torch

    if approximate != "tanh":
        return NotImplemented
    return torch._refs.nn.functional.gelu(value, approximate)


def get_decompositions():
    """By the overload of an op, as torch.export takes them."""
    import torch

    return {torch.ops.aten.gelu.default: decompose_gelu}
