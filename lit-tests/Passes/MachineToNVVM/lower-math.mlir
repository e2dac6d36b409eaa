// carousel-lower-math makes one instruction of what would be calls of libdevice, element by element; types that have no such
// instruction are left.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(func.func(carousel-lower-math)))' | FileCheck %s
// What is called then: libdevice for the other types only.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(carousel-lower-to-nvvm{chip=sm_90a})' | FileCheck %s --check-prefix=CALLS

gpu.module @math {
  // CHECK-LABEL: func @scalars
  // CHECK-SAME: (%[[A:.+]]: f32, %[[B:.+]]: f64)
  // CHECK-NEXT: llvm.intr.fma(%[[A]], %[[A]], %[[A]]) : (f32, f32, f32) -> f32
  // CHECK-NEXT: llvm.intr.fma(%[[B]], %[[B]], %[[B]]) {fastmathFlags = #llvm.fastmath<nnan>} : (f64, f64, f64) -> f64
  // CALLS-LABEL: llvm.func @scalars
  // CALLS-NOT: llvm.call
  // CALLS: llvm.return
  // DOC-EXAMPLE: --carousel-lower-math
  func.func @scalars(%a: f32, %b: f64) -> (f32, f64) {
    %x = math.fma %a, %a, %a : f32
    %y = math.fma %b, %b, %b fastmath<nnan> : f64
    return %x, %y : f32, f64
  }

  // CHECK-LABEL: func @extrema
  // CHECK-SAME: (%[[A:.+]]: vector<4xf32>, %[[B:.+]]: bf16, %[[C:.+]]: f64, %[[D:.+]]: vector<4xf32>, %[[E:.+]]: bf16)
  // CHECK-NEXT: llvm.intr.maximum(%[[A]], %[[D]])
  // CHECK-NEXT: llvm.intr.minimum(%[[B]], %[[E]])
  // CHECK-NEXT: llvm.intr.maxnum(%[[A]], %[[D]]) {fastmathFlags = #llvm.fastmath<nnan>}
  // CHECK-NEXT: llvm.intr.minnum(%[[B]], %[[E]])
  // CHECK-NEXT: %[[ONE:.+]] = arith.constant
  // CHECK-NEXT: arith.maximumf %[[C]], %[[ONE]] : f64
  // CALLS-LABEL: llvm.func @extrema
  // CALLS: llvm.intr.maximum
  // CALLS: llvm.intr.minimum
  // CALLS: llvm.intr.maxnum
  // CALLS: llvm.intr.minnum
  // CALLS: llvm.intr.maxnum{{.*}} f64
  // CALLS: llvm.fcmp "uno"
  func.func @extrema(%a: vector<4xf32>, %b: bf16, %c: f64, %d: vector<4xf32>, %e: bf16)
      -> (vector<4xf32>, bf16, vector<4xf32>, bf16, f64) {
    %0 = arith.maximumf %a, %d : vector<4xf32>
    %1 = arith.minimumf %b, %e : bf16
    %2 = arith.maxnumf %a, %d fastmath<nnan> : vector<4xf32>
    %3 = arith.minnumf %b, %e : bf16
    %one = arith.constant 1.0 : f64
    %4 = arith.maximumf %c, %one : f64
    return %0, %1, %2, %3, %4 : vector<4xf32>, bf16, vector<4xf32>, bf16, f64
  }

  // Both at once are two functions.
  // CHECK-LABEL: func @sincos
  // CHECK-SAME: (%[[A:.+]]: vector<2xf32>)
  // CHECK-NEXT: %[[SIN:.+]] = math.sin %[[A]] fastmath<afn> : vector<2xf32>
  // CHECK-NEXT: %[[COS:.+]] = math.cos %[[A]] fastmath<afn> : vector<2xf32>
  // CHECK-NEXT: return %[[SIN]], %[[COS]]
  // CALLS-LABEL: llvm.func @sincos
  func.func @sincos(%a: vector<2xf32>) -> (vector<2xf32>, vector<2xf32>) {
    %s, %c = math.sincos %a fastmath<afn> : vector<2xf32>
    return %s, %c : vector<2xf32>, vector<2xf32>
  }

  // CHECK-LABEL: func @vectors
  // CHECK-SAME: (%[[A:.+]]: vector<4xf32>)
  // CHECK-NEXT: llvm.intr.fma(%[[A]], %[[A]], %[[A]]) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
  // CALLS-LABEL: llvm.func @vectors
  // CALLS-NOT: llvm.call
  // CALLS: llvm.return
  func.func @vectors(%a: vector<4xf32>) -> vector<4xf32> {
    %x = math.fma %a, %a, %a : vector<4xf32>
    return %x : vector<4xf32>
  }

  // An approximation flushes subnormals, in modules that don't, too.
  // CHECK-LABEL: func @powers
  // CHECK-SAME: (%[[A:.+]]: f32, %[[B:.+]]: vector<2xf32>
  // CHECK-NEXT: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%[[A]]) : (f32) -> f32
  // CHECK-NEXT: %[[B0:.+]] = vector.extract %[[B]][0]
  // CHECK-NEXT: %[[P0:.+]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%[[B0]])
  // CHECK-NEXT: %[[B1:.+]] = vector.extract %[[B]][1]
  // CHECK-NEXT: %[[P1:.+]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%[[B1]])
  // CHECK-NEXT: vector.from_elements %[[P0]], %[[P1]]
  // CHECK-NEXT: math.exp2 %{{.+}} : f32
  // CHECK-NEXT: math.exp2 %{{.+}} fastmath<afn> : f16
  // CALLS-LABEL: llvm.func @powers
  // CALLS: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"
  // CALLS: llvm.call @__nv_exp2f
  func.func @powers(%a: f32, %b: vector<2xf32>, %c: f16) -> (f32, vector<2xf32>, f32, f16) {
    %x = math.exp2 %a fastmath<afn> : f32
    %y = math.exp2 %b fastmath<afn> : vector<2xf32>
    %z = math.exp2 %a : f32
    %w = math.exp2 %c fastmath<afn> : f16
    return %x, %y, %z, %w : f32, vector<2xf32>, f32, f16
  }

  // CHECK-LABEL: func @tangents
  // CHECK-SAME: (%[[A:.+]]: f32, %[[B:.+]]: vector<2xf32>
  // CHECK-NEXT: llvm.intr.tanh(%[[A]]) {fastmathFlags = #llvm.fastmath<afn>} : (f32) -> f32
  // CHECK-NEXT: llvm.intr.tanh(%[[B]]) {fastmathFlags = #llvm.fastmath<afn>} : (vector<2xf32>) -> vector<2xf32>
  // CHECK-NEXT: math.tanh %{{.+}} : f32
  // CHECK-NEXT: math.tanh %{{.+}} fastmath<afn> : f64
  // CALLS-LABEL: llvm.func @tangents
  // CALLS: llvm.intr.tanh
  // CALLS: llvm.call @__nv_tanhf
  // CALLS: llvm.call @__nv_tanh(
  func.func @tangents(%a: f32, %b: vector<2xf32>, %c: f64) -> (f32, vector<2xf32>, f32, f64) {
    %x = math.tanh %a fastmath<afn> : f32
    %y = math.tanh %b fastmath<afn> : vector<2xf32>
    %z = math.tanh %a : f32
    %w = math.tanh %c fastmath<afn> : f64
    return %x, %y, %z, %w : f32, vector<2xf32>, f32, f64
  }

  // Rounded to bf16, a quotient within 2 ulp of f32 is the same. f16 has bits for more.
  // CHECK-LABEL: func @quotients
  // CHECK-SAME: (%[[A:.+]]: bf16, %[[B:.+]]: vector<2xbf16>
  // CHECK-NEXT: %[[WIDE:.+]] = arith.extf %[[A]] : bf16 to f32
  // CHECK-NEXT: %[[SAME:.+]] = arith.extf %[[A]] : bf16 to f32
  // CHECK-NEXT: %[[Q:.+]] = llvm.call_intrinsic "llvm.nvvm.div.full"(%[[WIDE]], %[[SAME]]) : (f32, f32) -> f32
  // CHECK-NEXT: arith.truncf %[[Q]] : f32 to bf16
  // CHECK-COUNT-2: llvm.call_intrinsic "llvm.nvvm.div.full"
  // CHECK-NEXT: %[[V:.+]] = vector.from_elements
  // CHECK-NEXT: arith.truncf %[[V]] : vector<2xf32> to vector<2xbf16>
  // CHECK-NEXT: arith.divf %{{.+}} : f16
  // CHECK-NEXT: arith.divf %{{.+}} : f32
  // CALLS-LABEL: llvm.func @quotients
  // CALLS: llvm.call_intrinsic "llvm.nvvm.div.full"
  // CALLS: llvm.fdiv {{.*}} f16
  func.func @quotients(%a: bf16, %b: vector<2xbf16>, %c: f16, %d: f32)
      -> (bf16, vector<2xbf16>, f16, f32) {
    %x = arith.divf %a, %a : bf16
    %y = arith.divf %b, %b : vector<2xbf16>
    %z = arith.divf %c, %c : f16
    %w = arith.divf %d, %d : f32
    return %x, %y, %z, %w : bf16, vector<2xbf16>, f16, f32
  }

  // Authors allow the same of f32 and f16; f64 has no such instruction.
  // CHECK-LABEL: func @approximate_quotients
  // CHECK-SAME: (%[[A:.+]]: f32, %[[B:.+]]: vector<2xf32>, %[[C:.+]]: f16
  // CHECK-NEXT: llvm.call_intrinsic "llvm.nvvm.div.full"(%[[A]], %[[A]]) : (f32, f32) -> f32
  // CHECK-COUNT-2: llvm.call_intrinsic "llvm.nvvm.div.full"
  // CHECK-NEXT: vector.from_elements
  // CHECK-NEXT: arith.extf %[[C]] : f16 to f32
  // CHECK-NEXT: arith.extf %[[C]] : f16 to f32
  // CHECK-NEXT: %[[Q:.+]] = llvm.call_intrinsic "llvm.nvvm.div.full"
  // CHECK-NEXT: arith.truncf %[[Q]] : f32 to f16
  // CHECK-NEXT: arith.divf %{{.+}} fastmath<arcp> : f64
  // CHECK-NEXT: arith.divf %{{.+}} fastmath<contract> : f32
  func.func @approximate_quotients(%a: f32, %b: vector<2xf32>, %c: f16, %d: f64)
      -> (f32, vector<2xf32>, f16, f64, f32) {
    %x = arith.divf %a, %a fastmath<arcp> : f32
    %y = arith.divf %b, %b fastmath<afn> : vector<2xf32>
    %z = arith.divf %c, %c fastmath<arcp> : f16
    %w = arith.divf %d, %d fastmath<arcp> : f64
    %v = arith.divf %a, %a fastmath<contract> : f32
    return %x, %y, %z, %w, %v : f32, vector<2xf32>, f16, f64, f32
  }

  // CHECK-LABEL: func @left
  // CHECK-NEXT: math.fma
  // CHECK-NEXT: math.fma
  // CHECK-NEXT: math.absf
  // CALLS-LABEL: llvm.func @left
  // CALLS: llvm.call @__nv_fmaf
  // CALLS: llvm.call @__nv_fabsf
  func.func @left(%a: bf16, %b: vector<2x2xf32>, %c: f32) -> (bf16, vector<2x2xf32>, f32) {
    %x = math.fma %a, %a, %a : bf16
    %y = math.fma %b, %b, %b : vector<2x2xf32>
    %z = math.absf %c : f32
    return %x, %y, %z : bf16, vector<2x2xf32>, f32
  }
}
