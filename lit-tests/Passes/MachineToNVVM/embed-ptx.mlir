// A module becomes a binary that holds its PTX and the object's chip.
// RUN: carousel-opt %s --carousel-embed-ptx | FileCheck %s

// CHECK: gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90a", features = "+ptx88">, {{.*}}assembly = "{{.*}}.target sm_90a{{.*}}.entry fill
// CHECK-NOT: gpu.module
// DOC-EXAMPLE: --carousel-embed-ptx
gpu.module @kernels [#nvvm.target<chip = "sm_90a", features = "+ptx88">] {
  llvm.func @fill(%x: !llvm.ptr<1>, %v: f32) attributes {gpu.kernel, nvvm.kernel} {
    llvm.store %v, %x : f32, !llvm.ptr<1>
    llvm.return
  }
}
