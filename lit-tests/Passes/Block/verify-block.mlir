// Kernels that carousel-verify-block accepts, unchanged.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-verify-block))' | FileCheck %s

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!matrix = memref<?x?xbf16, strided<[?, 1], offset: ?>, #gl>
// 8 rows of 256: 4 elements in a thread beside each other, 128 in a warp, 4 warps in rows, and 4 such pieces.
#rows = #carousel.layout<register = [[0, 1], [0, 2], [0, 128], [4, 0]],
                         lane = [[0, 4], [0, 8], [0, 16], [0, 32], [0, 64]], warp = [[1, 0], [2, 0]]>
// All elements in each thread of a warp, 5 of them rounded up to 8.
#everywhere = #carousel.layout<register = [[1], [2], [4]], lane = [[0], [0], [0], [0], [0]]>

gpu.module @kernels {
  // Values, loops that carry them, and tiles.
  // CHECK-LABEL: gpu.func @values
  // CHECK: vector.transfer_read
  // CHECK: scf.for
  // CHECK: carousel.load
  gpu.func @values(%x: !matrix, %y: !matrix, %c: memref<?xindex, #gl>) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 4096, covers = extent(0, 1)>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : bf16
    %zero32 = arith.constant 0.0 : f32
    %row = gpu.block_id x
    %n = memref.dim %x, %c1 : !matrix
    %least = affine.min affine_map<(d0) -> (d0, 4096)>(%n)
    %v = vector.transfer_read %x[%row, %c0], %zero : !matrix, vector<1x4096xbf16>
    %e = arith.extf %v : vector<1x4096xbf16> to vector<1x4096xf32>
    %m = vector.create_mask %c1, %least : vector<1x4096xi1>
    %zeros = vector.broadcast %zero32 : f32 to vector<1x4096xf32>
    %s = arith.select %m, %e, %zeros : vector<1x4096xi1>, vector<1x4096xf32>
    %count = memref.load %c[%row] : memref<?xindex, #gl>
    %tile = memref.alloc() : memref<1x4096xbf16, #ws>
    %sum = scf.for %i = %c0 to %count step %c1 iter_args(%old = %s) -> vector<1x4096xf32> {
      carousel.load %x[%i, %c0] to %tile : !matrix, memref<1x4096xbf16, #ws>
      %t = vector.transfer_read %tile[%c0, %c0], %zero {in_bounds = [true, true]} : memref<1x4096xbf16, #ws>, vector<1x4096xbf16>
      %w = arith.extf %t : vector<1x4096xbf16> to vector<1x4096xf32>
      %next = arith.addf %old, %w : vector<1x4096xf32>
      scf.yield %next : vector<1x4096xf32>
    }
    %o = arith.truncf %sum : vector<1x4096xf32> to vector<1x4096xbf16>
    vector.transfer_write %o, %y[%row, %c0] : vector<1x4096xbf16>, !matrix
    gpu.return
  }

  // Layouts for a block of 128 threads.
  // CHECK-LABEL: gpu.func @layouts
  // CHECK: carousel.layout = #{{.*}}layout
  gpu.func @layouts() kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1], block = [64, 2]>} {
    %v = arith.constant {carousel.layout = #rows} dense<1.0> : vector<8x256xf32>
    gpu.return
  }
  gpu.func @warp() kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %v = arith.constant {carousel.layout = #everywhere} dense<1.0> : vector<5xf32>
    gpu.return
  }
  // Four threads.
  gpu.func @few() kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1], block = [4]>} {
    %v = arith.constant {carousel.layout = #carousel.layout<lane = [[1], [2]]>} dense<1.0> : vector<4xf32>
    gpu.return
  }
  // Passes choose the block, so a layout is only compared with the vector.
  gpu.func @open() kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1]>} {
    %v = arith.constant {carousel.layout = #carousel.layout<lane = [[1], [2]]>} dense<1.0> : vector<4xf32>
    gpu.return
  }
  // A vector of one element needs no bases.
  gpu.func @one() kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %v = arith.constant {carousel.layout = #carousel.layout<>} dense<1.0> : vector<1x1xf32>
    gpu.return
  }
  // Other kernels aren't looked at.
  gpu.func @other() kernel {
    %t = gpu.thread_id x
    gpu.barrier
    gpu.return
  }

  // CTAs that gather values execute programs of their own: layouts have no CTAs.
  // CHECK-LABEL: gpu.func @gathers
  // CHECK: carousel.cluster.gather
  gpu.func @gathers(%x: memref<?xf32, #gl>) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [4], block = [32], cluster = [2]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %v = vector.transfer_read %x[%c0], %zero {carousel.layout = #everywhere} : memref<?xf32, #gl>, vector<5xf32>
    %s = vector.multi_reduction <add>, %v, %zero [0] : vector<5xf32> to f32
    %all = carousel.cluster.gather %s : f32 -> vector<2xf32>
    %sum = vector.multi_reduction <add>, %all, %zero [0] : vector<2xf32> to f32
    memref.store %sum, %x[%c0] : memref<?xf32, #gl>
    gpu.return
  }
}
