// Vectors of any rank are carousel::vec, row by row.
// RUN: carousel-translate --mlir-to-cuda --chip=sm_90a --cuda-locations=0 %s | FileCheck %s

gpu.module @vectors {
  gpu.func @elements(%x: memref<64xf32, 1>, %y: memref<64xf32, 1>, %i: index, %a: f32) kernel {
    %v = vector.load %x[%i] {alignment = 16 : i64} : memref<64xf32, 1>, vector<4xf32>
    %w = vector.load %y[%i] : memref<64xf32, 1>, vector<4xf32>
    %s = vector.broadcast %a : f32 to vector<4xf32>
    %p = arith.mulf %v, %s : vector<4xf32>
    %q = vector.fma %p, %w, %s : vector<4xf32>
    %e = math.exp %q : vector<4xf32>
    %c = arith.cmpf olt, %e, %w : vector<4xf32>
    %r = arith.select %c, %e, %w : vector<4xi1>, vector<4xf32>
    %last = vector.extract %r[3] : f32 from vector<4xf32>
    %sum = vector.reduction <add>, %r, %last : vector<4xf32> into f32
    %z = vector.insert %sum, %r [1] : f32 into vector<4xf32>
    %u = vector.shuffle %z, %r [0, 5, 2, 7] : vector<4xf32>, vector<4xf32>
    vector.store %u, %y[%i] {alignment = 16 : i64} : memref<64xf32, 1>, vector<4xf32>
    gpu.return
  }

  gpu.func @rows(%x: memref<8x8xf32, 1>, %i: index) kernel {
    %c0 = arith.constant 0 : index
    %ones = arith.constant dense<1.0> : vector<2x4xf32>
    %v = vector.load %x[%i, %c0] : memref<8x8xf32, 1>, vector<2x4xf32>
    %w = arith.addf %v, %ones : vector<2x4xf32>
    vector.store %w, %x[%i, %c0] : memref<8x8xf32, 1>, vector<2x4xf32>
    gpu.return
  }

  gpu.func @narrow(%x: memref<64xbf16, 1>, %n: memref<8xi32, 1>, %i: index) kernel {
    %c0 = arith.constant 0 : index
    %steps = arith.constant dense<[0, 1, 2, -3]> : vector<4xi32>
    %v = vector.load %x[%i] {alignment = 8 : i64} : memref<64xbf16, 1>, vector<4xbf16>
    %f = arith.extf %v : vector<4xbf16> to vector<4xf32>
    %k = arith.fptosi %f : vector<4xf32> to vector<4xi32>
    %d = arith.divsi %k, %steps : vector<4xi32>
    vector.store %d, %n[%c0] : memref<8xi32, 1>, vector<4xi32>
    %t = arith.truncf %f : vector<4xf32> to vector<4xbf16>
    vector.store %t, %x[%i] {alignment = 8 : i64} : memref<64xbf16, 1>, vector<4xbf16>
    gpu.return
  }
}
