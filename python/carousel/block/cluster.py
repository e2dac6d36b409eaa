# ===- cluster.py - CTAs that work together --------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""What the CTAs of a cluster do together: `@carousel.kernel(cluster=2)`. Tiles that they share are carousel.shared."""

from __future__ import annotations

from .trace import Trace, TraceError, Type
from .values import Value, make, type_name


def cluster_rank() -> Value:
    """This CTA's number in its cluster, of type i32."""
    return make("carousel.cluster.rank", [], Type("i32"), "rank")


def cluster_size() -> Value:
    """The number of CTAs in a cluster, of type i32."""
    return make("carousel.cluster.size", [], Type("i32"), "size")


def cluster_barrier() -> None:
    """Waits for all CTAs of the cluster: what they wrote to shared memory before is seen after it."""
    trace = Trace.get()
    trace.add("carousel.cluster.arrive", [], None, "", has_effects=True)
    trace.add("carousel.cluster.wait", [], None, "", has_effects=True)


def cluster_gather(value: Value, size: int) -> Value:
    """A number of each of the `size` CTAs of the cluster, as a vector in the order of their ranks."""
    if not isinstance(value, Value) or value.type.is_vector:
        raise TraceError(f"cluster_gather: expected a number, got {value.type if isinstance(value, Value) else type_name(value)}")
    result = Type(value.dtype, (size,))
    node = Trace.get().add(f"carousel.cluster.gather {{0}} : {value.type} -> {result}", [value.node], result, "gathered",
                           has_effects=True)
    return Value(node)
