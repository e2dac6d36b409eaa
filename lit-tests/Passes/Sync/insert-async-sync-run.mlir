// Kernels of the tile phase, where transfers behave as if they were synchronous, and what they are lowered to give
// the same bytes on the simulated machine, and no finding. Without what the pass inserts there are findings.
// DEFINE: %{ring} = carousel-attach-target{chip=sm_90a},carousel-select-engine,carousel-circular-buffer,canonicalize,cse
// DEFINE: %{machine} = carousel-lower-rings,carousel-allocate-shared,canonicalize,cse,carousel-verify-chip,carousel-verify-machine
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(%{ring},carousel-insert-async-sync,carousel-verify-ring))' -o %t.ring
// RUN: carousel-opt %t.ring --pass-pipeline='builtin.module(gpu.module(carousel-insert-async-sync))' -o %t.again
// RUN: diff %t.ring %t.again
// RUN: carousel-opt %t.ring --pass-pipeline='builtin.module(gpu.module(%{machine}))' -o %t.right
// RUN: sed '/carousel.fence.proxy/d' %t.ring | carousel-opt --pass-pipeline='builtin.module(gpu.module(%{machine}))' -o %t.unfenced
// RUN: sed '/carousel.ring.wait_stores/d' %t.ring | carousel-opt --pass-pipeline='builtin.module(gpu.module(%{machine}))' -o %t.undrained
// RUN: sed '/carousel.ring.sync/d' %t.ring | carousel-opt --pass-pipeline='builtin.module(gpu.module(%{machine}))' -o %t.unmet
//
// RUN: carousel-sim %s --kernel @rotate --arg x=random:1024 --arg y=empty:1024 --out y=%t.rotate.npy --quiet
// RUN: carousel-sim %t.right --kernel @rotate --arg x=random:1024 --arg y=empty:1024 --expect y=%t.rotate.npy --policy all --schedules 2
// RUN: carousel-sim %t.unfenced --kernel @rotate --arg x=random:1024 --arg y=empty:1024 --expect-finding missing-proxy-fence --policy all --schedules 2
// RUN: carousel-sim %t.undrained --kernel @rotate --arg x=random:1024 --arg y=empty:1024 --expect-finding engine-race --allow-finding in-flight --policy all --schedules 2
// RUN: carousel-sim %t.unmet --kernel @rotate --arg x=random:1024 --arg y=empty:1024 --expect-finding engine-race --allow-finding unwritten-read --allow-finding missed-phase --allow-finding deadlock --policy all --schedules 2
//
// RUN: carousel-sim %s --kernel @running_sum --arg y=random:2048 --out y=%t.running.npy --quiet
// RUN: carousel-sim %t.right --kernel @running_sum --arg y=random:2048 --expect y=%t.running.npy --policy all --schedules 2
// RUN: carousel-sim %t.undrained --kernel @running_sum --arg y=random:2048 --expect-finding engine-race --allow-finding in-flight --policy all --schedules 2
//
// RUN: carousel-sim %s --kernel @ordinary_and_bulk --arg x=random:512 --arg y=empty:512 --out y=%t.mixed.npy --quiet
// RUN: carousel-sim %t.right --kernel @ordinary_and_bulk --arg x=random:512 --arg y=empty:512 --expect y=%t.mixed.npy --policy all --schedules 2
// RUN: carousel-sim %t.unfenced --kernel @ordinary_and_bulk --arg x=random:512 --arg y=empty:512 --expect-finding missing-proxy-fence --policy all --schedules 2
//
// RUN: carousel-sim %s --kernel @ordered --arg x=random:2048 --arg sum=zeros:256 --arg turns=zeros:1 --out sum=%t.ordered.npy --quiet
// RUN: carousel-sim %t.right --kernel @ordered --arg x=random:2048 --arg sum=zeros:256 --arg turns=zeros:1 --expect sum=%t.ordered.npy --policy all --schedules 4
// RUN: carousel-sim %t.unfenced --kernel @ordered --arg x=random:2048 --arg sum=zeros:256 --arg turns=zeros:1 --expect-finding missing-proxy-fence --policy all --schedules 4
// RUN: carousel-sim %t.undrained --kernel @ordered --arg x=random:2048 --arg sum=zeros:256 --arg turns=zeros:1 --expect-finding release-in-flight --allow-finding engine-race --allow-finding in-flight --policy all --schedules 4
//
// RUN: carousel-sim %s --kernel @warps --arg x=random:4096 --arg y=empty:4096 --out y=%t.warps.npy --quiet
// RUN: carousel-sim %t.right --kernel @warps --arg x=random:4096 --arg y=empty:4096 --expect y=%t.warps.npy --policy all --schedules 2
// RUN: carousel-sim %t.unmet --kernel @warps --arg x=random:4096 --arg y=empty:4096 --expect-finding engine-race --allow-finding unwritten-read --allow-finding missed-phase --allow-finding deadlock --policy all --schedules 2

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!g = memref<?xf32, #gl>
!t = memref<256xf32, #ws>

