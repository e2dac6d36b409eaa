// The lowering of a warpgroup's products: inline PTX that changes registers in place, and descriptors in units of 16
// bytes.
// RUN: carousel-opt %s --allow-unregistered-dialect \
// RUN:   --pass-pipeline='builtin.module(gpu.module(carousel-convert-to-nvvm))' | FileCheck %s

#ws = #gpu.address_space<workgroup>

!matrix = !carousel.matrix_descriptor<bf16, k>
!sums = !carousel.wgmma_registers<vector<1x2x2xf32>>

gpu.module @sm_90a [#nvvm.target<chip = "sm_90a", features = "+ptx80">] {
  // Constant indices are added to the address in units of 16 bytes: a slot has 1024 of these, row 64 begins at 512.
  // Bit 62 is b128's mode; 1024 / 16 = 64 is the stride of 8 rows, and 16384 / 16 the one of blocks.
  // CHECK-LABEL: gpu.func @descriptor
  // CHECK-SAME: %{{.*}}: memref<4x128x64xbf16{{.*}}>, %[[SLOT:[a-z0-9]+]]: index
  // CHECK: %[[PER_SLOT:.*]] = llvm.mlir.constant(1024 : i32)
  // CHECK: llvm.mul %{{.*}}, %[[PER_SLOT]]
  // CHECK: %[[PER_ROW:.*]] = llvm.mlir.constant(8 : i32)
  // CHECK: llvm.mul %{{.*}}, %[[PER_ROW]]
  // CHECK: %[[PER_ELEMENT:.*]] = llvm.mlir.constant(2 : i32)
  // CHECK: %[[INNER:.*]] = llvm.mul %{{.*}}, %[[PER_ELEMENT]]
  // CHECK: llvm.lshr %[[INNER]], %{{.*}}
  // CHECK: %[[ADDRESS:.*]] = llvm.ptrtoint %{{.*}} : !llvm.ptr<3> to i32
  // In a cluster, bits 24 and more of an address are the CTA's rank: they would change the offset of blocks.
  // CHECK: %[[UNIT:.*]] = llvm.lshr %[[ADDRESS]], %{{.*}}
  // CHECK: %[[MASK:.*]] = llvm.mlir.constant(16383 : i32)
  // CHECK: %[[UNITS:.*]] = llvm.and %[[UNIT]], %[[MASK]]
  // CHECK: %[[ALL:.*]] = llvm.add %{{.*}}, %[[UNITS]]
  // CHECK: %[[BITS:.*]] = llvm.mlir.constant(4611686293372403712 : i64)
  // CHECK: %[[WIDE:.*]] = llvm.zext %[[ALL]] : i32 to i64
  // CHECK: llvm.or %[[WIDE]], %[[BITS]]
  gpu.func @descriptor(%x: memref<4x128x64xbf16, #ws>, %slot: index) {
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %0 = carousel.wgmma.descriptor %x[%slot, %c64, %c16] swizzle(b128) : memref<4x128x64xbf16, #ws> to !matrix
    "test.use"(%0) : (!matrix) -> ()
    gpu.return
  }

  // The registers of the sums are outputs and, by number, inputs.
  // CHECK-LABEL: gpu.func @products
  // CHECK: llvm.inline_asm has_side_effects {{.*}}"wgmma.fence.sync.aligned;", "=f,=f,=f,=f,0,1,2,3,~{memory}"
  // CHECK: llvm.inline_asm has_side_effects {{.*}}"{ .reg .pred p; setp.ne.b32 p, $6, 0; wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {$0, $1, $2, $3}, $4, $5, p, 1, -1, 0, 0; }", "=f,=f,=f,=f,l,l,r,0,1,2,3,~{memory}"
  // CHECK: llvm.inline_asm has_side_effects {{.*}}"wgmma.commit_group.sync.aligned;", "~{memory}"
  // CHECK: llvm.inline_asm has_side_effects {{.*}}"wgmma.wait_group.sync.aligned 1;", "~{memory}"
  // CHECK: llvm.inline_asm has_side_effects {{.*}}"wgmma.wait_group.sync.aligned 0;", "=f,=f,=f,=f,0,1,2,3,~{memory}"
  gpu.func @products(%a: !matrix, %b: !matrix, %zero: vector<1x2x2xf32>, %adds: i1) {
    %start = carousel.wgmma.fence(%zero) : vector<1x2x2xf32>
    %next = carousel.wgmma.mma %a, %b, %start scale(%adds) negate_b : !matrix, !matrix, !sums
    carousel.wgmma.commit
    carousel.wgmma.wait 1
    %product = carousel.wgmma.wait 0, %next : !sums
    "test.use"(%product) : (vector<1x2x2xf32>) -> ()
    gpu.return
  }

  // Halves are pairs in registers of 32 bits, and a factor in registers has four of them.
  // CHECK-LABEL: gpu.func @halves
  // CHECK: "wgmma.fence.sync.aligned;", "=r,=r,=r,=r,=r,=r,0,1,2,3,4,5,~{memory}"
  // CHECK: wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 {$0, $1}, {$2, $3, $4, $5}, $6, p, 1, 1, 1; }", "=r,=r,r,r,r,r,l,r,0,1,~{memory}"
  gpu.func @halves(%b: !carousel.matrix_descriptor<f16, mn>, %sums: vector<1x2x2xf16>, %a: vector<4x2xf16>) {
    %0:2 = carousel.wgmma.fence(%sums, %a) : vector<1x2x2xf16>, vector<4x2xf16>
    %1 = carousel.wgmma.mma %0#1, %b, %0#0
        : !carousel.wgmma_registers<vector<4x2xf16>>, !carousel.matrix_descriptor<f16, mn>,
          !carousel.wgmma_registers<vector<1x2x2xf16>>
    gpu.return
  }

  // Each register of f32 is written before the fence, by what no compiler knows.
  // CHECK-LABEL: gpu.func @renewed
  // CHECK: "{ .reg .b32 none; mov.u32 none, %smid; shr.u32 none, none, 20; xor.b32 $0, $0, none; xor.b32 $1, $1, none; xor.b32 $2, $2, none; xor.b32 $3, $3, none; }", "=f,=f,=f,=f,0,1,2,3,~{memory}"
  // CHECK: "wgmma.fence.sync.aligned;", "=f,=f,=f,=f,0,1,2,3,~{memory}"
  gpu.func @renewed(%sums: vector<1x2x2xf32>) {
    %0 = carousel.wgmma.fence renews_sums(%sums) : vector<1x2x2xf32>
    "test.use"(%0) : (!sums) -> ()
    gpu.return
  }

  // The first register is, behind the wait.
  // CHECK-LABEL: gpu.func @renewed_behind
  // CHECK: "wgmma.wait_group.sync.aligned 0;", "=f,=f,=f,=f,0,1,2,3,~{memory}"
  // CHECK: "{ .reg .b32 none; mov.u32 none, %smid; shr.u32 none, none, 20; xor.b32 $0, $0, none; }", "=f,0,~{memory}"
  gpu.func @renewed_behind(%sums: !sums) {
    %0 = carousel.wgmma.wait 0 renews_sums, %sums : !sums
    "test.use"(%0) : (vector<1x2x2xf32>) -> ()
    gpu.return
  }

  // Registers are vectors in loops.
  // CHECK-LABEL: gpu.func @loop
  // CHECK: scf.for {{.*}} iter_args({{.*}}) -> (vector<4xf32>)
  gpu.func @loop(%a: !matrix, %b: !matrix, %zero: vector<1x2x2xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %start = carousel.wgmma.fence(%zero) : vector<1x2x2xf32>
    %end = scf.for %i = %c0 to %n step %c1 iter_args(%s = %start) -> (!sums) {
      %next = carousel.wgmma.mma %a, %b, %s : !matrix, !matrix, !sums
      scf.yield %next : !sums
    }
    "test.use"(%end) : (!sums) -> ()
    gpu.return
  }

  // Bytes of different signs, saturated.
  // CHECK-LABEL: gpu.func @integers
  // CHECK: wgmma.mma_async.sync.aligned.m64n8k32.satfinite.s32.u8.s8 {$0, $1, $2, $3}, $4, $5, p; }"
  gpu.func @integers(%a: !carousel.matrix_descriptor<i8, k>, %sums: !carousel.wgmma_registers<vector<1x2x2xi32>>) {
    %0 = carousel.wgmma.mma %a, %a, %sums unsigned_a saturate
        : !carousel.matrix_descriptor<i8, k>, !carousel.matrix_descriptor<i8, k>,
          !carousel.wgmma_registers<vector<1x2x2xi32>>
    gpu.return
  }
}
