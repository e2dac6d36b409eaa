// CTAs store parts, and the one that is done last loads them all: fences around the atomic that says which it is publish
// stores and take them over, at gpu and at system scope, with or without a barrier before them, and in a called function.
// DEFINE: %{lowered} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered %s --chip sm_80,sm_90a --
// DEFINE: %{args} = --arg x=iota:256 --arg parts=empty:256 --arg count=zeros:1 --arg y=zeros:64
// RUN: carousel-sim %s --kernel @at_gpu_scope %{args} --out y=%t.npy --quiet
// RUN: %{lowered} --kernel @at_gpu_scope %{args} --expect y=%t.npy --policy all --schedules 4
// RUN: %{lowered} --kernel @at_system_scope %{args} --expect y=%t.npy --policy all --schedules 4
// RUN: %{lowered} --kernel @in_function %{args} --expect y=%t.npy --policy all --schedules 4

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!v = memref<256xi32, #gl>
!t = memref<64xi32, #ws>

gpu.module @kernels {
  gpu.func @at_gpu_scope(%x: !v {carousel.argument = #carousel.argument<"x", in>}, %parts: !v {carousel.argument = #carousel.argument<"parts", inout>},
              %count: memref<1xi32, #gl> {carousel.argument = #carousel.argument<"count", inout>},
              %y: memref<64xi32, #gl> {carousel.argument = #carousel.argument<"y", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [4], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c63 = arith.constant 63 : index
    %c64 = arith.constant 64 : index
    %one = arith.constant 1 : i32
    %three = arith.constant 3 : i32
    %zero = arith.constant 0 : i32
    %t = gpu.thread_id x
    %blk = gpu.block_id x
    %first = arith.cmpi eq, %t, %c0 : index
    %a = memref.alloc() : !t
    %s = memref.alloc() : !t
    %flag = memref.alloc() : memref<1xi32, #ws>
    %o = arith.muli %blk, %c64 : index
    carousel.load %x[%o] to %a : !v, !t
    %r = arith.subi %c63, %t : index
    %v = memref.load %a[%r] : !t
    %w = arith.muli %v, %three : i32
    gpu.barrier
    memref.store %w, %a[%t] : !t
    carousel.store %a to %parts[%o] : !t, !v
    gpu.barrier
    scf.if %first {
      carousel.fence.thread release gpu
      %old = memref.atomic_rmw addi %one, %count[%c0] : (i32, memref<1xi32, #gl>) -> i32
      carousel.fence.thread acquire gpu
      memref.store %old, %flag[%c0] : memref<1xi32, #ws>
    }
    gpu.barrier
    %f = memref.load %flag[%c0] : memref<1xi32, #ws>
    %last = arith.cmpi eq, %f, %three : i32
    memref.store %zero, %s[%t] : !t
    scf.if %last {
      scf.for %i = %c0 to %c4 step %c1 {
        %q = arith.muli %i, %c64 : index
        carousel.load %parts[%q] to %a : !v, !t
        %u = memref.load %a[%r] : !t
        %z = memref.load %s[%t] : !t
        %p = arith.addi %u, %z : i32
        memref.store %p, %s[%t] : !t
      } {carousel.pipeline = #carousel.pipeline<stages = 2>}
      carousel.store %s to %y[%c0] : !t, memref<64xi32, #gl>
    }
    gpu.return
  }

  // Nothing but the transfer stands before the branch.
  gpu.func @at_system_scope(%x: !v {carousel.argument = #carousel.argument<"x", in>}, %parts: !v {carousel.argument = #carousel.argument<"parts", inout>},
              %count: memref<1xi32, #gl> {carousel.argument = #carousel.argument<"count", inout>},
              %y: memref<64xi32, #gl> {carousel.argument = #carousel.argument<"y", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [4], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c63 = arith.constant 63 : index
    %c64 = arith.constant 64 : index
    %one = arith.constant 1 : i32
    %three = arith.constant 3 : i32
    %zero = arith.constant 0 : i32
    %t = gpu.thread_id x
    %blk = gpu.block_id x
    %first = arith.cmpi eq, %t, %c0 : index
    %a = memref.alloc() : !t
    %s = memref.alloc() : !t
    %flag = memref.alloc() : memref<1xi32, #ws>
    %o = arith.muli %blk, %c64 : index
    carousel.load %x[%o] to %a : !v, !t
    %r = arith.subi %c63, %t : index
    %v = memref.load %a[%r] : !t
    %w = arith.muli %v, %three : i32
    gpu.barrier
    memref.store %w, %a[%t] : !t
    carousel.store %a to %parts[%o] : !t, !v
    scf.if %first {
      carousel.fence.thread release sys
      %old = memref.atomic_rmw addi %one, %count[%c0] : (i32, memref<1xi32, #gl>) -> i32
      carousel.fence.thread acquire sys
      memref.store %old, %flag[%c0] : memref<1xi32, #ws>
    }
    gpu.barrier
    %f = memref.load %flag[%c0] : memref<1xi32, #ws>
    %last = arith.cmpi eq, %f, %three : i32
    memref.store %zero, %s[%t] : !t
    scf.if %last {
      scf.for %i = %c0 to %c4 step %c1 {
        %q = arith.muli %i, %c64 : index
        carousel.load %parts[%q] to %a : !v, !t
        %u = memref.load %a[%r] : !t
        %z = memref.load %s[%t] : !t
        %p = arith.addi %u, %z : i32
        memref.store %p, %s[%t] : !t
      } {carousel.pipeline = #carousel.pipeline<stages = 2>}
      carousel.store %s to %y[%c0] : !t, memref<64xi32, #gl>
    }
    gpu.return
  }

  func.func private @draw(%count: memref<1xi32, #gl>) -> i32 {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i32
    carousel.fence.thread release gpu
    %old = memref.atomic_rmw addi %one, %count[%c0] : (i32, memref<1xi32, #gl>) -> i32
    carousel.fence.thread acquire gpu
    return %old : i32
  }

  gpu.func @in_function(%x: !v {carousel.argument = #carousel.argument<"x", in>}, %parts: !v {carousel.argument = #carousel.argument<"parts", inout>},
              %count: memref<1xi32, #gl> {carousel.argument = #carousel.argument<"count", inout>},
              %y: memref<64xi32, #gl> {carousel.argument = #carousel.argument<"y", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [4], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c63 = arith.constant 63 : index
    %c64 = arith.constant 64 : index
    %one = arith.constant 1 : i32
    %three = arith.constant 3 : i32
    %zero = arith.constant 0 : i32
    %t = gpu.thread_id x
    %blk = gpu.block_id x
    %first = arith.cmpi eq, %t, %c0 : index
    %a = memref.alloc() : !t
    %s = memref.alloc() : !t
    %flag = memref.alloc() : memref<1xi32, #ws>
    %o = arith.muli %blk, %c64 : index
    carousel.load %x[%o] to %a : !v, !t
    %r = arith.subi %c63, %t : index
    %v = memref.load %a[%r] : !t
    %w = arith.muli %v, %three : i32
    gpu.barrier
    memref.store %w, %a[%t] : !t
    carousel.store %a to %parts[%o] : !t, !v
    gpu.barrier
    scf.if %first {
      %old = func.call @draw(%count) : (memref<1xi32, #gl>) -> i32
      memref.store %old, %flag[%c0] : memref<1xi32, #ws>
    }
    gpu.barrier
    %f = memref.load %flag[%c0] : memref<1xi32, #ws>
    %last = arith.cmpi eq, %f, %three : i32
    memref.store %zero, %s[%t] : !t
    scf.if %last {
      scf.for %i = %c0 to %c4 step %c1 {
        %q = arith.muli %i, %c64 : index
        carousel.load %parts[%q] to %a : !v, !t
        %u = memref.load %a[%r] : !t
        %z = memref.load %s[%t] : !t
        %p = arith.addi %u, %z : i32
        memref.store %p, %s[%t] : !t
      } {carousel.pipeline = #carousel.pipeline<stages = 2>}
      carousel.store %s to %y[%c0] : !t, memref<64xi32, #gl>
    }
    gpu.return
  }
}
