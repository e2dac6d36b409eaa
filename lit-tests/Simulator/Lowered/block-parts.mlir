// Parts of vectors at any place, constants whose elements differ, ops of two results: the same at all phases.
// DEFINE: %{kernel} =
// DEFINE: %{args} =
// DEFINE: %{block} = carousel-sim %s --kernel %{kernel} %{args} --out y=%t.npy --quiet
// DEFINE: %{lowered} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered %s --chip sm_90a -- --kernel %{kernel} %{args} --expect y=%t.npy --quiet
// REDEFINE: %{kernel} = @parts
// REDEFINE: %{args} = --arg x=iota:6x12 --arg i=4 --arg j=1 --arg y=zeros:6x12
// RUN: %{block}
// RUN: %{lowered}
// REDEFINE: %{kernel} = @aligned
// REDEFINE: %{args} = --arg x=iota:100x32 --arg y=zeros:100x32
// RUN: %{block}
// RUN: %{lowered}
// REDEFINE: %{kernel} = @philox
// REDEFINE: %{args} = --arg seed=iota:7x2 --arg y=zeros:7x64
// RUN: %{block}
// RUN: %{lowered}

#gl = #gpu.address_space<global>
!m = memref<?x?xi32, #gl>

gpu.module @m {
  gpu.func @parts(%x: !m {carousel.argument = #carousel.argument<"x", in>},
                  %i: index {carousel.argument = #carousel.argument<"i", in>},
                  %j: index {carousel.argument = #carousel.argument<"j", in>},
                  %y: !m {carousel.argument = #carousel.argument<"y", out>})
      kernel attributes {carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c6 = arith.constant 6 : index
    %zero = arith.constant 0 : i32
    %v = vector.transfer_read %x[%c0, %c0], %zero : !m, vector<6x12xi32>

    // At positions of the run.
    %element = vector.extract %v[%i, 2] : i32 from vector<6x12xi32>
    %row = vector.extract %v[%i] : vector<12xi32> from vector<6x12xi32>
    %w0 = vector.insert %element, %v[%j, %i] : i32 into vector<6x12xi32>
    %w1 = vector.insert %row, %w0[%j] : vector<12xi32> into vector<6x12xi32>

    // At places that are no multiples; with fewer dimensions.
    %box = vector.extract_strided_slice %w1 {offsets = [1, 3], sizes = [4, 7], strides = [1, 1]} : vector<6x12xi32> to vector<4x7xi32>
    %w2 = vector.insert_strided_slice %box, %w1 {offsets = [2, 5], strides = [1, 1]} : vector<4x7xi32> into vector<6x12xi32>
    %tail = vector.extract_strided_slice %row {offsets = [8], sizes = [4], strides = [1]} : vector<12xi32> to vector<4xi32>
    %w3 = vector.insert_strided_slice %tail, %w2 {offsets = [5, 8], strides = [1]} : vector<4xi32> into vector<6x12xi32>
    %w4 = vector.insert_strided_slice %tail, %w3 {offsets = [0, 7], strides = [1]} : vector<4xi32> into vector<6x12xi32>

    // Again in each iteration; of bits; of a constant.
    %digits = arith.constant dense<[3, 1, 4, 1, 5, 9]> : vector<6xi32>
    %nine = arith.constant 9 : i32
    %nines = vector.broadcast %nine : i32 to vector<6x12xi32>
    %isLess = arith.cmpi slt, %w4, %nines : vector<6x12xi32>
    %sum = scf.for %at = %c0 to %c6 step %c1 iter_args(%before = %zero) -> (i32) {
      %e = vector.extract %w4[%at, %at] : i32 from vector<6x12xi32>
      %bit = vector.extract %isLess[%at, %j] : i1 from vector<6x12xi1>
      %digit = vector.extract %digits[%at] : i32 from vector<6xi32>
      %chosen = arith.select %bit, %digit, %e : i32
      %next = arith.muli %before, %nine : i32
      %after = arith.addi %next, %chosen : i32
      scf.yield %after : i32
    }
    %sums = vector.broadcast %sum : i32 to vector<6x12xi32>
    %w5 = arith.addi %w4, %sums : vector<6x12xi32>

    // Constants: of each thread another element; bits.
    %columns = arith.constant {carousel.layout = #carousel.layout<lane = [[1], [2], [4], [8], [0]], warp = [[0]]>} dense<[2, 7, 1, 8, 2, 8, 1, 8, 2, 8, 4, 5]> : vector<12xi32>
    %all = vector.broadcast %columns : vector<12xi32> to vector<6x12xi32>
    %odd = arith.constant dense<[true, false, true, false, true, true, false, false, false, true, true, false]> : vector<12xi1>
    %allOdd = vector.broadcast %odd : vector<12xi1> to vector<6x12xi1>
    %w6 = arith.select %allOdd, %all, %w5 : vector<6x12xi1>, vector<6x12xi32>
    vector.transfer_write %w6, %y[%c0, %c0] : vector<6x12xi32>, !m
    gpu.return
  }

  // Parts at multiples of their extents, of which threads have no registers of their own: the whole vector in the layout of
  // the part would take 1024 of a thread.
  gpu.func @aligned(%x: !m {carousel.argument = #carousel.argument<"x", in>}, %y: !m {carousel.argument = #carousel.argument<"y", out>})
      kernel attributes {carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %ones = arith.constant dense<1> : vector<8xi32>
    %v = vector.transfer_read %x[%c0, %c0], %zero : !m, vector<100x32xi32>
    %w = vector.insert_strided_slice %ones, %v {offsets = [72, 24], strides = [1]} : vector<8xi32> into vector<100x32xi32>
    %part = vector.extract_strided_slice %w {offsets = [68, 16], sizes = [4, 16], strides = [1, 1]} : vector<100x32xi32> to vector<4x16xi32>
    %u = vector.insert_strided_slice %part, %w {offsets = [8, 0], strides = [1, 1]} : vector<4x16xi32> into vector<100x32xi32>
    vector.transfer_write %u, %y[%c0, %c0] : vector<100x32xi32>, !m
    gpu.return
  }

  // Three rounds of Philox4x32, several programs in a CTA. The carry of an addition shows a third op of two results.
  gpu.func @philox(%seed: !m {carousel.argument = #carousel.argument<"seed", in>}, %y: !m {carousel.argument = #carousel.argument<"y", out>})
      kernel attributes {carousel.block_program = #carousel.block_program<programs = 4>, carousel.launch = #carousel.launch<grid = [extent(1, 0)], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %block = gpu.block_id x
    %key0 = memref.load %seed[%block, %c0] : !m
    %key1 = memref.load %seed[%block, %c1] : !m
    %k0 = vector.broadcast %key0 : i32 to vector<64xi32>
    %k1 = vector.broadcast %key1 : i32 to vector<64xi32>
    %m0 = arith.constant dense<0xD2511F53> : vector<64xi32>
    %m1 = arith.constant dense<0xCD9E8D57> : vector<64xi32>
    %w0 = arith.constant dense<0x9E3779B9> : vector<64xi32>
    %w1 = arith.constant dense<0xBB67AE85> : vector<64xi32>
    %zeros = arith.constant dense<0> : vector<64xi32>
    %steps = vector.step : vector<64xindex>
    %counter = arith.index_cast %steps : vector<64xindex> to vector<64xi32>
    %r:6 = scf.for %round = %c0 to %c3 step %c1 iter_args(%a = %counter, %b = %zeros, %c = %zeros, %d = %zeros, %s0 = %k0, %s1 = %k1)
        -> (vector<64xi32>, vector<64xi32>, vector<64xi32>, vector<64xi32>, vector<64xi32>, vector<64xi32>) {
      %low0, %high0 = arith.mului_extended %a, %m0 : vector<64xi32>
      %low1, %high1 = arith.mului_extended %c, %m1 : vector<64xi32>
      %x0 = arith.xori %high1, %b : vector<64xi32>
      %a1 = arith.xori %x0, %s0 : vector<64xi32>
      %x1 = arith.xori %high0, %d : vector<64xi32>
      %c1st = arith.xori %x1, %s1 : vector<64xi32>
      %t0 = arith.addi %s0, %w0 : vector<64xi32>
      %t1 = arith.addi %s1, %w1 : vector<64xi32>
      scf.yield %a1, %low1, %c1st, %low0, %t0, %t1 : vector<64xi32>, vector<64xi32>, vector<64xi32>, vector<64xi32>, vector<64xi32>, vector<64xi32>
    }
    %sum, %carry = arith.addui_extended %r#0, %r#1 : vector<64xi32>, vector<64xi1>
    %low, %high = arith.mulsi_extended %r#2, %r#3 : vector<64xi32>
    %one = arith.xori %low, %high : vector<64xi32>
    %two = arith.select %carry, %one, %sum : vector<64xi1>, vector<64xi32>
    vector.transfer_write %two, %y[%block, %c0] : vector<64xi32>, !m
    gpu.return
  }
}
