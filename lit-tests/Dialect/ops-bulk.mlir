// Round trip of every bulk op and every asynchronous store in every form, pretty and generic.
// RUN: carousel-opt %s | carousel-opt | FileCheck %s
// RUN: carousel-opt %s --mlir-print-op-generic | carousel-opt | FileCheck %s

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>
#cluster = #nvvm.memory_space<shared_cluster>

// CHECK-LABEL: func @load
// DOC-EXAMPLE: carousel.bulk.load
func.func @load(%x: memref<?xf32, #gl>, %tile: memref<4x2048xf32, #ws>,
                %full: memref<4x!carousel.mbarrier, #ws>, %peer: memref<64xf32, #cluster>,
                %peer_full: memref<!carousel.mbarrier, #cluster>, %i: index, %slot: index,
                %bytes: i32, %mask: i16, %policy: i64) {
  %c0 = arith.constant 0 : index
  // CHECK: carousel.bulk.load %[[X:.+]][%[[I:.+]]] to %[[TILE:.+]][%[[SLOT:.+]], %[[C0:.+]]], 8192 signals %[[FULL:.+]][%[[SLOT]]] : memref<?xf32, #gpu.address_space<global>>, memref<4x2048xf32, #gpu.address_space<workgroup>>, memref<4x!carousel.mbarrier, #gpu.address_space<workgroup>>
  carousel.bulk.load %x[%i] to %tile[%slot, %c0], 8192 signals %full[%slot]
      : memref<?xf32, #gpu.address_space<global>>,
        memref<4x2048xf32, #gpu.address_space<workgroup>>,
        memref<4x!carousel.mbarrier, #gpu.address_space<workgroup>>
  // CHECK: carousel.bulk.load %[[X]][%[[I]]] to %[[TILE]][%[[SLOT]], %[[C0]]], %[[BYTES:.+]] signals %[[FULL]][%[[SLOT]]] multicast %[[MASK:.+]] cache %[[POLICY:.+]] : memref
  carousel.bulk.load %x[%i] to %tile[%slot, %c0], %bytes signals %full[%slot] multicast %mask
      cache %policy
      : memref<?xf32, #gl>, memref<4x2048xf32, #ws>, memref<4x!carousel.mbarrier, #ws>
  // CHECK: carousel.bulk.load %[[X]][%[[I]]] to %[[TILE]][%[[SLOT]], %[[C0]]], 16 signals %[[FULL]][%[[SLOT]]] cache %[[POLICY]] : memref
  carousel.bulk.load %x[%i] to %tile[%slot, %c0], 16 signals %full[%slot] cache %policy
      : memref<?xf32, #gl>, memref<4x2048xf32, #ws>, memref<4x!carousel.mbarrier, #ws>
  // CHECK: carousel.bulk.load %[[X]][%[[I]]] to %{{.+}}[%[[C0]]], 256 signals %{{.+}}[] : memref<{{.+}}>, memref<64xf32, #nvvm.memory_space<shared_cluster>>, memref<!carousel.mbarrier, #nvvm.memory_space<shared_cluster>>
  carousel.bulk.load %x[%i] to %peer[%c0], 256 signals %peer_full[]
      : memref<?xf32, #gl>, memref<64xf32, #cluster>, memref<!carousel.mbarrier, #cluster>
  return
}

