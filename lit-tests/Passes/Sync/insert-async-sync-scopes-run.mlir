// Warps and warpgroups that hand over to each other, or to the CTA, what their transfers brought or took: the same bytes at
// the tile phase and lowered, and no finding. Without what the pass inserts there are findings.
// DEFINE: %{K} =
// DEFINE: %{Y} =
// DEFINE: %{ARGS} =
// DEFINE: %{tile} = carousel-sim %s --kernel @%{K} %{ARGS} --out %{Y}=%t.npy --quiet
// DEFINE: %{lowered} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered %s -- --kernel @%{K} %{ARGS} --expect %{Y}=%t.npy --policy all --schedules 1
// DEFINE: %{undrained} = carousel-sim %t.undrained --kernel @%{K}_tma %{ARGS} --policy all --schedules 1 --expect-finding engine-race --allow-finding in-flight
// DEFINE: %{unmet} = carousel-sim %t.unmet --kernel @%{K}_tma %{ARGS} --policy all --schedules 1 --expect-finding engine-race --allow-finding unwritten-read
// DEFINE: %{ring} = carousel-attach-target{chip=sm_90a},carousel-select-engine,carousel-circular-buffer,canonicalize,cse,carousel-insert-async-sync,carousel-verify-ring
// DEFINE: %{machine} = carousel-lower-rings,carousel-allocate-shared,canonicalize,cse,carousel-verify-chip,carousel-verify-machine
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(%{ring}))' -o %t.ring
// RUN: sed '/carousel.ring.wait_stores/d' %t.ring | carousel-opt --pass-pipeline='builtin.module(gpu.module(%{machine}))' -o %t.undrained
// RUN: sed '/carousel.ring.sync/d' %t.ring | carousel-opt --pass-pipeline='builtin.module(gpu.module(%{machine}))' -o %t.unmet
//
// REDEFINE: %{K} = other_warp_loads
// REDEFINE: %{Y} = z
// REDEFINE: %{ARGS} = --arg x=random:512 --arg y=zeros:512 --arg z=like:x
// RUN: %{tile}
// RUN: %{lowered}
// RUN: %{undrained}
//
// REDEFINE: %{K} = other_warp_refills
// REDEFINE: %{Y} = z
// REDEFINE: %{ARGS} = --arg x=random:512 --arg y=zeros:512 --arg z=like:x
// RUN: %{tile}
// RUN: %{lowered}
// RUN: %{undrained}
//
// REDEFINE: %{K} = other_warp_writes
// REDEFINE: %{Y} = z
// REDEFINE: %{ARGS} = --arg x=random:512 --arg y=zeros:512 --arg z=like:x
// RUN: %{tile}
// RUN: %{lowered}
// RUN: %{undrained}
//
// REDEFINE: %{K} = other_warp_stores
// REDEFINE: %{Y} = y
// REDEFINE: %{ARGS} = --arg x=random:2048 --arg y=like:x
// RUN: %{tile}
// RUN: %{lowered}
// RUN: %{undrained}
//
// REDEFINE: %{K} = other_warpgroup_loads
// REDEFINE: %{Y} = z
// REDEFINE: %{ARGS} = --arg x=random:512 --arg y=zeros:512 --arg z=like:x
// RUN: %{tile}
// RUN: %{lowered}
// RUN: %{undrained}
//
// REDEFINE: %{K} = cta_stores
// REDEFINE: %{Y} = y
// REDEFINE: %{ARGS} = --arg x=random:512 --arg y=like:x
// RUN: %{tile}
// RUN: %{lowered}
// RUN: %{unmet}
//
// REDEFINE: %{K} = cta_loads
// REDEFINE: %{Y} = y
// REDEFINE: %{ARGS} = --arg x=random:512 --arg w=random:512:1 --arg y=like:x
// RUN: %{tile}
// RUN: %{lowered}
// RUN: %{unmet}

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!v = memref<?xf32, #gl>
!t = memref<256xf32, #ws>
!part = memref<256xf32, strided<[1], offset: ?>, #ws>

