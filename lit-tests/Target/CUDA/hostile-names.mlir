// No name, label or file name of the IR gets out of its place in the text.
// RUN: carousel-translate --mlir-to-cuda --chip=sm_90a %s | FileCheck %s
// RUN: carousel-translate --mlir-to-cuda --chip=sm_90a --cuda-line-directives %s | FileCheck %s --check-prefix=LINES
// RUN: %if nvrtc %{ carousel-translate --mlir-to-cuda --chip=sm_90a %s | %python %source_root/scripts/cuda/nvrtc-compile --nvrtc %nvrtc --chip sm_90a - | FileCheck %s --check-prefix=PTX %}
// RUN: %if nvrtc %{ carousel-translate --mlir-to-cuda --chip=sm_90a --cuda-line-directives %s | %python %source_root/scripts/cuda/nvrtc-compile --nvrtc %nvrtc --chip sm_90a - | FileCheck %s --check-prefix=PTX %}

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

// CHECK: #undef CAPITALS
// CHECK-NEXT: void CAPITALS(float double_v, float shared___v, float NULL_v,
// CHECK-NEXT: float threadIdx_v, float a_b, float a_b_1, float a_b_2, float *carousel_v, float *x,
// CHECK-NEXT: float expf_1, float v) {
// CHECK: // waits for x */ ., as consumer
// CHECK-NEXT: carousel::mbarrier_wait(CAROUSEL_DEVICE_v, 0);
// CHECK-NEXT: // waits for .. .?/, as producer
// CHECK-NEXT: carousel::mbarrier_wait(CAROUSEL_DEVICE_v, 0);
// CHECK-NEXT: float while_1__ = expf(expf_1);  // .:7
// CHECK-NEXT: float uint64_t_v = while_1__ + double_v;
// CHECK-NEXT: float blockIdx_v = uint64_t_v * shared___v;
// CHECK-NEXT: float asm_v = blockIdx_v + NULL_v;
// CHECK: x[1] = or_v;  // two.lines.:3
// CHECK: void x__y(float *v, uint64_t arg1) {

// LINES: {{^}}#line 7 "a\"b\\c\?\?/\012d\303\251*/"{{$}}
// LINES: {{^}}#line 3 "two\012lines\\"{{$}}

// PTX: .entry CAPITALS(
// PTX: .entry x__y(
gpu.module @hostile {
  gpu.func @CAPITALS(%double: f32, %__shared__: f32, %NULL: f32, %threadIdx: f32, %a.b: f32, %a_b: f32, %a-b: f32,
                     %carousel: memref<16xf32, #gl>, %x: memref<16xf32, #gl>, %expf: f32, %$: f32)
      workgroup(%CAROUSEL_DEVICE: memref<2x!carousel.mbarrier, #ws>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %parity = arith.constant false
    carousel.mbarrier.wait %CAROUSEL_DEVICE[%c0] parity %parity label<barrier = "x */ \\", role = consumer>
        : memref<2x!carousel.mbarrier, #ws>
    carousel.mbarrier.wait %CAROUSEL_DEVICE[%c0] parity %parity label<barrier = "\C3\A9 ??/", role = producer>
        : memref<2x!carousel.mbarrier, #ws>
    %int = math.exp %expf : f32 loc("while(1);"("a\22b\\c??/\0Ad\C3\A9*/":7:1))
    %uint64_t = arith.addf %int, %double : f32
    %blockIdx = arith.mulf %uint64_t, %__shared__ : f32
    %asm = arith.addf %blockIdx, %NULL : f32
    %linux = arith.addf %asm, %threadIdx : f32
    %or = arith.addf %linux, %a.b : f32
    %dynamic_shared_memory = arith.addf %or, %a_b : f32
    %__CUDA_ARCH__ = arith.addf %dynamic_shared_memory, %a-b : f32
    %_A = arith.addf %__CUDA_ARCH__, %$ : f32
    memref.store %_A, %carousel[%c0] : memref<16xf32, #gl>
    %bytes = gpu.dynamic_shared_memory : memref<?xi8, #ws>
    %m = memref.view %bytes[%c0][] : memref<?xi8, #ws> to memref<4xf32, #ws>
    memref.store %int, %m[%c1] : memref<4xf32, #ws>
    memref.store %asm, %x[%c1] : memref<16xf32, #gl> loc("\\")
    memref.store %or, %x[%c1] : memref<16xf32, #gl> loc("two\0Alines\\":3:1)
    gpu.return
  }

  gpu.func @x__y(%x: memref<16xf32, #gl> loc("\C3\A9*/\22\0A\\"), %i: index loc("")) kernel {
    %zero = arith.constant 0.0 : f32
    memref.store %zero, %x[%i] : memref<16xf32, #gl>
    gpu.return
  }
}
