# ===- cliff_kernels.py - kernels on tiles of one shape --------------------- py -===#
#
# Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""The kernels of the tile phase that scripts/cliffs times, as MLIR."""

from dataclasses import dataclass

TYPES = {"bf16": 2, "f32": 4}

HEAD = """#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
gpu.module @cliffs {
"""
ARGUMENT = '%NAME: TYPE {carousel.argument = #carousel.argument<"NAME", ACCESS>}'
MATRIX = "memref<?x?xELEMENT, strided<[?, 1], offset: ?>, #gl>"

# A grid has as many CTAs as fit at once, as in the examples; a CTA takes every n-th tile.
COPY_1D = """  gpu.func @copy_1d(X_IN, Y_OUT) kernel
      attributes {carousel.launch = #carousel.launch<grid = [min(ceildiv(extent(0, 0), TILE), resident)], block = [256]>} {
    %c0 = arith.constant 0 : index
    %tile = arith.constant TILE : index
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %first = arith.muli %block, %tile : index
    %step = arith.muli %blocks, %tile : index
    %n = memref.dim %x, %c0 : VECTOR
    %t = memref.alloc() {alignment = 128 : i64} : memref<TILExELEMENT, #ws>
    scf.for %i = %first to %n step %step {
      carousel.load %x[%i] to %t : VECTOR, memref<TILExELEMENT, #ws>
      carousel.store %t to %y[%i] : memref<TILExELEMENT, #ws>, VECTOR
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    gpu.return
  }
"""
# Boxes of ROWS x COLUMNS; %body uses %xs, and perhaps %ys.
BOXES = """  gpu.func @KERNEL(ARGUMENTS) kernel
      attributes {carousel.launch = #carousel.launch<grid = [resident], block = [256]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c256 = arith.constant 256 : index
    %zero = arith.constant 0.0 : f32
    %rows = arith.constant ROWS : index
    %columns = arith.constant COLUMNS : index
    %pieces = arith.constant PIECES : index
    %across_piece = arith.constant ACROSS : index
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %height = memref.dim %FIRST, %c0 : MATRIX
    %width = memref.dim %FIRST, %c1 : MATRIX
    %down = arith.ceildivui %height, %rows : index
    %across = arith.ceildivui %width, %columns : index
    %number = arith.muli %down, %across : index
BUFFERS    LOOP {
      %row = arith.divui %k, %across : index
      %column = arith.remui %k, %across : index
      %i = arith.muli %row, %rows : index
      %j = arith.muli %column, %columns : index
BODY    } {carousel.pipeline = #carousel.pipeline<stages = STAGES>}
AFTER    gpu.return
  }
"""
LOOP = "scf.for %k = %block to %number step %blocks"
SUM_LOOP = "%sum = scf.for %k = %block to %number step %blocks iter_args(%a = %zero) -> f32"
LOAD = "      carousel.load %x[%i, %j] to %xs : MATRIX, memref<ROWSxCOLUMNSxELEMENT, #ws>\n"
STORE = "      carousel.store %ys to %y[%i, %j] : memref<ROWSxCOLUMNSxELEMENT, #ws>, MATRIX\n"
XS = "    %xs = memref.alloc() {alignment = 128 : i64} : memref<ROWSxCOLUMNSxELEMENT, #ws>\n"
YS = XS.replace("%xs", "%ys")
# A thread's pieces of eight elements.
PIECES = """      scf.for %p = %thread to %pieces step %c256 {
        %r = arith.divui %p, %across_piece : index
        %q = arith.remui %p, %across_piece : index
        %s = arith.muli %q, %c8 : index
INNER      }
"""
READ = "        %v = vector.load %xs[%r, %s] {alignment = 16 : i64} : memref<ROWSxCOLUMNSxELEMENT, #ws>, vector<8xELEMENT>\n"
WRITE = "        vector.store %w, %ys[%r, %s] {alignment = 16 : i64} : memref<ROWSxCOLUMNSxELEMENT, #ws>, vector<8xELEMENT>\n"
WIDEN = "        %v32 = arith.extf %v : vector<8xbf16> to vector<8xf32>\n"
NARROW = "        %w = arith.truncf %w32 : vector<8xf32> to vector<8xbf16>\n"
GELU = """        %half = arith.constant dense<0.5> : vector<8xf32>
        %one = arith.constant dense<1.0> : vector<8xf32>
        %rsqrt2 = arith.constant dense<0.707106769> : vector<8xf32>
        %b8 = vector.load %bs[%s] {alignment = 16 : i64} : memref<COLUMNSxf32, #ws>, vector<8xf32>
        %z = arith.addf %v32, %b8 : vector<8xf32>
        %m = arith.mulf %z, %rsqrt2 : vector<8xf32>
        %e = math.erf %m : vector<8xf32>
        %o = arith.addf %e, %one : vector<8xf32>
        %h = arith.mulf %z, %half : vector<8xf32>
        %w32 = arith.mulf %h, %o : vector<8xf32>
"""
REDUCE = """      %partial = scf.for %p = %thread to %pieces step %c256 iter_args(%b = %a) -> f32 {
        %r = arith.divui %p, %across_piece : index
        %q = arith.remui %p, %across_piece : index
        %s = arith.muli %q, %c8 : index
READWIDE        %d = vector.reduction <add>, %v32, %b : vector<8xf32> into f32
        scf.yield %d : f32
      }
      scf.yield %partial : f32
"""
SUMS = """    %b0 = arith.muli %block, %c256 : index
    %b1 = arith.addi %b0, %thread : index
    memref.store %sum, %sums[%b1] : memref<?xf32, #gl>
"""
# A row per step, in a tile that may be wider than the row: x / sqrt(mean of squares).
RMSNORM = """      %squares = scf.for %p = %thread to %pieces step %c256 iter_args(%b = %zero) -> f32 {
        %s = arith.muli %p, %c8 : index
        %r = arith.constant 0 : index
READWIDE        %v2 = arith.mulf %v32, %v32 : vector<8xf32>
        %d = vector.reduction <add>, %v2, %b : vector<8xf32> into f32
        scf.yield %d : f32
      }
      %total = gpu.all_reduce add %squares uniform {} : (f32) -> f32
      %count = arith.index_cast %width : index to i32
      %count32 = arith.sitofp %count : i32 to f32
      %mean = arith.divf %total, %count32 : f32
      %scale = math.rsqrt %mean : f32
      %scales = vector.broadcast %scale : f32 to vector<8xf32>
      scf.for %p = %thread to %pieces step %c256 {
        %s = arith.muli %p, %c8 : index
        %r = arith.constant 0 : index
READWIDE        %w32 = arith.mulf %v32, %scales : vector<8xf32>
NARROWWRITE      }
"""


