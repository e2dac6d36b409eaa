// The pipeline takes memref, vector, scf, affine, math and gpu beside the dialect, leaves only LLVM
// and NVVM, and keeps the order that its pieces need.
// RUN: carousel-opt --carousel-lower-to-nvvm=chip=sm_90a %s | FileCheck %s
// RUN: carousel-opt --carousel-lower-to-nvvm=chip=sm_90a %s | FileCheck %s --check-prefix=ONLY
// RUN: carousel-opt --carousel-lower-to-nvvm=chip=sm_90a --dump-pass-pipeline %s 2>&1 >/dev/null \
// RUN:   | FileCheck %s --check-prefix=ORDER
// RUN: carousel-opt --carousel-lower-to-nvvm="chip=sm_90a ptx-version=86 index-bitwidth=32 opt-level=1" \
// RUN:   %s | FileCheck %s --check-prefix=OPTIONS

// RUN: carousel-opt --carousel-lower-to-nvvm="chip=sm_90a verify=false" --dump-pass-pipeline %s 2>&1 >/dev/null \
// RUN:   | FileCheck %s --check-prefix=UNVERIFIED

// UNVERIFIED: carousel-attach-target
// UNVERIFIED-NEXT: carousel-lower-gpu-ops
// UNVERIFIED-NEXT: carousel-mark-occupancy
// UNVERIFIED-NEXT: carousel-expand-memory

// ORDER: carousel-attach-target
// ORDER: canonicalize
// ORDER: carousel-lower-gpu-ops
// ORDER-NEXT: carousel-verify-chip
// ORDER-NEXT: carousel-verify-machine
// ORDER-NEXT: carousel-mark-occupancy
// ORDER-NEXT: carousel-expand-memory
// ORDER: convert-vector-to-scf
// ORDER: carousel-lower-vectors
// ORDER: expand-strided-metadata
// ORDER: lower-affine
// ORDER: carousel-expand-arith
// ORDER: carousel-expand-float8{as-bytes=true
// ORDER: carousel-lower-math
// ORDER: carousel-expand-kernel-abi
// ORDER-NEXT: carousel-convert-to-nvvm
// ORDER: convert-scf-to-cf
// ORDER: carousel-lower-functions
// ORDER-NEXT: carousel-convert-gpu-to-nvvm
// What is behind it is for functions, not for globals next to a kernel.
// ORDER-NEXT: llvm.func(
// ORDER: reconcile-unrealized-casts
// ORDER: carousel-mark-convergent
// ORDER-NEXT: carousel-mark-grid-constants
// ORDER-NEXT: carousel-pin-shared-memory
// ORDER-NEXT: carousel-verify-target

// ONLY-NOT: carousel.
// ONLY-NOT: memref.
// ONLY-NOT: scf.
// ONLY-NOT: vector.
// ONLY-NOT: unrealized_conversion_cast

// OPTIONS: gpu.module @pipeline [#nvvm.target<O = 1, chip = "sm_90a", features = "+ptx86">]
// OPTIONS: llvm.func @everything(%{{.*}}: !llvm.ptr<1>, %{{.*}}: i32, %{{.*}}: i32, %{{.*}}: i32

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!map = !carousel.tensor_map<16x16xf32>

// CHECK: gpu.module @pipeline [#nvvm.target<chip = "sm_90a", features = "+ptx88">]
gpu.module @pipeline {
  // x: pointer, two extents, one stride; then the map by value; then an index.
  // CHECK-LABEL: llvm.func @everything
  // CHECK-SAME: (%{{[^:]*}}: !llvm.ptr<1>, %{{[^:]*}}: i64, %{{[^:]*}}: i64, %{{[^:]*}}: i64,
  // CHECK-SAME: %{{[^:]*}}: !llvm.ptr {llvm.align = 128 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant},
  // CHECK-SAME: %{{[^:]*}}: i64)
  gpu.func @everything(%x: memref<?x?xf32, strided<[?, 1]>, #gl>, %map: !map, %n: index)
      workgroup(%bars: memref<2x!carousel.mbarrier, #ws>,
                %tile: memref<16x16xf32, #ws> {llvm.align = 128 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %i0 = arith.constant 0 : i32
    %zero = arith.constant 0.0 : f32
    %parity = arith.constant false
    // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global
    carousel.tensor.load %map[%i0, %i0] to %tile[%c0, %c0] signals %bars[%c0]
      : !map, memref<16x16xf32, #ws>, memref<2x!carousel.mbarrier, #ws>
    // CHECK: nvvm.mbarrier.try_wait
    carousel.mbarrier.wait %bars[%c0] parity %parity : memref<2x!carousel.mbarrier, #ws>
    affine.for %i = 0 to 16 {
      // CHECK: llvm.load {{.*}} -> vector<4xf32>
      %v = vector.load %tile[%i, %c0] : memref<16x16xf32, #ws>, vector<4xf32>
      // CHECK: llvm.call @__nv_erff
      %e = math.erf %v : vector<4xf32>
      vector.transfer_write %e, %x[%i, %n] : vector<4xf32>, memref<?x?xf32, strided<[?, 1]>, #gl>
    }
    gpu.barrier
    %d = arith.ceildivui %n, %n : index
    %s = scf.for %j = %c0 to %d step %d iter_args(%a = %zero) -> f32 {
      %v = memref.load %x[%j, %j] : memref<?x?xf32, strided<[?, 1]>, #gl>
      %b = arith.addf %a, %v : f32
      scf.yield %b : f32
    }
    // CHECK: llvm.intr.trunc
    %t = math.trunc %s : f32
    // CHECK: nvvm.shfl.sync
    %r = gpu.subgroup_reduce add %t : (f32) -> f32
    memref.store %r, %x[%c0, %c0] : memref<?x?xf32, strided<[?, 1]>, #gl>
    gpu.return
  }
  // CHECK: llvm.mlir.global appending @llvm.compiler.used()
}
