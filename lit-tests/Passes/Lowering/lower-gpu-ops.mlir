// carousel-lower-gpu-ops: reductions become shuffles, and shuffles are of 32 bits.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-lower-gpu-ops))' | FileCheck %s
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-lower-gpu-ops))' \
// RUN:   | FileCheck %s --check-prefix=GONE

// GONE-NOT: gpu.subgroup_reduce
// GONE-NOT: gpu.all_reduce
// GONE-NOT: gpu.subgroup_size

#gl = #gpu.address_space<global>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @narrow_shuffle
  // CHECK-SAME: (%[[H:.+]]: bf16, %[[B:.+]]: i8, %[[V:.+]]: vector<2xf16>
  gpu.func @narrow_shuffle(%h: bf16, %b: i8, %v: vector<2xf16>, %x: memref<?xbf16, #gl>,
                           %y: memref<?xi8, #gl>, %z: memref<?xvector<2xf16>, #gl>, %i: index) {
    %offset = arith.constant 1 : i32
    %width = arith.constant 32 : i32
    // CHECK: %[[BITS:.+]] = arith.bitcast %[[H]] : bf16 to i16
    // CHECK: %[[WORD:.+]] = arith.extui %[[BITS]] : i16 to i32
    // CHECK: %[[MOVED:.+]], %{{.+}} = gpu.shuffle xor %[[WORD]]
    // CHECK: %[[HALF:.+]] = arith.trunci %[[MOVED]] : i32 to i16
    // CHECK: arith.bitcast %[[HALF]] : i16 to bf16
    %0, %p0 = gpu.shuffle xor %h, %offset, %width : bf16
    memref.store %0, %x[%i] : memref<?xbf16, #gl>
    // CHECK: %[[BYTE:.+]] = arith.extui %[[B]] : i8 to i32
    // CHECK: gpu.shuffle up %[[BYTE]]
    %1, %p1 = gpu.shuffle up %b, %offset, %width : i8
    memref.store %1, %y[%i] : memref<?xi8, #gl>
    // CHECK: vector.bitcast %[[V]] : vector<2xf16> to vector<1xi32>
    // CHECK: gpu.shuffle idx %{{.+}} : i32
    // CHECK: vector.bitcast %{{.+}} : vector<1xi32> to vector<2xf16>
    %2, %p2 = gpu.shuffle idx %v, %offset, %width : vector<2xf16>
    memref.store %2, %z[%i] : memref<?xvector<2xf16>, #gl>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @subgroup
  gpu.func @subgroup(%a: f32, %x: memref<?xf32, #gl>) {
    // Five steps for 32 lanes.
    // CHECK: %[[SIZE:.+]] = arith.constant 32 : index
    // CHECK-COUNT-5: gpu.shuffle xor
    %r = gpu.subgroup_reduce add %a : (f32) -> f32
    %size = gpu.subgroup_size : index
    // CHECK: memref.store %{{.+}}, %{{.+}}[%[[SIZE]]]
    memref.store %r, %x[%size] : memref<?xf32, #gl>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @block
  // CHECK-SAME: workgroup
  gpu.func @block(%a: f32, %x: memref<?xf32, #gl>, %i: index) kernel {
    // CHECK: gpu.shuffle
    // CHECK: gpu.barrier
    %r = gpu.all_reduce maxnumf %a uniform {} : (f32) -> f32
    memref.store %r, %x[%i] : memref<?xf32, #gl>
    gpu.return
  }
}
