// Places, sizes, alignments and lifetimes of shared allocations. What is inserted between buffers
// that share bytes is in allocate-shared-reuse.mlir.
// RUN: carousel-opt %s --carousel-allocate-shared --carousel-verify-chip --carousel-verify-machine \
// RUN:   | FileCheck %s --implicit-check-not=memref.alloc --implicit-check-not=memref.dealloc
// RUN: carousel-opt %s --carousel-allocate-shared --canonicalize -o %t.once
// RUN: carousel-opt %t.once --carousel-allocate-shared --canonicalize | diff %t.once -
// RUN: carousel-opt %s --carousel-allocate-shared=report -o /dev/null 2>&1 | FileCheck %s --check-prefix=REPORT
// RUN: carousel-opt %s --carousel-allocate-shared --remarks-filter='.*' --remark-format=emitRemark -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK
// RUN: carousel-opt %s --carousel-allocate-shared --carousel-lower-to-nvvm -o /dev/null

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>
!x = memref<?xf32, #gl>
!map = !carousel.tensor_map<8x32xf32, swizzle = b128>

// CHECK-LABEL: gpu.module @kernels
gpu.module @kernels [#nvvm.target<chip = "sm_90a">] {
  // The largest first, each at a multiple of what its uses need.
  // CHECK-LABEL: gpu.func @alignments
  // CHECK-SAME: shared = 5192>
  // CHECK: %[[BYTES:.*]] = gpu.dynamic_shared_memory : memref<?xi8, #[[WS:.*]]>
  // CHECK: %[[C5184:.*]] = arith.constant 5184 : index
  // CHECK: %[[FULL:.*]] = memref.view %[[BYTES]][%[[C5184]]][] : memref<?xi8, #[[WS]]> to memref<!carousel.mbarrier, #[[WS]]>
  // CHECK: %[[C5120:.*]] = arith.constant 5120 : index
  // CHECK: memref.view %[[BYTES]][%[[C5120]]][] : {{.*}} to memref<16xf32, #[[WS]]>
  // CHECK: %[[C0:.*]] = arith.constant 0 : index
  // CHECK: %[[TILE:.*]] = memref.view %[[BYTES]][%[[C0]]][] : {{.*}} to memref<4x8x32xf32, #[[WS]]>
  // CHECK: %[[C4096:.*]] = arith.constant 4096 : index
  // CHECK: memref.view %[[BYTES]][%[[C4096]]][] : {{.*}} to memref<256xf32, #[[WS]]>
  // CHECK: carousel.tensor.load {{.*}} to %[[TILE]]{{.*}} signals %[[FULL]]
  // REPORT: shared memory of @alignments on sm_90a: 5192 of 232448 bytes, 0 saved by reuse
  // REPORT-NEXT: offset    bytes  align    lives  buffer
  // REPORT-NEXT: 0     4096   1024 {{ *}}[[LIVES:[0-9]+-[0-9]+]]  allocate-shared.mlir:{{[0-9]+:[0-9]+$}}
  // REPORT-NEXT: 4096     1024    512
  // REPORT-NEXT: 5120       64     16 {{ *}}[[LIVES]] 
  // REPORT-NEXT: 5184        8     16      all
  // REMARK: remark: {{.*}}shares none of its 8 bytes: it holds barriers
  // REMARK: remark: {{.*}}4096 bytes at 0, aligned to 1024
  // REMARK: remark: {{.*}}4 buffers in 5192 bytes of dynamic shared memory, 0 saved by reuse, 5192 of 232448 bytes of sm_90a taken
  gpu.func @alignments(%src: !map, %c: i32, %slot: index) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %full = memref.alloc() : memref<!carousel.mbarrier, #ws>
    %small = memref.alloc() : memref<16xf32, #ws>
    %tile = memref.alloc() : memref<4x8x32xf32, #ws>
    %asked = memref.alloc() {alignment = 512 : i64} : memref<256xf32, #ws>
    %true = arith.constant true
    scf.if %true {
      carousel.tensor.load %src[%c, %c] to %tile[%slot, %c0, %c0] signals %full[]
          : !map, memref<4x8x32xf32, #ws>, memref<!carousel.mbarrier, #ws>
      memref.store %zero, %small[%c0] : memref<16xf32, #ws>
      memref.store %zero, %asked[%c0] : memref<256xf32, #ws>
    }
    gpu.return
  }

  // What the launch and views have already stays below.
  // CHECK-LABEL: gpu.func @in_use(
  // CHECK-SAME: workgroup(%{{.*}} : memref<32xf32, #[[WS]]>)
  // CHECK-SAME: shared = 1152>
  // CHECK: %[[BYTES:.*]] = gpu.dynamic_shared_memory
  // CHECK-NOT: gpu.dynamic_shared_memory
  // CHECK: %[[C1024:.*]] = arith.constant 1024 : index
  // CHECK: memref.view %[[BYTES]][%[[C1024]]][] : {{.*}} to memref<32xf32, #[[WS]]>
  // REPORT: shared memory of @in_use on sm_90a: 2176 of
  // REPORT: -     1024      -      all  static, padded
  // REPORT: 0     1000      -      all  dynamic, in use before
  // REPORT: 1024      128    512
  gpu.func @in_use() workgroup(%static: memref<32xf32, #ws>) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [128], shared = 1000>} {
    %c0 = arith.constant 0 : index
    %new = memref.alloc() {alignment = 512} : memref<32xf32, #ws>
    %bytes = gpu.dynamic_shared_memory : memref<?xi8, #ws>
    %old = memref.view %bytes[%c0][] : memref<?xi8, #ws> to memref<32xf32, #ws>
    %v = memref.load %old[%c0] : memref<32xf32, #ws>
    memref.store %v, %new[%c0] : memref<32xf32, #ws>
    gpu.return
  }

  // Without a launch, views say what is in use, and only the remark says what there has to be.
  // CHECK-LABEL: gpu.func @no_launch() kernel {
  // CHECK: arith.constant 128 : index
  // REMARK: remark: {{.*}}1 buffers in 256 bytes {{.*}}there is no carousel.launch to say so
  gpu.func @no_launch() kernel {
    %c0 = arith.constant 0 : index
    %bytes = gpu.dynamic_shared_memory : memref<?xi8, #ws>
    %old = memref.view %bytes[%c0][] : memref<?xi8, #ws> to memref<32xf32, #ws>
    %new = memref.alloc() : memref<32xf32, #ws>
    %v = memref.load %old[%c0] : memref<32xf32, #ws>
    memref.store %v, %new[%c0] : memref<32xf32, #ws>
    memref.dealloc %new : memref<32xf32, #ws>
    gpu.return
  }

  // Rows of 33 elements; the last one has no gap behind it. Other spellings of the space.
  // CHECK-LABEL: gpu.func @layouts
  // CHECK-SAME: shared = 4352>
  // CHECK: %[[VIEW:.*]] = memref.view {{.*}} to memref<1055xf32, #[[WS]]>
  // CHECK: %[[PADDED:.*]] = memref.reinterpret_cast %[[VIEW]] to offset: [0], sizes: [32, 32], strides: [33, 1]
  // CHECK: %[[THREE:.*]] = memref.memory_space_cast {{.*}} to memref<32xf32, 3>
  // CHECK: memref.store %{{.*}}, %[[PADDED]]
  // CHECK: memref.store %{{.*}}, %[[THREE]]
  gpu.func @layouts() kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %padded = memref.alloc() : memref<32x32xf32, strided<[33, 1]>, #ws>
    %three = memref.alloc() : memref<32xf32, 3>
    %true = arith.constant true
    scf.if %true {
      memref.store %zero, %padded[%c0, %c0] : memref<32x32xf32, strided<[33, 1]>, #ws>
      memref.store %zero, %three[%c0] : memref<32xf32, 3>
    }
    gpu.return
  }

  // Views, casts, and what loops carry, belong to the buffer's life: all three live at the loop.
  // CHECK-LABEL: gpu.func @aliases
  // CHECK-SAME: shared = 384>
  gpu.func @aliases(%n: index) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %a = memref.alloc() : memref<32xf32, #ws>
    %b = memref.alloc() : memref<32xf32, #ws>
    %c = memref.alloc() : memref<32xf32, #ws>
    %part = memref.subview %a[16] [16] [1]
        : memref<32xf32, #ws> to memref<16xf32, strided<[1], offset: 16>, #ws>
    memref.store %zero, %a[%c0] : memref<32xf32, #ws>
    %last:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %b, %q = %c)
        -> (memref<32xf32, #ws>, memref<32xf32, #ws>) {
      memref.store %zero, %p[%c0] : memref<32xf32, #ws>
      scf.yield %q, %p : memref<32xf32, #ws>, memref<32xf32, #ws>
    }
    gpu.barrier
    %v = memref.load %part[%c0] : memref<16xf32, strided<[1], offset: 16>, #ws>
    memref.dealloc %last#0 : memref<32xf32, #ws>
    memref.store %v, %last#1[%c0] : memref<32xf32, #ws>
    memref.dealloc %last#1 : memref<32xf32, #ws>
    gpu.return
  }

  // A load is in flight until its barrier was waited for: %b begins too early.
  // CHECK-LABEL: gpu.func @load_in_flight
  // CHECK-SAME: shared = 256>
  gpu.func @load_in_flight(%x: !x) workgroup(%full: memref<!carousel.mbarrier, #ws> {llvm.align = 8 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [128]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %false = arith.constant false
    %a = memref.alloc() : memref<32xf32, #ws>
    %b = memref.alloc() : memref<32xf32, #ws>
    carousel.bulk.load %x[%c0] to %a[%c0], 128 signals %full[]
        : !x, memref<32xf32, #ws>, memref<!carousel.mbarrier, #ws>
    gpu.barrier
    memref.store %zero, %b[%c0] : memref<32xf32, #ws>
    carousel.mbarrier.wait %full[] parity %false : memref<!carousel.mbarrier, #ws>
    gpu.return
  }

  func.func private @callee(memref<32xf32, #ws>)

  // What the cluster reaches, and what is used in ways that aren't followed, stays for the kernel.
  // CHECK-LABEL: gpu.func @kept
  // CHECK-SAME: shared = 512>
  // REMARK: remark: {{.*}}shares none of its 128 bytes: 'carousel.cluster.map_shared' uses it in a way that isn't followed
  // REMARK: remark: {{.*}}shares none of its 128 bytes: 'func.call' uses it
  // REMARK: remark: {{.*}}shares none of its 128 bytes: 'carousel.bulk.load' uses it
  gpu.func @kept(%x: !x, %peer: i32, %mask: i16)
      workgroup(%full: memref<!carousel.mbarrier, #ws> {llvm.align = 8 : i64}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [2], block = [128], cluster = [2]>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %a = memref.alloc() : memref<32xf32, #ws>
    %b = memref.alloc() : memref<32xf32, #ws>
    %c = memref.alloc() : memref<32xf32, #ws>
    %d = memref.alloc() : memref<32xf32, #ws>
    %remote = carousel.cluster.map_shared %a, %peer
        : memref<32xf32, #ws> to memref<32xf32, #nvvm.memory_space<shared_cluster>>
    func.call @callee(%b) : (memref<32xf32, #ws>) -> ()
    carousel.bulk.load %x[%c0] to %c[%c0], 128 signals %full[] multicast %mask
        : !x, memref<32xf32, #ws>, memref<!carousel.mbarrier, #ws>
    gpu.barrier
    memref.store %zero, %d[%c0] : memref<32xf32, #ws>
    gpu.return
  }
}
