// Kernels of the machine phase become emitc.funcs, and ops of the dialect calls of the device headers.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-convert-to-emitc))' | FileCheck %s
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-convert-to-emitc{index-bitwidth=32}))' \
// RUN:   | FileCheck %s --check-prefix=NARROW

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

gpu.module @m [#nvvm.target<chip = "sm_90a", features = "+ptx88">] {
  // A memref is a pointer, its dynamic extents, and its dynamic strides.
  // CHECK-LABEL: emitc.func @signature(
  // CHECK-SAME:    !emitc.ptr<f32>, %{{.*}}: ui64, %{{.*}}: ui64, %{{.*}}: f16)
  // CHECK-SAME:    cuda_parameters = ["arg0", "arg0_extent_0", "arg1", "arg2"]
  // CHECK-SAME:    specifiers = ["extern \22C\22", "__global__", "void"]
  // NARROW-LABEL: emitc.func @signature(
  // NARROW-SAME:    !emitc.ptr<f32>, %{{.*}}: ui32, %{{.*}}: ui32, %{{.*}}: f16)
  gpu.func @signature(%x: memref<?xf32, #gl>, %n: index, %h: f16) kernel {
    gpu.return
  }

  // CHECK-LABEL: emitc.func @branch(
  // CHECK-SAME:    %[[X:.*]]: !emitc.ptr<f32>, %{{.*}}: ui64, %[[N:.*]]: ui64, %[[S:.*]]: f32)
  // CHECK:         %[[LITERAL:.*]] = literal "threadIdx.x" : ui32
  // CHECK:         %[[THREAD:.*]] = cast %[[LITERAL]] : ui32 to ui64
  // CHECK:         %[[LEFT:.*]] = cast %[[THREAD]] : ui64 to si64
  // CHECK:         %[[RIGHT:.*]] = cast %[[N]] : ui64 to si64
  // CHECK:         %[[INSIDE:.*]] = cmp lt, %[[LEFT]], %[[RIGHT]] : (si64, si64) -> i1
  // CHECK:         if %[[INSIDE]] {
  // CHECK:           %[[FROM:.*]] = subscript %[[X]][%[[THREAD]]]
  // CHECK:           %[[V:.*]] = load %[[FROM]] : <f32>
  // CHECK:           %[[P:.*]] = mul %[[V]], %[[S]] : (f32, f32) -> f32
  // CHECK:           %[[TO:.*]] = subscript %[[X]][%[[THREAD]]]
  // CHECK:           assign %[[P]] : f32 to %[[TO]] : <f32>
  // CHECK:         }
  gpu.func @branch(%x: memref<?xf32, #gl>, %n: index, %s: f32) kernel {
    %thread = gpu.thread_id x
    %inside = arith.cmpi slt, %thread, %n : index
    scf.if %inside {
      %v = memref.load %x[%thread] : memref<?xf32, #gl>
      %p = arith.mulf %v, %s : f32
      memref.store %p, %x[%thread] : memref<?xf32, #gl>
    }
    gpu.return
  }

  // What a loop carries is in a variable.
  // CHECK-LABEL: emitc.func @loop(
  // CHECK:         %[[ZERO:.*]] = "emitc.constant"() <{value = 0.000000e+00 : f32}>
  // CHECK:         %[[SUM:.*]] = "emitc.variable"() <{value = #emitc.opaque<"">}> : () -> !emitc.lvalue<f32>
  // CHECK:         assign %[[ZERO]] : f32 to %[[SUM]] : <f32>
  // CHECK:         for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} : ui64 {
  // CHECK:           %[[OLD:.*]] = load %[[SUM]] : <f32>
  // CHECK:           %[[NEW:.*]] = add %[[OLD]], %{{.*}} : (f32, f32) -> f32
  // CHECK:           assign %[[NEW]] : f32 to %[[SUM]] : <f32>
  // CHECK:         } {cuda_signed}
  // CHECK:         load %[[SUM]] : <f32>
  // NARROW-LABEL: emitc.func @loop(
  // NARROW:         for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} : ui32 {
  // DOC-EXAMPLE: --carousel-convert-to-emitc
  gpu.func @loop(%x: memref<?xf32, #gl>, %y: memref<1xf32, #gl>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> f32 {
      %v = memref.load %x[%i] : memref<?xf32, #gl>
      %t = arith.addf %s, %v : f32
      scf.yield %t : f32
    }
    memref.store %sum, %y[%c0] : memref<1xf32, #gl>
    gpu.return
  }

  // Shared buffers are arrays; barriers and tiles are pointers into them.
  // CHECK-LABEL: emitc.func @fill(
  // CHECK-SAME:    %[[X:.*]]: !emitc.ptr<f32>, %{{.*}}: ui64, %[[SLOT:.*]]: ui64, %[[PARITY:.*]]: i1)
  // CHECK:         "emitc.variable"() <{value = #emitc.opaque<"">}> {cuda_shared}
  // CHECK-SAME:      !emitc.array<4x!emitc.opaque<"carousel::mbarrier">>
  // CHECK:         %[[BARRIERS:.*]] = cast %{{.*}} to !emitc.ptr<!emitc.opaque<"carousel::mbarrier">>
  // CHECK:         "emitc.variable"() <{value = #emitc.opaque<"">}> {cuda_shared}
  // CHECK-SAME:      !emitc.array<4096xf32>
  // CHECK:         %[[TILES:.*]] = cast %{{.*}} to !emitc.ptr<f32>
  // CHECK:         %[[FULL:.*]] = add %[[BARRIERS]], %[[SLOT]]
  // CHECK:         %[[BYTES:.*]] = "emitc.constant"() <{value = 4096 : ui32}>
  // CHECK:         call_opaque "carousel::mbarrier_arrive_expect_tx"(%[[FULL]], %[[BYTES]])
  // CHECK:         %[[TILE:.*]] = add %[[TILES]], %{{.*}} : (!emitc.ptr<f32>, ui64) -> !emitc.ptr<f32>
  // CHECK:         call_opaque "carousel::bulk_load"(%[[X]], %[[TILE]], %{{.*}}, %{{.*}})
  // CHECK:         %[[PHASE:.*]] = cast %[[PARITY]] : i1 to ui32
  // CHECK:         call_opaque "carousel::mbarrier_wait"(%{{.*}}, %[[PHASE]])
  gpu.func @fill(%x: memref<?xf32, #gl>, %slot: index, %parity: i1)
      workgroup(%full: memref<4x!carousel.mbarrier, #ws>, %tile: memref<4x1024xf32, #ws>) kernel {
    %c0 = arith.constant 0 : index
    carousel.mbarrier.arrive_expect_tx %full[%slot], 4096 : memref<4x!carousel.mbarrier, #ws>
    carousel.bulk.load %x[%c0] to %tile[%slot, %c0], 4096 signals %full[%slot]
      : memref<?xf32, #gl>, memref<4x1024xf32, #ws>, memref<4x!carousel.mbarrier, #ws>
    carousel.mbarrier.wait %full[%slot] parity %parity : memref<4x!carousel.mbarrier, #ws>
    gpu.return
  }
}
