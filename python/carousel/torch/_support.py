# ===- _support.py - which operators are taken ---------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Says which nodes of a graph of AOTAutograd the importer takes, and divides the graph into parts of such nodes."""

from __future__ import annotations

import contextlib
import operator
from collections import Counter
from collections.abc import Container, Iterator
from typing import Any, Callable, Optional

import torch
from torch.fx.passes.infra.partitioner import CapabilityBasedPartitioner
from torch.fx.passes.operator_support import OperatorSupportBase
from torch.fx.passes.utils.fuser_utils import fuse_by_partitions

from .._report import GraphReport
from ._random import merge_seeds
from ._report import find_place

TYPES = (torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.int16, torch.int8,
         torch.uint8, torch.bool)

# Views take no time in PyTorch, so that a part doesn't end with one.
VIEWS = frozenset("""
_unsafe_view alias detach expand permute reshape select slice squeeze t transpose unsqueeze view""".split())

# They keep elements, in another type or on another device.
CONVERSIONS = ("_to_copy", "clone", "convert_element_type")

# The names of ATen's operators that carousel-import takes as AOTAutograd writes them, in all their overloads but those of
# REFUSED_OVERLOADS.
TAKEN = VIEWS | frozenset("""
_softmax _log_softmax _to_copy _trilinear
abs acos acosh add addcdiv addcmul addmm amax amin any arange argmax argmin asin asinh atan atan2 atanh avg_pool2d avg_pool3d
bitwise_and bitwise_not bitwise_or bitwise_right_shift bitwise_xor bmm cat ceil clamp clamp_max clamp_min clone constant_pad_nd convert_element_type
convolution cos cosh cumsum div embedding empty eq erf exp exp2 expm1 fill flip floor fmod full full_like gather ge gelu gt
hardtanh index index_add index_select isinf isnan le leaky_relu lift_fresh_copy log log10 log1p log2 logical_and logical_not logical_or
logical_xor lt masked_fill max max_pool2d_with_indices max_pool3d_with_indices maximum mean min minimum mm mul ne neg new_full new_ones new_zeros ones
ones_like pow prod reciprocal relu remainder repeat round rsqrt rsub scalar_tensor select_scatter sigmoid sign silu sin sinh slice_scatter sort sqrt square sub sum
tan tanh topk tril triu trunc var_mean var where xor zeros zeros_like""".split())
COPY = torch.ops.aten.copy_.default  # to an argument, at the end of a graph
REFUSED_OVERLOADS = frozenset("all_dim max.dim min.dim prod.dim_int".split())
# Elements that the threads of a CTA sort, and the first ones that parts of longer rows give (docs/GraphPhase.md, Sorts).
MOST_SORTED, MOST_CHOICES = 8192, 1024


def name_operator(node: torch.fx.Node) -> str:
    target: Any = node.target
    if isinstance(target, torch._ops.OpOverload):
        return str(target)
    return str(getattr(target, "__name__", target))


def find_packet(node: torch.fx.Node) -> str:
    """The name of an operator of ATen, or of prims; empty for another."""
    target: Any = node.target
    if isinstance(target, torch._ops.OpOverload) and target.namespace in ("aten", "prims"):
        return str(target._opname)
    return ""


def is_view(node: torch.fx.Node) -> bool:
    return node.op == "call_function" and find_packet(node) in VIEWS


def refuse_tensor(value: torch.Tensor) -> str:
    """Why no program can have the tensor; empty if one can."""
    if value.dtype not in TYPES:
        return f"elements of {str(value.dtype).removeprefix('torch.')}"
    if value.layout != torch.strided or value.is_quantized or getattr(value, "is_nested", False):
        return "a tensor that isn't strided"
    if any(isinstance(extent, int) and extent == 0 for extent in value.shape):
        return "a tensor without elements"
    return ""


