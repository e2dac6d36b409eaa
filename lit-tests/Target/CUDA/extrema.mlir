// The larger and the smaller of floats are functions of the device headers, one instruction each; of doubles a select keeps NaN.
// REQUIRES: nvrtc
// RUN: carousel-translate --mlir-to-cuda --chip=sm_90a --cuda-locations=0 %s -o %t.cu
// RUN: FileCheck %s < %t.cu
// RUN: %python %source_root/scripts/cuda/nvrtc-compile --nvrtc %nvrtc --chip sm_80 %t.cu | FileCheck %s --check-prefix=PTX
// RUN: %python %source_root/scripts/cuda/nvrtc-compile --nvrtc %nvrtc --chip sm_90a %t.cu | FileCheck %s --check-prefix=PTX
// RUN: %python %source_root/scripts/cuda/nvrtc-compile --nvrtc %nvrtc --chip sm_100a %t.cu | FileCheck %s --check-prefix=PTX

#gl = #gpu.address_space<global>

gpu.module @kernels {
  // CHECK-LABEL: void halves(
  // CHECK: carousel::maxnum(
  // CHECK: carousel::minnum(
  // CHECK: carousel::maximum(
  // CHECK: carousel::minimum(
  // PTX-LABEL: .entry halves(
  // PTX-NOT: {{setp|selp}}
  // PTX: {{[[:space:]]}}max.f16 
  // PTX-NOT: {{setp|selp}}
  // PTX: {{[[:space:]]}}min.f16 
  // PTX-NOT: {{setp|selp}}
  // PTX: {{[[:space:]]}}max.NaN.f16 
  // PTX-NOT: {{setp|selp}}
  // PTX: {{[[:space:]]}}min.NaN.f16 
  // PTX-NOT: {{setp|selp|max|min}}
  // PTX: ret;
  gpu.func @halves(%x: memref<2xf16, #gl>, %y: memref<4xf16, #gl>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %a = memref.load %x[%c0] : memref<2xf16, #gl>
    %b = memref.load %x[%c1] : memref<2xf16, #gl>
    %0 = arith.maxnumf %a, %b : f16
    memref.store %0, %y[%c0] : memref<4xf16, #gl>
    %1 = arith.minnumf %a, %b : f16
    memref.store %1, %y[%c1] : memref<4xf16, #gl>
    %2 = arith.maximumf %a, %b : f16
    memref.store %2, %y[%c2] : memref<4xf16, #gl>
    %3 = arith.minimumf %a, %b : f16
    memref.store %3, %y[%c3] : memref<4xf16, #gl>
    gpu.return
  }

  // CHECK-LABEL: void bfloat(
  // CHECK: carousel::maxnum(
  // CHECK: carousel::minnum(
  // CHECK: carousel::maximum(
  // CHECK: carousel::minimum(
  // PTX-LABEL: .entry bfloat(
  // PTX-NOT: {{setp|selp}}
  // PTX: {{[[:space:]]}}max.bf16 
  // PTX-NOT: {{setp|selp}}
  // PTX: {{[[:space:]]}}min.bf16 
  // PTX-NOT: {{setp|selp}}
  // PTX: {{[[:space:]]}}max.NaN.bf16 
  // PTX-NOT: {{setp|selp}}
  // PTX: {{[[:space:]]}}min.NaN.bf16 
  // PTX-NOT: {{setp|selp|max|min}}
  // PTX: ret;
  gpu.func @bfloat(%x: memref<2xbf16, #gl>, %y: memref<4xbf16, #gl>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %a = memref.load %x[%c0] : memref<2xbf16, #gl>
    %b = memref.load %x[%c1] : memref<2xbf16, #gl>
    %0 = arith.maxnumf %a, %b : bf16
    memref.store %0, %y[%c0] : memref<4xbf16, #gl>
    %1 = arith.minnumf %a, %b : bf16
    memref.store %1, %y[%c1] : memref<4xbf16, #gl>
    %2 = arith.maximumf %a, %b : bf16
    memref.store %2, %y[%c2] : memref<4xbf16, #gl>
    %3 = arith.minimumf %a, %b : bf16
    memref.store %3, %y[%c3] : memref<4xbf16, #gl>
    gpu.return
  }

  // CHECK-LABEL: void single(
  // CHECK: carousel::maxnum(
  // CHECK: carousel::minnum(
  // CHECK: carousel::maximum(
  // CHECK: carousel::minimum(
  // PTX-LABEL: .entry single(
  // PTX-NOT: {{setp|selp}}
  // PTX: {{[[:space:]]}}max.f32 
  // PTX-NOT: {{setp|selp}}
  // PTX: {{[[:space:]]}}min.f32 
  // PTX-NOT: {{setp|selp}}
  // PTX: {{[[:space:]]}}max.NaN.f32 
  // PTX-NOT: {{setp|selp}}
  // PTX: {{[[:space:]]}}min.NaN.f32 
  // PTX-NOT: {{setp|selp|max|min}}
  // PTX: ret;
  gpu.func @single(%x: memref<2xf32, #gl>, %y: memref<4xf32, #gl>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %a = memref.load %x[%c0] : memref<2xf32, #gl>
    %b = memref.load %x[%c1] : memref<2xf32, #gl>
    %0 = arith.maxnumf %a, %b : f32
    memref.store %0, %y[%c0] : memref<4xf32, #gl>
    %1 = arith.minnumf %a, %b : f32
    memref.store %1, %y[%c1] : memref<4xf32, #gl>
    %2 = arith.maximumf %a, %b : f32
    memref.store %2, %y[%c2] : memref<4xf32, #gl>
    %3 = arith.minimumf %a, %b : f32
    memref.store %3, %y[%c3] : memref<4xf32, #gl>
    gpu.return
  }

  // CHECK-LABEL: void four(
  // CHECK: carousel::maxnum(
  // CHECK: carousel::minnum(
  // CHECK: carousel::maximum(
  // CHECK: carousel::minimum(
  // PTX-LABEL: .entry four(
  // PTX-COUNT-4: {{[[:space:]]}}max.f32 
  // PTX-COUNT-4: {{[[:space:]]}}min.f32 
  // PTX-COUNT-4: {{[[:space:]]}}max.NaN.f32 
  // PTX-COUNT-4: {{[[:space:]]}}min.NaN.f32 
  // PTX-NOT: {{setp|selp|max|min}}
  // PTX: ret;
  gpu.func @four(%x: memref<8xf32, #gl>, %y: memref<16xf32, #gl>) kernel {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c12 = arith.constant 12 : index
    %a = vector.load %x[%c0] : memref<8xf32, #gl>, vector<4xf32>
    %b = vector.load %x[%c4] : memref<8xf32, #gl>, vector<4xf32>
    %0 = arith.maxnumf %a, %b : vector<4xf32>
    vector.store %0, %y[%c0] : memref<16xf32, #gl>, vector<4xf32>
    %1 = arith.minnumf %a, %b : vector<4xf32>
    vector.store %1, %y[%c4] : memref<16xf32, #gl>, vector<4xf32>
    %2 = arith.maximumf %a, %b : vector<4xf32>
    vector.store %2, %y[%c8] : memref<16xf32, #gl>, vector<4xf32>
    %3 = arith.minimumf %a, %b : vector<4xf32>
    vector.store %3, %y[%c12] : memref<16xf32, #gl>, vector<4xf32>
    gpu.return
  }

  // CHECK-LABEL: void doubles(
  // CHECK: double [[MOST:.+]] = carousel::maxnum(
  // CHECK: double [[LEAST:.+]] = carousel::minnum(
  // CHECK: ? {{.+}} : [[MOST]]
  // CHECK: ? {{.+}} : [[LEAST]]
  // PTX-LABEL: .entry doubles(
  // PTX-NOT: NaN
  // PTX-DAG: max.f64
  // PTX-DAG: min.f64
  // PTX-DAG: 0d7FF8000000000000
  // PTX-NOT: NaN
  // PTX: ret;
  gpu.func @doubles(%x: memref<2xf64, #gl>, %y: memref<4xf64, #gl>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %a = memref.load %x[%c0] : memref<2xf64, #gl>
    %b = memref.load %x[%c1] : memref<2xf64, #gl>
    %0 = arith.maxnumf %a, %b : f64
    memref.store %0, %y[%c0] : memref<4xf64, #gl>
    %1 = arith.minnumf %a, %b : f64
    memref.store %1, %y[%c1] : memref<4xf64, #gl>
    %2 = arith.maximumf %a, %b : f64
    memref.store %2, %y[%c2] : memref<4xf64, #gl>
    %3 = arith.minimumf %a, %b : f64
    memref.store %3, %y[%c3] : memref<4xf64, #gl>
    gpu.return
  }

  // Reductions and atomics, too.
  // CHECK-LABEL: void others(
  // CHECK: carousel::reduce_maxnum<float>(
  // CHECK: carousel::atomic_minimumf(
  // PTX-LABEL: .entry others(
  // PTX-COUNT-3: {{[[:space:]]}}max.f32
  // PTX: {{[[:space:]]}}min.NaN.f32
  // PTX: cas.b32
  // PTX: ret;
  gpu.func @others(%x: memref<4xf32, #gl>, %y: memref<1xf32, #gl>) kernel {
    %c0 = arith.constant 0 : index
    %v = vector.load %x[%c0] : memref<4xf32, #gl>, vector<4xf32>
    %r = vector.reduction <maxnumf>, %v : vector<4xf32> into f32
    %old = memref.atomic_rmw minimumf %r, %y[%c0] : (f32, memref<1xf32, #gl>) -> f32
    gpu.return
  }
}
