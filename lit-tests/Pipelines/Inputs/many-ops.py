"""Prints a kernel that computes its results by many ops: many-ops.py PLACE TYPE dag|chain|parallel|sums COUNT.

PLACE block is a kernel of the block phase on vectors of 1024 elements, index one whose ops compute where it reads, and
factor one whose ops compute a factor of its product; in tile, each thread computes its elements of a tile,
and in ring, those of a loop's tiles. TYPE is that of a thread's elements: f32 or vector<4xf32>. A dag's values are used
twice, so that 2^COUNT ways lead to the first one; parallel ops have the first value's as operands, and a sum of all
follows. In sums, which need a block, each other op adds the elements of the value before."""

import sys

place, kind, shape, count = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
type = {"block": "vector<1024xf32>", "index": "index", "factor": "vector<64x64xbf16>"}.get(place, kind)
suffix = "i" if place == "index" else "f"
ops, value = [], "%v"
if shape == "parallel":
    ops = [f"%p{i} = arith.mul{suffix} %v, %f{i % 2} : {type}" for i in range(count)]
for i in range(count):
    other = {"dag": value, "chain": "%f0", "parallel": f"%p{i}", "sums": f"%b{i}"}[shape]
    if shape == "sums":
        ops.append(f"%r{i} = vector.multi_reduction <add>, {value}, %zero [0] : {type} to f32")
        ops.append(f"%b{i} = vector.broadcast %r{i} : f32 to {type}")
    ops.append(f"%s{i} = arith.{'mul' if i % 3 == 2 and place != 'index' else 'add'}{suffix} {value}, {other} : {type}")
    value = f"%s{i}"
body = "\n".join(ops)
constants = "\n".join(f"%f{i} = arith.constant {text} : {type}" for i, text in enumerate(
    {"f32": ["1.5", "2.5"], "index": ["1", "2"]}.get(type, ["dense<1.5>", "dense<2.5>"])))
launch = "carousel.launch = #carousel.launch<grid = [ceildiv(extent(0, 0), 1024)]"
if place == "block":
    attributes = "carousel.block_program = #carousel.block_program<>, " + launch + ">"
    code = f"""
    %c1024 = arith.constant 1024 : index
    %zero = arith.constant 0.0 : f32
    %block = gpu.block_id x
    %i = arith.muli %block, %c1024 : index
    %v = vector.transfer_read %x[%i], %zero : memref<?xf32, #gl>, vector<1024xf32>
    {body}
    vector.transfer_write {value}, %y[%i] : vector<1024xf32>, memref<?xf32, #gl>"""
elif place == "index":
    attributes = "carousel.block_program = #carousel.block_program<>, " + launch + ">"
    code = f"""
    %c1024 = arith.constant 1024 : index
    %zero = arith.constant 0.0 : f32
    %block = gpu.block_id x
    %v = arith.muli %block, %c1024 : index
    {body}
    %r = vector.transfer_read %x[{value}], %zero : memref<?xf32, #gl>, vector<1024xf32>
    vector.transfer_write %r, %y[%v] : vector<1024xf32>, memref<?xf32, #gl>"""
elif place == "factor":
    attributes = "carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1]>"
    code = f"""
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0.0 : bf16
    %none = arith.constant dense<0.0> : vector<64x128xf32>
    %n = memref.dim %x, %c1 : memref<?x?xbf16, #gl>
    %sum = scf.for %k = %c0 to %n step %c64 iter_args(%acc = %none) -> (vector<64x128xf32>) {{
      %v = vector.transfer_read %x[%c0, %k], %zero : memref<?x?xbf16, #gl>, vector<64x64xbf16>
      {body}
      %w = vector.transfer_read %x[%k, %c0], %zero : memref<?x?xbf16, #gl>, vector<64x128xbf16>
      %next = vector.contract {{
          indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                           affine_map<(m, n, k) -> (m, n)>],
          iterator_types = ["parallel", "parallel", "reduction"]}}
          {value}, %w, %acc : vector<64x64xbf16>, vector<64x128xbf16> into vector<64x128xf32>
      scf.yield %next : vector<64x128xf32>
    }} {{carousel.pipeline = #carousel.pipeline<stages = 3>}}
    vector.transfer_write %sum, %y[%c0, %c0] : vector<64x128xf32>, memref<?x?xf32, #gl>"""
else:
    attributes = launch + ", block = [128]>, known_block_size = array<i32: 128, 1, 1>"
    width = 4 if kind.startswith("vector") else 1
    load, store = ("vector.load", "vector.store") if width == 4 else ("memref.load", "memref.store")
    of = f", {kind}" if width == 4 else ""
    tile = f"memref<{128 * width}xf32, #ws>"
    begin, step = ("%first", "%grid") if place == "ring" else ("%first", "%extent")
    loop = " {carousel.pipeline = #carousel.pipeline<stages = 3>}" if place == "ring" else ""
    code = f"""
    %c0 = arith.constant 0 : index
    %tiles = arith.constant {128 * width} : index
    %four = arith.constant {width} : index
    %t = gpu.thread_id x
    %at = arith.muli %t, %four : index
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %first = arith.muli %block, %tiles : index
    %grid = arith.muli %blocks, %tiles : index
    %extent = memref.dim %x, %c0 : memref<?xf32, #gl>
    %in = memref.alloc() : {tile}
    %out = memref.alloc() : {tile}
    scf.for %i = {begin} to %extent step {step} {{
      carousel.load %x[%i] to %in : memref<?xf32, #gl>, {tile}
      %v = {load} %in[%at] : {tile}{of}
      {body}
      {store} {value}, %out[%at] : {tile}{of}
      carousel.store %out to %y[%i] : {tile}, memref<?xf32, #gl>
    }}{loop}"""
x, y = ("?x?xbf16", "?x?xf32") if place == "factor" else ("?xf32", "?xf32")
print(f"""#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
gpu.module @m {{
  gpu.func @k(%x: memref<{x}, #gl> {{carousel.argument = #carousel.argument<"x", in>}},
              %y: memref<{y}, #gl> {{carousel.argument = #carousel.argument<"y", out>}}) kernel
      attributes {{{attributes}}} {{
    {constants}{code}
    gpu.return
  }}
}}""")