def refuse_update(node: torch.fx.Node) -> str:
    """Why index_add stays with PyTorch: only sums of rows into known extents are sorted, others would compare each result with
    each update."""
    extents = node.meta["val"].shape
    is_known = len(extents) == 2 and all(isinstance(extent, int) for extent in extents)
    return "" if is_known and node.args[1] in (0, -2) else "updates that aren't sums of rows into known extents"


def find_row(node: torch.fx.Node, dim: Any) -> int | str:
    """The elements of a row, or why they aren't known."""
    values = node.args[0].meta["val"]
    if not all(isinstance(extent, int) for extent in values.shape):
        return "extents that aren't known"
    return values.shape[dim] if values.dim() else 1


def refuse_choice(node: torch.fx.Node) -> str:
    """Why topk stays with PyTorch: where a CTA has too few threads for a row, all pairs of elements would be compared."""
    row = find_row(node, node.args[2] if len(node.args) > 2 else -1)
    if isinstance(row, str):
        return row
    count = node.args[1]
    return "" if row <= MOST_SORTED or (isinstance(count, int) and count <= MOST_CHOICES) else f"the first {count} of rows of {row}"


def refuse_sort(node: torch.fx.Node) -> str:
    """The same of sort."""
    given = node.args[1] if len(node.args) > 1 and not isinstance(node.args[1], bool) else -1
    row = find_row(node, node.kwargs.get("dim", given))
    if isinstance(row, str):
        return row
    return "" if row <= MOST_SORTED else f"rows of {row}"


def refuse_integers(node: torch.fx.Node) -> str:
    """Why a pool of volumes stays with PyTorch: torch-mlir ends the process where its elements are integers."""
    dtype = node.args[0].meta["val"].dtype
    return "" if dtype.is_floating_point else f"elements of {str(dtype).removeprefix('torch.')}"


def refuse_shift(node: torch.fx.Node) -> str:
    """Why a shift stays with PyTorch: by more than the bits of a number, it has a result of its own."""
    bits, by = 8 * node.meta["val"].element_size(), node.args[1]
    if isinstance(by, torch.fx.Node) and by.target is torch.ops.aten.full.default:
        by = by.args[1]
    return "" if isinstance(by, int) and 0 <= by < bits else "a shift that isn't known"


# Operators that are taken where they are fast, or where the importer takes them.
CONDITIONS = {"bitwise_right_shift": refuse_shift, "index_add": refuse_update, "sort": refuse_sort, "topk": refuse_choice, "max_pool3d_with_indices": refuse_integers}


def find_refusal(node: torch.fx.Node) -> str:
    """Why a call stays with PyTorch; empty if it needn't."""
    value = node.meta.get("val")
    if node.target is operator.getitem:
        return "its operator stays with PyTorch" if find_refusal(node.args[0]) else ""
    if not isinstance(value, (torch.Tensor, tuple, list)):
        return "a number of the host"
    packet = find_packet(node)
    if packet not in TAKEN or str(node.target).removeprefix("aten.") in REFUSED_OVERLOADS:
        return "no operator that carousel-import takes"
    if packet in CONDITIONS and (reason := CONDITIONS[packet](node)):
        return reason
    tensors = [each for each in torch.utils._pytree.tree_leaves(value) if each is not None]
    for source in node.all_input_nodes:
        own = source.meta.get("val")
        if isinstance(own, torch.Tensor):
            tensors.append(own)
        elif not isinstance(own, (torch.SymInt, tuple, list)):
            return f"an argument of {type(own).__name__}"
    for each in tensors:
        if not isinstance(each, torch.Tensor):
            return f"a result of {type(each).__name__}"
        if reason := refuse_tensor(each):
            return reason
    if len(devices := {each.device for each in tensors}) > 1:
        return f"tensors on {' and '.join(sorted(map(str, devices)))}"
    return ""


class Support(OperatorSupportBase):
    """Of operators that are taken."""

    def __init__(self, taken: Container[torch.fx.Node]):
        self._taken = taken

    def is_node_supported(self, submodules: Any, node: torch.fx.Node) -> bool:
        return node in self._taken


