// A block program becomes the program of one thread: accesses, reductions, conversions, barriers, tiles.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-distribute,canonicalize,cse))' | FileCheck %s

#gl = #gpu.address_space<global>
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#product = {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
!bf16 = memref<?x?xbf16, #gl>
!matrix = memref<?x?xf32, #gl>
!v = memref<?xf32, #gl>
!m = memref<?x256xf32, #gl>

gpu.module @m {
  // A thread reads what it computes with. What is read once leaves L1 alone.
  // DOC-EXAMPLE: --carousel-distribute
  // CHECK-LABEL: gpu.func @rows
  // CHECK-SAME: (%[[X:[a-z0-9]+]]: memref<?x256xf32, {{[^>]*}}>>, %[[Y:[a-z0-9]+]]: memref<?xf32,
  // CHECK-NOT: carousel.block_program
  // CHECK: %[[BUFFER:.*]] = memref.alloc() {alignment = 16 : i64} : memref<1x1x2xf32, #gpu.address_space<workgroup>>
  // CHECK: vector.load %[[X]][%{{.*}}, %{{.*}}] {alignment = 16 : i64, nontemporal = true}
  // CHECK: arith.addf
  // CHECK-COUNT-5: gpu.shuffle xor
  // CHECK: scf.if
  // CHECK:   memref.store %{{.*}}, %[[BUFFER]]
  // CHECK: gpu.barrier
  // CHECK: vector.load %[[BUFFER]]
  // CHECK: arith.addf
  // CHECK-NOT: gpu.barrier
  // CHECK: memref.store %{{.*}}, %[[Y]]
  gpu.func @rows(%x: !m, %y: !v) kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.variant = #carousel.variant<kernel = "rows", guards = [aligned(0, 16)]>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)], block = [64]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %row = gpu.block_id x
    %a = vector.transfer_read %x[%row, %c0], %zero {in_bounds = [false]} : !m, vector<256xf32>
    %s = vector.multi_reduction <add>, %a, %zero [0] : vector<256xf32> to f32
    memref.store %s, %y[%row] : !v
    gpu.return
  }

  // A reduction that is executed again takes turns with itself: between a buffer's uses, all threads
  // meet once. The first thread writes all scalars, in their order.
  // CHECK-LABEL: gpu.func @in_loop
  // CHECK: %[[PARTS:.*]] = memref.alloc() {{.*}} : memref<2x1x2xf32
  // CHECK: scf.for %[[I:.*]] =
  // CHECK: %[[ODD:.*]] = arith.andi %[[I]], %c1
  // CHECK: memref.store %{{.*}}, %[[PARTS]][%[[ODD]],
  // CHECK: gpu.barrier
  // CHECK-NOT: gpu.barrier
  gpu.func @in_loop(%x: !m, %y: !v) kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %rows = memref.dim %x, %c0 : !m
    scf.for %i = %c0 to %rows step %c1 {
      %a = vector.transfer_read %x[%i, %c0], %zero {in_bounds = [true]} : !m, vector<256xf32>
      %s = vector.multi_reduction <add>, %a, %zero [0] : vector<256xf32> to f32
      memref.store %s, %y[%i] : !v
    }
    gpu.return
  }

  // Without a count of iterations, it waits until its parts have been read.
  // CHECK-LABEL: gpu.func @in_while
  // CHECK: scf.while
  // CHECK: gpu.barrier
  // CHECK: memref.store
  // CHECK: gpu.barrier
  gpu.func @in_while(%x: !m, %y: !v) kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %end = scf.while (%i = %c0) : (index) -> index {
      %a = vector.transfer_read %x[%i, %c0], %zero {in_bounds = [true]} : !m, vector<256xf32>
      %s = vector.multi_reduction <add>, %a, %zero [0] : vector<256xf32> to f32
      memref.store %s, %y[%i] : !v
      %more = arith.cmpf ogt, %s, %zero : f32
      scf.condition(%more) %i : index
    } do {
    ^bb0(%i: index):
      %next = arith.addi %i, %c1 : index
      scf.yield %next : index
    }
    gpu.return
  }

  // Rows that a loop writes one after the other: no barrier. All into one row: in their order.
  // CHECK-LABEL: gpu.func @rows_in_loop
  // CHECK: scf.for
  // CHECK-NOT: gpu.barrier
  // CHECK: scf.for
  // CHECK: gpu.barrier
  gpu.func @rows_in_loop(%x: !m, %y: !m) kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %rows = memref.dim %x, %c0 : !m
    scf.for %i = %c0 to %rows step %c1 {
      %a = vector.transfer_read %x[%i, %c0], %zero {in_bounds = [true]} : !m, vector<256xf32>
      vector.transfer_write %a, %y[%i, %c0] {in_bounds = [true]} : vector<256xf32>, !m
    }
    scf.for %i = %c0 to %rows step %c1 {
      %a = vector.transfer_read %x[%i, %c0], %zero {in_bounds = [true]} : !m, vector<256xf32>
      vector.transfer_write %a, %y[%c0, %i] : vector<256xf32>, !m
    }
    gpu.return
  }

  // Elements that another thread reads: a barrier. Elements of the thread itself: none.
  // CHECK-LABEL: gpu.func @order
  // CHECK: vector.load
  // CHECK-NOT: gpu.barrier
  // CHECK: vector.store
  // CHECK: gpu.barrier
  // CHECK: memref.load
  gpu.func @order(%x: memref<256xf32, #gl>) kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.variant = #carousel.variant<kernel = "order", guards = [aligned(0, 16)]>,
      carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %a = vector.transfer_read %x[%c0], %zero {in_bounds = [true]} : memref<256xf32, #gl>, vector<256xf32>
    %b = arith.addf %a, %a : vector<256xf32>
    vector.transfer_write %b, %x[%c0] {in_bounds = [true]} : vector<256xf32>, memref<256xf32, #gl>
    %c = vector.transfer_read %x[%c1], %zero : memref<256xf32, #gl>, vector<256xf32>
    vector.transfer_write %c, %x[%c0] {in_bounds = [true]} : vector<256xf32>, memref<256xf32, #gl>
    gpu.return
  }

  // In a loop that is to be pipelined, tiles of shared memory.
  // CHECK-LABEL: gpu.func @pipelined
  // CHECK-DAG: %[[IN:.*]] = memref.alloc() {{.*}} : memref<256xf32, #gpu.address_space<workgroup>>
  // CHECK: scf.for
  // CHECK: carousel.load %{{.*}}[%{{.*}}] to %[[TILE:.*]] fill(-inf)
  // CHECK: vector.load %[[TILE]]
  // CHECK: vector.store %{{.*}}, %[[OUT:.*]][
  // CHECK: carousel.store %[[OUT]] to
  // CHECK: carousel.pipeline = #carousel.pipeline<stages = 4>
  gpu.func @pipelined(%x: !v, %y: !v) kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c256 = arith.constant 256 : index
    %lowest = arith.constant 0xFF800000 : f32
    %n = memref.dim %x, %c0 : !v
    scf.for %i = %c0 to %n step %c256 {
      %a = vector.transfer_read %x[%i], %lowest : !v, vector<256xf32>
      %b = arith.addf %a, %a : vector<256xf32>
      vector.transfer_write %b, %y[%i] : vector<256xf32>, !v
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    gpu.return
  }

  // A user's layout is used: four lanes have a row of the transpose.
  // CHECK-LABEL: gpu.func @layout
  // CHECK: %[[THREAD:.*]] = gpu.thread_id x
  // CHECK: arith.andi %[[THREAD]], %c3
  // CHECK: arith.shrui %[[THREAD]], %c2
  gpu.func @layout(%x: !v, %y: !v) kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %a = vector.transfer_read %x[%c0], %zero : !v, vector<64xf32>
    %t = vector.shape_cast %a : vector<64xf32> to vector<8x8xf32>
    %u = vector.transpose %t, [1, 0] {carousel.layout = #carousel.layout<register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>}
        : vector<8x8xf32> to vector<8x8xf32>
    %v = vector.shape_cast %u : vector<8x8xf32> to vector<64xf32>
    vector.transfer_write %v, %y[%c0] : vector<64xf32>, !v
    gpu.return
  }

  // Where reads and writes want different layouts, the vector goes through shared memory.
  // CHECK-LABEL: gpu.func @exchange
  // CHECK: %[[BUFFER:.*]] = memref.alloc() {alignment = 16 : i64} : memref<1024xf32, #gpu.address_space<workgroup>>
  // CHECK: {{memref|vector}}.store %{{.*}}, %[[BUFFER]]
  // CHECK: gpu.barrier
  // CHECK: {{memref|vector}}.load %[[BUFFER]]
  gpu.func @exchange(%x: memref<?x?xf32, #gl>, %y: memref<?x?xf32, #gl>) kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %a = vector.transfer_read %x[%c0, %c0], %zero : memref<?x?xf32, #gl>, vector<32x32xf32>
    %t = vector.transpose %a, [1, 0] : vector<32x32xf32> to vector<32x32xf32>
    vector.transfer_write %t, %y[%c0, %c0] : vector<32x32xf32>, memref<?x?xf32, #gl>
    gpu.return
  }

  // A product by matrix instructions: its factors are in swizzled tiles, and read where they are multiplied. Each of two
  // warps has half of the rows of B's columns.
  // CHECK-LABEL: gpu.func @product
  // CHECK: scf.for {{.*}} -> (vector<16xf32>)
  // CHECK:   carousel.load %{{.*}} to %[[A:.*]] swizzle(b64) : {{.*}}, memref<16x32xbf16,
  // CHECK:   carousel.load %{{.*}} to %[[B:.*]] swizzle(b128) : {{.*}}, memref<32x64xbf16,
  // CHECK:   %[[LEFT:.*]] = nvgpu.ldmatrix %[[A]]{{.*}} {numTiles = 4 : i32, transpose = false}
  // CHECK:   %[[RIGHT:.*]] = nvgpu.ldmatrix %[[B]]{{.*}} {numTiles = 4 : i32, transpose = true}
  // CHECK:   %[[PART:.*]] = vector.extract_strided_slice %[[RIGHT]] {offsets = [0], sizes = [2], strides = [1]}
  // CHECK:   nvgpu.mma.sync(%[[LEFT]], %[[PART]], %{{.*}}) {mmaShape = [16, 8, 16]}
  // CHECK-COUNT-7: nvgpu.mma.sync
  // CHECK-NOT: nvgpu.mma.sync
  // CHECK: } {carousel.pipeline
  gpu.func @product(%x: !bf16, %y: !bf16, %z: !matrix) kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : vector<16x64xf32>
    %depth = memref.dim %x, %c1 : !bf16
    %sum = scf.for %k = %c0 to %depth step %c32 iter_args(%acc = %zeros) -> (vector<16x64xf32>) {
      %a = vector.transfer_read %x[%c0, %k], %pad : !bf16, vector<16x32xbf16>
      %b = vector.transfer_read %y[%k, %c0], %pad : !bf16, vector<32x64xbf16>
      %next = vector.contract #product %a, %b, %acc : vector<16x32xbf16>, vector<32x64xbf16> into vector<16x64xf32>
      scf.yield %next : vector<16x64xf32>
    } {carousel.pipeline = #carousel.pipeline<stages = 2>}
    vector.transfer_write %sum, %z[%c0, %c0] : vector<16x64xf32>, !matrix
    gpu.return
  }

  // Extensions of the factors belong to the product. Others are multiply-adds of the threads.
  // CHECK-LABEL: gpu.func @extended
  // CHECK-NOT: arith.extf
  // CHECK: nvgpu.mma.sync
  // CHECK-NOT: arith.extf
  // CHECK-COUNT-4: math.fma {{.*}} : vector<4xf32>
  // CHECK-NOT: math.fma
  // CHECK: gpu.return
  gpu.func @extended(%x: !bf16, %z: !matrix) kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %pad = arith.constant 0.0 : bf16
    %none = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : vector<16x16xf32>
    %a16 = vector.transfer_read %x[%c0, %c0], %pad : !bf16, vector<16x16xbf16>
    %a = arith.extf %a16 : vector<16x16xbf16> to vector<16x16xf32>
    %p = vector.contract #product %a, %a, %zeros : vector<16x16xf32>, vector<16x16xf32> into vector<16x16xf32>
    %b = vector.transfer_read %z[%c0, %c0], %none : !matrix, vector<16x4xf32>
    %c = vector.transfer_read %z[%c0, %c0], %none : !matrix, vector<4x16xf32>
    %q = vector.contract #product %b, %c, %p : vector<16x4xf32>, vector<4x16xf32> into vector<16x16xf32>
    vector.transfer_write %q, %z[%c0, %c0] : vector<16x16xf32>, !matrix
    gpu.return
  }

  // CTAs of a cluster share a row: a program is a cluster's.
  // CHECK-LABEL: gpu.func @cluster
  // CHECK-SAME: grid = [extent(0, 0) * 2], block = [64], cluster = [2]
  // CHECK: %[[BLOCK:.*]] = gpu.block_id x
  // CHECK: arith.andi %[[BLOCK]], %c1
  // CHECK: %[[ROW:.*]] = arith.shrui %[[BLOCK]], %c1
  // CHECK: gpu.barrier
  // CHECK: carousel.cluster.gather %{{.*}} : f32 -> vector<2xf32>
  // CHECK-NOT: gpu.barrier
  // CHECK: memref.store %{{.*}}[%[[ROW]]]
  gpu.func @cluster(%x: !m, %y: !v) kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)], block = [64], cluster = [2]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %row = gpu.block_id x
    %a = vector.transfer_read %x[%row, %c0], %zero {in_bounds = [true]} : !m, vector<256xf32>
    %s = vector.multi_reduction <add>, %a, %zero [0] : vector<256xf32> to f32
    memref.store %s, %y[%row] : !v
    gpu.return
  }

  // A program that gathers itself is one of a CTA: ids count CTAs, and each thread has the values of all.
  // CHECK-LABEL: gpu.func @gathers
  // CHECK-SAME: grid = [extent(0, 0)], block = [64], cluster = [2]
  // CHECK: %[[BLOCK:.*]] = gpu.block_id x
  // CHECK: %[[ALL:.*]] = carousel.cluster.gather %{{.*}} : f32 -> vector<2xf32>
  // CHECK-NOT: gpu.shuffle
  // CHECK: %[[FIRST:.*]] = vector.{{shuffle|extract}} %[[ALL]]
  // CHECK: %[[SECOND:.*]] = vector.{{shuffle|extract}} %[[ALL]]
  // CHECK: arith.addf %[[FIRST]], %[[SECOND]]
  // CHECK: memref.store %{{.*}}[%[[BLOCK]]]
  gpu.func @gathers(%x: !m, %y: !v) kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)], block = [64], cluster = [2]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %row = gpu.block_id x
    %a = vector.transfer_read %x[%row, %c0], %zero {in_bounds = [true]} : !m, vector<256xf32>
    %s = vector.multi_reduction <add>, %a, %zero [0] : vector<256xf32> to f32
    %all = carousel.cluster.gather %s : f32 -> vector<2xf32>
    %sum = vector.multi_reduction <add>, %all, %zero [0] : vector<2xf32> to f32
    memref.store %sum, %y[%row] : !v
    gpu.return
  }

  // Chunks that a loop writes lie apart, wherever the first one begins: no barrier.
  // CHECK-LABEL: gpu.func @chunks
  // CHECK: scf.for
  // CHECK-NOT: gpu.barrier
  // CHECK: gpu.return
  gpu.func @chunks(%x: !m, %y: !m, %begin: index, %n: index) kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c256 = arith.constant 256 : index
    %zero = arith.constant 0.0 : f32
    %row = gpu.block_id x
    scf.for %i = %c0 to %n step %c256 {
      %part = arith.addi %i, %begin : index
      %at = arith.addi %c256, %part : index
      %a = vector.transfer_read %x[%row, %at], %zero {in_bounds = [true]} : !m, vector<256xf32>
      vector.transfer_write %a, %y[%row, %at] {in_bounds = [true]} : vector<256xf32>, !m
    }
    gpu.return
  }

  // Those of half the extent overlap.
  // CHECK-LABEL: gpu.func @overlapping_chunks
  // CHECK: scf.for
  // CHECK: gpu.barrier
  // CHECK: gpu.return
  gpu.func @overlapping_chunks(%x: !m, %y: !m, %begin: index, %n: index) kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %zero = arith.constant 0.0 : f32
    %row = gpu.block_id x
    scf.for %i = %c0 to %n step %c128 {
      %at = arith.addi %i, %begin : index
      %a = vector.transfer_read %x[%row, %at], %zero {in_bounds = [true]} : !m, vector<256xf32>
      vector.transfer_write %a, %y[%row, %at] {in_bounds = [true]} : vector<256xf32>, !m
    }
    gpu.return
  }

  // A mask has the memref's dimensions; what the read broadcasts is broadcast afterwards.
  // CHECK-LABEL: gpu.func @masked_broadcast
  // CHECK-COUNT-2: memref.load
  // CHECK-NOT: memref.load
  // CHECK-COUNT-8: memref.store
  // CHECK: gpu.return
  gpu.func @masked_broadcast(%x: !v, %y: !m, %n: index) kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %mask = vector.create_mask %n : vector<256xi1>
    %v = vector.transfer_read %x[%c0], %zero, %mask {in_bounds = [true, true], permutation_map = affine_map<(d0) -> (0, d0)>}
        : !v, vector<4x256xf32>
    vector.transfer_write %v, %y[%c0, %c0] {in_bounds = [true, true]} : vector<4x256xf32>, !m
    gpu.return
  }

  // All threads read the sums, and the first of those with copies writes them.
  // CHECK-LABEL: gpu.func @copies
  // CHECK: memref.load
  // CHECK: gpu.barrier
  // CHECK: scf.if
  // CHECK: memref.store
  gpu.func @copies(%y: !v) kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %v = vector.transfer_read %y[%c0], %zero {in_bounds = [true]} : !v, vector<4xf32>
    %w = arith.addf %v, %v : vector<4xf32>
    vector.transfer_write %w, %y[%c0] {in_bounds = [true]} : vector<4xf32>, !v
    gpu.return
  }

  // A box is a factor as a matrix: the rows of its tile are those of ldmatrix.
  // CHECK-LABEL: gpu.func @box
  // CHECK: carousel.load %{{.*}} to %[[BOX:.*]] swizzle(b64) : {{.*}}, memref<2x1x8x32xbf16,
  // CHECK: %[[ROWS:.*]] = nvgpu.ldmatrix %[[BOX]][%{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}] {numTiles = 4 : i32, transpose = false}
  // CHECK: nvgpu.mma.sync(%[[ROWS]],
  gpu.func @box(%x: memref<?x?x?x?xbf16, #gl>, %y: !bf16, %z: !matrix) kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : vector<16x64xf32>
    %depth = memref.dim %y, %c0 : !bf16
    %sum = scf.for %k = %c0 to %depth step %c32 iter_args(%acc = %zeros) -> (vector<16x64xf32>) {
      %box = vector.transfer_read %x[%c0, %c1, %c0, %k], %pad : memref<?x?x?x?xbf16, #gl>, vector<2x1x8x32xbf16>
      %a = vector.shape_cast %box : vector<2x1x8x32xbf16> to vector<16x32xbf16>
      %b = vector.transfer_read %y[%k, %c0], %pad : !bf16, vector<32x64xbf16>
      %next = vector.contract #product %a, %b, %acc : vector<16x32xbf16>, vector<32x64xbf16> into vector<16x64xf32>
      scf.yield %next : vector<16x64xf32>
    } {carousel.pipeline = #carousel.pipeline<stages = 2>}
    vector.transfer_write %sum, %z[%c0, %c0] : vector<16x64xf32>, !matrix
    gpu.return
  }

  // A layout of matrices, but of 8-bit floats, which ldmatrix's op doesn't have: threads read the tile.
  // CHECK-LABEL: gpu.func @bytes_of_floats
  // CHECK-NOT: nvgpu.ldmatrix
  // CHECK: vector.load {{.*}} vector<4xf8E5M2>
  // CHECK-NOT: nvgpu.ldmatrix
  // CHECK: gpu.return
  gpu.func @bytes_of_floats(%x: memref<?x?xf8E5M2, #gpu.address_space<global>>, %y: memref<?x?xf8E5M2, #gpu.address_space<global>>) kernel
      attributes {carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %pad = arith.constant 0.0 : f8E5M2
    %n = memref.dim %x, %c1 : memref<?x?xf8E5M2, #gpu.address_space<global>>
    scf.for %i = %c0 to %n step %c32 {
      %v = vector.transfer_read %x[%c0, %i], %pad {carousel.layout = #carousel.layout<register = [[0, 1], [0, 2], [8, 0], [16, 0], [0, 16]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = []>} : memref<?x?xf8E5M2, #gpu.address_space<global>>, vector<32x32xf8E5M2>
      vector.transfer_write %v, %y[%c0, %i] : vector<32x32xf8E5M2>, memref<?x?xf8E5M2, #gpu.address_space<global>>
    } {carousel.pipeline = #carousel.pipeline<stages = 2>}
    gpu.return
  }

  // What is pending after many branches is each access once: 24 of them took a gigabyte before.
  // CHECK-LABEL: gpu.func @branches
  // CHECK: memref.store
  // CHECK: gpu.barrier
  // CHECK: memref.load
  gpu.func @branches(%x: !v, %n: index) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %zero = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : vector<64xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    %c6 = arith.constant 6 : index
    %c7 = arith.constant 7 : index
    %c8 = arith.constant 8 : index
    %c9 = arith.constant 9 : index
    %c10 = arith.constant 10 : index
    %c11 = arith.constant 11 : index
    %c12 = arith.constant 12 : index
    %c13 = arith.constant 13 : index
    %c14 = arith.constant 14 : index
    %c15 = arith.constant 15 : index
    %c16 = arith.constant 16 : index
    %c17 = arith.constant 17 : index
    %c18 = arith.constant 18 : index
    %c19 = arith.constant 19 : index
    %c20 = arith.constant 20 : index
    %c21 = arith.constant 21 : index
    %c22 = arith.constant 22 : index
    %c23 = arith.constant 23 : index
    vector.transfer_write %zeros, %x[%c0] : vector<64xf32>, !v
    %q0 = arith.cmpi eq, %n, %c0 : index
    scf.if %q0 { memref.store %zero, %x[%c0] : !v }
    %q1 = arith.cmpi eq, %n, %c1 : index
    scf.if %q1 { memref.store %zero, %x[%c1] : !v }
    %q2 = arith.cmpi eq, %n, %c2 : index
    scf.if %q2 { memref.store %zero, %x[%c2] : !v }
    %q3 = arith.cmpi eq, %n, %c3 : index
    scf.if %q3 { memref.store %zero, %x[%c3] : !v }
    %q4 = arith.cmpi eq, %n, %c4 : index
    scf.if %q4 { memref.store %zero, %x[%c4] : !v }
    %q5 = arith.cmpi eq, %n, %c5 : index
    scf.if %q5 { memref.store %zero, %x[%c5] : !v }
    %q6 = arith.cmpi eq, %n, %c6 : index
    scf.if %q6 { memref.store %zero, %x[%c6] : !v }
    %q7 = arith.cmpi eq, %n, %c7 : index
    scf.if %q7 { memref.store %zero, %x[%c7] : !v }
    %q8 = arith.cmpi eq, %n, %c8 : index
    scf.if %q8 { memref.store %zero, %x[%c8] : !v }
    %q9 = arith.cmpi eq, %n, %c9 : index
    scf.if %q9 { memref.store %zero, %x[%c9] : !v }
    %q10 = arith.cmpi eq, %n, %c10 : index
    scf.if %q10 { memref.store %zero, %x[%c10] : !v }
    %q11 = arith.cmpi eq, %n, %c11 : index
    scf.if %q11 { memref.store %zero, %x[%c11] : !v }
    %q12 = arith.cmpi eq, %n, %c12 : index
    scf.if %q12 { memref.store %zero, %x[%c12] : !v }
    %q13 = arith.cmpi eq, %n, %c13 : index
    scf.if %q13 { memref.store %zero, %x[%c13] : !v }
    %q14 = arith.cmpi eq, %n, %c14 : index
    scf.if %q14 { memref.store %zero, %x[%c14] : !v }
    %q15 = arith.cmpi eq, %n, %c15 : index
    scf.if %q15 { memref.store %zero, %x[%c15] : !v }
    %q16 = arith.cmpi eq, %n, %c16 : index
    scf.if %q16 { memref.store %zero, %x[%c16] : !v }
    %q17 = arith.cmpi eq, %n, %c17 : index
    scf.if %q17 { memref.store %zero, %x[%c17] : !v }
    %q18 = arith.cmpi eq, %n, %c18 : index
    scf.if %q18 { memref.store %zero, %x[%c18] : !v }
    %q19 = arith.cmpi eq, %n, %c19 : index
    scf.if %q19 { memref.store %zero, %x[%c19] : !v }
    %q20 = arith.cmpi eq, %n, %c20 : index
    scf.if %q20 { memref.store %zero, %x[%c20] : !v }
    %q21 = arith.cmpi eq, %n, %c21 : index
    scf.if %q21 { memref.store %zero, %x[%c21] : !v }
    %q22 = arith.cmpi eq, %n, %c22 : index
    scf.if %q22 { memref.store %zero, %x[%c22] : !v }
    %q23 = arith.cmpi eq, %n, %c23 : index
    scf.if %q23 { memref.store %zero, %x[%c23] : !v }
    %e = memref.load %x[%n] : !v
    memref.store %e, %x[%c1] : !v
    gpu.return
  }

  // No engine copies indices, whose bits tensor maps don't know.
  // CHECK-LABEL: gpu.func @indices
  // CHECK-NOT: carousel.load
  // CHECK: memref.load %{{.*}} : memref<?x?xindex,
  // CHECK-NOT: carousel.store
  // CHECK: gpu.return
  gpu.func @indices(%x: memref<?x?xindex, #gl>, %y: memref<?x?xindex, #gl>) kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = memref.dim %x, %c0 : memref<?x?xindex, #gl>
    scf.for %i = %c0 to %n step %c1 {
      %v = vector.transfer_read %x[%i, %c0], %c0 : memref<?x?xindex, #gl>, vector<256xindex>
      vector.transfer_write %v, %y[%i, %c0] : vector<256xindex>, memref<?x?xindex, #gl>
    } {carousel.pipeline = #carousel.pipeline<>}
    gpu.return
  }

  // Windows overlap, and every program reads the weights: these stay in L1.
  // CHECK-LABEL: gpu.func @windows
  // CHECK: scf.for
  // CHECK-NOT: nontemporal
  // CHECK: gpu.return
  gpu.func @windows(%x: memref<1024x256xf32, #gl>, %w: memref<3x256xf32, #gl>, %y: !m) kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.variant = #carousel.variant<kernel = "windows", guards = [aligned(0, 16), aligned(1, 16), aligned(2, 16)]>,
      carousel.launch = #carousel.launch<grid = [extent(2, 0)], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %zero = arith.constant 0.0 : f32
    %none = arith.constant dense<0.0> : vector<256xf32>
    %row = gpu.block_id x
    %sum = scf.for %a = %c0 to %c3 step %c1 iter_args(%s = %none) -> (vector<256xf32>) {
      %at = arith.addi %row, %a : index
      %v = vector.transfer_read %x[%at, %c0], %zero {in_bounds = [true]} : memref<1024x256xf32, #gl>, vector<256xf32>
      %u = vector.transfer_read %w[%a, %c0], %zero {in_bounds = [true]} : memref<3x256xf32, #gl>, vector<256xf32>
      %n = math.fma %v, %u, %s : vector<256xf32>
      scf.yield %n : vector<256xf32>
    }
    vector.transfer_write %sum, %y[%row, %c0] {in_bounds = [true]} : vector<256xf32>, !m
    gpu.return
  }

  // A turn passes on what each thread has of a vector, in the layout of what is computed with it. The
  // vector that threads read is the one of a loop, as the product of another CTA.
  // CHECK-LABEL: gpu.func @turns
  // CHECK: %[[SUMS:.*]] = carousel.serialize %{{.*}}[%{{.*}}] turn %{{.*}} of %{{.*}} (%{{.*}}, %{{.*}}) {
  // CHECK: %[[READ:.*]] = vector.insert_strided_slice {{.*}}offsets = [4]
  // CHECK: carousel.pass_turn %[[READ]] : vector<8xf32>
  // CHECK: } : memref<?xi32, {{.*}}> -> vector<8xf32>
  // CHECK: %[[NEXT:.*]] = arith.addf %[[SUMS]], %{{.*}} : vector<8xf32>
  // CHECK: carousel.serialize
  // CHECK: vector.store
  gpu.func @turns(%x: !m, %y: !m, %s: memref<?xi32, #gl>) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.starts_in_order,
      carousel.variant = #carousel.variant<kernel = "turns", guards = [aligned(0, 16), aligned(1, 16)]>,
      carousel.launch = #carousel.launch<grid = [2], block = [32]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %zero = arith.constant 0.0 : f32
    %row = gpu.block_id x
    %v = carousel.serialize %s[%c0] turn %row of %c2 (%first, %last) {
      %0 = vector.transfer_read %y[%row, %c0], %zero {in_bounds = [true]} : !m, vector<256xf32>
      carousel.pass_turn %0 : vector<256xf32>
    } : memref<?xi32, #gl> -> vector<256xf32>
    %u = vector.transfer_read %x[%row, %c0], %zero {in_bounds = [true]} : !m, vector<256xf32>
    %sum = arith.addf %v, %u : vector<256xf32>
    carousel.serialize %s[%c1] turn %row of %c2 (%first, %last) {
      vector.transfer_write %sum, %y[%row, %c0] {in_bounds = [true]} : vector<256xf32>, !m
    } : memref<?xi32, #gl>
    gpu.return
  }
}
