// scripts/random-kernels --seed 799 --count 1 --chip sm_90a --schedules 1  # sm_90a: finding missing-proxy-fence: @k799_tma_ragged: waw: expected a proxy fence between the write by CTA 4, thread 0 and this write of the same bytes, found an order without a fence; --policy random --seed 0
// carousel-sim --kernel @k799 --arg x0=random:201:360 --arg y1=random:201:478 --arg x2=random:201:663 --arg x3=random:201:183 --arg y4=empty:201 --arg y5=random:201:35 --arg y6=empty:201
#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>
gpu.module @m799 {
  gpu.func @k799(
      %x0: memref<201xf32, #gl> {carousel.argument = #carousel.argument<"x0", in>},
      %y1: memref<?xi32, #gl> {carousel.argument = #carousel.argument<"y1", inout>},
      %x2: memref<201xf64, #gl> {carousel.argument = #carousel.argument<"x2", in>},
      %x3: memref<201xf64, #gl> {carousel.argument = #carousel.argument<"x3", in>},
      %y4: memref<201xf32, #gl> {carousel.argument = #carousel.argument<"y4", out>},
      %y5: memref<201xf64, #gl> {carousel.argument = #carousel.argument<"y5", inout>},
      %y6: memref<?xf64, #gl> {carousel.argument = #carousel.argument<"y6", out>})
      workgroup(%t2: memref<4xi32, #ws>, %t24: memref<4xf64, #ws>) kernel
      attributes {carousel.launch = #carousel.launch<grid = [5], block = [96]>} {
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %t1 = memref.alloc() : memref<4xf32, #ws>
    %c4 = arith.constant 4 : index
    %c11 = arith.constant 11 : index
    %c1 = arith.constant 1 : index
    %c96 = arith.constant 96 : index
    %k9 = arith.constant 2.500000e-01 : f64
    %t23 = memref.alloc() : memref<4xf64, #ws>
    %k14 = arith.constant -7.500000e-01 : f64
    scf.for %i8 = %block to %c4 step %c1 {
      carousel.load %x0[%i8] to %t1 : memref<201xf32, #gl>, memref<4xf32, #ws>
      scf.for %i11 = %thread to %c4 step %c96 {
        %v16 = arith.index_cast %i8 : index to i32
        %v17 = arith.sitofp %v16 : i32 to f64
        %v20 = arith.cmpf olt, %v17, %k9 : f64
        %v21 = arith.extui %v20 : i1 to i32
        memref.store %v21, %t2[%i11] : memref<4xi32, #ws>
      }
    } {carousel.pipeline = #carousel.pipeline<stages = 5>}
    %i28 = arith.muli %block, %c11 : index
    scf.for %i31 = %i28 to %c11 step %c1 {
      carousel.load %y1[%c4] to %t2 : memref<?xi32, #gl>, memref<4xi32, #ws>
      scf.for %i36 = %thread to %c4 step %c96 {
        memref.store %k14, %t23[%i36] : memref<4xf64, #ws>
      }
      carousel.store %t23 to %y5[%c4] : memref<4xf64, #ws>, memref<201xf64, #gl>
    } {carousel.pipeline = #carousel.pipeline<stages = 5, mode = unified>}
    gpu.return
  }
}
