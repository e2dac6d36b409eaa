// Rows that are wider than vectors: a loop over chunks for each level of reductions, and one for the results.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-stream-rows))' --remarks-filter=carousel-stream-rows --remark-format=emitRemark --verify-diagnostics | FileCheck %s

#gl = #gpu.address_space<global>
!m = memref<?x?xf32, #gl>

gpu.module @m {
  // DOC-EXAMPLE: --carousel-stream-rows
  // CHECK-LABEL: gpu.func @center
  // CHECK-SAME: (%[[X:[a-z0-9]+]]: memref<?x?xf32, {{[^>]*}}>>, %[[Y:[a-z0-9]+]]
  // CHECK-SAME: carousel.block_program = #carousel.block_program<>
  // CHECK: %[[N:.*]] = memref.dim %[[X]]
  // CHECK: %[[NEUTRAL:.*]] = arith.constant dense<-0.000000e+00> : vector<64xf32>
  // CHECK: %[[PARTS:.*]] = scf.for %[[AT:.*]] = %{{.*}} to %[[N]] step %{{.*}} iter_args(%[[PART:.*]] = %[[NEUTRAL]])
  // CHECK:   %[[I:.*]] = arith.addi %{{.*}}, %[[AT]]
  // CHECK:   %[[V:.*]] = vector.transfer_read %[[X]][%{{.*}}, %[[I]]]
  // CHECK:   %[[NEXT:.*]] = arith.addf %[[PART]], %[[V]]
  // CHECK:   scf.yield %[[NEXT]]
  // CHECK: %[[SUM:.*]] = vector.multi_reduction <add>, %[[PARTS]], %{{.*}} [0]
  // CHECK: scf.for %[[AT2:.*]] = %{{.*}} to %[[N]]
  // CHECK:   vector.transfer_read %[[X]]
  // CHECK:   vector.broadcast %[[SUM]]
  // CHECK:   %[[REST:.*]] = arith.subi %{{.*}}, %[[AT2]]
  // CHECK:   vector.create_mask %[[REST]]
  // CHECK:   vector.transfer_write %{{.*}}, %[[Y]]
  // CHECK-NOT: scf.for
  // expected-remark @below {{rows in chunks of 64}}
  gpu.func @center(%x: !m, %y: !m) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 64, covers = extent(0, 1)>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : vector<64xf32>
    %row = gpu.block_id x
    %n = memref.dim %x, %c1 : !m
    %v = vector.transfer_read %x[%row, %c0], %zero : !m, vector<64xf32>
    %s = vector.multi_reduction <add>, %v, %zero [0] : vector<64xf32> to f32
    %ss = vector.broadcast %s : f32 to vector<64xf32>
    %d = arith.subf %v, %ss : vector<64xf32>
    %mask = vector.create_mask %n : vector<64xi1>
    %e = arith.select %mask, %d, %zeros : vector<64xi1>, vector<64xf32>
    vector.transfer_write %e, %y[%row, %c0] : vector<64xf32>, !m
    gpu.return
  }

  // Guards that keep wider rows away leave the kernel as it is.
  // CHECK-LABEL: gpu.func @bounded
  // CHECK-NOT: scf.for
  gpu.func @bounded(%x: !m, %y: !m) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 64, covers = extent(0, 1)>,
      carousel.variant = #carousel.variant<kernel = "bounded", guards = [range(extent(0, 1), 0, 64)]>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)], block = [64]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %row = gpu.block_id x
    %v = vector.transfer_read %x[%row, %c0], %zero : !m, vector<64xf32>
    vector.transfer_write %v, %y[%row, %c0] : vector<64xf32>, !m
    gpu.return
  }

  // A result may be where the row is if no later loop reads the row.
  // CHECK-LABEL: gpu.func @aliased
  // CHECK: scf.for
  // CHECK: scf.for
  // expected-remark @below {{rows in chunks of 64}}
  gpu.func @aliased(%x: !m {carousel.argument = #carousel.argument<"x", in>},
      %y: !m {carousel.argument = #carousel.argument<"y", out, may_alias = 0>}, %z: !m) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 64, covers = extent(0, 1)>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)], block = [64]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %row = gpu.block_id x
    %v = vector.transfer_read %x[%row, %c0], %zero : !m, vector<64xf32>
    %s = vector.multi_reduction <add>, %v, %zero [0] : vector<64xf32> to f32
    %ss = vector.broadcast %s : f32 to vector<64xf32>
    %d = arith.subf %v, %ss : vector<64xf32>
    vector.transfer_write %d, %y[%row, %c0] : vector<64xf32>, !m
    vector.transfer_write %d, %z[%row, %c0] : vector<64xf32>, !m
    gpu.return
  }

  // CHECK-LABEL: gpu.func @overwritten
  // CHECK-SAME: guards = [range(extent(0, 1), 0, 64)]
  // expected-remark @below {{no launch for extents above 64, in passes: it writes a memref before it has read one that may be the same}}
  gpu.func @overwritten(%x: !m {carousel.argument = #carousel.argument<"x", in>},
      %y: !m {carousel.argument = #carousel.argument<"y", out, may_alias = 0>}, %z: !m) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 64, covers = extent(0, 1)>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)], block = [64]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %row = gpu.block_id x
    %v = vector.transfer_read %x[%row, %c0], %zero : !m, vector<64xf32>
    %s = vector.multi_reduction <add>, %v, %zero [0] : vector<64xf32> to f32
    %ss = vector.broadcast %s : f32 to vector<64xf32>
    %d = arith.subf %v, %ss : vector<64xf32>
    vector.transfer_write %v, %y[%row, %c0] : vector<64xf32>, !m
    vector.transfer_write %d, %z[%row, %c0] : vector<64xf32>, !m
    gpu.return
  }

  // Otherwise guards come that do.
  // CHECK-LABEL: gpu.func @in_place
  // CHECK-SAME: guards = [range(extent(0, 1), 0, 64)]
  // expected-remark @below {{no launch for extents above 64, in passes: it reads and writes the same memref}}
  gpu.func @in_place(%x: !m) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 64, covers = extent(0, 1)>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)], block = [64]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %row = gpu.block_id x
    %v = vector.transfer_read %x[%row, %c0], %zero : !m, vector<64xf32>
    vector.transfer_write %v, %x[%row, %c0] : vector<64xf32>, !m
    gpu.return
  }

  // CHECK-LABEL: gpu.func @halves
  // expected-remark @below {{no launch for extents above 64, in passes: 'vector.extract_strided_slice' takes a part of a covered dimension}}
  gpu.func @halves(%x: !m, %y: !m) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 64, covers = extent(0, 1)>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)], block = [64]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %row = gpu.block_id x
    %v = vector.transfer_read %x[%row, %c0], %zero : !m, vector<64xf32>
    %h = vector.extract_strided_slice %v {offsets = [32], sizes = [32], strides = [1]} : vector<64xf32> to vector<32xf32>
    vector.transfer_write %h, %y[%row, %c0] : vector<32xf32>, !m
    gpu.return
  }

  // CHECK-LABEL: gpu.func @square
  // expected-remark @below {{no launch for extents above 64, in passes: 'vector.broadcast' has the covered dimension twice}}
  gpu.func @square(%x: !m, %y: !m) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 64, covers = extent(0, 1)>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)], block = [64]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : vector<64xf32>
    %row = gpu.block_id x
    %v = vector.transfer_read %x[%row, %c0], %zero : !m, vector<64xf32>
    %w = vector.broadcast %v : vector<64xf32> to vector<64x64xf32>
    %s = vector.multi_reduction <add>, %w, %zeros [1] : vector<64x64xf32> to vector<64xf32>
    vector.transfer_write %s, %y[%row, %c0] : vector<64xf32>, !m
    gpu.return
  }

  // Rows that both loops read come to a tile, up to their end, and the rest is the padding. What one loop reads is read
  // there. A guard bounds the extent.
  // CHECK-LABEL: gpu.func @kept
  // CHECK-SAME: (%[[X:[a-z0-9]+]]: memref<?x?xf32, {{[^>]*}}>>, %[[R:[a-z0-9]+]]: memref
  // CHECK-SAME: carousel.block_program = #carousel.block_program<>
  // CHECK-SAME: carousel.variant = #carousel.variant<kernel = "kept", guards = [range(extent(0, 1), 0, 256)]>
  // CHECK: %[[ROW:.*]] = gpu.block_id x
  // CHECK: %[[TILE:.*]] = memref.alloc() {alignment = 128 : i64} : memref<1x256xf32, #gpu.address_space<workgroup>>
  // CHECK-NEXT: carousel.load %[[X]][%[[ROW]], %{{.*}}] to %[[TILE]] fill(-1.5) :
  // CHECK-NOT: carousel.load
  // CHECK: scf.for %[[AT:[a-z0-9]+]] = %
  // CHECK:   vector.transfer_read %[[TILE]][%{{.*}}, %[[AT]]], %{{.*}} {in_bounds = [true]} : memref<1x256xf32, #gpu.address_space<workgroup>>, vector<64xf32>
  // CHECK: vector.multi_reduction
  // CHECK: scf.for %[[AT2:[a-z0-9]+]] = %
  // CHECK:   vector.transfer_read %[[TILE]][%{{.*}}, %[[AT2]]]
  // CHECK:   vector.transfer_read %[[R]]
  // CHECK:   vector.transfer_write
  // expected-remark @below {{rows in chunks of 64, 1 in tiles of 256}}
  gpu.func @kept(%x: !m, %r: !m, %y: !m) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 64, covers = extent(0, 1), keeps = 256>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)], block = [64]>} {
    %c0 = arith.constant 0 : index
    %pad = arith.constant -1.5 : f32
    %zero = arith.constant 0.0 : f32
    %row = gpu.block_id x
    %v = vector.transfer_read %x[%row, %c0], %pad : !m, vector<64xf32>
    %s = vector.multi_reduction <maxnumf>, %v, %pad [0] : vector<64xf32> to f32
    %ss = vector.broadcast %s : f32 to vector<64xf32>
    %d = arith.subf %v, %ss : vector<64xf32>
    %w = vector.transfer_read %r[%row, %c0], %zero : !m, vector<64xf32>
    %e = arith.addf %d, %w : vector<64xf32>
    vector.transfer_write %e, %y[%row, %c0] : vector<64xf32>, !m
    gpu.return
  }

  // Vectors of one row, as tiling leaves them.
  // CHECK-LABEL: gpu.func @kept_matrix
  // CHECK: %[[TILE:.*]] = memref.alloc() {alignment = 128 : i64} : memref<1x256xf32, #gpu.address_space<workgroup>>
  // CHECK-NEXT: carousel.load
  // CHECK: scf.for
  // CHECK:   vector.transfer_read %[[TILE]]{{.*}} {in_bounds = [true, true]} : memref<1x256xf32, {{.*}}>, vector<1x64xf32>
  // CHECK: scf.for
  // CHECK:   vector.transfer_read %[[TILE]]
  // expected-remark @below {{rows in chunks of 64, 1 in tiles of 256}}
  gpu.func @kept_matrix(%x: !m, %y: !m) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 64, covers = extent(0, 1), keeps = 256>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)], block = [64]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : vector<1xf32>
    %row = gpu.block_id x
    %v = vector.transfer_read %x[%row, %c0], %zero {in_bounds = [true, false]} : !m, vector<1x64xf32>
    %s = vector.multi_reduction <add>, %v, %zeros [1] : vector<1x64xf32> to vector<1xf32>
    %b = vector.broadcast %s : vector<1xf32> to vector<64x1xf32>
    %ss = vector.transpose %b, [1, 0] : vector<64x1xf32> to vector<1x64xf32>
    %d = arith.subf %v, %ss : vector<1x64xf32>
    vector.transfer_write %d, %y[%row, %c0] {in_bounds = [true, false]} : vector<1x64xf32>, !m
    gpu.return
  }

  // What all programs read isn't kept, nor what is read once. A guard that is there already isn't repeated.
  // CHECK-LABEL: gpu.func @nothing_kept
  // CHECK-SAME: guards = [range(extent(0, 1), 0, 128)]
  // CHECK-NOT: carousel.load
  // CHECK: gpu.return
  // expected-remark @below {{rows in chunks of 64}}
  gpu.func @nothing_kept(%x: !m, %w: memref<?xf32, #gl>, %y: !m) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 64, covers = extent(0, 1), keeps = 256>,
      carousel.variant = #carousel.variant<kernel = "nothing_kept", guards = [range(extent(0, 1), 0, 128)]>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)], block = [64]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %row = gpu.block_id x
    %ws = vector.transfer_read %w[%c0], %zero : memref<?xf32, #gl>, vector<64xf32>
    %s = vector.multi_reduction <add>, %ws, %zero [0] : vector<64xf32> to f32
    %ss = vector.broadcast %s : f32 to vector<64xf32>
    %v = vector.transfer_read %x[%row, %c0], %zero : !m, vector<64xf32>
    %d = arith.mulf %v, %ws : vector<64xf32>
    %e = arith.addf %d, %ss : vector<64xf32>
    vector.transfer_write %e, %y[%row, %c0] : vector<64xf32>, !m
    gpu.return
  }

  // The tile's copy begins before a number is read at an address from memory, and behind the number that is this address.
  // CHECK-LABEL: gpu.func @kept_label
  // CHECK: memref.load
  // CHECK: carousel.load
  // CHECK: memref.load
  // CHECK: scf.for
  // expected-remark @below {{rows in chunks of 64, 1 in tiles of 256}}
  gpu.func @kept_label(%x: !m, %labels: memref<?xindex, #gl>, %y: memref<?xf32, #gl>) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 64, covers = extent(0, 1), keeps = 256>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)], block = [64]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %row = gpu.block_id x
    %label = memref.load %labels[%row] : memref<?xindex, #gl>
    %v = vector.transfer_read %x[%row, %c0], %zero : !m, vector<64xf32>
    %own = memref.load %x[%row, %label] : !m
    %s = vector.multi_reduction <add>, %v, %zero [0] : vector<64xf32> to f32
    %ss = vector.broadcast %s : f32 to vector<64xf32>
    %d = arith.mulf %v, %ss : vector<64xf32>
    %t = vector.multi_reduction <add>, %d, %own [0] : vector<64xf32> to f32
    memref.store %t, %y[%row] : memref<?xf32, #gl>
    gpu.return
  }

  // What can't go through in chunks has rows of at most the width.
  // CHECK-LABEL: gpu.func @kept_in_place
  // CHECK-SAME: guards = [range(extent(0, 1), 0, 64)]
  // CHECK-NOT: carousel.load
  // CHECK: gpu.return
  // expected-remark @below {{no launch for extents above 64, in passes: it reads and writes the same memref}}
  gpu.func @kept_in_place(%x: !m) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 64, covers = extent(0, 1), keeps = 256>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)], block = [64]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %row = gpu.block_id x
    %v = vector.transfer_read %x[%row, %c0], %zero : !m, vector<64xf32>
    %s = vector.multi_reduction <add>, %v, %zero [0] : vector<64xf32> to f32
    %ss = vector.broadcast %s : f32 to vector<64xf32>
    %d = arith.subf %v, %ss : vector<64xf32>
    vector.transfer_write %d, %x[%row, %c0] : vector<64xf32>, !m
    gpu.return
  }

  // In a cluster each CTA has a part of the row: it keeps it, reads the other row's part chunk by chunk, and gathers the
  // results of each loop. The initial value is added once. Ids count CTAs, and one CTA writes what the program has.
  // CHECK-LABEL: gpu.func @kept_in_cluster
  // CHECK-SAME: (%[[X:[a-z0-9]+]]: memref<?x?xf32, {{[^>]*}}>>, %[[R:[a-z0-9]+]]: memref<?x?xf32, {{[^>]*}}>>, %[[Y:[a-z0-9]+]]: memref
  // CHECK-SAME: carousel.block_program = #carousel.block_program<>
  // CHECK-SAME: grid = [extent(0, 0) * 4], block = [64], cluster = [4]
  // CHECK-SAME: guards = [range(extent(0, 1), 0, 1024)]
  // CHECK: %[[N:.*]] = memref.dim %[[X]]
  // CHECK: %[[RANK:.*]] = arith.andi %{{.*}}, %c3
  // CHECK: %[[BEGIN:.*]] = arith.muli %[[RANK]], %c256
  // CHECK: %[[REST:.*]] = arith.subi %[[N]], %[[BEGIN]]
  // CHECK: %[[END:.*]] = arith.minsi %[[REST]], %c256
  // CHECK: %[[ROW:.*]] = arith.shrui %{{.*}}, %c2
  // CHECK: %[[TILE:.*]] = memref.alloc() {alignment = 128 : i64} : memref<1x256xf32, #gpu.address_space<workgroup>>
  // CHECK: %[[AT:.*]] = arith.addi %{{.*}}, %[[BEGIN]]
  // CHECK: carousel.load %[[X]][%[[ROW]], %[[AT]]] to %[[TILE]]
  // CHECK: scf.for %[[CHUNK:[a-z0-9]+]] = %{{.*}} to %[[END]]
  // CHECK:   vector.transfer_read %[[TILE]][%{{.*}}, %[[CHUNK]]]
  // CHECK: %[[PART:.*]] = vector.multi_reduction <add>, %{{.*}}, %{{.*}} [0] : vector<64xf32> to f32
  // CHECK: %[[PARTS:.*]] = carousel.cluster.gather %[[PART]] : f32 -> vector<4xf32>
  // CHECK: %[[SUM:.*]] = vector.multi_reduction <add>, %[[PARTS]], %cst{{.*}} [0] : vector<4xf32> to f32
  // CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[RANK]], %c0
  // CHECK: scf.if %[[FIRST]] {
  // CHECK-NEXT: memref.store %[[SUM]]
  // CHECK: scf.for %[[CHUNK2:[a-z0-9]+]] = %{{.*}} to %[[END]]
  // CHECK:   vector.transfer_read %[[TILE]][%{{.*}}, %[[CHUNK2]]]
  // CHECK:   %[[HERE:.*]] = arith.addi %[[CHUNK2]], %[[BEGIN]]
  // CHECK:   %[[INDEX:.*]] = arith.addi %{{.*}}, %[[HERE]]
  // CHECK:   vector.transfer_read %[[R]][%[[ROW]], %[[INDEX]]]
  // CHECK:   vector.transfer_write %{{.*}}, %[[Y]][%[[ROW]],
  // expected-remark @below {{rows in chunks of 64, 1 in tiles of 256 in each of 4 CTAs}}
  gpu.func @kept_in_cluster(%x: !m, %r: !m, %y: !m, %sums: memref<?xf32, #gl>) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 64, covers = extent(0, 1), keeps = 1024>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)], block = [64], cluster = [4]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %row = gpu.block_id x
    %v = vector.transfer_read %x[%row, %c0], %zero : !m, vector<64xf32>
    %s = vector.multi_reduction <add>, %v, %one [0] : vector<64xf32> to f32
    memref.store %s, %sums[%row] : memref<?xf32, #gl>
    %ss = vector.broadcast %s : f32 to vector<64xf32>
    %d = arith.subf %v, %ss : vector<64xf32>
    %w = vector.transfer_read %r[%row, %c0], %zero : !m, vector<64xf32>
    %e = arith.addf %d, %w : vector<64xf32>
    vector.transfer_write %e, %y[%row, %c0] : vector<64xf32>, !m
    gpu.return
  }

  // bf16 goes from CTA to CTA as f32.
  // CHECK-LABEL: gpu.func @narrow_words
  // CHECK: %[[PART:.*]] = arith.extf %{{.*}} : bf16 to f32
  // CHECK: %[[WORDS:.*]] = carousel.cluster.gather %[[PART]] : f32 -> vector<2xf32>
  // CHECK: %[[PARTS:.*]] = arith.truncf %[[WORDS]] : vector<2xf32> to vector<2xbf16>
  // CHECK: vector.multi_reduction <maxnumf>, %[[PARTS]], %{{.*}} [0] : vector<2xbf16> to bf16
  // expected-remark @below {{rows in chunks of 64, 1 in tiles of 256 in each of 2 CTAs}}
  gpu.func @narrow_words(%x: memref<?x?xbf16, #gl>, %y: memref<?x?xbf16, #gl>) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 64, covers = extent(0, 1), keeps = 512>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)], block = [64], cluster = [2]>} {
    %c0 = arith.constant 0 : index
    %lowest = arith.constant 0xFF80 : bf16
    %row = gpu.block_id x
    %v = vector.transfer_read %x[%row, %c0], %lowest : memref<?x?xbf16, #gl>, vector<64xbf16>
    %s = vector.multi_reduction <maxnumf>, %v, %lowest [0] : vector<64xbf16> to bf16
    %ss = vector.broadcast %s : bf16 to vector<64xbf16>
    %d = arith.subf %v, %ss : vector<64xbf16>
    vector.transfer_write %d, %y[%row, %c0] : vector<64xbf16>, memref<?x?xbf16, #gl>
    gpu.return
  }

  // What CTAs can't share.
  // CHECK-LABEL: gpu.func @rows_in_cluster
  // CHECK-SAME: guards = [range(extent(0, 1), 0, 64)]
  // CHECK-NOT: carousel.cluster.gather
  // expected-remark @below {{no launch for extents above 64, in passes: CTAs of a cluster exchange only numbers of up to 64 bits}}
  gpu.func @rows_in_cluster(%x: !m, %y: !m) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 64, covers = extent(0, 1), keeps = 512>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)], block = [64], cluster = [2]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : vector<1xf32>
    %row = gpu.block_id x
    %v = vector.transfer_read %x[%row, %c0], %zero {in_bounds = [true, false]} : !m, vector<1x64xf32>
    %s = vector.multi_reduction <add>, %v, %zeros [1] : vector<1x64xf32> to vector<1xf32>
    %b = vector.broadcast %s : vector<1xf32> to vector<64x1xf32>
    %ss = vector.transpose %b, [1, 0] : vector<64x1xf32> to vector<1x64xf32>
    %d = arith.subf %v, %ss : vector<1x64xf32>
    vector.transfer_write %d, %y[%row, %c0] {in_bounds = [true, false]} : vector<1x64xf32>, !m
    gpu.return
  }

  // CHECK-LABEL: gpu.func @nothing_to_exchange
  // CHECK-SAME: guards = [range(extent(0, 1), 0, 64)]
  // expected-remark @below {{no launch for extents above 64, in passes: its CTAs would have nothing to exchange}}
  gpu.func @nothing_to_exchange(%x: !m, %y: !m) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 64, covers = extent(0, 1), keeps = 512>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)], block = [64], cluster = [2]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %row = gpu.block_id x
    %v = vector.transfer_read %x[%row, %c0], %zero : !m, vector<64xf32>
    vector.transfer_write %v, %y[%row, %c0] : vector<64xf32>, !m
    gpu.return
  }

  // CHECK-LABEL: gpu.func @cluster_in_y
  // CHECK-SAME: guards = [range(extent(0, 1), 0, 64)]
  // expected-remark @below {{no launch for extents above 64, in passes: its cluster isn't one of a power of two CTAs in x}}
  gpu.func @cluster_in_y(%x: !m, %y: memref<?xf32, #gl>) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 64, covers = extent(0, 1), keeps = 512>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0), 2], block = [64], cluster = [1, 2]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %row = gpu.block_id x
    %v = vector.transfer_read %x[%row, %c0], %zero : !m, vector<64xf32>
    %s = vector.multi_reduction <add>, %v, %zero [0] : vector<64xf32> to f32
    memref.store %s, %y[%row] : memref<?xf32, #gl>
    gpu.return
  }

  // What all programs read comes a chunk ahead: the first one before the loop of the level before.
  // CHECK-LABEL: gpu.func @ahead
  // CHECK-SAME: (%[[X:[a-z0-9]+]]: memref<?x?xf32, {{[^>]*}}>>, %[[W:[a-z0-9]+]]: memref<?xf32, {{[^>]*}}>>,
  // CHECK: %[[N:.*]] = memref.dim %[[X]]
  // CHECK: carousel.load %[[X]]
  // CHECK: %[[FIRST:.*]] = vector.transfer_read %[[W]]
  // CHECK: scf.for
  // CHECK: vector.multi_reduction
  // CHECK: scf.for %[[AT:[a-z0-9]+]] = %{{.*}} to %[[N]] step %[[STEP:.*]] iter_args(%[[OWN:.*]] = %[[FIRST]])
  // CHECK:   %[[NEXT_AT:.*]] = arith.addi %[[AT]], %c64
  // CHECK:   %[[EXISTS:.*]] = arith.cmpi slt, %[[NEXT_AT]], %[[N]]
  // CHECK:   %[[NEXT:.*]] = scf.if %[[EXISTS]]
  // CHECK:     vector.transfer_read %[[W]]
  // CHECK:   } else {
  // CHECK:     scf.yield %[[OWN]]
  // CHECK:   arith.mulf %{{.*}}, %[[OWN]]
  // CHECK:   vector.transfer_write
  // CHECK:   scf.yield %[[NEXT]]
  // expected-remark @below {{rows in chunks of 64, 1 in tiles of 256}}
  gpu.func @ahead(%x: !m, %w: memref<?xf32, #gl>, %y: !m) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 64, covers = extent(0, 1), keeps = 256>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)], block = [64]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %row = gpu.block_id x
    %v = vector.transfer_read %x[%row, %c0], %zero : !m, vector<64xf32>
    %s = vector.multi_reduction <add>, %v, %zero [0] : vector<64xf32> to f32
    %ss = vector.broadcast %s : f32 to vector<64xf32>
    %d = arith.subf %v, %ss : vector<64xf32>
    %ws = vector.transfer_read %w[%c0], %zero : memref<?xf32, #gl>, vector<64xf32>
    %e = arith.mulf %d, %ws : vector<64xf32>
    vector.transfer_write %e, %y[%row, %c0] : vector<64xf32>, !m
    gpu.return
  }

  // More of it than there is of the row would need too many registers.
  // CHECK-LABEL: gpu.func @not_ahead
  // CHECK-NOT: iter_args({{.*}}, {{.*}})
  // CHECK: vector.multi_reduction
  // CHECK-NOT: iter_args
  // CHECK: gpu.return
  // expected-remark @below {{rows in chunks of 64, 1 in tiles of 256}}
  gpu.func @not_ahead(%x: !m, %w: memref<?xf32, #gl>, %b: memref<?xf32, #gl>, %y: !m) kernel attributes {
      carousel.block_program = #carousel.block_program<width = 64, covers = extent(0, 1), keeps = 256>,
      carousel.launch = #carousel.launch<grid = [extent(0, 0)], block = [64]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %row = gpu.block_id x
    %v = vector.transfer_read %x[%row, %c0], %zero : !m, vector<64xf32>
    %s = vector.multi_reduction <add>, %v, %zero [0] : vector<64xf32> to f32
    %ss = vector.broadcast %s : f32 to vector<64xf32>
    %d = arith.subf %v, %ss : vector<64xf32>
    %ws = vector.transfer_read %w[%c0], %zero : memref<?xf32, #gl>, vector<64xf32>
    %bs = vector.transfer_read %b[%c0], %zero : memref<?xf32, #gl>, vector<64xf32>
    %e = arith.mulf %d, %ws : vector<64xf32>
    %f = arith.addf %e, %bs : vector<64xf32>
    vector.transfer_write %f, %y[%row, %c0] : vector<64xf32>, !m
    gpu.return
  }
}
