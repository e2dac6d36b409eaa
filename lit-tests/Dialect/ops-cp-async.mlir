// Round trip of cp.async, cache policies and prefetches in every form, pretty and generic.
// RUN: carousel-opt %s | carousel-opt | FileCheck %s
// RUN: carousel-opt %s --mlir-print-op-generic | carousel-opt | FileCheck %s

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// CHECK-LABEL: func @copy
// DOC-EXAMPLE: carousel.cp_async.copy
func.func @copy(%x: memref<?xf32, #gl>, %tile: memref<4x1024xf32, #ws>, %i: index, %j: index,
                %slot: index, %n: i32, %skip: i1, %policy: i64) {
  // CHECK: carousel.cp_async.copy cg %[[X:.+]][%[[I:.+]]] to %[[TILE:.+]][%[[SLOT:.+]], %[[J:.+]]], 16 valid %[[N:.+]] : memref<?xf32, #gpu.address_space<global>>, memref<4x1024xf32, #gpu.address_space<workgroup>>
  carousel.cp_async.copy cg %x[%i] to %tile[%slot, %j], 16 valid %n
      : memref<?xf32, #gpu.address_space<global>>,
        memref<4x1024xf32, #gpu.address_space<workgroup>>
  // CHECK: carousel.cp_async.copy ca %[[X]][%[[I]]] to %[[TILE]][%[[SLOT]], %[[J]]], 4 : memref
  carousel.cp_async.copy ca %x[%i] to %tile[%slot, %j], 4
      : memref<?xf32, #gl>, memref<4x1024xf32, #ws>
  // CHECK: carousel.cp_async.copy ca %[[X]][%[[I]]] to %[[TILE]][%[[SLOT]], %[[J]]], 8 ignore %[[SKIP:.+]] : memref
  carousel.cp_async.copy ca %x[%i] to %tile[%slot, %j], 8 ignore %skip
      : memref<?xf32, #gl>, memref<4x1024xf32, #ws>
  // CHECK: carousel.cp_async.copy ca %[[X]][%[[I]]] to %[[TILE]][%[[SLOT]], %[[J]]], 16 l2_prefetch(64) : memref
  carousel.cp_async.copy ca %x[%i] to %tile[%slot, %j], 16 l2_prefetch(64)
      : memref<?xf32, #gl>, memref<4x1024xf32, #ws>
  // CHECK: carousel.cp_async.copy cg %[[X]][%[[I]]] to %[[TILE]][%[[SLOT]], %[[J]]], 16 cache %[[POLICY:.+]] : memref
  carousel.cp_async.copy cg %x[%i] to %tile[%slot, %j], 16 cache %policy
      : memref<?xf32, #gl>, memref<4x1024xf32, #ws>
  // CHECK: carousel.cp_async.copy cg %[[X]][%[[I]]] to %[[TILE]][%[[SLOT]], %[[J]]], 16 ignore %[[SKIP]] l2_prefetch(256) cache %[[POLICY]] : memref
  carousel.cp_async.copy cg %x[%i] to %tile[%slot, %j], 16 ignore %skip l2_prefetch(256)
      cache %policy : memref<?xf32, #gl>, memref<4x1024xf32, #ws>
  return
}

// No more than the valid bytes are read of rows that are shorter than a piece.
// CHECK-LABEL: func @short_rows
func.func @short_rows(%x: memref<8x2xf32, strided<[4, 1]>, #gl>, %tile: memref<1024xf32, #ws>, %i: index, %n: i32) {
  %c0 = arith.constant 0 : index
  // CHECK: carousel.cp_async.copy cg %{{.+}}, 16 valid
  carousel.cp_async.copy cg %x[%i, %c0] to %tile[%i], 16 valid %n
      : memref<8x2xf32, strided<[4, 1]>, #gl>, memref<1024xf32, #ws>
  return
}

// CHECK-LABEL: func @groups
// DOC-EXAMPLE: carousel.cp_async.commit_group, carousel.cp_async.wait_all
// DOC-EXAMPLE: carousel.cp_async.wait_group
func.func @groups() {
  // CHECK: carousel.cp_async.commit_group
  carousel.cp_async.commit_group
  // CHECK: carousel.cp_async.wait_group 2
  carousel.cp_async.wait_group 2
  // CHECK: carousel.cp_async.wait_all
  carousel.cp_async.wait_all
  return
}

