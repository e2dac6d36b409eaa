// tensor.load with swizzles: the 16-byte chunks of a tile are permuted by bits of their shared
// address; what a kernel reads at the permuted place is the tensor.
// RUN: carousel-sim %s --kernel @b128 --arg x=iota:8x32 --arg y=empty:8x32 --expect y=iota:8x32 --schedules 8
// RUN: carousel-sim %s --kernel @b64 --arg x=iota:16x16 --arg y=empty:16x16 --expect y=iota:16x16 --schedules 8
// RUN: carousel-sim %s --kernel @b32 --arg x=iota:32x8 --arg y=empty:32x8 --expect y=iota:32x8 --schedules 8
// RUN: carousel-sim %s --kernel @atom_32b --chip sm_100a --arg x=iota:8x32 --arg y=empty:8x32 --expect y=iota:8x32 --schedules 8

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!bar = memref<1x!carousel.mbarrier, #ws>
!flat = memref<256xf32, #ws>
!y128 = memref<8x32xf32, #gl>
!y64 = memref<16x16xf32, #gl>
!y32 = memref<32x8xf32, #gl>
!map128 = !carousel.tensor_map<8x32xf32, swizzle = b128>
!map64 = !carousel.tensor_map<16x16xf32, swizzle = b64>
!map32 = !carousel.tensor_map<32x8xf32, swizzle = b32>
!atom = !carousel.tensor_map<8x32xf32, swizzle = b128_atom_32b>

