// Reads that don't need the first reduction begin before it: numbers whose addresses are known, vectors, and numbers at addresses
// from memory.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-hoist-reads))' --remarks-filter=carousel-hoist-reads --remark-format=emitRemark --verify-diagnostics | FileCheck %s

#gl = #gpu.address_space<global>
#program = #carousel.block_program<>
#launch = #carousel.launch<grid = [extent(0, 0)], block = [128]>
!matrix = memref<?x?xbf16, #gl>
!row = vector<1024xbf16>

gpu.module @kernels {
  // DOC-EXAMPLE: --carousel-hoist-reads
  // CHECK-LABEL: gpu.func @labels
  // CHECK: %[[LABEL:.*]] = memref.load
  // CHECK: vector.transfer_read
  // CHECK: %[[INDEX:.*]] = arith.index_cast %[[LABEL]]
  // CHECK: memref.load %{{.*}}[%{{.*}}, %[[INDEX]]]
  // CHECK-NEXT: vector.multi_reduction <maxnumf>
  // expected-remark @below {{reads that begin before the first reduction now: 2}}
  gpu.func @labels(%x: !matrix, %labels: memref<?xi64, #gl>, %y: memref<?xbf16, #gl>) kernel
      attributes {carousel.block_program = #program, carousel.launch = #launch} {
    %c0 = arith.constant 0 : index
    %none = arith.constant 0xFF80 : bf16
    %i = gpu.block_id x
    %v = vector.transfer_read %x[%i, %c0], %none : !matrix, !row
    %max = vector.multi_reduction <maxnumf>, %v, %none [0] : !row to bf16
    %label = memref.load %labels[%i] : memref<?xi64, #gl>
    %index = arith.index_cast %label : i64 to index
    %own = memref.load %x[%i, %index] : !matrix
    %r = arith.subf %own, %max : bf16
    memref.store %r, %y[%i] : memref<?xbf16, #gl>
    gpu.return
  }

  // A number at an address from memory that was read first waits behind the vectors.
  // CHECK-LABEL: gpu.func @labels_first
  // CHECK: memref.load
  // CHECK: vector.transfer_read
  // CHECK: memref.load
  // CHECK: vector.multi_reduction
  gpu.func @labels_first(%x: !matrix, %labels: memref<?xindex, #gl>, %y: memref<?xbf16, #gl>) kernel
      attributes {carousel.block_program = #program, carousel.launch = #launch} {
    %c0 = arith.constant 0 : index
    %none = arith.constant 0xFF80 : bf16
    %i = gpu.block_id x
    %label = memref.load %labels[%i] : memref<?xindex, #gl>
    %own = memref.load %x[%i, %label] : !matrix
    %v = vector.transfer_read %x[%i, %c0], %none : !matrix, !row
    %max = vector.multi_reduction <maxnumf>, %v, %none [0] : !row to bf16
    %r = arith.subf %own, %max : bf16
    memref.store %r, %y[%i] : memref<?xbf16, #gl>
    gpu.return
  }

  // Vectors have as many bits as those before. What the second weights are read at needs the reduction.
  // CHECK-LABEL: gpu.func @weights
  // CHECK-SAME: (%[[X:[a-z0-9]+]]: {{[^,]*, [^,]*}}, %[[W:[a-z0-9]+]]: {{[^,]*, [^,]*}}, %[[WIDE:[a-z0-9]+]]:
  // CHECK: vector.transfer_read %[[X]]
  // CHECK: vector.transfer_read %[[W]]
  // CHECK-NEXT: vector.multi_reduction
  // CHECK: vector.transfer_read %[[WIDE]]
  // CHECK: memref.load
  // expected-remark @below {{reads that begin before the first reduction now: 1}}
  gpu.func @weights(%x: !matrix, %w: memref<?xbf16, #gl>, %wide: memref<?xf32, #gl>, %y: memref<?xf32, #gl>) kernel
      attributes {carousel.block_program = #program, carousel.launch = #launch} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : bf16
    %zero32 = arith.constant 0.0 : f32
    %i = gpu.block_id x
    %v = vector.transfer_read %x[%i, %c0], %zero : !matrix, !row
    %sum = vector.multi_reduction <add>, %v, %zero [0] : !row to bf16
    %a = vector.transfer_read %wide[%c0], %zero32 : memref<?xf32, #gl>, vector<1024xf32>
    %b = vector.transfer_read %w[%c0], %zero : memref<?xbf16, #gl>, !row
    %other = vector.multi_reduction <add>, %b, %sum [0] : !row to bf16
    %all = vector.multi_reduction <add>, %a, %zero32 [0] : vector<1024xf32> to f32
    %n = arith.fptosi %other : bf16 to i64
    %at = arith.index_cast %n : i64 to index
    %one = memref.load %y[%at] : memref<?xf32, #gl>
    %r = arith.addf %all, %one : f32
    memref.store %r, %y[%i] : memref<?xf32, #gl>
    gpu.return
  }

  // Reads pass no write, and no barrier.
  // CHECK-LABEL: gpu.func @writes
  // CHECK: vector.multi_reduction
  // CHECK: memref.store
  // CHECK: memref.load
  // CHECK: gpu.barrier
  // CHECK: memref.load
  gpu.func @writes(%x: !matrix, %y: memref<?xbf16, #gl>) kernel
      attributes {carousel.block_program = #program, carousel.launch = #launch} {
    %c0 = arith.constant 0 : index
    %none = arith.constant 0xFF80 : bf16
    %i = gpu.block_id x
    %v = vector.transfer_read %x[%i, %c0], %none : !matrix, !row
    %max = vector.multi_reduction <maxnumf>, %v, %none [0] : !row to bf16
    memref.store %max, %y[%i] : memref<?xbf16, #gl>
    %a = memref.load %y[%c0] : memref<?xbf16, #gl>
    gpu.barrier
    %b = memref.load %y[%i] : memref<?xbf16, #gl>
    %r = arith.addf %a, %b : bf16
    memref.store %r, %y[%i] : memref<?xbf16, #gl>
    gpu.return
  }

  // A product's factors are where its plan has them.
  // CHECK-LABEL: gpu.func @product
  // CHECK: vector.multi_reduction
  // CHECK: vector.transfer_read
  // CHECK: vector.contract
  gpu.func @product(%x: !matrix, %y: memref<?x?xf32, #gl>) kernel
      attributes {carousel.block_program = #program, carousel.launch = #launch} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : vector<64x64xf32>
    %a = vector.transfer_read %x[%c0, %c0], %zero : !matrix, vector<64x64xbf16>
    %sum = vector.multi_reduction <add>, %a, %zero [0, 1] : vector<64x64xbf16> to bf16
    %p = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
        iterator_types = ["parallel", "parallel", "reduction"]} %a, %a, %zeros : vector<64x64xbf16>, vector<64x64xbf16> into vector<64x64xf32>
    %b = vector.transfer_read %x[%c0, %c0], %zero : !matrix, vector<64x64xbf16>
    %q = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
        iterator_types = ["parallel", "parallel", "reduction"]} %b, %a, %p : vector<64x64xbf16>, vector<64x64xbf16> into vector<64x64xf32>
    vector.transfer_write %q, %y[%c0, %c0] : vector<64x64xf32>, memref<?x?xf32, #gl>
    gpu.return
  }
}
