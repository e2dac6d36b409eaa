// carousel-lower-vectors: rows at positions known at run time, lanes in places of their own, scans.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-lower-vectors))' | FileCheck %s

#gl = #gpu.address_space<global>

gpu.module @lanes {
  // CHECK-LABEL: func @rows
  // CHECK-SAME: (%[[A:.+]]: vector<3x4xf32>, %[[I:.+]]: index)
  func.func @rows(%a: vector<3x4xf32>, %i: index) -> vector<4xf32> {
    // CHECK-NOT: vector.extract %{{.+}}[%
    // CHECK-COUNT-2: arith.select %{{.+}} : vector<4xf32>
    %r = vector.extract %a[%i] : vector<4xf32> from vector<3x4xf32>
    return %r : vector<4xf32>
  }

  // CHECK-LABEL: func @row_inserted
  func.func @row_inserted(%a: vector<2x4xi8>, %b: vector<4xi8>, %i: index) -> vector<2x4xi8> {
    // CHECK-COUNT-2: arith.select %{{.+}} : vector<4xi8>
    // CHECK-NOT: vector.insert {{.+}}[%
    %r = vector.insert %b, %a[%i] : vector<4xi8> into vector<2x4xi8>
    return %r : vector<2x4xi8>
  }

  // An element of one row has an op of LLVM.
  // CHECK-LABEL: func @element
  func.func @element(%a: vector<4xf32>, %i: index) -> f32 {
    // CHECK: vector.extract %{{.+}}[%{{.+}}] : f32 from vector<4xf32>
    %r = vector.extract %a[%i] : f32 from vector<4xf32>
    return %r : f32
  }

  // CHECK-LABEL: func @deinterleaved
  func.func @deinterleaved(%a: vector<4xindex>) -> (vector<2xindex>, vector<2xindex>) {
    // CHECK: vector.shuffle %{{.+}} [0, 2]
    // CHECK: vector.shuffle %{{.+}} [1, 3]
    %e, %o = vector.deinterleave %a : vector<4xindex> -> vector<2xindex>
    return %e, %o : vector<2xindex>, vector<2xindex>
  }

  // CHECK-LABEL: func @scanned
  func.func @scanned(%a: vector<2x4xf32>, %b: vector<4xf32>) -> vector<2x4xf32> {
    // CHECK-NOT: vector.scan
    // CHECK: arith.addf
    %r, %last = vector.scan <add>, %a, %b {inclusive = true, reduction_dim = 0 : i64} : vector<2x4xf32>, vector<4xf32>
    return %r : vector<2x4xf32>
  }

  // CHECK-LABEL: func @scattered
  func.func @scattered(%x: memref<?xf32, #gl>, %i: index, %n: vector<2xi32>, %m: vector<2xi1>, %v: vector<2xf32>) {
    // CHECK-COUNT-2: scf.if
    // CHECK-NOT: vector.scatter
    vector.scatter %x[%i] [%n], %m, %v : memref<?xf32, #gl>, vector<2xi32>, vector<2xi1>, vector<2xf32>
    return
  }

  // Places go on behind the lanes that are on.
  // CHECK-LABEL: func @packed
  func.func @packed(%x: memref<?xf32, #gl>, %i: index, %m: vector<2xi1>, %v: vector<2xf32>) {
    // CHECK: scf.if %{{.+}} -> (f32)
    // CHECK: arith.extui %{{.+}} : i1 to i32
    // CHECK: scf.if %{{.+}} -> (f32)
    %w = vector.expandload %x[%i], %m, %v : memref<?xf32, #gl>, vector<2xi1>, vector<2xf32> into vector<2xf32>
    // CHECK-COUNT-2: scf.if
    // CHECK-NOT: vector.compressstore
    vector.compressstore %x[%i], %m, %w : memref<?xf32, #gl>, vector<2xi1>, vector<2xf32>
    return
  }
}