gpu.module @kernels {
  // A warp loads the box that another one has stored.
  gpu.func @other_warp_loads(
      %x: !v {carousel.argument = #carousel.argument<"x", in>},
      %y: !v {carousel.argument = #carousel.argument<"y", inout>},
      %z: !v {carousel.argument = #carousel.argument<"z", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c256 = arith.constant 256 : index
    %thread = gpu.thread_id x
    %buffer = memref.alloc() : memref<2x256xf32, #ws>
    %second = memref.alloc() : memref<2x256xf32, #ws>
    %warp = arith.divui %thread, %c32 : index
    %in = memref.subview %buffer[%warp, 0] [1, 256] [1, 1] : memref<2x256xf32, #ws> to !part
    %out = memref.subview %second[%warp, 0] [1, 256] [1, 1] : memref<2x256xf32, #ws> to !part
    %here = arith.muli %warp, %c256 : index
    %other = arith.subi %c1, %warp : index
    %there = arith.muli %other, %c256 : index
    carousel.load %x[%here] to %in scope(warp) : !v, !part
    carousel.store %in to %y[%here] scope(warp) : !part, !v
    gpu.barrier
    carousel.load %y[%there] to %out scope(warp) : !v, !part
    carousel.store %out to %z[%there] scope(warp) : !part, !v
    gpu.return
  }

  // A warp loads to the tile that another one has stored.
  gpu.func @other_warp_refills(
      %x: !v {carousel.argument = #carousel.argument<"x", in>},
      %y: !v {carousel.argument = #carousel.argument<"y", inout>},
      %z: !v {carousel.argument = #carousel.argument<"z", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c256 = arith.constant 256 : index
    %thread = gpu.thread_id x
    %buffer = memref.alloc() : memref<2x256xf32, #ws>
    %warp = arith.divui %thread, %c32 : index
    %in = memref.subview %buffer[%warp, 0] [1, 256] [1, 1] : memref<2x256xf32, #ws> to !part
    %here = arith.muli %warp, %c256 : index
    %other = arith.subi %c1, %warp : index
    %others = memref.subview %buffer[%other, 0] [1, 256] [1, 1] : memref<2x256xf32, #ws> to !part
    %there = arith.muli %other, %c256 : index
    carousel.load %x[%here] to %in scope(warp) : !v, !part
    carousel.store %in to %y[%here] scope(warp) : !part, !v
    gpu.barrier
    carousel.load %x[%here] to %others scope(warp) : !v, !part
    carousel.store %others to %z[%there] scope(warp) : !part, !v
    gpu.return
  }

  // The threads of a warp write to the tile that another one has stored; a barrier of the warp alone comes last.
  gpu.func @other_warp_writes(
      %x: !v {carousel.argument = #carousel.argument<"x", in>},
      %y: !v {carousel.argument = #carousel.argument<"y", inout>},
      %z: !v {carousel.argument = #carousel.argument<"z", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c256 = arith.constant 256 : index
    %f1 = arith.constant 1.0 : f32
    %thread = gpu.thread_id x
    %buffer = memref.alloc() : memref<2x256xf32, #ws>
    %warp = arith.divui %thread, %c32 : index
    %lane = arith.remui %thread, %c32 : index
    %in = memref.subview %buffer[%warp, 0] [1, 256] [1, 1] : memref<2x256xf32, #ws> to !part
    %here = arith.muli %warp, %c256 : index
    %other = arith.subi %c1, %warp : index
    %others = memref.subview %buffer[%other, 0] [1, 256] [1, 1] : memref<2x256xf32, #ws> to !part
    %there = arith.muli %other, %c256 : index
    carousel.load %x[%here] to %in scope(warp) : !v, !part
    carousel.store %in to %y[%here] scope(warp) : !part, !v
    gpu.barrier
    carousel.barrier.warp
    scf.for %j = %lane to %c256 step %c32 {
      memref.store %f1, %others[%j] : !part
    }
    carousel.store %others to %z[%there] scope(warp) : !part, !v
    gpu.return
  }

  // One warp loads all tiles, another one stores them.
  gpu.func @other_warp_stores(
      %x: !v {carousel.argument = #carousel.argument<"x", in>},
      %y: !v {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c256 = arith.constant 256 : index
    %c2048 = arith.constant 2048 : index
    %thread = gpu.thread_id x
    %in = memref.alloc() : !t
    %warp = arith.divui %thread, %c32 : index
    %w0 = arith.cmpi eq, %warp, %c0 : index
    %w1 = arith.cmpi eq, %warp, %c1 : index
    scf.for %i = %c0 to %c2048 step %c256 {
      scf.if %w0 {
        carousel.load %x[%i] to %in scope(warp) : !v, !t
      }
      gpu.barrier
      scf.if %w1 {
        carousel.store %in to %y[%i] scope(warp) : !t, !v
      }
      gpu.barrier
    }
    gpu.return
  }

  // A warpgroup loads the box that another one has stored.
  gpu.func @other_warpgroup_loads(
      %x: !v {carousel.argument = #carousel.argument<"x", in>},
      %y: !v {carousel.argument = #carousel.argument<"y", inout>},
      %z: !v {carousel.argument = #carousel.argument<"z", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [256]>} {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    %c256 = arith.constant 256 : index
    %thread = gpu.thread_id x
    %buffer = memref.alloc() : memref<2x256xf32, #ws>
    %second = memref.alloc() : memref<2x256xf32, #ws>
    %group = arith.divui %thread, %c128 : index
    %in = memref.subview %buffer[%group, 0] [1, 256] [1, 1] : memref<2x256xf32, #ws> to !part
    %out = memref.subview %second[%group, 0] [1, 256] [1, 1] : memref<2x256xf32, #ws> to !part
    %here = arith.muli %group, %c256 : index
    %other = arith.subi %c1, %group : index
    %there = arith.muli %other, %c256 : index
    carousel.load %x[%here] to %in scope(warpgroup) : !v, !part
    carousel.store %in to %y[%here] scope(warpgroup) : !part, !v
    gpu.barrier
    carousel.load %y[%there] to %out scope(warpgroup) : !v, !part
    carousel.store %out to %z[%there] scope(warpgroup) : !part, !v
    gpu.return
  }

  // Each warp loads its half of a tile that the CTA stores.
  gpu.func @cta_stores(
      %x: !v {carousel.argument = #carousel.argument<"x", in>},
      %y: !v {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c256 = arith.constant 256 : index
    %thread = gpu.thread_id x
    %buffer = memref.alloc() : memref<512xf32, #ws>
    %warp = arith.divui %thread, %c32 : index
    %here = arith.muli %warp, %c256 : index
    %in = memref.subview %buffer[%here] [256] [1] : memref<512xf32, #ws> to !part
    carousel.load %x[%here] to %in scope(warp) : !v, !part
    carousel.store %buffer to %y[%c0] : memref<512xf32, #ws>, !v
    gpu.return
  }

  // Each warp loads its half of a tile, and then the CTA all of it.
  gpu.func @cta_loads(
      %x: !v {carousel.argument = #carousel.argument<"x", in>},
      %w: !v {carousel.argument = #carousel.argument<"w", in>},
      %y: !v {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c256 = arith.constant 256 : index
    %thread = gpu.thread_id x
    %buffer = memref.alloc() : memref<512xf32, #ws>
    %warp = arith.divui %thread, %c32 : index
    %here = arith.muli %warp, %c256 : index
    %in = memref.subview %buffer[%here] [256] [1] : memref<512xf32, #ws> to !part
    carousel.load %x[%here] to %in scope(warp) : !v, !part
    carousel.load %w[%c0] to %buffer : !v, memref<512xf32, #ws>
    carousel.store %buffer to %y[%c0] : memref<512xf32, #ws>, !v
    gpu.return
  }
}