// CHECK-LABEL: func @store
// DOC-EXAMPLE: carousel.bulk.store
func.func @store(%tile: memref<4x2048xf32, #ws>, %y: memref<?xf32, #gl>, %i: index, %slot: index,
                 %bytes: i32, %mask: i16, %policy: i64) {
  %c0 = arith.constant 0 : index
  // CHECK: carousel.bulk.store %[[TILE:.+]][%[[SLOT:.+]], %[[C0:.+]]] to %[[Y:.+]][%[[I:.+]]], 8192 : memref<4x2048xf32, #gpu.address_space<workgroup>>, memref<?xf32, #gpu.address_space<global>>
  carousel.bulk.store %tile[%slot, %c0] to %y[%i], 8192
      : memref<4x2048xf32, #gpu.address_space<workgroup>>,
        memref<?xf32, #gpu.address_space<global>>
  // CHECK: carousel.bulk.store %[[TILE]][%[[SLOT]], %[[C0]]] to %[[Y]][%[[I]]], %[[BYTES:.+]] mask %[[MASK:.+]] cache %[[POLICY:.+]] : memref
  carousel.bulk.store %tile[%slot, %c0] to %y[%i], %bytes mask %mask cache %policy
      : memref<4x2048xf32, #ws>, memref<?xf32, #gl>
  // CHECK: carousel.bulk.store %[[TILE]][%[[SLOT]], %[[C0]]] to %[[Y]][%[[I]]], 16 mask %[[MASK]] : memref
  carousel.bulk.store %tile[%slot, %c0] to %y[%i], 16 mask %mask
      : memref<4x2048xf32, #ws>, memref<?xf32, #gl>
  // CHECK: carousel.bulk.store %[[TILE]][%[[SLOT]], %[[C0]]] to %[[Y]][%[[I]]], 16 cache %[[POLICY]] : memref
  carousel.bulk.store %tile[%slot, %c0] to %y[%i], 16 cache %policy
      : memref<4x2048xf32, #ws>, memref<?xf32, #gl>
  return
}

// CHECK-LABEL: func @copy_cluster
// DOC-EXAMPLE: carousel.bulk.copy_cluster
func.func @copy_cluster(%tile: memref<1024xf32, #ws>, %peer: memref<1024xf32, #cluster>,
                        %peer_full: memref<4x!carousel.mbarrier, #cluster>, %slot: index,
                        %bytes: i32) {
  %c0 = arith.constant 0 : index
  // CHECK: carousel.bulk.copy_cluster %[[TILE:.+]][%[[C0:.+]]] to %[[PEER:.+]][%[[C0]]], 4096 signals %[[FULL:.+]][%[[SLOT:.+]]] : memref<1024xf32, #gpu.address_space<workgroup>>, memref<1024xf32, #nvvm.memory_space<shared_cluster>>, memref<4x!carousel.mbarrier, #nvvm.memory_space<shared_cluster>>
  carousel.bulk.copy_cluster %tile[%c0] to %peer[%c0], 4096 signals %peer_full[%slot]
      : memref<1024xf32, #gpu.address_space<workgroup>>,
        memref<1024xf32, #nvvm.memory_space<shared_cluster>>,
        memref<4x!carousel.mbarrier, #nvvm.memory_space<shared_cluster>>
  // CHECK: carousel.bulk.copy_cluster %[[TILE]][%[[C0]]] to %[[PEER]][%[[C0]]], %{{.+}} signals %[[FULL]][%[[SLOT]]] : memref
  carousel.bulk.copy_cluster %tile[%c0] to %peer[%c0], %bytes signals %peer_full[%slot]
      : memref<1024xf32, #ws>, memref<1024xf32, #cluster>, memref<4x!carousel.mbarrier, #cluster>
  return
}

// CHECK-LABEL: func @reduce
// DOC-EXAMPLE: carousel.bulk.reduce
func.func @reduce(%tile: memref<1024xf32, #ws>, %sum: memref<?xf32, #gl>, %i: index, %bytes: i32,
                  %policy: i64) {
  %c0 = arith.constant 0 : index
  // CHECK: carousel.bulk.reduce add f32 %[[TILE:.+]][%[[C0:.+]]] to %[[SUM:.+]][%[[I:.+]]], 4096 : memref<1024xf32, #gpu.address_space<workgroup>>, memref<?xf32, #gpu.address_space<global>>
  carousel.bulk.reduce add f32 %tile[%c0] to %sum[%i], 4096
      : memref<1024xf32, #gpu.address_space<workgroup>>,
        memref<?xf32, #gpu.address_space<global>>
  // CHECK: carousel.bulk.reduce add f32 %[[TILE]][%[[C0]]] to %[[SUM]][%[[I]]], %{{.+}} cache %{{.+}} : memref
  carousel.bulk.reduce add f32 %tile[%c0] to %sum[%i], %bytes cache %policy
      : memref<1024xf32, #ws>, memref<?xf32, #gl>
  return
}

