# ===- torch_reshapes.py - views of unknown extents -------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Takes views and broadcasts of tensors with unknown extents past torch-mlir, for carousel-import.

torch-mlir knows extents as numbers only: of [b, s, 16] viewed as [b * s, 16] it takes s for 1. The exporter knows which
products are equal. So each such view becomes an op of ours before torch-mlir gets the graph, and a reshape of the tensor
dialect before its first pass."""

import math

import sympy
import torch
from torch.fx.experimental.symbolic_shapes import free_symbols

from refusals import Refusal
from reshapes import Reshapes, find_groups, number, pair_groups

OPS = ("carousel.collapse", "carousel.expand", "carousel.reshape")
VIEWS = (torch.ops.aten.view.default, torch.ops.aten._unsafe_view.default, torch.ops.aten.reshape.default)

library = torch.library.Library("carousel", "DEF")
# `groups` has the number of neighbours of each group; -1 as a size is what is left.
library.define("collapse(Tensor x, int[] groups) -> Tensor")
library.define("expand(Tensor x, int[] groups, SymInt[] sizes) -> Tensor")
library.define("reshape(Tensor x, SymInt[] sizes) -> Tensor")


# ===--------------------------------------------------------------------------===#
# Of the exported graph
# ===--------------------------------------------------------------------------===#


def express(extent):
    """A polynomial of the names of extents."""
    return extent.node.expr if isinstance(extent, torch.SymInt) else extent


def find_free_extents(graph):
    """Where extents of arguments are that aren't fixed, by PyTorch's names of them."""
    found = {}
    for node in graph.nodes:
        if node.op == "placeholder" and isinstance(node.meta.get("val"), torch.Tensor):
            for dim, extent in enumerate(node.meta["val"].shape):
                if free_symbols(extent):
                    found.setdefault(str(express(extent)), f"dimension {dim} of {node.name}")
    return found


def find_equal_extents(graph, arguments):
    """Dimensions of arguments, by numbers, that have one name. `arguments`: the placeholders' names in their order."""
    named = {}
    values = {node.name: node.meta.get("val") for node in graph.nodes if node.op == "placeholder"}
    for number, name in enumerate(arguments):
        for dim, extent in enumerate(getattr(values.get(name), "shape", ())):
            if free_symbols(extent):
                named.setdefault(str(express(extent)), []).append((number, dim))
    return [places for places in named.values() if len(places) > 1]


def assert_extents(ir, module, equal):
    """Says in `main` which extents are equal. torch-mlir reads elements of an operand as if it might be broadcast."""
    main = ir.SymbolTable(module)["main"]
    with ir.InsertionPoint.at_block_begin(main.regions[0].blocks[0]), main.location:
        index = ir.IndexType.get()

        def read(number, dim):
            at = ir.Operation.create("arith.constant", [index], attributes={"value": ir.IntegerAttr.get(index, dim)}).result
            return ir.Operation.create("tensor.dim", [index], [main.regions[0].blocks[0].arguments[number], at]).result

        for (number, dim), *others in equal:
            first = read(number, dim)
            for other, along in others:
                is_equal = ir.Operation.create("arith.cmpi", [ir.IntegerType.get_signless(1)], [first, read(other, along)],
                                               attributes={"predicate": ir.IntegerAttr.get(ir.IntegerType.get_signless(64), 0)})
                text = f"expected dimension {along} of arg{other} to be dimension {dim} of arg{number}"
                ir.Operation.create("cf.assert", [], [is_equal.result], attributes={"msg": ir.StringAttr.get(text)})


def choose_sizes(known, most=9999):
    """Example sizes that PyTorch takes for no other extent: primes of four digits that divide none of the `known` extents.
    Below a bound of fewer digits, the largest numbers that are none of them."""
    for size in range(1009, min(most, 9999) + 1, 2):
        if all(size % other for other in range(3, 100, 2)) and all(extent == 0 or extent % size for extent in known):
            yield size
    yield from (size for size in range(min(most, 1008), -1, -1) if size not in known)


