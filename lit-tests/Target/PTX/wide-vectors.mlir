// Vectors of many elements, which a thread spills, take seconds: as scalars: with them as they are, LLVM would take five times as long for these.
// RUN: bash -c "ulimit -t 5; carousel-translate --mlir-to-ptx --chip=sm_90a %s" | FileCheck %s

gpu.module @wide {
  // CHECK-LABEL: .visible .entry wide
  // CHECK-COUNT-1024: ex2.approx
  gpu.func @wide(%x: memref<?xf32, 1>, %i: index) kernel {
    %v = vector.load %x[%i] {alignment = 16 : i64} : memref<?xf32, 1>, vector<512xf32>
    %e = math.erf %v : vector<512xf32>
    %s = arith.addf %e, %v : vector<512xf32>
    %m = math.erf %s : vector<512xf32>
    vector.store %m, %x[%i] {alignment = 16 : i64} : memref<?xf32, 1>, vector<512xf32>
    gpu.return
  }

  // Pairs of 16-bit floats have instructions.
  // CHECK-LABEL: .visible .entry pairs
  // CHECK-COUNT-32: mul.rn.bf16x2
  // CHECK-NOT: mul.rn.bf16
  gpu.func @pairs(%x: memref<?xbf16, 1>, %i: index) kernel {
    %v = vector.load %x[%i] {alignment = 16 : i64} : memref<?xbf16, 1>, vector<64xbf16>
    %m = arith.mulf %v, %v : vector<64xbf16>
    vector.store %m, %x[%i] {alignment = 16 : i64} : memref<?xbf16, 1>, vector<64xbf16>
    gpu.return
  }
}
