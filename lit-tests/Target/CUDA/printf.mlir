// gpu.printf is CUDA's: strings are strings, constants have the types that a variadic function is to see.
// RUN: carousel-translate --mlir-to-cuda --chip=sm_90a --cuda-locations=0 %s | FileCheck %s

gpu.module @m {
  // CHECK-LABEL: void printed(float x, uint64_t i, uint32_t n, double d, uint32_t printf_v) {
  // CHECK-NEXT:   printf("plain, \"quoted\" \\ 100%%\012");
  // CHECK-NEXT:   printf("%f %lu %d %lf %d\012", x, i, n, d, printf_v);
  // CHECK-NEXT:   uint64_t after = i + 1;
  // CHECK-NEXT:   printf("%lu %d %f\012", uint64_t(7), uint32_t(9), 0.5f);
  // CHECK-NEXT:   printf("%lu\012", after);
  // CHECK-NEXT: }
  gpu.func @printed(%x: f32, %i: index, %n: i32, %d: f64, %printf: i32) kernel {
    %c1 = arith.constant 1 : index
    %c7 = arith.constant 7 : index
    %c9 = arith.constant 9 : i32
    %half = arith.constant 0.5 : f32
    gpu.printf "plain, \22quoted\22 \\ 100%%\0A"
    gpu.printf "%f %lu %d %lf %d\0A", %x, %i, %n, %d, %printf : f32, index, i32, f64, i32
    %after = arith.addi %i, %c1 : index
    gpu.printf "%lu %d %f\0A", %c7, %c9, %half : index, i32, f32
    gpu.printf "%lu\0A", %after : index
    gpu.return
  }

  // CHECK-LABEL: void narrow(uint8_t b, carousel::f16 h, bool p) {
  // CHECK-NEXT:   printf("%d %u %f %d\012", uint32_t(int8_t(b)), uint32_t(b), float(h), uint32_t(p));
  gpu.func @narrow(%b: i8, %h: f16, %p: i1) kernel {
    gpu.printf "%d %u %f %d\0A", %b, %b, %h, %p : i8, i8, f16, i1
    gpu.return
  }
}