gpu.module @kernels {
  // Tiles turned by one, without a pipeline; the threads read what others loaded and write what is stored.
  gpu.func @rotate(%x: !g {carousel.argument = #carousel.argument<"x", in>},
                   %y: !g {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c256 = arith.constant 256 : index
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %first = arith.muli %block, %c256 : index
    %step = arith.muli %blocks, %c256 : index
    %n = memref.dim %x, %c0 : !g
    %in = memref.alloc() {alignment = 128 : i64} : !t
    %out = memref.alloc() {alignment = 128 : i64} : !t
    scf.for %i = %first to %n step %step {
      carousel.load %x[%i] to %in engine<bulk> : !g, !t
      scf.for %j = %thread to %c256 step %c64 {
        %next = arith.addi %j, %c1 : index
        %from = arith.remui %next, %c256 : index
        %v = memref.load %in[%from] : !t
        memref.store %v, %out[%j] : !t
      }
      carousel.store %out to %y[%i] engine<bulk> : !t, !g
    }
    gpu.return
  }

  // Each tile adds the one before, which was stored an iteration ago.
  gpu.func @running_sum(%y: !g {carousel.argument = #carousel.argument<"y", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c256 = arith.constant 256 : index
    %thread = gpu.thread_id x
    %n = memref.dim %y, %c0 : !g
    %last = memref.alloc() {alignment = 128 : i64} : !t
    %tile = memref.alloc() {alignment = 128 : i64} : !t
    scf.for %i = %c256 to %n step %c256 {
      %before = arith.subi %i, %c256 : index
      carousel.load %y[%before] to %last engine<bulk> : !g, !t
      carousel.load %y[%i] to %tile engine<bulk> : !g, !t
      scf.for %j = %thread to %c256 step %c64 {
        %v = memref.load %last[%j] : !t
        %w = memref.load %tile[%j] : !t
        %sum = arith.addf %v, %w : f32
        memref.store %sum, %tile[%j] : !t
      }
      carousel.store %tile to %y[%i] engine<bulk> : !t, !g
    }
    gpu.return
  }

  // What threads write to global memory a bulk copy loads; what it stored threads read.
  gpu.func @ordinary_and_bulk(%x: !g {carousel.argument = #carousel.argument<"x", inout>},
                              %y: !g {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [64]>} {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c256 = arith.constant 256 : index
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %first = arith.muli %block, %c256 : index
    %tile = memref.alloc() {alignment = 128 : i64} : !t
    scf.for %j = %thread to %c256 step %c64 {
      %at = arith.addi %first, %j : index
      %v = memref.load %x[%at] : !g
      %w = arith.negf %v : f32
      memref.store %w, %x[%at] : !g
    }
    carousel.load %x[%first] to %tile engine<bulk> : !g, !t
    carousel.store %tile to %y[%first] engine<bulk> : !t, !g
    scf.for %j = %thread to %c256 step %c64 {
      %next = arith.addi %j, %c1 : index
      %other = arith.remui %next, %c256 : index
      %from = arith.addi %first, %other : index
      %at = arith.addi %first, %j : index
      %v = memref.load %y[%from] : !g
      memref.store %v, %x[%at] : !g
    }
    gpu.return
  }

  // CTAs add to one tile in turn.
  gpu.func @ordered(%x: !g {carousel.argument = #carousel.argument<"x", in>},
                    %sum: !g {carousel.argument = #carousel.argument<"sum", inout>},
                    %turns: memref<1xi32, #gl> {carousel.argument = #carousel.argument<"turns", inout>}) kernel
      attributes {carousel.coresident, carousel.launch = #carousel.launch<grid = [8], block = [64]>} {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i32
    %c64 = arith.constant 64 : index
    %c256 = arith.constant 256 : index
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %leads = arith.cmpi eq, %thread, %c0 : index
    %turn = arith.index_cast %block : index to i32
    %next = arith.addi %turn, %one : i32
    %first = arith.muli %block, %c256 : index
    %mine = memref.alloc() {alignment = 128 : i64} : !t
    %tile = memref.alloc() {alignment = 128 : i64} : !t
    carousel.load %x[%first] to %mine engine<bulk> : !g, !t
    scf.if %leads {
      carousel.grid.serial_wait %turns[%c0], %turn : memref<1xi32, #gl>
    }
    carousel.load %sum[%c0] to %tile engine<bulk> : !g, !t
    scf.for %j = %thread to %c256 step %c64 {
      %v = memref.load %mine[%j] : !t
      %w = memref.load %tile[%j] : !t
      %s = arith.addf %v, %w : f32
      memref.store %s, %tile[%j] : !t
    }
    carousel.store %tile to %sum[%c0] in_bounds engine<bulk> : !t, !g
    scf.if %leads {
      carousel.grid.serial_release %turns[%c0], %next : memref<1xi32, #gl>
    }
    gpu.return
  }

  // Each warp turns tiles of its own.
  gpu.func @warps(%x: !g {carousel.argument = #carousel.argument<"x", in>},
                  %y: !g {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c32 = arith.constant 32 : index
    %c256 = arith.constant 256 : index
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %warp = arith.divui %thread, %c32 : index
    %lane = arith.remui %thread, %c32 : index
    %blockwarps = arith.muli %block, %c2 : index
    %worker = arith.addi %blockwarps, %warp : index
    %workers = arith.muli %blocks, %c2 : index
    %first = arith.muli %worker, %c256 : index
    %step = arith.muli %workers, %c256 : index
    %n = memref.dim %x, %c0 : !g
    %ins = memref.alloc() {alignment = 128 : i64} : memref<2x256xf32, #ws>
    %outs = memref.alloc() {alignment = 128 : i64} : memref<2x256xf32, #ws>
    %in = memref.subview %ins[%warp, 0] [1, 256] [1, 1]
      : memref<2x256xf32, #ws> to memref<256xf32, strided<[1], offset: ?>, #ws>
    %out = memref.subview %outs[%warp, 0] [1, 256] [1, 1]
      : memref<2x256xf32, #ws> to memref<256xf32, strided<[1], offset: ?>, #ws>
    scf.for %i = %first to %n step %step {
      carousel.load %x[%i] to %in scope(warp) engine<bulk> : !g, memref<256xf32, strided<[1], offset: ?>, #ws>
      scf.for %j = %lane to %c256 step %c32 {
        %next = arith.addi %j, %c1 : index
        %from = arith.remui %next, %c256 : index
        %v = memref.load %in[%from] : memref<256xf32, strided<[1], offset: ?>, #ws>
        memref.store %v, %out[%j] : memref<256xf32, strided<[1], offset: ?>, #ws>
      }
      carousel.store %out to %y[%i] scope(warp) engine<bulk> : memref<256xf32, strided<[1], offset: ?>, #ws>, !g
    }
    gpu.return
  }
}
