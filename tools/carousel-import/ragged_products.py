# ===- ragged_products.py - products of groups of rows in JAX --------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""What jax.lax.ragged_dot, its batches and its gradients are in other primitives.

Rows come in groups, whose sizes are data. A product of each row with the matrix of its group reads a matrix for each row,
which the compiler brings together (docs/GraphPhase.md, Grouped products). A gradient of the matrices adds the rows of each
group.
"""

from math import prod

import jax.numpy as jnp
from jax import lax


def findEnds(sizes):
    return jnp.cumsum(sizes.astype(jnp.int32), axis=-1)


def countBefore(ends, rows):
    """How many groups end before each row. So numbers ascend, which the compiler sees."""
    before = ends[None, :] <= lax.broadcasted_iota(jnp.int32, (rows, ends.shape[0]), 0)
    return jnp.sum(before, axis=-1, dtype=jnp.int32)


def raggedRows(lhs, rhs, sizes, numbers, preferred_element_type):
    """Each row has a matrix of its own. Those of all batches are one list of rows, and one of matrices."""
    ((left,), (right,)), (leftBatch, rightBatch) = numbers.dot_dimension_numbers
    (row,), (group,) = numbers.lhs_ragged_dimensions, numbers.rhs_group_dimensions
    column = next(dim for dim in range(rhs.ndim) if dim not in (right, group, *rightBatch))
    lhs = lhs.transpose(*leftBatch, row, left)
    rhs = rhs.transpose(*rightBatch, group, right, column)
    batch, (rows, depth), (groups, _, columns) = lhs.shape[:-2], lhs.shape[-2:], rhs.shape[-3:]
    count = prod(batch)
    ends = findEnds(jnp.broadcast_to(sizes, (*batch, groups)).reshape(count, groups))
    # Groups of all batches are one list. Rows behind the last group of a batch have the number of the next one's first group.
    first = lax.broadcasted_iota(jnp.int32, (count, 1), 0) * rows
    own = countBefore((first + jnp.clip(ends, 0, rows)).reshape(-1), count * rows)
    exists = (lax.broadcasted_iota(jnp.int32, (count, rows), 1) < ends[:, -1:]).reshape(-1, 1)
    matrices = jnp.take(rhs.reshape(-1, depth, columns), own, axis=0, mode="clip")
    result = jnp.einsum("mk,mkn->mn", lhs.reshape(-1, depth), matrices, preferred_element_type=preferred_element_type)
    return jnp.where(exists, result, jnp.zeros((), result.dtype)).reshape(*batch, rows, columns)


def raggedSums(lhs, rhs, sizes, numbers, preferred_element_type):
    """A product for each group, of its rows of both: the others are zero in the narrower one. The compiler goes along the rows of
    the group alone, since the numbers of groups ascend."""
    ((left,), (right,)), _ = numbers.dot_dimension_numbers
    lhs, rhs = lhs.transpose(left, 1 - left), rhs.transpose(right, 1 - right)
    own = countBefore(findEnds(sizes), lhs.shape[0])
    isOwn = own[None, :, None] == lax.broadcasted_iota(jnp.int32, (sizes.shape[0], 1, 1), 0)
    isLeft = lhs.shape[1] <= rhs.shape[1]
    narrow, wide = (lhs, rhs) if isLeft else (rhs, lhs)
    masked = jnp.where(isOwn, narrow[None], jnp.zeros((), narrow.dtype))
    operands = ("gmk,mn->gkn", masked, wide) if isLeft else ("mk,gmn->gkn", wide, masked)
    return jnp.einsum(*operands, preferred_element_type=preferred_element_type)


def chooseRagged(lhs, rhs, sizes, numbers):
    """The function for a ragged product of shapes; none for several free dimensions, and for gradients of batches."""
    (left, right), (leftBatch, _) = numbers.dot_dimension_numbers
    if len(left) != 1 or len(numbers.lhs_ragged_dimensions) != 1:
        return None
    ragged = numbers.lhs_ragged_dimensions[0]
    if ragged in left:
        return raggedSums if len(lhs) == len(rhs) == 2 and len(sizes) == 1 else None
    hasRows = ragged not in leftBatch and len(lhs) == len(leftBatch) + 2 and len(rhs) == len(leftBatch) + 3
    return raggedRows if hasRows and len(sizes) in (1, len(leftBatch) + 1) else None
