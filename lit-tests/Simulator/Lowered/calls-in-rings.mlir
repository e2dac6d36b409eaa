// Calls, a reduction and an assertion in a pipelined loop give what the tile phase gives, under all policies.
// DEFINE: %{lowered} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered %s --chip sm_80,sm_90a --
// DEFINE: %{run} = --kernel @called --reference @called_reference --policy all
// RUN: carousel-sim %s %{run} --arg x=random:2100:1 --arg table=iota:4 --arg y=like:x
// RUN: %{lowered} %{run} --schedules 3 --arg x=random:2100:1 --arg table=iota:4 --arg y=like:x
// RUN: %{lowered} %{run} --arg x=random:1:1 --arg table=iota:4 --arg y=like:x
// RUN: sed 's/stages = 3/stages = 3, mode = specialized/' %s > %t.mlir
// RUN: env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered %t.mlir --chip sm_80,sm_90a -- %{run} --schedules 2 --arg x=random:2100:1 --arg table=iota:4 --arg y=like:x

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!v = memref<?xf32, #gl>
!t = memref<128xf32, #ws>

gpu.module @kernels {
  func.func private @shifted(%table: !v, %v: f32) -> f32 {
    %c2 = arith.constant 2 : index
    %s = memref.load %table[%c2] : !v
    %r = arith.addf %v, %s : f32
    return %r : f32
  }
  // y = x + table[2] + 0 * (the number of elements of the tile that are not numbers)
  gpu.func @called(
      %x: !v {carousel.argument = #carousel.argument<"x", in>},
      %table: !v {carousel.argument = #carousel.argument<"table", in>},
      %y: !v {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %blocks = gpu.grid_dim x
    %first = arith.muli %block, %c128 : index
    %step = arith.muli %blocks, %c128 : index
    %n = memref.dim %x, %c0 : !v
    %in = memref.alloc() : !t
    %out = memref.alloc() : !t
    scf.for %i = %first to %n step %step {
      carousel.load %x[%i] to %in : !v, !t
      %e = memref.load %in[%thread] : !t
      %bad = arith.cmpf uno, %e, %e : f32
      %counted = arith.select %bad, %one, %zero : f32
      %sum = gpu.all_reduce add %counted uniform {} : (f32) -> f32
      scf.for %j = %thread to %c128 step %c64 {
        %v = memref.load %in[%j] : !t
        %ok = arith.cmpf ord, %v, %sum : f32
        cf.assert %ok, "not a number"
        %s = func.call @shifted(%table, %v) : (!v, f32) -> f32
        %r = arith.addf %s, %sum : f32
        memref.store %r, %out[%j] : !t
      }
      carousel.store %out to %y[%i] : !t, !v
    } {carousel.pipeline = #carousel.pipeline<stages = 3>}
    gpu.return
  }
}

func.func @called_reference(%x: memref<?xf32>, %table: memref<?xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %x, %c0 : memref<?xf32>
  %s = memref.load %table[%c2] : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xf32>
    %a = arith.addf %v, %s : f32
    %r = arith.addf %a, %zero : f32
    memref.store %r, %y[%i] : memref<?xf32>
  }
  return
}