@dataclass
class Kernel:
    """`moves`: how often a launch moves the matrix or vector. `tile` has rows and columns; 1-D without rows."""
    name: str
    tile: tuple
    reads: bool
    writes: bool
    text: str
    extra: tuple = ()  # other arguments

    @property
    def moves(self):
        return self.reads + self.writes


def argument(name, kind, access):
    return ARGUMENT.replace("NAME", name).replace("TYPE", kind).replace("ACCESS", access)


def boxes(name, tile, body, buffers, stages=4, arguments="x_in y_out", loop=LOOP, after=""):
    words = {"x_in": argument("x", "MATRIX", "in"), "y_out": argument("y", "MATRIX", "out"),
             "s_out": argument("sums", "memref<?xf32, #gl>", "out"), "b_in": argument("b", "memref<?xf32, #gl>", "in")}
    rows, columns = tile
    text = BOXES.replace("KERNEL", name).replace("ARGUMENTS", ", ".join(words[word] for word in arguments.split()))
    text = text.replace("FIRST", arguments[0]).replace("BUFFERS", buffers).replace("LOOP", loop)
    text = text.replace("BODY", body).replace("AFTER", after).replace("STAGES", str(stages))
    text = text.replace("PIECES", str(rows * columns // 8)).replace("ACROSS", str(columns // 8))
    return text.replace("ROWS", str(rows)).replace("COLUMNS", str(columns))


def make_kernels(element):
    wide = READ + (WIDEN if element == "bf16" else "").replace("%v ", "%v ")
    if element == "f32":
        wide = READ.replace("%v =", "%v32 =")
    narrow = NARROW + WRITE if element == "bf16" else WRITE.replace("%w,", "%w32,")
    reduce = REDUCE.replace("READWIDE", wide)
    gelu = LOAD + PIECES.replace("INNER", wide + GELU + narrow) + STORE
    bias = "    %bs = memref.alloc() {alignment = 128 : i64} : memref<COLUMNSxf32, #ws>\n"
    bias_load = "      carousel.load %b[%j] to %bs : memref<?xf32, #gl>, memref<COLUMNSxf32, #ws>\n"
    ones = """      %ones = arith.constant dense<1.0> : vector<8xELEMENT>
""" + PIECES.replace("INNER", WRITE.replace("%w,", "%ones,"))
    width = 8192 // TYPES[element] // 2  # of a 1-D tile: 4 KB
    row, box, block = (1, width), (16, 256), (64, 64)
    kernels = [Kernel("copy_1d", (width,), True, True, COPY_1D.replace("TILE", str(width))
                      .replace("X_IN", argument("x", "VECTOR", "in")).replace("Y_OUT", argument("y", "VECTOR", "out")))]
    for tile in (row, box, block):
        shape = f"{tile[0]}x{tile[1]}"
        kernels += [
            Kernel(f"copy_{shape}", tile, True, True,
                   boxes(f"copy_{shape}", tile, LOAD + STORE.replace("%ys", "%xs"), XS)),
            Kernel(f"loads_{shape}", tile, True, False,
                   boxes(f"loads_{shape}", tile, LOAD + reduce, XS, arguments="x_in s_out", loop=SUM_LOOP, after=SUMS),
                   ("sums",)),
            Kernel(f"stores_{shape}", tile, False, True,
                   boxes(f"stores_{shape}", tile, ones + STORE, YS, stages=2, arguments="y_out"))]
    kernels += [
        Kernel("gelu_bias", box, True, True,
               boxes("gelu_bias", box, bias_load + gelu, XS + YS + bias, stages=3, arguments="x_in y_out b_in"), ("b",)),
        Kernel("rmsnorm", row, True, True,
               boxes("rmsnorm", row, LOAD + RMSNORM.replace("READWIDE", wide).replace("NARROWWRITE", narrow) + STORE,
                     XS + YS, stages=4))]
    return kernels


def module(element):
    text = "".join(kernel.text for kernel in make_kernels(element))
    text = text.replace("MATRIX", MATRIX).replace("VECTOR", "memref<?xELEMENT, #gl>").replace("ELEMENT", element)
    return HEAD + text + "}\n"
