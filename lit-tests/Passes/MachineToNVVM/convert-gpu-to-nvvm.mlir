// carousel-convert-gpu-to-nvvm converts gpu, math, arith, cf and memref ops together, and NVVM ops that are text of PTX.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-convert-gpu-to-nvvm))' | FileCheck %s
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-convert-gpu-to-nvvm{index-bitwidth=32}))' \
// RUN:   | FileCheck %s --check-prefix=NARROW
// RUN: not carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-convert-gpu-to-nvvm{index-bitwidth=16}))' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=WIDTH

// WIDTH: error: expected an index of 32 or 64 bits, got 16

#gl = #gpu.address_space<global>

gpu.module @kernels {
  // Atomics of memref are relaxed at gpu scope, the load of a first attempt too; others stay as they are.
  // CHECK-LABEL: llvm.func @atomics(
  // CHECK: llvm.atomicrmw add %{{.+}}, %{{.+}} syncscope("device") monotonic : !llvm.ptr<1>, i32
  // CHECK: llvm.load %{{.+}} atomic syncscope("device") monotonic {alignment = 4 : i64} : !llvm.ptr<1> -> i32
  // CHECK: llvm.cmpxchg %{{.+}}, %{{.+}}, %{{.+}} syncscope("device") monotonic monotonic : !llvm.ptr<1>, i32
  // CHECK: llvm.atomicrmw add %{{.+}}, %{{.+}} acq_rel : !llvm.ptr, i32
  gpu.func @atomics(%x: memref<4xi32, #gl>, %v: i32, %p: !llvm.ptr) kernel {
    %c0 = arith.constant 0 : index
    %0 = memref.atomic_rmw addi %v, %x[%c0] : (i32, memref<4xi32, #gl>) -> i32
    %1 = memref.generic_atomic_rmw %x[%c0] : memref<4xi32, #gl> {
    ^bb0(%old: i32):
      %2 = arith.muli %old, %v : i32
      memref.atomic_yield %2 : i32
    }
    %3 = llvm.atomicrmw add %p, %v acq_rel : !llvm.ptr, i32
    gpu.return
  }

  // Spaces of memory by their numbers; indices of 64 bits, or of 32.
  // CHECK-LABEL: llvm.func @k(
  // CHECK-SAME: !llvm.ptr<1>
  // CHECK-SAME: nvvm.kernel
  // CHECK: %[[TID:.+]] = nvvm.read.ptx.sreg.tid.x
  // CHECK: llvm.sext %[[TID]] : i32 to i64
  // CHECK: llvm.load %{{.+}} : !llvm.ptr<1> -> f32
  // CHECK: llvm.call @__nv_erff
  // CHECK: llvm.cond_br
  // NARROW-LABEL: llvm.func @k(
  // NARROW: nvvm.read.ptx.sreg.tid.x
  // NARROW-NOT: i64
  // DOC-EXAMPLE: --carousel-convert-gpu-to-nvvm
  gpu.func @k(%x: memref<?xf32, #gl>, %all: i1) kernel {
    %i = gpu.thread_id x
    %v = memref.load %x[%i] : memref<?xf32, #gl>
    %w = math.erf %v : f32
    cf.cond_br %all, ^bb1, ^bb2
  ^bb1:
    memref.store %w, %x[%i] : memref<?xf32, #gl>
    cf.br ^bb2
  ^bb2:
    gpu.return
  }

  // One with a predicate has no intrinsic; one without has.
  // CHECK-LABEL: llvm.func @ptx(
  // CHECK: llvm.inline_asm {{.*}}mbarrier.init.shared.b64
  // CHECK: nvvm.mbarrier.init %{{.+}}, %{{.+}} : !llvm.ptr<3>, i32
  llvm.func @ptx(%p: i1, %barrier: !llvm.ptr<3>, %count: i32) {
    nvvm.mbarrier.init %barrier, %count, predicate = %p : !llvm.ptr<3>, i32, i1
    nvvm.mbarrier.init %barrier, %count : !llvm.ptr<3>, i32
    llvm.return
  }

  // Four bytes of two words are one instruction, whose selector has a half byte for each. Other shuffles are LLVM's.
  // CHECK-LABEL: llvm.func @bytes(
  // CHECK: %[[SELECTOR:.+]] = llvm.mlir.constant(16708 : i32)
  // CHECK: nvvm.prmt <default> %[[SELECTOR]], %{{.+}}, %{{.+}} : i32
  // CHECK: nvvm.prmt
  // CHECK-NOT: nvvm.prmt
  // CHECK: llvm.shufflevector {{.+}} : vector<8xi8>
  gpu.func @bytes(%a: vector<4xi8>, %b: vector<4xi8>, %c: vector<8xi8>) -> (vector<4xi8>, vector<4xi8>, vector<4xi8>) {
    %0 = vector.shuffle %a, %b [4, 4, 1, 4] : vector<4xi8>, vector<4xi8>
    %1 = vector.shuffle %a, %b [-1, 7, 0, 3] : vector<4xi8>, vector<4xi8>
    %2 = vector.shuffle %c, %c [1, 3, 5, 7] : vector<8xi8>, vector<8xi8>
    gpu.return %0, %1, %2 : vector<4xi8>, vector<4xi8>, vector<4xi8>
  }
}
