// Elementwise ops of the block phase on elements of all kinds. Without the attribute, the same kernels
// are of the tile phase, whose vectors LLVM holds: the results are equal.
// DEFINE: %{kernel} =
// DEFINE: %{args} =
// DEFINE: %{lanes} = carousel-sim %t.mlir --kernel %{kernel} %{args} --out y=%t.npy
// DEFINE: %{block} = carousel-sim %s --kernel %{kernel} %{args} --expect y=%t.npy
// RUN: sed 's/carousel.block_program = [^>]*>,//' %s > %t.mlir
// REDEFINE: %{args} = --arg x=random:24 --arg y=empty:6x24
// REDEFINE: %{kernel} = @floats
// RUN: %{lanes}
// RUN: %{block}
// REDEFINE: %{args} = --arg x=random:24 --arg y=empty:8x24
// REDEFINE: %{kernel} = @integers
// RUN: %{lanes}
// RUN: %{block}

#gl = #gpu.address_space<global>
!x = memref<24xf32, #gl>

gpu.module @m {
  gpu.func @floats(%x: !x {carousel.argument = #carousel.argument<"x", in>},
                   %y: memref<6x24xf32, #gl> {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    %three = arith.constant dense<3> : vector<24xi32>
    %v = vector.load %x[%c0] : !x, vector<24xf32>
    %f8 = arith.truncf %v : vector<24xf32> to vector<24xf8E4M3FN>
    %twice = arith.addf %f8, %f8 : vector<24xf8E4M3FN>
    %r0 = arith.extf %twice : vector<24xf8E4M3FN> to vector<24xf32>
    vector.store %r0, %y[%c0, %c0] : memref<6x24xf32, #gl>, vector<24xf32>
    %h = arith.truncf %v : vector<24xf32> to vector<24xf16>
    %hh = arith.mulf %h, %h : vector<24xf16>
    %r1 = arith.extf %hh : vector<24xf16> to vector<24xf32>
    vector.store %r1, %y[%c1, %c0] : memref<6x24xf32, #gl>, vector<24xf32>
    %b = arith.truncf %v : vector<24xf32> to vector<24xbf16>
    %be = math.tanh %b : vector<24xbf16>
    %bb = arith.divf %b, %be : vector<24xbf16>
    %r2 = arith.extf %bb : vector<24xbf16> to vector<24xf32>
    vector.store %r2, %y[%c2, %c0] : memref<6x24xf32, #gl>, vector<24xf32>
    %d = arith.extf %v : vector<24xf32> to vector<24xf64>
    %dd = math.sqrt %d : vector<24xf64>
    %isNumber = arith.cmpf ord, %dd, %dd : vector<24xf64>
    %some = arith.select %isNumber, %dd, %d : vector<24xi1>, vector<24xf64>
    %r3 = arith.truncf %some : vector<24xf64> to vector<24xf32>
    vector.store %r3, %y[%c3, %c0] : memref<6x24xf32, #gl>, vector<24xf32>
    // Rounding, and a flag of an op.
    %down = arith.truncf %v downward : vector<24xf32> to vector<24xbf16>
    %r4 = arith.extf %down : vector<24xbf16> to vector<24xf32>
    vector.store %r4, %y[%c4, %c0] : memref<6x24xf32, #gl>, vector<24xf32>
    %cube = math.fpowi %v, %three : vector<24xf32>, vector<24xi32>
    %own = arith.fptosi %v : vector<24xf32> to vector<24xi64>
    %power = math.fpowi %cube, %own : vector<24xf32>, vector<24xi64>
    %r5 = math.fma %power, %v, %r0 : vector<24xf32>
    vector.store %r5, %y[%c5, %c0] : memref<6x24xf32, #gl>, vector<24xf32>
    gpu.return
  }

  gpu.func @integers(%x: memref<24xi32, #gl> {carousel.argument = #carousel.argument<"x", in>},
                     %y: memref<8x24xi32, #gl> {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    %c6 = arith.constant 6 : index
    %v = vector.load %x[%c0] : memref<24xi32, #gl>, vector<24xi32>
    // Two results of one op.
    %sum, %carry = arith.addui_extended %v, %v : vector<24xi32>, vector<24xi1>
    %c = arith.extui %carry : vector<24xi1> to vector<24xi32>
    vector.store %sum, %y[%c0, %c0] : memref<8x24xi32, #gl>, vector<24xi32>
    vector.store %c, %y[%c1, %c0] : memref<8x24xi32, #gl>, vector<24xi32>
    %low, %high = arith.mulsi_extended %v, %v : vector<24xi32>
    vector.store %high, %y[%c2, %c0] : memref<8x24xi32, #gl>, vector<24xi32>
    %four = arith.trunci %v : vector<24xi32> to vector<24xi4>
    %nibble = arith.muli %four, %four : vector<24xi4>
    %r3 = arith.extsi %nibble : vector<24xi4> to vector<24xi32>
    vector.store %r3, %y[%c3, %c0] : memref<8x24xi32, #gl>, vector<24xi32>
    %i = arith.index_cast %v : vector<24xi32> to vector<24xindex>
    %seven = arith.constant dense<7> : vector<24xindex>
    %rest = arith.remui %i, %seven : vector<24xindex>
    %r4 = arith.index_cast %rest : vector<24xindex> to vector<24xi32>
    vector.store %r4, %y[%c4, %c0] : memref<8x24xi32, #gl>, vector<24xi32>
    %negative = arith.cmpi slt, %v, %r4 : vector<24xi32>
    %odd = arith.trunci %v : vector<24xi32> to vector<24xi1>
    %both = arith.xori %negative, %odd : vector<24xi1>
    %r5 = arith.extsi %both : vector<24xi1> to vector<24xi32>
    vector.store %r5, %y[%c5, %c0] : memref<8x24xi32, #gl>, vector<24xi32>
    %bits = math.ctpop %v : vector<24xi32>
    vector.store %bits, %y[%c6, %c0] : memref<8x24xi32, #gl>, vector<24xi32>
    // Factors that are extended with their sign.
    %c7 = arith.constant 7 : index
    %zero = arith.constant 0 : i32
    %ones = arith.constant dense<1> : vector<24xi8>
    %bytes = arith.trunci %v : vector<24xi32> to vector<24xi8>
    %dot = vector.contract {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
                            iterator_types = ["reduction"], kind = #vector.kind<add>} %bytes, %ones, %zero
      : vector<24xi8>, vector<24xi8> into i32
    %r7 = vector.broadcast %dot : i32 to vector<24xi32>
    vector.store %r7, %y[%c7, %c0] : memref<8x24xi32, #gl>, vector<24xi32>
    gpu.return
  }
}