def is_number(node: torch.fx.Node) -> bool:
    """Whether it is an extent that isn't known, or computed of such ones: the host has it."""
    return isinstance(node.meta.get("val"), (torch.SymInt, torch.SymFloat, torch.SymBool))


def reuse_numbers(module: torch.fx.GraphModule) -> None:
    """Takes extents from arguments, so that no part waits for a tensor of another that has such an extent."""
    known: dict[Any, torch.fx.Node] = {}
    for node in module.graph.nodes:
        if isinstance(node.meta.get("val"), torch.SymInt):
            expression = node.meta["val"].node.expr
            if expression not in known:
                known[expression] = node
            elif node.op == "call_function":
                node.replace_all_uses_with(known[expression])
    module.graph.eliminate_dead_code()


def is_scalar_of_host(node: torch.fx.Node) -> bool:
    value = node.meta.get("val")
    return isinstance(value, torch.Tensor) and value.device.type == "cpu" and value.dim() == 0


def move_scalars(module: torch.fx.GraphModule) -> None:
    """Copies scalars of the host, such as a learning rate, that operators on a GPU take, once each: a program has one device."""
    copies: dict[tuple[torch.fx.Node, torch.device], torch.fx.Node] = {}
    for node in list(module.graph.nodes):
        value = node.meta.get("val")
        if node.op != "call_function" or not isinstance(value, torch.Tensor) or value.device.type != "cuda" \
                or find_packet(node) not in TAKEN or find_packet(node) in CONVERSIONS:
            continue
        for source in filter(is_scalar_of_host, node.all_input_nodes):
            key = source, value.device
            if key not in copies:
                with module.graph.inserting_after(source):
                    copies[key] = module.graph.call_function(torch.ops.aten._to_copy.default, (source,), {"device": value.device})
                with value.fake_mode:
                    copies[key].meta = {**source.meta, "val": source.meta["val"].to(value.device)}
            node.replace_input_with(source, copies[key])


def find_constant(module: torch.fx.GraphModule, node: torch.fx.Node) -> Optional[torch.Tensor]:
    """A number that a model writes as a tensor."""
    while node.target is torch.ops.aten._to_copy.default:
        node = node.args[0]
    if node.target is not torch.ops.aten.lift_fresh_copy.default or not is_scalar_of_host(node):
        return None
    source: torch.fx.Node = node.args[0]
    return getattr(module, source.target) if source.op == "get_attr" else None


def fold_constants(module: torch.fx.GraphModule) -> None:
    """Fills tensors on the GPU with constants of the host, which would be copied there in each call."""
    aten = torch.ops.aten
    for node in module.graph.find_nodes(op="call_function", target=aten._to_copy.default):
        value, constant = node.meta["val"], find_constant(module, node)
        if constant is None or value.device.type == "cpu":
            continue
        with module.graph.inserting_before(node):
            filled = module.graph.call_function(aten.full.default, ([], constant.to(value.dtype).item()),
                                                {"dtype": value.dtype, "device": value.device})
        filled.meta = node.meta
        node.replace_all_uses_with(filled)
    module.graph.eliminate_dead_code()


def follows(node: torch.fx.Node, known: Container[torch.fx.Node]) -> bool:
    """Whether an operator of PyTorch's own computes the same, each time, from nodes that are known."""
    return bool(find_packet(node)) and not is_draw(node) and not node.is_impure() and all(each in known for each in node.all_input_nodes)


SCATTERS = ("constant_pad_nd", "slice_scatter", "select_scatter", "diagonal_scatter", "index_put")
MOST_FOLDED_BYTES = 1 << 24


