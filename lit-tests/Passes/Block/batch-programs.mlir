// Several programs in a CTA: a leading dimension for what depends on the program.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-batch-programs))' --remarks-filter=carousel-batch-programs --remark-format=emitRemark --verify-diagnostics | FileCheck %s

#gl = #gpu.address_space<global>
!m = memref<?x?xf32, #gl>
!v = memref<?xf32, #gl>
!l = memref<?xi64, #gl>

gpu.module @m {
  // DOC-EXAMPLE: --carousel-batch-programs
  // CHECK-LABEL: gpu.func @rows
  // CHECK-SAME: (%[[X:[a-z0-9]+]]: memref<?x?xf32, {{[^>]*}}>>, %[[W:[a-z0-9]+]]: memref<?xf32, {{[^>]*}}>>, %[[Y:[a-z0-9]+]]: memref<?x?xf32,
  // CHECK-SAME: carousel.block_program = #carousel.block_program<>
  // CHECK-SAME: grid = [ceildiv(extent(0, 0), 4)]
  // CHECK-SAME: guards = [range(extent(0, 1), 0, 64), equal(extent(2, 0), extent(0, 0)), equal(extent(3, 0), extent(0, 0))]
  // CHECK: %[[BLOCK:.*]] = gpu.block_id x
  // CHECK: %[[ROW:.*]] = arith.muli %[[BLOCK]], %{{.*}} : index
  // CHECK: %[[A:.*]] = vector.transfer_read %[[X]][%[[ROW]], %{{.*}}], %{{.*}} : {{.*}}, vector<4x64xf32>
  // CHECK: %[[B:.*]] = vector.transfer_read %[[W]][%{{.*}}], %{{.*}} : {{.*}}, vector<64xf32>
  // CHECK: %[[SUM:.*]] = vector.multi_reduction <add>, %[[A]], %{{.*}} [1] : vector<4x64xf32> to vector<4xf32>
  // CHECK: %[[ROOT:.*]] = math.rsqrt %[[SUM]] : vector<4xf32>
  // CHECK: %[[COLUMN:.*]] = vector.shape_cast %[[ROOT]] : vector<4xf32> to vector<4x1xf32>
  // CHECK: vector.broadcast %[[COLUMN]] : vector<4x1xf32> to vector<4x64xf32>
  // CHECK: vector.broadcast %[[B]] : vector<64xf32> to vector<4x64xf32>
  // CHECK: vector.transfer_write %{{.*}}, %[[Y]][%[[ROW]], %{{.*}}]
  // CHECK: vector.transfer_write %[[ROOT]], %{{.*}}[%[[ROW]]]
  // expected-remark @below {{4 programs together in a CTA}}
  gpu.func @rows(%x: !m, %w: !v, %y: !m, %r: !v) kernel attributes {
      carousel.block_program = #carousel.block_program<programs = 4>,
      carousel.variant = #carousel.variant<kernel = "rows", guards = [range(extent(0, 1), 0, 64)]>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)], block = [64]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %row = gpu.block_id x
    %a = vector.transfer_read %x[%row, %c0], %zero : !m, vector<64xf32>
    %b = vector.transfer_read %w[%c0], %zero : !v, vector<64xf32>
    %sum = vector.multi_reduction <add>, %a, %zero [0] : vector<64xf32> to f32
    %root = math.rsqrt %sum : f32
    %roots = vector.broadcast %root : f32 to vector<64xf32>
    %c = arith.mulf %a, %roots : vector<64xf32>
    %d = arith.mulf %c, %b : vector<64xf32>
    vector.transfer_write %d, %y[%row, %c0] : vector<64xf32>, !m
    memref.store %root, %r[%row] : !v
    gpu.return
  }

  // An element of each program's own row, by an index that it reads: a gather.
  // CHECK-LABEL: gpu.func @label
  // CHECK: vector.transfer_read %{{.*}} : memref<?xi64, {{.*}}>, vector<2xi64>
  // CHECK: memref.extract_strided_metadata
  // CHECK: vector.gather %{{.*}} into vector<2xf32>
  // expected-remark @below {{2 programs together in a CTA}}
  gpu.func @label(%x: !m, %labels: !l, %y: !v) kernel attributes {
      carousel.block_program = #carousel.block_program<programs = 2>,
      carousel.variant = #carousel.variant<kernel = "label", guards = [capability(80)]>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)], block = [64]>} {
    %row = gpu.block_id x
    %l64 = memref.load %labels[%row] : !l
    %l = arith.index_cast %l64 : i64 to index
    %v = memref.load %x[%row, %l] : !m
    memref.store %v, %y[%row] : !v
    gpu.return
  }

  // A part of a row that each program finds by an index.
  // CHECK-LABEL: gpu.func @embedding
  // CHECK: %[[OWN:.*]] = arith.index_cast %{{.*}} : vector<2xi64> to vector<2xindex>
  // CHECK: %[[EXIST:.*]] = arith.cmpi ult, %[[OWN]], %{{.*}} : vector<2xindex>
  // CHECK: %[[ROWS:.*]] = arith.muli %[[OWN]], %{{.*}} : vector<2xindex>
  // CHECK: %[[PLACES:.*]] = arith.addi %{{.*}} : vector<2x8xindex>
  // CHECK: vector.gather %{{.*}}[%{{.*}}, %{{.*}}] [%[[PLACES]]], %{{.*}} into vector<2x8xf32>
  // expected-remark @below {{2 programs together in a CTA}}
  gpu.func @embedding(%x: !m, %labels: !l, %y: !m) kernel attributes {
      carousel.block_program = #carousel.block_program<programs = 2>,
      carousel.variant = #carousel.variant<kernel = "embedding", guards = [capability(80)]>,
      carousel.launch = #carousel.launch<grid = [extent(1, 0)], block = [64]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %row = gpu.block_id x
    %l64 = memref.load %labels[%row] : !l
    %l = arith.index_cast %l64 : i64 to index
    %v = vector.transfer_read %x[%l, %c0], %zero : !m, vector<8xf32>
    vector.transfer_write %v, %y[%row, %c0] : vector<8xf32>, !m
    gpu.return
  }

  // Without another variant, a launch whose results have more rows would be left without one.
  // CHECK-LABEL: gpu.func @alone
  // CHECK-SAME: grid = [extent(0, 0)]
  // expected-remark @below {{2 programs not together in a CTA: the kernel has no other variant for launches in which results have more rows than there are programs}}
  gpu.func @alone(%x: !v, %y: !v) kernel attributes {
      carousel.block_program = #carousel.block_program<programs = 2>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)], block = [64]>} {
    %row = gpu.block_id x
    %v = memref.load %x[%row] : !v
    memref.store %v, %y[%row] : !v
    gpu.return
  }

  // CHECK-LABEL: gpu.func @grid
  // CHECK-SAME: grid = [extent(0, 0)]
  // expected-remark @below {{2 programs not together in a CTA: 'gpu.grid_dim' depends on the number of CTAs}}
  gpu.func @grid(%x: !v) kernel attributes {
      carousel.block_program = #carousel.block_program<programs = 2>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)], block = [64]>} {
    %blocks = gpu.grid_dim x
    gpu.return
  }

  // A vector of all programs would have a dimension more than vectors may have.
  // CHECK-LABEL: gpu.func @dimensions
  // CHECK-NOT: vector<2x
  // CHECK: gpu.return
  // expected-remark @below {{2 programs not together in a CTA: 'vector.shape_cast' has a vector of four dimensions}}
  gpu.func @dimensions(%x: memref<?x?xf32>) kernel attributes {
      carousel.block_program = #carousel.block_program<programs = 2>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)], block = [64]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %row = gpu.block_id x
    %v = vector.transfer_read %x[%row, %c0], %zero : memref<?x?xf32>, vector<64xf32>
    %w = vector.shape_cast %v : vector<64xf32> to vector<1x16x1x4xf32>
    %s = vector.multi_reduction <add>, %w, %zero [0, 1, 2, 3] : vector<1x16x1x4xf32> to f32
    memref.store %s, %x[%row, %c0] : memref<?x?xf32>
    gpu.return
  }

  // Programs beyond the grid take no branch.
  // CHECK-LABEL: gpu.func @branch
  // CHECK: %[[TAKEN:.*]] = arith.cmpi eq, %{{.*}} : vector<2xindex>
  // CHECK: %[[EXIST:.*]] = vector.create_mask %{{.*}} : vector<2xi1>
  // CHECK: %[[MASK:.*]] = arith.andi %[[TAKEN]], %[[EXIST]] : vector<2xi1>
  // CHECK: %[[NUMBERS:.*]] = arith.extui %[[MASK]] : vector<2xi1> to vector<2xi32>
  // CHECK: %[[OR:.*]] = vector.multi_reduction <or>, %[[NUMBERS]], %{{.*}} [0] : vector<2xi32> to i32
  // CHECK: %[[ANY:.*]] = arith.cmpi ne, %[[OR]]
  // CHECK: scf.if %[[ANY]] {
  // CHECK-NEXT: vector.broadcast
  // CHECK-NEXT: vector.transfer_write %{{.*}}, %{{.*}}[%{{.*}}], %[[MASK]] : vector<2xf32>
  // CHECK-NEXT: }
  // expected-remark @below {{2 programs together in a CTA}}
  gpu.func @branch(%x: !v) kernel attributes {
      carousel.block_program = #carousel.block_program<programs = 2>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)], block = [64]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %row = gpu.block_id x
    %first = arith.cmpi eq, %row, %c0 : index
    scf.if %first {
      memref.store %zero, %x[%row] : !v
    }
    gpu.return
  }

  // A condition that all programs have in common, with a result that they haven't.
  // CHECK-LABEL: gpu.func @common
  // CHECK: scf.if %{{.*}} -> (vector<2xf32>) {
  // CHECK:   scf.yield %{{.*}} : vector<2xf32>
  // CHECK: } else {
  // CHECK:   %[[ZEROS:.*]] = vector.broadcast %{{.*}} : f32 to vector<2xf32>
  // CHECK:   scf.yield %[[ZEROS]]
  // expected-remark @below {{2 programs together in a CTA}}
  gpu.func @common(%x: !v, %y: !v) kernel attributes {
      carousel.block_program = #carousel.block_program<programs = 2>,
      carousel.variant = #carousel.variant<kernel = "common", guards = [capability(80)]>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)], block = [64]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %row = gpu.block_id x
    %rows = memref.dim %x, %c0 : !v
    %some = arith.cmpi ne, %rows, %c0 : index
    %a = scf.if %some -> (f32) {
      %v = memref.load %x[%row] : !v
      scf.yield %v : f32
    } else {
      scf.yield %zero : f32
    }
    memref.store %a, %y[%row] : !v
    gpu.return
  }

  // A view that ends elsewhere in each program becomes a mask.
  // CHECK-LABEL: gpu.func @view
  // CHECK-NOT: memref.subview
  // CHECK: %[[ENDS:.*]] = arith.subi %{{.*}}, %{{.*}} : vector<2xindex>
  // CHECK: %[[AT:.*]] = vector.step : vector<8xindex>
  // CHECK: %[[COLUMN:.*]] = vector.shape_cast %[[ENDS]] : vector<2xindex> to vector<2x1xindex>
  // CHECK: %[[LIMITS:.*]] = vector.broadcast %[[COLUMN]] : vector<2x1xindex> to vector<2x8xindex>
  // CHECK: %[[PLACES:.*]] = vector.broadcast %[[AT]] : vector<8xindex> to vector<2x8xindex>
  // CHECK: %[[INSIDE:.*]] = arith.cmpi slt, %[[PLACES]], %[[LIMITS]]
  // CHECK: vector.transfer_read %{{.*}}, %{{.*}}, %[[INSIDE]] : memref<?x?xf32, #gpu.address_space<global>>, vector<2x8xf32>
  // expected-remark @below {{2 programs together in a CTA}}
  gpu.func @view(%x: !m, %n: memref<?xindex, #gl>, %y: !v) kernel attributes {
      carousel.block_program = #carousel.block_program<programs = 2>,
      carousel.variant = #carousel.variant<kernel = "view", guards = [capability(80)]>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)], block = [64]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %row = gpu.block_id x
    %rows = memref.dim %x, %c0 : !m
    %end = memref.load %n[%row] : memref<?xindex, #gl>
    %part = memref.subview %x[0, 0] [%rows, %end] [1, 1] : !m to memref<?x?xf32, strided<[?, 1]>, #gl>
    %v = vector.transfer_read %part[%row, %c0], %zero : memref<?x?xf32, strided<[?, 1]>, #gl>, vector<8xf32>
    %s = vector.multi_reduction <add>, %v, %zero [0] : vector<8xf32> to f32
    memref.store %s, %y[%row] : !v
    gpu.return
  }

  // CHECK-LABEL: gpu.func @other_grid
  // expected-remark @below {{2 programs not together in a CTA: 'scf.if' isn't the same in all programs, whose number isn't an extent}}
  gpu.func @other_grid(%x: !v) kernel attributes {
      carousel.block_program = #carousel.block_program<programs = 2>,
      carousel.launch = #carousel.launch<grid = [ceildiv(extent(0, 0), 2)], block = [64]>} {
    %c0 = arith.constant 0 : index
    %row = gpu.block_id x
    %first = arith.cmpi eq, %row, %c0 : index
    scf.if %first {
    }
    gpu.return
  }

  // CHECK-LABEL: gpu.func @begins
  // expected-remark @below {{2 programs not together in a CTA: 'memref.subview' begins elsewhere in each program}}
  gpu.func @begins(%x: !v) kernel attributes {
      carousel.block_program = #carousel.block_program<programs = 2>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)], block = [64]>} {
    %row = gpu.block_id x
    %part = memref.subview %x[%row] [1] [1] : !v to memref<1xf32, strided<[1], offset: ?>, #gl>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @no_launch
  // expected-remark @below {{2 programs not together in a CTA: the kernel has no launch}}
  gpu.func @no_launch(%x: !v) kernel attributes {
      carousel.block_program = #carousel.block_program<programs = 2>} {
    %zero = arith.constant 0.0 : f32
    %row = gpu.block_id x
    memref.store %zero, %x[%row] : !v
    gpu.return
  }
}
