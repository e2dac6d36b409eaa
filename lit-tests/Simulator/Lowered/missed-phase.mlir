// A thread of a warp that reaches a wait late still finds its phase, because the next one can't complete before.
// DEFINE: %{lowered} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered %s --chip sm_80,sm_90a --
// DEFINE: %{run} = --policy all --schedules 20 --arg x=iota:640 --arg n=10 --arg y=zeros:640 --expect y=iota:640
// RUN: %{lowered} --kernel @met_between %{run}
// RUN: %{lowered} --kernel @released_between %{run} --arg z=zeros:640

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!v = memref<?xf16, #gl>
!t = memref<64xf16, #ws>

gpu.module @kernels {
  // A barrier between the load and the access, which each thread makes to what it has loaded itself.
  gpu.func @met_between(
      %x: !v {carousel.argument = #carousel.argument<"x", in>},
      %n: index {carousel.argument = #carousel.argument<"n", in>},
      %y: !v {carousel.argument = #carousel.argument<"y", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %t = gpu.thread_id x
    %a = memref.alloc() : !t
    scf.for %i = %c0 to %n step %c1 {
      %o = arith.muli %i, %c64 : index
      carousel.load %x[%o] to %a : !v, !t
      gpu.barrier
      %v = memref.load %a[%t] : !t
      %p = arith.addi %o, %t : index
      memref.store %v, %y[%p] : !v
    } {carousel.pipeline = #carousel.pipeline<stages = 2>}
    gpu.return
  }

  // The barrier in between hands back the slot of another ring.
  gpu.func @released_between(
      %x: !v {carousel.argument = #carousel.argument<"x", in>},
      %n: index {carousel.argument = #carousel.argument<"n", in>},
      %y: !v {carousel.argument = #carousel.argument<"y", inout>},
      %z: !v {carousel.argument = #carousel.argument<"z", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c63 = arith.constant 63 : index
    %c64 = arith.constant 64 : index
    %t = gpu.thread_id x
    %a = memref.alloc() : !t
    %b = memref.alloc() : !t
    %zero = arith.constant 0.0 : f16
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%so_far = %zero) -> (f16) {
      %o = arith.muli %i, %c64 : index
      carousel.load %x[%o] to %a : !v, !t
      carousel.load %x[%o] to %b : !v, !t
      %r = arith.subi %c63, %t : index
      %w = memref.load %b[%r] : !t
      %more = arith.addf %so_far, %w : f16
      %v = memref.load %a[%t] : !t
      %p = arith.addi %o, %t : index
      memref.store %v, %y[%p] : !v
      scf.yield %more : f16
    } {carousel.pipeline = #carousel.pipeline<stages = [2, 2], release = cta_barrier>}
    memref.store %sum, %z[%t] : !v
    gpu.return
  }
}
