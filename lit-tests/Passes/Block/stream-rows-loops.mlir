// Loops over rows that are wider than vectors: rows are reduced and written first, and what a loop carries goes along
// chunks of columns.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-stream-rows))' --remarks-filter=carousel-stream-rows --remark-format=emitRemark --verify-diagnostics | FileCheck %s

#gl = #gpu.address_space<global>
#part = affine_map<(block) -> (block * 4)>
#end = affine_map<(block)[rows] -> (block * 4 + 4, rows)>
!m = memref<?x?xf32, #gl>
!row = vector<64xf32>

gpu.module @m {
  // Columns need nothing of whole rows.
  // CHECK-LABEL: gpu.func @gradient
  // CHECK-SAME: (%[[X:[a-z0-9]+]]: memref<?x?xf32, {{[^>]*}}>>, %[[Y:[a-z0-9]+]]: memref<?x?xf32, {{[^>]*}}>>, %[[P:[a-z0-9]+]]: memref
  // CHECK-SAME: carousel.block_program = #carousel.block_program<>
  // CHECK: scf.for %[[I:[a-z0-9]+]] = %[[FIRST:.*]] to %[[LAST:[a-z0-9]+]] step %{{.*}} {
  // CHECK:   %[[PARTS:.*]] = scf.for %[[AT:[a-z0-9]+]] = {{.*}} -> (vector<64xf32>) {
  // CHECK:     %[[J:.*]] = arith.addi %{{.*}}, %[[AT]] : index
  // CHECK:     vector.transfer_read %[[X]][%[[I]], %[[J]]]
  // CHECK:   }
  // CHECK:   vector.multi_reduction <add>, %[[PARTS]]
  // CHECK:   scf.for %[[AT2:[a-z0-9]+]] =
  // CHECK:     arith.addi %{{.*}}, %[[AT2]] : index
  // CHECK:     vector.transfer_write %{{.*}}, %[[Y]][%[[I]], %{{.*}}]
  // CHECK:   }
  // CHECK-NEXT: }
  // CHECK: scf.for %[[AT3:[a-z0-9]+]] =
  // CHECK:   %[[SUMS:.*]] = scf.for %[[I3:[a-z0-9]+]] = %[[FIRST]] to %[[LAST]] step {{.*}} -> (vector<64xf32>) {
  // CHECK-NEXT: %[[J3:.*]] = arith.addi %{{.*}}, %[[AT3]] : index
  // CHECK-NEXT: %[[V:.*]] = vector.transfer_read %[[X]][%[[I3]], %[[J3]]]
  // CHECK-NEXT: arith.addf %[[V]]
  // CHECK-NEXT: scf.yield
  // CHECK-NEXT: } {carousel.pipeline
  // CHECK:   vector.transfer_write %[[SUMS]], %[[P]]
  // expected-remark @below {{rows in chunks of 64}}
  gpu.func @gradient(%x: !m, %y: !m, %parts: !m) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 64, covers = extent(0, 1)>,
      carousel.launch = #carousel.launch<grid = [ceildiv(extent(0, 0), 4)], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : !row
    %block = gpu.block_id x
    %rows = memref.dim %x, %c0 : !m
    %first = affine.apply #part(%block)
    %last = affine.min #end(%block)[%rows]
    // expected-remark @below {{the loop reads rows a second time for what it carries, with 0 results of each row}}
    %sums = scf.for %i = %first to %last step %c1 iter_args(%sum = %zeros) -> (!row) {
      %v = vector.transfer_read %x[%i, %c0], %zero : !m, !row
      %s = vector.multi_reduction <add>, %v, %zero [0] : !row to f32
      %ss = vector.broadcast %s : f32 to !row
      %d = arith.subf %v, %ss : !row
      vector.transfer_write %d, %y[%i, %c0] : !row, !m
      %next = arith.addf %v, %sum : !row
      scf.yield %next : !row
    } {carousel.pipeline = #carousel.pipeline<stages = 2>}
    vector.transfer_write %sums, %parts[%block, %c0] : !row, !m
    gpu.return
  }

  // Columns need the result of each row's reduction: memory of the CTA keeps those of at most four rows. Columns are
  // written in the loop.
  // CHECK-LABEL: gpu.func @kept
  // CHECK: %[[KEPT:.*]] = memref.alloc() : memref<4xf32, #gpu.address_space<workgroup>>
  // CHECK: scf.for %[[I:[a-z0-9]+]] = %[[FIRST:[a-z0-9]+]] to
  // CHECK:   %[[S:.*]] = vector.multi_reduction
  // CHECK:   %[[ONE:.*]] = vector.broadcast %[[S]] : f32 to vector<1xf32>
  // CHECK:   %[[N:.*]] = arith.subi %[[I]], %[[FIRST]]
  // CHECK:   vector.transfer_write %[[ONE]], %[[KEPT]][%[[N]]] {in_bounds = [true]}
  // CHECK: scf.for %[[AT:[a-z0-9]+]] =
  // CHECK:   scf.for %[[J:[a-z0-9]+]] =
  // CHECK:     %[[READ:.*]] = vector.transfer_read %[[KEPT]]
  // CHECK:     %[[MEAN:.*]] = vector.extract %[[READ]][0]
  // CHECK:     vector.broadcast %[[MEAN]] : f32 to vector<64xf32>
  // CHECK:     vector.transfer_write %{{.*}}[%[[J]], %{{.*}}]
  // expected-remark @below {{rows in chunks of 64}}
  gpu.func @kept(%x: !m, %y: !m) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 64, covers = extent(0, 1)>,
      carousel.launch = #carousel.launch<grid = [ceildiv(extent(0, 0), 4)], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : !row
    %block = gpu.block_id x
    %rows = memref.dim %x, %c0 : !m
    %first = affine.apply #part(%block)
    %last = affine.min #end(%block)[%rows]
    // expected-remark @below {{the loop reads rows a second time for what it carries, with 1 results of each row}}
    %sums = scf.for %i = %first to %last step %c1 iter_args(%sum = %zeros) -> (!row) {
      %v = vector.transfer_read %x[%i, %c0], %zero : !m, !row
      %s = vector.multi_reduction <add>, %v, %zero [0] : !row to f32
      %ss = vector.broadcast %s : f32 to !row
      %d = arith.subf %v, %ss : !row
      %next = arith.addf %d, %sum : !row
      vector.transfer_write %next, %y[%i, %c0] : !row, !m
      scf.yield %next : !row
    }
    gpu.return
  }

  // A loop without a bound: each chunk reduces the rows again, with the scalar that the loop carries.
  // CHECK-LABEL: gpu.func @again
  // CHECK-NOT: memref.alloc
  // CHECK: %[[TOTAL:.*]] = scf.for {{.*}} -> (f32) {
  // CHECK: memref.store %[[TOTAL]]
  // CHECK: scf.for %[[AT:[a-z0-9]+]] =
  // CHECK:   %[[SUMS:.*]]:2 = scf.for %[[J:[a-z0-9]+]] = {{.*}} -> (vector<64xf32>, f32) {
  // CHECK:     scf.for %[[AT2:[a-z0-9]+]] = {{.*}} -> (vector<64xf32>) {
  // CHECK:       %[[C2:.*]] = arith.addi %{{.*}}, %[[AT2]] : index
  // CHECK:       vector.transfer_read %{{.*}}[%[[J]], %[[C2]]]
  // CHECK:     vector.multi_reduction
  // CHECK:     %[[C:.*]] = arith.addi %{{.*}}, %[[AT]] : index
  // CHECK:     vector.transfer_read %{{.*}}[%[[J]], %[[C]]]
  // CHECK:   vector.transfer_write %[[SUMS]]#0
  // expected-remark @below {{rows in chunks of 64}}
  gpu.func @again(%x: !m, %y: !m, %total: memref<?xf32, #gl>) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 64, covers = extent(0, 1)>,
      carousel.launch = #carousel.launch<grid = [extent(1, 0)], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : !row
    %block = gpu.block_id x
    %rows = memref.dim %x, %c0 : !m
    // expected-remark @below {{each chunk reduces all rows again}}
    %sums, %all = scf.for %i = %block to %rows step %c1 iter_args(%sum = %zeros, %t = %zero) -> (!row, f32) {
      %v = vector.transfer_read %x[%i, %c0], %zero : !m, !row
      %s = vector.multi_reduction <add>, %v, %t [0] : !row to f32
      %ss = vector.broadcast %s : f32 to !row
      %d = arith.mulf %v, %ss : !row
      %next = arith.addf %d, %sum : !row
      scf.yield %next, %s : !row, f32
    }
    memref.store %all, %total[%block] : memref<?xf32, #gl>
    vector.transfer_write %sums, %y[%block, %c0] : !row, !m
    gpu.return
  }

  // A loop without covered vectors stays as it is.
  // CHECK-LABEL: gpu.func @scalars
  // CHECK: %[[N:.*]] = scf.for {{.*}} -> (f32) {
  // CHECK: scf.for
  // CHECK:   vector.broadcast %[[N]]
  // expected-remark @below {{rows in chunks of 64}}
  gpu.func @scalars(%x: !m, %w: memref<?xf32, #gl>, %y: !m) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 64, covers = extent(0, 1)>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %zero = arith.constant 0.0 : f32
    %block = gpu.block_id x
    %n = scf.for %i = %c0 to %c4 step %c1 iter_args(%sum = %zero) -> (f32) {
      %v = memref.load %w[%i] : memref<?xf32, #gl>
      %next = arith.addf %v, %sum : f32
      scf.yield %next : f32
    }
    %ns = vector.broadcast %n : f32 to !row
    %v = vector.transfer_read %x[%block, %c0], %zero : !m, !row
    %d = arith.mulf %v, %ns : !row
    vector.transfer_write %d, %y[%block, %c0] : !row, !m
    gpu.return
  }

  // CHECK-LABEL: gpu.func @norm_of_sums
  // CHECK-SAME: guards = [range(extent(0, 1), 0, 64)]
  // expected-remark @below {{no launch for extents above 64, in passes: 'vector.multi_reduction' reduces what a loop carries in each iteration}}
  gpu.func @norm_of_sums(%x: !m, %y: !m) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 64, covers = extent(0, 1)>,
      carousel.launch = #carousel.launch<grid = [extent(1, 0)], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : !row
    %block = gpu.block_id x
    %rows = memref.dim %x, %c0 : !m
    %sums = scf.for %i = %block to %rows step %c1 iter_args(%sum = %zeros) -> (!row) {
      %v = vector.transfer_read %x[%i, %c0], %zero : !m, !row
      %s = vector.multi_reduction <add>, %sum, %zero [0] : !row to f32
      %ss = vector.broadcast %s : f32 to !row
      %next = arith.addf %v, %ss : !row
      scf.yield %next : !row
    }
    vector.transfer_write %sums, %y[%block, %c0] : !row, !m
    gpu.return
  }

  // CHECK-LABEL: gpu.func @nested
  // CHECK-SAME: guards = [range(extent(0, 1), 0, 64)]
  // expected-remark @below {{no launch for extents above 64, in passes: 'scf.for' has regions}}
  gpu.func @nested(%x: !m, %y: !m) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 64, covers = extent(0, 1)>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %rows = memref.dim %x, %c0 : !m
    scf.for %i = %c0 to %rows step %c1 {
      scf.for %j = %c0 to %i step %c1 {
        %v = vector.transfer_read %x[%j, %c0], %zero : !m, !row
        vector.transfer_write %v, %y[%i, %c0] : !row, !m
      }
    }
    gpu.return
  }

  // Each iteration writes other columns: chunks would change the order of the writes.
  // CHECK-LABEL: gpu.func @shifted
  // CHECK-SAME: guards = [range(extent(0, 1), 0, 64)]
  // expected-remark @below {{no launch for extents above 64, in passes: 'vector.transfer_write' goes to other columns in each iteration}}
  gpu.func @shifted(%x: !m, %y: !m) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 64, covers = extent(0, 1)>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : !row
    %rows = memref.dim %x, %c0 : !m
    %sums = scf.for %i = %c0 to %rows step %c1 iter_args(%sum = %zeros) -> (!row) {
      %v = vector.transfer_read %x[%i, %c0], %zero : !m, !row
      %next = arith.addf %v, %sum : !row
      vector.transfer_write %next, %y[%c0, %i] : !row, !m
      scf.yield %next : !row
    }
    gpu.return
  }

  // The second write is of an earlier level.
  // CHECK-LABEL: gpu.func @twice
  // CHECK-SAME: guards = [range(extent(0, 1), 0, 64)]
  // expected-remark @below {{no launch for extents above 64, in passes: it writes a memref twice}}
  gpu.func @twice(%x: !m, %y: !m) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 64, covers = extent(0, 1)>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)], block = [64]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %row = gpu.block_id x
    %v = vector.transfer_read %x[%row, %c0], %zero : !m, !row
    %s = vector.multi_reduction <add>, %v, %zero [0] : !row to f32
    %ss = vector.broadcast %s : f32 to !row
    vector.transfer_write %ss, %y[%row, %c0] : !row, !m
    vector.transfer_write %v, %y[%row, %c0] : !row, !m
    gpu.return
  }
}
