// Asynchronous copies of nvgpu that no pass has raised become one cp.async op each. Waits count groups; tokens disappear.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-lower-gpu-ops))' | FileCheck %s

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

gpu.module @kernels {
  // Through both caches, or around the first one; bytes that are known, that aren't, and that are all of them.
  // CHECK-LABEL: gpu.func @copies
  // CHECK-SAME: (%[[X:.+]]: memref<?xf32, #gpu.address_space<global>>, %[[H:.+]]: memref<?xf16, #gpu.address_space<global>>, %[[I:.+]]: index, %[[N:.+]]: index)
  gpu.func @copies(%x: memref<?xf32, #gl>, %h: memref<?xf16, #gl>, %i: index, %n: index)
      workgroup(%tile: memref<2x64xf32, #ws>, %narrow: memref<64xf16, #ws>) kernel {
    // CHECK-DAG: %[[C1:.+]] = arith.constant 1 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    // CHECK: carousel.cp_async.copy ca %[[X]][%[[I]]] to %{{.+}}[%[[C1]], %[[I]]], 4 :
    %0 = nvgpu.device_async_copy %x[%i], %tile[%c1, %i], 1 : memref<?xf32, #gl> to memref<2x64xf32, #ws>
    // CHECK: carousel.cp_async.copy cg %[[X]][%[[I]]] to %{{.+}}[%[[C1]], %[[I]]], 16 :
    %1 = nvgpu.device_async_copy %x[%i], %tile[%c1, %i], 4, %c4 {bypassL1} : memref<?xf32, #gl> to memref<2x64xf32, #ws>
    // CHECK: %[[COUNT:.+]] = arith.index_cast %[[N]] : index to i32
    // CHECK: %[[BYTES:.+]] = arith.muli %[[COUNT]], %c2_i32
    // CHECK: carousel.cp_async.copy ca %[[H]][%[[I]]] to %{{.+}}[%[[I]]], 8 valid %[[BYTES]] :
    %2 = nvgpu.device_async_copy %h[%i], %narrow[%i], 4, %n : memref<?xf16, #gl> to memref<64xf16, #ws>
    // CHECK: carousel.cp_async.commit_group
    %group = nvgpu.device_async_create_group %0, %1, %2
    // CHECK: carousel.cp_async.commit_group
    %empty = nvgpu.device_async_create_group
    // CHECK: carousel.cp_async.wait_group 1
    nvgpu.device_async_wait %group {numGroups = 1 : i32}
    // CHECK: carousel.cp_async.wait_group 0
    nvgpu.device_async_wait %empty
    // CHECK-NEXT: gpu.return
    gpu.return
  }

  // An argument of no space is in global memory.
  // CHECK-LABEL: gpu.func @unspoken
  // CHECK: %[[X:.+]] = memref.memory_space_cast %{{.+}} : memref<?xf32> to memref<?xf32, #gpu.address_space<global>>
  // CHECK: carousel.cp_async.copy ca %[[X]]
  gpu.func @unspoken(%x: memref<?xf32>, %i: index) workgroup(%tile: memref<64xf32, #ws>) kernel {
    %0 = nvgpu.device_async_copy %x[%i], %tile[%i], 4 : memref<?xf32> to memref<64xf32, #ws>
    %group = nvgpu.device_async_create_group %0
    nvgpu.device_async_wait %group
    gpu.return
  }

  // Tokens that loops and functions carry.
  // CHECK-LABEL: gpu.func @carried
  // CHECK: scf.for {{.*}} -> (i32)
  // CHECK: carousel.cp_async.wait_group 0
  // CHECK: func.call @commit(%{{.+}}) : (index) -> i32
  // CHECK: scf.yield %{{.+}} : i32
  gpu.func @carried(%x: memref<?xf32, #gl>, %n: index) workgroup(%tile: memref<64xf32, #ws>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %first = nvgpu.device_async_create_group
    gpu.barrier
    %last = scf.for %i = %c0 to %n step %c1 iter_args(%token = %first) -> (!nvgpu.device.async.token) {
      nvgpu.device_async_wait %token
      %next = func.call @commit(%i) : (index) -> !nvgpu.device.async.token
      scf.yield %next : !nvgpu.device.async.token
    }
    nvgpu.device_async_wait %last
    gpu.return
  }
  // CHECK-LABEL: func.func @commit
  // CHECK-SAME: (%{{.+}}: index) -> i32
  // CHECK: carousel.cp_async.commit_group
  // CHECK: return %{{.+}} : i32
  func.func @commit(%i: index) -> !nvgpu.device.async.token {
    %group = nvgpu.device_async_create_group
    return %group : !nvgpu.device.async.token
  }
}
