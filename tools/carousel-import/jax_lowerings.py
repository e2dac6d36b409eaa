# ===- jax_lowerings.py - primitives of JAX that linalg lacks ---------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Lowers primitives of JAX, for carousel-import, to others that become linalg on tensors.

JAX lowers these to StableHLO that its passes to linalg leave: loops, conditions, sorts, scatters, and slices of unknown
extents. Here, loops are unrolled; of conditions, all branches are computed and one is selected; an element of a scatter is a
reduction over what may be put there, so that its result does not depend on an order.
"""

import contextlib
import functools
import itertools
import math
import threading
from numbers import Integral

import jax
import jax.numpy as jnp
from jax import lax
from jax._src.lax import lax as lax_internal
from jax._src.lax import windowed_reductions
from jax.extend.core import ClosedJaxpr, jaxpr_as_fun, primitives
from jax.interpreters import mlir

import jax_shapes
from jax_functions import compute, putInOrder, scanAlong
from jax_scans import LEAST_SCANNED, scanLoop
from refusals import Refusal
from ragged_products import chooseRagged
from reshapes import pair_groups

# The longest loops, and their equations over all iterations.
MOST_ITERATIONS = 128
MOST_EQUATIONS = 4096
# In JAX's table of rules for CUDA.
LOCK = threading.RLock()


def isStatic(*shapes):
    return all(isinstance(extent, Integral) for shape in shapes for extent in shape)


# ===--------------------------------------------------------------------------===#
# Control flow
# ===--------------------------------------------------------------------------===#


def countEquations(jaxpr):
    """With loops inside unrolled."""
    count = 0
    for equation in jaxpr.eqns:
        inside = 0
        for value in equation.params.values():
            # Conditions have a tuple of branches.
            for inner in value if isinstance(value, (tuple, list)) else [value]:
                inner = getattr(inner, "jaxpr", inner)
                if hasattr(inner, "eqns"):
                    inside += countEquations(inner)
        if equation.primitive.name == "scan" and isinstance(equation.params["length"], int):
            inside = max(1, inside) * equation.params["length"]
        count += 1 + inside
    return count


def divideOperands(operands, ft_in=None, num_consts=0, num_carry=0, **_):
    """Those of a loop: constants, the carry and what is scanned. JAX 0.11 has a structure of them."""
    if ft_in is not None:
        return list(map(list, ft_in.update(operands).unpack()))
    return [list(operands[:num_consts]), list(operands[num_consts:num_consts + num_carry]), list(operands[num_consts + num_carry:])]


def scan(*operands, jaxpr, length, reverse, **parameters):
    if not isinstance(length, int):
        raise Refusal(f"expected loops (lax.scan, fori_loop) with a known trip count, got '{length}'; "
                      "give the scanned dimension a number in --shapes")
    jaxpr = jaxpr if isinstance(jaxpr, ClosedJaxpr) else ClosedJaxpr(jaxpr, ())
    results = scanLoop(jaxpr, *divideOperands(operands, **parameters), length, reverse)
    if results is not None:
        return results
    count = max(1, countEquations(jaxpr.jaxpr))
    if length > MOST_ITERATIONS or length * count > MOST_EQUATIONS:
        raise Refusal(f"expected loops (lax.scan, fori_loop) of at most {MOST_ITERATIONS} iterations, and {MOST_EQUATIONS} "
                      f"equations when unrolled, got {length} iterations of {count}; carry sums, products, extrema or linear "
                      "recurrences, or scan fewer elements in each call")
    body = jaxpr_as_fun(jaxpr)
    constants, carry, scanned = divideOperands(operands, **parameters)
    # Each iteration writes its part of these.
    results = [jnp.zeros((length, *aval.shape), aval.dtype) for aval in jaxpr.out_avals[len(carry):]]
    for step in reversed(range(length)) if reverse else range(length):
        values = body(*constants, *carry, *(lax.index_in_dim(array, step, keepdims=False) for array in scanned))
        carry, written = list(values[:len(carry)]), values[len(carry):]
        results = [lax.dynamic_update_index_in_dim(result, value, step, 0)
                   for result, value in zip(results, written)]
    return [*carry, *results]


def refuseWhile(*_, **__):
    raise Refusal("expected loops with a known trip count (lax.scan, or lax.fori_loop between numbers), got "
                  "lax.while_loop or a fori_loop whose trip count depends on data; compute the loop in the caller")


def cond(index, *operands, branches, **_):
    """All branches are computed."""
    results = [jaxpr_as_fun(branch)(*operands) for branch in branches]
    chosen = list(results[0])
    for number, other in enumerate(results[1:], 1):
        isChosen = index if index.dtype == bool else index == number
        chosen = [lax.select(jnp.broadcast_to(isChosen, new.shape), new, old) for new, old in zip(other, chosen)]
    return chosen


# ===--------------------------------------------------------------------------===#
# Elements
# ===--------------------------------------------------------------------------===#


def iota(shape, dim):
    return lax.broadcasted_iota(jnp.int32, shape, dim)


def readElements(array, coordinates):
    """array[coordinates], one for each dimension, all of one shape and in bounds. A scalar is itself."""
    rank = array.ndim
    if rank == 0:
        return array
    numbers = lax.GatherDimensionNumbers(offset_dims=(), collapsed_slice_dims=tuple(range(rank)),
                                         start_index_map=tuple(range(rank)))
    return lax.gather(array, jnp.stack(coordinates, -1), numbers, (1,) * rank,
                      mode=lax.GatherScatterMode.PROMISE_IN_BOUNDS)


def gather(operand, indices, *, dimension_numbers, slice_sizes, shape, **_):
    """Slices of unknown extents, element by element."""
    numbers = dimension_numbers
    batch = [dim for dim in range(len(shape)) if dim not in numbers.offset_dims]
    offsets = iter(numbers.offset_dims)
    # Of the dimensions of indices, those that batches go along.
    def spread(array):
        return lax.broadcast_in_dim(array, shape, batch)

    coordinates = []
    for dim in range(operand.ndim):
        if dim in numbers.operand_batching_dims:
            at = numbers.start_indices_batching_dims[numbers.operand_batching_dims.index(dim)]
            coordinates.append(iota(shape, batch[at]))
            continue
        coordinate = jnp.zeros((), jnp.int32)
        if dim in numbers.start_index_map:
            start = indices[..., numbers.start_index_map.index(dim)].astype(jnp.int32)
            coordinate = spread(jnp.clip(start, 0, operand.shape[dim] - slice_sizes[dim]))
        if dim not in numbers.collapsed_slice_dims:
            coordinate = coordinate + iota(shape, next(offsets))
        coordinates.append(jnp.broadcast_to(coordinate, shape))
    return readElements(operand, coordinates)


def reverse(operand, *, dimensions):
    shape = operand.shape
    return readElements(operand, [shape[dim] - 1 - iota(shape, dim) if dim in dimensions else iota(shape, dim)
                                  for dim in range(operand.ndim)])


def updateSlice(operand, update, *starts):
    shape = operand.shape
    isNew, coordinates = jnp.ones((), bool), []
    for dim, start in enumerate(starts):
        extent = update.shape[dim]
        coordinate = iota(shape, dim) - jnp.clip(start, 0, shape[dim] - extent).astype(jnp.int32)
        isNew = isNew & (coordinate >= 0) & (coordinate < extent)
        coordinates.append(jnp.clip(coordinate, 0, extent - 1))
    return jnp.where(isNew, readElements(update, coordinates), operand)


def hasNoCuts(*_, padding_config):
    return all(isStatic((low, high)) and low >= 0 and high >= 0 for low, high, _ in padding_config)


def pad(operand, value, *, padding_config):
    """Negative padding is cut off after the other one: the passes pad unknown extents by none. What is padded by an unknown
    number is read where it is inside."""
    if not all(isStatic((low, high)) for low, high, _ in padding_config):
        operand = lax.pad(operand, value, [(0, 0, inside) for _, _, inside in padding_config])
        shape = [low + extent + high for (low, high, _), extent in zip(padding_config, operand.shape)]
        places = [iota(shape, dim) - low for dim, (low, _, _) in enumerate(padding_config)]
        isInside = functools.reduce(jnp.logical_and, ((place >= 0) & (place < extent)
                                                      for place, extent in zip(places, operand.shape)))
        places = [jnp.clip(place, 0, extent - 1) for place, extent in zip(places, operand.shape)]
        return jnp.where(isInside, readElements(operand, places), value)
    cuts = [[min(end, 0) if isStatic((end,)) else 0 for end in (low, high)] for low, high, _ in padding_config]
    padded = lax.pad(operand, value, [(low - before, high - after, inside)
                                      for (low, high, inside), (before, after) in zip(padding_config, cuts)])
    return lax.slice(padded, [-before for before, _ in cuts],
                     [extent + after for extent, (_, after) in zip(padded.shape, cuts)])


# ===--------------------------------------------------------------------------===#
# Cumulative reductions, windows
# ===--------------------------------------------------------------------------===#


def spreadAlong(array, axis):
    """The array along its axis, and along a new last dimension instead of it."""
    shape = (*array.shape, array.shape[axis])
    dims = list(range(array.ndim))
    own = lax.broadcast_in_dim(array, shape, dims)
    dims[axis] = array.ndim
    return own, lax.broadcast_in_dim(array, shape, dims)


def cumulate(kind, reduce, start):
    """A scan, or of few elements a reduction over those before each one."""

    def rule(array, *, axis, reverse):
        extent = array.shape[axis]
        if isStatic((extent,)) and extent >= LEAST_SCANNED and not reverse:
            first = jnp.full(array.shape[:axis] + array.shape[axis + 1:], start(array.dtype), array.dtype)
            return scanAlong(kind, axis, array, first)[1]
        _, others = spreadAlong(array, axis)
        own, other = iota(others.shape, axis), iota(others.shape, array.ndim)
        isPart = other >= own if reverse else other <= own
        return reduce(jnp.where(isPart, others, jnp.asarray(start(array.dtype), array.dtype)), axis=-1)

    return rule


def cumulateExponentials(array, *, axis, reverse):
    """A sum of exponentials of differences from the largest element so far, which is scaled where that changes: a recurrence."""
    extent = array.shape[axis]
    if not isStatic((extent,)) or extent < LEAST_SCANNED:
        return cumulate(None, jax.nn.logsumexp, leastOf)(array, axis=axis, reverse=reverse)
    if reverse:
        array = lax.rev(array, (axis,))
    wide = array.astype(jnp.promote_types(array.dtype, jnp.float32))
    shape = array.shape[:axis] + array.shape[axis + 1:]
    ends = scanAlong("max", axis, wide, jnp.full(shape, -jnp.inf, wide.dtype))
    # A difference of infinite numbers is none.
    before, most = (jnp.where(jnp.isfinite(each), each, 0) for each in ends)
    factors = jnp.where(ends[0] == -jnp.inf, 0, jnp.exp(before - most))
    sums = scanAlong("recurrence", axis, jnp.exp(wide - most), factors, jnp.zeros(shape, wide.dtype))[1]
    result = (most + jnp.log(sums)).astype(array.dtype)
    return lax.rev(result, (axis,)) if reverse else result


def leastOf(dtype):
    return -jnp.inf if jnp.issubdtype(dtype, jnp.floating) else jnp.iinfo(dtype).min


def largestOf(dtype):
    return jnp.inf if jnp.issubdtype(dtype, jnp.floating) else jnp.iinfo(dtype).max


def sumOf(array, axis):
    return jnp.sum(array, axis=axis, dtype=array.dtype)


def productOf(array, axis):
    return jnp.prod(array, axis=axis, dtype=array.dtype)


def isNarrow(dtype):
    return jnp.issubdtype(dtype, jnp.floating) and jnp.finfo(dtype).bits < 32


def readWindows(padded, dimensions, strides, dilation):
    """For each place in a window: the place, and what all windows have there."""
    for offset in itertools.product(*map(range, dimensions)):
        begin = [at * step for at, step in zip(offset, dilation)]
        # As far as the last window's element.
        end = [extent - (size - 1 - at) * step for extent, size, at, step in zip(padded.shape, dimensions, offset, dilation)]
        yield offset, lax.slice(padded, begin, end, strides)


def windows(combine, start):
    """One slice for each element of the window. Sums of narrow floats add in f32."""

    def rule(array, *, window_dimensions, window_strides, padding, base_dilation, window_dilation):
        dtype = array.dtype
        if isNarrow(dtype) and combine is jnp.add:
            array = array.astype(jnp.float32)
        first = jnp.asarray(start(array.dtype), array.dtype)
        padded = lax.pad(array, first, [(low, high, step - 1) for (low, high), step in zip(padding, base_dilation)])
        parts = (part for _, part in readWindows(padded, window_dimensions, window_strides, window_dilation))
        return functools.reduce(combine, parts).astype(dtype)

    return rule


def findSelected(operand, select_prim, window_dimensions, window_strides, padding, base_dilation, window_dilation):
    """Which place of each window is selected."""
    if math.prod(window_dimensions) > MOST_ITERATIONS:
        raise Refusal(f"expected windows of at most {MOST_ITERATIONS} elements where a maximum has a gradient, got "
                      f"{math.prod(window_dimensions)}; pool along one dimension after the other")
    least = jnp.asarray((leastOf if select_prim is lax.ge_p else largestOf)(operand.dtype), operand.dtype)
    padded = lax.pad(operand, least, [(low, high, step - 1) for (low, high), step in zip(padding, base_dilation)])
    parts = readWindows(padded, window_dimensions, window_strides, window_dilation)
    best = next(parts)[1]
    selected = jnp.zeros(best.shape, jnp.int32)
    for place, (_, part) in enumerate(parts, 1):
        stays = select_prim.bind(best, part)
        best, selected = jnp.where(stays, best, part), jnp.where(stays, selected, place)
    return selected


def readSelected(tangents, operand, *, padding, base_dilation, **parameters):
    """What is where the maximum of a window is."""
    selected = findSelected(operand, padding=padding, base_dilation=base_dilation, **parameters)
    zero = jnp.zeros((), tangents.dtype)
    padded = lax.pad(tangents, zero, [(low, high, step - 1) for (low, high), step in zip(padding, base_dilation)])
    parts = readWindows(padded, parameters["window_dimensions"], parameters["window_strides"], parameters["window_dilation"])
    return functools.reduce(lambda result, each: jnp.where(selected == each[0], each[1][1], result), enumerate(parts), zero)


def addSelected(source, operand, *, select_prim, window_dimensions, window_strides, padding, **_):
    """The gradient of the maximum of windows that may overlap: an element adds what those windows have of which it is selected,
    in the order of its places in them."""
    ones = (1,) * operand.ndim
    selected = findSelected(operand, select_prim, window_dimensions, window_strides, padding, ones, ones)
    # Elements at the distance of a step have the same places in windows, of which each is that many windows before the last.
    rank, wide = operand.ndim, source.astype(jnp.float32) if isNarrow(source.dtype) else source
    zero, before = jnp.zeros((), wide.dtype), [-(-size // step) for size, step in zip(window_dimensions, window_strides)]
    counts = [-(-extent // step) for extent, step in zip(operand.shape, window_strides)]
    margins = [(many, count + low // step + 1 - have, 0) for many, count, (low, _), step, have in
               zip(before, counts, padding, window_strides, source.shape)]
    wide, selected = lax.pad(wide, zero, margins), lax.pad(selected, jnp.int32(-1), margins)
    phases = []
    for phase in itertools.product(*map(range, window_strides)):
        total, last = None, [at + low for at, (low, _) in zip(phase, padding)]
        for back in itertools.product(*map(range, before)):
            offset = [at % step + step * many for at, step, many in zip(last, window_strides, back)]
            if any(at >= size for at, size in zip(offset, window_dimensions)):
                continue
            begin = [margin + at // step - many for (margin, _, _), at, step, many in zip(margins, last, window_strides, back)]
            place = functools.reduce(lambda number, dim: number * window_dimensions[dim] + offset[dim], range(rank), 0)
            ofWindows, isPlace = (lax.slice(array, begin, [first + count for first, count in zip(begin, counts)])
                                  for array in (wide, selected))
            part = jnp.where(isPlace == place, ofWindows, zero)
            total = part if total is None else total + part
        phases.append(jnp.zeros(counts, wide.dtype) if total is None else total)
    result = jnp.stack(phases).reshape(*window_strides, *counts)
    result = lax.transpose(result, [dim for pair in zip(range(rank, 2 * rank), range(rank)) for dim in pair])
    result = result.reshape([count * step for count, step in zip(counts, window_strides)])
    return lax.slice(result, [0] * rank, operand.shape).astype(source.dtype)


def isPlain(image, kernel, *, padding, lhs_dilation, dimension_numbers, feature_group_count, batch_group_count, **_):
    """Whether JAX's passes take a convolution whose batch is unknown."""
    rank = len(image)
    last, first = (0, rank - 1, *range(1, rank - 1)), (rank - 1, rank - 2, *range(rank - 2))
    return (isStatic(image[1:], kernel) and tuple(dimension_numbers) == (last, first, last) and feature_group_count == 1
            and batch_group_count == 1 and not any(map(any, padding)) and all(step == 1 for step in lhs_dilation))


