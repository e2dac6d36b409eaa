# ===- torch_decompositions.py - ops of PyTorch in terms of others ------------ py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Decompositions that carousel-import takes in place of torch-mlir's, and of ops that it lacks.

Grouped products take rows, or columns, in groups that end where data says. A product of each row with the matrix of its
group reads a matrix for each row, which the compiler brings together (docs/GraphPhase.md, Grouped products). Where groups
are along the depth, each has a product of its own, of which the others' elements are zero in one factor."""

import math


def decompose_gelu(value, approximate="none"):
    """torch-mlir takes 0.797724 for the square root of 2 / pi, which is 0.797885: gelu is off by 1e-4 with it."""
    import torch

    if approximate != "tanh":
        return NotImplemented
    return torch._refs.nn.functional.gelu(value, approximate)


def find_scores(queries, keys, attn_mask, is_causal, factor):
    """Of attention, as PyTorch's kernels for GPUs compute them: sums in f32 of 16-bit factors."""
    import torch

    wide = torch.promote_types(queries.dtype, torch.float32)
    scores = torch.matmul(queries.to(wide), keys.to(wide).transpose(-1, -2)) * factor
    if is_causal:
        rows, columns = (torch.arange(extent, device=queries.device) for extent in scores.shape[-2:])
        scores = scores.masked_fill(columns.unsqueeze(0) > rows.unsqueeze(1), -torch.inf)
    if attn_mask is None:
        return scores
    is_bits = attn_mask.dtype == torch.bool
    return scores.masked_fill(attn_mask.logical_not(), -torch.inf) if is_bits else scores + attn_mask


