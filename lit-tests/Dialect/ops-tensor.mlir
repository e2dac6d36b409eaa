// Round trip of every tensor copy and tensor map op in every form, pretty and generic.
// RUN: carousel-opt %s | carousel-opt | FileCheck %s
// RUN: carousel-opt %s --mlir-print-op-generic | carousel-opt | FileCheck %s

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>
#cluster = #nvvm.memory_space<shared_cluster>

!map = !carousel.tensor_map<64x64xbf16, swizzle = b128>
!rows = !carousel.tensor_map<1x64xbf16>
!im2col = !carousel.tensor_map<64x32xbf16, mode = im2col, rank = 4, lower = [0, 0], upper = [0, 0]>
!im2col_w = !carousel.tensor_map<64x32xbf16, mode = im2col_w, rank = 4, swizzle = b64, lower = [0], upper = [0]>
!im2col_w_128 = !carousel.tensor_map<128x32xbf16, mode = im2col_w_128, rank = 4, swizzle = b64, lower = [0], upper = [0]>

// CHECK-LABEL: func @load
// DOC-EXAMPLE: carousel.tensor.load
func.func @load(%map: !map, %tile: memref<4x64x64xbf16, #ws>,
                %full: memref<4x!carousel.mbarrier, #ws>, %peer: memref<64x64xbf16, #cluster>,
                %peer_full: memref<!carousel.mbarrier, #cluster>, %row: i32, %col: i32,
                %slot: index, %mask: i16, %policy: i64) {
  %c0 = arith.constant 0 : index
  // CHECK: carousel.tensor.load %[[MAP:.+]][%[[ROW:.+]], %[[COL:.+]]] to %[[TILE:.+]][%[[SLOT:.+]], %[[C0:.+]], %[[C0]]] signals %[[FULL:.+]][%[[SLOT]]] : !carousel.tensor_map<64x64xbf16, swizzle = b128>, memref<4x64x64xbf16, #gpu.address_space<workgroup>>, memref<4x!carousel.mbarrier, #gpu.address_space<workgroup>>
  carousel.tensor.load %map[%row, %col] to %tile[%slot, %c0, %c0] signals %full[%slot]
      : !carousel.tensor_map<64x64xbf16, swizzle = b128>,
        memref<4x64x64xbf16, #gpu.address_space<workgroup>>,
        memref<4x!carousel.mbarrier, #gpu.address_space<workgroup>>
  // The default is not printed.
  // CHECK: carousel.tensor.load %[[MAP]][%[[ROW]], %[[COL]]] to %[[TILE]][%[[SLOT]], %[[C0]], %[[C0]]] signals %[[FULL]][%[[SLOT]]] multicast %[[MASK:.+]] cache %[[POLICY:.+]] : !carousel.tensor_map
  carousel.tensor.load %map[%row, %col] mode(tile) to %tile[%slot, %c0, %c0] signals %full[%slot]
      multicast %mask cache %policy
      : !map, memref<4x64x64xbf16, #ws>, memref<4x!carousel.mbarrier, #ws>
  // CHECK: carousel.tensor.load {{.+}} signals %[[FULL]][%[[SLOT]]] multicast %[[MASK]] cta_group(2) : !carousel.tensor_map
  carousel.tensor.load %map[%row, %col] to %tile[%slot, %c0, %c0] signals %full[%slot]
      multicast %mask cta_group(2)
      : !map, memref<4x64x64xbf16, #ws>, memref<4x!carousel.mbarrier, #ws>
  // CHECK: carousel.tensor.load {{.+}} to %{{.+}}[%[[C0]], %[[C0]]] signals %{{.+}}[] cache %[[POLICY]] cta_group(1) : !carousel{{.+}}, memref<64x64xbf16, #nvvm.memory_space<shared_cluster>>, memref<!carousel.mbarrier, #nvvm.memory_space<shared_cluster>>
  carousel.tensor.load %map[%row, %col] to %peer[%c0, %c0] signals %peer_full[] cache %policy
      cta_group(1) : !map, memref<64x64xbf16, #cluster>, memref<!carousel.mbarrier, #cluster>
  return
}

