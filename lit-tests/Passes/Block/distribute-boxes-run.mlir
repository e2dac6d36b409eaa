// A vector without a dimension between its memref's is a box of extent 1 along it: a loop has rings of
// such boxes, tensor maps copy them, and warpgroups multiply them as tiles of two dimensions.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{chip=sm_90a},carousel-specialize-blocks,carousel-distribute))' | FileCheck %s
// RUN: carousel-compile %s --chip sm_90a --emit ptx --explain -o %t.package | FileCheck %s --check-prefix=EXPLAIN
// DEFINE: %{lowered} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered %s --chip sm_90a --
// DEFINE: %{heads} = --kernel @heads --arg a=random:100x3x64 --arg b=random:70x3x64 --arg c=zeros:100x3x64
// RUN: carousel-sim %s %{heads} --out c=%t.c.npy --quiet --reference @heads_reference --rtol 2e-2 --atol 2e-2
// RUN: %{lowered} %{heads} --expect c=%t.c.npy --quiet --rtol 2e-2 --atol 2e-2
// DEFINE: %{sums} = --kernel @sums --arg x=random:200x2x3x64 --arg y=zeros:2x3x64
// RUN: carousel-sim %s %{sums} --out y=%t.y.npy --quiet --reference @sums_reference --rtol 1e-4 --atol 1e-4
// RUN: %{lowered} %{sums} --expect y=%t.y.npy --quiet --rtol 1e-4 --atol 1e-4

#gl = #gpu.address_space<global>
#middle = affine_map<(d0, d1, d2) -> (d0, d2)>
#apart = affine_map<(d0, d1, d2, d3) -> (d0, d3)>
#nt = {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
    affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
#nn = {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
    affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
!heads = memref<?x?x64xbf16, strided<[?, ?, 1], offset: ?>, #gl>
!rows = memref<?x?x?x64xf32, strided<[?, ?, ?, 1], offset: ?>, #gl>
!sums = memref<?x?x64xf32, strided<[?, ?, 1], offset: ?>, #gl>

