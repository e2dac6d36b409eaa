// Options without a value: an absent one is printed as None, which is read back. A value that stands for none is refused.
// RUN: carousel-opt %s --pass-pipeline='builtin.module(carousel-to-ptx{chip=sm_90a})' --dump-pass-pipeline -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ABSENT
// ABSENT: carousel-attach-target{chip=sm_90a {{.*}}ptx-version=None}
// ABSENT: carousel-select-engine{prefer-engine=None
// ABSENT-NOT: carousel-assign-wait-ids
// ABSENT: carousel-convert-to-nvvm{debug-waits=None
// RUN: carousel-opt %s --pass-pipeline='builtin.module(carousel-to-emitc{chip=sm_90a})' --dump-pass-pipeline -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=EMITC
// EMITC: carousel-convert-to-emitc{debug-waits=None
// RUN: carousel-opt %s --pass-pipeline='builtin.module(carousel-lower{chip=sm_90a ptx-version=86 prefer-engine=cp_async})' \
// RUN:   --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=PRESENT
// PRESENT: carousel-attach-target{chip=sm_90a {{.*}}ptx-version=86}
// PRESENT: carousel-select-engine{prefer-engine=cp_async
// RUN: carousel-opt %s --pass-pipeline='builtin.module(gpu.module(carousel-attach-target{ptx-version=None}))' | FileCheck %s
// CHECK: gpu.module @m [#nvvm.target<{{.*}}features = "+ptx88"

// RUN: not carousel-opt %s --pass-pipeline='builtin.module(carousel-lower{ptx-version=0})' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=PTX
// PTX: error: expected a PTX version of 8.0 to 9.0 for sm_90a, got 0.0
// RUN: not carousel-opt %s --pass-pipeline='builtin.module(carousel-lower{ptx-version=new})' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NUMBER
// NUMBER: ptx-version option: expected a non-negative integer, got 'new'
// RUN: not carousel-opt %s --pass-pipeline='builtin.module(carousel-lower-to-nvvm{debug-waits=-1})' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: debug-waits option: expected a non-negative integer, got '-1'
// RUN: not carousel-opt %s --pass-pipeline='builtin.module(carousel-lower-to-nvvm{debug-waits=0})' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ZERO
// RUN: not carousel-opt %s --pass-pipeline='builtin.module(carousel-lower-to-emitc{debug-waits=0})' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ZERO
// ZERO: error: expected a bound for waits of at least 1 ms, got 0
// RUN: not carousel-opt %s --pass-pipeline='builtin.module(carousel-lower{prefer-engine=warp})' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ENGINE
// ENGINE: prefer-engine option: expected tensor, bulk, cp_async or vector, got 'warp'

gpu.module @m {
  gpu.func @k() kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    gpu.return
  }
}
