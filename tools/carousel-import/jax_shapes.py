# ===- jax_shapes.py - StableHLO that passes to linalg lack ----------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Rewrites StableHLO for carousel-import, before its passes to linalg: computed shapes, reshapes of unknown extents,
barriers, and ops without elements."""

import math

from refusals import Refusal, describe_op
from reshapes import Reshapes, find_groups, number

# Of a reshape: the numbers of neighbours that have equal products, before and after it.
GROUPS = "carousel_groups"
# Of scalars, as shapes are computed.
ARITHMETIC = {"add": "addi", "subtract": "subi", "multiply": "muli", "maximum": "maxsi", "minimum": "minsi",
              "divide": "divsi", "remainder": "remsi"}
# JAX's tensors of extents have an element for each dimension.
MOST_ELEMENTS = 16


class ShapeLowering(Reshapes):
    """What JAX computes of shapes, in tensors of i32, becomes scalars; reshapes become those of the tensor dialect."""

    def __init__(self, ir):
        super().__init__(ir)
        self.i32 = ir.IntegerType.get_signless(32)

    def elements(self, tensor):
        """Scalars, by canonicalization those that a tensor was made of."""
        rank = self.ir.RankedTensorType(tensor.type).rank
        count = self.ir.RankedTensorType(tensor.type).shape[0] if rank else 1
        return [self.create("tensor.extract", [self.i32], [tensor, *([self.constant(at)] if rank else [])])[0]
                for at in range(count)]

    def tensor(self, scalars, type):
        return self.create("tensor.from_elements", [type], scalars)[0]

    def isOfShapes(self, value):
        if not str(value.type).startswith("tensor<") or "*" in str(value.type):
            return False
        type = self.ir.RankedTensorType(value.type)
        return (type.element_type == self.i32 and type.has_static_shape and type.rank <= 1
                and math.prod(type.shape) <= MOST_ELEMENTS)

    def listOfExtents(self, operations):
        """By op, whether it computes with constants and extents alone: integers of data have the same types."""
        functions = {self.ir.StringAttr(op.attributes["sym_name"]).value: op for op in operations if op.name == "func.func"}
        calls = {name: [] for name in functions}
        for op in operations:
            if op.name == "func.call":
                calls[self.ir.FlatSymbolRefAttr(op.attributes["callee"]).value].append(op)
        known, before = set(), -1

        def isKnown(op):
            return op.name in ("stablehlo.constant", "stablehlo.get_dimension_size") or (
                len(op.operands) > 0 and len(op.regions) == 0 and all(value in known for value in op.operands))

        # A function's arguments are known of all its calls, and results of a call of what the function returns.
        while len(known) != before:
            before = len(known)
            for op in operations:
                if op.name != "func.call" and isKnown(op):
                    known.update(op.results)
            for name, own in calls.items():
                block = functions[name].regions[0].blocks[0]
                for argument in block.arguments:
                    if own and all(call.operands[argument.arg_number] in known for call in own):
                        known.add(argument)
                *_, back = block.operations
                for at, value in enumerate(back.operands):
                    known.update(call.results[at] for call in own if value in known)
        return [isKnown(op) for op in operations]

    def lower(self, op, isOfExtents):
        """The op's replacement, or None."""
        name = op.name
        if name == "stablehlo.get_dimension_size":
            size = self.dim(op.operands[0], self.ir.IntegerAttr(op.attributes["dimension"]).value)
            scalar = self.create("arith.index_cast", [self.i32], [size])[0]
            return self.tensor([scalar], op.results[0].type)
        if (replacement := self.lowerEmpty(op)) is not None:
            return replacement
        if name in ("stablehlo.reshape", "stablehlo.dynamic_reshape"):
            if isOfExtents and self.isOfShapes(op.operands[0]) and self.isOfShapes(op.results[0]):
                return self.tensor(self.elements(op.operands[0]), op.results[0].type)
            if -1 in self.shape(op.operands[0].type) or -1 in self.shape(op.results[0].type):
                return self.reshape(op)
        if not isOfExtents or not op.results or not all(self.isOfShapes(value) for value in [*op.operands, *op.results]):
            return None
        if name == "stablehlo.concatenate":
            return self.tensor([scalar for value in op.operands for scalar in self.elements(value)], op.results[0].type)
        kind = ARITHMETIC.get(name.removeprefix("stablehlo."))
        if kind and self.ir.RankedTensorType(op.results[0].type).rank == 0:
            sides = [self.elements(value)[0] for value in op.operands]
            return self.tensor(self.create(f"arith.{kind}", [self.i32], sides), op.results[0].type)
        return None

    def isEmpty(self, value):
        return str(value.type).startswith("tensor<") and 0 in self.shape(value.type)

    def lowerEmpty(self, op):
        """Slices and pads of no elements are out of the bounds that linalg's have; what they are joined with is left."""
        if len(op.results) != 1:
            return None
        type = op.results[0].type
        if op.name == "stablehlo.concatenate" and any(map(self.isEmpty, op.operands)) and not self.isEmpty(op.results[0]):
            parts = [value for value in op.operands if not self.isEmpty(value)]
            return parts[0] if len(parts) == 1 else self.create(
                op.name, [type], parts, {"dimension": op.attributes["dimension"]})[0]
        isStatic = -1 not in self.shape(type) if str(type).startswith("tensor<") else False
        if op.name == "stablehlo.pad" and self.isEmpty(op.operands[0]) and isStatic:
            return self.create("stablehlo.broadcast_in_dim", [type], [op.operands[1]],
                               {"broadcast_dimensions": self.ir.DenseI64ArrayAttr.get([])})[0]
        if op.name != "stablehlo.constant" and isStatic and self.isEmpty(op.results[0]):
            return self.create("stablehlo.constant", [type], [], {"value": self.ir.Attribute.parse(f"dense<> : {type}")})[0]
        return None

    def reshape(self, op):
        source, target = op.operands[0], op.results[0].type
        given, wanted = self.shape(source.type), self.shape(target)
        # With two unknown extents, each may be another.
        if given == wanted and given.count(-1) == 1:
            return source
        extents = None
        if len(op.operands) > 1:
            extents = [self.create("arith.index_cast", [self.index], [scalar])[0]
                       for scalar in self.elements(op.operands[1])]
        if GROUPS in op.attributes and extents:
            counts = [int(count) for count in self.ir.StringAttr(op.attributes[GROUPS]).value.split()]
            return self.reshapeBy(source, target, counts[::2], counts[1::2], extents)
        if len(given) > len(wanted) and (groups := find_groups(given, wanted)) is not None:
            return self.collapse(source, groups, target)
        if len(given) < len(wanted) and (groups := find_groups(wanted, given)) is not None and extents:
            return self.expand(source, groups, target, extents)
        if extents:
            return self.reshapeTo(source, target, extents)
        raise Refusal(f"expected reshapes that split or join dimensions, got {describe_op(op)}, from {source.type} to "
                      f"{target}; give its dimensions numbers in --shapes")

    def reshapeBy(self, source, target, before, after, extents):
        """By way of one dimension for each group."""
        shape, groups = self.shape(source.type), number(before)
        if any(count != 1 for count in before):
            middle = [-1 if -1 in (own := [shape[dim] for dim in group]) else math.prod(own) for group in groups]
            unknown = self.ir.ShapedType.get_dynamic_size()
            type = self.ir.RankedTensorType.get([unknown if extent == -1 else extent for extent in middle],
                                                self.ir.RankedTensorType(target).element_type)
            source = self.collapse(source, groups, type)
        isSplit = any(count != 1 for count in after)
        return self.expand(source, number(after), target, extents) if isSplit else source

    def run(self, root):
        operations = []

        def note(op):
            operations.append(op.operation)
            return self.ir.WalkResult.ADVANCE

        root.walk(note)
        for op, isOfExtents in zip(operations, self.listOfExtents(operations)):
            if op.name == "stablehlo.custom_call" and "shape_assertion" in str(op.attributes["call_target_name"]):
                op.erase()
                continue
            if op.name == "stablehlo.optimization_barrier":
                # It orders computations, which have no order here.
                for result, operand in zip(op.results, op.operands):
                    result.replace_all_uses_with(operand)
                op.erase()
                continue
            if op.name == "stablehlo.dynamic_broadcast_in_dim":
                self.nameExpansion(op)
                continue
            if not op.name.startswith("stablehlo."):
                continue
            with self.ir.InsertionPoint(op), op.location:
                replacement = self.lower(op, isOfExtents)
            if replacement is not None:
                op.results[0].replace_all_uses_with(replacement)
                op.erase()

    def nameExpansion(self, op):
        """Only dimensions of one element in the type are expanded."""
        given, wanted = self.shape(op.operands[0].type), self.shape(op.results[0].type)
        dims = list(self.ir.DenseI64ArrayAttr(op.attributes["broadcast_dimensions"]))
        expanding = [at for at, dim in enumerate(dims) if given[at] == 1 and wanted[dim] != 1]
        others = [at for at in range(len(dims)) if at not in expanding]
        op.attributes["known_expanding_dimensions"] = self.ir.DenseI64ArrayAttr.get(expanding)
        op.attributes["known_nonexpanding_dimensions"] = self.ir.DenseI64ArrayAttr.get(others)