// One coordinate per dimension.
// CHECK-LABEL: func @load_ranks
func.func @load_ranks(%map1: !carousel.tensor_map<64xf32>, %map3: !carousel.tensor_map<4x4x4xf32>,
                      %map5: !carousel.tensor_map<1x2x2x4x4xf32>, %tile: memref<64xf32, #ws>,
                      %full: memref<!carousel.mbarrier, #ws>, %c: i32) {
  %c0 = arith.constant 0 : index
  // CHECK: carousel.tensor.load %{{.+}}[%[[C:.+]]] to
  carousel.tensor.load %map1[%c] to %tile[%c0] signals %full[]
      : !carousel.tensor_map<64xf32>, memref<64xf32, #ws>, memref<!carousel.mbarrier, #ws>
  // CHECK: carousel.tensor.load %{{.+}}[%[[C]], %[[C]], %[[C]]] to
  carousel.tensor.load %map3[%c, %c, %c] to %tile[%c0] signals %full[]
      : !carousel.tensor_map<4x4x4xf32>, memref<64xf32, #ws>, memref<!carousel.mbarrier, #ws>
  // CHECK: carousel.tensor.load %{{.+}}[%[[C]], %[[C]], %[[C]], %[[C]], %[[C]]] to
  carousel.tensor.load %map5[%c, %c, %c, %c, %c] to %tile[%c0] signals %full[]
      : !carousel.tensor_map<1x2x2x4x4xf32>, memref<64xf32, #ws>, memref<!carousel.mbarrier, #ws>
  return
}

// CHECK-LABEL: func @load_modes
func.func @load_modes(%rows: !rows, %im2col: !im2col, %w: !im2col_w, %w128: !im2col_w_128,
                      %tile: memref<64x64xbf16, #ws>, %full: memref<!carousel.mbarrier, #ws>,
                      %c: i32, %offset: i16, %mask: i16) {
  %c0 = arith.constant 0 : index
  // CHECK: carousel.tensor.load %{{.+}}[%[[C:.+]], %[[C]], %[[C]], %[[C]], %[[C]]] mode(gather4) to %[[TILE:.+]][
  carousel.tensor.load %rows[%c, %c, %c, %c, %c] mode(gather4) to %tile[%c0, %c0] signals %full[]
      : !rows, memref<64x64xbf16, #ws>, memref<!carousel.mbarrier, #ws>
  // CHECK: carousel.tensor.load %{{.+}}[%[[C]], %[[C]], %[[C]], %[[C]]] mode(im2col) offsets[%[[OFFSET:.+]], %[[OFFSET]]] to %[[TILE]][
  carousel.tensor.load %im2col[%c, %c, %c, %c] mode(im2col) offsets [%offset, %offset]
      to %tile[%c0, %c0] signals %full[]
      : !im2col, memref<64x64xbf16, #ws>, memref<!carousel.mbarrier, #ws>
  // CHECK: carousel.tensor.load %{{.+}}[%[[C]], %[[C]], %[[C]], %[[C]]] mode(im2col_w) offsets[%[[OFFSET]], %[[OFFSET]]] to %[[TILE]][
  carousel.tensor.load %w[%c, %c, %c, %c] mode(im2col_w) offsets [%offset, %offset]
      to %tile[%c0, %c0] signals %full[]
      : !im2col_w, memref<64x64xbf16, #ws>, memref<!carousel.mbarrier, #ws>
  // CHECK: carousel.tensor.load %{{.+}}[%[[C]], %[[C]], %[[C]], %[[C]]] mode(im2col_w_128) offsets[%[[OFFSET]], %[[OFFSET]]] to %[[TILE]][{{.+}} multicast
  carousel.tensor.load %w128[%c, %c, %c, %c] mode(im2col_w_128) offsets [%offset, %offset]
      to %tile[%c0, %c0] signals %full[] multicast %mask
      : !im2col_w_128, memref<64x64xbf16, #ws>, memref<!carousel.mbarrier, #ws>
  return
}

