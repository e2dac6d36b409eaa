// --variants=first compiles the variant with the best engines only, for each chip; its guards stay, so a launch that they
// don't hold for is refused.
// RUN: rm -rf %t.all %t.first
// RUN: carousel-compile %s -o %t.all --chip sm_80,sm_90a --variants=all --no-cubin 2> %t.err | FileCheck %s --check-prefix=ALL
// RUN: carousel-compile %s -o %t.first --chip sm_80,sm_90a --variants=first --no-cubin 2> %t.err | FileCheck %s --check-prefix=FIRST
// RUN: FileCheck %s --check-prefix=GUARDS --input-file=%t.first/manifest.json
// RUN: grep -c '\.entry' %t.first/kernels_sm_90a.sm_90a.ptx | FileCheck %s --check-prefix=ONE
// RUN: not carousel-compile %s -o %t.first --chip sm_80 --variants=some --no-cubin 2>&1 | FileCheck %s --check-prefix=BAD

//      ALL: copy kernels_sm_90a::copy_tma {{.*}} sm_90a
// ALL-NEXT: copy kernels_sm_90a::copy {{.*}} sm_90a
// ALL-NEXT: copy kernels_sm_80::copy_wide {{.*}} sm_80
// ALL-NEXT: copy kernels_sm_80::copy {{.*}} sm_80

//      FIRST: copy kernels_sm_90a::copy_tma {{.*}} sm_90a
// FIRST-NEXT: copy kernels_sm_80::copy_wide {{.*}} sm_80
//  FIRST-NOT: ::copy

// GUARDS: {"kind":"aligned","argument":0,"bytes":16}
// ONE: 1
// BAD: Cannot find option named 'some'

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
gpu.module @kernels {
  gpu.func @copy(%x: memref<?xf32, #gl> {carousel.argument = #carousel.argument<"x", in>},
                 %y: memref<?xf32, #gl> {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c0 = arith.constant 0 : index
    %t = memref.alloc() : memref<1024xf32, #ws>
    carousel.load %x[%c0] to %t : memref<?xf32, #gl>, memref<1024xf32, #ws>
    carousel.store %t to %y[%c0] : memref<1024xf32, #ws>, memref<?xf32, #gl>
    gpu.return
  }
}
