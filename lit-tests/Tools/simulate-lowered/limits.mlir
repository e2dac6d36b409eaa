// scripts/simulate-lowered runs with the limits of the chip: this is more shared memory than sm_80 has, and not more than sm_90a.
// DEFINE: %{lowered} = env CAROUSEL_BUILD_DIR=%binary_root %python %source_root/scripts/simulate-lowered %s --pipeline='builtin.module(canonicalize)'
// DEFINE: %{status} = %python %S/../carousel-run/Inputs/status.py
// RUN: %{lowered} --chip sm_90a -- --kernel @much | FileCheck %s
// CHECK: sm_90a: carousel-sim: much: 1 schedule clean
// RUN: %{status} 1 %{lowered} --chip sm_80 -- --kernel @much | FileCheck %s --check-prefix=MUCH
// MUCH: sm_80: @much failed
// MUCH-NEXT: finding: [shared-memory-limit]

gpu.module @limits {
  gpu.func @much() kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [32], shared = 200000>} {
    gpu.return
  }
}