// Every kind with every type that it has in global memory.
// CHECK-LABEL: func @reduce_kinds
func.func @reduce_kinds(%t32: memref<64xi32, #ws>, %x32: memref<?xi32, #gl>,
                        %t64: memref<64xi64, #ws>, %x64: memref<?xi64, #gl>,
                        %tf16: memref<64xf16, #ws>, %xf16: memref<?xf16, #gl>,
                        %tbf16: memref<64xbf16, #ws>, %xbf16: memref<?xbf16, #gl>,
                        %tf64: memref<64xf64, #ws>, %xf64: memref<?xf64, #gl>, %i: index) {
  // CHECK: carousel.bulk.reduce add u32
  carousel.bulk.reduce add u32 %t32[%i] to %x32[%i], 16 : memref<64xi32, #ws>, memref<?xi32, #gl>
  // CHECK: carousel.bulk.reduce add s32
  carousel.bulk.reduce add s32 %t32[%i] to %x32[%i], 16 : memref<64xi32, #ws>, memref<?xi32, #gl>
  // CHECK: carousel.bulk.reduce add u64
  carousel.bulk.reduce add u64 %t64[%i] to %x64[%i], 16 : memref<64xi64, #ws>, memref<?xi64, #gl>
  // CHECK: carousel.bulk.reduce add f16
  carousel.bulk.reduce add f16 %tf16[%i] to %xf16[%i], 16 : memref<64xf16, #ws>, memref<?xf16, #gl>
  // CHECK: carousel.bulk.reduce add bf16
  carousel.bulk.reduce add bf16 %tbf16[%i] to %xbf16[%i], 16
      : memref<64xbf16, #ws>, memref<?xbf16, #gl>
  // CHECK: carousel.bulk.reduce add f64
  carousel.bulk.reduce add f64 %tf64[%i] to %xf64[%i], 16 : memref<64xf64, #ws>, memref<?xf64, #gl>
  // CHECK: carousel.bulk.reduce min u32
  carousel.bulk.reduce min u32 %t32[%i] to %x32[%i], 16 : memref<64xi32, #ws>, memref<?xi32, #gl>
  // CHECK: carousel.bulk.reduce min s64
  carousel.bulk.reduce min s64 %t64[%i] to %x64[%i], 16 : memref<64xi64, #ws>, memref<?xi64, #gl>
  // CHECK: carousel.bulk.reduce max s32
  carousel.bulk.reduce max s32 %t32[%i] to %x32[%i], 16 : memref<64xi32, #ws>, memref<?xi32, #gl>
  // CHECK: carousel.bulk.reduce max u64
  carousel.bulk.reduce max u64 %t64[%i] to %x64[%i], 16 : memref<64xi64, #ws>, memref<?xi64, #gl>
  // CHECK: carousel.bulk.reduce min f16
  carousel.bulk.reduce min f16 %tf16[%i] to %xf16[%i], 16 : memref<64xf16, #ws>, memref<?xf16, #gl>
  // CHECK: carousel.bulk.reduce max bf16
  carousel.bulk.reduce max bf16 %tbf16[%i] to %xbf16[%i], 16
      : memref<64xbf16, #ws>, memref<?xbf16, #gl>
  // CHECK: carousel.bulk.reduce inc u32
  carousel.bulk.reduce inc u32 %t32[%i] to %x32[%i], 16 : memref<64xi32, #ws>, memref<?xi32, #gl>
  // CHECK: carousel.bulk.reduce dec u32
  carousel.bulk.reduce dec u32 %t32[%i] to %x32[%i], 16 : memref<64xi32, #ws>, memref<?xi32, #gl>
  // CHECK: carousel.bulk.reduce and b32
  carousel.bulk.reduce and b32 %t32[%i] to %x32[%i], 16 : memref<64xi32, #ws>, memref<?xi32, #gl>
  // CHECK: carousel.bulk.reduce or b64
  carousel.bulk.reduce or b64 %t64[%i] to %x64[%i], 16 : memref<64xi64, #ws>, memref<?xi64, #gl>
  // CHECK: carousel.bulk.reduce xor b32
  carousel.bulk.reduce xor b32 %t32[%i] to %x32[%i], 16 : memref<64xi32, #ws>, memref<?xi32, #gl>
  return
}

