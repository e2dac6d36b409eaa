// The lowering of cp.async, cache policies and prefetches.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-convert-to-nvvm))' | FileCheck %s

#ws = #gpu.address_space<workgroup>
#gl = #gpu.address_space<global>

gpu.module @sm_80 [#nvvm.target<chip = "sm_80", features = "+ptx88">] {
  // NVVM has the plain copy and the one that fills with zero.
  // CHECK-LABEL: gpu.func @copy
  // CHECK-SAME: %[[VALID:[^:]+]]: i32
  // CHECK: nvvm.cp.async.shared.global %{{.+}}, %{{.+}}, 4, cache = ca : !llvm.ptr<3>, !llvm.ptr<1>
  // CHECK: nvvm.cp.async.shared.global %{{.+}}, %{{.+}}, 16, cache = cg, %[[VALID]] : !llvm.ptr<3>, !llvm.ptr<1>, i32
  gpu.func @copy(%x: memref<?xf32, #gl>, %tile: memref<64xf32, #ws>, %i: index, %valid: i32) {
    carousel.cp_async.copy ca %x[%i] to %tile[%i], 4 : memref<?xf32, #gl>, memref<64xf32, #ws>
    carousel.cp_async.copy cg %x[%i] to %tile[%i], 16 valid %valid
        : memref<?xf32, #gl>, memref<64xf32, #ws>
    gpu.return
  }

  // It lacks the rest.
  // CHECK-LABEL: gpu.func @copy_options
  // CHECK-SAME: %[[VALID:[^:]+]]: i32, %[[IGNORE:[^:]+]]: i1, %[[POLICY:[^:]+]]: i64
  // CHECK: llvm.inline_asm has_side_effects {{.*}}"cp.async.ca.shared.global [$0], [$1], 8, $2;", "l,l,b,~{memory}" %{{.+}}, %{{.+}}, %[[IGNORE]] : (!llvm.ptr<3>, !llvm.ptr<1>, i1) -> ()
  // CHECK: llvm.inline_asm has_side_effects {{.*}}"cp.async.ca.shared.global.L2::64B [$0], [$1], 16;", "l,l,~{memory}" %{{.+}}, %{{.+}} : (!llvm.ptr<3>, !llvm.ptr<1>) -> ()
  // CHECK: llvm.inline_asm has_side_effects {{.*}}"cp.async.cg.shared.global.L2::cache_hint [$0], [$1], 16, $2;", "l,l,l,~{memory}" %{{.+}}, %{{.+}}, %[[POLICY]] :
  // CHECK: llvm.inline_asm has_side_effects {{.*}}"cp.async.cg.shared.global.L2::cache_hint.L2::256B [$0], [$1], 16, $2, $3;", "l,l,r,l,~{memory}" %{{.+}}, %{{.+}}, %[[VALID]], %[[POLICY]] :
  gpu.func @copy_options(%x: memref<?xf32, #gl>, %tile: memref<64xf32, #ws>, %i: index, %valid: i32,
                         %ignore: i1, %policy: i64) {
    carousel.cp_async.copy ca %x[%i] to %tile[%i], 8 ignore %ignore
        : memref<?xf32, #gl>, memref<64xf32, #ws>
    carousel.cp_async.copy ca %x[%i] to %tile[%i], 16 l2_prefetch(64)
        : memref<?xf32, #gl>, memref<64xf32, #ws>
    carousel.cp_async.copy cg %x[%i] to %tile[%i], 16 cache %policy
        : memref<?xf32, #gl>, memref<64xf32, #ws>
    carousel.cp_async.copy cg %x[%i] to %tile[%i], 16 valid %valid l2_prefetch(256) cache %policy
        : memref<?xf32, #gl>, memref<64xf32, #ws>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @groups
  // CHECK: nvvm.cp.async.commit.group
  // CHECK: nvvm.cp.async.wait.group 2
  // CHECK: llvm.call_intrinsic "llvm.nvvm.cp.async.wait.all"() : () -> ()
  gpu.func @groups() {
    carousel.cp_async.commit_group
    carousel.cp_async.wait_group 2
    carousel.cp_async.wait_all
    gpu.return
  }

  // CHECK-LABEL: gpu.func @mbarrier_arrive
  // CHECK: nvvm.cp.async.mbarrier.arrive %{{.+}} {noinc = true} : !llvm.ptr<3>
  // CHECK: nvvm.cp.async.mbarrier.arrive %{{.+}} : !llvm.ptr<3>
  gpu.func @mbarrier_arrive(%full: memref<!carousel.mbarrier, #ws>) {
    carousel.cp_async.mbarrier_arrive %full[] noinc : memref<!carousel.mbarrier, #ws>
    carousel.cp_async.mbarrier_arrive %full[] : memref<!carousel.mbarrier, #ws>
    gpu.return
  }

  // Policies are pure; a fraction is spelled by its bits.
  // CHECK-LABEL: gpu.func @cache_policies
  // CHECK-SAME: %[[PRIMARY:[^:]+]]: i32, %[[TOTAL:[^:]+]]: i32, %[[PROPERTY:[^:]+]]: i64
  // CHECK-NOT: has_side_effects
  // CHECK: llvm.inline_asm {{.*}}"createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 $0, 0f3E800000;", "=l" {{.*}}-> i64
  // CHECK: llvm.inline_asm {{.*}}"createpolicy.fractional.L2::evict_normal.b64 $0;", "=l" {{.*}}-> i64
  // CHECK: llvm.inline_asm {{.*}}"createpolicy.range.global.L2::evict_last.L2::evict_first.b64 $0, [$1], $2, $3;", "=l,l,r,r" %{{.+}}, %[[PRIMARY]], %[[TOTAL]] : (!llvm.ptr<1>, i32, i32) -> i64
  // CHECK: llvm.inline_asm {{.*}}"createpolicy.cvt.L2.b64 $0, $1;", "=l,l" %[[PROPERTY]] : (i64) -> i64
  // CHECK: gpu.return
  gpu.func @cache_policies(%x: memref<?xf32, #gl>, %i: index, %primary: i32, %total: i32,
                           %property: i64) {
    %0 = carousel.cache_policy.fractional evict_last otherwise evict_unchanged fraction(0.25)
    %1 = carousel.cache_policy.fractional evict_normal
    %2 = carousel.cache_policy.range evict_last otherwise evict_first %x[%i], %primary, %total
        : memref<?xf32, #gl>
    %3 = carousel.cache_policy.convert %property
    gpu.return
  }

  // LLVM has prefetches from sm_90 on, PTX always.
  // CHECK-LABEL: gpu.func @prefetch_80
  // CHECK: llvm.inline_asm has_side_effects {{.*}}"prefetch.global.L1 [$0];", "l,~{memory}" %{{.+}} : (!llvm.ptr<1>) -> ()
  // CHECK: llvm.inline_asm has_side_effects {{.*}}"prefetch.global.L2 [$0];"
  // CHECK: llvm.inline_asm has_side_effects {{.*}}"prefetch.global.L2::evict_last [$0];"
  // CHECK: llvm.inline_asm has_side_effects {{.*}}"prefetch.global.L2::evict_normal [$0];"
  // CHECK: %[[GENERIC:.+]] = llvm.addrspacecast %{{.+}} : !llvm.ptr<1> to !llvm.ptr
  // CHECK: llvm.inline_asm has_side_effects {{.*}}"prefetchu.L1 [$0];", "l,~{memory}" %[[GENERIC]] : (!llvm.ptr) -> ()
  gpu.func @prefetch_80(%x: memref<?xf32, #gl>, %i: index) {
    carousel.prefetch l1 %x[%i] : memref<?xf32, #gl>
    carousel.prefetch l2 %x[%i] : memref<?xf32, #gl>
    carousel.prefetch l2_evict_last %x[%i] : memref<?xf32, #gl>
    carousel.prefetch l2_evict_normal %x[%i] : memref<?xf32, #gl>
    carousel.prefetch uniform_l1 %x[%i] : memref<?xf32, #gl>
    gpu.return
  }
}

gpu.module @sm_90 [#nvvm.target<chip = "sm_90a", features = "+ptx88">] {
  // CHECK-LABEL: gpu.func @prefetch
  // CHECK: nvvm.prefetch level = L1, %{{.+}} : !llvm.ptr<1>
  // CHECK: nvvm.prefetch level = L2, %{{.+}} : !llvm.ptr<1>
  // CHECK: nvvm.prefetch level = L2, evict_priority = evict_last, %{{.+}} : !llvm.ptr<1>
  // CHECK: nvvm.prefetch level = L2, evict_priority = evict_normal, %{{.+}} : !llvm.ptr<1>
  // The uniform cache is reached by generic addresses.
  // CHECK: %[[GENERIC:.+]] = llvm.addrspacecast %{{.+}} : !llvm.ptr<1> to !llvm.ptr
  // CHECK: nvvm.prefetch level = L1 uniform, %[[GENERIC]] : !llvm.ptr
  gpu.func @prefetch(%x: memref<?xf32, #gl>, %i: index) {
    carousel.prefetch l1 %x[%i] : memref<?xf32, #gl>
    carousel.prefetch l2 %x[%i] : memref<?xf32, #gl>
    carousel.prefetch l2_evict_last %x[%i] : memref<?xf32, #gl>
    carousel.prefetch l2_evict_normal %x[%i] : memref<?xf32, #gl>
    carousel.prefetch uniform_l1 %x[%i] : memref<?xf32, #gl>
    gpu.return
  }
}