def fold_scatters(module: torch.fx.GraphModule) -> None:
    """Computes once what follows from constants that are written in parts, such as masks of windows: each part would be a step
    of each launch. Functions of indices alone stay: kernels compute them, and see what they mask."""
    fixed: set[torch.fx.Node] = set()
    folded: dict[torch.fx.Node, None] = {}
    for node in module.graph.nodes:
        value = getattr(module, node.target, None) if node.op == "get_attr" else node.meta.get("val")
        if not isinstance(value, torch.Tensor) or not all(isinstance(extent, int) for extent in value.shape):
            continue
        if not (value.device.type == "cpu" if node.op == "get_attr" else follows(node, fixed)):
            continue
        fixed.add(node)
        if find_packet(node) in SCATTERS or any(each in folded for each in node.all_input_nodes):
            folded[node] = None
    wanted = [node for node in folded if any(user not in fixed for user in node.users)
              and node.meta["val"].nbytes <= MOST_FOLDED_BYTES]
    if not wanted:
        return
    graph = torch.fx.Graph()
    known: dict[torch.fx.Node, torch.fx.Node] = {}
    for node in module.graph.nodes:
        if node in fixed:
            known[node] = made = graph.node_copy(node, lambda each: known[each])
            made.kwargs = {**made.kwargs, "device": torch.device("cpu")} if "device" in made.kwargs else made.kwargs
    graph.output([known[node] for node in wanted])
    try:
        values = torch.fx.Interpreter(torch.fx.GraphModule(module, graph)).run()
    except (NotImplementedError, RuntimeError):  # the CPU lacks an operator: programs compute them
        return
    for number, (node, value) in enumerate(zip(wanted, values)):
        own, name = node.meta["val"], f"_carousel_constant{number}"
        if own.device.type == "cuda" and not torch.cuda.is_available():
            with own.fake_mode:
                value = torch.empty_strided(own.shape, own.stride(), dtype=own.dtype, device=own.device)
        else:
            value = torch.empty_strided(own.shape, own.stride(), dtype=own.dtype, device=own.device).copy_(value)
        module.register_buffer(name, value)
        with module.graph.inserting_before(node):
            constant = module.graph.get_attr(name)
        constant.meta = node.meta
        node.replace_all_uses_with(constant)
    module.graph.eliminate_dead_code()


def is_cheap(node: torch.fx.Node) -> bool:
    """Whether each reader can have its own: a view, or a constant, which would be a result in memory."""
    is_constant = node.op == "call_function" and not any(isinstance(each.meta.get("val"), torch.Tensor)
                                                         for each in node.all_input_nodes)
    return is_view(node) or (is_constant and find_packet(node) in TAKEN)


def repeat_cheap(module: torch.fx.GraphModule) -> None:
    """Gives each reader a node of its own, so that those in a part aren't results of it."""
    for node in reversed(module.graph.nodes):
        if not is_cheap(node):
            continue
        for user in list(node.users)[1:]:
            with module.graph.inserting_before(user):
                own = module.graph.node_copy(node, lambda each: each)
            user.replace_input_with(node, own)


def drop_trailing(nodes: dict[torch.fx.Node, Any]) -> None:
    """Leaves views and constants to PyTorch that only others read."""
    for node in reversed(list(nodes)):
        if is_cheap(node) and not any(user in nodes for user in node.users):
            del nodes[node]


def refuse_other_devices(refusals: dict[torch.fx.Node, str]) -> None:
    """A part has one device, and the partitioner puts operators together that have nothing in common: programs of a graph are
    on the device that most of its operators have."""
    devices = {}
    for node, reason in refusals.items():
        tensors = [each for each in torch.utils._pytree.tree_leaves(node.meta.get("val")) if isinstance(each, torch.Tensor)]
        if node.op == "call_function" and not reason and tensors:
            devices[node] = tensors[0].device
    if not devices:
        return
    main = Counter(devices.values()).most_common(1)[0][0]
    for node, device in devices.items():
        if device != main:
            refusals[node] = f"a tensor on {device}, beside programs on {main}"


def is_draw(node: torch.fx.Node) -> bool:
    """Whether a node advances a generator of random numbers."""
    return isinstance(node.target, torch._ops.OpOverload) and torch.Tag.nondeterministic_seeded in node.target.tags


