// Masks become bounds: those of transfers, reductions and contractions.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-verify-block,carousel-fold-masks))' | FileCheck %s

#gl = #gpu.address_space<global>
#rest = affine_map<(i)[n] -> (n - i, 256)>
#rows = affine_map<(i)[n] -> (4, n - i * 4)>
#first = affine_map<(i) -> (i * 4)>
!m = memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>
!v = memref<?xf32, #gl>

gpu.module @m {
  // The mask of x ends where x does, and that of y where x does.
  // DOC-EXAMPLE: --carousel-fold-masks
  // CHECK-LABEL: gpu.func @copy
  // CHECK-SAME: (%[[X:[a-z0-9]+]]: memref<?x?xf32, {{.*}}>, %[[Y:[a-z0-9]+]]
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant 0.0
  // CHECK-DAG: %[[ROWS:.*]] = memref.dim %[[X]], %c0
  // CHECK-DAG: %[[COLUMNS:.*]] = memref.dim %[[X]], %c1
  // CHECK: scf.for %[[I:.*]] =
  // CHECK: %[[V:.*]] = vector.transfer_read %[[X]][%[[ROW:.*]], %[[I]]], %[[ZERO]] : memref<?x?xf32, {{.*}}>, vector<4x256xf32>
  // CHECK: %[[VIEW:.*]] = memref.subview %[[Y]][0, 0] [%[[ROWS]], %[[COLUMNS]]] [1, 1]
  // CHECK: vector.transfer_write %[[V]], %[[VIEW]][%{{.*}}, %[[I]]] : vector<4x256xf32>
  gpu.func @copy(%x: !m, %y: !m) kernel attributes {
      carousel.block_program = #carousel.block_program<>,
      carousel.launch = #carousel.launch<grid = [ceildiv(extent(0, 0), 4)]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    %poison = ub.poison : f32
    %block = gpu.block_id x
    %m = memref.dim %x, %c0 : !m
    %n = memref.dim %x, %c1 : !m
    %row = affine.apply #first(%block)
    %height = affine.min #rows(%block)[%m]
    scf.for %i = %c0 to %n step %c256 {
      %width = affine.min #rest(%i)[%n]
      %from = memref.subview %x[%row, %i] [%height, %width] [1, 1] : !m to !m
      %to = memref.subview %y[%row, %i] [%height, %width] [1, 1] : !m to !m
      %mask = vector.create_mask %height, %width : vector<4x256xi1>
      %v = vector.transfer_read %from[%c0, %c0], %poison, %mask {in_bounds = [true, true]} : !m, vector<4x256xf32>
      vector.transfer_write %v, %to[%c0, %c0], %mask {in_bounds = [true, true]} : vector<4x256xf32>, !m
    }
    gpu.return
  }

  // A size that isn't the rest of x: a view ends there. A mask that is true everywhere goes. The order of a mask's
  // dimensions is that of the memref's.
  // CHECK-LABEL: gpu.func @sizes
  // CHECK-SAME: (%[[X:[a-z0-9]+]]: memref<?x?xf32, {{.*}}>, %[[Y:[a-z0-9]+]]: memref<?x?xf32, {{.*}}>, %[[S:.*]]: index)
  // CHECK: %[[C8:.*]] = arith.constant 8 : index
  // CHECK: %[[END:.*]] = affine.apply {{.*}}()[%[[S]]]
  // CHECK: %[[WHERE:.*]] = arith.maxsi %[[END]], %{{.*}}
  // CHECK: %[[N:.*]] = memref.dim %[[X]], %c1
  // CHECK: %[[VIEW:.*]] = memref.subview %[[X]][0, 0] [%[[WHERE]], %[[N]]] [1, 1]
  // CHECK: %[[V:.*]] = vector.transfer_read %[[VIEW]][%[[C8]], %{{.*}}], %{{.*}} {in_bounds = [true, false], permutation_map = {{.*}}} : {{.*}}, vector<16x4xf32>
  // CHECK: vector.transfer_write %[[V]], %[[Y]][%{{.*}}, %{{.*}}] {in_bounds = [true, true]} :
  gpu.func @sizes(%x: !m, %y: !m, %size: index) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1]>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %zero = arith.constant 0.0 : f32
    %mask = vector.create_mask %size, %c16 : vector<4x16xi1>
    %v = vector.transfer_read %x[%c8, %c0], %zero, %mask {in_bounds = [true, true], permutation_map = affine_map<(i, j) -> (j, i)>} : !m, vector<16x4xf32>
    %all = vector.constant_mask [16, 4] : vector<16x4xi1>
    vector.transfer_write %v, %y[%c0, %c0], %all {in_bounds = [true, true]} : vector<16x4xf32>, !m
    gpu.return
  }

  // Vectors that cover an extent may become wider than the constants that bound their masks.
  // CHECK-LABEL: gpu.func @covered
  // CHECK-SAME: (%[[X:[a-z0-9]+]]: memref<?x?xf32, {{.*}}>, %[[Y:[a-z0-9]+]]: memref<?x?xf32, {{.*}}>, %[[N:.*]]: index)
  // CHECK: %[[C300:.*]] = arith.constant 300 : index
  // CHECK: %[[COLUMNS:.*]] = memref.dim %[[X]], %c1
  // CHECK: %[[END:.*]] = arith.minsi %[[C300]], %[[COLUMNS]]
  // CHECK: memref.subview %[[X]][0, 0] [%{{.*}}, %{{.*}}] [1, 1]
  // CHECK: affine.min
  // CHECK: memref.subview %[[Y]]
  gpu.func @covered(%x: !m, %y: !m, %n: index) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 256, covers = extent(0, 1)>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)]>} {
    %c0 = arith.constant 0 : index
    %c300 = arith.constant 300 : index
    %zero = arith.constant 0.0 : f32
    %row = gpu.block_id x
    %mask = vector.create_mask %c300 : vector<256xi1>
    %v = vector.transfer_read %x[%row, %c0], %zero, %mask : !m, vector<256xf32>
    %most = affine.min #rest(%c0)[%n]
    %first = vector.create_mask %most : vector<256xi1>
    vector.transfer_write %v, %y[%row, %c0], %first : vector<256xf32>, !m
    gpu.return
  }

  // A transfer that may leave its memref ends where it or the mask does.
  // CHECK-LABEL: gpu.func @both
  // CHECK-SAME: (%[[X:[a-z0-9]+]]: memref<?xf32, {{.*}}>, %[[S:.*]]: index)
  // CHECK: %[[N:.*]] = memref.dim %[[X]]
  // CHECK: %[[END:.*]] = arith.minsi %[[S]], %[[N]]
  // CHECK: %[[LIMIT:.*]] = arith.maxsi %[[END]], %{{.*}}
  // CHECK: memref.subview %[[X]][0] [%[[LIMIT]]] [1]
  gpu.func @both(%x: !v, %size: index) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant dense<0.0> : vector<16xf32>
    %mask = vector.create_mask %size : vector<16xi1>
    vector.transfer_write %zero, %x[%c0], %mask : vector<16xf32>, !v
    gpu.return
  }

  // A mask of a transfer that permutes dimensions isn't the same one for the vector: the choices stay.
  // CHECK-LABEL: gpu.func @turned
  // CHECK: %[[V:.*]] = vector.transfer_read
  // CHECK: %[[ONE:.*]] = arith.select %{{.*}}, %[[V]], %{{.*}} : vector<16x16xi1>, vector<16x16xf32>
  // CHECK: %[[TWO:.*]] = arith.select %{{.*}}, %[[ONE]], %[[V]] : vector<16x16xi1>, vector<16x16xf32>
  // CHECK: vector.transfer_write %[[TWO]]
  gpu.func @turned(%x: !m, %y: !m, %rows: index, %columns: index) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1]>} {
    %c0 = arith.constant 0 : index
    %poison = ub.poison : f32
    %zeros = arith.constant dense<0.0> : vector<16x16xf32>
    %mask = vector.create_mask %rows, %columns : vector<16x16xi1>
    %v = vector.transfer_read %x[%c0, %c0], %poison, %mask {in_bounds = [true, true], permutation_map = affine_map<(i, j) -> (j, i)>} : !m, vector<16x16xf32>
    %one = arith.select %mask, %v, %zeros : vector<16x16xi1>, vector<16x16xf32>
    %two = arith.select %mask, %one, %v : vector<16x16xi1>, vector<16x16xf32>
    vector.transfer_write %two, %y[%c0, %c0], %mask {in_bounds = [true, true], permutation_map = affine_map<(i, j) -> (j, i)>} : vector<16x16xf32>, !m
    gpu.return
  }

  // Masks that aren't boxes stay.
  // CHECK-LABEL: gpu.func @odd
  // CHECK: vector.transfer_write %{{.*}}, %{{.*}}[%{{.*}}], %{{.*}} : vector<16xf32>
  gpu.func @odd(%x: !v) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1]>} {
    %c0 = arith.constant 0 : index
    %ones = arith.constant dense<1> : vector<16xindex>
    %zero = arith.constant dense<0.0> : vector<16xf32>
    %steps = vector.step : vector<16xindex>
    %bit = arith.andi %steps, %ones : vector<16xindex>
    %mask = arith.cmpi eq, %bit, %ones : vector<16xindex>
    vector.transfer_write %zero, %x[%c0], %mask : vector<16xf32>, !v
    gpu.return
  }

  // What a reduction doesn't take is neutral: the padding of the read.
  // CHECK-LABEL: gpu.func @reduction
  // CHECK-SAME: (%[[X:[a-z0-9]+]]: memref<?xf32, {{.*}}>,
  // CHECK: %[[LEAST:.*]] = arith.constant 0xFF800000 : f32
  // CHECK: %[[V:.*]] = vector.transfer_read %[[X]][%{{.*}}], %[[LEAST]] : memref<?xf32, {{.*}}>, vector<256xf32>
  // CHECK: vector.multi_reduction <maximumf>, %[[V]]
  // CHECK-NOT: vector.mask
  gpu.func @reduction(%x: !v, %y: !v) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1]>} {
    %c0 = arith.constant 0 : index
    %poison = ub.poison : f32
    %zero = arith.constant 0.0 : f32
    %n = memref.dim %x, %c0 : !v
    %mask = vector.create_mask %n : vector<256xi1>
    %v = vector.transfer_read %x[%c0], %poison, %mask {in_bounds = [true]} : !v, vector<256xf32>
    %r = vector.mask %mask { vector.multi_reduction <maximumf>, %v, %zero [0] : vector<256xf32> to f32 } : vector<256xi1> -> f32
    memref.store %r, %y[%c0] : !v
    gpu.return
  }

  // A value with other users keeps its elements, and the reduction chooses.
  // CHECK-LABEL: gpu.func @two_users
  // CHECK: %[[V:.*]] = vector.transfer_read
  // CHECK: %[[S:.*]] = arith.select %{{.*}}, %[[V]], %{{.*}} : vector<256xi1>, vector<256xf32>
  // CHECK: vector.multi_reduction <add>, %[[S]]
  // CHECK: vector.transfer_write %[[V]]
  gpu.func @two_users(%x: !v, %y: !v) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %n = memref.dim %x, %c0 : !v
    %mask = vector.create_mask %n : vector<256xi1>
    %v = vector.transfer_read %x[%c0], %zero : !v, vector<256xf32>
    %r = vector.mask %mask { vector.multi_reduction <add>, %v, %zero [0] : vector<256xf32> to f32 } : vector<256xi1> -> f32
    vector.transfer_write %v, %y[%c0] : vector<256xf32>, !v
    memref.store %r, %y[%c0] : !v
    gpu.return
  }

  // Both factors have zeros behind k, also before they are extended. The write chooses among sums.
  // CHECK-LABEL: gpu.func @product
  // CHECK-SAME: (%[[A:[a-z0-9]+]]: memref<?x?xbf16, {{.*}}>, %[[B:[a-z0-9]+]]: memref<?x?xbf16, {{.*}}>, %[[C:[a-z0-9]+]]:
  // CHECK: %[[ZERO:.*]] = arith.constant 0.{{0*}}e+00 : bf16
  // CHECK: %[[L:.*]] = vector.transfer_read %[[A]][%{{.*}}], %[[ZERO]] : {{.*}}, vector<32x16xbf16>
  // CHECK: %[[VIEW:.*]] = memref.subview %[[B]]
  // CHECK: %[[R:.*]] = vector.transfer_read %[[VIEW]][%{{.*}}], %[[ZERO]] : {{.*}}, vector<16x32xbf16>
  // CHECK: %[[LW:.*]] = arith.extf %[[L]]
  // CHECK: %[[RW:.*]] = arith.extf %[[R]]
  // CHECK: %[[SUM:.*]] = vector.contract {{.*}} %[[LW]], %[[RW]], %[[ACC:.*]] :
  // CHECK: vector.transfer_write %[[SUM]]
  gpu.func @product(%a: memref<?x?xbf16, #gl>, %b: memref<?x?xbf16, #gl>, %c: memref<?x?xf32, #gl>) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %poison = ub.poison : bf16
    %zero = arith.constant 0.0 : f32
    %m = memref.dim %a, %c0 : memref<?x?xbf16, #gl>
    %k = memref.dim %a, %c1 : memref<?x?xbf16, #gl>
    %n = memref.dim %b, %c1 : memref<?x?xbf16, #gl>
    %maskA = vector.create_mask %m, %k : vector<32x16xi1>
    %maskB = vector.create_mask %k, %n : vector<16x32xi1>
    %maskC = vector.create_mask %m, %n : vector<32x32xi1>
    %l = vector.transfer_read %a[%c0, %c0], %poison, %maskA {in_bounds = [true, true]} : memref<?x?xbf16, #gl>, vector<32x16xbf16>
    %r = vector.transfer_read %b[%c0, %c0], %poison, %maskB {in_bounds = [true, true]} : memref<?x?xbf16, #gl>, vector<16x32xbf16>
    %acc = vector.transfer_read %c[%c0, %c0], %zero, %maskC {in_bounds = [true, true]} : memref<?x?xf32, #gl>, vector<32x32xf32>
    %lw = arith.extf %l : vector<32x16xbf16> to vector<32x16xf32>
    %rw = arith.extf %r : vector<16x32xbf16> to vector<16x32xf32>
    %all = vector.create_mask %m, %n, %k : vector<32x32x16xi1>
    %sum = vector.mask %all { vector.contract {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %lw, %rw, %acc : vector<32x16xf32>, vector<16x32xf32> into vector<32x32xf32> } : vector<32x32x16xi1> -> vector<32x32xf32>
    vector.transfer_write %sum, %c[%c0, %c0], %maskC {in_bounds = [true, true]} : vector<32x32xf32>, memref<?x?xf32, #gl>
    gpu.return
  }

  // Sums that something else reads stay what they were where they are masked.
  // CHECK-LABEL: gpu.func @sums
  // CHECK: %[[KEEP:.*]] = scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}) -> (vector<32xf32>)
  // CHECK: %[[SUM:.*]] = vector.contract {{.*}}, %[[ACC]] :
  // CHECK: %[[MASK:.*]] = vector.create_mask %[[M:.*]] : vector<32xi1>
  // CHECK: %[[NEXT:.*]] = arith.select %[[MASK]], %[[SUM]], %[[ACC]]
  // CHECK: scf.yield %[[NEXT]]
  gpu.func @sums(%a: !m, %b: !v, %c: !v) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %zero = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : vector<32xf32>
    %m = memref.dim %a, %c0 : !m
    %k = memref.dim %a, %c1 : !m
    %sums = scf.for %i = %c0 to %k step %c16 iter_args(%acc = %zeros) -> (vector<32xf32>) {
      %rest = arith.subi %k, %i : index
      %l = vector.transfer_read %a[%c0, %i], %zero : !m, vector<32x16xf32>
      %r = vector.transfer_read %b[%i], %zero : !v, vector<16xf32>
      %mask = vector.create_mask %m, %rest : vector<32x16xi1>
      %next = vector.mask %mask { vector.contract {indexing_maps = [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (i)>], iterator_types = ["parallel", "reduction"], kind = #vector.kind<add>} %l, %r, %acc : vector<32x16xf32>, vector<16xf32> into vector<32xf32> } : vector<32x16xi1> -> vector<32xf32>
      scf.yield %next : vector<32xf32>
    }
    vector.transfer_write %sums, %c[%c0] : vector<32xf32>, !v
    gpu.return
  }

  // A read of another shape of its memref stays as it is, and so it may beside masks.
  // CHECK-LABEL: gpu.func @expanded
  // CHECK: %[[SHAPE:.*]] = memref.expand_shape
  // CHECK: vector.transfer_read %[[SHAPE]]
  // CHECK: vector.transfer_write %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] : vector<64x32xf32>
  gpu.func @expanded(%x: memref<2048xf32, #gl>, %y: !m, %i: index) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1]>} {
    %zero = arith.constant 0.0 : f32
    %shape = memref.expand_shape %x [[0, 1]] output_shape [64, 32] : memref<2048xf32, #gl> into memref<64x32xf32, #gl>
    %v = vector.transfer_read %shape[%i, %i], %zero : memref<64x32xf32, #gl>, vector<64x32xf32>
    %mask = vector.constant_mask [45, 15] : vector<64x32xi1>
    vector.transfer_write %v, %y[%i, %i], %mask : vector<64x32xf32>, !m
    gpu.return
  }

  // f8E4M3FN has no infinity: its least number is neutral for a maximum.
  // CHECK-LABEL: gpu.func @narrow
  // CHECK: %[[LEAST:.*]] = arith.constant -4.480000e+02 : f8E4M3FN
  // CHECK: vector.transfer_read %{{.*}}[%{{.*}}], %[[LEAST]]
  gpu.func @narrow(%x: memref<?xf8E4M3FN, #gl>, %y: memref<?xf8E4M3FN, #gl>) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1]>} {
    %c0 = arith.constant 0 : index
    %poison = ub.poison : f8E4M3FN
    %zero = arith.constant 0.0 : f8E4M3FN
    %n = memref.dim %x, %c0 : memref<?xf8E4M3FN, #gl>
    %mask = vector.create_mask %n : vector<256xi1>
    %v = vector.transfer_read %x[%c0], %poison, %mask {in_bounds = [true]} : memref<?xf8E4M3FN, #gl>, vector<256xf8E4M3FN>
    %r = vector.mask %mask { vector.multi_reduction <maximumf>, %v, %zero [0] : vector<256xf8E4M3FN> to f8E4M3FN } : vector<256xi1> -> f8E4M3FN
    memref.store %r, %y[%c0] : memref<?xf8E4M3FN, #gl>
    gpu.return
  }

  // Memrefs that callers pass are in global memory, and so are views of them.
  // CHECK-LABEL: gpu.func @unplaced
  // CHECK-SAME: memref<?x?xf32, #gpu.address_space<global>>
  // CHECK: memref.reinterpret_cast {{.*}} to memref<64xf32, strided<[1], offset: ?>, #gpu.address_space<global>>
  // CHECK: vector.transfer_read {{.*}} : memref<64xf32, strided<[1], offset: ?>, #gpu.address_space<global>>
  gpu.func @unplaced(%x: memref<?x?xf32>, %i: index) kernel attributes {
      carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %row = memref.reinterpret_cast %x to offset: [%i], sizes: [64], strides: [1] : memref<?x?xf32> to memref<64xf32, strided<[1], offset: ?>>
    %v = vector.transfer_read %row[%c0], %zero : memref<64xf32, strided<[1], offset: ?>>, vector<64xf32>
    vector.transfer_write %v, %x[%c0, %c0] : vector<64xf32>, memref<?x?xf32>
    gpu.return
  }
}
