// Choice of threads, and start of CTAs: all CTAs of a co-resident grid are resident, so one may spin for another one.
// Wrong: the grid isn't co-resident; the one that is waited for may have no room.
// RUN: carousel-sim %s --kernel @right --arg x=iota:32 --arg y=zeros:32 --arg z=empty:32 --arg flags=zeros:1 --expect z=iota:32 --schedules 30
// RUN: carousel-sim %s --kernel @right --arg x=iota:32 --arg y=zeros:32 --arg z=empty:32 --arg flags=zeros:1 --expect z=iota:32 --policy all --schedules 2
// RUN: carousel-sim %s --kernel @wrong --arg x=iota:32 --arg y=zeros:32 --arg z=empty:32 --arg flags=zeros:1 --expect-finding deadlock --policy one-cta --schedules 20 | FileCheck %s
// CHECK: finding: [deadlock] expected CTAs to wait for none that need not be resident
// CHECK: note: CTA 0, warp 0 (thread 0) waits at {{.*}} on an atomic that finds the same value again and again
// CHECK: note: CTA 1 has not started: it has no room until another one ends
// CHECK: note: mend it with carousel.coresident on the kernel

#gl = #gpu.address_space<global>

!vector = memref<32xi32, #gl>
!flags = memref<1xi32, #gl>

gpu.module @twins {
  gpu.func @right(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y">},
                  %z: !vector {carousel.argument = #carousel.argument<"z", out>},
                  %flags: !flags {carousel.argument = #carousel.argument<"flags">}) kernel
      attributes {carousel.coresident, carousel.launch = #carousel.launch<grid = [2], block = [32]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c31 = arith.constant 31 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %is_first = arith.cmpi eq, %thread, %c0 : index
    %writes = arith.cmpi eq, %block, %c1 : index
    scf.if %writes {
      %v = memref.load %x[%thread] : !vector
      memref.store %v, %y[%thread] : !vector
      gpu.barrier
      scf.if %is_first {
        carousel.fence.thread release gpu
        %old = memref.atomic_rmw addi %one, %flags[%c0] : (i32, !flags) -> i32
      }
    } else {
      scf.if %is_first {
        scf.while : () -> () {
          %flag = memref.atomic_rmw addi %zero, %flags[%c0] : (i32, !flags) -> i32
          %again = arith.cmpi eq, %flag, %zero : i32
          scf.condition(%again)
        } do {
          scf.yield
        }
        carousel.fence.thread acquire gpu
      }
      gpu.barrier
      %mirrored = arith.subi %c31, %thread : index
      %v = memref.load %y[%mirrored] : !vector
      memref.store %v, %z[%mirrored] : !vector
    }
    gpu.return
  }

  gpu.func @wrong(%x: !vector {carousel.argument = #carousel.argument<"x", in>},
                  %y: !vector {carousel.argument = #carousel.argument<"y">},
                  %z: !vector {carousel.argument = #carousel.argument<"z", out>},
                  %flags: !flags {carousel.argument = #carousel.argument<"flags">}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [32]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c31 = arith.constant 31 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %is_first = arith.cmpi eq, %thread, %c0 : index
    %writes = arith.cmpi eq, %block, %c1 : index
    scf.if %writes {
      %v = memref.load %x[%thread] : !vector
      memref.store %v, %y[%thread] : !vector
      gpu.barrier
      scf.if %is_first {
        carousel.fence.thread release gpu
        %old = memref.atomic_rmw addi %one, %flags[%c0] : (i32, !flags) -> i32
      }
    } else {
      scf.if %is_first {
        scf.while : () -> () {
          %flag = memref.atomic_rmw addi %zero, %flags[%c0] : (i32, !flags) -> i32
          %again = arith.cmpi eq, %flag, %zero : i32
          scf.condition(%again)
        } do {
          scf.yield
        }
        carousel.fence.thread acquire gpu
      }
      gpu.barrier
      %mirrored = arith.subi %c31, %thread : index
      %v = memref.load %y[%mirrored] : !vector
      memref.store %v, %z[%mirrored] : !vector
    }
    gpu.return
  }
}
