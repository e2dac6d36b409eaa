// Code that is slow without a missed request: a warning, a line below the table, and an error by kind. Exact products of
// f32 and the neighbours of a stencil are none.
// RUN: rm -rf %t && mkdir %t
// RUN: carousel-compile %s -o %t/pkg --chip sm_90a --no-cubin 2> %t/warnings | FileCheck %s --check-prefix=TABLE
// RUN: FileCheck %s --check-prefix=WARN --input-file=%t/warnings
// RUN: not carousel-compile %s -o %t/none --chip sm_90a --no-cubin --quiet --werror=tensor-cores,pipeline 2>&1 | FileCheck %s --check-prefix=CORES
// RUN: not carousel-compile %s -o %t/none --chip sm_90a --no-cubin --quiet --werror=alignment 2>&1 | FileCheck %s --check-prefix=ALIGNMENT
// RUN: carousel-compile %s -o %t/pkg --chip sm_90a --no-cubin --quiet --werror=pipeline 2>&1 | count 0

// WARN: slow.mlir:[[#]]:10: warning: product: threads multiply and add: an extent of 24 along m isn't a power of two from 16 on [product:extents]
// WARN: note: round extents up to powers of two{{.*}}; see docs/WhyNotPipelined.md
// WARN: slow.mlir:[[#]]:10: warning: product: threads multiply and add: no instruction combines 'bf16' by add in 'bf16' [product:types]
// WARN: slow.mlir:[[#]]:10: warning: read of x: accesses of single elements, and not of 8: the offset along the last dimension isn't known to be a multiple of 8 [access:offset]
// WARN: slow.mlir:[[#]]:10: warning: read of y: accesses of single elements, and not of 8: the memref's last dimension has an unknown stride [access:stride]
// WARN-NOT: warning:

// TABLE: k {{ *}}kernels_sm_90a::k_aligned
// A memref without a memory space is in global memory.
// TABLE: unplaced {{ *}}kernels_sm_90a::unplaced_aligned
// TABLE: slow: k at slow.mlir:[[#]]: threads multiply and add: an extent of 24 along m isn't a power of two from 16 on; round extents up to powers of two{{.*}} [product:extents]
// TABLE: slow: k at slow.mlir:[[#]]: {{.*}} [product:types]
// TABLE: slow: k at slow.mlir:[[#]]: {{.*}} [access:offset]
// TABLE: slow: k at slow.mlir:[[#]]: {{.*}} [access:stride]
// TABLE-NOT: slow:
// CORES: error: product: {{.*}} [product:extents]
// CORES: error: product: {{.*}} [product:types]
// CORES-NOT: error:
// ALIGNMENT: error: read of x: {{.*}} [access:offset]
// ALIGNMENT: error: read of y: {{.*}} [access:stride]
// ALIGNMENT-NOT: error:

#gl = #gpu.address_space<global>
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#product = {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
!m = memref<?x?xbf16, #gl>
!s = memref<?x?xbf16, strided<[?, ?], offset: ?>, #gl>
!f = memref<?x?xf32>

gpu.module @kernels {
  gpu.func @k(%x: !m {carousel.argument = #carousel.argument<"x", in>}, %y: !s {carousel.argument = #carousel.argument<"y", in>},
              %i: memref<?xi32, #gl> {carousel.argument = #carousel.argument<"i", in>},
              %z: !m {carousel.argument = #carousel.argument<"z", out>})
      kernel attributes {carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1]>} {
    %c0 = arith.constant 0 : index
    %c24 = arith.constant 24 : index
    %pad = arith.constant 0.0 : bf16
    %wide = arith.constant dense<0.0> : vector<24x16xf32>
    %narrow = arith.constant dense<0.0> : vector<16x16xbf16>
    %a = vector.transfer_read %x[%c0, %c0], %pad : !m, vector<24x16xbf16>
    %b = vector.transfer_read %x[%c24, %c0], %pad : !m, vector<16x16xbf16>
    %p = vector.contract #product %a, %b, %wide : vector<24x16xbf16>, vector<16x16xbf16> into vector<24x16xf32>
    %q = vector.contract #product %b, %b, %narrow : vector<16x16xbf16>, vector<16x16xbf16> into vector<16x16xbf16>
    %number = memref.load %i[%c0] : memref<?xi32, #gl>
    %at = arith.index_cast %number : i32 to index
    %c = vector.transfer_read %x[%c0, %at], %pad : !m, vector<16x16xbf16>
    %d = vector.transfer_read %y[%c0, %c0], %pad : !s, vector<16x16xbf16>
    %e = arith.addf %c, %d : vector<16x16xbf16>
    %f = arith.addf %e, %q : vector<16x16xbf16>
    %g = arith.truncf %p : vector<24x16xf32> to vector<24x16xbf16>
    vector.transfer_write %f, %z[%c0, %c0] : vector<16x16xbf16>, !m
    vector.transfer_write %g, %z[%c24, %c0] : vector<24x16xbf16>, !m
    gpu.return
  }

  gpu.func @unplaced(%x: !f {carousel.argument = #carousel.argument<"x", in>}, %y: !f {carousel.argument = #carousel.argument<"y", out>})
      kernel attributes {carousel.block_program = #carousel.block_program<>, carousel.launch = #carousel.launch<grid = [1]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %pad = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : vector<16x16xf32>
    %a = vector.transfer_read %x[%c0, %c0], %pad : !f, vector<16x16xf32>
    %b = vector.transfer_read %x[%c0, %c1], %pad : !f, vector<16x16xf32>
    %p = vector.contract #product %a, %b, %zeros : vector<16x16xf32>, vector<16x16xf32> into vector<16x16xf32>
    vector.transfer_write %p, %y[%c0, %c0] : vector<16x16xf32>, !f
    gpu.return
  }
}
