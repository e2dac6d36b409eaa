# ===- jax_functions.py - functions of linalg for JAX -------------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Calls from functions of JAX, for carousel-import, of what linalg says better than StableHLO: scans, sorts and functions of math.
JAX's passes see calls of functions that return operands, and defineFunctions gives these their bodies."""

import re

import jax.numpy as jnp
from jax.extend.core import Primitive
from jax.interpreters import mlir
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import func

from torch_lowerings import isFloat, spell, writeSort

# The ops of a step of a scan, by the primitive of JAX: of floats, and of integers with and without a sign.
COMBINERS = {"add": ("arith.addf", "arith.addi", "arith.addi"), "mul": ("arith.mulf", "arith.muli", "arith.muli"),
             "max": ("arith.maximumf", "arith.maxsi", "arith.maxui"), "min": ("arith.minimumf", "arith.minsi", "arith.minui")}
NAME = "carousel_call"
FUNCTION = re.compile(rf"func\.func private @({NAME}_([a-z]+?)(u?)_d(\d+)_\d+)\((.*?)\) -> .*?\n  \}}", re.DOTALL)

call_p = Primitive("carousel_call")
call_p.multiple_results = True


def scanAlong(kind, dim, *operands):
    """A scan of elements, and of factors for "recurrence", along a dimension from a start without it: what is before each element,
    and up to it."""
    return call_p.bind(*operands, kind=kind, dim=dim)


def putInOrder(key, values, dim, falls):
    """Where the elements of a key are in their order, the key in this order, and other arrays in the order of the key."""
    return call_p.bind(key, *values, kind="fall" if falls else "rise", dim=dim)


def compute(kind, operand):
    """`erf` or `erfc`."""
    return call_p.bind(operand, kind=kind, dim=0)[0]


@call_p.def_abstract_eval
def findResults(first, *others, kind, dim):
    if kind in ("rise", "fall"):
        return [first.update(dtype=jnp.dtype("int32"), weak_type=False), first, *others]
    return [first] if kind in MATH else [first, first]


def lowerCall(context, *operands, kind, dim):
    module = context.module_context.module
    types = [operand.type for operand in operands]
    if kind in ("rise", "fall"):
        places = ir.RankedTensorType.get(ir.RankedTensorType(types[0]).shape, ir.IntegerType.get_signless(32))
        results = [places, *types]
    else:
        results = types[:1] if kind in MATH else types[:1] * 2
    sign = "u" if jnp.issubdtype(context.avals_in[0].dtype, jnp.unsignedinteger) else ""
    with ir.InsertionPoint(module.body):
        number = sum(1 for _ in module.body.operations)
        name = f"{NAME}_{kind}{sign}_d{dim}_{number}"
        stand = func.FuncOp(name, (types, results), visibility="private")
        stand.attributes["no_inline"] = ir.UnitAttr.get()
        # JAX's passes want a body.
        with ir.InsertionPoint(stand.add_entry_block()):
            arguments = list(stand.arguments)
            func.ReturnOp([next((own for own in arguments if own.type == type), None) or ir.Operation.create(
                "stablehlo.convert", [type], [arguments[0]]).result for type in results])
    return func.CallOp(results, ir.FlatSymbolRefAttr.get(name), list(operands)).results


mlir.register_lowering(call_p, lowerCall)

# ===--------------------------------------------------------------------------===#
# Bodies
# ===--------------------------------------------------------------------------===#

MATH = {"erf": "math.erf", "erfc": "math.erfc"}


def readType(type):
    *shape, element = type.removeprefix("tensor<").removesuffix(">").split("x")
    return [-1 if extent == "?" else int(extent) for extent in shape], element


def listSizes(shape, type):
    """Lines that find the extents of %x0 that aren't known, and their names by dimension."""
    lines, sizes = [], []
    for dim, extent in enumerate(shape):
        if extent < 0:
            lines += [f"%c{dim} = arith.constant {dim} : index", f"%s{dim} = tensor.dim %x0, %c{dim} : {type}"]
            sizes.append((dim, f"%s{dim}"))
    return lines, sizes


def writeMath(name, kind, types):
    shape, element = readType(types[0])
    loops = ", ".join(f"d{dim}" for dim in range(len(shape)))
    lines, sizes = listSizes(shape, types[0])
    kinds = ", ".join(['"parallel"'] * len(shape))
    lines += [f"%e = tensor.empty({', '.join(size for _, size in sizes)}) : {types[0]}",
              f"%r = linalg.generic {{indexing_maps = [affine_map<({loops}) -> ({loops})>, affine_map<({loops}) -> ({loops})>], "
              f"iterator_types = [{kinds}]}} ins(%x0 : {types[0]}) outs(%e : {types[0]}) {{", f"^bb0(%a: {element}, %o: {element}):",
              f"%y = {MATH[kind]} %a : {element}", f"linalg.yield %y : {element}", f"}} -> {types[0]} loc(unknown)",
              f"return %r : {types[0]}"]
    return "\n".join([f"func.func private @{name}(%x0: {types[0]}) -> {types[0]} {{", *lines, "}"])


