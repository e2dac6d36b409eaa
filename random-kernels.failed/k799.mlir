// scripts/random-kernels --seed 799 --count 1 --chip sm_90a --schedules 1  # sm_90a: finding missing-proxy-fence: @k799_tma_ragged: waw: expected a proxy fence between the write by CTA 4, thread 0 and this write of the same bytes, found an order without a fence; --policy random --seed 0
// carousel-sim --kernel @k799 --arg x0=random:201:360 --arg y1=random:201:478 --arg x2=random:201:663 --arg x3=random:201:183 --arg y4=empty:201 --arg y5=random:201:35 --arg y6=empty:201
// 1 loads, 1 stores, 2 sections, 2 stores, 3 loads, chained loops, chunk, dynamic extents, f32, f64, halo, i32, load before loop, loaded again, mode = unified, nan, rank 1, scope cta, shared tile, stages = 5, tile rank 1
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
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c11 = arith.constant 11 : index
    %c1 = arith.constant 1 : index
    %c51 = arith.constant 51 : index
    %c96 = arith.constant 96 : index
    %c61 = arith.constant 61 : index
    %k8 = arith.constant 1.250000e+00 : f64
    %k9 = arith.constant 2.500000e-01 : f64
    %t22 = memref.alloc() : memref<4xf64, #ws>
    %t23 = memref.alloc() : memref<4xf64, #ws>
    %t25 = memref.alloc() : memref<4xf64, #ws>
    %k13 = arith.constant 5.000000e-01 : f64
    %k14 = arith.constant -7.500000e-01 : f64
    carousel.load %x0[%c0] to %t1 : memref<201xf32, #gl>, memref<4xf32, #ws>
    %v3 = memref.dim %x0, %c0 : memref<201xf32, #gl>
    %v4 = arith.ceildivui %v3, %c4 : index
    %i5 = arith.muli %block, %c11 : index
    %i6 = arith.addi %i5, %c11 : index
    %v7 = arith.minui %i6, %v4 : index
    scf.for %i8 = %i5 to %v7 step %c1 {
      %i9 = arith.divui %i8, %c51 : index
      %i10 = arith.muli %i8, %c4 : index
      carousel.load %x0[%i10] to %t1 : memref<201xf32, #gl>, memref<4xf32, #ws>
      scf.for %i11 = %thread to %c4 step %c96 {
        %v12 = memref.load %t1[%i11] : memref<4xf32, #ws>
        %v13 = arith.extf %v12 : f32 to f64
        %i14 = arith.addi %i11, %i10 : index
        %v15 = arith.remui %i14, %c61 : index
        %v16 = arith.index_cast %v15 : index to i32
        %v17 = arith.sitofp %v16 : i32 to f64
        %v18 = arith.mulf %v13, %v17 : f64
        %v19 = arith.addf %v18, %k8 : f64
        %v20 = arith.cmpf olt, %v19, %k9 : f64
        %v21 = arith.extui %v20 : i1 to i32
        memref.store %v21, %t2[%i11] : memref<4xi32, #ws>
      }
      carousel.store %t2 to %y1[%i10] : memref<4xi32, #ws>, memref<?xi32, #gl>
    } {carousel.pipeline = #carousel.pipeline<stages = 5>}
    gpu.barrier
    %v26 = memref.dim %y1, %c0 : memref<?xi32, #gl>
    %v27 = arith.ceildivui %v26, %c4 : index
    %i28 = arith.muli %block, %c11 : index
    %i29 = arith.addi %i28, %c11 : index
    %v30 = arith.minui %i29, %v27 : index
    scf.for %i31 = %i28 to %v30 step %c1 {
      %i32 = arith.divui %i31, %c51 : index
      %i33 = arith.muli %i31, %c4 : index
      carousel.load %y1[%i33] to %t2 : memref<?xi32, #gl>, memref<4xi32, #ws>
      %i34 = arith.addi %i33, %c1 : index
      carousel.load %x2[%i34] to %t22 fill(nan) : memref<201xf64, #gl>, memref<4xf64, #ws>
      %i35 = arith.subi %i33, %c1 : index
      carousel.load %x3[%i35] to %t22 : memref<201xf64, #gl>, memref<4xf64, #ws>
      scf.for %i36 = %thread to %c4 step %c96 {
        %v37 = memref.load %t2[%i36] : memref<4xi32, #ws>
        %v38 = arith.sitofp %v37 : i32 to f64
        %v39 = memref.load %t22[%i36] : memref<4xf64, #ws>
        %v40 = arith.cmpf uno, %v39, %v39 : f64
        %v41 = arith.select %v40, %k13, %v39 : i1, f64
        %v42 = memref.load %t22[%i36] : memref<4xf64, #ws>
        %i43 = arith.addi %i36, %i33 : index
        %v44 = arith.remui %i43, %c61 : index
        %v45 = arith.index_cast %v44 : index to i32
        %v46 = arith.sitofp %v45 : i32 to f64
        %v47 = arith.addf %v38, %v41 : f64
        %v48 = arith.mulf %v47, %v42 : f64
        %v49 = arith.subf %v48, %v46 : f64
        %v50 = arith.maximumf %v49, %k14 : f64
        %v51 = arith.truncf %v50 : f64 to f32
        memref.store %v51, %t1[%i36] : memref<4xf32, #ws>
        %v52 = arith.addf %v50, %v46 : f64
        memref.store %v52, %t23[%i36] : memref<4xf64, #ws>
      }
      carousel.store %t1 to %y4[%i33] : memref<4xf32, #ws>, memref<201xf32, #gl>
      carousel.store %t23 to %y5[%i33] : memref<4xf64, #ws>, memref<201xf64, #gl>
      carousel.load %y5[%i33] to %t25 : memref<201xf64, #gl>, memref<4xf64, #ws>
      carousel.store %t25 to %y6[%i33] : memref<4xf64, #ws>, memref<?xf64, #gl>
    } {carousel.pipeline = #carousel.pipeline<stages = 5, mode = unified>}
    gpu.return
  }
}
