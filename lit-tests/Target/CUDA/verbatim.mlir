// Verbatim text prints with its operands, and its lines are one statement. It may write the variables among them.
// RUN: carousel-translate --mlir-to-cuda --chip=sm_90a --cuda-locations=0 %s | FileCheck %s

gpu.module @m {
  // CHECK-LABEL: void k(
  // CHECK:      float d = 0.0f;
  // CHECK-NEXT: float before = d;
  // CHECK-NEXT: float twice = x + x;
  // CHECK-NEXT: asm volatile("{ add.f32 %0, %0, %1; }"
  // CHECK-NEXT:     : "+f"(d)
  // CHECK-NEXT:     : "f"(twice), "l"(y));
  // CHECK-NEXT: y[0] = before;
  // CHECK-NEXT: y[1] = d;
  // CHECK-NEXT: // {} and {{[{][{]}} are as they are
  emitc.func @k(%x: f32, %y: !emitc.ptr<f32>) attributes {specifiers = ["extern \22C\22", "__global__", "void"], cuda_parameters = ["x", "y"], cuda_kernel} {
    %zero = "emitc.constant"() {value = 0.0 : f32} : () -> f32
    %c0 = "emitc.constant"() {value = 0 : ui64} : () -> ui64
    %c1 = "emitc.constant"() {value = 1 : ui64} : () -> ui64
    %d = "emitc.variable"() {value = #emitc.opaque<"">, cuda_hint = "d"} : () -> !emitc.lvalue<f32>
    emitc.assign %zero : f32 to %d : <f32>
    %before = emitc.load %d : <f32>
    %twice = emitc.add %x, %x : (f32, f32) -> f32
    emitc.verbatim "asm volatile(\22{{ add.f32 %0, %0, %1; }\22\0A: \22+f\22({})\0A: \22f\22({}), \22l\22({}));" args %d, %twice, %y : !emitc.lvalue<f32>, f32, !emitc.ptr<f32>
    %after = emitc.load %d : <f32>
    %at0 = emitc.subscript %y[%c0] : (!emitc.ptr<f32>, ui64) -> !emitc.lvalue<f32>
    emitc.assign %before : f32 to %at0 : <f32>
    %at1 = emitc.subscript %y[%c1] : (!emitc.ptr<f32>, ui64) -> !emitc.lvalue<f32>
    emitc.assign %after : f32 to %at1 : <f32>
    emitc.verbatim "// {} and {{ are as they are"
    emitc.return
  }
}
