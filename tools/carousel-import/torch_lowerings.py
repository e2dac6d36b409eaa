# ===- torch_lowerings.py - ops of torch-mlir that linalg lacks -------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Replaces ops of torch-mlir's dialect tm_tensor (scan, sort, scatter), for carousel-import, by calls of functions on
linalg. An element of a scan or scatter is a reduction over what may be put there, so that it does not depend on an order."""

from refusals import Refusal

# By what a region computes: the neutral element of floats and of integers.
NEUTRAL = {"arith.addf": "0.0", "arith.addi": "0", "arith.mulf": "1.0", "arith.muli": "1",
           "arith.maximumf": "-inf", "arith.minimumf": "inf"}
# Its bits.
INFINITY = {"f64": "7FF0000000000000", "f32": "7F800000", "f16": "7C00", "bf16": "7F80"}



def spellNeutral(combiner, element):
    """A constant of the type `element`."""
    value = NEUTRAL[combiner]
    if value not in ("inf", "-inf"):
        return value
    if not isFloat(element):
        raise Refusal(f"expected {combiner} of {', '.join(INFINITY)}, got {element}")
    bits = INFINITY[element]
    return "0x" + (bits if value == "inf" else "F" + bits[1:])


def spell(shape, element):
    return "tensor<" + "".join("?x" if extent < 0 else f"{extent}x" for extent in shape) + f"{element}>"


def isFloat(element):
    return element in INFINITY


def fillWith(name, value, shape, element, like):
    """`like`: a tensor with the extents that aren't known."""
    type = spell(shape, element)
    lines, sizes = [], []
    for dim, extent in enumerate(shape):
        if extent < 0:
            lines += [f"%{name}c{dim} = arith.constant {dim} : index",
                      f"%{name}s{dim} = tensor.dim {like[0]}, %{name}c{dim} : {like[1]}"]
            sizes.append(f"%{name}s{dim}")
    lines.append(f"%{name}e = tensor.empty({', '.join(sizes)}) : {type}")
    if value is not None:
        lines += [f"%{name}v = arith.constant {value} : {element}",
                  f"%{name} = linalg.fill ins(%{name}v : {element}) outs(%{name}e : {type}) -> {type}"]
    return lines


def generic(name, inputs, out, loops, body, reduces):
    """`inputs` and `out`: a name, a type and the loops along its dimensions. `body` yields %y of %a0... and %o."""
    header = ", ".join(f"d{loop}" for loop in range(loops))

    def access(dims):
        return f"affine_map<({header}) -> ({', '.join(f'd{dim}' for dim in dims)})>"

    maps = ", ".join(access(dims) for _, _, dims in [*inputs, out])
    kinds = ", ".join('"reduction"' if reduces and loop == loops - 1 else '"parallel"' for loop in range(loops))
    ins = f"ins({', '.join(value for value, _, _ in inputs)} : {', '.join(type for _, type, _ in inputs)}) " if inputs else ""
    elements = [type.rsplit("x", 1)[-1].removeprefix("tensor<").rstrip(">") for _, type, _ in [*inputs, out]]
    arguments = ", ".join([*(f"%a{at}: {type}" for at, type in enumerate(elements[:-1])), f"%o: {elements[-1]}"])
    return [f"{name} = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}} "
            f"{ins}outs({out[0]} : {out[1]}) {{", f"^bb0({arguments}):", *body, f"linalg.yield %y : {elements[-1]}",
            f"}} -> {out[1]}"]


def function(name, arguments, results, lines):
    return "\n".join([f"func.func private @{name}({', '.join(f'{value}: {type}' for value, type in arguments)}) -> "
                      f"({', '.join(type for _, type in results)}) {{", *lines,
                      f"return {', '.join(value for value, _ in results)} : {', '.join(type for _, type in results)}", "}"])


# Integers as wide as floats.
AS_INTEGERS = {"f64": "i64", "f32": "i32", "f16": "i16", "bf16": "i16"}


