// Synchronisation that carousel-insert-async-sync removes, and the remarks about it.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-insert-async-sync))' | FileCheck %s
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-insert-async-sync))' \
// RUN:   --remarks-filter='.*' --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>
!g = memref<?xf32, #gl>
!t = memref<1024xf32, #ws>

gpu.module @kernels {

// Of two fences, store waits or barriers for one purpose, the later one stays.
// CHECK-LABEL: gpu.func @twice
// CHECK: memref.store
// CHECK-NEXT: carousel.fence.proxy async_shared_cta
// CHECK-NEXT: carousel.ring.sync
// CHECK-NEXT: carousel.ring.submit
// CHECK: }
// CHECK-NEXT: carousel.ring.wait_stores read 0
// CHECK-NEXT: gpu.return
gpu.func @twice(%y: !g, %i: index, %v: f32) workgroup(%tile: !t) kernel {
  %t = gpu.thread_id x
  memref.store %v, %tile[%t] : !t
  // REMARK: remark: {{.*}}'carousel.fence.proxy' removed: it orders nothing that isn't ordered
  carousel.fence.proxy async
  // REMARK: remark: {{.*}}'carousel.ring.sync' removed
  carousel.ring.sync
  carousel.fence.proxy async_shared_cta
  carousel.ring.sync
  carousel.ring.submit {
    carousel.ring.store %tile to %y[%i] engine<bulk> : !t, !g
  }
  carousel.ring.wait_stores complete 0
  carousel.ring.wait_stores read 0
  gpu.return
}

// Nothing to wait for, nothing to fence.
// CHECK-LABEL: gpu.func @useless
// CHECK-NOT: carousel.fence
// CHECK-NOT: carousel.ring.wait_stores
// CHECK: carousel.ring.sync
// CHECK-NOT: carousel.ring.wait_stores
// CHECK: gpu.return
gpu.func @useless(%y: !g, %i: index, %v: f32) workgroup(%tile: !t) kernel {
  %t = gpu.thread_id x
  memref.store %v, %tile[%t] : !t
  carousel.fence.proxy async_shared_cta
  carousel.ring.wait_stores read 0
  carousel.ring.sync
  carousel.ring.submit {
    carousel.ring.store %tile to %y[%i] engine<vector, width = 16> : !t, !g
  }
  carousel.ring.wait_stores read 0
  gpu.return
}

// A barrier that threads need for what they do by themselves stays.
// CHECK-LABEL: gpu.func @exchange
// CHECK: memref.store
// CHECK-NEXT: carousel.ring.sync
// CHECK-NEXT: memref.load
gpu.func @exchange(%y: !g, %i: index, %v: f32) workgroup(%tile: !t) kernel {
  %c0 = arith.constant 0 : index
  %t = gpu.thread_id x
  memref.store %v, %tile[%t] : !t
  carousel.ring.sync
  %w = memref.load %tile[%c0] : !t
  memref.store %w, %y[%t] : !g
  gpu.return
}

// CHECK-LABEL: gpu.func @said
gpu.func @said(%y: !g, %i: index, %v: f32) workgroup(%tile: !t) kernel {
  %t = gpu.thread_id x
  // REMARK: [[#@LINE+2]]:{{.*}}remark: {{.*}}fence.proxy async_shared_cta inserted: %{{.+}} is accessed by 'memref.store' at line [[#@LINE+2]], then by 'carousel.ring.submit' at line [[#@LINE+3]]
  // REMARK: remark: {{.*}}ring.sync inserted: %{{.+}} is accessed by 'memref.store' at line [[#@LINE+1]], then by 'carousel.ring.submit' at line [[#@LINE+2]]
  memref.store %v, %tile[%t] : !t
  carousel.ring.submit {
    carousel.ring.store %tile to %y[%i] engine<bulk> : !t, !g
  }
  // REMARK: remark: {{.*}}ring.wait_stores read 1 inserted: %{{.+}} is accessed by 'carousel.ring.submit' at line {{.+}}, then by the end of the kernel
  carousel.ring.submit {
  }
  gpu.return
}

}
