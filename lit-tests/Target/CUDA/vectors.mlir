// Vectors of any rank are carousel::vec, row by row.
// RUN: carousel-translate --mlir-to-cuda --chip=sm_90a --cuda-locations=0 %s | FileCheck %s

gpu.module @vectors {
  // CHECK-LABEL: extern "C" __global__ void elements(float *x, float *y, uint64_t i, float a) {
  // CHECK-NEXT:   carousel::vec<float, 4> v = carousel::load<4, 16>(&x[i]);
  // CHECK-NEXT:   carousel::vec<float, 4> w = carousel::load<4, 4>(&y[i]);
  // CHECK-NEXT:   carousel::vec<float, 4> s = carousel::broadcast<4>(a);
  // CHECK-NEXT:   carousel::vec<float, 4> p = v * s;
  // CHECK-NEXT:   carousel::vec<float, 4> q = carousel::fma(p, w, s);
  // CHECK-NEXT:   carousel::vec<float, 4> e = carousel::exp(q);
  // CHECK-NEXT:   carousel::vec<bool, 4> c = e < w;
  // CHECK-NEXT:   carousel::vec<float, 4> r = carousel::select(c, e, w);
  // CHECK-NEXT:   float last = r[3];
  // CHECK-NEXT:   float sum = carousel::reduce_add<float>(r, last);
  // CHECK-NEXT:   carousel::vec<float, 4> z = carousel::insert(sum, r, uint64_t(1));
  // CHECK-NEXT:   carousel::vec<float, 4> u = carousel::shuffle<0, 5, 2, 7>(z, r);
  // CHECK-NEXT:   carousel::store<16>(u, &y[i]);
  // CHECK-NEXT: }
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

  // CHECK-LABEL: extern "C" __global__ void rows(float *x, uint64_t i) {
  // CHECK-NEXT:   carousel::vec<float, 8> ones = carousel::broadcast<8>(1.0f);
  // CHECK-NEXT:   carousel::vec<float, 4> v = carousel::load<4, 4>(&x[i * 8]);
  // CHECK-NEXT:   uint64_t v_1 = i + 1;
  // CHECK-NEXT:   carousel::vec<float, 4> v_2 = carousel::load<4, 4>(&x[v_1 * 8]);
  // CHECK-NEXT:   carousel::vec<float, 8> v_3 = carousel::vec<float, 8>{{[{]}}{{[{]}}v[0], v[1], v[2], v[3], v_2[0], v_2[1],
  // CHECK-NEXT:       v_2[2], v_2[3]}};
  // CHECK-NEXT:   carousel::vec<float, 8> w = v_3 + ones;
  // CHECK-NEXT:   carousel::store<4>(carousel::extract_slice<0, 4>(w), &x[i * 8]);
  // CHECK-NEXT:   carousel::store<4>(carousel::extract_slice<4, 4>(w), &x[v_1 * 8]);
  // CHECK-NEXT: }
  gpu.func @rows(%x: memref<8x8xf32, 1>, %i: index) kernel {
    %c0 = arith.constant 0 : index
    %ones = arith.constant dense<1.0> : vector<2x4xf32>
    %v = vector.load %x[%i, %c0] : memref<8x8xf32, 1>, vector<2x4xf32>
    %w = arith.addf %v, %ones : vector<2x4xf32>
    vector.store %w, %x[%i, %c0] : memref<8x8xf32, 1>, vector<2x4xf32>
    gpu.return
  }

  // CHECK-LABEL: extern "C" __global__ void narrow(carousel::bf16 *x, uint32_t *n, uint64_t i) {
  // CHECK-NEXT:   carousel::vec<uint32_t, 4> steps = carousel::vec<uint32_t, 4>{{[{]}}{{[{]}}0, 1, 2, 0xfffffffdu}};
  // CHECK-NEXT:   carousel::vec<carousel::bf16, 4> v = carousel::load<4, 8>(&x[i]);
  // CHECK-NEXT:   carousel::vec<float, 4> f = carousel::convert<float>(v);
  // CHECK-NEXT:   carousel::vec<uint32_t, 4> k = carousel::convert_from<int32_t, float>(f);
  // CHECK-NEXT:   carousel::vec<uint32_t, 4> d = carousel::divide_as<int32_t>(k, steps);
  // CHECK-NEXT:   carousel::store<4>(d, n);
  // CHECK-NEXT:   carousel::store<8>(v, &x[i]);
  // CHECK-NEXT: }
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
