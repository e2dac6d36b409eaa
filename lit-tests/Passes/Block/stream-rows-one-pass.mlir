// Reductions that wait for others share their loop over chunks if what they have so far can be corrected; a remark says what
// can't.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-stream-rows))' --remarks-filter=carousel-stream-rows --remark-format=emitRemark --verify-diagnostics | FileCheck %s

#gl = #gpu.address_space<global>
!m = memref<?x?xf32, #gl>
!v = memref<?xf32, #gl>
!row = vector<64xf32>

gpu.module @m {
  // A new maximum scales the sum by an exponential of a scalar.
  // CHECK-LABEL: gpu.func @exponentials
  // CHECK: %[[SUMS:.*]]:2 = scf.for %[[AT:.*]] = %{{.*}} iter_args(%[[MAX:.*]] = %{{.*}}, %[[PART:.*]] = %{{.*}}) -> (f32, vector<64xf32>)
  // CHECK:   %[[X:.*]] = vector.transfer_read
  // CHECK:   %[[NOW:.*]] = vector.multi_reduction <maximumf>, %[[X]], %[[MAX]] [0] : vector<64xf32> to f32
  // CHECK:   %[[CHANGE:.*]] = arith.negf %{{.*}} : f32
  // CHECK:   %[[SCALE:.*]] = math.exp %[[CHANGE]] : f32
  // CHECK:   %[[SCALES:.*]] = vector.broadcast %[[SCALE]]
  // CHECK:   %[[SCALED:.*]] = arith.mulf %[[PART]], %[[SCALES]]
  // CHECK:   %[[E:.*]] = math.exp %{{.*}} : vector<64xf32>
  // CHECK:   %[[NEXT:.*]] = arith.addf %[[SCALED]], %[[E]]
  // CHECK:   scf.yield %[[NOW]], %[[NEXT]]
  // CHECK-NOT: scf.for
  // expected-remark @below {{levels of reductions that share the loop of the level before: 1; what they have so far is corrected}}
  // expected-remark @below {{rows in chunks of 64}}
  gpu.func @exponentials(%x: !m, %l: !v) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 64, covers = extent(0, 1)>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)], block = [64]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %low = arith.constant 0xFF800000 : f32
    %i = gpu.block_id x
    %v = vector.transfer_read %x[%i, %c0], %low : !m, !row
    %max = vector.multi_reduction <maximumf>, %v, %low [0] : !row to f32
    %ms = vector.broadcast %max : f32 to !row
    %d = arith.subf %v, %ms : !row
    %e = math.exp %d : !row
    %s = vector.multi_reduction <add>, %e, %zero [0] : !row to f32
    memref.store %s, %l[%i] : !v
    gpu.return
  }

  // A tangent has no rule.
  // CHECK-LABEL: gpu.func @tangents
  // CHECK-COUNT-2: scf.for
  // expected-remark @below {{rows are read again: 'math.tanh' has no correction where a result of earlier chunks changes}}
  // expected-remark @below {{rows in chunks of 64}}
  gpu.func @tangents(%x: !m, %l: !v) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 64, covers = extent(0, 1)>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)], block = [64]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %low = arith.constant 0xFF800000 : f32
    %i = gpu.block_id x
    %v = vector.transfer_read %x[%i, %c0], %low : !m, !row
    %max = vector.multi_reduction <maximumf>, %v, %low [0] : !row to f32
    %ms = vector.broadcast %max : f32 to !row
    %d = arith.subf %v, %ms : !row
    %e = math.tanh %d : !row
    %s = vector.multi_reduction <add>, %e, %zero [0] : !row to f32
    memref.store %s, %l[%i] : !v
    gpu.return
  }

  // Where the row of a maximum has nothing so far, other elements may be anything.
  // CHECK-LABEL: gpu.func @others
  // CHECK-COUNT-2: scf.for
  // expected-remark @below {{rows are read again: it reads other elements than the largest or least is of}}
  // expected-remark @below {{rows in chunks of 64}}
  gpu.func @others(%x: !m, %y: !m, %l: !v) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 64, covers = extent(0, 1)>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)], block = [64]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %low = arith.constant 0xFF800000 : f32
    %i = gpu.block_id x
    %v = vector.transfer_read %x[%i, %c0], %low : !m, !row
    %w = vector.transfer_read %y[%i, %c0], %low : !m, !row
    %max = vector.multi_reduction <maximumf>, %v, %low [0] : !row to f32
    %ms = vector.broadcast %max : f32 to !row
    %d = arith.subf %w, %ms : !row
    %e = math.exp %d : !row
    %s = vector.multi_reduction <add>, %e, %zero [0] : !row to f32
    memref.store %s, %l[%i] : !v
    gpu.return
  }

  // Of x + max, the exponential may be zero before a larger maximum has an infinite factor.
  // CHECK-LABEL: gpu.func @negated
  // CHECK-COUNT-2: scf.for
  // expected-remark @below {{rows are read again: elements may be too large before the largest or least that it computes with is known}}
  // expected-remark @below {{rows in chunks of 64}}
  gpu.func @negated(%x: !m, %l: !v) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 64, covers = extent(0, 1)>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)], block = [64]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %low = arith.constant 0xFF800000 : f32
    %i = gpu.block_id x
    %v = vector.transfer_read %x[%i, %c0], %low : !m, !row
    %max = vector.multi_reduction <maximumf>, %v, %low [0] : !row to f32
    %negative = arith.negf %max : f32
    %ms = vector.broadcast %negative : f32 to !row
    %d = arith.subf %v, %ms : !row
    %e = math.exp %d : !row
    %s = vector.multi_reduction <add>, %e, %zero [0] : !row to f32
    memref.store %s, %l[%i] : !v
    gpu.return
  }

  // A maximum that is 0 where nothing is in the row.
  // CHECK-LABEL: gpu.func @guarded
  // CHECK: scf.for
  // CHECK-NOT: scf.for
  // expected-remark @below {{levels of reductions that share the loop of the level before: 1; what they have so far is corrected}}
  // expected-remark @below {{rows in chunks of 64}}
  gpu.func @guarded(%x: !m, %l: !v) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 64, covers = extent(0, 1)>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)], block = [64]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %low = arith.constant 0xFF800000 : f32
    %i = gpu.block_id x
    %v = vector.transfer_read %x[%i, %c0], %low : !m, !row
    %max = vector.multi_reduction <maximumf>, %v, %low [0] : !row to f32
    %none = arith.cmpf oeq, %max, %low : f32
    %safe = arith.select %none, %zero, %max : f32
    %ms = vector.broadcast %safe : f32 to !row
    %d = arith.subf %v, %ms : !row
    %e = math.exp %d : !row
    %s = vector.multi_reduction <add>, %e, %zero [0] : !row to f32
    memref.store %s, %l[%i] : !v
    gpu.return
  }

  // A maximum that is 0 up to some number may be so at first alone, and then change by more than exponentials have room for.
  // CHECK-LABEL: gpu.func @guessed
  // CHECK-COUNT-2: scf.for
  // expected-remark @below {{rows are read again: elements may be too large before the largest or least that it computes with is known}}
  // expected-remark @below {{rows in chunks of 64}}
  gpu.func @guessed(%x: !m, %l: !v) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 64, covers = extent(0, 1)>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)], block = [64]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %low = arith.constant 0xFF800000 : f32
    %i = gpu.block_id x
    %v = vector.transfer_read %x[%i, %c0], %low : !m, !row
    %max = vector.multi_reduction <maximumf>, %v, %low [0] : !row to f32
    %least = arith.constant -100.0 : f32
    %none = arith.cmpf olt, %max, %least : f32
    %safe = arith.select %none, %zero, %max : f32
    %ms = vector.broadcast %safe : f32 to !row
    %d = arith.subf %v, %ms : !row
    %e = math.exp %d : !row
    %s = vector.multi_reduction <add>, %e, %zero [0] : !row to f32
    memref.store %s, %l[%i] : !v
    gpu.return
  }

  // Shifted, what isn't neutral would be no number where the largest is infinite.
  // CHECK-LABEL: gpu.func @opposite
  // CHECK-COUNT-2: scf.for
  // expected-remark @below {{rows are read again: it chooses an infinite number that isn't neutral, and a correction would change it}}
  // expected-remark @below {{rows in chunks of 64}}
  gpu.func @opposite(%x: !m, %l: !v) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 64, covers = extent(0, 1)>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)], block = [64]>} {
    %c0 = arith.constant 0 : index
    %low = arith.constant 0xFF800000 : f32
    %zeros = arith.constant dense<0.0> : !row
    %highs = arith.constant dense<0x7F800000> : !row
    %i = gpu.block_id x
    %v = vector.transfer_read %x[%i, %c0], %low : !m, !row
    %max = vector.multi_reduction <maximumf>, %v, %low [0] : !row to f32
    %ms = vector.broadcast %max : f32 to !row
    %d = arith.subf %v, %ms : !row
    %keep = arith.cmpf ogt, %v, %zeros : !row
    %c = arith.select %keep, %d, %highs : vector<64xi1>, !row
    %s = vector.multi_reduction <maximumf>, %c, %low [0] : !row to f32
    memref.store %s, %l[%i] : !v
    gpu.return
  }

  // A mean so far is no bound.
  // CHECK-LABEL: gpu.func @of_means
  // CHECK-COUNT-2: scf.for
  // expected-remark @below {{rows are read again: elements may be too large before a sum is complete}}
  // expected-remark @below {{rows in chunks of 64}}
  gpu.func @of_means(%x: !m, %l: !v) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 64, covers = extent(0, 1)>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)], block = [64]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %i = gpu.block_id x
    %v = vector.transfer_read %x[%i, %c0], %zero : !m, !row
    %sum = vector.multi_reduction <add>, %v, %zero [0] : !row to f32
    %ms = vector.broadcast %sum : f32 to !row
    %d = arith.subf %v, %ms : !row
    %e = math.exp %d : !row
    %s = vector.multi_reduction <add>, %e, %zero [0] : !row to f32
    memref.store %s, %l[%i] : !v
    gpu.return
  }

  // A reciprocal of what is 0 so far is infinite.
  // CHECK-LABEL: gpu.func @reciprocals
  // CHECK-COUNT-2: scf.for
  // expected-remark @below {{rows are read again: 'math.log' has no correction where a result of earlier chunks changes}}
  // expected-remark @below {{rows in chunks of 64}}
  gpu.func @reciprocals(%x: !m, %l: !v) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 64, covers = extent(0, 1)>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)], block = [64]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %low = arith.constant 0xFF800000 : f32
    %i = gpu.block_id x
    %v = vector.transfer_read %x[%i, %c0], %low : !m, !row
    %max = vector.multi_reduction <maximumf>, %v, %low [0] : !row to f32
    %log = math.log %max : f32
    %ms = vector.broadcast %log : f32 to !row
    %d = arith.subf %v, %ms : !row
    %e = math.exp %d : !row
    %s = vector.multi_reduction <add>, %e, %zero [0] : !row to f32
    memref.store %s, %l[%i] : !v
    gpu.return
  }
}
