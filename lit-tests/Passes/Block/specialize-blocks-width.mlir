// What vectors of another width mean: elements beyond the covered extent count nowhere, and ops of which only one width
// is known keep it.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-specialize-blocks))' --remarks-filter=carousel-specialize-blocks --remark-format=emitRemark --split-input-file --verify-diagnostics | FileCheck %s

#gl = #gpu.address_space<global>
!m = memref<?x?xf32, #gl>
#program = #carousel.block_program<width = 128, covers = extent(0, 1)>
#rows = #carousel.launch<grid = [extent(0, 0)]>

gpu.module @m {
  // exp(0) = 1 isn't neutral for sums, and exp(-inf) = 0 is.
  // CHECK-LABEL: gpu.func @sums_64_aligned
  // CHECK-SAME: (%[[X:[a-z0-9]+]]: memref
  // CHECK-SAME: guards = [range(extent(0, 1) - extent(1, 1), 0, 9223372036854775807),
  // CHECK: %[[N:.*]] = memref.dim %[[X]], %{{.*}}
  // CHECK: %[[E:.*]] = math.exp %{{.*}} : vector<64xf32>
  // CHECK: %[[NONE:.*]] = arith.constant dense<-0.000000e+00> : vector<64xf32>
  // CHECK: %[[MASK:.*]] = vector.create_mask %[[N]] : vector<64xi1>
  // CHECK: %[[OWN:.*]] = arith.select %[[MASK]], %[[E]], %[[NONE]]
  // CHECK: vector.multi_reduction <add>, %[[OWN]],
  // CHECK: %[[F:.*]] = math.exp
  // CHECK-NOT: arith.select
  // CHECK: vector.multi_reduction <add>, %[[F]],
  // expected-remark @below {{64_aligned}}
  // expected-remark @below {{128_aligned}}
  // expected-remark @below {{streamed_aligned}}
  // expected-remark @below {{64: width 64}}
  // expected-remark @below {{128: width 128}}
  // expected-remark @below {{last}}
  gpu.func @sums(%x: !m, %y: !m) kernel attributes {carousel.block_program = #program, carousel.launch = #rows} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %lowest = arith.constant 0xFF800000 : f32
    %row = gpu.block_id x
    %v = vector.transfer_read %x[%row, %c0], %zero : !m, vector<128xf32>
    %e = math.exp %v : vector<128xf32>
    // expected-remark @below {{elements beyond #carousel.expr<extent(0, 1)> are masked, got padding that is 1.000000e+00 : f32}}
    %s = vector.multi_reduction <add>, %e, %zero [0] : vector<128xf32> to f32
    %l = vector.transfer_read %x[%row, %c0], %lowest : !m, vector<128xf32>
    %f = math.exp %l : vector<128xf32>
    %t = vector.multi_reduction <add>, %f, %s [0] : vector<128xf32> to f32
    %ts = vector.broadcast %t : f32 to vector<128xf32>
    vector.transfer_write %ts, %y[%row, %c0] : vector<128xf32>, !m
    gpu.return
  }

  // A float without infinities has a lowest number.
  // CHECK-LABEL: gpu.func @most_64_aligned
  // CHECK: %[[LOWEST:.*]] = arith.constant dense<-4.480000e+02> : vector<64xf8E4M3FN>
  // CHECK: arith.select %{{.*}}, %{{.*}}, %[[LOWEST]]
  // CHECK-LABEL: gpu.func @most(
  // CHECK: arith.constant -4.480000e+02
  // CHECK-NOT: arith.select
  // CHECK: vector.multi_reduction <maximumf>
  // CHECK: arith.select
  // expected-remark @below {{64_aligned}}
  // expected-remark @below {{128_aligned}}
  // expected-remark @below {{streamed_aligned}}
  // expected-remark @below {{64: width 64}}
  // expected-remark @below {{128: width 128}}
  // expected-remark @below {{last}}
  gpu.func @most(%x: memref<?x?xf8E4M3FN, #gl>, %y: memref<?xf8E4M3FN, #gl>, %s: f8E4M3FN) kernel attributes {
      carousel.block_program = #program, carousel.launch = #rows} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f8E4M3FN
    %lowest = arith.constant -448.0 : f8E4M3FN
    %row = gpu.block_id x
    %w = vector.transfer_read %x[%row, %c0], %lowest : memref<?x?xf8E4M3FN, #gl>, vector<128xf8E4M3FN>
    %t = vector.multi_reduction <maximumf>, %w, %s [0] : vector<128xf8E4M3FN> to f8E4M3FN
    %v = vector.transfer_read %x[%row, %c0], %zero : memref<?x?xf8E4M3FN, #gl>, vector<128xf8E4M3FN>
    // expected-remark @below {{are masked, got padding that is 0.000000e+00 : f8E4M3FN}}
    %most = vector.multi_reduction <maximumf>, %v, %t [0] : vector<128xf8E4M3FN> to f8E4M3FN
    memref.store %most, %y[%row] : memref<?xf8E4M3FN, #gl>
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
!m = memref<?x?xf32, #gl>
!v = vector<128xf32>
#program = #carousel.block_program<width = 128, covers = extent(0, 1)>
#rows = #carousel.launch<grid = [extent(0, 0)], block = [64]>

gpu.module @m {
  // A write that begins elsewhere ends with the extent, as scatters do. Products have zeros.
  // CHECK-LABEL: gpu.func @others_64_aligned(
  // CHECK: %[[LAST:.*]] = arith.addi %{{.*}}, %[[N:.*]] : index
  // CHECK: %[[LIMIT:.*]] = arith.minsi %{{.*}}, %[[LAST]]
  // CHECK: %[[SIZE:.*]] = arith.maxsi %[[LIMIT]]
  // CHECK: %[[VIEW:.*]] = memref.subview %{{.*}}[0, 0] [%{{.*}}, %[[SIZE]]] [1, 1]
  // CHECK: vector.transfer_write %{{.*}}, %[[VIEW]]
  // CHECK: %[[INSIDE:.*]] = vector.create_mask %[[N]] : vector<64xi1>
  // CHECK: %[[MASK:.*]] = arith.andi %{{.*}}, %[[INSIDE]]
  // CHECK: vector.scatter %{{.*}}, %[[MASK]],
  // CHECK: %[[A:.*]] = arith.select %{{.*}} : vector<16x64xi1>
  // CHECK: %[[B:.*]] = arith.select %{{.*}} : vector<64x16xi1>
  // CHECK: vector.contract {{.*}} %[[A]], %[[B]],
  // CHECK: %[[ROOT:.*]] = math.rsqrt
  // CHECK: %[[C:.*]] = arith.select %{{.*}}, %[[ROOT]], %{{.*}} : vector<64x16xi1>
  // CHECK: vector.contract {{.*}} %{{.*}}, %[[C]],
  // expected-remark @below {{64_aligned}}
  // expected-remark @below {{128_aligned}}
  // expected-remark @below {{64: width 64}}
  // expected-remark @below {{last}}
  // expected-remark @below {{no launch for extents above 128}}
  gpu.func @others(%x: !m, %y: !m, %z: memref<?xf32, #gl>) kernel attributes {
      carousel.block_program = #program, carousel.launch = #rows} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %all = arith.constant dense<true> : vector<128xi1>
    %zeros = arith.constant dense<0.0> : vector<16x16xf32>
    %row = gpu.block_id x
    %v = vector.transfer_read %x[%row, %c0], %zero : !m, !v
    // expected-remark @below {{are masked, got padding that is 0.000000e+00}}
    vector.transfer_write %v, %y[%row, %c1] : !v, !m
    %steps = vector.step : vector<128xindex>
    // expected-remark @below {{are masked, got padding that is true}}
    vector.scatter %z[%c0] [%steps], %all, %v : memref<?xf32, #gl>, vector<128xindex>, vector<128xi1>, !v
    %a = vector.broadcast %v : !v to vector<16x128xf32>
    %e = math.exp %a : vector<16x128xf32>
    %b = vector.transpose %e, [1, 0] : vector<16x128xf32> to vector<128x16xf32>
    // expected-remark @below {{are masked, got padding that is 1.000000e+00}}
    %p = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
        affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} %e, %b, %zeros
        : vector<16x128xf32>, vector<128x16xf32> into vector<16x16xf32>
    vector.transfer_write %p, %y[%row, %c0] : vector<16x16xf32>, !m
    // Only the factor that isn't zero.
    %t = vector.transpose %a, [1, 0] : vector<16x128xf32> to vector<128x16xf32>
    %root = math.rsqrt %t : vector<128x16xf32>
    // expected-remark @below {{are masked, got padding that is unknown}}
    %q = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
        affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} %a, %root, %p
        : vector<16x128xf32>, vector<128x16xf32> into vector<16x16xf32>
    vector.transfer_write %q, %y[%row, %c0] : vector<16x16xf32>, !m
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
!m = memref<?x?xf32, #gl>
!v = vector<128xf32>
#program = #carousel.block_program<width = 128, covers = extent(0, 1)>
#rows = #carousel.launch<grid = [extent(0, 0)]>

gpu.module @m {
  // Parts of a covered vector are those of one width.
  // CHECK-LABEL: gpu.func @slices_128_aligned
  // CHECK-LABEL: gpu.func @slices(
  // CHECK-SAME: range(extent(0, 1), 0, 128)
  // CHECK-NOT: gpu.func @slices
  // expected-remark @below {{128_aligned: width 128}}
  // expected-remark @below {{last: width 128}}
  // expected-remark @below {{no launch for extents above 128}}
  gpu.func @slices(%x: !m, %y: !m) kernel attributes {carousel.block_program = #program, carousel.launch = #rows} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %row = gpu.block_id x
    %v = vector.transfer_read %x[%row, %c0], %zero : !m, !v
    // expected-remark @below {{no variants of other widths than 128: 'vector.extract_strided_slice' takes a part of a covered dimension}}
    %low = vector.extract_strided_slice %v {offsets = [0], sizes = [64], strides = [1]} : !v to vector<64xf32>
    %w = vector.insert_strided_slice %low, %v {offsets = [64], strides = [1]} : vector<64xf32> into !v
    vector.transfer_write %w, %y[%row, %c0] : !v, !m
    gpu.return
  }

  // CHECK-NOT: gpu.func @pairs_64
  // CHECK-LABEL: gpu.func @pairs(
  // expected-remark @below {{128_aligned: width 128}}
  // expected-remark @below {{last: width 128}}
  // expected-remark @below {{no launch for extents above 128}}
  gpu.func @pairs(%x: !m, %y: !m) kernel attributes {carousel.block_program = #program, carousel.launch = #rows} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %row = gpu.block_id x
    %v = vector.transfer_read %x[%row, %c0], %zero : !m, !v
    // expected-remark @below {{no variants of other widths than 128: 'vector.deinterleave' makes other dimensions of a covered one}}
    %e, %o = vector.deinterleave %v : !v -> vector<64xf32>
    %r = vector.interleave %o, %e : vector<64xf32> -> !v
    vector.transfer_write %r, %y[%row, %c0] : !v, !m
    gpu.return
  }

  // CHECK-NOT: gpu.func @doubled_64
  // CHECK-LABEL: gpu.func @doubled(
  // expected-remark @below {{128_aligned: width 128}}
  // expected-remark @below {{last: width 128}}
  // expected-remark @below {{no launch for extents above 128}}
  gpu.func @doubled(%x: !m, %y: !m) kernel attributes {carousel.block_program = #program, carousel.launch = #rows} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %row = gpu.block_id x
    %v = vector.transfer_read %x[%row, %c0], %zero : !m, !v
    // expected-remark @below {{no variants of other widths than 128: 'vector.interleave' makes other dimensions of a covered one}}
    %r = vector.interleave %v, %v : !v -> vector<256xf32>
    vector.transfer_write %r, %y[%row, %c0] : vector<256xf32>, !m
    gpu.return
  }

  // CHECK-NOT: gpu.func @reshaped_64
  // CHECK-LABEL: gpu.func @reshaped(
  // expected-remark @below {{128_aligned: width 128}}
  // expected-remark @below {{last: width 128}}
  // expected-remark @below {{no launch for extents above 128}}
  gpu.func @reshaped(%x: !m, %y: !m) kernel attributes {carousel.block_program = #program, carousel.launch = #rows} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : vector<8xf32>
    %row = gpu.block_id x
    %v = vector.transfer_read %x[%row, %c0], %zero : !m, !v
    // expected-remark @below {{no variants of other widths than 128: 'vector.shape_cast' makes other dimensions of a covered one}}
    %t = vector.shape_cast %v : !v to vector<8x16xf32>
    %s = vector.multi_reduction <add>, %t, %zeros [1] : vector<8x16xf32> to vector<8xf32>
    vector.transfer_write %s, %y[%row, %c0] : vector<8xf32>, !m
    gpu.return
  }

  // CHECK-NOT: gpu.func @element_64
  // CHECK-LABEL: gpu.func @element(
  // expected-remark @below {{128_aligned: width 128}}
  // expected-remark @below {{last: width 128}}
  // expected-remark @below {{no launch for extents above 128}}
  gpu.func @element(%x: !m, %y: !m) kernel attributes {carousel.block_program = #program, carousel.launch = #rows} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %row = gpu.block_id x
    %v = vector.transfer_read %x[%row, %c0], %zero : !m, !v
    // expected-remark @below {{no variants of other widths than 128: 'vector.extract' takes a part of a covered dimension}}
    %e = vector.extract %v[90] : f32 from !v
    %es = vector.broadcast %e : f32 to !v
    vector.transfer_write %es, %y[%row, %c0] : !v, !m
    gpu.return
  }

  // CHECK-NOT: gpu.func @table_64
  // CHECK-LABEL: gpu.func @table(
  // expected-remark @below {{128_aligned: width 128}}
  // expected-remark @below {{last: width 128}}
  // expected-remark @below {{no launch for extents above 128}}
  gpu.func @table(%x: !m, %y: !m) kernel attributes {carousel.block_program = #program, carousel.launch = #rows} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %row = gpu.block_id x
    %v = vector.transfer_read %x[%row, %c0], %zero : !m, !v
    // expected-remark @below {{no variants of other widths than 128: 'vector.constant_mask' has a size of its own}}
    %m = vector.constant_mask [100] : vector<128xi1>
    %w = arith.negf %v : !v
    %r = arith.select %m, %w, %v : vector<128xi1>, !v
    vector.transfer_write %r, %y[%row, %c0] : !v, !m
    gpu.return
  }

  // Dimensions of one element change nothing. Vectors of 64 elements are others, which need threads for themselves.
  // CHECK-NOT: gpu.func @units_64
  // CHECK-LABEL: gpu.func @units(
  // CHECK: vector.shape_cast %{{.*}} : vector<128xf32> to vector<1x128xf32>
  // expected-remark @below {{128_aligned: width 128, 64 threads, 1 programs}}
  // expected-remark @below {{streamed_aligned: chunks of 128, 64 threads, 1 programs}}
  // expected-remark @below {{128: width 128, 64 threads, 1 programs}}
  // expected-remark @below {{last}}
  gpu.func @units(%x: !m, %y: !m) kernel attributes {carousel.block_program = #program, carousel.launch = #rows} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : vector<16xf32>
    %row = gpu.block_id x
    %v = vector.transfer_read %x[%row, %c0], %zero : !m, !v
    %t = vector.shape_cast %v : !v to vector<1x128xf32>
    %o = vector.transfer_read %x[%row, %c0], %zero : !m, vector<16x64xf32>
    %s = vector.multi_reduction <add>, %o, %zero [0, 1] : vector<16x64xf32> to f32
    %ss = vector.broadcast %s : f32 to vector<1x128xf32>
    %r = arith.addf %t, %ss : vector<1x128xf32>
    vector.transfer_write %r, %y[%row, %c0] : vector<1x128xf32>, !m
    gpu.return
  }
}

// -----

#gl = #gpu.address_space<global>
!m = memref<?x?xf32, #gl>
#program = #carousel.block_program<width = 128, covers = extent(0, 1)>

gpu.module @m {
  gpu.func @kinds(%x: !m, %y: !m) kernel attributes {
      carousel.block_program = #program, carousel.launch = #carousel.launch<grid = [1]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %v = vector.transfer_read %x[%c0, %c0], %zero : !m, vector<16x128xf32>
    %zeros = arith.constant dense<0.0> : vector<16x16xf32>
    %w = vector.transpose %v, [1, 0] : vector<16x128xf32> to vector<128x16xf32>
    // C249: only sums have products that are neutral.
    // expected-error @below {{expected a sum of products along the covered dimension, got the kind 'maxnumf'}}
    %p = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
        affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"],
        kind = #vector.kind<maxnumf>} %v, %w, %zeros : vector<16x128xf32>, vector<128x16xf32> into vector<16x16xf32>
    vector.transfer_write %p, %y[%c0, %c0] : vector<16x16xf32>, !m
    gpu.return
  }
}
