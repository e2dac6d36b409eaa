// vector: loads and stores of several elements and dimensions, masked and over the edge; pieces;
// reductions.
// RUN: carousel-sim %s --kernel @access --arg x=iota:4x8 --arg y=empty:16 --reference @expected_access --schedules 4
// RUN: carousel-sim %s --kernel @masks --arg x=iota:16 --arg y=zeros:16 --reference @expected_masks --schedules 4
// RUN: carousel-sim %s --kernel @transfers --arg x=iota:3x6 --arg y=zeros:3x6 --arg z=empty:2x4 --reference @expected_transfers --schedules 4
// RUN: carousel-sim %s --kernel @pieces --arg x=iota:8 --arg y=empty:16 --reference @expected_pieces --schedules 4
// RUN: carousel-sim %s --kernel @reductions --arg x=iota:8 --arg i=iota:8 --arg y=empty:8 --arg j=empty:6 --reference @expected_reductions --schedules 4
// RUN: carousel-sim %s --kernel @passthru --arg x=iota:2x4 --arg n=3 --arg y=empty:4x3x2 --reference @expected_passthru --schedules 4
// RUN: carousel-sim %s --kernel @counts --arg x=iota:2x4 --arg y=empty:2x4 --reference @expected_counts
// RUN: carousel-translate --mlir-to-ptx --chip=sm_90a %s -o %t.ptx

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!x = memref<4x8xf32, #gl>
!y = memref<16xf32, #gl>
!m36 = memref<3x6xf32, #gl>
!x8 = memref<8xf32, #gl>
!i8 = memref<8xi32, #gl>
!y8 = memref<8xf32, #gl>