def convolve(image, kernel, *, window_strides, padding, lhs_dilation, rhs_dilation, dimension_numbers, feature_group_count,
             batch_group_count, preferred_element_type=None, **_):
    """Convolutions of unknown extents: those whose batch is unknown as the passes take them, with channels last and without
    padding; of others, a product for each element of the window."""
    if batch_group_count != 1:
        raise Refusal("expected convolutions without groups of the batch where an extent has a name, got "
                      f"{batch_group_count} groups; give the extents numbers in --shapes")
    numbers = dimension_numbers
    first, last = numbers.lhs_spec[:2], numbers.lhs_spec[2:]
    image = lax.transpose(image, (first[0], *last, first[1]))
    out, depth, *window = numbers.rhs_spec
    kernel = lax.transpose(kernel, (*window, depth, out))
    spatial = range(len(window))
    image = lax.pad(image, jnp.zeros((), image.dtype),
                    [(0, 0, 0), *((low, high, step - 1) for (low, high), step in zip(padding, lhs_dilation)), (0, 0, 0)])
    groups, columns = feature_group_count, kernel.shape[-1] // feature_group_count
    if groups == 1 and isStatic(image.shape[1:], kernel.shape):
        letters = "DHW"[-len(window):]
        layout = (f"N{letters}C", f"{letters}IO", f"N{letters}C")
        result = lax.conv_general_dilated(image, kernel, window_strides, "VALID", rhs_dilation=rhs_dilation,
                                          dimension_numbers=layout, preferred_element_type=preferred_element_type)
    else:
        image = image.reshape(*image.shape[:-1], groups, image.shape[-1] // groups)
        kernel = kernel.reshape(*kernel.shape[:-1], groups, columns)
        wanted = preferred_element_type or image.dtype
        wide = jnp.float32 if isNarrow(wanted) else wanted
        result = 0
        for offset in itertools.product(*(range(extent) for extent in kernel.shape[:len(window)])):
            begin = [at * step for at, step in zip(offset, rhs_dilation)]
            end = [image.shape[1 + dim] - (kernel.shape[dim] - 1 - offset[dim]) * rhs_dilation[dim] for dim in spatial]
            part = lax.slice(image, (0, *begin, 0, 0), (image.shape[0], *end, *image.shape[-2:]), (1, *window_strides, 1, 1))
            result = result + jnp.einsum("...gc,cgo->...go", part, kernel[offset], preferred_element_type=wide)
        result = result.reshape(*result.shape[:-2], groups * columns).astype(wanted)
    # Where each dimension of the result is: batch, the window's, features.
    batch, features, *places = numbers.out_spec
    return lax.transpose(result, [[batch, *places, features].index(dim) for dim in range(result.ndim)])


# ===--------------------------------------------------------------------------===#
# Order
# ===--------------------------------------------------------------------------===#


def sort(*operands, dimension, num_keys, **_):
    """By the last key first: equal ones keep their order."""
    for number in reversed(range(num_keys)):
        others = [operand for at, operand in enumerate(operands) if at != number]
        _, key, *others = putInOrder(operands[number], others, dimension, falls=False)
        operands = [*others[:number], key, *others[number:]]
    return operands


def topK(operand, *, k, axis=-1, **_):
    axis %= operand.ndim
    place, ordered = putInOrder(operand, [], axis, falls=True)
    return [lax.slice_in_dim(each, 0, k, axis=axis) for each in (ordered, place)]


# ===--------------------------------------------------------------------------===#
# Scatters
# ===--------------------------------------------------------------------------===#


def scatter(reduce, start, combine):
    """An element is what all updates of it make. Without `reduce`, the last update is taken."""

    def rule(operand, indices, updates, *, dimension_numbers, mode, **_):
        numbers = dimension_numbers
        inBatch = dict(zip(numbers.operand_batching_dims, numbers.scatter_indices_batching_dims))
        # Dimensions of updates that aren't those of a window: some are the operand's, the others are free.
        outer = [dim for dim in range(updates.ndim) if dim not in numbers.update_window_dims]
        free = [at for at in range(len(outer)) if at not in inBatch.values()]
        shape = (*operand.shape, *(updates.shape[outer[at]] for at in free))
        place = {at: operand.ndim + number for number, at in enumerate(free)}
        place.update({at: dim for dim, at in inBatch.items()})
        ofWindow = dict(zip([dim for dim in range(operand.ndim)
                             if dim not in numbers.inserted_window_dims and dim not in inBatch],
                            numbers.update_window_dims))
        extents = {dim: updates.shape[ofWindow[dim]] if dim in ofWindow else 1
                   for dim in range(operand.ndim) if dim not in inBatch}

        def choose(choice, size):
            """Which element of each outer dimension."""
            return [choice[at] if at in choice else iota(size, place[at]) for at in range(len(outer))]

        def findBegin(dim, choice, size):
            """Where windows begin."""
            at = numbers.scatter_dims_to_operand_dims.index(dim)
            if choice:
                begin = readElements(indices, [*choose(choice, size), jnp.full(size, at, jnp.int32)])
            else:
                order = sorted(range(len(outer)), key=place.get)
                begin = lax.broadcast_in_dim(lax.transpose(indices[..., at], order), size,
                                             [place[other] for other in order])
            begin = begin.astype(jnp.int32)
            isClipped = mode == lax.GatherScatterMode.CLIP
            return jnp.clip(begin, 0, operand.shape[dim] - extents[dim]) if isClipped else begin

        def findElement(dim, choice, size):
            """The element of a window, and whether there is one."""
            coordinate, isThere = iota(size, dim), jnp.ones((), bool)
            if dim in numbers.scatter_dims_to_operand_dims:
                begin = findBegin(dim, choice, size)
                isThere = (begin >= 0) & (begin <= operand.shape[dim] - extents[dim])
                coordinate = coordinate - begin
            elif extents[dim] == operand.shape[dim]:
                return coordinate, isThere
            return coordinate, isThere & (coordinate >= 0) & (coordinate < extents[dim])

        def read(choice, size):
            own = dict(zip(outer, choose(choice, size)))
            for dim, at in ofWindow.items():
                own[at] = jnp.clip(findElement(dim, choice, size)[0], 0, extents[dim] - 1)
            return readElements(updates, [own[at] for at in range(updates.ndim)])

        isHit = jnp.ones(shape, bool)
        for dim in extents:
            isHit = isHit & findElement(dim, {}, shape)[1]
        axes = tuple(range(operand.ndim, len(shape)))
        if reduce is not None:
            parts = jnp.where(isHit, read({}, shape), jnp.asarray(start(operand.dtype), operand.dtype))
            return combine(operand, reduce(parts, axis=axes) if axes else parts)
        number = jnp.zeros(shape, jnp.int32)
        for axis in axes:
            number = number * shape[axis] + iota(shape, axis)
        last = jnp.where(isHit, number, -1)
        last = jnp.max(last, axis=axes, initial=-1) if axes else last
        rest, choice = jnp.maximum(last, 0), {}
        for at, axis in reversed(list(zip(free, axes))):
            choice[at] = rest % shape[axis]
            rest = rest // shape[axis]
        return jnp.where(last >= 0, read(choice, operand.shape), operand)

    return rule


# ===--------------------------------------------------------------------------===#
# Which primitives
# ===--------------------------------------------------------------------------===#


def zeroOf(_):
    return 0


def oneOf(_):
    return 1


def selectFirst(context, *operands, select_jaxpr, select_consts, **parameters):
    """JAX's passes to linalg ask whether the next element of a window is selected where they have to ask whether the selected
    one stays: of equal elements, they would take the last one, and the gradient of a maximum is the first one's."""
    stays = jaxpr_as_fun(ClosedJaxpr(select_jaxpr, select_consts))
    isNext = jax.make_jaxpr(lambda following, selected: lax.bitwise_not(stays(selected, following)[0]))(*select_jaxpr.in_avals)
    return windowed_reductions._select_and_scatter_lower(context, *operands, select_jaxpr=isNext.jaxpr,
                                                         select_consts=isNext.consts, **parameters)


def findRule(primitive):
    """As which exports to CUDA lower it."""
    found = mlir._platform_specific_lowerings["cuda"].get(primitive) or mlir._lowerings.get(primitive)
    return getattr(found, "rule", found)


@contextlib.contextmanager
def installed():
    """Registers the rules for exports to CUDA that this thread makes in the context. The process may compile for CUDA, too."""
    table = mlir._platform_specific_lowerings["cuda"]
    with LOCK:
        before = dict(table)
        register_rules(threading.get_ident())
        try:
            yield
        finally:
            table.clear()
            table.update(before)


def register_rules(thread):
    def register(primitive, rule):
        usual = findRule(primitive)

        def choose(context, *operands, **parameters):
            return (rule if threading.get_ident() == thread else usual)(context, *operands, **parameters)

        mlir.register_lowering(primitive, choose, platform="cuda")

    def lower(primitive, function, isMultiple=False):
        register(primitive, mlir.lower_fun(function, multiple_results=isMultiple))

    def lowerDynamic(primitive, function, isTaken=None):
        """Where extents are unknown, unless `isTaken` says of the operands' shapes that JAX's passes take the op."""
        static, rule = findRule(primitive), mlir.lower_fun(function, multiple_results=False)

        def choose(context, *operands, **parameters):
            shapes = [aval.shape for aval in [*context.avals_in, *context.avals_out]]
            isUsual = isStatic(*shapes) or (isTaken and isTaken(*shapes[:len(operands)], **parameters))
            return (static if isUsual else rule)(context, *operands, **parameters)

        register(primitive, choose)

    def lowerEmpty(primitive, start):
        """Fills results of no elements or windows, and keeps operands that are reduced along no dimension."""
        usual = findRule(primitive)

        def choose(context, *operands, **parameters):
            result = context.avals_out[0]
            if parameters.get("axes") == ():
                return operands
            if not any(0 in aval.shape for aval in [*context.avals_in, result]):
                return usual(context, *operands, **parameters)
            rule = mlir.lower_fun(lambda *_: jnp.full(result.shape, start(result.dtype), result.dtype),
                                  multiple_results=False)
            return rule(context, *operands)

        register(primitive, choose)

    lowerEmpty(primitives.reduce_sum_p, zeroOf)
    lowerEmpty(primitives.reduce_prod_p, oneOf)
    lowerEmpty(primitives.reduce_max_p, leastOf)
    lowerEmpty(primitives.reduce_min_p, largestOf)
    lowerEmpty(primitives.reduce_and_p, oneOf)
    lowerEmpty(primitives.reduce_or_p, zeroOf)
    lower(primitives.scan_p, scan, isMultiple=True)
    lower(primitives.while_p, refuseWhile, isMultiple=True)
    lower(primitives.cond_p, cond, isMultiple=True)
    lower(primitives.sort_p, sort, isMultiple=True)
    lower(primitives.top_k_p, topK, isMultiple=True)
    lower(primitives.cumsum_p, cumulate("add", sumOf, zeroOf))
    lower(primitives.cumprod_p, cumulate("mul", productOf, oneOf))
    lower(primitives.cummax_p, cumulate("max", jnp.max, leastOf))
    lower(primitives.cummin_p, cumulate("min", jnp.min, largestOf))
    lower(primitives.cumlogsumexp_p, cumulateExponentials)
    lower(primitives.erf_p, lambda array, **_: compute("erf", array))
    lower(primitives.erfc_p, lambda array, **_: compute("erfc", array))
    lower(primitives.scatter_p, scatter(None, None, None))
    lower(primitives.scatter_add_p, scatter(sumOf, zeroOf, jnp.add))
    lower(primitives.scatter_mul_p, scatter(productOf, oneOf, jnp.multiply))
    lower(primitives.scatter_max_p, scatter(jnp.max, leastOf, jnp.maximum))
    lower(primitives.scatter_min_p, scatter(jnp.min, largestOf, jnp.minimum))
    lowerDynamic(primitives.rev_p, reverse)
    lowerDynamic(primitives.pad_p, pad, hasNoCuts)
    lowerDynamic(primitives.conv_general_dilated_p, convolve, isPlain)
    lowerDynamic(primitives.dynamic_update_slice_p, updateSlice)
    lowerDynamic(primitives.reduce_window_sum_p, windows(jnp.add, zeroOf))
    lowerDynamic(primitives.reduce_window_max_p, windows(jnp.maximum, leastOf))
    lowerDynamic(primitives.reduce_window_min_p, windows(jnp.minimum, largestOf))
    lowerEmpty(primitives.conv_general_dilated_p, zeroOf)
    lowerEmpty(primitives.reduce_window_sum_p, zeroOf)
    lowerEmpty(primitives.reduce_window_max_p, leastOf)
    lowerEmpty(primitives.reduce_window_min_p, largestOf)
    lower(windowed_reductions.select_and_gather_add_p, readSelected)

    usual = findRule(primitives.reshape_p)

    def nameGroups(context, *operands, **parameters):
        """A reshape of unknown extents has which neighbours of which have equal products: the exporter knows it."""
        results = usual(context, *operands, **parameters)
        given, wanted = context.avals_in[0].shape, context.avals_out[0].shape
        pairs = None if isStatic(given, wanted) else pair_groups(list(given), list(wanted))
        op = results[0].owner
        if pairs and getattr(op, "name", "") in ("stablehlo.reshape", "stablehlo.dynamic_reshape"):
            text = " ".join(f"{count} {many}" for count, many in pairs)
            op.attributes[jax_shapes.GROUPS] = mlir.ir.StringAttr.get(text)
        return results

    register(primitives.reshape_p, nameGroups)
    register(windowed_reductions.select_and_scatter_p, selectFirst)

    ofApart = findRule(windowed_reductions.select_and_scatter_add_p)

    def chooseSelection(context, *operands, window_dimensions, window_strides, **parameters):
        isApart = tuple(window_dimensions) == tuple(window_strides) and any(size > 1 for size in window_dimensions)
        rule = ofApart if isApart else mlir.lower_fun(addSelected, multiple_results=False)
        return rule(context, *operands, window_dimensions=window_dimensions, window_strides=window_strides, **parameters)

    register(windowed_reductions.select_and_scatter_add_p, chooseSelection)
    lowerEmpty(windowed_reductions.select_and_scatter_add_p, zeroOf)

    readStatic = findRule(primitives.gather_p)

    def chooseGather(context, *operands, **parameters):
        isFilled = parameters["mode"] == lax.GatherScatterMode.FILL_OR_DROP
        if isFilled or isStatic(parameters["slice_sizes"]):
            return readStatic(context, *operands, **parameters)
        rule = mlir.lower_fun(gather, multiple_results=False)
        return rule(context, *operands, shape=context.avals_out[0].shape, **parameters)

    register(primitives.gather_p, chooseGather)

    ragged = getattr(lax_internal, "ragged_dot_general_p", None)
    if ragged is None:  # an older JAX
        return
    usualRagged = findRule(ragged)

    def lowerRagged(context, *operands, ragged_dot_dimension_numbers, group_offset=None, preferred_element_type=None,
                    **parameters):
        """Others as JAX has them: all rows by each matrix."""
        numbers = ragged_dot_dimension_numbers
        shapes = [aval.shape for aval in context.avals_in]
        function = chooseRagged(*shapes, numbers) if group_offset is None and isStatic(*shapes) else None
        if function:
            return mlir.lower_fun(
                lambda lhs, rhs, sizes: function(lhs, rhs, sizes, numbers, preferred_element_type),
                multiple_results=False)(context, *operands)
        return usualRagged(context, *operands, ragged_dot_dimension_numbers=numbers, group_offset=group_offset,
                           preferred_element_type=preferred_element_type, **parameters)

    register(ragged, lowerRagged)