def keep_apart(graph):
    """Gives the extents that launches choose example sizes of which no sum or product in the graph is one of its numbers, or
    that of another. Where a decomposition compares two extents, PyTorch takes them for equal if those of the example are."""
    values = [torch.utils._pytree.tree_leaves((node.meta.get("val"), node.args)) for node in graph.nodes]
    extents, numbers = [], set()
    for value in (value for leaves in values for value in leaves):
        for extent in value.shape if isinstance(value, torch.Tensor) else [value]:
            if isinstance(extent, torch.SymInt):
                extents.append(extent)
            elif isinstance(extent, int):
                numbers.add(int(extent))
    if not extents:
        return
    environment = extents[0].node.shape_env
    sizes = environment.backed_var_to_val
    expressions = {express(extent) for extent in extents}
    names = sorted(set().union(*(expression.free_symbols for expression in expressions)) & sizes.keys(), key=str)
    chosen = {}
    for name in names:
        # Expressions that this size and those before it decide.
        own = [expression for expression in expressions
               if name in expression.free_symbols and expression.free_symbols <= {*chosen, name}]
        rules = [guard.expr for guard in environment.guards
                 if name in guard.expr.free_symbols and guard.expr.free_symbols <= {*chosen, name}]
        bounds = environment.var_to_range[name]
        most = int(bounds.upper) if isinstance(bounds.upper, sympy.Integer) else 9999
        for size in choose_sizes(numbers, most):
            trial = {**chosen, name: sympy.Integer(size)}
            found = [int(expression.xreplace(trial)) for expression in own]
            if (bounds.lower <= size and len(set(found)) == len(found) and numbers.isdisjoint(found)
                    and all(rule.xreplace(trial) == sympy.true for rule in rules)):
                chosen = trial
                numbers.update(found)
                break
        else:
            return  # what is fixed then is refused
    sizes.update(chosen)
    for leaves in values:
        for value in leaves:
            for extent in [*value.shape, *value.stride(), value.storage_offset()] if isinstance(value, torch.Tensor) else [value]:
                if isinstance(extent, torch.SymInt) and extent.node.has_hint():
                    extent.node._hint = int(extent.node.expr.xreplace(sizes))


def relax(graph):
    """Makes views reshapes: which strides can be viewed changes where ops are decomposed."""
    for node in graph.nodes:
        if node.op == "call_function" and node.target == torch.ops.aten.view.default:
            node.target = torch.ops.aten.reshape.default


def keep_extents(graph):
    """Says which extents a broadcast keeps. torch-mlir asks whether each that isn't a number is 1, and reads by the answer."""
    for node in list(graph.nodes):
        if node.op != "call_function" or node.target != torch.ops.aten.expand.default:
            continue
        source, sizes = node.args
        given, wanted = ([express(extent) for extent in value.meta["val"].shape] for value in (source, node))
        if given == wanted:
            node.replace_all_uses_with(source)
            graph.erase_node(node)
            continue
        new = len(wanted) - len(given)
        node.update_arg(1, [*sizes[:new], *(-1 if own == other else size
                                            for own, other, size in zip(given, wanted[new:], sizes[new:]))])


def mark(graph):
    """Replaces views whose extents aren't all numbers."""
    for node in list(graph.nodes):
        if node.op != "call_function" or node.target not in VIEWS:
            continue
        source, sizes = node.args
        given = [express(extent) for extent in source.meta["val"].shape]
        wanted = [express(extent) for extent in node.meta["val"].shape]
        if not free_symbols(source.meta["val"].shape) and not free_symbols(node.meta["val"].shape):
            continue
        pairs = pair_groups(given, wanted)

        def insert(name, arguments, value):
            """Before the view."""
            with graph.inserting_before(node):
                new = graph.call_function(getattr(torch.ops.carousel, name).default, arguments)
            # What else says its type is that of the view.
            new.meta = {key: other for key, other in node.meta.items() if key != "tensor_meta"} | {"val": value}
            return new

        if pairs is None:
            new = insert("reshape", (source, sizes), node.meta["val"])
        else:
            new, extents, begin = source, [], 0
            for count, _ in pairs:
                extents.append(math.prod(source.meta["val"].shape[begin:begin + count]))
                begin += count
            if any(count != 1 for count, _ in pairs):
                new = insert("collapse", (new, [count for count, _ in pairs]), source.meta["val"].new_empty(extents))
            if any(many != 1 for _, many in pairs):
                new = insert("expand", (new, [many for _, many in pairs], sizes), node.meta["val"])
        node.replace_all_uses_with(new)
        graph.erase_node(node)
    graph.lint()


