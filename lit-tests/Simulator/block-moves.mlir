// Ops that move elements, at the block phase. Without the attribute, the same kernels are of the tile
// phase, whose vectors LLVM holds: the results are equal.
// DEFINE: %{kernel} =
// DEFINE: %{args} =
// DEFINE: %{lanes} = carousel-sim %t.mlir --kernel %{kernel} %{args} --out y=%t.npy
// DEFINE: %{block} = carousel-sim %s --kernel %{kernel} %{args} --expect y=%t.npy
// RUN: sed 's/carousel.block_program = [^>]*>,//' %s > %t.mlir

// REDEFINE: %{args} = --arg x=random:4x6 --arg y=empty:96
// REDEFINE: %{kernel} = @shapes
// RUN: %{lanes}
// RUN: %{block}
// REDEFINE: %{args} = --arg x=random:4x6 --arg y=empty:104
// REDEFINE: %{kernel} = @halves
// RUN: %{lanes}
// RUN: %{block}
// REDEFINE: %{args} = --arg x=random:4x6 --arg y=empty:149
// REDEFINE: %{kernel} = @slices
// RUN: %{lanes}
// RUN: %{block}
// REDEFINE: %{args} = --arg x=iota:8 --arg y=empty:46
// REDEFINE: %{kernel} = @bits
// RUN: %{lanes}
// RUN: %{block}
// REDEFINE: %{args} = --arg n=3 --arg y=empty:37
// REDEFINE: %{kernel} = @masks
// RUN: %{lanes}
// RUN: %{block}
// REDEFINE: %{args} = --arg x=random:4x6 --arg n=2 --arg y=empty:37
// REDEFINE: %{kernel} = @positions
// RUN: %{lanes}
// RUN: %{block}

// A position outside of the vector is a finding.
// RUN: not carousel-sim %s --kernel @positions --arg x=random:4x6 --arg n=4 --arg y=empty:37 2>&1 | FileCheck %s --check-prefix=POSITION
// POSITION: block-moves.mlir:[[#@LINE+194]]:12: finding: [invalid-operand]

#gl = #gpu.address_space<global>
!x = memref<4x6xf32, #gl>
!y = memref<?xf32, #gl>

