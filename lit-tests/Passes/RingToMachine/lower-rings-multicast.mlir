// Stores to multicast addresses become multimem ops, and alias fences stand beside the signals and waits of kernels with
// such an argument.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-lower-rings))' | FileCheck %s

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!v = memref<?xf32, #gl>
!t = memref<512xf32, #ws>
!h = memref<?xf16, #gl>
!ht = memref<512xf16, #ws>
!i = memref<?xi32, #gl>
!it = memref<128xi32, #ws>
!c = memref<?xi64, #gl>

gpu.module @m [#nvvm.target<chip = "sm_90a">] {
  // A piece that the end cuts is stored element by element.
  // CHECK-LABEL: gpu.func @pieces(
  // CHECK: %[[PIECE:.*]] = vector.load %{{.*}} : memref<512xf32, #gpu.address_space<workgroup>>, vector<4xf32>
  // CHECK-NEXT: scf.if
  // CHECK-NEXT: carousel.multimem.store %[[PIECE]] to %{{.*}} : vector<4xf32>, memref<?xf32
  // CHECK-NEXT: } else {
  // CHECK: %[[FIRST:.*]] = vector.extract %[[PIECE]][0] : f32 from vector<4xf32>
  // CHECK-NEXT: carousel.multimem.store %[[FIRST]] to %{{.*}} : f32, memref<?xf32
  // CHECK-COUNT-3: carousel.multimem.store %{{.*}} : f32, memref<?xf32
  // CHECK-NOT: carousel.multimem
  // CHECK-NOT: fence.proxy
  // CHECK: gpu.return
  gpu.func @pieces(%all: !v {carousel.multicast, llvm.align = 16 : i64}) workgroup(%t: !t {llvm.align = 128 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c0 = arith.constant 0 : index
    carousel.ring.submit {
      carousel.ring.store %t to %all[%c0] engine<vector, width = 16> : !t, !v
    }
    gpu.return
  }

  // Halves in pairs: none is outside alone.
  // CHECK-LABEL: gpu.func @pairs(
  // CHECK: carousel.multimem.reduce add f16 %{{.*}} : vector<8xf16>, memref<?xf16
  // CHECK-NEXT: } else {
  // CHECK: %[[PAIR:.*]] = vector.extract_strided_slice %{{.*}} {offsets = [0], sizes = [2], strides = [1]} : vector<8xf16> to vector<2xf16>
  // CHECK-NEXT: carousel.multimem.reduce add f16 %[[PAIR]] to %{{.*}} : vector<2xf16>, memref<?xf16
  // CHECK-COUNT-3: carousel.multimem.reduce add f16 %{{.*}} : vector<2xf16>, memref<?xf16
  // CHECK-NOT: carousel.multimem
  // CHECK: gpu.return
  gpu.func @pairs(%all: !h {carousel.multicast, llvm.align = 16 : i64}) workgroup(%t: !ht {llvm.align = 128 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    carousel.ring.submit {
      carousel.ring.store %t to %all[%c0] reduce<add f16> engine<vector, width = 16> : !ht, !h
    }
    gpu.return
  }

  // CHECK-LABEL: gpu.func @elements(
  // CHECK: %[[VALUE:.*]] = memref.load
  // CHECK-NEXT: carousel.multimem.reduce add u32 %[[VALUE]] to %{{.*}} : i32, memref<?xi32
  // CHECK: gpu.return
  gpu.func @elements(%all: !i {carousel.multicast}) workgroup(%t: !it) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c0 = arith.constant 0 : index
    carousel.ring.submit {
      carousel.ring.store %t to %all[%c0] in_bounds reduce<add u32> engine<vector, width = 4> : !it, !i
    }
    gpu.return
  }

  // The fence before a signal serves the next one, too.
  // CHECK-LABEL: gpu.func @signals(
  // CHECK: carousel.fence.proxy alias
  // CHECK-NEXT: carousel.signal.release
  // CHECK-NOT: carousel.fence.proxy
  // CHECK: carousel.signal.release
  // CHECK: carousel.signal.wait
  // CHECK-NEXT: carousel.fence.proxy alias
  // CHECK: carousel.signal.wait %{{.*}} timeout
  // CHECK-NEXT: carousel.fence.proxy alias
  // CHECK: carousel.fence.proxy alias
  // CHECK-NEXT: carousel.signal.release
  // CHECK: gpu.return
  gpu.func @signals(%all: !v {carousel.multicast}, %there: !c {carousel.peer}, %i: index, %n: i64, %ns: i64) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    carousel.signal %there[%i] set %n : !c
    carousel.signal %there[%i] add %n : !c
    carousel.wait_signal %there[%i] at_least %n : !c
    %reached = carousel.wait_signal %there[%i] at_least %n timeout %ns : !c -> i1
    scf.if %reached {
      carousel.signal %there[%i] set %n : !c
    }
    gpu.return
  }
}