// CHECK-LABEL: func @store
// DOC-EXAMPLE: carousel.tensor.store
func.func @store(%tile: memref<4x64x64xbf16, #ws>, %map: !map, %rows: !rows, %im2col: !im2col,
                 %row: i32, %col: i32, %slot: index, %policy: i64) {
  %c0 = arith.constant 0 : index
  // CHECK: carousel.tensor.store %[[TILE:.+]][%[[SLOT:.+]], %[[C0:.+]], %[[C0]]] to %[[MAP:.+]][%[[ROW:.+]], %[[COL:.+]]] : memref<4x64x64xbf16, #gpu.address_space<workgroup>>, !carousel.tensor_map<64x64xbf16, swizzle = b128>
  carousel.tensor.store %tile[%slot, %c0, %c0] to %map[%row, %col]
      : memref<4x64x64xbf16, #gpu.address_space<workgroup>>,
        !carousel.tensor_map<64x64xbf16, swizzle = b128>
  // CHECK: carousel.tensor.store %[[TILE]][{{.+}}] to %[[MAP]][%[[ROW]], %[[COL]]] cache %[[POLICY:.+]] : memref
  carousel.tensor.store %tile[%slot, %c0, %c0] to %map[%row, %col] mode(tile) cache %policy
      : memref<4x64x64xbf16, #ws>, !map
  // CHECK: carousel.tensor.store %[[TILE]][{{.+}}] to %{{.+}}[%[[ROW]], %[[ROW]], %[[ROW]], %[[ROW]], %[[COL]]] mode(scatter4) : memref
  carousel.tensor.store %tile[%slot, %c0, %c0] to %rows[%row, %row, %row, %row, %col] mode(scatter4)
      : memref<4x64x64xbf16, #ws>, !rows
  // CHECK: carousel.tensor.store %[[TILE]][{{.+}}] to %{{.+}}[%[[ROW]], %[[ROW]], %[[COL]], %[[COL]]] mode(im2col_no_offs) cache %[[POLICY]] : memref
  carousel.tensor.store %tile[%slot, %c0, %c0] to %im2col[%row, %row, %col, %col]
      mode(im2col_no_offs) cache %policy : memref<4x64x64xbf16, #ws>, !im2col
  return
}

