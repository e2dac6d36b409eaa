// Views of tiles in a pipelined loop give what the tile phase gives, under all policies: halves of one buffer, reshaped
// tiles, and halves of a warp's slice.
// DEFINE: %{lowered} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered
// DEFINE: %{halves} = --kernel @halves --policy all --arg x=random:200x128:1 --arg y=zeros:200x128 --expect y=random:200x128:1
// DEFINE: %{reshaped} = --kernel @reshaped --policy all --arg x=random:2100:1 --arg y=zeros:2100 --expect y=random:2100:1
// DEFINE: %{slices} = --kernel @slices --policy all --arg x=random:1500:1 --arg y=zeros:1500 --expect y=random:1500:1
// DEFINE: %{in_place} = --kernel @in_place --policy all --arg x=random:2100:1 --arg y=zeros:2100 --expect y=random:2100:1
// RUN: carousel-sim %s %{halves}
// RUN: %{lowered} %s --chip sm_80,sm_90a -- %{halves} --schedules 2
// RUN: carousel-sim %s %{reshaped}
// RUN: %{lowered} %s --chip sm_80,sm_90a -- %{reshaped} --schedules 2
// RUN: carousel-sim %s %{slices}
// RUN: %{lowered} %s --chip sm_80,sm_90a -- %{slices} --schedules 1
// RUN: carousel-sim %s %{in_place}
// RUN: %{lowered} %s --chip sm_80,sm_90a -- %{in_place} --schedules 2
// RUN: sed 's/stages = 3>/stages = 3, mode = specialized>/' %s > %t.mlir
// RUN: %{lowered} %t.mlir --chip sm_80,sm_90a -- %{halves}
// RUN: %{lowered} %t.mlir --chip sm_80,sm_90a -- %{reshaped}
// RUN: %{lowered} %t.mlir --chip sm_80,sm_90a -- %{in_place}
// RUN: sed 's/stages = 3>/stages = 3, prefetch = 2, epilogue = peeled>/' %s > %t.mlir
// RUN: %{lowered} %t.mlir --chip sm_80,sm_90a -- %{halves}
// RUN: %{lowered} %t.mlir --chip sm_80,sm_90a -- %{in_place}

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!m = memref<?x128xf32, #gl>
!t2 = memref<2x16x64xf32, #ws>
!h = memref<16x64xf32, strided<[64, 1]>, #ws>
!h1 = memref<16x64xf32, strided<[64, 1], offset: 1024>, #ws>
!v = memref<?xf32, #gl>
!t = memref<512xf32, #ws>
!rows = memref<4x128xf32, #ws>
!warps = memref<2x2x128xf32, #ws>
!slice = memref<2x128xf32, strided<[128, 1], offset: ?>, #ws>
!part = memref<128xf32, strided<[1], offset: ?>, #ws>
!first = memref<256xf32, strided<[1]>, #ws>
!second = memref<256xf32, strided<[1], offset: 256>, #ws>