// CHECK-LABEL: func @mbarrier_arrive
// DOC-EXAMPLE: carousel.cp_async.mbarrier_arrive
func.func @mbarrier_arrive(%full: memref<4x!carousel.mbarrier, #ws>, %slot: index) {
  // CHECK: carousel.cp_async.mbarrier_arrive %[[FULL:.+]][%[[SLOT:.+]]] noinc : memref<4x!carousel.mbarrier, #gpu.address_space<workgroup>>
  carousel.cp_async.mbarrier_arrive %full[%slot] noinc
      : memref<4x!carousel.mbarrier, #gpu.address_space<workgroup>>
  // CHECK: carousel.cp_async.mbarrier_arrive %[[FULL]][%[[SLOT]]] : memref
  carousel.cp_async.mbarrier_arrive %full[%slot] : memref<4x!carousel.mbarrier, #ws>
  return
}

// CHECK-LABEL: func @cache_policy_fractional
// DOC-EXAMPLE: carousel.cache_policy.fractional
func.func @cache_policy_fractional() {
  // CHECK: carousel.cache_policy.fractional evict_last otherwise evict_unchanged fraction(2.5{{.*}})
  %policy = carousel.cache_policy.fractional evict_last otherwise evict_unchanged fraction(0.25)
  // CHECK: carousel.cache_policy.fractional evict_normal{{$}}
  %0 = carousel.cache_policy.fractional evict_normal
  // CHECK: carousel.cache_policy.fractional evict_first otherwise evict_first{{$}}
  %1 = carousel.cache_policy.fractional evict_first otherwise evict_first
  // CHECK: carousel.cache_policy.fractional evict_unchanged fraction(1.0{{.*}})
  %2 = carousel.cache_policy.fractional evict_unchanged fraction(1.0)
  return
}

// CHECK-LABEL: func @cache_policy_range
// DOC-EXAMPLE: carousel.cache_policy.range
func.func @cache_policy_range(%x: memref<?xf32, #gl>, %i: index, %primary: i32, %total: i32) {
  // CHECK: carousel.cache_policy.range evict_last otherwise evict_first %[[X:.+]][%[[I:.+]]], %[[PRIMARY:.+]], %[[TOTAL:.+]] : memref<?xf32, #gpu.address_space<global>>
  %policy = carousel.cache_policy.range evict_last otherwise evict_first %x[%i], %primary, %total
      : memref<?xf32, #gpu.address_space<global>>
  // CHECK: carousel.cache_policy.range evict_normal %[[X]][%[[I]]], %[[PRIMARY]], %[[TOTAL]] : memref
  %0 = carousel.cache_policy.range evict_normal %x[%i], %primary, %total : memref<?xf32, #gl>
  return
}

// CHECK-LABEL: func @cache_policy_convert
// DOC-EXAMPLE: carousel.cache_policy.convert
func.func @cache_policy_convert(%property: i64) {
  // CHECK: carousel.cache_policy.convert %{{.+}}
  %policy = carousel.cache_policy.convert %property
  return
}

// CHECK-LABEL: func @prefetch
// DOC-EXAMPLE: carousel.prefetch
func.func @prefetch(%x: memref<?xf32, #gl>, %i: index) {
  // CHECK: carousel.prefetch l2 %[[X:.+]][%[[I:.+]]] : memref<?xf32, #gpu.address_space<global>>
  carousel.prefetch l2 %x[%i] : memref<?xf32, #gpu.address_space<global>>
  // CHECK: carousel.prefetch l1 %[[X]][%[[I]]]
  carousel.prefetch l1 %x[%i] : memref<?xf32, #gl>
  // CHECK: carousel.prefetch l2_evict_last %[[X]][%[[I]]]
  carousel.prefetch l2_evict_last %x[%i] : memref<?xf32, #gl>
  // CHECK: carousel.prefetch l2_evict_normal %[[X]][%[[I]]]
  carousel.prefetch l2_evict_normal %x[%i] : memref<?xf32, #gl>
  // CHECK: carousel.prefetch uniform_l1 %[[X]][%[[I]]]
  carousel.prefetch uniform_l1 %x[%i] : memref<?xf32, #gl>
  return
}
