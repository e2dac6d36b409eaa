// Products with extents that aren't powers of two are taken in parts, with all that is computed beside them; the reasons
// why others stay whole.
// RUN: carousel-opt %s --split-input-file --pass-pipeline='builtin.module(gpu.module(carousel-split-extents))' --remarks-filter=carousel-split-extents -o %t.once 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s --input-file=%t.once
// A second run changes nothing.
// RUN: carousel-opt %t.once --split-input-file --pass-pipeline='builtin.module(gpu.module(carousel-split-extents))' | diff %t.once -

#gl = #gpu.address_space<global>
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#scores = {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
#values = {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
#program = #carousel.block_program<>
!heads = memref<?x96xbf16, #gl>

gpu.module @m {
  // Two products add to the same scores, and two have the same weights. The loop and the branch carry both parts.
  // CHECK-LABEL: gpu.func @attention
  // CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
  // CHECK-DAG: %[[Q0:.*]] = vector.transfer_read %{{.*}}[%[[I:.*]], %[[C0]]], {{.*}} vector<64x64xbf16>
  // CHECK-DAG: %[[Q1:.*]] = vector.transfer_read %{{.*}}[%[[I]], %c64{{[_0-9]*}}], {{.*}} vector<64x32xbf16>
  // CHECK: %[[R:.*]]:2 = scf.for %{{.*}} iter_args(%[[O0:.*]] = %{{.*}}, %[[O1:.*]] = %{{.*}}) -> (vector<64x64xf32>, vector<64x32xf32>)
  // CHECK: %[[S0:.*]] = vector.contract {{.*}} %[[Q0]], %{{.*}} : vector<64x64xbf16>, vector<64x64xbf16> into vector<64x64xf32>
  // CHECK: %[[S:.*]] = vector.contract {{.*}} %[[Q1]], %{{.*}}, %[[S0]] : vector<64x32xbf16>, vector<64x32xbf16> into vector<64x64xf32>
  // CHECK: %[[P:.*]] = arith.truncf %[[S]]
  // CHECK-DAG: %[[L0:.*]] = arith.mulf %[[O0]], %{{.*}} : vector<64x64xf32>
  // CHECK-DAG: %[[L1:.*]] = arith.mulf %[[O1]], %{{.*}} : vector<64x32xf32>
  // CHECK: %[[N0:.*]] = vector.contract {{.*}} %[[P]], %{{.*}}, %[[L0]]
  // CHECK: %[[N1:.*]] = vector.contract {{.*}} %[[P]], %{{.*}}, %[[L1]]
  // CHECK: %[[B:.*]]:2 = scf.if %{{.*}} -> (vector<64x64xf32>, vector<64x32xf32>)
  // CHECK: scf.yield %[[N0]], %[[N1]]
  // CHECK: } else {
  // CHECK: scf.yield %[[L0]], %[[L1]]
  // CHECK: scf.yield %[[B]]#0, %[[B]]#1
  // CHECK: carousel.pipeline
  // CHECK-DAG: vector.transfer_write %{{.*}}, %{{.*}}[%[[I]], %[[C0]]] : vector<64x64xbf16>
  // CHECK-DAG: vector.transfer_write %{{.*}}, %{{.*}}[%[[I]], %c64{{[_0-9]*}}] : vector<64x32xbf16>
  // REMARK-COUNT-2: [Passed]{{.*}}Function=attention | Remark="an extent of 96 is taken as 64 + 32"
  gpu.func @attention(%q: !heads, %k: !heads, %v: !heads, %y: !heads, %rows: vector<64xf32>, %i: index, %n: index,
                      %c: i1) kernel attributes {carousel.block_program = #program} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : bf16
    %empty = arith.constant dense<0.0> : vector<64x64xf32>
    %zeros = arith.constant dense<0.0> : vector<64x96xf32>
    %qt = vector.transfer_read %q[%i, %c0], %pad : !heads, vector<64x96xbf16>
    %tall = vector.shape_cast %rows : vector<64xf32> to vector<64x1xf32>
    %factors = vector.broadcast %tall : vector<64x1xf32> to vector<64x96xf32>
    %r = scf.for %j = %c0 to %n step %c64 iter_args(%o = %zeros) -> (vector<64x96xf32>) {
      %kt = vector.transfer_read %k[%j, %c0], %pad : !heads, vector<64x96xbf16>
      %vt = vector.transfer_read %v[%j, %c0], %pad : !heads, vector<64x96xbf16>
      %s = vector.contract #scores %qt, %kt, %empty : vector<64x96xbf16>, vector<64x96xbf16> into vector<64x64xf32>
      %p = arith.truncf %s : vector<64x64xf32> to vector<64x64xbf16>
      %less = arith.mulf %o, %factors : vector<64x96xf32>
      %next = vector.contract #values %p, %vt, %less : vector<64x64xbf16>, vector<64x96xbf16> into vector<64x96xf32>
      %chosen = scf.if %c -> (vector<64x96xf32>) {
        scf.yield %next : vector<64x96xf32>
      } else {
        scf.yield %less : vector<64x96xf32>
      }
      scf.yield %chosen : vector<64x96xf32>
    } {carousel.pipeline = #carousel.pipeline<>}
    %r16 = arith.truncf %r : vector<64x96xf32> to vector<64x96xbf16>
    vector.transfer_write %r16, %y[%i, %c0] : vector<64x96xbf16>, !heads
    gpu.return
  }

  // A reduction adds the parts in their order, and each part has its own coordinates.
  // DOC-EXAMPLE: --carousel-split-extents
  // CHECK-LABEL: gpu.func @columns
  // CHECK: %[[S0:.*]] = vector.contract {{.*}} into vector<64x128xf32>
  // CHECK: %[[S1:.*]] = vector.contract {{.*}} into vector<64x64xf32>
  // CHECK-DAG: vector.step : vector<128xindex>
  // CHECK-DAG: %[[REST:.*]] = vector.step : vector<64xindex>
  // CHECK-DAG: arith.addi %[[REST]], %{{.*}} : vector<64xindex>
  // CHECK: %[[SUM:.*]] = vector.multi_reduction <add>, %{{.*}}, %{{.*}} [1] : vector<64x128xf32> to vector<64xf32>
  // CHECK: vector.multi_reduction <add>, %{{.*}}, %[[SUM]] [1] : vector<64x64xf32> to vector<64xf32>
  // REMARK: [Passed]{{.*}}Function=columns | Remark="an extent of 192 is taken as 128 + 64"
  gpu.func @columns(%x: memref<64x64xbf16, #gl>, %w: memref<64x192xbf16, #gl>, %y: memref<64xf32, #gl>, %n: index) kernel
      attributes {carousel.block_program = #program} {
    %c0 = arith.constant 0 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : vector<64x192xf32>
    %none = arith.constant dense<0.0> : vector<64xf32>
    %xt = vector.transfer_read %x[%c0, %c0], %pad : memref<64x64xbf16, #gl>, vector<64x64xbf16>
    %wt = vector.transfer_read %w[%c0, %c0], %pad : memref<64x192xbf16, #gl>, vector<64x192xbf16>
    %s = vector.contract #values %xt, %wt, %zeros : vector<64x64xbf16>, vector<64x192xbf16> into vector<64x192xf32>
    %steps = vector.step : vector<192xindex>
    %ends = vector.broadcast %n : index to vector<192xindex>
    %is_there = arith.cmpi ult, %steps, %ends : vector<192xindex>
    %mask = vector.broadcast %is_there : vector<192xi1> to vector<64x192xi1>
    %seen = arith.select %mask, %s, %zeros : vector<64x192xi1>, vector<64x192xf32>
    %sum = vector.multi_reduction <add>, %seen, %none [1] : vector<64x192xf32> to vector<64xf32>
    vector.transfer_write %sum, %y[%c0] : vector<64xf32>, memref<64xf32, #gl>
    gpu.return
  }

  // Factors that both have the dimension transposed, and an extent of the sums in three parts.
  // CHECK-LABEL: gpu.func @three
  // CHECK-COUNT-3: vector.transpose {{.*}}, [1, 0] : vector<16x{{.*}}xbf16> to
  // CHECK: vector.contract {{.*}} vector<64x16xbf16>, {{.*}} into vector<64x8xf32>
  // CHECK: vector.contract {{.*}} vector<32x16xbf16>, {{.*}} into vector<32x8xf32>
  // CHECK: vector.contract {{.*}} vector<16x16xbf16>, {{.*}} into vector<16x8xf32>
  // CHECK-NOT: vector.contract
  gpu.func @three(%x: memref<16x112xbf16, #gl>, %w: memref<16x8xbf16, #gl>, %y: memref<112x8xf32, #gl>) kernel
      attributes {carousel.block_program = #program} {
    %c0 = arith.constant 0 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : vector<112x8xf32>
    %xt = vector.transfer_read %x[%c0, %c0], %pad : memref<16x112xbf16, #gl>, vector<16x112xbf16>
    %a = vector.transpose %xt, [1, 0] : vector<16x112xbf16> to vector<112x16xbf16>
    %wt = vector.transfer_read %w[%c0, %c0], %pad : memref<16x8xbf16, #gl>, vector<16x8xbf16>
    %s = vector.contract #values %a, %wt, %zeros : vector<112x16xbf16>, vector<16x8xbf16> into vector<112x8xf32>
    vector.transfer_write %s, %y[%c0, %c0] : vector<112x8xf32>, memref<112x8xf32, #gl>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @whole
  // CHECK: vector.contract {{.*}} into vector<64x96xf32>
  // REMARK: [Missed]{{.*}}Function=whole | Remark="an extent of 96 stays whole: 'vector.deinterleave' takes all of it"
  gpu.func @whole(%x: vector<64x64xbf16>, %w: vector<64x96xbf16>, %y: memref<64x48xf32, #gl>) kernel
      attributes {carousel.block_program = #program} {
    %c0 = arith.constant 0 : index
    %zeros = arith.constant dense<0.0> : vector<64x96xf32>
    %s = vector.contract #values %x, %w, %zeros : vector<64x64xbf16>, vector<64x96xbf16> into vector<64x96xf32>
    %a, %b = vector.deinterleave %s : vector<64x96xf32> -> vector<64x48xf32>
    vector.transfer_write %a, %y[%c0, %c0] : vector<64x48xf32>, memref<64x48xf32, #gl>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @small
  // CHECK: vector<64x72xbf16>
  // REMARK: [Missed]{{.*}}Function=small | Remark="an extent of 72 stays whole: a part would have 8 elements, and an instruction has 16"
  gpu.func @small(%x: memref<64x72xbf16, #gl>, %w: memref<72x64xbf16, #gl>, %y: memref<64x64xf32, #gl>) kernel
      attributes {carousel.block_program = #program} {
    %c0 = arith.constant 0 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : vector<64x64xf32>
    %xt = vector.transfer_read %x[%c0, %c0], %pad : memref<64x72xbf16, #gl>, vector<64x72xbf16>
    %wt = vector.transfer_read %w[%c0, %c0], %pad : memref<72x64xbf16, #gl>, vector<72x64xbf16>
    %s = vector.contract #values %xt, %wt, %zeros : vector<64x72xbf16>, vector<72x64xbf16> into vector<64x64xf32>
    vector.transfer_write %s, %y[%c0, %c0] : vector<64x64xf32>, memref<64x64xf32, #gl>
    gpu.return
  }

  // Vectors of kernels without instructions for their products are padded.
  // CHECK-LABEL: gpu.func @by_threads
  // CHECK: vector<64x96xf32>, vector<96x64xf32> into vector<64x64xf32>
  // REMARK-NOT: Function=by_threads
  gpu.func @by_threads(%x: vector<64x96xf32>, %w: vector<96x64xf32>, %y: memref<64x64xf32, #gl>) kernel
      attributes {carousel.block_program = #program} {
    %c0 = arith.constant 0 : index
    %zeros = arith.constant dense<0.0> : vector<64x64xf32>
    %s = vector.contract #values %x, %w, %zeros : vector<64x96xf32>, vector<96x64xf32> into vector<64x64xf32>
    vector.transfer_write %s, %y[%c0, %c0] : vector<64x64xf32>, memref<64x64xf32, #gl>
    gpu.return
  }
}