gpu.module @kernels {
  // Both halves of each tile are read through the whole buffer; those of the result are stored on their own.
  gpu.func @halves(%x: !m {carousel.argument = #carousel.argument<"x", in>},
                   %y: !m {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %from = arith.muli %block, %c16 : index
    %step = arith.muli %blocks, %c16 : index
    %rows = memref.dim %x, %c0 : !m
    %xs = memref.alloc() {alignment = 128 : i64} : !t2
    %ys = memref.alloc() {alignment = 128 : i64} : !t2
    %h0 = memref.subview %xs[0, 0, 0] [1, 16, 64] [1, 1, 1] : !t2 to !h
    %h1 = memref.subview %xs[1, 0, 0] [1, 16, 64] [1, 1, 1] : !t2 to !h1
    %y0 = memref.subview %ys[0, 0, 0] [1, 16, 64] [1, 1, 1] : !t2 to !h
    %y1 = memref.subview %ys[1, 0, 0] [1, 16, 64] [1, 1, 1] : !t2 to !h1
    scf.for %i = %from to %rows step %step {
      carousel.load %x[%i, %c0] to %h0 : !m, !h
      carousel.load %x[%i, %c64] to %h1 : !m, !h1
      scf.for %r = %c0 to %c16 step %c1 {
        %v = memref.load %xs[%c0, %r, %thread] : !t2
        memref.store %v, %ys[%c0, %r, %thread] : !t2
      }
      carousel.store %y0 to %y[%i, %c0] : !h, !m
      scf.for %r = %c0 to %c16 step %c1 {
        %v = memref.load %xs[%c1, %r, %thread] : !t2
        memref.store %v, %y1[%r, %thread] : !h1
      }
      carousel.store %y1 to %y[%i, %c64] : !h1, !m
    } {carousel.pipeline = #carousel.pipeline<stages = 3>}
    gpu.return
  }

  gpu.func @reshaped(%x: !v {carousel.argument = #carousel.argument<"x", in>},
                     %y: !v {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c64 = arith.constant 64 : index
    %c512 = arith.constant 512 : index
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %from = arith.muli %block, %c512 : index
    %step = arith.muli %blocks, %c512 : index
    %n = memref.dim %x, %c0 : !v
    %in = memref.alloc() {alignment = 128 : i64} : !rows
    %out = memref.alloc() {alignment = 128 : i64} : !t
    %flat = memref.collapse_shape %in [[0, 1]] : !rows into !t
    %second = arith.addi %thread, %c64 : index
    scf.for %i = %from to %n step %step {
      carousel.load %x[%i] to %flat : !v, !t
      %wide = memref.expand_shape %out [[0, 1]] output_shape [4, 128] : !t into !rows
      scf.for %r = %c0 to %c4 step %c1 {
        %row = memref.subview %wide[%r, 0] [1, 128] [1, 1] : !rows to !part
        %v = memref.load %in[%r, %thread] : !rows
        memref.store %v, %row[%thread] : !part
        %w = memref.load %in[%r, %second] : !rows
        memref.store %w, %row[%second] : !part
      }
      carousel.store %out to %y[%i] : !t, !v
    } {carousel.pipeline = #carousel.pipeline<stages = 3>}
    gpu.return
  }

  // Each warp has two rows, which it loads one by one.
  gpu.func @slices(%x: !v {carousel.argument = #carousel.argument<"x", in>},
                   %y: !v {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c32 = arith.constant 32 : index
    %c128 = arith.constant 128 : index
    %c256 = arith.constant 256 : index
    %thread = gpu.thread_id x
    %warp = arith.divui %thread, %c32 : index
    %lane = arith.remui %thread, %c32 : index
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %b = arith.muli %block, %c2 : index
    %unit = arith.addi %b, %warp : index
    %units = arith.muli %blocks, %c2 : index
    %from = arith.muli %unit, %c256 : index
    %step = arith.muli %units, %c256 : index
    %n = memref.dim %x, %c0 : !v
    %in = memref.alloc() {alignment = 128 : i64} : !warps
    %out = memref.alloc() {alignment = 128 : i64} : !warps
    %mine = memref.subview %in[%warp, 0, 0] [1, 2, 128] [1, 1, 1] : !warps to !slice
    %upper = memref.subview %mine[0, 0] [1, 128] [1, 1] : !slice to !part
    %lower = memref.subview %mine[1, 0] [1, 128] [1, 1] : !slice to !part
    %result = memref.subview %out[%warp, 0, 0] [1, 2, 128] [1, 1, 1] : !warps to !slice
    %upper_out = memref.subview %result[0, 0] [1, 128] [1, 1] : !slice to !part
    %lower_out = memref.subview %result[1, 0] [1, 128] [1, 1] : !slice to !part
    scf.for %i = %from to %n step %step {
      %next = arith.addi %i, %c128 : index
      carousel.load %x[%i] to %upper scope(warp) : !v, !part
      carousel.load %x[%next] to %lower scope(warp) : !v, !part
      scf.for %r = %c0 to %c2 step %c1 {
        scf.for %j = %lane to %c128 step %c32 {
          %v = memref.load %mine[%r, %j] : !slice
          memref.store %v, %result[%r, %j] : !slice
        }
      }
      carousel.store %upper_out to %y[%i] scope(warp) : !part, !v
      carousel.store %lower_out to %y[%next] scope(warp) : !part, !v
    } {carousel.pipeline = #carousel.pipeline<stages = 3, scope = warp>}
    gpu.return
  }

  // The halves of a buffer are loaded, and the whole is stored in place.
  gpu.func @in_place(%x: !v {carousel.argument = #carousel.argument<"x", in>},
                     %y: !v {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c256 = arith.constant 256 : index
    %c512 = arith.constant 512 : index
    %zero = arith.constant 0.0 : f32
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %from = arith.muli %block, %c512 : index
    %step = arith.muli %blocks, %c512 : index
    %n = memref.dim %x, %c0 : !v
    %tile = memref.alloc() {alignment = 128 : i64} : !t
    %h0 = memref.subview %tile[0] [256] [1] : !t to !first
    %h1 = memref.subview %tile[256] [256] [1] : !t to !second
    scf.for %i = %from to %n step %step {
      %next = arith.addi %i, %c256 : index
      carousel.load %x[%i] to %h0 : !v, !first
      carousel.load %x[%next] to %h1 : !v, !second
      scf.for %j = %thread to %c512 step %c64 {
        %v = memref.load %tile[%j] : !t
        %w = arith.addf %v, %zero : f32
        memref.store %w, %tile[%j] : !t
      }
      carousel.store %tile to %y[%i] : !t, !v
    } {carousel.pipeline = #carousel.pipeline<stages = 3>}
    gpu.return
  }
}
