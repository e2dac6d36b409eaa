// Functions with several results return them in one value, memrefs as their pointers and extents.
// RUN: carousel-translate --mlir-to-cuda --chip=sm_90a --cuda-locations=0 %s -o %t.cu
// RUN: FileCheck %s --input-file %t.cu

gpu.module @m {
  // CHECK-LABEL: static __device__ carousel::results<float, uint32_t> both(float {{.+}}, uint32_t {{.+}}) {
  // CHECK: return carousel::results<float, uint32_t>{
  func.func private @both(%a: f32, %n: i32) -> (f32, i32) {
    %s = arith.addf %a, %a : f32
    %m = arith.addi %n, %n : i32
    return %s, %m : f32, i32
  }

  // CHECK-LABEL: static __device__ carousel::results<float *, uint64_t> view(
  func.func private @view(%x: memref<?xf32, 1>) -> memref<?xf32, 1> {
    return %x : memref<?xf32, 1>
  }

  // CHECK-LABEL: void calls(
  // CHECK: carousel::results<float, uint32_t> [[BOTH:.+]] = both(
  // CHECK: carousel::result<1>([[BOTH]])
  // CHECK: carousel::results<float *, uint64_t> [[VIEW:.+]] = view(
  // CHECK: carousel::result<0>([[VIEW]])[i] = carousel::result<0>([[BOTH]]);
  gpu.func @calls(%x: memref<?xf32, 1>, %y: memref<16xi32, 1>, %i: index) kernel {
    %a = memref.load %x[%i] : memref<?xf32, 1>
    %n = memref.load %y[%i] : memref<16xi32, 1>
    %s, %m = func.call @both(%a, %n) : (f32, i32) -> (f32, i32)
    %v = func.call @view(%x) : (memref<?xf32, 1>) -> memref<?xf32, 1>
    memref.store %s, %v[%i] : memref<?xf32, 1>
    memref.store %m, %y[%i] : memref<16xi32, 1>
    gpu.return
  }
}