// CHECK-LABEL: func @reduce
// DOC-EXAMPLE: carousel.tensor.reduce
func.func @reduce(%tile: memref<64x32xf32, #ws>, %map: !carousel.tensor_map<64x32xf32>,
                  %tile32: memref<64x32xi32, #ws>, %map32: !carousel.tensor_map<64x32xu32>,
                  %tile16: memref<64x64xbf16, #ws>, %im2col: !im2col, %row: i32, %col: i32,
                  %policy: i64) {
  %c0 = arith.constant 0 : index
  // CHECK: carousel.tensor.reduce add %[[TILE:.+]][%[[C0:.+]], %[[C0]]] to %[[MAP:.+]][%[[ROW:.+]], %[[COL:.+]]] : memref<64x32xf32, #gpu.address_space<workgroup>>, !carousel.tensor_map<64x32xf32>
  carousel.tensor.reduce add %tile[%c0, %c0] to %map[%row, %col]
      : memref<64x32xf32, #gpu.address_space<workgroup>>, !carousel.tensor_map<64x32xf32>
  // CHECK: carousel.tensor.reduce add %[[TILE]][{{.+}}] to %[[MAP]][%[[ROW]], %[[COL]]] cache %{{.+}} : memref
  carousel.tensor.reduce add %tile[%c0, %c0] to %map[%row, %col] cache %policy
      : memref<64x32xf32, #ws>, !carousel.tensor_map<64x32xf32>
  // CHECK: carousel.tensor.reduce min %{{.+}} to %{{.+}}[%[[ROW]], %[[ROW]], %[[COL]], %[[COL]]] mode(im2col_no_offs) : memref
  carousel.tensor.reduce min %tile16[%c0, %c0] to %im2col[%row, %row, %col, %col]
      mode(im2col_no_offs) : memref<64x64xbf16, #ws>, !im2col
  // CHECK: carousel.tensor.reduce max
  carousel.tensor.reduce max %tile32[%c0, %c0] to %map32[%row, %col]
      : memref<64x32xi32, #ws>, !carousel.tensor_map<64x32xu32>
  // CHECK: carousel.tensor.reduce inc
  carousel.tensor.reduce inc %tile32[%c0, %c0] to %map32[%row, %col]
      : memref<64x32xi32, #ws>, !carousel.tensor_map<64x32xu32>
  // CHECK: carousel.tensor.reduce dec
  carousel.tensor.reduce dec %tile32[%c0, %c0] to %map32[%row, %col]
      : memref<64x32xi32, #ws>, !carousel.tensor_map<64x32xu32>
  // CHECK: carousel.tensor.reduce and
  carousel.tensor.reduce and %tile32[%c0, %c0] to %map32[%row, %col]
      : memref<64x32xi32, #ws>, !carousel.tensor_map<64x32xu32>
  // CHECK: carousel.tensor.reduce or
  carousel.tensor.reduce or %tile32[%c0, %c0] to %map32[%row, %col]
      : memref<64x32xi32, #ws>, !carousel.tensor_map<64x32xu32>
  // CHECK: carousel.tensor.reduce xor
  carousel.tensor.reduce xor %tile32[%c0, %c0] to %map32[%row, %col]
      : memref<64x32xi32, #ws>, !carousel.tensor_map<64x32xu32>
  return
}

// CHECK-LABEL: func @prefetch
// DOC-EXAMPLE: carousel.tensor.prefetch
func.func @prefetch(%map: !carousel.tensor_map<64x64xbf16>, %rows: !rows, %im2col: !im2col,
                    %w: !im2col_w, %w128: !im2col_w_128, %row: i32, %col: i32, %offset: i16,
                    %policy: i64) {
  // CHECK: carousel.tensor.prefetch %{{.+}}[%[[ROW:.+]], %[[COL:.+]]] : !carousel.tensor_map<64x64xbf16>
  carousel.tensor.prefetch %map[%row, %col] : !carousel.tensor_map<64x64xbf16>
  // CHECK: carousel.tensor.prefetch %{{.+}}[%[[ROW]], %[[ROW]], %[[ROW]], %[[ROW]], %[[COL]]] mode(gather4) cache %{{.+}} : !carousel.tensor_map
  carousel.tensor.prefetch %rows[%row, %row, %row, %row, %col] mode(gather4) cache %policy : !rows
  // CHECK: carousel.tensor.prefetch %{{.+}} mode(im2col) offsets[%[[OFFSET:.+]], %[[OFFSET]]] : !carousel.tensor_map
  carousel.tensor.prefetch %im2col[%row, %row, %col, %col] mode(im2col) offsets [%offset, %offset]
      : !im2col
  // CHECK: carousel.tensor.prefetch %{{.+}} mode(im2col_w) offsets[%[[OFFSET]], %[[OFFSET]]] : !carousel.tensor_map
  carousel.tensor.prefetch %w[%row, %row, %col, %col] mode(im2col_w) offsets [%offset, %offset]
      : !im2col_w
  // CHECK: carousel.tensor.prefetch %{{.+}} mode(im2col_w_128) offsets[%[[OFFSET]], %[[OFFSET]]] cache %{{.+}} : !carousel.tensor_map
  carousel.tensor.prefetch %w128[%row, %row, %col, %col] mode(im2col_w_128)
      offsets [%offset, %offset] cache %policy : !im2col_w_128
  return
}

