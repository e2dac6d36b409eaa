# ===- zoo_models - real models of few and random weights -------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""The models of scripts/zoo. A file holds those of one framework, each a function that returns an Entry."""

from dataclasses import dataclass, field

MODELS = {}  # by name: (framework, function)


@dataclass
class Entry:
    """`function`: a torch.nn.Module, or a function of JAX's arrays. `shapes`: those of carousel-import; `inputs`: NumPy's
    arrays of these types."""
    function: object
    shapes: str
    inputs: list = field(default_factory=list)


def model(framework):

    def add(make):
        MODELS[make.__name__] = (framework, make)
        return make

    return add