gpu.module @m {
  // Two threads: the one has the other's row t + 1, columns 2 to 5, through shared memory; then a
  // square of 2x2 at [t, 4].
  gpu.func @access(%x: !x {carousel.argument = #carousel.argument<"x", in>},
                   %y: !y {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: memref<2x4xf32, #ws> {llvm.align = 16 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [2]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %t = gpu.thread_id x
    %row = arith.addi %t, %c1 : index
    %v = vector.load %x[%row, %c2] : !x, vector<4xf32>
    vector.store %v, %tile[%t, %c0] : memref<2x4xf32, #ws>, vector<4xf32>
    gpu.barrier
    %other = arith.subi %c1, %t : index
    %w = vector.load %tile[%other, %c0] : memref<2x4xf32, #ws>, vector<4xf32>
    %i = arith.muli %t, %c4 : index
    vector.store %w, %y[%i] : !y, vector<4xf32>
    %j = arith.addi %i, %c8 : index
    %pad = arith.constant 0.0 : f32
    %square = vector.transfer_read %x[%t, %c4], %pad {in_bounds = [true, true]}
        : !x, vector<2x2xf32>
    %flat = vector.shape_cast %square : vector<2x2xf32> to vector<4xf32>
    vector.store %flat, %y[%j] : !y, vector<4xf32>
    gpu.return
  }

  // One thread: a masked load with -1 where it loads nothing, a masked store, a gather and a scatter.
  gpu.func @masks(%x: !y {carousel.argument = #carousel.argument<"x", in>},
                  %y: !y {carousel.argument = #carousel.argument<"y", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c12 = arith.constant 12 : index
    %minus = arith.constant dense<-1.0> : vector<4xf32>
    %odd = arith.constant dense<[false, true, false, true]> : vector<4xi1>
    %three = vector.create_mask %c3 : vector<4xi1>
    %v0 = vector.maskedload %x[%c4], %odd, %minus
        : !y, vector<4xi1>, vector<4xf32> into vector<4xf32>
    vector.store %v0, %y[%c0] : !y, vector<4xf32>
    %v1 = vector.load %x[%c8] : !y, vector<4xf32>
    vector.maskedstore %y[%c4], %three, %v1 : !y, vector<4xi1>, vector<4xf32>
    %indices = arith.constant dense<[9, 2, 7, 0]> : vector<4xi32>
    %v2 = vector.gather %x[%c0] [%indices], %odd, %minus
        : !y, vector<4xi32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
    vector.store %v2, %y[%c8] : !y, vector<4xf32>
    %places = arith.constant dense<[3, 1, 0, 2]> : vector<4xi32>
    vector.scatter %y[%c12] [%places], %three, %v1
        : !y, vector<4xi32>, vector<4xi1>, vector<4xf32>
    gpu.return
  }

  // A box of 2x4 at [2, 4] of 3x6: what is read outside is the padding, what is written there is lost.
  gpu.func @transfers(%x: !m36 {carousel.argument = #carousel.argument<"x", in>},
                      %y: !m36 {carousel.argument = #carousel.argument<"y", inout>},
                      %z: memref<2x4xf32, #gl> {carousel.argument = #carousel.argument<"z", out>})
      kernel attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %pad = arith.constant 100.0 : f32
    %v = vector.transfer_read %x[%c2, %c4], %pad : !m36, vector<2x4xf32>
    vector.transfer_write %v, %z[%c0, %c0] {in_bounds = [true, true]}
        : vector<2x4xf32>, memref<2x4xf32, #gl>
    vector.transfer_write %v, %y[%c2, %c4] : vector<2x4xf32>, !m36
    gpu.return
  }

  // y = 0 0 x1 x1, x3 x2 x1 x0, x4 .. x7 with x4 doubled, x4 * x1 + 10 .. x7 * x1 + 10.
  gpu.func @pieces(%x: !x8 {carousel.argument = #carousel.argument<"x", in>},
                   %y: !y {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c12 = arith.constant 12 : index
    %v = vector.load %x[%c0] : !x8, vector<8xf32>
    %one = vector.extract %v[1] : f32 from vector<8xf32>
    %ones = vector.broadcast %one : f32 to vector<4xf32>
    %zero = arith.constant dense<0.0> : vector<2xf32>
    %start = vector.insert_strided_slice %zero, %ones {offsets = [0], strides = [1]}
        : vector<2xf32> into vector<4xf32>
    vector.store %start, %y[%c0] : !y, vector<4xf32>
    %back = vector.shuffle %v, %v [3, 2, 1, 0] : vector<8xf32>, vector<8xf32>
    vector.store %back, %y[%c4] : !y, vector<4xf32>
    %high = vector.extract_strided_slice %v {offsets = [4], sizes = [4], strides = [1]}
        : vector<8xf32> to vector<4xf32>
    %four = vector.extract %v[%c4] : f32 from vector<8xf32>
    %twice = arith.addf %four, %four : f32
    %changed = vector.insert %twice, %high[%c0] : f32 into vector<4xf32>
    vector.store %changed, %y[%c8] : !y, vector<4xf32>
    %ten = arith.constant dense<10.0> : vector<4xf32>
    %fma = vector.fma %high, %ones, %ten : vector<4xf32>
    vector.store %fma, %y[%c12] : !y, vector<4xf32>
    gpu.return
  }

  // y = sum, product of x + 1, largest, smallest of x, sum from 100; then the sums of the rows of x
  // as 2x4, and of one column. j = sum, and, or, xor, largest, smallest of integers.
  gpu.func @reductions(%x: !x8 {carousel.argument = #carousel.argument<"x", in>},
                       %i: !i8 {carousel.argument = #carousel.argument<"i", in>},
                       %y: !y8 {carousel.argument = #carousel.argument<"y", out>},
                       %j: memref<6xi32, #gl> {carousel.argument = #carousel.argument<"j", out>})
      kernel attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    %c7 = arith.constant 7 : index
    %hundred = arith.constant 100.0 : f32
    %ones = arith.constant dense<1.0> : vector<8xf32>
    %v = vector.load %x[%c0] : !x8, vector<8xf32>
    %next = arith.addf %v, %ones : vector<8xf32>
    %sum = vector.reduction <add>, %v : vector<8xf32> into f32
    %product = vector.reduction <mul>, %next : vector<8xf32> into f32
    %largest = vector.reduction <maximumf>, %v : vector<8xf32> into f32
    %smallest = vector.reduction <minimumf>, %next : vector<8xf32> into f32
    %more = vector.reduction <add>, %v, %hundred : vector<8xf32> into f32
    %rows = vector.shape_cast %v : vector<8xf32> to vector<2x4xf32>
    %start = arith.constant dense<0.0> : vector<2xf32>
    %sums = vector.multi_reduction <add>, %rows, %start [1] : vector<2x4xf32> to vector<2xf32>
    %start4 = arith.constant dense<0.0> : vector<4xf32>
    %columns = vector.multi_reduction <add>, %rows, %start4 [0] : vector<2x4xf32> to vector<4xf32>
    %third = vector.extract %columns[2] : f32 from vector<4xf32>
    memref.store %sum, %y[%c0] : !y8
    memref.store %product, %y[%c1] : !y8
    memref.store %largest, %y[%c2] : !y8
    memref.store %smallest, %y[%c3] : !y8
    memref.store %more, %y[%c4] : !y8
    vector.store %sums, %y[%c5] : !y8, vector<2xf32>
    memref.store %third, %y[%c7] : !y8
    %w = vector.load %i[%c0] : !i8, vector<8xi32>
    %n0 = vector.reduction <add>, %w : vector<8xi32> into i32
    %n1 = vector.reduction <and>, %w : vector<8xi32> into i32
    %n2 = vector.reduction <or>, %w : vector<8xi32> into i32
    %n3 = vector.reduction <xor>, %w : vector<8xi32> into i32
    %n4 = vector.reduction <maxsi>, %w : vector<8xi32> into i32
    %n5 = vector.reduction <minui>, %w : vector<8xi32> into i32
    %all = vector.from_elements %n0, %n1, %n2, %n3, %n4, %n5 : vector<6xi32>
    vector.store %all, %j[%c0] : memref<6xi32, #gl>, vector<6xi32>
    gpu.return
  }

  // A masked read of columns, which it broadcasts; what the mask leaves out is of the passthru.
  gpu.func @passthru(%x: memref<?x?xi32, #gl> {carousel.argument = #carousel.argument<"x", in>}, %n: index {carousel.argument = #carousel.argument<"n", in>},
                     %y: memref<?x?x?xi32, #gl> {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %mask = vector.create_mask %c1, %n : vector<2x4xi1>
    %seven = arith.constant dense<7> : vector<4x3x2xi32>
    %v = vector.mask %mask, %seven { vector.transfer_read %x[%c0, %c0], %zero {in_bounds = [true, true, true], permutation_map = affine_map<(d0, d1) -> (d1, 0, d0)>}
        : memref<?x?xi32, #gl>, vector<4x3x2xi32> } : vector<2x4xi1> -> vector<4x3x2xi32>
    vector.transfer_write %v, %y[%c0, %c0, %c0] {in_bounds = [true, true, true]} : vector<4x3x2xi32>, memref<?x?x?xi32, #gl>
    gpu.return
  }

  // Several rows.
  gpu.func @counts(%x: memref<?x?xi32, #gl> {carousel.argument = #carousel.argument<"x", in>},
                   %y: memref<?x?xi32, #gl> {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %three = arith.constant dense<3> : vector<2x4xi32>
    %v = vector.load %x[%c0, %c0] : memref<?x?xi32, #gl>, vector<2x4xi32>
    %less = arith.subi %v, %three : vector<2x4xi32>
    %a = math.absi %less : vector<2x4xi32>
    %z = math.ctlz %a : vector<2x4xi32>
    %t = math.cttz %a : vector<2x4xi32>
    %zt = arith.addi %z, %t : vector<2x4xi32>
    %sum = arith.addi %zt, %a : vector<2x4xi32>
    vector.store %sum, %y[%c0, %c0] : memref<?x?xi32, #gl>, vector<2x4xi32>
    gpu.return
  }
}

func.func @expected_access(%x: memref<4x8xf32>, %y: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<[18.0, 19.0, 20.0, 21.0, 10.0, 11.0, 12.0, 13.0,
                             4.0, 5.0, 12.0, 13.0, 12.0, 13.0, 20.0, 21.0]> : vector<16xf32>
  vector.store %v, %y[%c0] : memref<16xf32>, vector<16xf32>
  return
}

func.func @expected_masks(%x: memref<16xf32>, %y: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<[-1.0, 5.0, -1.0, 7.0, 8.0, 9.0, 10.0, 0.0,
                             -1.0, 2.0, -1.0, 0.0, 10.0, 9.0, 0.0, 8.0]> : vector<16xf32>
  vector.store %v, %y[%c0] : memref<16xf32>, vector<16xf32>
  return
}

func.func @expected_transfers(%x: memref<3x6xf32>, %y: memref<3x6xf32>, %z: memref<2x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %v = arith.constant dense<[16.0, 17.0]> : vector<2xf32>
  %w0 = arith.constant dense<[16.0, 17.0, 100.0, 100.0]> : vector<4xf32>
  %w1 = arith.constant dense<100.0> : vector<4xf32>
  vector.store %v, %y[%c2, %c4] : memref<3x6xf32>, vector<2xf32>
  vector.store %w0, %z[%c0, %c0] : memref<2x4xf32>, vector<4xf32>
  vector.store %w1, %z[%c1, %c0] : memref<2x4xf32>, vector<4xf32>
  return
}

func.func @expected_pieces(%x: memref<8xf32>, %y: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<[0.0, 0.0, 1.0, 1.0, 3.0, 2.0, 1.0, 0.0,
                             8.0, 5.0, 6.0, 7.0, 14.0, 15.0, 16.0, 17.0]> : vector<16xf32>
  vector.store %v, %y[%c0] : memref<16xf32>, vector<16xf32>
  return
}

func.func @expected_reductions(%x: memref<8xf32>, %i: memref<8xi32>, %y: memref<8xf32>,
                               %j: memref<6xi32>) {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<[28.0, 40320.0, 7.0, 1.0, 128.0, 6.0, 22.0, 8.0]> : vector<8xf32>
  %w = arith.constant dense<[28, 0, 7, 0, 7, 0]> : vector<6xi32>
  vector.store %v, %y[%c0] : memref<8xf32>, vector<8xf32>
  vector.store %w, %j[%c0] : memref<6xi32>, vector<6xi32>
  return
}

func.func @expected_passthru(%x: memref<2x4xi32>, %n: index, %y: memref<4x3x2xi32>) {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<[[[0, 7], [0, 7], [0, 7]], [[1, 7], [1, 7], [1, 7]], [[2, 7], [2, 7], [2, 7]],
                             [[7, 7], [7, 7], [7, 7]]]> : vector<4x3x2xi32>
  vector.transfer_write %v, %y[%c0, %c0, %c0] {in_bounds = [true, true, true]} : vector<4x3x2xi32>, memref<4x3x2xi32>
  return
}

func.func @expected_counts(%x: memref<2x4xi32>, %y: memref<2x4xi32>) {
  %c0 = arith.constant 0 : index
  // Of |x - 3|, and of its zeros at both ends.
  %v = arith.constant dense<[[33, 33, 32, 64], [32, 33, 33, 35]]> : vector<2x4xi32>
  vector.transfer_write %v, %y[%c0, %c0] {in_bounds = [true, true]} : vector<2x4xi32>, memref<2x4xi32>
  return
}