def writeKey(element, isDescending, isUnsigned):
    """The type of %y, and its lines: a signed integer that is less where %a0 comes first. NaN is the largest, and zeros are equal."""
    if isFloat(element):
        key = AS_INTEGERS[element]
        bits = int(key[1:])
        largest = 2**(bits - 1) - 1
        lines = [f"%b = arith.bitcast %a0 : {element} to {key}", f"%w = arith.constant {bits - 1} : {key}",
                 f"%s = arith.shrsi %b, %w : {key}", f"%m = arith.constant {largest} : {key}", f"%t = arith.andi %s, %m : {key}",
                 f"%n = arith.xori %b, %t : {key}", f"%f0 = arith.constant 0.0 : {element}", f"%i0 = arith.constant 0 : {key}",
                 f"%z = arith.cmpf oeq, %a0, %f0 : {element}", f"%u = arith.cmpf uno, %a0, %a0 : {element}",
                 f"%e = arith.select %z, %i0, %n : {key}", f"%k = arith.select %u, %m, %e : {key}"]
    elif element == "i1":
        key, lines = "i8", ["%k = arith.extui %a0 : i1 to i8"]
    else:
        key = element
        least = -2**(int(element[1:]) - 1) if isUnsigned else 0
        lines = [f"%m = arith.constant {least} : {key}", f"%k = arith.xori %a0, %m : {key}"]
    return key, [*lines, f"%d = arith.constant {-1 if isDescending else 0} : {key}", f"%y = arith.xori %k, %d : {key}"]


def writeScan(name, shape, element, dim, combiner):
    rank = len(shape)
    loops = list(range(rank))
    type = spell(shape, element)
    neutral = spellNeutral(combiner, element)
    lines = fillWith("init", neutral, shape, element, ("%x", type))
    read = [rank if loop == dim else loop for loop in loops]
    body = [f"%i = linalg.index {dim} : index", f"%j = linalg.index {rank} : index", "%p = arith.cmpi ule, %j, %i : index",
            f"%n = arith.constant {neutral} : {element}", f"%s = arith.select %p, %a0, %n : {element}",
            f"%y = {combiner} %o, %s : {element}"]
    lines += generic("%r", [("%x", type, read)], ("%init", type, loops), rank + 1, body, True)
    return function(name, [("%x", type)], [("%r", type)], lines)


def writeSort(name, shape, elements, dim, isDescending, isUnsigned=False, givesPlaces=False):
    """Sorts by the first operand. With `givesPlaces` the first result is where each element was, in i32."""
    rank = len(shape)
    loops = list(range(rank))
    types = [spell(shape, element) for element in elements]
    key, body = writeKey(elements[0], isDescending, isUnsigned)
    like = ("%x0", types[0])
    lines = fillWith("key", None, shape, key, like)
    lines += generic("%k", [("%x0", types[0], loops)], ("%keye", spell(shape, key), loops), rank, body, False)
    results = [("i32", spell(shape, "i32")), *zip(elements, types)]
    for at, (element, _) in enumerate(results):
        lines += fillWith(f"out{at}", None, shape, element, like)
    header = ", ".join(f"d{loop}" for loop in range(rank + 1))
    # The last loop goes along the operands, and the results have one of their own.
    whole = ", ".join(f"d{loop}" for loop in loops)
    read = ", ".join(f"d{rank if loop == dim else loop}" for loop in loops)
    maps = ", ".join([f"affine_map<({header}) -> ({read})>"] * (1 + len(types)) + [f"affine_map<({header}) -> ({whole})>"] * len(results))
    kinds = ", ".join(['"parallel"'] * rank + ['"reduction"'])
    values = ", ".join(f"%a{at}" for at in range(len(types)))
    arguments = ", ".join([f"%q: {key}", *(f"%a{at}: {element}" for at, element in enumerate(elements)),
                           *(f"%o{at}: {element}" for at, (element, _) in enumerate(results))])
    ofResults = ", ".join(element for element, _ in results)
    count = len(results)
    lines += [f"%r:{count} = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}} "
              f"ins(%k, {', '.join(f'%x{at}' for at in range(len(types)))} : {spell(shape, key)}, {', '.join(types)}) "
              f"outs({', '.join(f'%out{at}e' for at in range(count))} : {', '.join(type for _, type in results)}) {{",
              f"^bb0({arguments}):",
              f'%s:{count} = "carousel.sorted"(%q, {values}) : ({key}, {", ".join(elements)}) -> ({ofResults})',
              f"linalg.yield {', '.join(f'%s#{at}' for at in range(count))} : {ofResults}",
              f"}} -> ({', '.join(type for _, type in results)})"]
    first = 0 if givesPlaces else 1
    return function(name, [(f"%x{at}", type) for at, type in enumerate(types)],
                    [(f"%r#{at}", type) for at, (_, type) in enumerate(results) if at >= first], lines)


