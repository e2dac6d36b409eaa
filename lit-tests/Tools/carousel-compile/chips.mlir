// Several chips and modules: each chip gets the variants that its capability allows, and a module
// without one for a chip gets no image for it. A helper of a variant that is left out goes with it.
// RUN: rm -rf %t.pkg
// RUN: carousel-compile %s -o %t.pkg --chip sm_80,sm_90a --chip=sm_100a --no-cubin > %t.out 2> %t.err
// RUN: FileCheck %s --match-full-lines --strict-whitespace --check-prefix=SUMMARY --input-file=%t.out
// RUN: FileCheck %s --match-full-lines --strict-whitespace --check-prefix=STEPS --input-file=%t.err
// RUN: ls %t.pkg | FileCheck %s --check-prefix=FILES
// RUN: FileCheck %s --check-prefix=OLD --input-file=%t.pkg/kernels.sm_80.ptx
// RUN: FileCheck %s --check-prefix=NEW --input-file=%t.pkg/kernels.sm_90a.ptx
// RUN: not grep k_ampere %t.pkg/manifest.json

//      SUMMARY:kernel  variant           guards  block    shared  chips
// SUMMARY-NEXT:k       hopper::k_hopper  2       128x1x1  0       sm_90a
// SUMMARY-NEXT:k       kernels::k_90     1       64x1x1   128     sm_90a sm_100a
// SUMMARY-NEXT:k       kernels::k_any    0       32x2x1   0       sm_80 sm_90a sm_100a
// SUMMARY-NEXT:all     kernels::all      0       32x1x1   0       sm_80 sm_90a sm_100a
// SUMMARY-EMPTY:
// SUMMARY-NEXT:file                 bytes
// SUMMARY-NEXT:hopper.sm_90a.ptx    {{[0-9]+}}
// SUMMARY-NEXT:kernels.sm_80.ptx    {{[0-9]+}}
// SUMMARY-NEXT:kernels.sm_90a.ptx   {{[0-9]+}}
// SUMMARY-NEXT:kernels.sm_100a.ptx  {{[0-9]+}}
// SUMMARY-NEXT:manifest.json        {{[0-9]+}}
//  SUMMARY-NOT:{{.}}

//      STEPS:[1/4] hopper for sm_90a
// STEPS-NEXT:[2/4] kernels for sm_80
// STEPS-NEXT:[3/4] kernels for sm_90a
// STEPS-NEXT:[4/4] kernels for sm_100a
//  STEPS-NOT:{{.}}

//      FILES: hopper.sm_90a.ptx
// FILES-NEXT: kernels.sm_100a.ptx
// FILES-NEXT: kernels.sm_80.ptx
// FILES-NEXT: kernels.sm_90a.ptx
// FILES-NEXT: manifest.json
//  FILES-NOT: {{.}}

//     OLD: .target sm_80
// OLD-NOT: k_90
//     OLD: .entry k_any(
// OLD-NOT: k_90

// NEW: .target sm_90a
// NEW: .entry k_90(
// NEW: .entry k_any(

gpu.module @hopper {
  gpu.func @k_hopper(%n: i32) kernel
    attributes {carousel.variant = #carousel.variant<kernel = "k", guards = [capability(90, 90), range(scalar(0), 0, 9)]>,
                carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    gpu.return
  }
}
gpu.module @kernels {
  // sm_80 has no such fence.
  func.func private @fence() {
    carousel.fence.mbarrier_init
    return
  }
  gpu.func @k_90(%n: i32) kernel
    attributes {carousel.variant = #carousel.variant<kernel = "k", guards = [capability(90)]>,
                carousel.launch = #carousel.launch<grid = [1], block = [64], shared = 128>} {
    func.call @fence() : () -> ()
    gpu.return
  }
  // For no chip of the list: not in the package.
  gpu.func @k_ampere(%n: i32) kernel
    attributes {carousel.variant = #carousel.variant<kernel = "k", guards = [capability(86, 89)]>,
                carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    gpu.return
  }
  gpu.func @k_any(%n: i32) kernel
    attributes {carousel.variant = #carousel.variant<kernel = "k">,
                carousel.launch = #carousel.launch<grid = [1], block = [32, 2]>} {
    gpu.return
  }
  gpu.func @all() kernel
    attributes {carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
    gpu.return
  }
}
