// The table of decisions, the warnings with their places and ways out, the reasoning as text and JSON, and
// warnings as errors.
// RUN: rm -rf %t && mkdir %t
// RUN: carousel-compile %s -o %t/pkg --chip sm_90a,sm_80 --no-cubin 2> %t/warnings | FileCheck %s --check-prefix=TABLE
// RUN: FileCheck %s --check-prefix=WARN --input-file=%t/warnings

//      TABLE: kernel {{ *}}chip {{ *}}loop {{ *}}ring {{ *}}stages x bytes {{ *}}ahead {{ *}}engine {{ *}}CTAs/SM {{ *}}in flight {{ *}}limit
// TABLE-NEXT: twice {{ *}}sm_90a {{ *}}- {{ *}}none {{ *}}- {{ *}}- {{ *}}- {{ *}}[[#]] ({{[a-z ]+}}) {{ *}}0 {{ *}}-
// TABLE-NEXT: twice {{ *}}sm_80 {{ *}}- {{ *}}none
// TABLE-NEXT: good {{ *}}sm_90a {{ *}}decisions.mlir:[[#GOOD:]] {{ *}}load x {{ *}}4 x 4096 {{ *}}[[#]] {{ *}}bulk {{ *}}[[#]] ({{[a-z ]+}}) {{ *}}[[#]] {{ *}}{{[a-z]+}}
// TABLE-NEXT: good {{ *}}sm_90a {{ *}}decisions.mlir:[[#GOOD]] {{ *}}store y {{ *}}2 x 4096 {{ *}}- {{ *}}bulk
// TABLE-NEXT: good {{ *}}sm_80 {{ *}}decisions.mlir:[[#GOOD]] {{ *}}load x {{ *}}4 x 4096 {{.*}}cp_async
//      TABLE: roles {{ *}}sm_90a {{ *}}decisions.mlir:[[#]] {{ *}}load x {{ *}}3 x 4096

//  WARN-NOT: warning
//      WARN: decisions.mlir:[[#LOAD:]]:7: warning: load of x: not ringed: its tile is loaded twice in the loop [not-ringed:loaded-twice]
// WARN-NEXT: carousel.load %x[%i] to %t
//      WARN: decisions.mlir:[[#LOAD]]:7: note: give each load a buffer of its own; see docs/WhyNotPipelined.md
//      WARN: decisions.mlir:[[#LOAD + 1]]:7: warning: load of x: not ringed: its tile is loaded twice in the loop [not-ringed:loaded-twice]
// WARN-NEXT: carousel.load %x[%c0] to %t
//      WARN: decisions.mlir:[[#]]:5: warning: loop: unified instead of specialized: the block's 48 threads are no whole warps [unified:block-warps]
// WARN-NEXT: scf.for %i = %c0 to %n step %c1024
//      WARN: note: launch a block of whole warps; see docs/WhyNotPipelined.md
//  WARN-NOT: warning

// The package is written, and has the record.
// RUN: FileCheck %s --check-prefix=MANIFEST --input-file=%t/pkg/manifest.json
//      MANIFEST: "id":"not-ringed:loaded-twice"
//      MANIFEST: "function": "good
//      MANIFEST: "decisions": {
// MANIFEST-NEXT:   "occupancies": [
// MANIFEST-NEXT:     {{{.*}}"bytes_in_flight":{{[0-9]+}},"chip":"sm_90a","ctas_per_sm":{{[0-9]+}},"limit":"{{[a-z ]+}}","registers":null,"shared":{{[0-9]+}},"threads":128}
//      MANIFEST:   "rings": [
// MANIFEST-NEXT:     {"engines":["bulk"],"is_load":true,"loop":"decisions.mlir:[[#]]:5","memrefs":["x"],"mode":"unified",

