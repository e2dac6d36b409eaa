// Products of a warpgroup become functions that hold an instruction, one for each form, and calls of the device headers.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-convert-to-emitc))' | FileCheck %s
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-convert-to-emitc))' | carousel-opt | FileCheck %s

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

!matrix = !carousel.matrix_descriptor<f16, k>
!sums = !carousel.wgmma_registers<vector<1x2x2xf32>>
!halves = !carousel.wgmma_registers<vector<1x2x2xf16>>
!rows = !carousel.wgmma_registers<vector<4x2xf16>>

// CHECK-LABEL: gpu.module @m
gpu.module @m [#nvvm.target<chip = "sm_90a", features = "+ptx88">] {
  // Functions come first, in the order of their first use, and a second product of the same form has none of its own.
  // CHECK:      emitc.func @wgmma_m64n8k16_f32_f16_f16(
  // CHECK-SAME:   %[[SUMS:.*]]: !emitc.opaque<"carousel::vec<float, 4>">, %[[A:.*]]: ui64, %[[B:.*]]: ui64, %[[SCALE:.*]]: ui32)
  // CHECK-SAME:   cuda_parameters = ["sums", "a", "b", "scale"], specifiers = ["CAROUSEL_DEVICE"]
  // CHECK:        %[[D:.*]] = "emitc.variable"
  // CHECK:        assign %[[SUMS]] : !emitc.opaque<"carousel::vec<float, 4>"> to %[[D]]
  // CHECK:        verbatim "asm volatile({{.*}}wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {{[{][{]}}%0, %1, %2, %3}
  // CHECK-SAME:     args %[[D]], %[[D]], %[[D]], %[[D]], %[[A]], %[[B]], %[[SCALE]]
  // CHECK:        %[[RESULT:.*]] = load %[[D]]
  // CHECK:        return %[[RESULT]]
  // The user has this name.
  // CHECK:      emitc.func @wgmma_m64n8k16_f32_f16_f16_negate_b_1(
  // Sums of f16 are two in a register; the first factor's registers are four.
  // CHECK:      emitc.func @wgmma_m64n8k16_f16_f16_f16_a_registers(
  // CHECK-SAME:   %[[SUMS:.*]]: !emitc.opaque<"carousel::vec<uint32_t, 2>">, %[[A:.*]]: !emitc.opaque<"carousel::vec<uint32_t, 4>">, %[[B:.*]]: ui64, %[[SCALE:.*]]: ui32)
  // CHECK:        %[[D:.*]] = "emitc.variable"
  // CHECK:        verbatim "asm volatile(
  // CHECK-SAME:     args %[[D]], %[[D]], %[[A]], %[[A]], %[[A]], %[[A]], %[[B]], %[[SCALE]] :
  // CHECK-NOT:  emitc.func @wgmma

  // CHECK:      emitc.func @loop(
  // CHECK-SAME:   %{{.*}}: !emitc.ptr<f32>, %{{.*}}: ui64, %{{.*}}: i1, %[[MORE:.*]]: i1,
  // CHECK:        %[[ZERO:.*]] = call_opaque "{}"() {cuda_pure} : () -> !emitc.opaque<"carousel::vec<float, 4>">
  // CHECK:        %[[START:.*]] = call_opaque "carousel::wgmma_fence"(%[[ZERO]])
  // CHECK:        %[[CARRIED:.*]] = "emitc.variable"{{.*}} -> !emitc.lvalue<!emitc.opaque<"carousel::vec<float, 4>">>
  // CHECK:        assign %[[START]] {{.*}} to %[[CARRIED]]
  // CHECK:        for
  // CHECK:          %[[S:.*]] = load %[[CARRIED]]
  // CHECK:          call_opaque "carousel::wgmma_fence"() : () -> ()
  // CHECK:          %[[MATRIX:.*]] = call_opaque "carousel::wgmma_descriptor"(%{{.*}}, %{{.*}}) {cuda_pure, template_args = [#emitc.opaque<"0x4000004002000000u">]} : (!emitc.ptr<f16>, ui64) -> ui64
  // CHECK:          %[[WORD:.*]] = cast %[[MORE]] : i1 to ui32
  // CHECK:          %[[FIRST:.*]] = call @wgmma_m64n8k16_f32_f16_f16(%[[S]], %[[MATRIX]], %[[MATRIX]], %[[WORD]])
  // CHECK:          %[[ONE:.*]] = "emitc.constant"() <{value = 1 : ui32}>
  // CHECK:          %[[SECOND:.*]] = call @wgmma_m64n8k16_f32_f16_f16(%[[FIRST]], %[[MATRIX]], %[[MATRIX]], %[[ONE]])
  // CHECK:          call_opaque "carousel::wgmma_commit"()
  // CHECK:          call_opaque "carousel::wgmma_wait"() {template_args = [#emitc.opaque<"1">]} : () -> ()
  // CHECK:          assign %[[SECOND]] {{.*}} to %[[CARRIED]]
  gpu.func @loop(%y: memref<?xf32, #gl>, %negate: i1, %more: i1, %blocks: index, %slot: index)
      workgroup(%tile: memref<4x64x64xf16, #ws> {llvm.align = 1024 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %undefined = ub.poison : vector<1x2x2xf32>
    %start = carousel.wgmma.fence(%undefined) : vector<1x2x2xf32>
    %sums = scf.for %k = %c0 to %blocks step %c1 iter_args(%s = %start) -> (!sums) {
      carousel.wgmma.fence
      %a = carousel.wgmma.descriptor %tile[%slot, %c0, %c0] swizzle(b128) : memref<4x64x64xf16, #ws> to !matrix
      %0 = carousel.wgmma.mma %a, %a, %s scale(%more) : !matrix, !matrix, !sums
      %1 = carousel.wgmma.mma %a, %a, %0 : !matrix, !matrix, !sums
      carousel.wgmma.commit
      carousel.wgmma.wait 1
      scf.yield %1 : !sums
    }
    // CHECK:      %[[BRANCH:.*]] = "emitc.variable"{{.*}} -> !emitc.lvalue<!emitc.opaque<"carousel::vec<float, 4>">>
    // CHECK:      if
    // CHECK:        %[[NEGATED:.*]] = call @wgmma_m64n8k16_f32_f16_f16_negate_b_1(
    // CHECK:        assign %[[NEGATED]] {{.*}} to %[[BRANCH]]
    // CHECK:      } else {
    // CHECK:        assign %{{.*}} to %[[BRANCH]]
    // CHECK:      %[[PRODUCT:.*]] = call_opaque "carousel::wgmma_wait"(%{{.*}}) {template_args = [#emitc.opaque<"0">]} : (!emitc.opaque<"carousel::vec<float, 4>">) -> !emitc.opaque<"carousel::vec<float, 4>">
    %result = scf.if %negate -> (!sums) {
      carousel.wgmma.fence
      %a = carousel.wgmma.descriptor %tile[%c0, %c0, %c0] swizzle(b128) : memref<4x64x64xf16, #ws> to !matrix
      %0 = carousel.wgmma.mma %a, %a, %sums negate_b : !matrix, !matrix, !sums
      carousel.wgmma.commit
      scf.yield %0 : !sums
    } else {
      scf.yield %sums : !sums
    }
    %product = carousel.wgmma.wait 0, %result : !sums
    %element = vector.extract %product[0, 1, 0] : f32 from vector<1x2x2xf32>
    memref.store %element, %y[%slot] : memref<?xf32, #gl>
    gpu.return
  }

  // CHECK: emitc.func @wgmma_m64n8k16_f32_f16_f16_negate_b(
  gpu.func @wgmma_m64n8k16_f32_f16_f16_negate_b() kernel {
    gpu.return
  }

  // CHECK: emitc.func @renewed(
  // CHECK: %[[NEW:.*]] = call_opaque "carousel::wgmma_renew_sums"(%{{.*}}) : (!emitc.opaque<"carousel::vec<float, 4>">) -> !emitc.opaque<"carousel::vec<float, 4>">
  // CHECK: %[[FENCED:.*]] = call_opaque "carousel::wgmma_fence"(%[[NEW]])
  // CHECK: %[[WAITED:.*]] = call_opaque "carousel::wgmma_wait"(%[[FENCED]])
  // CHECK: call_opaque "carousel::wgmma_renew_sums"(%[[WAITED]])
  gpu.func @renewed() kernel {
    %zero = arith.constant dense<0.0> : vector<1x2x2xf32>
    %s = carousel.wgmma.fence renews_sums(%zero) : vector<1x2x2xf32>
    %sums = carousel.wgmma.wait 0 renews_sums, %s : !sums
    gpu.return
  }

  // Vectors become registers before a fence, and registers vectors after a wait. Several ones are results of one call.
  // CHECK: emitc.func @registers(
  // CHECK: %[[S:.*]] = call_opaque "carousel::bit_cast"(%{{.*}}) {{.*}} -> !emitc.opaque<"carousel::vec<uint32_t, 2>">
  // CHECK: %[[A:.*]] = call_opaque "carousel::bit_cast"(%{{.*}}) {{.*}} -> !emitc.opaque<"carousel::vec<uint32_t, 4>">
  // CHECK: %[[BOTH:.*]] = call_opaque "carousel::wgmma_fence"(%[[S]], %[[A]]) : {{.*}} -> !emitc.opaque<"carousel::results<carousel::vec<uint32_t, 2>, carousel::vec<uint32_t, 4>>">
  // CHECK: %[[FIRST:.*]] = call_opaque "carousel::result"(%[[BOTH]]) {cuda_pure, template_args = [#emitc.opaque<"0">]}
  // CHECK: %[[SECOND:.*]] = call_opaque "carousel::result"(%[[BOTH]]) {cuda_pure, template_args = [#emitc.opaque<"1">]}
  // CHECK: %[[NEXT:.*]] = call @wgmma_m64n8k16_f16_f16_f16_a_registers(%[[FIRST]], %[[SECOND]],
  // CHECK: %[[WAITED:.*]] = call_opaque "carousel::wgmma_wait"(%[[NEXT]], %[[SECOND]]) {template_args = [#emitc.opaque<"0">]}
  // CHECK: %[[PRODUCT:.*]] = call_opaque "carousel::result"(%[[WAITED]]) {cuda_pure, template_args = [#emitc.opaque<"0">]}
  // CHECK: call_opaque "carousel::bit_cast"(%[[PRODUCT]]) {{.*}} -> !emitc.opaque<"carousel::vec<carousel::f16, 4>">
  gpu.func @registers(%y: memref<?xf16, #gl>, %at: index)
      workgroup(%tile: memref<64x64xf16, #ws> {llvm.align = 1024 : i64}) kernel {
    %c0 = arith.constant 0 : index
    %zero = arith.constant dense<0.0> : vector<1x2x2xf16>
    %factor = arith.constant dense<1.0> : vector<4x2xf16>
    %s, %a = carousel.wgmma.fence(%zero, %factor) : vector<1x2x2xf16>, vector<4x2xf16>
    %b = carousel.wgmma.descriptor %tile[%c0, %c0] swizzle(b128) : memref<64x64xf16, #ws> to !matrix
    %0 = carousel.wgmma.mma %a, %b, %s : !rows, !matrix, !halves
    carousel.wgmma.commit
    %product, %same = carousel.wgmma.wait 0, %0, %a : !halves, !rows
    %element = vector.extract %product[0, 1, 0] : f16 from vector<1x2x2xf16>
    memref.store %element, %y[%at] : memref<?xf16, #gl>
    gpu.return
  }
}