// CHECK-LABEL: func @reduce_cluster
// DOC-EXAMPLE: carousel.bulk.reduce_cluster
func.func @reduce_cluster(%tile: memref<1024xi32, #ws>, %peer: memref<1024xi32, #cluster>,
                          %peer_full: memref<4x!carousel.mbarrier, #cluster>, %slot: index,
                          %bytes: i32) {
  %c0 = arith.constant 0 : index
  // CHECK: carousel.bulk.reduce_cluster add u32 %[[TILE:.+]][%[[C0:.+]]] to %[[PEER:.+]][%[[C0]]], 4096 signals %[[FULL:.+]][%[[SLOT:.+]]] : memref<1024xi32, #gpu.address_space<workgroup>>, memref<1024xi32, #nvvm.memory_space<shared_cluster>>, memref<4x!carousel.mbarrier, #nvvm.memory_space<shared_cluster>>
  carousel.bulk.reduce_cluster add u32 %tile[%c0] to %peer[%c0], 4096 signals %peer_full[%slot]
      : memref<1024xi32, #gpu.address_space<workgroup>>,
        memref<1024xi32, #nvvm.memory_space<shared_cluster>>,
        memref<4x!carousel.mbarrier, #nvvm.memory_space<shared_cluster>>
  // CHECK: carousel.bulk.reduce_cluster xor b32 %[[TILE]][%[[C0]]] to %[[PEER]][%[[C0]]], %{{.+}} signals %[[FULL]][%[[SLOT]]] : memref
  carousel.bulk.reduce_cluster xor b32 %tile[%c0] to %peer[%c0], %bytes signals %peer_full[%slot]
      : memref<1024xi32, #ws>, memref<1024xi32, #cluster>, memref<4x!carousel.mbarrier, #cluster>
  return
}

// CHECK-LABEL: func @prefetch
// DOC-EXAMPLE: carousel.bulk.prefetch
func.func @prefetch(%x: memref<?xf32, #gl>, %i: index, %bytes: i32, %policy: i64) {
  // CHECK: carousel.bulk.prefetch %[[X:.+]][%[[I:.+]]], 8192 : memref<?xf32, #gpu.address_space<global>>
  carousel.bulk.prefetch %x[%i], 8192 : memref<?xf32, #gpu.address_space<global>>
  // CHECK: carousel.bulk.prefetch %[[X]][%[[I]]], %{{.+}} cache %{{.+}} : memref
  carousel.bulk.prefetch %x[%i], %bytes cache %policy : memref<?xf32, #gl>
  return
}

// CHECK-LABEL: func @groups
// DOC-EXAMPLE: carousel.bulk.commit_group, carousel.bulk.wait_group
func.func @groups() {
  // CHECK: carousel.bulk.commit_group
  carousel.bulk.commit_group
  // CHECK: carousel.bulk.wait_group read 1
  carousel.bulk.wait_group read 1
  // CHECK: carousel.bulk.wait_group complete 0
  carousel.bulk.wait_group complete 0
  return
}

// CHECK-LABEL: func @st_async
// DOC-EXAMPLE: carousel.st_async
func.func @st_async(%v: f32, %peer: memref<64xf32, #cluster>,
                    %peer_full: memref<4x!carousel.mbarrier, #cluster>, %i: index, %slot: index,
                    %n: i64, %peer_i64: memref<64xi64, #cluster>, %v4: vector<4xf32>,
                    %n2: vector<2xi64>) {
  // CHECK: carousel.st_async %{{.+}} to %[[PEER:.+]][%[[I:.+]]] signals %[[FULL:.+]][%[[SLOT:.+]]] : f32, memref<64xf32, #nvvm.memory_space<shared_cluster>>, memref<4x!carousel.mbarrier, #nvvm.memory_space<shared_cluster>>
  carousel.st_async %v to %peer[%i] signals %peer_full[%slot]
      : f32, memref<64xf32, #nvvm.memory_space<shared_cluster>>,
        memref<4x!carousel.mbarrier, #nvvm.memory_space<shared_cluster>>
  // CHECK: carousel.st_async %{{.+}} to %{{.+}}[%[[I]]] signals %[[FULL]][%[[SLOT]]] : i64, memref
  carousel.st_async %n to %peer_i64[%i] signals %peer_full[%slot]
      : i64, memref<64xi64, #cluster>, memref<4x!carousel.mbarrier, #cluster>
  // CHECK: carousel.st_async %{{.+}} to %[[PEER]][%[[I]]] signals %[[FULL]][%[[SLOT]]] : vector<4xf32>, memref
  carousel.st_async %v4 to %peer[%i] signals %peer_full[%slot]
      : vector<4xf32>, memref<64xf32, #cluster>, memref<4x!carousel.mbarrier, #cluster>
  // CHECK: carousel.st_async %{{.+}} to %{{.+}}[%[[I]]] signals %[[FULL]][%[[SLOT]]] : vector<2xi64>, memref
  carousel.st_async %n2 to %peer_i64[%i] signals %peer_full[%slot]
      : vector<2xi64>, memref<64xi64, #cluster>, memref<4x!carousel.mbarrier, #cluster>
  return
}

