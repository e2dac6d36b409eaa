// carousel-lower-gpu-ops: reductions and other collectives become shuffles, and shuffles are of 32 bits.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-lower-gpu-ops))' | FileCheck %s
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-lower-gpu-ops))' \
// RUN:   | FileCheck %s --check-prefix=GONE

// GONE-NOT: gpu.subgroup_reduce
// GONE-NOT: gpu.all_reduce
// GONE-NOT: gpu.subgroup_
// GONE-NOT: gpu.num_subgroups
// GONE-NOT: gpu.rotate

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
  // DOC-EXAMPLE: --carousel-lower-gpu-ops
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

  // Elements as wide as a shuffle, or wider, are reduced one by one; those of 64 bits are two words each.
  // CHECK-LABEL: gpu.func @subgroup_wide
  // CHECK-COUNT-10: gpu.shuffle xor %{{.+}} : i32
  // CHECK-NOT: gpu.shuffle
  // CHECK-LABEL: gpu.func @subgroup_words
  gpu.func @subgroup_wide(%v: vector<2xf32>, %x: memref<?xf32, #gl>, %i: index) {
    %r = gpu.subgroup_reduce add %v : (vector<2xf32>) -> vector<2xf32>
    vector.store %r, %x[%i] : memref<?xf32, #gl>, vector<2xf32>
    gpu.return
  }
  // CHECK-COUNT-10: gpu.shuffle xor %{{.+}} : i32
  // CHECK-NOT: gpu.shuffle
  gpu.func @subgroup_words(%a: f64, %x: memref<?xf64, #gl>, %i: index) {
    %r = gpu.subgroup_reduce add %a : (f64) -> f64
    memref.store %r, %x[%i] : memref<?xf64, #gl>
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

  // Wider values are words, each of which is shuffled.
  // CHECK-LABEL: gpu.func @wide_shuffle
  gpu.func @wide_shuffle(%a: f64, %v: vector<3xi8>, %x: memref<?xf64, #gl>, %y: memref<?xvector<3xi8>, #gl>, %i: index) {
    %offset = arith.constant 1 : i32
    %width = arith.constant 32 : i32
    // CHECK: vector.bitcast %{{.+}} : vector<1xi64> to vector<2xi32>
    // CHECK-COUNT-2: gpu.shuffle down %{{.+}} : i32
    // CHECK: vector.bitcast %{{.+}} : vector<2xi32> to vector<1xi64>
    %0, %p0 = gpu.shuffle down %a, %offset, %width : f64
    memref.store %0, %x[%i] : memref<?xf64, #gl>
    // CHECK-COUNT-3: gpu.shuffle up %{{.+}} : i32
    %1, %p1 = gpu.shuffle up %v, %offset, %width : vector<3xi8>
    memref.store %1, %y[%i] : memref<?xvector<3xi8>, #gl>
    gpu.return
  }

  // Of a part of the warp, its lanes alone take part.
  // CHECK-LABEL: gpu.func @rotations
  gpu.func @rotations(%a: f32, %x: memref<?xf32, #gl>, %i: index) {
    // CHECK: %[[SOURCE:.+]] = arith.andi
    // CHECK: gpu.shuffle idx %{{.+}}, %[[SOURCE]], %{{.+}} : f32
    %0, %p0 = gpu.rotate %a, 3, 32 : f32
    memref.store %0, %x[%i] : memref<?xf32, #gl>
    // CHECK: %[[PART:.+]] = arith.cmpi ult
    // CHECK: scf.if %[[PART]] -> (f32)
    // CHECK: gpu.shuffle idx
    %1, %p1 = gpu.rotate %a, 3, 16 : f32
    memref.store %1, %x[%i] : memref<?xf32, #gl>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @warps
  gpu.func @warps(%a: vector<2xf32>, %x: memref<?xvector<2xf32>, #gl>, %lane: i32) kernel
      attributes {known_block_size = array<i32: 96, 1, 1>} {
    // CHECK: %[[THREAD:.+]] = gpu.thread_id x
    // CHECK: arith.divui %[[THREAD]], %{{.+}} : index
    %warp = gpu.subgroup_id : index
    // CHECK-NOT: gpu.block_dim
    %warps = gpu.num_subgroups : index
    // CHECK-COUNT-2: gpu.shuffle idx
    %0 = gpu.subgroup_broadcast %a, specific_lane %lane : vector<2xf32>
    memref.store %0, %x[%warp] : memref<?xvector<2xf32>, #gl>
    // CHECK-COUNT-2: gpu.shuffle idx
    %1 = gpu.subgroup_broadcast %a, first_active_lane : vector<2xf32>
    memref.store %1, %x[%warps] : memref<?xvector<2xf32>, #gl>
    gpu.return
  }

  // In a loop, without `uniform`, of a block whose last warp lacks lanes: no blocks of cf.
  // CHECK-LABEL: gpu.func @reduced_in_loop
  // CHECK-SAME: workgroup(%[[PARTIAL:.+]] : memref<2xf32, #gpu.address_space<workgroup>>)
  gpu.func @reduced_in_loop(%a: f32, %x: memref<?xf32, #gl>, %n: index) kernel
      attributes {known_block_size = array<i32: 48, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // CHECK: scf.for
    // CHECK: %[[LANES:.+]] = arith.index_cast %{{.+}} : index to i32
    // CHECK-COUNT-5: gpu.shuffle xor %{{.+}}, %{{.+}}, %[[LANES]] : f32
    // CHECK: memref.store %{{.+}}, %[[PARTIAL]]
    // CHECK: gpu.barrier
    // CHECK: scf.for
    // CHECK: gpu.barrier
    // CHECK-NOT: {{ }}cf.
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %a) -> (f32) {
      %t = gpu.all_reduce add %s {} : (f32) -> f32
      scf.yield %t : f32
    }
    memref.store %r, %x[%c0] : memref<?xf32, #gl>
    gpu.return
  }

  // Narrow arguments of a printf are promoted, with the sign that prints them; a width that is an argument counts as one.
  // CHECK-LABEL: gpu.func @printed
  // CHECK-SAME: (%[[P:.+]]: i1, %[[B:.+]]: i8, %[[S:.+]]: i16, %[[H:.+]]: bf16, %[[N:.+]]: i32, %[[D:.+]]: f64)
  // CHECK-DAG: %[[PW:.+]] = arith.extui %[[P]] : i1 to i32
  // CHECK-DAG: %[[BS:.+]] = arith.extsi %[[B]] : i8 to i32
  // CHECK-DAG: %[[BU:.+]] = arith.extui %[[B]] : i8 to i32
  // CHECK-DAG: %[[SS:.+]] = arith.extsi %[[S]] : i16 to i32
  // CHECK-DAG: %[[HF:.+]] = arith.extf %[[H]] : bf16 to f32
  // CHECK: gpu.printf "{{.*}}", %[[PW]], %[[BS]], %[[BU]], %[[N]], %[[SS]], %[[HF]], %[[D]] : i32, i32, i32, i32, i32, f32, f64
  gpu.func @printed(%p: i1, %b: i8, %s: i16, %h: bf16, %n: i32, %d: f64) {
    gpu.printf "%d %hhi 100%% %-#4x %*hd %5.2f %lf\0A", %p, %b, %b, %n, %s, %h, %d : i1, i8, i8, i32, i16, bf16, f64
    gpu.return
  }

  // An assertion becomes a branch, which prints the comparison that doesn't hold.
  // CHECK-LABEL: gpu.func @asserted
  // CHECK-SAME: (%[[I:.+]]: index, %[[N:.+]]: i32, %[[P:.+]]: i1)
  // CHECK: %[[LOW:.+]] = arith.cmpi sge, %[[I]]
  // CHECK: %[[HIGH:.+]] = arith.cmpi ult, %[[N]]
  // CHECK: scf.if %{{.+}} {
  // CHECK: scf.if %{{.+}} {
  // CHECK-DAG: %[[IW:.+]] = arith.index_cast %[[I]] : index to i64
  // CHECK: gpu.printf "{{.*}}lower-gpu-ops.mlir:[[#@LINE+16]]: kernel 'asserted': expected numbers, got %lld < %lld\0A", %[[IW]], %{{.+}} : i64, i64
  // CHECK: }
  // CHECK: scf.if %{{.+}} {
  // CHECK: %[[NW:.+]] = arith.extui %[[N]] : i32 to i64
  // CHECK: gpu.printf "{{.*}}expected numbers, got %llu >= %llu\0A", %[[NW]], %{{.+}} : i64, i64
  // CHECK: }
  // CHECK: cf.assert %false{{.*}}, "kernel 'asserted': expected numbers"
  // CHECK: scf.if %{{.+}} {
  // CHECK-NOT: gpu.printf
  // CHECK: cf.assert %false{{.*}}, "kernel 'asserted': p"
  gpu.func @asserted(%i: index, %n: i32, %p: i1) kernel {
    %c0 = arith.constant 0 : index
    %c9 = arith.constant 9 : i32
    %low = arith.cmpi sge, %i, %c0 : index
    %high = arith.cmpi ult, %n, %c9 : i32
    %both = arith.andi %low, %high : i1
    cf.assert %both, "expected numbers"
    cf.assert %p, "p"
    gpu.return
  }
}
