// The manifest says which arguments are in symmetric buffers, and carousel-run shows it. It passes memory of one GPU, so
// it runs such a kernel only if told so.
// RUN: rm -rf %t.pkg && carousel-compile %s -o %t.pkg --chip sm_90a --emit=ptx --quiet
// RUN: FileCheck %s --input-file=%t.pkg/manifest.json
// CHECK: {"name":"local","kind":"tensor","access":"in","element":"f32","extents":[null],"strides":"contiguous"},
// CHECK: {"name":"inbox","kind":"tensor","access":"in","element":"f32","extents":[null],"strides":"contiguous","sharing":"symmetric"},
// CHECK: {"name":"remote","kind":"tensor","access":"out","element":"f32","extents":[null],"strides":"contiguous","sharing":"peer"}
// CHECK: {"name":"all","kind":"tensor","access":"out","element":"f32","extents":[null],"strides":"contiguous","sharing":"multicast"}

// RUN: carousel-run %t.pkg | FileCheck %s --check-prefix=LIST
// RUN: carousel-run %t.pkg --explain | FileCheck %s --check-prefix=LIST
//      LIST: tensor<?xf32> local (in){{$}}
// LIST-NEXT: tensor<?xf32> inbox (in, symmetric)
// LIST-NEXT: tensor<?xf32> remote (out, peer)
//      LIST: tensor<?xf32> all (out, multicast)
// RUN: carousel-run %t.pkg --json | %python -m json.tool --compact | FileCheck %s --check-prefix=JSON
// JSON: {"name":"remote","kind":"tensor","access":"out","element":"f32","extents":[null],"strides":"contiguous","sharing":"peer"}

// DEFINE: %{run} = env LD_LIBRARY_PATH=%fake_driver_dir XDG_CACHE_HOME=%t.cache carousel-run %t.pkg --kernel put --arg local=iota:64 --arg inbox=iota:64 --arg remote=empty:64
// RUN: not %{run} 2>&1 | FileCheck %s --check-prefix=PLAIN
// PLAIN: carousel-run: error: inbox: expected this rank's part of a symmetric buffer, got memory of one GPU; --plain-symmetric passes that, and programs with peers use SymmetricBuffer
// RUN: %{run} --plain-symmetric | FileCheck %s --check-prefix=RUNS
//    RUNS: put: put, grid 1 x 1 x 1
// RUN: %{run} --explain | FileCheck %s --check-prefix=EXPLAIN
// EXPLAIN: put: chosen

// A multicast address is in the manifest too, and this program has none.
// RUN: not env LD_LIBRARY_PATH=%fake_driver_dir carousel-run %t.pkg --kernel put_all --plain-symmetric --arg tile=iota:64 --arg all=empty:64 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: carousel-run: error: all: expected a multicast address, got memory of one GPU

!v = memref<?xf32, #gpu.address_space<global>>

gpu.module @puts {
  gpu.func @put(%local: !v {carousel.argument = #carousel.argument<"local", in>},
      %inbox: !v {carousel.argument = #carousel.argument<"inbox", in>, carousel.symmetric},
      %remote: !v {carousel.argument = #carousel.argument<"remote", out>, carousel.peer}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %thread = gpu.thread_id x
    %a = memref.load %local[%thread] : !v
    %b = memref.load %inbox[%thread] : !v
    %sum = arith.addf %a, %b : f32
    memref.store %sum, %remote[%thread] : !v
    gpu.return
  }
  gpu.func @put_all(%tile: !v {carousel.argument = #carousel.argument<"tile", in>},
      %all: !v {carousel.argument = #carousel.argument<"all", out>, carousel.multicast}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %thread = gpu.thread_id x
    %a = memref.load %tile[%thread] : !v
    carousel.multimem.store %a to %all[%thread] : f32, !v
    gpu.return
  }
}
