// Threads exchange two vectors of 64 KiB in each iteration, through one buffer: one for each wouldn't fit a CTA.
// DEFINE: %{lowered} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered %s --chip sm_120a --
// DEFINE: %{transpose} = --kernel @transpose --arg x=random:250x128:1 --arg y=random:250x128:2 --arg xt=empty:128x250 --arg yt=empty:128x250
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-distribute))' | FileCheck %s
// RUN: carousel-sim %s %{transpose} --out xt=%t.x.npy --out yt=%t.y.npy
// RUN: %{lowered} %{transpose} --expect xt=%t.x.npy --expect yt=%t.y.npy --policy all --schedules 3

// CHECK-COUNT-1: memref.alloc() {{.*}} : memref<16384xf32, #gpu.address_space<workgroup>>
// CHECK-NOT: memref.alloc()

#gl = #gpu.address_space<global>
!m = memref<?x?xf32, #gl>
gpu.module @m {
  gpu.func @transpose(%x: !m {carousel.argument = #carousel.argument<"x", in>},
      %y: !m {carousel.argument = #carousel.argument<"y", in>},
      %xt: !m {carousel.argument = #carousel.argument<"xt", out>},
      %yt: !m {carousel.argument = #carousel.argument<"yt", out>}) kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %zero = arith.constant 0.0 : f32
    %rows = memref.dim %x, %c0 : !m
    scf.for %row = %c0 to %rows step %c128 {
      %a = vector.transfer_read %x[%row, %c0], %zero : !m, vector<128x128xf32>
      %at = vector.transpose %a, [1, 0] : vector<128x128xf32> to vector<128x128xf32>
      vector.transfer_write %at, %xt[%c0, %row] : vector<128x128xf32>, !m
      %b = vector.transfer_read %y[%row, %c0], %zero : !m, vector<128x128xf32>
      %bt = vector.transpose %b, [1, 0] : vector<128x128xf32> to vector<128x128xf32>
      vector.transfer_write %bt, %yt[%c0, %row] : vector<128x128xf32>, !m
    }
    gpu.return
  }
}
