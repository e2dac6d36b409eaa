// wgmma: two warpgroups multiply what a third one's thread loads into a ring of two slots. One group of products stays in
// flight, and a slot is handed back when its products are complete. The first product doesn't read its sums, which are poison.
// RUN: carousel-sim %s --kernel @ring --reference @product --arg a=random:256x320 --arg b=random:128x320:1 --arg y=empty:256x128 --policy all --schedules 2
// The same with one block of k.
// RUN: carousel-sim %s --kernel @ring --reference @product --arg a=random:128x64 --arg b=random:128x64:1 --arg y=empty:128x128 --policy all --schedules 2
// The sums of the first product are read.
// RUN: carousel-sim %s --kernel @poison --arg y=empty:128x4 --expect-finding poison --schedules 4 | FileCheck %s --check-prefix=POISON
// POISON: [poison] expected a stored value that isn't poison, got the poison of 'ub.poison' at
// Poison of a factor in registers goes to its rows only: row 3 is of lanes 12 to 15 of the first warp. These lanes don't
// store it, or do.
// RUN: carousel-sim %s --kernel @poison_factor --arg y=zeros:128x4 --arg kept=16 --expect y=zeros:128x4 --policy all
// RUN: carousel-sim %s --kernel @poison_factor --arg y=zeros:128x4 --arg kept=15 --expect-finding poison --policy all
// RUN: carousel-sim %s --kernel @warpgroup_of_96 --expect-finding invalid-operand --schedules 4 | FileCheck %s --check-prefix=PART
// PART: expected a warpgroup of 128 threads, found one of 96

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!x = memref<?x?xbf16, #gl>
!y = memref<?x128xf32, #gl>
!map = !carousel.tensor_map<128x64xbf16, swizzle = b128>
!slots = memref<2x128x64xbf16, #ws>
!barriers = memref<2x!carousel.mbarrier, #ws>
!matrix = !carousel.matrix_descriptor<bf16, k>
!sums = vector<16x2x2xf32>
!registers = !carousel.wgmma_registers<!sums>
!few = !carousel.wgmma_registers<vector<1x2x2xf32>>

