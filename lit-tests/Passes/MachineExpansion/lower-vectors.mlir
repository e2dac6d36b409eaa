// carousel-lower-vectors leaves vector ops that convert to LLVM one by one.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-lower-vectors))' | FileCheck %s
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-lower-vectors))' \
// RUN:   | FileCheck %s --check-prefix=GONE

// GONE-NOT: vector.transfer_
// GONE-NOT: vector.contract
// GONE-NOT: vector.multi_reduction
// GONE-NOT: vector.gather
// GONE-NOT: vector.mask {{%.* \{}}
// GONE-NOT: vector.shape_cast

#gl = #gpu.address_space<global>

gpu.module @vectors {
  // What may be out of bounds is masked; what can't be is a plain access.
  // CHECK-LABEL: func @transfers
  // CHECK-SAME: (%[[X:.+]]: memref<?xf32, #gpu.address_space<global>>, %[[I:.+]]: index)
  func.func @transfers(%x: memref<?xf32, #gl>, %i: index) {
    %zero = arith.constant 0.0 : f32
    // CHECK: %[[MASK:.+]] = arith.cmpi
    // CHECK: %[[V:.+]] = vector.maskedload %[[X]][%[[I]]], %[[MASK]]
    %v = vector.transfer_read %x[%i], %zero : memref<?xf32, #gl>, vector<4xf32>
    // CHECK: vector.store %[[V]], %[[X]][%[[I]]]
    vector.transfer_write %v, %x[%i] {in_bounds = [true]} : vector<4xf32>, memref<?xf32, #gl>
    return
  }

  // CHECK-LABEL: func @contraction
  func.func @contraction(%a: vector<2x4xf32>, %b: vector<4x3xf32>, %c: vector<2x3xf32>) -> vector<2x3xf32> {
    // CHECK: vector.{{outerproduct|fma|broadcast}}
    %d = vector.contract {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                       affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]
    } %a, %b, %c : vector<2x4xf32>, vector<4x3xf32> into vector<2x3xf32>
    return %d : vector<2x3xf32>
  }

  // CHECK-LABEL: func @reduction
  // DOC-EXAMPLE: --carousel-lower-vectors
  func.func @reduction(%a: vector<2x4xf32>, %acc: vector<2xf32>) -> vector<2xf32> {
    // CHECK: vector.reduction <add>
    %d = vector.multi_reduction <add>, %a, %acc [1] : vector<2x4xf32> to vector<2xf32>
    return %d : vector<2xf32>
  }

  // Masked lanes change nothing: -0 in a sum of floats, NaN where a number wins over it.
  // CHECK-LABEL: func @masked
  // CHECK-SAME: (%[[A:.+]]: vector<4xf32>, %[[M:.+]]: vector<4xi1>, %[[ACC:.+]]: f32, %[[N:.+]]: vector<4xi8>)
  func.func @masked(%a: vector<4xf32>, %m: vector<4xi1>, %acc: f32, %n: vector<4xi8>) -> (f32, f32, i8) {
    // CHECK: %[[ZERO:.+]] = arith.constant dense<-0.000000e+00> : vector<4xf32>
    // CHECK: %[[LANES:.+]] = arith.select %[[M]], %[[A]], %[[ZERO]]
    // CHECK: vector.reduction <add>, %[[LANES]], %[[ACC]]
    %0 = vector.mask %m { vector.reduction <add>, %a, %acc : vector<4xf32> into f32 } : vector<4xi1> -> f32
    // CHECK: %[[NAN:.+]] = arith.constant dense<0x7FC00000> : vector<4xf32>
    // CHECK: %[[LANES:.+]] = arith.select %[[M]], %[[A]], %[[NAN]]
    // CHECK: vector.reduction <maxnumf>, %[[LANES]]
    %1 = vector.mask %m { vector.reduction <maxnumf>, %a : vector<4xf32> into f32 } : vector<4xi1> -> f32
    // CHECK: %[[LEAST:.+]] = arith.constant dense<-128> : vector<4xi8>
    // CHECK: %[[LANES:.+]] = arith.select %[[M]], %[[N]], %[[LEAST]]
    // CHECK: vector.reduction <maxsi>, %[[LANES]]
    %2 = vector.mask %m { vector.reduction <maxsi>, %n : vector<4xi8> into i8 } : vector<4xi1> -> i8
    return %0, %1, %2 : f32, f32, i8
  }

  // CHECK-LABEL: func @cast
  func.func @cast(%a: vector<2x4xf32>) -> vector<8xf32> {
    // CHECK: vector.extract
    %d = vector.shape_cast %a : vector<2x4xf32> to vector<8xf32>
    return %d : vector<8xf32>
  }

  // CHECK-LABEL: func @rows
  // CHECK-SAME: (%[[X:.+]]: memref<?x?xf32, #gpu.address_space<global>>, %[[I:.+]]: index)
  func.func @rows(%x: memref<?x?xf32, #gl>, %i: index) {
    // CHECK: vector.load %[[X]][%[[I]], %[[I]]] : {{.*}}, vector<4xf32>
    // CHECK: %[[NEXT:.+]] = arith.addi %[[I]]
    // CHECK: vector.load %[[X]][%[[NEXT]], %[[I]]] : {{.*}}, vector<4xf32>
    %v = vector.load %x[%i, %i] : memref<?x?xf32, #gl>, vector<2x4xf32>
    // CHECK-COUNT-2: vector.store {{.*}}, vector<4xf32>
    vector.store %v, %x[%i, %i] : memref<?x?xf32, #gl>, vector<2x4xf32>
    return
  }

  // CHECK-LABEL: func @elements
  // CHECK-SAME: (%[[A:.+]]: f32, %[[B:.+]]: f32)
  func.func @elements(%a: f32, %b: f32) -> vector<2x2xf32> {
    // CHECK-COUNT-2: vector.from_elements %{{.+}}, %{{.+}} : vector<2xf32>
    %v = vector.from_elements %a, %b, %b, %a : vector<2x2xf32>
    return %v : vector<2x2xf32>
  }
  // Narrow factors are extended to the sum's type, integers with their sign.
  // CHECK-LABEL: func @narrow_factors
  // CHECK-SAME: (%[[A:.+]]: vector<4xi8>, %[[B:.+]]: vector<4xi8>, %{{.+}}: i32, %[[H:.+]]: vector<4xf16>
  func.func @narrow_factors(%a: vector<4xi8>, %b: vector<4xi8>, %c: i32, %h: vector<4xf16>, %f: f32) -> (i32, f32) {
    // CHECK: %[[X:.+]] = arith.extsi %[[A]] : vector<4xi8> to vector<4xi32>
    // CHECK: %[[Y:.+]] = arith.extsi %[[B]] : vector<4xi8> to vector<4xi32>
    // CHECK: arith.muli %[[X]], %[[Y]]
    %d = vector.contract {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
      iterator_types = ["reduction"], kind = #vector.kind<add>
    } %a, %b, %c : vector<4xi8>, vector<4xi8> into i32
    // CHECK: arith.extf %[[H]] : vector<4xf16> to vector<4xf32>
    %e = vector.contract {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
      iterator_types = ["reduction"], kind = #vector.kind<add>
    } %h, %h, %f : vector<4xf16>, vector<4xf16> into f32
    return %d, %e : i32, f32
  }

  // Elements move into and out of vectors that have no registers one by one, and shuffles of narrower ones stay.
  // CHECK-LABEL: func @wide_slices
  // CHECK-SAME: (%[[WIDE:.+]]: vector<33xbf16>, %[[NARROW:.+]]: vector<8xbf16>, %[[TWO:.+]]: vector<2xbf16>)
  func.func @wide_slices(%wide: vector<33xbf16>, %narrow: vector<8xbf16>, %two: vector<2xbf16>)
      -> (vector<33xbf16>, vector<2xbf16>, vector<2xbf16>, vector<8xbf16>) {
    // CHECK: %[[X:.+]] = vector.extract %[[TWO]][0]
    // CHECK: %[[ONE:.+]] = vector.insert %[[X]], %[[WIDE]] [30]
    // CHECK: %[[Y:.+]] = vector.extract %[[TWO]][1]
    // CHECK: %[[BOTH:.+]] = vector.insert %[[Y]], %[[ONE]] [31]
    %a = vector.insert_strided_slice %two, %wide {offsets = [30], strides = [1]} : vector<2xbf16> into vector<33xbf16>
    // CHECK-DAG: %[[SIXTH:.+]] = vector.extract %[[WIDE]][6]
    // CHECK-DAG: %[[SEVENTH:.+]] = vector.extract %[[WIDE]][7]
    // CHECK: %[[SLICE:.+]] = vector.from_elements %[[SIXTH]], %[[SEVENTH]]
    %b = vector.extract_strided_slice %wide {offsets = [6], sizes = [2], strides = [1]} : vector<33xbf16> to vector<2xbf16>
    // CHECK-DAG: %[[LAST:.+]] = vector.extract %[[WIDE]][32]
    // CHECK-DAG: %[[OTHER:.+]] = vector.extract %[[TWO]][1]
    // CHECK: %[[MIXED:.+]] = vector.from_elements %[[LAST]], %[[OTHER]]
    %c = vector.shuffle %wide, %two [32, 34] : vector<33xbf16>, vector<2xbf16>
    // CHECK: vector.shuffle %[[TWO]], %[[TWO]]
    // CHECK-NEXT: %[[STAYS:.+]] = vector.shuffle
    %d = vector.insert_strided_slice %two, %narrow {offsets = [3], strides = [1]} : vector<2xbf16> into vector<8xbf16>
    // CHECK: return %[[BOTH]], %[[SLICE]], %[[MIXED]], %[[STAYS]]
    return %a, %b, %c, %d : vector<33xbf16>, vector<2xbf16>, vector<2xbf16>, vector<8xbf16>
  }
}
