// Loads that are the same in the CTAs of a cluster, and why others aren't.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_90a},carousel-multicast-loads))' --split-input-file --remarks-filter=carousel-multicast-loads 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file %t.remarks

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!matrix = memref<?x?xf32, #gl>
!tile = memref<8x16xf32, #ws>
!map = !carousel.tensor_map<8x16xf32>
!ring = !carousel.ring<2 x !tile, !tile>
!one = !carousel.ring<2 x !tile>

gpu.module @kernels {
  // REMARK: 2 CTAs share 512 of 1024 bytes of a use: each of them reads 768 from global memory
  // CHECK-LABEL: gpu.func @shared
  // CHECK-SAME: cluster = [2, 1]
  // CHECK: ring.create multicast(2)
  // CHECK: ring.load %arg0
  // CHECK: ring.load multicast %arg1
  gpu.func @shared(%x: !matrix, %w: !matrix, %xs: !map, %ws: !map, %n: index) kernel
      attributes {carousel.launch = #carousel.launch<grid = [min(extent(0, 0), resident) * 2, 3], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %ring = carousel.ring.create multicast(2) : !ring
    %id = gpu.block_id x
    %layer = gpu.block_id y
    %cluster = arith.divui %id, %c2 : index
    carousel.ring.roles producer threads(32) {
      scf.for %i = %cluster to %n step %c2 {
        scf.for %k = %c0 to %layer step %c1 {
          carousel.ring.produce %ring[%k] : !ring {
            %a = carousel.ring.tile %ring[%k], 0 : !ring -> !tile
            %b = carousel.ring.tile %ring[%k], 1 : !ring -> !tile
            carousel.ring.load %x[%id, %k] to %a engine<tensor> map %xs : !matrix, !tile, !map
            carousel.ring.load %w[%i, %k] to %b engine<tensor> map %ws : !matrix, !tile, !map
          }
        }
      }
    } consumer threads(32) {
      scf.for %i = %cluster to %n step %c2 {
        scf.for %k = %c0 to %layer step %c1 {
          carousel.ring.wait %ring[%k] : !ring
          carousel.ring.release %ring[%k] : !ring
        }
      }
    }
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!matrix = memref<?x?xf32, #gl>
!tile = memref<8x16xf32, #ws>
!map = !carousel.tensor_map<8x16xf32>
!one = !carousel.ring<2 x !tile>

gpu.module @kernels {
  // REMARK: 2 CTAs share 512 of 512 bytes of a use: each of them reads 256 from global memory
  // CHECK-LABEL: gpu.func @unified
  // CHECK-SAME: cluster = [2]
  // CHECK: ring.load multicast
  // DOC-EXAMPLE: --carousel-multicast-loads
  gpu.func @unified(%x: !matrix, %xs: !map, %n: index) kernel
      attributes {carousel.launch = #carousel.launch<grid = [8], block = [64]>} {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %ring = carousel.ring.create multicast(2) : !one
    %id = gpu.block_id x
    %cluster = arith.divui %id, %c2 : index
    scf.for %k = %cluster to %n step %c1 {
      carousel.ring.produce %ring[%k] : !one {
        %a = carousel.ring.tile %ring[%k], 0 : !one -> !tile
        carousel.ring.load %x[%cluster, %k] to %a engine<tensor> map %xs : !matrix, !tile, !map
      }
      carousel.ring.wait %ring[%k] : !one
      carousel.ring.release %ring[%k] : !one
    }
    gpu.return
  }

  // REMARK: no multicast: 'scf.for' around its uses may go on differently in each CTA
  // CHECK-LABEL: gpu.func @other_trips
  // CHECK-NOT: multicast
  gpu.func @other_trips(%x: !matrix, %xs: !map) kernel
      attributes {carousel.launch = #carousel.launch<grid = [8], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = carousel.ring.create multicast(2) : !one
    %id = gpu.block_id x
    scf.for %k = %c0 to %id step %c1 {
      carousel.ring.produce %ring[%k] : !one {
        %a = carousel.ring.tile %ring[%k], 0 : !one -> !tile
        carousel.ring.load %x[%c0, %k] to %a engine<tensor> map %xs : !matrix, !tile, !map
      }
      carousel.ring.wait %ring[%k] : !one
      carousel.ring.release %ring[%k] : !one
    }
    gpu.return
  }

  // REMARK: no multicast: 'scf.if' around its uses may go on differently in each CTA
  // CHECK-LABEL: gpu.func @other_branch
  // CHECK-NOT: multicast
  gpu.func @other_branch(%x: !matrix, %xs: !map) kernel
      attributes {carousel.launch = #carousel.launch<grid = [8], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %ring = carousel.ring.create multicast(2) : !one
    %id = gpu.block_id x
    %rank = arith.remui %id, %c2 : index
    %is_first = arith.cmpi eq, %rank, %c0 : index
    scf.if %is_first {
      carousel.ring.produce %ring[%c0] : !one {
        %a = carousel.ring.tile %ring[%c0], 0 : !one -> !tile
        carousel.ring.load %x[%c0, %c0] to %a engine<tensor> map %xs : !matrix, !tile, !map
      }
      carousel.ring.wait %ring[%c0] : !one
      carousel.ring.release %ring[%c0] : !one
    }
    gpu.return
  }

  // REMARK: no multicast: of each load, its offsets may differ
  // CHECK-LABEL: gpu.func @other_boxes
  // CHECK-NOT: multicast
  gpu.func @other_boxes(%x: !matrix, %xs: !map) kernel
      attributes {carousel.launch = #carousel.launch<grid = [8], block = [64]>} {
    %c0 = arith.constant 0 : index
    %ring = carousel.ring.create multicast(2) : !one
    %id = gpu.block_id x
    carousel.ring.produce %ring[%c0] : !one {
      %a = carousel.ring.tile %ring[%c0], 0 : !one -> !tile
      carousel.ring.load %x[%id, %c0] to %a engine<tensor> map %xs : !matrix, !tile, !map
    }
    carousel.ring.wait %ring[%c0] : !one
    carousel.ring.release %ring[%c0] : !one
    gpu.return
  }

  // Memory may hold other values when another CTA reads it.
  // REMARK: no multicast: of each load, its offsets may differ
  // CHECK-LABEL: gpu.func @read_offset
  // CHECK-NOT: multicast
  gpu.func @read_offset(%x: !matrix, %xs: !map, %rows: memref<?xindex, #gl>) kernel
      attributes {carousel.launch = #carousel.launch<grid = [8], block = [64]>} {
    %c0 = arith.constant 0 : index
    %ring = carousel.ring.create multicast(2) : !one
    %row = memref.load %rows[%c0] : memref<?xindex, #gl>
    carousel.ring.produce %ring[%c0] : !one {
      %a = carousel.ring.tile %ring[%c0], 0 : !one -> !tile
      carousel.ring.load %x[%row, %c0] to %a engine<tensor> map %xs : !matrix, !tile, !map
    }
    carousel.ring.wait %ring[%c0] : !one
    carousel.ring.release %ring[%c0] : !one
    gpu.return
  }

  // REMARK: no multicast: of each load, its engine is bulk
  // CHECK-LABEL: gpu.func @other_engine
  // CHECK-NOT: multicast
  gpu.func @other_engine(%x: !matrix) kernel
      attributes {carousel.launch = #carousel.launch<grid = [8], block = [64]>} {
    %c0 = arith.constant 0 : index
    %ring = carousel.ring.create multicast(2) : !one
    carousel.ring.produce %ring[%c0] : !one {
      %a = carousel.ring.tile %ring[%c0], 0 : !one -> !tile
      carousel.ring.load %x[%c0, %c0] to %a engine<bulk> : !matrix, !tile
    }
    carousel.ring.wait %ring[%c0] : !one
    carousel.ring.release %ring[%c0] : !one
    gpu.return
  }

  // REMARK: no multicast: of each load, threads write to its tile
  // CHECK-LABEL: gpu.func @written_tile
  // CHECK-NOT: multicast
  gpu.func @written_tile(%x: !matrix, %xs: !map, %v: f32) kernel
      attributes {carousel.launch = #carousel.launch<grid = [8], block = [64]>} {
    %c0 = arith.constant 0 : index
    %ring = carousel.ring.create multicast(2) : !one
    carousel.ring.produce %ring[%c0] : !one {
      %a = carousel.ring.tile %ring[%c0], 0 : !one -> !tile
      carousel.ring.load %x[%c0, %c0] to %a engine<tensor> map %xs : !matrix, !tile, !map
    }
    carousel.ring.wait %ring[%c0] : !one
    %b = carousel.ring.tile %ring[%c0], 0 : !one -> !tile
    %row = memref.subview %b[0, 0] [1, 16] [1, 1] : !tile to memref<1x16xf32, strided<[16, 1]>, #ws>
    memref.store %v, %row[%c0, %c0] : memref<1x16xf32, strided<[16, 1]>, #ws>
    carousel.ring.release %ring[%c0] : !one
    gpu.return
  }

  // REMARK: no multicast: the numbers of its uses may differ
  // CHECK-LABEL: gpu.func @other_uses
  // CHECK-NOT: multicast
  gpu.func @other_uses(%x: !matrix, %xs: !map) kernel
      attributes {carousel.launch = #carousel.launch<grid = [8], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %ring = carousel.ring.create multicast(2) : !one
    %id = gpu.block_id x
    %use = arith.remui %id, %c2 : index
    carousel.ring.produce %ring[%use] : !one {
      %a = carousel.ring.tile %ring[%use], 0 : !one -> !tile
      carousel.ring.load %x[%c0, %c0] to %a engine<tensor> map %xs : !matrix, !tile, !map
    }
    carousel.ring.wait %ring[%use] : !one
    carousel.ring.release %ring[%use] : !one
    gpu.return
  }

  // REMARK: no multicast: the block isn't made of whole warps
  // CHECK-LABEL: gpu.func @part_of_warp
  // CHECK-NOT: multicast
  gpu.func @part_of_warp(%x: !matrix, %xs: !map) kernel
      attributes {carousel.launch = #carousel.launch<grid = [8], block = [48]>} {
    %c0 = arith.constant 0 : index
    %ring = carousel.ring.create multicast(2) : !one
    carousel.ring.produce %ring[%c0] : !one {
      %a = carousel.ring.tile %ring[%c0], 0 : !one -> !tile
      carousel.ring.load multicast %x[%c0, %c0] to %a engine<tensor> map %xs : !matrix, !tile, !map
    }
    carousel.ring.wait %ring[%c0] : !one
    carousel.ring.release %ring[%c0] : !one
    gpu.return
  }

  // Nothing says when the slot may be filled again.
  // REMARK: no multicast: its slots aren't released
  // CHECK-LABEL: gpu.func @not_released
  // CHECK-NOT: multicast
  gpu.func @not_released(%x: !matrix, %xs: !map) kernel
      attributes {carousel.launch = #carousel.launch<grid = [8], block = [64]>} {
    %c0 = arith.constant 0 : index
    %ring = carousel.ring.create multicast(2) : !one
    carousel.ring.produce %ring[%c0] : !one {
      %a = carousel.ring.tile %ring[%c0], 0 : !one -> !tile
      carousel.ring.load %x[%c0, %c0] to %a engine<tensor> map %xs : !matrix, !tile, !map
    }
    carousel.ring.wait %ring[%c0] : !one
    gpu.return
  }

  // One of two rings, and one of two loads of a tile.
  // REMARK: no multicast: another ring has a cluster of 2 CTAs
  // REMARK: 2 CTAs share 512 of 512 bytes of a use: each of them reads 256 from global memory
  // CHECK-LABEL: gpu.func @two_rings
  // CHECK: ring.create multicast(2)
  // CHECK: ring.create :
  // CHECK: ring.load %arg0
  // CHECK: ring.load multicast %arg0
  // CHECK: ring.load %arg0
  gpu.func @two_rings(%x: !matrix, %xs: !map) kernel
      attributes {carousel.launch = #carousel.launch<grid = [8], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %first = carousel.ring.create multicast(2) : !one
    %second = carousel.ring.create multicast(4) : !one
    %id = gpu.block_id x
    carousel.ring.produce %first[%c0] : !one {
      %a = carousel.ring.tile %first[%c0], 0 : !one -> !tile
      carousel.ring.load %x[%id, %c0] to %a engine<tensor> map %xs : !matrix, !tile, !map
    }
    carousel.ring.wait %first[%c0] : !one
    carousel.ring.release %first[%c0] : !one
    carousel.ring.produce %first[%c1] : !one {
      %a = carousel.ring.tile %first[%c1], 0 : !one -> !tile
      carousel.ring.load %x[%c0, %c0] to %a engine<tensor> map %xs : !matrix, !tile, !map
    }
    carousel.ring.wait %first[%c1] : !one
    carousel.ring.release %first[%c1] : !one
    carousel.ring.produce %second[%c0] : !one {
      %a = carousel.ring.tile %second[%c0], 0 : !one -> !tile
      carousel.ring.load %x[%c0, %c0] to %a engine<tensor> map %xs : !matrix, !tile, !map
    }
    carousel.ring.wait %second[%c0] : !one
    carousel.ring.release %second[%c0] : !one
    gpu.return
  }

  // REMARK: no multicast: the grid isn't known to be a multiple of 2
  // CHECK-LABEL: gpu.func @other_grid
  // CHECK-NOT: multicast
  gpu.func @other_grid(%x: !matrix, %xs: !map) kernel
      attributes {carousel.launch = #carousel.launch<grid = [extent(0, 0)], block = [64]>} {
    %c0 = arith.constant 0 : index
    %ring = carousel.ring.create multicast(2) : !one
    carousel.ring.produce %ring[%c0] : !one {
      %a = carousel.ring.tile %ring[%c0], 0 : !one -> !tile
      carousel.ring.load %x[%c0, %c0] to %a engine<tensor> map %xs : !matrix, !tile, !map
    }
    carousel.ring.wait %ring[%c0] : !one
    carousel.ring.release %ring[%c0] : !one
    gpu.return
  }

  // REMARK: no multicast: the kernel has other clusters
  // CHECK-LABEL: gpu.func @other_cluster
  // CHECK-NOT: multicast
  gpu.func @other_cluster(%x: !matrix, %xs: !map) kernel
      attributes {carousel.launch = #carousel.launch<grid = [8], block = [64], cluster = [4]>} {
    %c0 = arith.constant 0 : index
    %ring = carousel.ring.create multicast(2) : !one
    carousel.ring.produce %ring[%c0] : !one {
      %a = carousel.ring.tile %ring[%c0], 0 : !one -> !tile
      carousel.ring.load %x[%c0, %c0] to %a engine<tensor> map %xs : !matrix, !tile, !map
    }
    carousel.ring.wait %ring[%c0] : !one
    carousel.ring.release %ring[%c0] : !one
    gpu.return
  }
}