gpu.module @m {
  // A broadcast of a row, of a column and of a scalar; transposes; casts of shapes.
  gpu.func @shapes(%x: !x {carousel.argument = #carousel.argument<"x", in>},
                   %y: !y {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c24 = arith.constant 24 : index
    %c48 = arith.constant 48 : index
    %c72 = arith.constant 72 : index
    %v = vector.load %x[%c0, %c0] : !x, vector<4x6xf32>
    %t = vector.transpose %v, [1, 0] : vector<4x6xf32> to vector<6x4xf32>
    %tf = vector.shape_cast %t : vector<6x4xf32> to vector<24xf32>
    vector.store %tf, %y[%c0] : !y, vector<24xf32>
    %row = vector.extract %v[2] : vector<6xf32> from vector<4x6xf32>
    %rows = vector.broadcast %row : vector<6xf32> to vector<4x6xf32>
    %rf = vector.shape_cast %rows : vector<4x6xf32> to vector<24xf32>
    vector.store %rf, %y[%c24] : !y, vector<24xf32>
    %column = vector.extract_strided_slice %v {offsets = [0, 1], sizes = [4, 1], strides = [1, 1]} : vector<4x6xf32> to vector<4x1xf32>
    %columns = vector.broadcast %column : vector<4x1xf32> to vector<4x6xf32>
    %scalar = vector.extract %v[3, 5] : f32 from vector<4x6xf32>
    %scalars = vector.broadcast %scalar : f32 to vector<4x6xf32>
    %sum = arith.addf %columns, %scalars : vector<4x6xf32>
    %sf = vector.shape_cast %sum : vector<4x6xf32> to vector<24xf32>
    vector.store %sf, %y[%c48] : !y, vector<24xf32>
    %cube = vector.shape_cast %v : vector<4x6xf32> to vector<2x3x4xf32>
    %turned = vector.transpose %cube, [2, 0, 1] : vector<2x3x4xf32> to vector<4x2x3xf32>
    %cf = vector.shape_cast %turned : vector<4x2x3xf32> to vector<24xf32>
    vector.store %cf, %y[%c72] : !y, vector<24xf32>
    gpu.return
  }

  // Interleaved rows, and even and odd columns; rows by a shuffle.
  gpu.func @halves(%x: !x {carousel.argument = #carousel.argument<"x", in>},
                   %y: !y {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c48 = arith.constant 48 : index
    %c72 = arith.constant 72 : index
    %c86 = arith.constant 86 : index
    %v = vector.load %x[%c0, %c0] : !x, vector<4x6xf32>
    %n = arith.negf %v : vector<4x6xf32>
    %both = vector.interleave %v, %n : vector<4x6xf32> -> vector<4x12xf32>
    %bf = vector.shape_cast %both : vector<4x12xf32> to vector<48xf32>
    vector.store %bf, %y[%c0] : !y, vector<48xf32>
    %flat = vector.shape_cast %v : vector<4x6xf32> to vector<24xf32>
    %even, %odd = vector.deinterleave %flat : vector<24xf32> -> vector<12xf32>
    %difference = arith.subf %even, %odd : vector<12xf32>
    %all = vector.interleave %difference, %even : vector<12xf32> -> vector<24xf32>
    vector.store %all, %y[%c72] : !y, vector<24xf32>
    %shuffled = vector.shuffle %even, %odd [3, 14, 0, 23, 7, 12] : vector<12xf32>, vector<12xf32>
    vector.store %shuffled, %y[%c48] : !y, vector<6xf32>
    %c54 = arith.constant 54 : index
    %last = vector.extract_strided_slice %flat {offsets = [4], sizes = [18], strides = [1]} : vector<24xf32> to vector<18xf32>
    vector.store %last, %y[%c54] : !y, vector<18xf32>
    %c96 = arith.constant 96 : index
    %end = vector.extract_strided_slice %even {offsets = [2], sizes = [8], strides = [1]} : vector<12xf32> to vector<8xf32>
    vector.store %end, %y[%c96] : !y, vector<8xf32>
    gpu.return
  }

  // Slices with offsets, of fewer dimensions, and single elements; the vectors that they are put into stay as they are.
  gpu.func @slices(%x: !x {carousel.argument = #carousel.argument<"x", in>},
                   %y: !y {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c24 = arith.constant 24 : index
    %c48 = arith.constant 48 : index
    %c72 = arith.constant 72 : index
    %c77 = arith.constant 77 : index
    %c125 = arith.constant 125 : index
    %v = vector.load %x[%c0, %c0] : !x, vector<4x6xf32>
    %zeros = arith.constant dense<0.0> : vector<4x6xf32>
    %part = vector.extract_strided_slice %v {offsets = [1, 2], sizes = [2, 3], strides = [1, 1]} : vector<4x6xf32> to vector<2x3xf32>
    %placed = vector.insert_strided_slice %part, %zeros {offsets = [2, 3], strides = [1, 1]} : vector<2x3xf32> into vector<4x6xf32>
    %pf = vector.shape_cast %placed : vector<4x6xf32> to vector<24xf32>
    vector.store %pf, %y[%c0] : !y, vector<24xf32>
    %row = vector.extract %v[1] : vector<6xf32> from vector<4x6xf32>
    %narrow = vector.extract_strided_slice %row {offsets = [1], sizes = [4], strides = [1]} : vector<6xf32> to vector<4xf32>
    %inRow = vector.insert_strided_slice %narrow, %v {offsets = [3, 1], strides = [1]} : vector<4xf32> into vector<4x6xf32>
    %nf = vector.shape_cast %inRow : vector<4x6xf32> to vector<24xf32>
    vector.store %nf, %y[%c24] : !y, vector<24xf32>
    %replaced = vector.insert %row, %v[0] : vector<6xf32> into vector<4x6xf32>
    %scalar = vector.extract %v[3, 4] : f32 from vector<4x6xf32>
    %edited = vector.insert %scalar, %replaced[2, 1] : f32 into vector<4x6xf32>
    %ef = vector.shape_cast %edited : vector<4x6xf32> to vector<24xf32>
    vector.store %ef, %y[%c48] : !y, vector<24xf32>
    %elements:4 = vector.to_elements %narrow : vector<4xf32>
    %listed = vector.from_elements %elements#3, %elements#0, %scalar, %elements#2, %elements#1 : vector<5xf32>
    vector.store %listed, %y[%c72] : !y, vector<5xf32>
    // All of the originals are as before.
    %vf = vector.shape_cast %v : vector<4x6xf32> to vector<24xf32>
    %twice = vector.interleave %vf, %pf : vector<24xf32> -> vector<48xf32>
    vector.store %twice, %y[%c77] : !y, vector<48xf32>
    %rf = vector.shape_cast %replaced : vector<4x6xf32> to vector<24xf32>
    vector.store %rf, %y[%c125] : !y, vector<24xf32>
    gpu.return
  }

  // Casts of bits to wider, narrower and equal elements; constants whose elements differ.
  gpu.func @bits(%x: memref<8xi32, #gl> {carousel.argument = #carousel.argument<"x", in>},
                 %y: memref<46xi32, #gl> {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c12 = arith.constant 12 : index
    %c28 = arith.constant 28 : index
    %c36 = arith.constant 36 : index
    %c44 = arith.constant 44 : index
    %loaded = vector.load %x[%c0] : memref<8xi32, #gl>, vector<8xi32>
    %factors = arith.constant dense<[1, 77777, -3, 1000000007, 5, -66666, 123456789, 9]> : vector<8xi32>
    %v = arith.muli %loaded, %factors : vector<8xi32>
    %f = vector.bitcast %v : vector<8xi32> to vector<8xf32>
    %n = arith.negf %f : vector<8xf32>
    %back = vector.bitcast %n : vector<8xf32> to vector<8xi32>
    vector.store %back, %y[%c0] : memref<46xi32, #gl>, vector<8xi32>
    %wide = vector.bitcast %v : vector<8xi32> to vector<4xi64>
    %eight = arith.constant dense<8> : vector<4xi64>
    %shifted = arith.shrsi %wide, %eight : vector<4xi64>
    %low = arith.trunci %shifted : vector<4xi64> to vector<4xi32>
    vector.store %low, %y[%c8] : memref<46xi32, #gl>, vector<4xi32>
    %narrow = vector.bitcast %v : vector<8xi32> to vector<16xf16>
    %bytes = vector.bitcast %narrow : vector<16xf16> to vector<32xi8>
    %some = vector.extract_strided_slice %bytes {offsets = [9], sizes = [16], strides = [1]} : vector<32xi8> to vector<16xi8>
    %signed = arith.extsi %some : vector<16xi8> to vector<16xi32>
    vector.store %signed, %y[%c12] : memref<46xi32, #gl>, vector<16xi32>
    %flags = arith.constant dense<[[true, false, true], [true, true, false]]> : vector<2x3xi1>
    %ones = arith.extui %flags : vector<2x3xi1> to vector<2x3xi32>
    %of = vector.shape_cast %ones : vector<2x3xi32> to vector<6xi32>
    vector.store %of, %y[%c28] : memref<46xi32, #gl>, vector<6xi32>
    %c34 = arith.constant 34 : index
    %pair = vector.extract_strided_slice %v {offsets = [6], sizes = [2], strides = [1]} : vector<8xi32> to vector<2xi32>
    vector.store %pair, %y[%c34] : memref<46xi32, #gl>, vector<2xi32>
    %again = vector.bitcast %bytes : vector<32xi8> to vector<8xi32>
    vector.store %again, %y[%c36] : memref<46xi32, #gl>, vector<8xi32>
    vector.store %pair, %y[%c44] : memref<46xi32, #gl>, vector<2xi32>
    gpu.return
  }

  // Masks of constant extents and of others, one of them beyond the end and one negative; numbers of elements.
  gpu.func @masks(%n: i32 {carousel.argument = #carousel.argument<"n", in>},
                  %y: memref<37xi32, #gl> {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c6 = arith.constant 6 : index
    %c12 = arith.constant 12 : index
    %c24 = arith.constant 24 : index
    %c32 = arith.constant 32 : index
    %i = arith.index_cast %n : i32 to index
    %constant = vector.constant_mask [2, 1] : vector<2x3xi1>
    %dynamic = vector.create_mask %c1, %i : vector<2x3xi1>
    %either = arith.xori %constant, %dynamic : vector<2x3xi1>
    %ei = arith.extui %either : vector<2x3xi1> to vector<2x3xi32>
    %ef = vector.shape_cast %ei : vector<2x3xi32> to vector<6xi32>
    vector.store %ef, %y[%c0] : memref<37xi32, #gl>, vector<6xi32>
    %less = arith.subi %c2, %i : index
    %none = vector.create_mask %less : vector<6xi1>
    %six = vector.create_mask %c12 : vector<6xi1>
    %ni = arith.extsi %none : vector<6xi1> to vector<6xi32>
    vector.store %ni, %y[%c6] : memref<37xi32, #gl>, vector<6xi32>
    %steps = vector.step : vector<12xindex>
    %square = arith.muli %steps, %steps : vector<12xindex>
    %numbers = arith.index_cast %square : vector<12xindex> to vector<12xi32>
    vector.store %numbers, %y[%c12] : memref<37xi32, #gl>, vector<12xi32>
    %first = vector.extract_strided_slice %numbers {offsets = [3], sizes = [6], strides = [1]} : vector<12xi32> to vector<6xi32>
    %chosen = arith.select %six, %first, %ni : vector<6xi1>, vector<6xi32>
    %isOdd = arith.trunci %n : i32 to i1
    %whole = arith.select %isOdd, %chosen, %ni : vector<6xi32>
    %padded = vector.create_mask %i : vector<8xi1>
    %pi = arith.extui %padded : vector<8xi1> to vector<8xi32>
    vector.store %pi, %y[%c24] : memref<37xi32, #gl>, vector<8xi32>
    %five = vector.extract_strided_slice %whole {offsets = [1], sizes = [5], strides = [1]} : vector<6xi32> to vector<5xi32>
    vector.store %five, %y[%c32] : memref<37xi32, #gl>, vector<5xi32>
    gpu.return
  }

  // Rows and elements at positions that are known only at run time.
  gpu.func @positions(%x: !x {carousel.argument = #carousel.argument<"x", in>},
                      %n: i32 {carousel.argument = #carousel.argument<"n", in>},
                      %y: !y {carousel.argument = #carousel.argument<"y", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c6 = arith.constant 6 : index
    %c30 = arith.constant 30 : index
    %c31 = arith.constant 31 : index
    %i = arith.index_cast %n : i32 to index
    %v = vector.load %x[%c0, %c0] : !x, vector<4x6xf32>
    %row = vector.extract %v[%i] : vector<6xf32> from vector<4x6xf32>
    vector.store %row, %y[%c0] : !y, vector<6xf32>
    %negative = arith.negf %row : vector<6xf32>
    %placed = vector.insert %negative, %v[%i] : vector<6xf32> into vector<4x6xf32>
    %pf = vector.shape_cast %placed : vector<4x6xf32> to vector<24xf32>
    vector.store %pf, %y[%c6] : !y, vector<24xf32>
    %e = vector.extract %row[%i] : f32 from vector<6xf32>
    memref.store %e, %y[%c30] : !y
    %edited = vector.insert %e, %row[3] : f32 into vector<6xf32>
    %again = vector.insert %e, %edited[%i] : f32 into vector<6xf32>
    vector.store %again, %y[%c31] : !y, vector<6xf32>
    gpu.return
  }
}