# ===--------------------------------------------------------------------------===#
# Of what torch-mlir makes of it
# ===--------------------------------------------------------------------------===#


class Lowering(Reshapes):

    def elements(self, value):
        """Of a list."""
        if value.owner.name != "torch.prim.ListConstruct":
            raise Refusal(f"expected a view whose sizes are a list, got {value.owner.name}")
        return list(value.owner.operands)

    def find_number(self, value):
        """None if it isn't known."""
        owner = value.owner
        isConstant = getattr(owner, "name", "") == "torch.constant.int"
        return self.ir.IntegerAttr(owner.attributes["value"]).value if isConstant else None

    def size(self, value):
        i64 = self.ir.IntegerType.get_signless(64)
        return self.create("arith.index_cast", [self.index], self.create("torch_c.to_i64", [i64], [value]))[0]

    def sizes(self, values, groups, count):
        """As index; -1 is what the others of its group leave of the group's `count`."""
        sizes = [self.size(value) for value in values]
        for at, dims in enumerate(groups):
            for own in (dim for dim in dims if self.find_number(values[dim]) == -1):
                sizes[own] = count(at)
                for other in (dim for dim in dims if dim != own):
                    sizes[own] = self.create("arith.divui", [self.index], [sizes[own], sizes[other]])[0]
        return sizes

    def count(self, tensor):
        """All elements."""
        total = self.constant(1)
        for at in range(len(self.shape(tensor.type))):
            total = self.create("arith.muli", [self.index], [total, self.dim(tensor, at)])[0]
        return total

    def lower(self, op, name):
        type = self.builtin(op.results[0].type)
        source = self.create("torch_c.to_builtin_tensor", [self.builtin(op.operands[0].type)], [op.operands[0]])[0]
        if name == "reshape":
            values = self.elements(op.operands[1])
            given, wanted = self.shape(source.type), self.shape(type)
            if (groups := find_groups(given, wanted)) is not None:
                return self.collapse(source, groups, type)
            if (groups := find_groups(wanted, given)) is not None:
                return self.expand(source, groups, type, self.sizes(values, groups, lambda at: self.dim(source, at)))
            return self.reshapeTo(source, type, self.sizes(values, [range(len(values))], lambda _: self.count(source)))
        groups = number([self.find_number(value) for value in self.elements(op.operands[1])])
        if name == "collapse":
            return self.collapse(source, groups, type)
        values = self.elements(op.operands[2])
        return self.expand(source, groups, type, self.sizes(values, groups, lambda at: self.dim(source, at)))

    def builtin(self, type):
        """A tensor of a !torch.vtensor<[?,16],f32>."""
        text = str(type).removeprefix("!torch.vtensor<[").rstrip(">")
        extents, _, element = text.rpartition("],")
        element = element.strip()
        # Integers have no sign here.
        element = element[1:] if element.startswith(("si", "ui")) else element
        shape = "".join(f"{extent}x" for extent in extents.split(",") if extent)
        return self.ir.Type.parse(f"tensor<{shape}{element}>")

    def find_name(self, op):
        """Of an op of ours that it is, or can be; nothing if none is."""
        if op.name == "torch.operator":
            name = self.ir.StringAttr(op.attributes["name"]).value.removeprefix("torch.")
            return name.removeprefix("carousel.") if name in OPS else ""
        if op.name not in ("torch.aten.view", "torch.aten.reshape"):
            return ""
        # Of ONNX.
        types = [str(op.operands[0].type), str(op.results[0].type)]
        isUnknown = any("?" in type for type in types) and not any("*" in type for type in types)
        return "reshape" if isUnknown and op.operands[1].owner.name == "torch.prim.ListConstruct" else ""

    def run(self, root):
        operations = []

        def note(op):
            if name := self.find_name(op.operation):
                operations.append((op.operation, name))
            return self.ir.WalkResult.ADVANCE

        root.walk(note)
        for op, name in operations:
            with self.ir.InsertionPoint(op), op.location:
                value = self.lower(op, name)
                result = self.create("torch_c.from_builtin_tensor", [op.results[0].type], [value])[0]
            op.results[0].replace_all_uses_with(result)
            op.erase()
