// Products: each value of registers is used once.
// Wrong: a wait returns the sums of the first product, which the second one has changed.
// RUN: carousel-sim %s --kernel @right --arg x=zeros:8x64 --arg y=empty:128x4 --expect y=zeros:128x4 --policy all --schedules 3
// RUN: carousel-sim %s --kernel @wrong --arg x=zeros:8x64 --arg y=empty:128x4 --expect-finding registers-in-flight --policy all --schedules 3

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!x = memref<8x64xbf16, #gl>
!y = memref<128x4xf32, #gl>
!a = memref<64x64xbf16, #ws>
!b = memref<8x64xbf16, #ws>
!barrier = memref<!carousel.mbarrier, #ws>
!matrix = !carousel.matrix_descriptor<bf16, k>
!sums = vector<1x2x2xf32>
!registers = !carousel.wgmma_registers<!sums>

gpu.module @twins {
  gpu.func @right(%x: !x {carousel.argument = #carousel.argument<"x", in>},
      %y: !y {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%a: !a {llvm.align = 1024 : i64}, %b: !b {llvm.align = 1024 : i64}, %full: !barrier) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %false = arith.constant false
    %thread = gpu.thread_id x
    %is_first = arith.cmpi eq, %thread, %c0 : index
    %zeros_a = arith.constant dense<0.0> : vector<32xbf16>
    %row_a = arith.divui %thread, %c2 : index
    %half = arith.remui %thread, %c2 : index
    %column_a = arith.muli %half, %c32 : index
    vector.store %zeros_a, %a[%row_a, %column_a] : !a, vector<32xbf16>
    %zeros_b = arith.constant dense<0.0> : vector<4xbf16>
    %row_b = arith.divui %thread, %c16 : index
    %piece = arith.remui %thread, %c16 : index
    %column_b = arith.muli %piece, %c4 : index
    vector.store %zeros_b, %b[%row_b, %column_b] : !b, vector<4xbf16>
    carousel.fence.proxy async_shared_cta
    gpu.barrier
    %da = carousel.wgmma.descriptor %a[%c0, %c0] swizzle(b128) : !a to !matrix
    %db = carousel.wgmma.descriptor %b[%c0, %c0] swizzle(b128) : !b to !matrix
    %start = arith.constant dense<0.0> : !sums
    %sums = carousel.wgmma.fence(%start) : !sums
    %one = carousel.wgmma.mma %da, %db, %sums : !matrix, !matrix, !registers
    %two = carousel.wgmma.mma %da, %db, %one : !matrix, !matrix, !registers
    carousel.wgmma.commit
    %product = carousel.wgmma.wait 0, %two : !registers
    %row = vector.shape_cast %product : !sums to vector<4xf32>
    vector.store %row, %y[%thread, %c0] : !y, vector<4xf32>
    gpu.return
  }

  gpu.func @wrong(%x: !x {carousel.argument = #carousel.argument<"x", in>},
      %y: !y {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%a: !a {llvm.align = 1024 : i64}, %b: !b {llvm.align = 1024 : i64}, %full: !barrier) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %false = arith.constant false
    %thread = gpu.thread_id x
    %is_first = arith.cmpi eq, %thread, %c0 : index
    %zeros_a = arith.constant dense<0.0> : vector<32xbf16>
    %row_a = arith.divui %thread, %c2 : index
    %half = arith.remui %thread, %c2 : index
    %column_a = arith.muli %half, %c32 : index
    vector.store %zeros_a, %a[%row_a, %column_a] : !a, vector<32xbf16>
    %zeros_b = arith.constant dense<0.0> : vector<4xbf16>
    %row_b = arith.divui %thread, %c16 : index
    %piece = arith.remui %thread, %c16 : index
    %column_b = arith.muli %piece, %c4 : index
    vector.store %zeros_b, %b[%row_b, %column_b] : !b, vector<4xbf16>
    carousel.fence.proxy async_shared_cta
    gpu.barrier
    %da = carousel.wgmma.descriptor %a[%c0, %c0] swizzle(b128) : !a to !matrix
    %db = carousel.wgmma.descriptor %b[%c0, %c0] swizzle(b128) : !b to !matrix
    %start = arith.constant dense<0.0> : !sums
    %sums = carousel.wgmma.fence(%start) : !sums
    %one = carousel.wgmma.mma %da, %db, %sums : !matrix, !matrix, !registers
    %two = carousel.wgmma.mma %da, %db, %one : !matrix, !matrix, !registers
    carousel.wgmma.commit
    %product = carousel.wgmma.wait 0, %one : !registers
    %row = vector.shape_cast %product : !sums to vector<4xf32>
    vector.store %row, %y[%thread, %c0] : !y, vector<4xf32>
    gpu.return
  }
}