// RUN: carousel-compile %s -o %t/pkg --chip sm_90a --no-cubin --explain 2> %t/err | FileCheck %s --check-prefix=EXPLAIN
//      EXPLAIN: twice, kernels_sm_90a::twice
//      EXPLAIN:   load of x at decisions.mlir:[[#]]:7: not ringed: its tile is loaded twice in the loop [not-ringed:loaded-twice]
//      EXPLAIN: good, kernels_sm_90a::good
// EXPLAIN-NEXT:   on sm_90a: {{[0-9]+}} CTAs per SM by {{.*}} (by shared memory {{[0-9]+}}, by threads 16, by registers unknown); a CTA has 128 threads, {{[0-9]+}} bytes of shared memory, registers unknown; {{[0-9]+}} bytes in flight per SM
// EXPLAIN-NEXT:   loop decisions.mlir:[[#]]:5: unified, a ring per cta
// EXPLAIN-NEXT:     load x: 4 stages of 4096 bytes by bulk, {{[0-9]}} iterations ahead, released by cta_barrier
//      EXPLAIN:       predicted: {{.*}} CTAs per SM
//      EXPLAIN:   load of x at decisions.mlir:[[#]]:7: 4096 bytes by bulk, 1 instructions, cost
//      EXPLAIN:     not tensor: {{.+}}
//  EXPLAIN-NOT: file {{ *}}bytes

// RUN: carousel-compile %s -o %t/pkg --chip sm_90a --no-cubin --explain=json --quiet > %t/json 2> %t/err
// RUN: %python %S/Inputs/check_decisions.py %t/json
// RUN: count 0 < %t/err

// Errors, and no package.
// RUN: not carousel-compile %s -o %t/none --chip sm_90a --no-cubin --werror=pipeline 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not carousel-compile %s -o %t/none --chip sm_90a --no-cubin --werror=pipeline --quiet 2>&1 | FileCheck %s --check-prefix=ERROR
// ERROR: decisions.mlir:{{.*}}: error: load of x: not ringed: its tile is loaded twice in the loop [not-ringed:loaded-twice]
// ERROR: error: loop: unified instead of specialized
// RUN: not test -e %t/none
// RUN: carousel-compile %s -o %t/pkg --chip sm_90a --no-cubin --quiet 2>&1 | count 0

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
gpu.module @kernels {
  gpu.func @twice(%x: memref<?xf32, #gl> {carousel.argument = #carousel.argument<"x", in>},
                  %n: index {carousel.argument = #carousel.argument<"n", in>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c1024 = arith.constant 1024 : index
    %t = memref.alloc() : memref<1024xf32, #ws>
    scf.for %i = %c0 to %n step %c1024 {
      carousel.load %x[%i] to %t : memref<?xf32, #gl>, memref<1024xf32, #ws>
      carousel.load %x[%c0] to %t : memref<?xf32, #gl>, memref<1024xf32, #ws>
    } {carousel.pipeline = #carousel.pipeline<stages = 3>}
    gpu.return
  }
  gpu.func @good(%x: memref<?xf32, #gl> {carousel.argument = #carousel.argument<"x", in>},
                 %y: memref<?xf32, #gl> {carousel.argument = #carousel.argument<"y", out>},
                 %n: index {carousel.argument = #carousel.argument<"n", in>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %c1024 = arith.constant 1024 : index
    %t = gpu.thread_id x
    %in = memref.alloc() : memref<1024xf32, #ws>
    %out = memref.alloc() : memref<1024xf32, #ws>
    scf.for %i = %c0 to %n step %c1024 {
      carousel.load %x[%i] to %in : memref<?xf32, #gl>, memref<1024xf32, #ws>
      scf.for %j = %t to %c1024 step %c128 {
        %v = memref.load %in[%j] : memref<1024xf32, #ws>
        memref.store %v, %out[%j] : memref<1024xf32, #ws>
      }
      carousel.store %out to %y[%i] : memref<1024xf32, #ws>, memref<?xf32, #gl>
    } {carousel.pipeline = #carousel.pipeline<stages = 4>}
    gpu.return
  }
  gpu.func @roles(%x: memref<?xf32, #gl> {carousel.argument = #carousel.argument<"x", in>},
                  %n: index {carousel.argument = #carousel.argument<"n", in>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [48]>} {
    %c0 = arith.constant 0 : index
    %c1024 = arith.constant 1024 : index
    %in = memref.alloc() : memref<1024xf32, #ws>
    scf.for %i = %c0 to %n step %c1024 {
      carousel.load %x[%i] to %in : memref<?xf32, #gl>, memref<1024xf32, #ws>
    } {carousel.pipeline = #carousel.pipeline<stages = 3, mode = specialized>}
    gpu.return
  }
}
