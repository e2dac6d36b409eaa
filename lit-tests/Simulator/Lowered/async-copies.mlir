// Double-buffered asynchronous copies of nvgpu, as other compilers make them: raised as a whole, in part or not at all, a
// kernel gives the same bytes at the tile phase, at the machine phase of each chip, and goes on to PTX and CUDA C++.
// DEFINE: %{sim} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered %s -- --schedules 4 --policy all
// RUN: carousel-sim %s --kernel @carried --arg x=random:2000 --arg y=like:x --expect y=random:2000 --schedules 4 --policy all
// RUN: carousel-sim %s --kernel @counted --arg x=random:2000 --arg y=like:x --expect y=random:2000 --schedules 4 --policy all
// RUN: %{sim} --kernel @carried --arg x=random:2000 --arg y=like:x --expect y=random:2000
// RUN: %{sim} --kernel @counted --arg x=random:2000 --arg y=like:x --expect y=random:2000

// RUN: carousel-opt %s --carousel-lower=chip=sm_90a | FileCheck %s --check-prefix=LOWERED
// RUN: carousel-translate --mlir-to-ptx --chip=sm_80 %s | FileCheck %s --check-prefix=PTX
// RUN: carousel-translate --mlir-to-cuda --chip=sm_90a --cuda-locations=0 %s | FileCheck %s --check-prefix=CUDA

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!v = memref<?xf32, #gl>
!t = memref<2x512xf32, #ws>

gpu.module @async {
  // The token of a tile goes to the iteration that waits for it: nothing is raised.
  // LOWERED-LABEL: gpu.func @carried
  // LOWERED-COUNT-2: carousel.cp_async.copy ca
  // LOWERED: carousel.cp_async.wait_group 1
  // PTX: cp.async.ca.shared.global
  // PTX: cp.async.commit_group
  // PTX: cp.async.wait_group 1
  // CUDA-LABEL: carried(float
  // CUDA: carousel::cp_async_commit_group()
  // CUDA: carousel::cp_async_wait_group<1>()
  gpu.func @carried(%x: !v {carousel.argument = #carousel.argument<"x", in>}, %y: !v {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c512 = arith.constant 512 : index
    %thread = gpu.thread_id x
    %mine = arith.muli %thread, %c4 : index
    %n = memref.dim %x, %c0 : !v
    %tiles = memref.alloc() {alignment = 128 : i64} : !t
    %left0 = arith.subi %n, %mine : index
    %some0 = arith.maxsi %left0, %c0 : index
    %valid0 = arith.minsi %some0, %c4 : index
    %at0 = arith.minsi %mine, %n : index
    %copied0 = nvgpu.device_async_copy %x[%at0], %tiles[%c0, %mine], 4, %valid0 : !v to !t
    %group0 = nvgpu.device_async_create_group %copied0
    %last = scf.for %i = %c0 to %n step %c512 iter_args(%group = %group0) -> (!nvgpu.device.async.token) {
      %k = arith.divui %i, %c512 : index
      %slot = arith.remui %k, %c2 : index
      %after = arith.addi %slot, %c1 : index
      %next = arith.remui %after, %c2 : index
      %j = arith.addi %i, %c512 : index
      %from = arith.addi %j, %mine : index
      %left = arith.subi %n, %from : index
      %some = arith.maxsi %left, %c0 : index
      %valid = arith.minsi %some, %c4 : index
      %at = arith.minsi %from, %n : index
      %copied = nvgpu.device_async_copy %x[%at], %tiles[%next, %mine], 4, %valid : !v to !t
      %ahead = nvgpu.device_async_create_group %copied
      nvgpu.device_async_wait %group {numGroups = 1 : i32}
      gpu.barrier
      %tile = memref.subview %tiles[%slot, 0] [1, 512] [1, 1] : !t to memref<512xf32, strided<[1], offset: ?>, #ws>
      carousel.store %tile to %y[%i] : memref<512xf32, strided<[1], offset: ?>, #ws>, !v
      gpu.barrier
      scf.yield %ahead : !nvgpu.device.async.token
    }
    nvgpu.device_async_wait %last
    gpu.return
  }

  // The first tile is raised, which leaves its group empty; what is loaded in the loop may end early, and stays.
  // LOWERED-LABEL: gpu.func @counted
  // LOWERED: carousel.cp_async.commit_group
  // LOWERED: carousel.cp_async.copy ca
  // LOWERED: carousel.cp_async.commit_group
  // LOWERED: carousel.cp_async.wait_group 1
  // CUDA-LABEL: counted(float
  // CUDA: carousel::cp_async_wait_group<1>()
  gpu.func @counted(%x: !v {carousel.argument = #carousel.argument<"x", in>}, %y: !v {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c512 = arith.constant 512 : index
    %thread = gpu.thread_id x
    %mine = arith.muli %thread, %c4 : index
    %n = memref.dim %x, %c0 : !v
    %tiles = memref.alloc() {alignment = 128 : i64} : !t
    %copied0 = nvgpu.device_async_copy %x[%mine], %tiles[%c0, %mine], 4 : !v to !t
    %group0 = nvgpu.device_async_create_group %copied0
    scf.for %i = %c0 to %n step %c512 {
      %k = arith.divui %i, %c512 : index
      %slot = arith.remui %k, %c2 : index
      %after = arith.addi %slot, %c1 : index
      %next = arith.remui %after, %c2 : index
      %j = arith.addi %i, %c512 : index
      %from = arith.addi %j, %mine : index
      %left = arith.subi %n, %from : index
      %some = arith.maxsi %left, %c0 : index
      %valid = arith.minsi %some, %c4 : index
      %at = arith.minsi %from, %n : index
      %copied = nvgpu.device_async_copy %x[%at], %tiles[%next, %mine], 4, %valid : !v to !t
      %ahead = nvgpu.device_async_create_group %copied
      nvgpu.device_async_wait %ahead {numGroups = 1 : i32}
      gpu.barrier
      %tile = memref.subview %tiles[%slot, 0] [1, 512] [1, 1] : !t to memref<512xf32, strided<[1], offset: ?>, #ws>
      carousel.store %tile to %y[%i] : memref<512xf32, strided<[1], offset: ?>, #ws>, !v
      gpu.barrier
    }
    nvgpu.device_async_wait %group0
    gpu.return
  }
}
