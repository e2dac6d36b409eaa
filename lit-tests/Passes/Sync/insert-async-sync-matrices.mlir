// ldmatrix reads only its own buffer: a later fill waits for it only if it fills that buffer.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-insert-async-sync))' | FileCheck %s

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>
!g = memref<?x8xf16, #gl>
!t = memref<8x8xf16, #ws>

gpu.module @matrices {

// CHECK-LABEL: gpu.func @own
// CHECK: nvgpu.ldmatrix
// CHECK: carousel.ring.sync
// CHECK-NEXT: carousel.ring.produce
gpu.func @own(%x: !g, %y: memref<2xf16, #gl>, %i: index, %k: index) workgroup(%a: !t, %b: !t) kernel {
  %c0 = arith.constant 0 : index
  %r = carousel.ring.create : !carousel.ring<1>
  %lane = gpu.lane_id
  %v = nvgpu.ldmatrix %a[%lane, %c0] {numTiles = 1 : i32, transpose = true} : !t -> vector<1x2xf16>
  carousel.ring.produce %r[%k] : !carousel.ring<1> {
    carousel.ring.load %x[%i, %c0] to %a engine<bulk> : !g, !t
  }
  carousel.ring.wait %r[%k] : !carousel.ring<1>
  %row = vector.extract %v[0] : vector<2xf16> from vector<1x2xf16>
  vector.store %row, %y[%c0] : memref<2xf16, #gl>, vector<2xf16>
  gpu.return
}

// CHECK-LABEL: gpu.func @other
// CHECK: nvgpu.ldmatrix
// CHECK-NOT: carousel.ring.sync
// CHECK: gpu.return
gpu.func @other(%x: !g, %y: memref<2xf16, #gl>, %i: index, %k: index) workgroup(%a: !t, %b: !t) kernel {
  %c0 = arith.constant 0 : index
  %r = carousel.ring.create : !carousel.ring<1>
  %lane = gpu.lane_id
  %v = nvgpu.ldmatrix %b[%lane, %c0] {numTiles = 1 : i32, transpose = true} : !t -> vector<1x2xf16>
  carousel.ring.produce %r[%k] : !carousel.ring<1> {
    carousel.ring.load %x[%i, %c0] to %a engine<bulk> : !g, !t
  }
  carousel.ring.wait %r[%k] : !carousel.ring<1>
  %row = vector.extract %v[0] : vector<2xf16> from vector<1x2xf16>
  vector.store %row, %y[%c0] : memref<2xf16, #gl>, vector<2xf16>
  gpu.return
}
}