@contextlib.contextmanager
def keep_order(module: torch.fx.GraphModule) -> Iterator[None]:
    """Keeps the order of random numbers while nodes are moved: each draw reads the one before it, meanwhile."""
    draws = list(filter(is_draw, module.graph.nodes))
    for last, draw in zip(draws, draws[1:]):
        draw.kwargs = {**draw.kwargs, "after": last}
    yield
    for draw in filter(is_draw, module.graph.nodes):
        draw.kwargs = {name: value for name, value in draw.kwargs.items() if name != "after"}


def fuse(module: torch.fx.GraphModule, support: OperatorSupportBase, is_wanted: Callable[[dict[torch.fx.Node, Any]], bool],
         prefix: str) -> list[str]:
    """Makes submodules of nodes that the support takes, and gives their names."""
    with keep_order(module):
        partitions = CapabilityBasedPartitioner(module, support, allows_single_node_partition=True).propose_partitions()
        wanted = [partition.nodes for partition in partitions if is_wanted(partition.nodes)]
        fuse_by_partitions(module, wanted, prefix=prefix, always_return_tuple=True)
    module.recompile()
    return [f"{prefix}{number}" for number in range(len(wanted))]


def has_data_extents(node: torch.fx.Node) -> bool:
    if find_packet(node) in ("index", "_unsafe_index"):
        return any(each.meta["val"].dtype in (torch.bool, torch.uint8) for each in node.args[1] if each is not None)
    return find_packet(node) == "_unique" or torch.Tag.dynamic_output_shape in getattr(node.target, "tags", ())


def mark_data_extents(graph: torch.fx.Graph) -> set[torch.fx.Node]:
    """Results whose extents follow from data, which PyTorch may have traced as others: `_unique`, which lacks the tag, has one element
    in the gradient of index_fill. Marks of a joint graph stay with what its backward pass gets."""
    found: set[torch.fx.Node] = set()
    for node in graph.nodes:
        if has_data_extents(node) or "of_data" in node.meta or not found.isdisjoint(node.all_input_nodes):
            found.add(node)
            node.meta["of_data"] = True
    return found


def divide(module: torch.fx.GraphModule, report: GraphReport) -> tuple[torch.fx.GraphModule, list[str]]:
    """The module with parts as submodules, and the names of these. The report gets what stays with PyTorch."""
    reuse_numbers(module)
    merge_seeds(module)
    move_scalars(module)
    fold_constants(module)
    fold_scatters(module)
    repeat_cheap(module)
    refusals = {node: find_refusal(node) if node.op == "call_function" else "" for node in module.graph.nodes}
    refuse_other_devices(refusals)
    for node in mark_data_extents(module.graph):
        refusals[node] = refusals[node] or ("extents that follow from data" if node.op == "call_function" else "")
    # Views that only others read could keep parts from being one.
    taken = {node: None for node, reason in refusals.items() if node.op == "call_function" and not reason}
    drop_trailing(taken)
    for node, reason in refusals.items():
        if reason and node.target not in (operator.getitem, COPY) and not is_number(node):
            report.left[name_operator(node), reason, find_place(node.meta)] += 1

    def is_part(nodes: dict[torch.fx.Node, Any]) -> bool:
        drop_trailing(nodes)
        return any(not is_cheap(node) and node.target is not operator.getitem for node in nodes)

    return module, fuse(module, Support(taken), is_part, "carousel_part_")


def inline(module: torch.fx.GraphModule, name: str) -> None:
    """Puts the nodes of a part back in the place of its call."""
    (call,) = module.graph.find_nodes(op="call_module", target=name)
    part = getattr(module, name)
    known = dict(zip(part.graph.find_nodes(op="placeholder"), call.args))
    with module.graph.inserting_before(call):
        results = module.graph.graph_copy(part.graph, known)
    for user in list(call.users):
        user.replace_all_uses_with(results[user.args[1]])
        module.graph.erase_node(user)
    module.graph.erase_node(call)
    delattr(module, name)
