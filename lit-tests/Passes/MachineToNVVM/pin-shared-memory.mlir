// carousel-pin-shared-memory lists shared variables in llvm.compiler.used and aligns the dynamic shared memory.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-pin-shared-memory))' | FileCheck %s
// Twice is as good as once.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-pin-shared-memory,carousel-pin-shared-memory))' | FileCheck %s

// CHECK-LABEL: gpu.module @variables
// DOC-EXAMPLE: --carousel-pin-shared-memory
gpu.module @variables {
  // CHECK: llvm.mlir.global internal @tile() {addr_space = 3 : i32, alignment = 128 : i64}
  llvm.mlir.global internal @tile() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<64 x f32>
  llvm.mlir.global internal @barriers() {addr_space = 3 : i32} : !llvm.array<4 x i64>
  // What has no extent is dynamic, and no variable.
  // CHECK: llvm.mlir.global external @dynamic() {addr_space = 3 : i32, alignment = 1024 : i64{{.*}}} : !llvm.array<0 x i8>
  llvm.mlir.global external @dynamic() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>
  // CHECK: llvm.mlir.global internal @constant() {addr_space = 4 : i32}
  llvm.mlir.global internal @constant() {addr_space = 4 : i32} : !llvm.array<4 x i64>

  // CHECK: llvm.mlir.global appending @llvm.compiler.used() {{.*}}section = "llvm.metadata"{{.*}} : !llvm.array<2 x ptr> {
  // CHECK: %[[LIST:.+]] = llvm.mlir.undef
  // CHECK: %[[TILE:.+]] = llvm.mlir.addressof @tile : !llvm.ptr<3>
  // CHECK: %[[TILE_GENERIC:.+]] = llvm.addrspacecast %[[TILE]] : !llvm.ptr<3> to !llvm.ptr
  // CHECK: %[[FIRST:.+]] = llvm.insertvalue %[[TILE_GENERIC]], %[[LIST]][0]
  // CHECK: %[[BARRIERS:.+]] = llvm.mlir.addressof @barriers : !llvm.ptr<3>
  // CHECK: %[[BARRIERS_GENERIC:.+]] = llvm.addrspacecast %[[BARRIERS]] : !llvm.ptr<3> to !llvm.ptr
  // CHECK: %[[SECOND:.+]] = llvm.insertvalue %[[BARRIERS_GENERIC]], %[[FIRST]][1]
  // CHECK: llvm.return %[[SECOND]]
  // CHECK-NOT: @llvm.compiler.used
}

// CHECK-LABEL: gpu.module @nothing_shared
// CHECK-NOT: llvm.compiler.used
gpu.module @nothing_shared {
  llvm.mlir.global internal @table() {addr_space = 1 : i32} : !llvm.array<4 x i64>
}