gpu.module @m {
  gpu.func @ring(%a: !x {carousel.argument = #carousel.argument<"a", in>},
                 %b: !x {carousel.argument = #carousel.argument<"b", in>},
                 %y: !y {carousel.argument = #carousel.argument<"y", out>},
                 %a_map: !map {carousel.encode = #carousel.encode<argument = 0>},
                 %b_map: !map {carousel.encode = #carousel.encode<argument = 1>})
      workgroup(%as: !slots {llvm.align = 1024 : i64}, %bs: !slots {llvm.align = 1024 : i64},
                %full: !barriers, %empty: !barriers) kernel
      attributes {carousel.launch = #carousel.launch<grid = [ceildiv(extent(0, 0), 128)], block = [288]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c256 = arith.constant 256 : index
    %zero = arith.constant 0 : i32
    %thread = gpu.thread_id x
    %cta = gpu.block_id x
    %warpgroup = arith.divui %thread, %c128 : index
    %first_row = arith.muli %cta, %c128 : index
    %depth = memref.dim %a, %c1 : !x
    %blocks = arith.ceildivui %depth, %c64 : index
    %is_first = arith.cmpi eq, %thread, %c0 : index
    scf.if %is_first {
      scf.for %slot = %c0 to %c2 step %c1 {
        carousel.mbarrier.init %full[%slot], 1 : !barriers
        carousel.mbarrier.init %empty[%slot], 256 : !barriers
      }
      carousel.fence.mbarrier_init
    }
    gpu.barrier
    %is_consumer = arith.cmpi ult, %thread, %c256 : index
    scf.if %is_consumer {
      %undefined = ub.poison : !sums
      %start = carousel.wgmma.fence(%undefined) : !sums
      %row_of_group = arith.muli %warpgroup, %c64 : index
      %sums = scf.for %k = %c0 to %blocks step %c1 iter_args(%s = %start) -> (!registers) {
        %slot = arith.remui %k, %c2 : index
        %round = arith.divui %k, %c2 : index
        %odd = arith.remui %round, %c2 : index
        %parity = arith.cmpi ne, %odd, %c0 : index
        carousel.mbarrier.wait %full[%slot] parity %parity : !barriers
        carousel.wgmma.fence
        %accumulates = arith.cmpi ne, %k, %c0 : index
        %true = arith.constant true
        %a0 = carousel.wgmma.descriptor %as[%slot, %row_of_group, %c0] swizzle(b128) : !slots to !matrix
        %b0 = carousel.wgmma.descriptor %bs[%slot, %c0, %c0] swizzle(b128) : !slots to !matrix
        %s0 = carousel.wgmma.mma %a0, %b0, %s scale(%accumulates) : !matrix, !matrix, !registers
        %rest = scf.for %p = %c16 to %c64 step %c16 iter_args(%t = %s0) -> (!registers) {
          %ap = carousel.wgmma.descriptor %as[%slot, %row_of_group, %p] swizzle(b128) : !slots to !matrix
          %bp = carousel.wgmma.descriptor %bs[%slot, %c0, %p] swizzle(b128) : !slots to !matrix
          %next = carousel.wgmma.mma %ap, %bp, %t scale(%true) : !matrix, !matrix, !registers
          scf.yield %next : !registers
        }
        carousel.wgmma.commit
        carousel.wgmma.wait 1
        // The products of the block before are complete.
        scf.if %accumulates {
          %before = arith.subi %k, %c1 : index
          %other = arith.remui %before, %c2 : index
          carousel.mbarrier.arrive %empty[%other] : !barriers
        }
        scf.yield %rest : !registers
      }
      %product = carousel.wgmma.wait 0, %sums : !registers
      %lane = arith.remui %thread, %c32 : index
      %warp = arith.divui %thread, %c32 : index
      %in_group = arith.remui %lane, %c4 : index
      %pair = arith.muli %in_group, %c2 : index
      %of_warp = arith.muli %warp, %c16 : index
      %of_lane = arith.divui %lane, %c4 : index
      %in_tile = arith.addi %of_warp, %of_lane : index
      %row = arith.addi %first_row, %in_tile : index
      %below = arith.addi %row, %c8 : index
      scf.for %j = %c0 to %c16 step %c1 {
        %eight = arith.muli %j, %c8 : index
        %column = arith.addi %eight, %pair : index
        %both = vector.extract %product[%j] : vector<2x2xf32> from !sums
        %upper = vector.extract %both[0] : vector<2xf32> from vector<2x2xf32>
        %lower = vector.extract %both[1] : vector<2xf32> from vector<2x2xf32>
        vector.store %upper, %y[%row, %column] : !y, vector<2xf32>
        vector.store %lower, %y[%below, %column] : !y, vector<2xf32>
      }
    } else {
      %is_producer = arith.cmpi eq, %thread, %c256 : index
      scf.if %is_producer {
        %row = arith.index_cast %first_row : index to i32
        scf.for %k = %c0 to %blocks step %c1 {
          %slot = arith.remui %k, %c2 : index
          %round = arith.divui %k, %c2 : index
          %odd = arith.remui %round, %c2 : index
          // Slots begin empty.
          %parity = arith.cmpi eq, %odd, %c0 : index
          carousel.mbarrier.wait %empty[%slot] parity %parity : !barriers
          carousel.mbarrier.arrive_expect_tx %full[%slot], 32768 : !barriers
          %element = arith.muli %k, %c64 : index
          %column = arith.index_cast %element : index to i32
          carousel.tensor.load %a_map[%row, %column] to %as[%slot, %c0, %c0] signals %full[%slot]
              : !map, !slots, !barriers
          carousel.tensor.load %b_map[%zero, %column] to %bs[%slot, %c0, %c0] signals %full[%slot]
              : !map, !slots, !barriers
        }
      }
    }
    gpu.return
  }

  gpu.func @poison(%y: memref<128x4xf32, #gl> {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%tile: memref<64x64xbf16, #ws> {llvm.align = 1024 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c32 = arith.constant 32 : index
    %thread = gpu.thread_id x
    %zeros = arith.constant dense<0.0> : vector<32xbf16>
    %row = arith.divui %thread, %c2 : index
    %half = arith.remui %thread, %c2 : index
    %column = arith.muli %half, %c32 : index
    vector.store %zeros, %tile[%row, %column] : memref<64x64xbf16, #ws>, vector<32xbf16>
    carousel.fence.proxy async_shared_cta
    gpu.barrier
    %undefined = ub.poison : vector<1x2x2xf32>
    %start = carousel.wgmma.fence(%undefined) : vector<1x2x2xf32>
    %d = carousel.wgmma.descriptor %tile[%c0, %c0] swizzle(b128) : memref<64x64xbf16, #ws> to !matrix
    %next = carousel.wgmma.mma %d, %d, %start : !matrix, !matrix, !few
    carousel.wgmma.commit
    %product = carousel.wgmma.wait 0, %next : !few
    %values = vector.shape_cast %product : vector<1x2x2xf32> to vector<4xf32>
    vector.store %values, %y[%thread, %c0] : memref<128x4xf32, #gl>, vector<4xf32>
    gpu.return
  }

  gpu.func @poison_factor(%y: memref<128x4xf32, #gl> {carousel.argument = #carousel.argument<"y", out>},
                          %kept: index {carousel.argument = #carousel.argument<"kept", in>})
      workgroup(%tile: memref<64x64xbf16, #ws> {llvm.align = 1024 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c12 = arith.constant 12 : index
    %c32 = arith.constant 32 : index
    %thread = gpu.thread_id x
    %zeros = arith.constant dense<0.0> : vector<32xbf16>
    %row = arith.divui %thread, %c2 : index
    %half = arith.remui %thread, %c2 : index
    %column = arith.muli %half, %c32 : index
    vector.store %zeros, %tile[%row, %column] : memref<64x64xbf16, #ws>, vector<32xbf16>
    carousel.fence.proxy async_shared_cta
    gpu.barrier
    // Registers 0 and 2 of lane 13 are of row 3.
    %c13 = arith.constant 13 : index
    %is_poison = arith.cmpi eq, %thread, %c13 : index
    %unknown = ub.poison : vector<2xbf16>
    // Upstream folds poison into constants, and reads memory that it doesn't have.
    %zero = memref.load %tile[%c0, %c0] : memref<64x64xbf16, #ws>
    %known = vector.broadcast %zero : bf16 to vector<4x2xbf16>
    %partly = vector.insert %unknown, %known [2] : vector<2xbf16> into vector<4x2xbf16>
    %factor = arith.select %is_poison, %partly, %known : vector<4x2xbf16>
    %start = arith.constant dense<0.0> : vector<1x2x2xf32>
    %s = carousel.wgmma.fence(%start) : vector<1x2x2xf32>
    %f = carousel.wgmma.fence(%factor) : vector<4x2xbf16>
    %d = carousel.wgmma.descriptor %tile[%c0, %c0] swizzle(b128) : memref<64x64xbf16, #ws> to !matrix
    %next = carousel.wgmma.mma %f, %d, %s : !carousel.wgmma_registers<vector<4x2xbf16>>, !matrix, !few
    carousel.wgmma.commit
    carousel.wgmma.wait 0, %f : !carousel.wgmma_registers<vector<4x2xbf16>>
    %product = carousel.wgmma.wait 0, %next : !few
    // The first row of these lanes is poison, the second one isn't.
    %upper = vector.extract %product[0, 0] : vector<2xf32> from vector<1x2x2xf32>
    %lower = vector.extract %product[0, 1] : vector<2xf32> from vector<1x2x2xf32>
    vector.store %lower, %y[%thread, %c2] : memref<128x4xf32, #gl>, vector<2xf32>
    %is_before = arith.cmpi ult, %thread, %c12 : index
    %is_after = arith.cmpi uge, %thread, %kept : index
    %is_known = arith.ori %is_before, %is_after : i1
    scf.if %is_known {
      vector.store %upper, %y[%thread, %c0] : memref<128x4xf32, #gl>, vector<2xf32>
    }
    gpu.return
  }

  gpu.func @warpgroup_of_96() kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [96]>} {
    carousel.wgmma.fence
    gpu.return
  }
}

func.func @product(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %y: memref<?x128xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %rows = memref.dim %a, %c0 : memref<?x?xbf16>
  %depth = memref.dim %a, %c1 : memref<?x?xbf16>
  scf.for %i = %c0 to %rows step %c1 {
    scf.for %j = %c0 to %c128 step %c1 {
      %sum = scf.for %k = %c0 to %depth step %c1 iter_args(%s = %zero) -> (f32) {
        %u = memref.load %a[%i, %k] : memref<?x?xbf16>
        %v = memref.load %b[%j, %k] : memref<?x?xbf16>
        %x = arith.extf %u : bf16 to f32
        %w = arith.extf %v : bf16 to f32
        %next = math.fma %x, %w, %s : f32
        scf.yield %next : f32
      }
      memref.store %sum, %y[%i, %j] : memref<?x128xf32>
    }
  }
  return
}
