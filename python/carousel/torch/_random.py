# ===- _random.py - dropout in programs ------------------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Dropout in programs: a hash of an element's number and of a seed says whether the element stays. PyTorch's generator draws the
seeds, in one call for each graph. The backward pass computes the hash again, so that no mask is in memory."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any, Callable

import torch
from torch import Tensor
from torch._inductor import config

aten = torch.ops.aten

LIBRARY = torch.library.Library("carousel", "FRAGMENT")
LIBRARY.define("dropout_seed(int number, *, Device device) -> Tensor", tags=[torch.Tag.nondeterministic_seeded])
LOWEST, HIGHEST = -2**31, 2**31
WORDS = 4
MOST_ELEMENTS = 2**32
"""Numbers of elements are 32 bits."""


def draw(count: int, device: Any) -> Tensor:
    """Seeds, each at an address that kernels read at once."""
    return torch.randint(LOWEST, HIGHEST, (count, WORDS), dtype=torch.int32, device=device)


LIBRARY.impl("dropout_seed", lambda number, *, device: draw(1, device)[0], "CompositeExplicitAutograd")
torch.library.register_fake("carousel::dropout_seed")(
    lambda number, *, device: torch.empty(WORDS, dtype=torch.int32, device=device))
SEED = torch.ops.carousel.dropout_seed.default


class Seeds:
    """Numbers those of a process, since equal calls could become one."""
    count = 0

    @classmethod
    def make(cls, device: torch.device) -> Tensor:
        cls.count += 1
        return SEED(cls.count, device=device)


def shift(x: Tensor, bits: int) -> Tensor:
    """To the right, as unsigned."""
    return (x >> bits) & ((1 << (32 - bits)) - 1)


def mix(x: Tensor, high: Tensor) -> Tensor:
    """Three rounds of multiplication and of exclusive or with higher bits (C. Wellons' search for factors whose results depend on
    each bit of the argument), with half of the seed between the first two."""
    x = (x ^ shift(x, 17)) * (0xED5AD4BB - 2**32)
    x = ((x ^ shift(x, 11)) + high) * (0xAC4C1B51 - 2**32)
    x = (x ^ shift(x, 15)) * 0x31848BAB
    return x ^ shift(x, 14)


def is_taken(shape: Sequence[Any], probability: float) -> bool:
    """Whether programs may draw: PyTorch does with Inductor's `fallback_random`."""
    count = math.prod(extent if isinstance(extent, int) else extent.node.hint or 1 for extent in shape)
    return not config.fallback_random and 0 < probability < 1 and count <= MOST_ELEMENTS


def keep(shape: Sequence[Any], probability: float, seed: Tensor) -> Tensor:
    """Which elements stay: each with 1 - `probability`, to 32 bits."""
    number = torch.zeros((), dtype=torch.int64, device=seed.device)
    for dim, extent in enumerate(shape):
        place = torch.arange(extent, device=seed.device).reshape([-1] + [1] * (len(shape) - 1 - dim))
        number = number * extent + place if dim else place
    number = number.to(torch.int32)  # the lower half
    low, high = seed[0], seed[1]
    return mix(number ^ low, high) < min(LOWEST + round((1 - probability) * 2**32), HIGHEST - 1)


def drop(values: Tensor, probability: float, seed: Tensor) -> tuple[Tensor, Tensor]:
    """The values, of which some are zero and others are larger, and which ones these are."""
    stays = keep(values.shape, probability, seed)
    return torch.where(stays, values * (1 / (1 - probability)), 0), stays


def decompose_dropout(values: Tensor, p: float, train: Any) -> Any:
    if train is False or not is_taken(values.shape, p) or not values.dtype.is_floating_point:
        return NotImplemented
    return drop(values, p, Seeds.make(values.device))


def decompose_bernoulli(values: Tensor, p: float, generator: Any = None) -> Any:
    """Ones with the probability `p`: noise of stochastic depth, of dropped channels and of dropout in place."""
    if generator is not None or not is_taken(values.shape, 1 - p):
        return NotImplemented
    return keep(values.shape, 1 - p, Seeds.make(values.device)).to(values.dtype)


def get_decompositions() -> dict[Any, Callable[..., Any]]:
    return {aten.native_dropout.default: decompose_dropout, aten.bernoulli.p: decompose_bernoulli}


def merge_seeds(module: torch.fx.GraphModule) -> None:
    """Draws all seeds of a graph in one call, where the first one is. Each is an argument of its own where it is read, so that
    equal layers have equal kernels."""
    seeds = module.graph.find_nodes(op="call_function", target=SEED)
    for device in {node.kwargs["device"] for node in seeds}:
        own = [node for node in seeds if node.kwargs["device"] == device]
        with own[0].meta["val"].fake_mode:
            values = torch.empty(len(own), WORDS, dtype=torch.int32, device=device)
            rows = values.unbind()
        with module.graph.inserting_before(own[0]):
            drawn = module.graph.call_function(aten.randint.low, (LOWEST, HIGHEST, [len(own), WORDS]),
                                               {"dtype": torch.int32, "device": device})
            parts = module.graph.call_function(aten.unbind.int, (drawn,))
        drawn.meta, parts.meta = {**own[0].meta, "val": values}, {**own[0].meta, "val": rows}
        for place, node in enumerate(own):
            with module.graph.inserting_before(node):
                row = module.graph.call_function(operator.getitem, (parts, place))
            row.meta = {**node.meta, "val": rows[place]}
            node.replace_all_uses_with(row)
            module.graph.erase_node(node)