gpu.module @m {
  // Rows of 128 bytes: chunk c of row r lies at c ^ (r mod 8).
  gpu.func @b128(%x: !y128 {carousel.argument = #carousel.argument<"x", in>},
               %y: !y128 {carousel.argument = #carousel.argument<"y", out>},
               %map: !map128 {carousel.encode = #carousel.encode<argument = 0>})
      workgroup(%bar: !bar, %tile: !flat {llvm.align = 1024 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [32, 8]>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %columns = arith.constant 32 : index
    %zero = arith.constant 0 : i32
    %phase0 = arith.constant false
    %column = gpu.thread_id x
    %row = gpu.thread_id y
    %both = arith.addi %row, %column : index
    %first = arith.cmpi eq, %both, %c0 : index
    scf.if %first {
      carousel.mbarrier.init %bar[%c0], 1 : !bar
      carousel.fence.mbarrier_init
      carousel.mbarrier.arrive_expect_tx %bar[%c0], 1024 : !bar
      carousel.tensor.load %map[%zero, %zero] to %tile[%c0] signals %bar[%c0]
          : !map128, !flat, !bar
    }
    gpu.barrier
    carousel.mbarrier.wait %bar[%c0] parity %phase0 : !bar
    %chunk = arith.divui %column, %c4 : index
    %place = arith.xori %chunk, %row : index
    %begin = arith.muli %row, %columns : index
    %part = arith.muli %place, %c4 : index
    %within = arith.remui %column, %c4 : index
    %chunk_at = arith.addi %begin, %part : index
    %at = arith.addi %chunk_at, %within : index
    %v = memref.load %tile[%at] : !flat
    memref.store %v, %y[%row, %column] : !y128
    gpu.return
  }

  // Rows of 64 bytes: chunk c of row r lies at c ^ (r / 2 mod 4).
  gpu.func @b64(%x: !y64 {carousel.argument = #carousel.argument<"x", in>},
               %y: !y64 {carousel.argument = #carousel.argument<"y", out>},
               %map: !map64 {carousel.encode = #carousel.encode<argument = 0>})
      workgroup(%bar: !bar, %tile: !flat {llvm.align = 512 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [16, 16]>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %columns = arith.constant 16 : index
    %zero = arith.constant 0 : i32
    %phase0 = arith.constant false
    %column = gpu.thread_id x
    %row = gpu.thread_id y
    %both = arith.addi %row, %column : index
    %first = arith.cmpi eq, %both, %c0 : index
    scf.if %first {
      carousel.mbarrier.init %bar[%c0], 1 : !bar
      carousel.fence.mbarrier_init
      carousel.mbarrier.arrive_expect_tx %bar[%c0], 1024 : !bar
      carousel.tensor.load %map[%zero, %zero] to %tile[%c0] signals %bar[%c0]
          : !map64, !flat, !bar
    }
    gpu.barrier
    carousel.mbarrier.wait %bar[%c0] parity %phase0 : !bar
    %c2 = arith.constant 2 : index
    %chunk = arith.divui %column, %c4 : index
    %pair = arith.divui %row, %c2 : index
    %bits = arith.remui %pair, %c4 : index
    %place = arith.xori %chunk, %bits : index
    %begin = arith.muli %row, %columns : index
    %part = arith.muli %place, %c4 : index
    %within = arith.remui %column, %c4 : index
    %chunk_at = arith.addi %begin, %part : index
    %at = arith.addi %chunk_at, %within : index
    %v = memref.load %tile[%at] : !flat
    memref.store %v, %y[%row, %column] : !y64
    gpu.return
  }

  // Rows of 32 bytes: chunk c of row r lies at c ^ (r / 4 mod 2).
  gpu.func @b32(%x: !y32 {carousel.argument = #carousel.argument<"x", in>},
               %y: !y32 {carousel.argument = #carousel.argument<"y", out>},
               %map: !map32 {carousel.encode = #carousel.encode<argument = 0>})
      workgroup(%bar: !bar, %tile: !flat {llvm.align = 256 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [8, 32]>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %columns = arith.constant 8 : index
    %zero = arith.constant 0 : i32
    %phase0 = arith.constant false
    %column = gpu.thread_id x
    %row = gpu.thread_id y
    %both = arith.addi %row, %column : index
    %first = arith.cmpi eq, %both, %c0 : index
    scf.if %first {
      carousel.mbarrier.init %bar[%c0], 1 : !bar
      carousel.fence.mbarrier_init
      carousel.mbarrier.arrive_expect_tx %bar[%c0], 1024 : !bar
      carousel.tensor.load %map[%zero, %zero] to %tile[%c0] signals %bar[%c0]
          : !map32, !flat, !bar
    }
    gpu.barrier
    carousel.mbarrier.wait %bar[%c0] parity %phase0 : !bar
    %c2 = arith.constant 2 : index
    %chunk = arith.divui %column, %c4 : index
    %quad = arith.divui %row, %c4 : index
    %bit = arith.remui %quad, %c2 : index
    %place = arith.xori %chunk, %bit : index
    %begin = arith.muli %row, %columns : index
    %part = arith.muli %place, %c4 : index
    %within = arith.remui %column, %c4 : index
    %chunk_at = arith.addi %begin, %part : index
    %at = arith.addi %chunk_at, %within : index
    %v = memref.load %tile[%at] : !flat
    memref.store %v, %y[%row, %column] : !y32
    gpu.return
  }

  // Pairs of chunks stay together: pair p of row r lies at p ^ (r mod 4).
  gpu.func @atom_32b(%x: !y128 {carousel.argument = #carousel.argument<"x", in>},
               %y: !y128 {carousel.argument = #carousel.argument<"y", out>},
               %map: !atom {carousel.encode = #carousel.encode<argument = 0>})
      workgroup(%bar: !bar, %tile: !flat {llvm.align = 1024 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [32, 8]>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %columns = arith.constant 32 : index
    %zero = arith.constant 0 : i32
    %phase0 = arith.constant false
    %column = gpu.thread_id x
    %row = gpu.thread_id y
    %both = arith.addi %row, %column : index
    %first = arith.cmpi eq, %both, %c0 : index
    scf.if %first {
      carousel.mbarrier.init %bar[%c0], 1 : !bar
      carousel.fence.mbarrier_init
      carousel.mbarrier.arrive_expect_tx %bar[%c0], 1024 : !bar
      carousel.tensor.load %map[%zero, %zero] to %tile[%c0] signals %bar[%c0]
          : !atom, !flat, !bar
    }
    gpu.barrier
    carousel.mbarrier.wait %bar[%c0] parity %phase0 : !bar
    %c2 = arith.constant 2 : index
    %chunk = arith.divui %column, %c4 : index
    %bits = arith.remui %row, %c4 : index
    %flip = arith.muli %bits, %c2 : index
    %place = arith.xori %chunk, %flip : index
    %begin = arith.muli %row, %columns : index
    %part = arith.muli %place, %c4 : index
    %within = arith.remui %column, %c4 : index
    %chunk_at = arith.addi %begin, %part : index
    %at = arith.addi %chunk_at, %within : index
    %v = memref.load %tile[%at] : !flat
    memref.store %v, %y[%row, %column] : !y128
    gpu.return
  }
}