def writeScatter(name, shape, element, updateShape, indexShape, index, dims, combiner):
    """Loops go along the result, and then along the updates."""
    rank = len(shape)
    loops = list(range(rank))
    own, updates, indices = spell(shape, element), spell(updateShape, element), spell(indexShape, index)
    skipped = rank - (len(updateShape) - 1)

    def find(at):
        """%hit, and where the element is in updates; `at`: which update."""
        lines, place = ["%hit0 = arith.constant true"], [at]
        hit = "%hit0"
        for dim in loops:
            lines.append(f"%p{dim} = linalg.index {dim} : index")
            position = f"%p{dim}"
            extent = updateShape[1 + dim - skipped] if dim >= skipped else 1
            if dim in dims:
                column = dims.index(dim)
                lines += [f"%c{dim} = arith.constant {column} : index",
                          f"%x{dim} = tensor.extract %i[{at}, %c{dim}] : {indices}",
                          f"%b{dim} = arith.index_cast %x{dim} : {index} to index",
                          f"%q{dim} = arith.subi %p{dim}, %b{dim} : index"]
                position = f"%q{dim}"
            if dim in dims or extent != shape[dim]:
                size = [f"%w{dim} = arith.constant {extent} : index"] if extent >= 0 else [
                    f"%wc{dim} = arith.constant {1 + dim - skipped} : index", f"%w{dim} = tensor.dim %u, %wc{dim} : {updates}"]
                # A negative position is a large number.
                lines += [*size, f"%in{dim} = arith.cmpi ult, {position}, %w{dim} : index",
                          f"%hit{dim + 1} = arith.andi {hit}, %in{dim} : i1"]
                hit = f"%hit{dim + 1}"
            if dim >= skipped:
                place.append(position)
        return lines, hit, place

    result = [("%r", own)]
    arguments = [("%x", own), ("%u", updates), ("%i", indices)]
    isSet = combiner is None
    # Goes along the updates.
    count = spell(updateShape[:1], "i32")
    lines = fillWith("n", None, updateShape[:1], "i32", ("%u", updates))
    at = [f"%k = linalg.index {rank} : index"]
    found, hit, place = find("%k")
    if isSet:
        lines += fillWith("last", "-1", shape, "i32", ("%x", own))
        body = [*at, *found, "%none = arith.constant -1 : i32", "%number = arith.index_cast %k : index to i32",
                f"%s = arith.select {hit}, %number, %none : i32", "%y = arith.maxsi %o, %s : i32"]
        lines += generic("%which", [("%ne", count, [rank])], ("%last", spell(shape, "i32"), loops), rank + 1, body, True)
        found, _, place = find("%k")
        loopNumbers = [line for line in found if "linalg.index" in line]
        body = [*loopNumbers, "%zero = arith.constant 0 : i32", "%hit = arith.cmpi sge, %a0, %zero : i32",
                f"%y = scf.if %hit -> ({element}) {{", "%k = arith.index_cast %a0 : i32 to index",
                *(line for line in found if line not in loopNumbers),
                f"%new = tensor.extract %u[{', '.join(place)}] : {updates}", f"scf.yield %new : {element}", "} else {",
                f"scf.yield %a1 : {element}", "}"]
        lines += fillWith("out", None, shape, element, ("%x", own))
        lines += generic("%r", [("%which", spell(shape, "i32"), loops), ("%x", own, loops)], ("%oute", own, loops), rank, body,
                         False)
        return function(name, arguments, result, lines)
    neutral = spellNeutral(combiner, element)
    body = [*at, *found, f"%s = scf.if {hit} -> ({element}) {{",
            f"%new = tensor.extract %u[{', '.join(place)}] : {updates}", f"scf.yield %new : {element}", "} else {",
            f"%none = arith.constant {neutral} : {element}", f"scf.yield %none : {element}", "}",
            f"%y = {combiner} %o, %s : {element}"]
    lines += generic("%r", [("%ne", count, [rank])], ("%x", own, loops), rank + 1, body, True)
    return function(name, arguments, result, lines)