// CHECK-LABEL: func @map_get
// DOC-EXAMPLE: carousel.tensor_map.get
func.func @map_get(%maps: memref<?x!carousel.tensor_map<64x32xf32>, #gl>, %i: index)
    -> !carousel.tensor_map<64x32xf32> {
  // CHECK: %[[MAP:.+]] = carousel.tensor_map.get %{{.+}}[%{{.+}}] : memref<?x!carousel.tensor_map<64x32xf32>, #gpu.address_space<global>> -> !carousel.tensor_map<64x32xf32>
  %map = carousel.tensor_map.get %maps[%i]
      : memref<?x!carousel.tensor_map<64x32xf32>, #gpu.address_space<global>>
        -> !carousel.tensor_map<64x32xf32>
  // CHECK: return %[[MAP]]
  return %map : !carousel.tensor_map<64x32xf32>
}

// CHECK-LABEL: func @map_prefetch
// DOC-EXAMPLE: carousel.tensor_map.prefetch
func.func @map_prefetch(%map: !carousel.tensor_map<64x32xf32>) {
  // CHECK: carousel.tensor_map.prefetch %[[MAP:.+]] : !carousel.tensor_map<64x32xf32>
  carousel.tensor_map.prefetch %map : !carousel.tensor_map<64x32xf32>
  // CHECK: carousel.tensor_map.prefetch %[[MAP]] space(param) : !carousel.tensor_map<64x32xf32>
  carousel.tensor_map.prefetch %map space(param) : !carousel.tensor_map<64x32xf32>
  // CHECK: carousel.tensor_map.prefetch %[[MAP]] space(const) : !carousel.tensor_map<64x32xf32>
  carousel.tensor_map.prefetch %map space(const) : !carousel.tensor_map<64x32xf32>
  return
}

// CHECK-LABEL: func @map_replace
// DOC-EXAMPLE: carousel.tensor_map.replace
func.func @map_replace(%maps: memref<4x!carousel.tensor_map<64x32xf32>, #ws>,
                       %global: memref<!carousel.tensor_map<64x32xf32>, #gl>, %i: index,
                       %rows: i32, %address: i64) {
  // CHECK: carousel.tensor_map.replace global_dim dim(1) of %[[MAPS:.+]][%[[I:.+]]] with %[[ROWS:.+]] : memref<4x!carousel.tensor_map<64x32xf32>, #gpu.address_space<workgroup>>, i32
  carousel.tensor_map.replace global_dim dim(1) of %maps[%i] with %rows
      : memref<4x!carousel.tensor_map<64x32xf32>, #gpu.address_space<workgroup>>, i32
  // CHECK: carousel.tensor_map.replace global_address of %{{.+}}[] with %[[ADDRESS:.+]] : memref<!carousel.tensor_map<64x32xf32>, #gpu.address_space<global>>, i64
  carousel.tensor_map.replace global_address of %global[] with %address
      : memref<!carousel.tensor_map<64x32xf32>, #gl>, i64
  // CHECK: carousel.tensor_map.replace rank of %[[MAPS]][%[[I]]] with %[[ROWS]] : {{.+}}, i32
  carousel.tensor_map.replace rank of %maps[%i] with %rows
      : memref<4x!carousel.tensor_map<64x32xf32>, #ws>, i32
  // CHECK: carousel.tensor_map.replace box_dim dim(0) of %[[MAPS]][%[[I]]] with %[[ROWS]] : {{.+}}, i32
  carousel.tensor_map.replace box_dim dim(0) of %maps[%i] with %rows
      : memref<4x!carousel.tensor_map<64x32xf32>, #ws>, i32
  // CHECK: carousel.tensor_map.replace global_stride dim(0) of %[[MAPS]][%[[I]]] with %[[ADDRESS]] : {{.+}}, i64
  carousel.tensor_map.replace global_stride dim(0) of %maps[%i] with %address
      : memref<4x!carousel.tensor_map<64x32xf32>, #ws>, i64
  // CHECK: carousel.tensor_map.replace element_stride dim(4) of %[[MAPS]][%[[I]]] with %[[ROWS]] : {{.+}}, i32
  carousel.tensor_map.replace element_stride dim(4) of %maps[%i] with %rows
      : memref<4x!carousel.tensor_map<64x32xf32>, #ws>, i32
  // CHECK: carousel.tensor_map.replace elemtype of %[[MAPS]][%[[I]]] literal 15 : memref
  carousel.tensor_map.replace elemtype of %maps[%i] literal 15
      : memref<4x!carousel.tensor_map<64x32xf32>, #ws>
  // CHECK: carousel.tensor_map.replace interleave_layout of %[[MAPS]][%[[I]]] literal 2 : memref
  carousel.tensor_map.replace interleave_layout of %maps[%i] literal 2
      : memref<4x!carousel.tensor_map<64x32xf32>, #ws>
  // CHECK: carousel.tensor_map.replace swizzle_mode of %[[MAPS]][%[[I]]] literal 4 : memref
  carousel.tensor_map.replace swizzle_mode of %maps[%i] literal 4
      : memref<4x!carousel.tensor_map<64x32xf32>, #ws>
  // CHECK: carousel.tensor_map.replace swizzle_atomicity of %[[MAPS]][%[[I]]] literal 3 : memref
  carousel.tensor_map.replace swizzle_atomicity of %maps[%i] literal 3
      : memref<4x!carousel.tensor_map<64x32xf32>, #ws>
  // CHECK: carousel.tensor_map.replace fill_mode of %[[MAPS]][%[[I]]] literal 1 : memref
  carousel.tensor_map.replace fill_mode of %maps[%i] literal 1
      : memref<4x!carousel.tensor_map<64x32xf32>, #ws>
  return
}

// CHECK-LABEL: func @map_copy_fence
// DOC-EXAMPLE: carousel.tensor_map.copy_fence
func.func @map_copy_fence(%local: memref<4x!carousel.tensor_map<64x32xf32>, #ws>,
                          %maps: memref<?x!carousel.tensor_map<64x32xf32>, #gl>, %i: index) {
  // CHECK: carousel.tensor_map.copy_fence %[[LOCAL:.+]][%[[I:.+]]] to %[[MAPS:.+]][%[[I]]] scope(gpu) : memref<4x!carousel.tensor_map<64x32xf32>, #gpu.address_space<workgroup>>, memref<?x!carousel.tensor_map<64x32xf32>, #gpu.address_space<global>>
  carousel.tensor_map.copy_fence %local[%i] to %maps[%i] scope(gpu)
      : memref<4x!carousel.tensor_map<64x32xf32>, #gpu.address_space<workgroup>>,
        memref<?x!carousel.tensor_map<64x32xf32>, #gpu.address_space<global>>
  // CHECK: carousel.tensor_map.copy_fence {{.+}} scope(cta) :
  carousel.tensor_map.copy_fence %local[%i] to %maps[%i] scope(cta)
      : memref<4x!carousel.tensor_map<64x32xf32>, #ws>, memref<?x!carousel.tensor_map<64x32xf32>, #gl>
  // CHECK: carousel.tensor_map.copy_fence {{.+}} scope(cluster) :
  carousel.tensor_map.copy_fence %local[%i] to %maps[%i] scope(cluster)
      : memref<4x!carousel.tensor_map<64x32xf32>, #ws>, memref<?x!carousel.tensor_map<64x32xf32>, #gl>
  // CHECK: carousel.tensor_map.copy_fence {{.+}} scope(sys) :
  carousel.tensor_map.copy_fence %local[%i] to %maps[%i] scope(sys)
      : memref<4x!carousel.tensor_map<64x32xf32>, #ws>, memref<?x!carousel.tensor_map<64x32xf32>, #gl>
  return
}