def writeScan(name, kind, unsigned, along, types):
    """Narrow floats are carried in f32."""
    shape, element = readType(types[0])
    loops = [f"d{dim}" for dim in range(len(shape))]
    kept_loops = loops[:along] + loops[along + 1:]
    carried = "f32" if element in ("bf16", "f16") else element
    own, start = spell(shape, element), spell(shape[:along] + shape[along + 1:], carried)
    lines, sizes = listSizes(shape, own)
    lines += [f"%e = tensor.empty({', '.join(size for _, size in sizes)}) : {own}"]
    first = f"%x{len(types) - 1}"
    inner = [f"d{dim}" for dim in range(len(kept_loops))]
    inner = f"affine_map<({', '.join(inner)}) -> ({', '.join(inner)})>"
    if carried != element:
        kinds = ", ".join(['"parallel"'] * len(kept_loops))
        lines += [f"%w = tensor.empty({', '.join(size for dim, size in sizes if dim != along)}) : {start}",
                  f"%f = linalg.generic {{indexing_maps = [{inner}, {inner}], iterator_types = [{kinds}]}} ins({first} : {types[-1]}) "
                  f"outs(%w : {start}) {{", f"^bb0(%v: {element}, %o: {carried}):", f"%y = arith.extf %v : {element} to {carried}",
                  f"linalg.yield %y : {carried}", f"}} -> {start}"]
        first = "%f"
    whole = f"affine_map<({', '.join(loops)}) -> ({', '.join(loops)})>"
    kept = f"affine_map<({', '.join(loops)}) -> ({', '.join(kept_loops)})>"
    inputs = len(types) - 1
    kinds = ", ".join('"reduction"' if dim == along else '"parallel"' for dim in range(len(shape)))
    values = [f"%a{at}" for at in range(inputs)]
    body = []
    if carried != element:
        body = [f"%w{at} = arith.extf %a{at} : {element} to {carried}" for at in range(inputs)]
        values = [f"%w{at}" for at in range(inputs)]
    combiners = {each: ops[0 if isFloat(element) else 2 if unsigned else 1] for each, ops in COMBINERS.items()}
    if kind == "recurrence":
        body += [f"%p = {combiners['mul']} {values[1]}, %before : {carried}", f"%y = {combiners['add']} %p, {values[0]} : {carried}"]
    else:
        body += [f"%y = {combiners[kind]} %before, {values[0]} : {carried}"]
    yielded = ["%before", "%y"]
    if carried != element:
        body += [f"%n{at} = arith.truncf {value} : {carried} to {element}" for at, value in enumerate(yielded)]
        yielded = ["%n0", "%n1"]
    arguments = ", ".join([*(f"%a{at}: {element}" for at in range(inputs)), f"%before: {carried}", f"%o: {element}", f"%q: {element}"])
    lines += [f"%r:3 = linalg.generic {{indexing_maps = [{', '.join([whole] * inputs + [kept, whole, whole])}], "
              f"iterator_types = [{kinds}]}} ins({', '.join(f'%x{at}' for at in range(inputs))} : {', '.join(types[:inputs])}) "
              f"outs({first}, %e, %e : {start}, {own}, {own}) {{", f"^bb0({arguments}):", *body,
              f"linalg.yield %y, {', '.join(yielded)} : {carried}, {element}, {element}", f"}} -> ({start}, {own}, {own}) loc(unknown)",
              f"return %r#1, %r#2 : {own}, {own}"]
    header = ", ".join(f"%x{at}: {type}" for at, type in enumerate(types))
    return "\n".join([f"func.func private @{name}({header}) -> ({own}, {own}) {{", *lines, "}"])


def defineFunction(match):
    name, kind, sign, along, arguments = match.groups()
    types = re.findall(r"tensor<[^>]*>", arguments)
    if kind in MATH:
        return writeMath(name, kind, types)
    if kind in ("rise", "fall"):
        described = [readType(type) for type in types]
        # Others have no sign here.
        elements = [element.removeprefix("u") if element.startswith("ui") else element for _, element in described]
        return writeSort(name, described[0][0], elements, int(along), kind == "fall",
                         isUnsigned=bool(sign), givesPlaces=True)
    return writeScan(name, kind, bool(sign), int(along), types)


def defineFunctions(text):
    """Gives the functions that are called their bodies."""
    return FUNCTION.sub(defineFunction, text)
