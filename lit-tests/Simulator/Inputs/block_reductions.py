"""Prints kernels of the block phase that reduce a vector<2x3x4> by each kind along each set of
dimensions, and references in scalar loops.

A kind's results are in a row of y for each set of dimensions.
"""

import itertools

SHAPE = (2, 3, 4)
FLOATS = {
    "add": "addf", "mul": "mulf", "minnumf": "minnumf", "maxnumf": "maxnumf",
    "minimumf": "minimumf", "maximumf": "maximumf",
}
INTEGERS = {
    "add": "addi", "mul": "muli", "minui": "minui", "minsi": "minsi", "maxui": "maxui",
    "maxsi": "maxsi", "and": "andi", "or": "ori", "xor": "xori",
}
SETS = [dims for count in (1, 2, 3) for dims in itertools.combinations(range(3), count)]


def print_kernel(element, kinds):
  x = f"memref<2x3x4x{element}, #gpu.address_space<global>>"
  y = f"memref<{len(kinds)}x{len(SETS)}x12x{element}, #gpu.address_space<global>>"
  print(f"""  gpu.func @reduce_{element}(%x: {x} {{carousel.argument = #carousel.argument<"x", in>}},
      %acc: {element} {{carousel.argument = #carousel.argument<"acc", in>}},
      %y: {y} {{carousel.argument = #carousel.argument<"y", out>}}) kernel attributes {{
      carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [1]>}} {{
    %c0 = arith.constant 0 : index
    %v = vector.load %x[%c0, %c0, %c0] : {x}, vector<2x3x4x{element}>""")
  for row, kind in enumerate(kinds):
    print(f"    %k{row} = arith.constant {row} : index")
    for column, dims in enumerate(SETS):
      kept = [extent for dim, extent in enumerate(SHAPE) if dim not in dims]
      result = f"vector<{'x'.join(map(str, kept))}x{element}>" if kept else element
      name = f"{row}_{column}"
      print(f"    %d{name} = arith.constant {column} : index")
      acc = "%acc"
      if kept:
        acc = f"%a{name}"
        print(f"    {acc} = vector.broadcast %acc : {element} to {result}")
      print(f"    %r{name} = vector.multi_reduction <{kind}>, %v, {acc} {list(dims)} : "
            f"vector<2x3x4x{element}> to {result}")
      at = f"%y[%k{row}, %d{name}, %c0] : {y}"
      if not kept:
        print(f"    memref.store %r{name}, {at}")
        continue
      count = 1
      for extent in kept:
        count *= extent
      print(f"    %f{name} = vector.shape_cast %r{name} : {result} to vector<{count}x{element}>")
      print(f"    vector.store %f{name}, {at}, vector<{count}x{element}>")
  print("    gpu.return\n  }")


def print_reference(element, kinds):
  x = f"memref<2x3x4x{element}>"
  y = f"memref<{len(kinds)}x{len(SETS)}x12x{element}>"
  print(f"func.func @reduce_{element}_reference(%x: {x}, %acc: {element}, %y: {y}) {{")
  for number in range(16):
    print(f"  %c{number} = arith.constant {number} : index")
  number = 0
  for row, op in enumerate(kinds.values()):
    for column, dims in enumerate(SETS):
      kept = [dim for dim in range(3) if dim not in dims]
      for place, at in enumerate(itertools.product(*(range(SHAPE[dim]) for dim in kept))):
        value = "%acc"
        for inner in itertools.product(*(range(SHAPE[dim]) for dim in dims)):
          coords = dict(zip(kept, at)) | dict(zip(dims, inner))
          index = ", ".join(f"%c{coords[dim]}" for dim in range(3))
          print(f"  %e{number} = memref.load %x[{index}] : {x}")
          print(f"  %v{number} = arith.{op} {value}, %e{number} : {element}")
          value = f"%v{number}"
          number += 1
        print(f"  memref.store {value}, %y[%c{row}, %c{column}, %c{place}] : {y}")
  print("  return\n}")


print("gpu.module @m {")
print_kernel("f32", FLOATS)
print_kernel("i32", INTEGERS)
print("}")
print_reference("f32", FLOATS)
print_reference("i32", INTEGERS)