gpu.module @m {
  // CHECK-LABEL: gpu.func @heads(
  // CHECK: scf.for
  // CHECK: carousel.load {{.*}} to %[[BOX:.*]] swizzle(b128)
  // CHECK-SAME: memref<64x1x64xbf16, #gpu.address_space<workgroup>>
  // CHECK: %[[TILE:.*]] = memref.collapse_shape %[[BOX]] {{\[}}[0, 1], [2]]
  // CHECK: carousel.multiply %{{.*}}, %[[TILE]]
  // CHECK: carousel.store {{.*}}memref<64x1x64xbf16,
  // EXPLAIN-LABEL: heads, m_sm_90a::heads_aligned_tma
  // EXPLAIN: load of b at {{.*}} by tensor, 1 instructions
  // EXPLAIN: store to c at {{.*}} by tensor, 1 instructions
  // EXPLAIN: a product by wgmma m64n64k16 of bf16
  gpu.func @heads(
      %a: !heads {carousel.argument = #carousel.argument<"a", in>},
      %b: !heads {carousel.argument = #carousel.argument<"b", in>},
      %c: !heads {carousel.argument = #carousel.argument<"c", out>})
      kernel attributes {carousel.block_program = #carousel.block_program<>, carousel.launch =
        #carousel.launch<grid = [ceildiv(extent(0, 0), 64), extent(0, 1)]>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : vector<64x64xf32>
    %block = gpu.block_id x
    %head = gpu.block_id y
    %i = arith.muli %block, %c64 overflow<nsw> : index
    %q = vector.transfer_read %a[%i, %head, %c0], %pad {permutation_map = #middle} : !heads, vector<64x64xbf16>
    %end = memref.dim %b, %c0 : !heads
    %sum = scf.for %j = %c0 to %end step %c64 iter_args(%acc = %zeros) -> (vector<64x64xf32>) {
      %k = vector.transfer_read %b[%j, %head, %c0], %pad {permutation_map = #middle} : !heads, vector<64x64xbf16>
      %s = vector.contract #nt %q, %k, %zeros : vector<64x64xbf16>, vector<64x64xbf16> into vector<64x64xf32>
      %p = arith.truncf %s : vector<64x64xf32> to vector<64x64xbf16>
      %next = vector.contract #nn %p, %k, %acc : vector<64x64xbf16>, vector<64x64xbf16> into vector<64x64xf32>
      scf.yield %next : vector<64x64xf32>
    } {carousel.pipeline = #carousel.pipeline<>}
    %o = arith.truncf %sum : vector<64x64xf32> to vector<64x64xbf16>
    vector.transfer_write %o, %c[%i, %head, %c0] {permutation_map = #middle} : vector<64x64xbf16>, !heads
    gpu.return
  }

  // EXPLAIN-LABEL: sums, m_sm_90a::sums_aligned_tma
  // EXPLAIN: load x: {{.*}} by tensor
  gpu.func @sums(
      %x: !rows {carousel.argument = #carousel.argument<"x", in>},
      %y: !sums {carousel.argument = #carousel.argument<"y", out>})
      kernel attributes {carousel.block_program = #carousel.block_program<>, carousel.launch =
        #carousel.launch<grid = [extent(0, 1), extent(0, 2)]>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %pad = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : vector<64xf32>
    %b = gpu.block_id x
    %h = gpu.block_id y
    %end = memref.dim %x, %c0 : !rows
    %sum = scf.for %j = %c0 to %end step %c64 iter_args(%acc = %zeros) -> (vector<64xf32>) {
      %t = vector.transfer_read %x[%j, %b, %h, %c0], %pad {permutation_map = #apart} : !rows, vector<64x64xf32>
      %next = vector.multi_reduction <add>, %t, %acc [0] : vector<64x64xf32> to vector<64xf32>
      scf.yield %next : vector<64xf32>
    } {carousel.pipeline = #carousel.pipeline<>}
    vector.transfer_write %sum, %y[%b, %h, %c0] : vector<64xf32>, !sums
    gpu.return
  }
}

func.func @heads_reference(%a: memref<?x?x64xbf16>, %b: memref<?x?x64xbf16>, %c: memref<?x?x64xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %s = memref.dim %a, %c0 : memref<?x?x64xbf16>
  %h = memref.dim %a, %c1 : memref<?x?x64xbf16>
  %t = memref.dim %b, %c0 : memref<?x?x64xbf16>
  %row = memref.alloc(%t) : memref<?xf32>
  scf.for %i = %c0 to %s step %c1 {
    scf.for %n = %c0 to %h step %c1 {
      scf.for %j = %c0 to %t step %c1 {
        %dot = scf.for %d = %c0 to %c64 step %c1 iter_args(%acc = %zero) -> (f32) {
          %l = memref.load %a[%i, %n, %d] : memref<?x?x64xbf16>
          %r = memref.load %b[%j, %n, %d] : memref<?x?x64xbf16>
          %lw = arith.extf %l : bf16 to f32
          %rw = arith.extf %r : bf16 to f32
          %next = math.fma %lw, %rw, %acc : f32
          scf.yield %next : f32
        }
        %p = arith.truncf %dot : f32 to bf16
        %w = arith.extf %p : bf16 to f32
        memref.store %w, %row[%j] : memref<?xf32>
      }
      scf.for %d = %c0 to %c64 step %c1 {
        %sum = scf.for %j = %c0 to %t step %c1 iter_args(%acc = %zero) -> (f32) {
          %p = memref.load %row[%j] : memref<?xf32>
          %r = memref.load %b[%j, %n, %d] : memref<?x?x64xbf16>
          %rw = arith.extf %r : bf16 to f32
          %next = math.fma %p, %rw, %acc : f32
          scf.yield %next : f32
        }
        %o = arith.truncf %sum : f32 to bf16
        memref.store %o, %c[%i, %n, %d] : memref<?x?x64xbf16>
      }
    }
  }
  return
}

func.func @sums_reference(%x: memref<?x?x?x64xf32>, %y: memref<?x?x64xf32>) {
  linalg.generic {indexing_maps = [affine_map<(b, h, d, j) -> (j, b, h, d)>, affine_map<(b, h, d, j) -> (b, h, d)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x : memref<?x?x?x64xf32>) outs(%y : memref<?x?x64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  }
  return
}
