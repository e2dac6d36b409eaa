// Consumers end while a ring's store is in flight, and have since stored a tile by threads. They wait for all groups but the newest,
// which is empty. The data flow visits the end of their block after it has found a conflict before it, and must not replace that one.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(carousel-lower{chip=sm_90a})' | FileCheck %s

// CHECK-LABEL: gpu.func @last_store_tma_ragged
// CHECK: carousel.bulk.wait_group read 0
// CHECK: carousel.bulk.commit_group
// CHECK: carousel.bulk.commit_group
// CHECK: carousel.bulk.wait_group read 1
// CHECK: gpu.return

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>
gpu.module @roles {
  gpu.func @last_store(
      %x0: memref<3x493xf32, strided<[?, 1]>, #gl>,
      %x5: memref<?xi8, #gl>,
      %y7: memref<?xi8, #gl>,
      %y8: memref<?xf64, #gl>)
      workgroup(%t1: memref<4x64xf32, #ws>, %t2: memref<4x64xf16, #ws>) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [64]>} {
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %k0 = arith.constant 0.000000e+00 : f32
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c0 = arith.constant 0 : index
    %c256 = arith.constant 256 : index
    %c255 = arith.constant 255 : index
    %k7 = arith.constant 5.000000e-01 : f16
    %t31 = memref.alloc() : memref<32xi8, #ws>
    %t32 = memref.alloc() : memref<32xi8, #ws>
    %t33 = memref.alloc() : memref<32xf32, #ws>
    %k12 = arith.constant 0.000000e+00 : f64
    %c32 = arith.constant 32 : index
    %k14 = arith.constant 2.000000e+00 : f64
    %k15 = arith.constant 5.000000e-01 : f64
    %t63 = memref.alloc() : memref<64xf64, #ws>
    %v3 = memref.dim %x0, %c1 : memref<3x493xf32, strided<[?, 1]>, #gl>
    %i4 = arith.muli %block, %c64 : index
    %r7 = scf.for %i5 = %i4 to %v3 step %c128 iter_args(%a6 = %k0) -> (f32) {
      carousel.load %x0[%c0, %i5] to %t1 : memref<3x493xf32, strided<[?, 1]>, #gl>, memref<4x64xf32, #ws>
      %r10 = scf.for %i8 = %thread to %c256 step %c64 iter_args(%a9 = %a6) -> (f32) {
        %i11 = arith.remui %i8, %c64 : index
        %i12 = arith.divui %i8, %c64 : index
        %v13 = memref.load %t1[%i12, %i11] : memref<4x64xf32, #ws>
        %v15 = arith.addf %a9, %v13 : f32
        scf.yield %v15 : f32
      }
      %r18 = scf.for %i16 = %thread to %c256 step %c64 iter_args(%a17 = %r10) -> (f32) {
        %i21 = arith.subi %c255, %i16 : index
        %i22 = arith.remui %i21, %c64 : index
        %i23 = arith.divui %i21, %c64 : index
        %v24 = memref.load %t2[%i23, %i22] : memref<4x64xf16, #ws>
        %v25 = arith.cmpf uno, %v24, %v24 : f16
        %v26 = arith.select %v25, %k7, %v24 : i1, f16
        %v27 = arith.extf %v26 : f16 to f32
        %v28 = arith.addf %a17, %v27 : f32
        scf.yield %v28 : f32
      }
      scf.yield %r18 : f32
    } {carousel.pipeline = #carousel.pipeline<prefetch = auto, mode = specialized>}
    carousel.load %x5[%c0] to %t32 : memref<?xi8, #gl>, memref<32xi8, #ws>
    %v34 = memref.dim %x5, %c0 : memref<?xi8, #gl>
    %i35 = arith.muli %block, %c32 : index
    %r38 = scf.for %i36 = %i35 to %v34 step %c64 iter_args(%a37 = %k12) -> (f64) {
      carousel.load %x5[%i36] to %t32 in_bounds : memref<?xi8, #gl>, memref<32xi8, #ws>
      %r41 = scf.for %i39 = %thread to %c32 step %c64 iter_args(%a40 = %a37) -> (f64) {
        %v42 = memref.load %t31[%i39] : memref<32xi8, #ws>
        %v43 = arith.sitofp %v42 : i8 to f64
        %v44 = memref.load %t32[%i39] : memref<32xi8, #ws>
        %v45 = arith.sitofp %v44 : i8 to f64
        %v46 = memref.load %t33[%i39] : memref<32xf32, #ws>
        %v47 = arith.extf %v46 : f32 to f64
        %v48 = arith.maximumf %v43, %v45 : f64
        %v49 = arith.maximumf %v48, %v47 : f64
        %v50 = arith.mulf %v49, %k14 : f64
        %v51 = arith.subf %v50, %k15 : f64
        %v54 = arith.addf %a40, %v51 : f64
        scf.yield %v54 : f64
      }
      carousel.store %t32 to %y7[%i36] in_bounds : memref<32xi8, #ws>, memref<?xi8, #gl>
      scf.yield %r41 : f64
    } {carousel.pipeline = #carousel.pipeline<stages = 3, mode = specialized>}
    %i64 = arith.muli %block, %c64 : index
    carousel.store %t63 to %y8[%i64] : memref<64xf64, #ws>, memref<?xf64, #gl>
    gpu.return
  }
}