// CHECK-LABEL: func @st_async_global
// DOC-EXAMPLE: carousel.st_async_global
func.func @st_async_global(%v: i32, %flags: memref<?xi32, #gl>, %byte: i8, %bytes: memref<?xi8, #gl>,
                           %d: f64, %doubles: memref<?xf64, #gl>, %i: index) {
  // CHECK: carousel.st_async_global %{{.+}} to %{{.+}}[%[[I:.+]]] scope(gpu) : i32, memref<?xi32, #gpu.address_space<global>>
  carousel.st_async_global %v to %flags[%i] scope(gpu) : i32, memref<?xi32, #gpu.address_space<global>>
  // CHECK: carousel.st_async_global %{{.+}} to %{{.+}}[%[[I]]] scope(sys) mmio : i8, memref
  carousel.st_async_global %byte to %bytes[%i] scope(sys) mmio : i8, memref<?xi8, #gl>
  // CHECK: carousel.st_async_global %{{.+}} to %{{.+}}[%[[I]]] scope(sys) : f64, memref
  carousel.st_async_global %d to %doubles[%i] scope(sys) : f64, memref<?xf64, #gl>
  return
}

// CHECK-LABEL: func @red_async
// DOC-EXAMPLE: carousel.red_async
func.func @red_async(%v: i32, %peer: memref<64xi32, #cluster>, %n: i64,
                     %peer_i64: memref<64xi64, #cluster>,
                     %peer_full: memref<4x!carousel.mbarrier, #cluster>, %i: index, %slot: index) {
  // CHECK: carousel.red_async add u32 %{{.+}} to %[[PEER:.+]][%[[I:.+]]] signals %[[FULL:.+]][%[[SLOT:.+]]] : i32, memref<64xi32, #nvvm.memory_space<shared_cluster>>, memref<4x!carousel.mbarrier, #nvvm.memory_space<shared_cluster>>
  carousel.red_async add u32 %v to %peer[%i] signals %peer_full[%slot]
      : i32, memref<64xi32, #nvvm.memory_space<shared_cluster>>,
        memref<4x!carousel.mbarrier, #nvvm.memory_space<shared_cluster>>
  // CHECK: carousel.red_async add u64
  carousel.red_async add u64 %n to %peer_i64[%i] signals %peer_full[%slot]
      : i64, memref<64xi64, #cluster>, memref<4x!carousel.mbarrier, #cluster>
  // CHECK: carousel.red_async min s32
  carousel.red_async min s32 %v to %peer[%i] signals %peer_full[%slot]
      : i32, memref<64xi32, #cluster>, memref<4x!carousel.mbarrier, #cluster>
  // CHECK: carousel.red_async and b32
  carousel.red_async and b32 %v to %peer[%i] signals %peer_full[%slot]
      : i32, memref<64xi32, #cluster>, memref<4x!carousel.mbarrier, #cluster>
  return
}

// CHECK-LABEL: func @red_async_global
// DOC-EXAMPLE: carousel.red_async_global
func.func @red_async_global(%v: i32, %count: memref<?xi32, #gl>, %n: i64, %wide: memref<?xi64, #gl>,
                            %i: index) {
  // CHECK: carousel.red_async_global u32 %{{.+}} to %{{.+}}[%[[I:.+]]] scope(gpu) : i32, memref<?xi32, #gpu.address_space<global>>
  carousel.red_async_global u32 %v to %count[%i] scope(gpu)
      : i32, memref<?xi32, #gpu.address_space<global>>
  // CHECK: carousel.red_async_global s64 %{{.+}} to %{{.+}}[%[[I]]] scope(sys) mmio : i64, memref
  carousel.red_async_global s64 %n to %wide[%i] scope(sys) mmio : i64, memref<?xi64, #gl>
  return
}
