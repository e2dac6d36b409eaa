// The larger and the smaller of floats are one instruction each, two halves at a time. Of doubles PTX has no instruction that keeps
// NaN, which is selected.
// REQUIRES: ptxas
// RUN: carousel-translate --mlir-to-ptx --chip=sm_80 %s -o %t.sm_80.ptx
// RUN: carousel-translate --mlir-to-ptx --chip=sm_90a %s -o %t.sm_90a.ptx
// RUN: carousel-translate --mlir-to-ptx --chip=sm_100a %s -o %t.sm_100a.ptx
// RUN: FileCheck %s < %t.sm_80.ptx
// RUN: FileCheck %s < %t.sm_90a.ptx
// RUN: FileCheck %s < %t.sm_100a.ptx
// RUN: %ptxas -arch=sm_80 %t.sm_80.ptx -o %t.cubin
// RUN: %ptxas -arch=sm_90a %t.sm_90a.ptx -o %t.cubin
// RUN: %ptxas -arch=sm_100a %t.sm_100a.ptx -o %t.cubin

#gl = #gpu.address_space<global>

gpu.module @kernels {
  // CHECK-LABEL: .entry half(
  // CHECK-NOT: {{setp|selp}}
  // CHECK: {{[[:space:]]}}max.f16 
  // CHECK-NOT: {{setp|selp|max|min}}
  // CHECK: {{[[:space:]]}}min.f16 
  // CHECK-NOT: {{setp|selp|max|min}}
  // CHECK: {{[[:space:]]}}max.NaN.f16 
  // CHECK-NOT: {{setp|selp|max|min}}
  // CHECK: {{[[:space:]]}}min.NaN.f16 
  // CHECK-NOT: {{setp|selp|max|min}}
  // CHECK: ret;
  gpu.func @half(%x: memref<2xf16, #gl>, %y: memref<4xf16, #gl>) kernel {
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

  // CHECK-LABEL: .entry bfloat(
  // CHECK-NOT: {{setp|selp}}
  // CHECK: {{[[:space:]]}}max.bf16 
  // CHECK-NOT: {{setp|selp|max|min}}
  // CHECK: {{[[:space:]]}}min.bf16 
  // CHECK-NOT: {{setp|selp|max|min}}
  // CHECK: {{[[:space:]]}}max.NaN.bf16 
  // CHECK-NOT: {{setp|selp|max|min}}
  // CHECK: {{[[:space:]]}}min.NaN.bf16 
  // CHECK-NOT: {{setp|selp|max|min}}
  // CHECK: ret;
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

  // CHECK-LABEL: .entry single(
  // CHECK-NOT: {{setp|selp}}
  // CHECK: {{[[:space:]]}}max.f32 
  // CHECK-NOT: {{setp|selp|max|min}}
  // CHECK: {{[[:space:]]}}min.f32 
  // CHECK-NOT: {{setp|selp|max|min}}
  // CHECK: {{[[:space:]]}}max.NaN.f32 
  // CHECK-NOT: {{setp|selp|max|min}}
  // CHECK: {{[[:space:]]}}min.NaN.f32 
  // CHECK-NOT: {{setp|selp|max|min}}
  // CHECK: ret;
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

  // CHECK-LABEL: .entry halves(
  // CHECK-NOT: {{setp|selp}}
  // CHECK-COUNT-4: {{[[:space:]]}}max.f16x2 
  // CHECK-NOT: {{setp|selp|max|min}}
  // CHECK-COUNT-4: {{[[:space:]]}}min.f16x2 
  // CHECK-NOT: {{setp|selp|max|min}}
  // CHECK-COUNT-4: {{[[:space:]]}}max.NaN.f16x2 
  // CHECK-NOT: {{setp|selp|max|min}}
  // CHECK-COUNT-4: {{[[:space:]]}}min.NaN.f16x2 
  // CHECK-NOT: {{setp|selp|max|min}}
  // CHECK: ret;
  gpu.func @halves(%x: memref<16xf16, #gl>, %y: memref<32xf16, #gl>) kernel {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %c24 = arith.constant 24 : index
    %a = vector.load %x[%c0] : memref<16xf16, #gl>, vector<8xf16>
    %b = vector.load %x[%c8] : memref<16xf16, #gl>, vector<8xf16>
    %0 = arith.maxnumf %a, %b : vector<8xf16>
    vector.store %0, %y[%c0] : memref<32xf16, #gl>, vector<8xf16>
    %1 = arith.minnumf %a, %b : vector<8xf16>
    vector.store %1, %y[%c8] : memref<32xf16, #gl>, vector<8xf16>
    %2 = arith.maximumf %a, %b : vector<8xf16>
    vector.store %2, %y[%c16] : memref<32xf16, #gl>, vector<8xf16>
    %3 = arith.minimumf %a, %b : vector<8xf16>
    vector.store %3, %y[%c24] : memref<32xf16, #gl>, vector<8xf16>
    gpu.return
  }

  // CHECK-LABEL: .entry bfloats(
  // CHECK-NOT: {{setp|selp}}
  // CHECK-COUNT-4: {{[[:space:]]}}max.bf16x2 
  // CHECK-NOT: {{setp|selp|max|min}}
  // CHECK-COUNT-4: {{[[:space:]]}}min.bf16x2 
  // CHECK-NOT: {{setp|selp|max|min}}
  // CHECK-COUNT-4: {{[[:space:]]}}max.NaN.bf16x2 
  // CHECK-NOT: {{setp|selp|max|min}}
  // CHECK-COUNT-4: {{[[:space:]]}}min.NaN.bf16x2 
  // CHECK-NOT: {{setp|selp|max|min}}
  // CHECK: ret;
  gpu.func @bfloats(%x: memref<16xbf16, #gl>, %y: memref<32xbf16, #gl>) kernel {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %c24 = arith.constant 24 : index
    %a = vector.load %x[%c0] : memref<16xbf16, #gl>, vector<8xbf16>
    %b = vector.load %x[%c8] : memref<16xbf16, #gl>, vector<8xbf16>
    %0 = arith.maxnumf %a, %b : vector<8xbf16>
    vector.store %0, %y[%c0] : memref<32xbf16, #gl>, vector<8xbf16>
    %1 = arith.minnumf %a, %b : vector<8xbf16>
    vector.store %1, %y[%c8] : memref<32xbf16, #gl>, vector<8xbf16>
    %2 = arith.maximumf %a, %b : vector<8xbf16>
    vector.store %2, %y[%c16] : memref<32xbf16, #gl>, vector<8xbf16>
    %3 = arith.minimumf %a, %b : vector<8xbf16>
    vector.store %3, %y[%c24] : memref<32xbf16, #gl>, vector<8xbf16>
    gpu.return
  }

  // CHECK-LABEL: .entry two(
  // CHECK-NOT: {{setp|selp}}
  // CHECK-COUNT-2: {{[[:space:]]}}max.f32 
  // CHECK-NOT: {{setp|selp|max|min}}
  // CHECK-COUNT-2: {{[[:space:]]}}min.f32 
  // CHECK-NOT: {{setp|selp|max|min}}
  // CHECK-COUNT-2: {{[[:space:]]}}max.NaN.f32 
  // CHECK-NOT: {{setp|selp|max|min}}
  // CHECK-COUNT-2: {{[[:space:]]}}min.NaN.f32 
  // CHECK-NOT: {{setp|selp|max|min}}
  // CHECK: ret;
  gpu.func @two(%x: memref<4xf32, #gl>, %y: memref<8xf32, #gl>) kernel {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c6 = arith.constant 6 : index
    %a = vector.load %x[%c0] : memref<4xf32, #gl>, vector<2xf32>
    %b = vector.load %x[%c2] : memref<4xf32, #gl>, vector<2xf32>
    %0 = arith.maxnumf %a, %b : vector<2xf32>
    vector.store %0, %y[%c0] : memref<8xf32, #gl>, vector<2xf32>
    %1 = arith.minnumf %a, %b : vector<2xf32>
    vector.store %1, %y[%c2] : memref<8xf32, #gl>, vector<2xf32>
    %2 = arith.maximumf %a, %b : vector<2xf32>
    vector.store %2, %y[%c4] : memref<8xf32, #gl>, vector<2xf32>
    %3 = arith.minimumf %a, %b : vector<2xf32>
    vector.store %3, %y[%c6] : memref<8xf32, #gl>, vector<2xf32>
    gpu.return
  }

  // CHECK-LABEL: .entry four(
  // CHECK-NOT: {{setp|selp}}
  // CHECK-COUNT-4: {{[[:space:]]}}max.f32 
  // CHECK-NOT: {{setp|selp|max|min}}
  // CHECK-COUNT-4: {{[[:space:]]}}min.f32 
  // CHECK-NOT: {{setp|selp|max|min}}
  // CHECK-COUNT-4: {{[[:space:]]}}max.NaN.f32 
  // CHECK-NOT: {{setp|selp|max|min}}
  // CHECK-COUNT-4: {{[[:space:]]}}min.NaN.f32 
  // CHECK-NOT: {{setp|selp|max|min}}
  // CHECK: ret;
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

  // CHECK-LABEL: .entry many(
  // CHECK-NOT: {{setp|selp}}
  // CHECK-COUNT-32: {{[[:space:]]}}max.f32 
  // CHECK-NOT: {{setp|selp|max|min}}
  // CHECK-COUNT-32: {{[[:space:]]}}min.f32 
  // CHECK-NOT: {{setp|selp|max|min}}
  // CHECK-COUNT-32: {{[[:space:]]}}max.NaN.f32 
  // CHECK-NOT: {{setp|selp|max|min}}
  // CHECK-COUNT-32: {{[[:space:]]}}min.NaN.f32 
  // CHECK-NOT: {{setp|selp|max|min}}
  // CHECK: ret;
  gpu.func @many(%x: memref<64xf32, #gl>, %y: memref<128xf32, #gl>) kernel {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c96 = arith.constant 96 : index
    %a = vector.load %x[%c0] : memref<64xf32, #gl>, vector<32xf32>
    %b = vector.load %x[%c32] : memref<64xf32, #gl>, vector<32xf32>
    %0 = arith.maxnumf %a, %b : vector<32xf32>
    vector.store %0, %y[%c0] : memref<128xf32, #gl>, vector<32xf32>
    %1 = arith.minnumf %a, %b : vector<32xf32>
    vector.store %1, %y[%c32] : memref<128xf32, #gl>, vector<32xf32>
    %2 = arith.maximumf %a, %b : vector<32xf32>
    vector.store %2, %y[%c64] : memref<128xf32, #gl>, vector<32xf32>
    %3 = arith.minimumf %a, %b : vector<32xf32>
    vector.store %3, %y[%c96] : memref<128xf32, #gl>, vector<32xf32>
    gpu.return
  }

  // CHECK-LABEL: .entry double(
  // CHECK-NOT: NaN
  // CHECK-DAG: max.f64
  // CHECK-DAG: min.f64
  // CHECK-DAG: setp.nan.f64
  // CHECK-DAG: selp.f64
  // CHECK-DAG: selp.f64
  // CHECK-NOT: {{setp|selp}}
  // CHECK: ret;
  gpu.func @double(%x: memref<2xf64, #gl>, %y: memref<4xf64, #gl>) kernel {
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

  // CHECK-LABEL: .entry doubles(
  // CHECK-NOT: NaN
  // CHECK-DAG: max.f64
  // CHECK-DAG: max.f64
  // CHECK-DAG: min.f64
  // CHECK-DAG: min.f64
  // CHECK: ret;
  gpu.func @doubles(%x: memref<4xf64, #gl>, %y: memref<8xf64, #gl>) kernel {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c6 = arith.constant 6 : index
    %a = vector.load %x[%c0] : memref<4xf64, #gl>, vector<2xf64>
    %b = vector.load %x[%c2] : memref<4xf64, #gl>, vector<2xf64>
    %0 = arith.maxnumf %a, %b : vector<2xf64>
    vector.store %0, %y[%c0] : memref<8xf64, #gl>, vector<2xf64>
    %1 = arith.minnumf %a, %b : vector<2xf64>
    vector.store %1, %y[%c2] : memref<8xf64, #gl>, vector<2xf64>
    %2 = arith.maximumf %a, %b : vector<2xf64>
    vector.store %2, %y[%c4] : memref<8xf64, #gl>, vector<2xf64>
    %3 = arith.minimumf %a, %b : vector<2xf64>
    vector.store %3, %y[%c6] : memref<8xf64, #gl>, vector<2xf64>
    gpu.return
  }
}