def repeat_heads(queries, keys, values):
    """Keys and values for each head of queries (grouped-query attention)."""
    return [value.repeat_interleave(queries.shape[-3] // value.shape[-3], -3) for value in (keys, values)]


def decompose_attention(queries, keys, values, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
    """As PyTorch's kernels for GPUs compute it: scores of 16-bit factors are sums in f32, and their exponentials multiply
    values in the values' type. Its decomposition widens all factors to f32, and multiplies exponentials in f32."""
    import torch

    if enable_gqa:
        keys, values = repeat_heads(queries, keys, values)
    scores = find_scores(queries, keys, attn_mask, is_causal, queries.shape[-1]**-0.5 if scale is None else scale)
    # Rows without an element are zero.
    weights = torch.softmax(scores, -1) if attn_mask is None else torch.ops.aten._safe_softmax.default(scores, -1)
    if dropout_p:
        weights = torch.dropout(weights, dropout_p, True)
    return torch.matmul(weights.to(values.dtype), values)


def find_groups(ends, count):
    """The group of each of `count` rows, by how many groups end before it."""
    import torch

    rows = torch.arange(count, dtype=ends.dtype, device=ends.device)
    return (ends.unsqueeze(0) <= rows.unsqueeze(1)).sum(1, dtype=torch.int32)


def multiply_rows(rows, matrices, ends):
    import torch

    groups, count = find_groups(ends, rows.shape[0]), matrices.shape[0]
    own = torch.index_select(matrices, 0, groups.clamp(max=count - 1))
    products = torch.bmm(rows.unsqueeze(1), own).squeeze(1)
    # Rows behind the last group have none.
    return torch.where((groups < count).unsqueeze(1), products, torch.zeros((), dtype=products.dtype))


def multiply_depth(left, right, ends):
    import torch

    groups = find_groups(ends, left.shape[1])
    is_own = groups.unsqueeze(0) == torch.arange(ends.shape[0], dtype=groups.dtype, device=ends.device).unsqueeze(1)
    own = torch.where(is_own.unsqueeze(1), left.unsqueeze(0), torch.zeros((), dtype=left.dtype))
    return torch.matmul(own, right)


def decompose_grouped(left, right, ends=None, bias=None, out_dtype=None):
    import torch

    if bias is not None or out_dtype not in (None, left.dtype):
        return NotImplemented
    ranks = (left.dim(), right.dim())
    if ranks == (2, 3):
        return multiply_rows(left, right, ends)
    if ranks == (3, 2):
        return multiply_rows(right.transpose(0, 1), left.transpose(1, 2), ends).transpose(0, 1)
    return multiply_depth(left, right, ends) if ranks == (2, 2) else torch.bmm(left, right)


def decompose_histogram(values, bins=100, min=0, max=0):
    """The range must be known. Values outside of it, and NaN, are in no bin; the last bin has its upper end."""
    import torch

    # PyTorch takes the least and the greatest value where the ends round to one number, and exports no integers' bins.
    if not values.is_floating_point() or any(max - min <= torch.finfo(values.dtype).eps * abs(end) for end in (min, max)):
        return NotImplemented
    # Places and numbers of bins may be no numbers of the values' type.
    wide = torch.promote_types(values.dtype, torch.float32)
    low, high = (torch.full((), end, dtype=values.dtype, device=values.device).to(wide) for end in (min, max))
    elements = values.flatten().to(wide)
    places = ((elements - low) * bins / (high - low)).floor()
    numbers = torch.arange(bins, dtype=wide, device=values.device).unsqueeze(1)
    is_own = (low <= elements) & (elements <= high) & (places.clamp(max=bins - 1) == numbers)
    return is_own.sum(1, dtype=torch.int32).to(values.dtype)


def find_variances(values, dim, correction, keepdim):
    """And means, in two passes, in the type that PyTorch's kernels sum in. torch-mlir's are in f64, which GPUs compute slowly."""
    import torch

    places = list(dim) if dim else list(range(values.dim()))
    wide = values.to(torch.promote_types(values.dtype, torch.float32))
    means = wide.mean(places, keepdim=True)
    count = math.prod(values.shape[place] for place in places)
    freedom = torch.sym_max(count - (1 if correction is None else correction), 0)
    distances = wide - means
    variances = (distances * distances).sum(places, keepdim=keepdim) / freedom
    return variances, means if keepdim else means.squeeze(places)


def decompose_variance(values, dim=None, *, correction=None, keepdim=False):
    return NotImplemented if values.is_complex() else find_variances(values, dim, correction, keepdim)[0].to(values.dtype)


def decompose_deviation(values, dim=None, *, correction=None, keepdim=False):
    return NotImplemented if values.is_complex() else find_variances(values, dim, correction, keepdim)[0].sqrt().to(values.dtype)


def decompose_variance_and_mean(values, dim=None, *, correction=None, keepdim=False):
    if values.is_complex():
        return NotImplemented
    return tuple(value.to(values.dtype) for value in find_variances(values, dim, correction, keepdim))


def decompose_layer_norm(values, normalized_shape, weight, bias, eps):
    """With means and factors in the type that sums have on GPUs. PyTorch's has them in the values' type on CPUs."""
    import torch

    places = list(range(values.dim() - len(normalized_shape), values.dim()))
    variances, means = find_variances(values, places, 0, True)
    factors = torch.rsqrt(variances + eps)
    result = (values - means) * factors
    result = result if weight is None else result * weight
    result = result if bias is None else result + bias
    return result.to(values.dtype), means, factors


def decompose_label_gradient(gradient, values, target, weight, reduction, ignore_index, total_weight):
    """Of nll_loss, at each class. PyTorch scatters it, which GPUs do slowly."""
    import torch

    if weight is not None or values.dim() != 2:
        return NotImplemented
    gradient = gradient / total_weight if reduction == 1 else gradient
    classes = torch.arange(values.shape[1], device=values.device, dtype=target.dtype)
    labels = target.unsqueeze(1)
    is_own = (classes == labels) & (labels != ignore_index)
    row = gradient.unsqueeze(1) if gradient.dim() else gradient
    return torch.where(is_own, -row, torch.zeros((), dtype=values.dtype, device=values.device)).to(values.dtype)


def decompose_split(values, split_sizes, dim=0):
    """As slices."""
    import itertools

    ends = list(itertools.accumulate(split_sizes))
    return tuple(values.narrow(dim, end - size, size) for end, size in zip(ends, split_sizes))


def decompose_slice_scatter(values, src, dim=0, start=None, end=None, step=1):
    """As a choice between elements, which joins the ops around it."""
    import torch
    from torch.nn.functional import pad

    extent = values.shape[dim]
    if step != 1 or not all(isinstance(size, int) for size in (extent, start or 0, end or 0)):
        return NotImplemented
    begin, until, _ = slice(start, end).indices(extent)
    dim %= values.dim()
    places = torch.arange(extent, device=values.device).reshape([-1] + [1] * (values.dim() - 1 - dim))
    padding = [0, 0] * (values.dim() - 1 - dim) + [begin, extent - max(until, begin)]
    return torch.where((places >= begin) & (places < until), pad(src, padding), values)


def decompose_maximum(values, other):
    """torch-mlir compares and chooses, which loses NaN of the first."""
    import torch

    is_float = torch.result_type(values, other).is_floating_point
    return torch.where((values > other) | values.isnan(), values, other) if is_float else NotImplemented


def decompose_minimum(values, other):
    import torch

    is_float = torch.result_type(values, other).is_floating_point
    return torch.where((values < other) | values.isnan(), values, other) if is_float else NotImplemented


def decompose_clamp(values, min=None, max=None):
    """NaN stays NaN. torch-mlir's comparisons make it a bound."""
    import torch

    if not values.is_floating_point():
        return NotImplemented
    if any(isinstance(bound, torch.Tensor) for bound in (min, max)):
        values = values if min is None else torch.maximum(values, min)
        return values if max is None else torch.minimum(values, max)
    values = values if min is None else torch.where(values < min, min, values)
    return values if max is None else torch.where(values > max, max, values)


def decompose_clamp_max(values, max):
    return decompose_clamp(values, None, max)


def decompose_hardtanh(values, min_val=-1, max_val=1):
    return decompose_clamp(values, min_val, max_val)


def decompose_extremum(values, dim=(), keepdim=False):
    """Of a number, which torch-mlir doesn't reduce."""
    return NotImplemented if values.dim() else values.clone()


def find_place_of(reduce):
    """The first place of the extremum, or of a NaN, which torch-mlir's comparisons pass over."""
    def decompose(values, dim=None, keepdim=False):
        import torch

        if not values.dim():
            return torch.zeros_like(values, dtype=torch.int64)
        if not values.is_floating_point():
            return NotImplemented
        if dim is None:
            result = decompose(values.flatten(), 0)
            return result.reshape([1] * values.dim()) if keepdim else result
        extent = values.shape[dim]
        places = torch.arange(extent, device=values.device).reshape([-1] + [1] * (values.dim() - 1 - dim % values.dim()))
        is_own = (values == reduce(values, dim, True)) | values.isnan()
        return torch.amin(torch.where(is_own, places, extent), dim, keepdim)

    return decompose


def decompose_fmod(values, other):
    """torch-mlir's takes two tensors of floats."""
    import torch

    if torch.result_type(values, other).is_floating_point:
        return NotImplemented if isinstance(other, torch.Tensor) else torch.fmod(values, torch.full_like(values, other))
    return values - torch.div(values, other, rounding_mode="trunc") * other


def decompose_topk(values, k, dim=-1, largest=True, is_sorted=True):
    """What is sorted is right for those who don't ask for an order, too; torch-mlir takes no other."""
    import torch

    return NotImplemented if is_sorted else torch.ops.aten.topk.default(values, k, dim, largest, True)


def decompose_sort(values, *, stable=None, dim=-1, descending=False):
    """Sorts are stable anyway; torch-mlir takes those alone of which nobody asks for that."""
    import torch

    return torch.ops.aten.sort.default(values, dim, descending) if values.dim() else NotImplemented


def decompose_cumsum(values, dim, *, dtype=None):
    """torch-mlir takes no number."""
    return NotImplemented if values.dim() else values.to(dtype or values.dtype, copy=True)


def decompose_strides(values, size, stride, offset=None):
    """Strides that the tensor has, as pooling writes them for channels that come last, or those of the tensor in other extents, as
    normalization of groups writes them. torch-mlir gathers elements."""
    extents = tuple(values.shape)
    if offset not in (None, values.storage_offset()):
        return NotImplemented
    if extents == tuple(size) and all(extent == 1 or own == wanted for extent, own, wanted in zip(extents, values.stride(), stride)):
        return values.clone()
    places = [(extent, own) for extent, own in zip(size, stride) if extent != 1]
    steps = [*(extent * own for extent, own in places[1:]), 1]
    is_dense = all(own == step for (_, own), step in zip(places, steps))
    return values.reshape(size).clone() if is_dense and values.is_contiguous() and math.prod(size) == values.numel() else NotImplemented


def decompose_pad(values, pad, value=0):
    """What a negative padding cuts off is a slice."""
    if not any(isinstance(each, int) and each < 0 for each in pad):
        return NotImplemented
    import torch

    for at in range(len(pad) // 2):
        before, after = pad[2 * at:2 * at + 2]
        dim = values.dim() - 1 - at
        first, last = max(0, -before), max(0, -after)
        values = values.narrow(dim, first, values.shape[dim] - first - last)
    rest = [max(0, each) for each in pad]
    return torch.constant_pad_nd(values, rest, value) if any(rest) else values.clone()


def decompose_empty_strided(size, stride, **options):
    """A program's tensors have no strides, which torch-mlir may not be able to compute."""
    import torch

    return torch.empty(size, **options)


def decompose_new_empty_strided(values, size, stride, **options):
    return values.new_empty(size, **options)


def drop_unused(graph):
    """Assertions of types, which the graph has, and numbers that only decompositions read, some of which torch-mlir refuses."""
    import torch

    for node in list(graph.nodes):
        if node.target == torch.ops.aten._assert_tensor_metadata.default:
            graph.erase_node(node)
    graph.eliminate_dead_code()


def widen_bytes(graph):
    """torch-mlir takes uint8 for int8 in most ops, and ends the process at arithmetic of int8 and a number. Here they get int32,
    and their results are cut to 8 bits again."""
    import operator

    import torch

    cast = torch.ops.prims.convert_element_type.default
    conversions = (cast, torch.ops.aten._to_copy.default)

    of_numbers = (torch.ops.aten.mul, torch.ops.aten.sub, torch.ops.aten.div, torch.ops.aten.remainder)

    def is_widened(node, value):
        has_number = getattr(node.target, "overloadpacket", None) in of_numbers and not isinstance(node.args[1], torch.fx.Node)
        return getattr(value, "dtype", None) in ((torch.uint8, torch.int8) if has_number else (torch.uint8,))

    def convert(node, dtype):
        made = graph.call_function(cast, (node, dtype))
        made.meta = {"val": node.meta["val"].to(dtype)}
        return made

    widened = set()
    for node in list(graph.nodes):
        narrow = [value for value in node.all_input_nodes if is_widened(node, value.meta.get("val"))]
        if isinstance(node.target, torch._ops.OpOverload) and narrow and node.target not in conversions and not node.target.is_view:
            with graph.inserting_before(node):
                for value in narrow:
                    node.replace_input_with(value, convert(value, torch.int32))
        elif node.target != operator.getitem or node.args[0] not in widened:
            continue
        widened.add(node)
        result = node.meta["val"]
        # The importer takes the type of the tensor's other description before that of its value.
        node.meta.pop("tensor_meta", None)
        node.meta["val"] = torch.utils._pytree.tree_map(lambda value: value.to(torch.int32) if is_widened(node, value) else value,
                                                        result)
        if is_widened(node, result):
            with graph.inserting_after(node):
                cut = convert(node, result.dtype)
            node.replace_all_uses_with(cut, lambda user, own=cut: user is not own)


def copy_listed_buffers(program):
    """torch-mlir takes buffers and constants for values of Python, which it refuses in lists of tensors, such as indices."""
    import torch

    graph, signature = program.graph_module.graph, program.graph_signature
    kept = {**signature.inputs_to_buffers, **signature.inputs_to_lifted_tensor_constants, **signature.inputs_to_parameters}
    for node in list(graph.nodes):
        for at, argument in enumerate(node.args if node.op == "call_function" else ()):
            if not isinstance(argument, (list, tuple)):
                continue
            values = list(argument)
            for place, value in enumerate(values):
                if isinstance(value, torch.fx.Node) and value.op == "placeholder" and value.name in kept:
                    with graph.inserting_before(node):
                        values[place] = graph.call_function(torch.ops.aten.clone.default, (value,))
                        values[place].meta = dict(value.meta)
            node.update_arg(at, values)


def get_decompositions():
    """By the overload of an op, as torch.export takes them."""
    import torch

    aten = torch.ops.aten
    argmax, argmin = find_place_of(torch.amax), find_place_of(torch.amin)
    found = {aten.var.correction: decompose_variance, aten.std.correction: decompose_deviation,
             aten.var_mean.correction: decompose_variance_and_mean, aten.gelu.default: decompose_gelu, aten.histc.default: decompose_histogram, aten.sort.stable: decompose_sort, aten.topk.default: decompose_topk,
             aten.cumsum.default: decompose_cumsum, aten.maximum.default: decompose_maximum, aten.minimum.default: decompose_minimum,
             aten.clamp.default: decompose_clamp, aten.clamp.Tensor: decompose_clamp, aten.clamp_min.default: decompose_clamp,
             aten.clamp_max.default: decompose_clamp_max, aten.hardtanh.default: decompose_hardtanh,
             aten.argmax.default: argmax, aten.argmin.default: argmin, aten.amax.default: decompose_extremum, aten.amin.default: decompose_extremum, aten.fmod.Tensor: decompose_fmod,
             aten.fmod.Scalar: decompose_fmod, aten.as_strided.default: decompose_strides, aten.scaled_dot_product_attention.default: decompose_attention,
             aten.constant_pad_nd.default: decompose_pad, aten.empty_strided.default: decompose_empty_strided, aten.new_empty_strided.default: decompose_new_empty_strided}
    if hasattr(aten, "_grouped_mm"):
        found[aten._grouped_mm.default] = decompose_grouped
    # What the package transformers exports where PyTorch can't compile its own: it is registered once that is imported.
    if hasattr(torch.ops.transformers, "grouped_mm_fallback"):
        found[torch.ops.transformers.grouped_mm_fallback.default] = decompose_grouped
    return found
