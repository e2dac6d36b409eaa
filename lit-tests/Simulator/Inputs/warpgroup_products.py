"""Runs a kernel of one warpgroup that multiplies by wgmma, and a reference in scalar loops.

The words of a case are the types of the factors and of the sums, the columns, the layouts of both
factors (`k:b128`, `mn:none`, `registers`), and modifiers of the product. With --print, the script
prints the module and runs nothing.
"""

import contextlib
import io
import subprocess
import sys

GLOBAL, SHARED = "#gpu.address_space<global>", "#gpu.address_space<workgroup>"
BITS = {"f16": 16, "bf16": 16, "f32": 32, "f8E4M3FN": 8, "f8E5M2": 8, "i8": 8, "i32": 32}
SPANS = {"none": 16, "b32": 32, "b64": 64, "b128": 128}
ROWS, DEPTH_BYTES, PRODUCTS = 64, 32, 4


class Tile:
  """A factor in shared memory, as tensor copies leave it."""

  def __init__(self, name, element, rows, layout):
    self.name, self.element, self.rows = name, element, rows
    self.major, self.swizzle = layout.split(":")
    self.size = BITS[element] // 8
    self.depth = DEPTH_BYTES // self.size
    self.width = SPANS[self.swizzle] // self.size
    k = self.depth * PRODUCTS
    self.lines, inner = (rows, k) if self.major == "k" else (k, rows)
    self.blocks = -(-inner // self.width)
    self.extents = f"{self.lines}x{inner}"
    self.memref = f"memref<{self.blocks}x{self.lines}x{self.width}x{element}, {SHARED}>"
    swizzle = "" if self.swizzle == "none" else f", swizzle = {self.swizzle}"
    stored = "u8" if self.size == 1 else element
    self.map = f"!carousel.tensor_map<{self.lines}x{self.width}x{stored}{swizzle}>"
    self.bytes = self.blocks * self.lines * SPANS[self.swizzle]
    self.descriptor = f"!carousel.matrix_descriptor<{element}, {self.major}>"

  def print_loads(self):
    for block in range(self.blocks):
      print(f"""      %{self.name}at{block} = arith.constant {block * self.width} : i32
      %{self.name}block{block} = arith.constant {block} : index
      carousel.tensor.load %{self.name}map[%zero, %{self.name}at{block}]
          to %{self.name}s[%{self.name}block{block}, %c0, %c0] signals %full[%c0]
          : {self.map}, {self.memref}, !bar""")

  def print_descriptor(self, product):
    first = product * self.depth
    if self.major == "k":
      place = (first // self.width, 0, first % self.width)
    else:
      place = (0, first, 0)
    name = f"{self.name}{product}"
    for dimension, index in enumerate(place):
      print(f"    %{name}i{dimension} = arith.constant {index} : index")
    swizzle = "" if self.swizzle == "none" else f" swizzle({self.swizzle})"
    print(f"    %{name} = carousel.wgmma.descriptor "
          f"%{self.name}s[%{name}i0, %{name}i1, %{name}i2]{swizzle}\n"
          f"        : {self.memref} to {self.descriptor}")


class FactorRegisters:
  """The first factor in registers, which threads load."""

  def __init__(self, element):
    self.name, self.element = "a", element
    self.size = BITS[element] // 8
    self.depth = DEPTH_BYTES // self.size
    self.extents = f"{ROWS}x{self.depth * PRODUCTS}"
    self.vector = f"vector<4x{4 // self.size}x{element}>"
    self.descriptor = f"!carousel.wgmma_registers<{self.vector}>"
    self.bytes = 0

  def print_descriptor(self, product):
    count = 4 // self.size
    part = f"vector<{count}x{self.element}>"
    value = f"%a{product}none"
    print(f"    {value} = ub.poison : {self.vector}")
    for register in range(4):
      name = f"a{product}r{register}"
      print(f"""    %{name}k = arith.constant {product * self.depth + register // 2 * 4 * count} : index
    %{name}t = arith.muli %in_group, %registers_{count} : index
    %{name}c = arith.addi %{name}k, %{name}t : index
    %{name}row = arith.constant {8 * (register % 2)} : index
    %{name}r = arith.addi %row, %{name}row : index
    %{name}v = vector.load %a[%{name}r, %{name}c] : {memref(self)}, {part}
    %{name} = vector.insert %{name}v, {value} [{register}] : {part} into {self.vector}""")
      value = f"%{name}"
    print(f"    %a{product} = carousel.wgmma.fence({value}) : {self.vector}")


def memref(factor):
  return f"memref<{factor.extents}x{factor.element}, {GLOBAL}>"


def print_kernel(name, a, b, sum_type, n, modifiers):
  sums = f"vector<{n // 8}x2x2x{sum_type}>"
  y = f"memref<{ROWS}x{n}x{sum_type}, {GLOBAL}>"
  tiles = [tile for tile in (a, b) if isinstance(tile, Tile)]
  print(f"  gpu.func @{name}(")
  for factor in (a, b):
    print(f'      %{factor.name}: {memref(factor)} '
          f'{{carousel.argument = #carousel.argument<"{factor.name}", in>}},')
  print(f'      %y: {y} {{carousel.argument = #carousel.argument<"y", inout>}}', end="")
  for tile in tiles:
    argument = 0 if tile is a else 1
    print(f",\n      %{tile.name}map: {tile.map} "
          f"{{carousel.encode = #carousel.encode<argument = {argument}>}}", end="")
  print(")\n      workgroup(%full: !bar", end="")
  for tile in tiles:
    print(f", %{tile.name}s: {tile.memref} {{llvm.align = 1024 : i64}}", end="")
  print(f""")
      kernel attributes {{carousel.launch = #carousel.launch<grid = [1], block = [128]>}} {{
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %registers_1 = arith.constant 1 : index
    %registers_2 = arith.constant 2 : index
    %registers_4 = arith.constant 4 : index
    %zero = arith.constant 0 : i32
    %phase = arith.constant false
    %thread = gpu.thread_id x
    %warp = arith.divui %thread, %c32 : index
    %lane = arith.remui %thread, %c32 : index
    %group = arith.divui %lane, %c4 : index
    %in_group = arith.remui %lane, %c4 : index
    %of_warp = arith.muli %warp, %c16 : index
    %row = arith.addi %of_warp, %group : index
    %pair = arith.muli %in_group, %registers_2 : index
    %first = arith.cmpi eq, %thread, %c0 : index
    scf.if %first {{
      carousel.mbarrier.init %full[%c0], 1 : !bar
      carousel.fence.mbarrier_init
      carousel.mbarrier.arrive_expect_tx %full[%c0], {sum(t.bytes for t in tiles)} : !bar""")
  for tile in tiles:
    tile.print_loads()
  print(f"""    }}
    gpu.barrier
    carousel.mbarrier.wait %full[%c0] parity %phase : !bar
    %none = ub.poison : {sums}""")
  # The sums begin with y.
  value = "%none"
  pair = f"vector<2x{sum_type}>"
  for part in range(n // 8):
    print(f"    %column{part} = arith.constant {8 * part} : index\n"
          f"    %at{part} = arith.addi %column{part}, %pair : index")
    for half in range(2):
      at = f"{part}_{half}"
      if part == 0:
        print(f"    %below{half} = arith.constant {8 * half} : index\n"
              f"    %row{half} = arith.addi %row, %below{half} : index")
      print(f"    %y{at} = vector.load %y[%row{half}, %at{part}] : {y}, {pair}\n"
            f"    %with{at} = vector.insert %y{at}, {value} [{part}, {half}] : {pair} into {sums}")
      value = f"%with{at}"
  print(f"    %sums = carousel.wgmma.fence({value}) : {sums}")
  last = "%sums"
  words = "".join(f" {word}" for word in modifiers)
  for product in range(PRODUCTS):
    a.print_descriptor(product)
    b.print_descriptor(product)
    print(f"""    carousel.wgmma.fence
    %sums{product} = carousel.wgmma.mma %a{product}, %b{product}, {last}{words}
        : {a.descriptor}, {b.descriptor}, !carousel.wgmma_registers<{sums}>
    carousel.wgmma.commit
    carousel.wgmma.wait 1""")
    last = f"%sums{product}"
  print(f"    %result = carousel.wgmma.wait 0, {last} : !carousel.wgmma_registers<{sums}>")
  for part in range(n // 8):
    for half in range(2):
      at = f"{part}_{half}"
      print(f"    %r{at} = vector.extract %result[{part}, {half}] : {pair} from {sums}\n"
            f"    vector.store %r{at}, %y[%row{half}, %at{part}] : {y}, {pair}")
  print("    gpu.return\n  }")


def print_reference(name, a, b, sum_type, n, modifiers):
  """Sums in f32 or i32, in the order of k; sums of f16 are rounded after each product."""
  plain = lambda factor: f"memref<{factor.extents}x{factor.element}>"
  depth, wide = b.depth, "i32" if sum_type == "i32" else "f32"
  y = f"memref<{ROWS}x{n}x{sum_type}>"
  print(f"""func.func @{name}_reference(%a: {plain(a)}, %b: {plain(b)}, %y: {y}) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = arith.constant {ROWS} : index
  %columns = arith.constant {n} : index
  %products = arith.constant {PRODUCTS} : index
  %depth = arith.constant {depth} : index
  scf.for %i = %c0 to %rows step %c1 {{
    scf.for %j = %c0 to %columns step %c1 {{
      %begin = memref.load %y[%i, %j] : {y}
      %all = scf.for %p = %c0 to %products step %c1 iter_args(%outer = %begin) -> ({sum_type}) {{
        %first = arith.muli %p, %depth : index""")
  start, more = "%outer", []
  if sum_type == "f16":
    print("        %wide = arith.extf %outer : f16 to f32")
    start = "%wide"
  if "saturate" in modifiers:
    # The sum of one product and what was before saturates once.
    print("        %wide = arith.constant 0 : i32")
    start = "%wide"
  print(f"""        %sum = scf.for %in = %c0 to %depth step %c1 iter_args(%s = {start}) -> ({wide}) {{
          %k = arith.addi %first, %in : index""")
  for factor, index in ((a, "%i"), (b, "%j")):
    is_transposed = isinstance(factor, Tile) and factor.major == "mn"
    place = f"%k, {index}" if is_transposed else f"{index}, %k"
    x = factor.name
    print(f"          %{x}v = memref.load %{x}[{place}] : {plain(factor)}")
    if factor.element == "i8":
      ext = "extui" if f"unsigned_{x}" in modifiers else "extsi"
      print(f"          %{x}w = arith.{ext} %{x}v : i8 to i32")
    elif factor.element == "f32":
      print(f"""          %{x}bits = arith.bitcast %{x}v : f32 to i32
          %{x}mask = arith.constant -8192 : i32
          %{x}kept = arith.andi %{x}bits, %{x}mask : i32
          %{x}w = arith.bitcast %{x}kept : i32 to f32""")
    else:
      print(f"          %{x}w = arith.extf %{x}v : {factor.element} to f32")
    sign = f"negate_{x}" in modifiers
    more.append(f"%{x}n" if sign else f"%{x}w")
    if sign:
      print(f"          %{x}n = arith.negf %{x}w : f32")
  if wide == "f32":
    print(f"          %next = math.fma {more[0]}, {more[1]}, %s : f32")
  else:
    print(f"          %both = arith.muli {more[0]}, {more[1]} : i32\n"
          "          %next = arith.addi %both, %s : i32")
  print(f"          scf.yield %next : {wide}\n        }}")
  if sum_type == "f16":
    print("        %narrow = arith.truncf %sum : f32 to f16\n        scf.yield %narrow : f16")
  elif "saturate" in modifiers:
    print("""        %outer64 = arith.extsi %outer : i32 to i64
        %sum64 = arith.extsi %sum : i32 to i64
        %exact = arith.addi %outer64, %sum64 : i64
        %least = arith.constant -2147483648 : i64
        %most = arith.constant 2147483647 : i64
        %above = arith.maxsi %exact, %least : i64
        %within = arith.minsi %above, %most : i64
        %kept = arith.trunci %within : i64 to i32
        scf.yield %kept : i32""")
  else:
    print(f"        scf.yield %sum : {wide}")
  print(f"      }}\n      memref.store %all, %y[%i, %j] : {y}\n    }}\n  }}\n  return\n}}")


def main():
  tool, element, sum_type, n, layout_a, layout_b, *modifiers = sys.argv[1:]
  a_type, b_type = element.split("/") if "/" in element else (element, element)
  n = int(n)
  a = (FactorRegisters(a_type) if layout_a == "registers"
       else Tile("a", a_type, ROWS, layout_a))
  b = Tile("b", b_type, n, layout_b)
  module = io.StringIO()
  with contextlib.redirect_stdout(module):
    print("!bar = memref<1x!carousel.mbarrier, #gpu.address_space<workgroup>>\ngpu.module @m {")
    print_kernel("product", a, b, sum_type, n, modifiers)
    print("}")
    print_reference("product", a, b, sum_type, n, modifiers)
  if tool == "--print":
    print(module.getvalue())
    return 0
  command = [tool, "-", "--kernel", "@product", "--reference", "@product_reference",
             "--arg", f"a=random:{a.extents}", "--arg", f"b=random:{b.extents}:1",
             "--arg", f"y=random:{ROWS}x{n}:2", "--policy", "all", "--schedules", "2"]
  return subprocess.run(command, input=module.getvalue(), text=True, check=False).returncode


if __name__ == "__main__":
  sys.exit(main())