class Lowering:

    def __init__(self, ir, module):
        self.ir = ir
        self.module = module
        self.count = 0

    def describe(self, value):
        type = self.ir.RankedTensorType(value.type)
        return ([-1 if type.is_dynamic_dim(at) else type.shape[at] for at in range(type.rank)], str(type.element_type))

    def findCombiner(self, op):
        """The name of the only op of a region; None if it takes its first argument."""
        *ops, _ = op.regions[0].blocks[0].operations
        if not ops:
            return None
        if len(ops) == 1 and ops[0].operation.name in NEUTRAL:
            return ops[0].operation.name
        raise Refusal(f"expected {op.name} with one of {', '.join(NEUTRAL)}, got "
                      f"{', '.join(inner.operation.name for inner in ops)}")

    def lower(self, op):
        name = f"lowered_{op.name.rpartition('.')[2]}_{self.count}"
        attributes = op.attributes
        if op.name == "tm_tensor.scan":
            combiner = self.findCombiner(op)
            if combiner is None or str(attributes["inclusive"]) != "true" or list(op.results[1].uses):
                raise Refusal("expected tm_tensor.scan to be inclusive, and to have a combiner and one result")
            shape, element = self.describe(op.operands[0])
            dim = self.ir.IntegerAttr(attributes["dimension"]).value
            return name, writeScan(name, shape, element, dim, combiner), [op.operands[0]], [op.results[0]]
        if op.name == "tm_tensor.sort":
            described = [self.describe(value) for value in op.operands]
            *ops, _ = op.regions[0].blocks[0].operations
            predicates = {0: None, 2: False, 3: False, 4: True, 5: True}  # arith.cmpi
            if len(ops) == 1 and ops[0].operation.name == "arith.cmpf":
                predicates = {2: True, 3: True, 4: False, 5: False}
            number = self.ir.IntegerAttr(ops[0].operation.attributes["predicate"]).value if len(ops) == 1 else None
            isDescending = predicates.get(number)
            if isDescending is None:
                raise Refusal("expected tm_tensor.sort to compare its first operand by one comparison")
            dim = self.ir.IntegerAttr(attributes["dimension"]).value
            text = writeSort(name, described[0][0], [element for _, element in described], dim, isDescending)
            return name, text, list(op.operands), list(op.results)
        if op.name == "tm_tensor.scatter":
            updates, indices, original = op.operands
            shape, element = self.describe(original)
            indexShape, index = self.describe(indices)
            text = writeScatter(name, shape, element, self.describe(updates)[0], indexShape, index,
                                list(self.ir.DenseI64ArrayAttr(attributes["dimension_map"])), self.findCombiner(op))
            return name, text, [original, updates, indices], [op.results[0]]
        raise Refusal(f"expected ops that linalg has, or tm_tensor.scan, sort and scatter, got {op.name}")

    def run(self):
        operations = []

        def note(op):
            if op.name.startswith("tm_tensor.") and op.name != "tm_tensor.yield":
                operations.append(op)
            return self.ir.WalkResult.ADVANCE

        self.module.walk(note)
        self.module.context.allow_unregistered_dialects = True  # carousel.sorted
        for op in operations:
            op = op.operation
            name, text, operands, results = self.lower(op)
            self.count += 1
            written = self.ir.Module.parse(text, op.context)
            callee = written.body.operations[0].operation
            self.module.regions[0].blocks[0].append(callee)
            with self.ir.InsertionPoint(op), op.location:
                call = self.ir.Operation.create("func.call", results=[result.type for result in results], operands=operands,
                                                attributes={"callee": self.ir.FlatSymbolRefAttr.get(name)})
            for old, new in zip(results, call.results):
                old.replace_all_uses_with(new)
            op.erase()


def lower(ir, module):
    """`module`: the operation."""
    Lowering(ir, module).run()
