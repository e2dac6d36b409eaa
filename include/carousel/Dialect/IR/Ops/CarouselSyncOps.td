//===- CarouselSyncOps.td - barriers, clusters, grid ---------*- tablegen -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops that order threads: warp election, named barriers, cluster barriers, register reallocation,
// dependent grids, and turns of the CTAs in a grid.
// PTX ISA: Parallel Synchronization and Communication Instructions.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_IR_CAROUSELSYNCOPS_TD
#define CAROUSEL_DIALECT_IR_CAROUSELSYNCOPS_TD

include "carousel/Dialect/IR/CarouselOpBase.td"
include "carousel/Dialect/IR/Attrs/CarouselWaitAttrs.td"

//===----------------------------------------------------------------------===//
// Threads of a CTA
//===----------------------------------------------------------------------===//

def Carousel_ElectOp : Carousel_FixedOp<"elect", 90, 80, [ChangesThreads]> {
  let summary = "elect one thread of a warp";
  let description = [{
    The result is true in one thread and false in the others. The threads of the mask execute the op
    together. Without a mask all 32 threads of the warp do.

    Example:

    ```mlir
    %elected = carousel.elect
    ```

    PTX ISA: elect.sync.
  }];
  let arguments = (ins Optional<I32>:$mask);
  let results = (outs I1:$elected);
  let assemblyFormat = "(`mask` $mask^)? attr-dict";
}

def Carousel_BarrierSyncOp : Carousel_FixedOp<"barrier.sync", 80, 70,
    [OrdersMemoryAndBarriers, ChangesThreads]> {
  let summary = "arrive at one of the CTA's 16 named barriers and wait for it";
  let description = [{
    The barrier completes when `threads` threads have arrived, or all threads of the CTA if
    `threads` isn't given. Afterwards each of them sees what the others did before the barrier. All
    threads of a warp execute the op together, unless it is `unaligned`.

    Constraints: the id is 0 to 15 (C86). `threads` is a positive multiple of 32, at most 1024
    (C87).

    Example:

    ```mlir
    carousel.barrier.sync 1 threads(128)
    ```

    PTX ISA: barrier.sync.
  }];
  let arguments = (ins Optional<I32>:$id, Carousel_I32Literal:$static_id,
    OptionalAttr<I32Attr>:$threads, UnitAttr:$unaligned);
  let assemblyFormat = [{
    custom<I32>($id, $static_id) (`threads` `(` $threads^ `)`)? (`unaligned` $unaligned^)? attr-dict
  }];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def Carousel_BarrierArriveOp : Carousel_FixedOp<"barrier.arrive", 80, 70,
    [OrdersMemoryAndBarriers, ChangesThreads]> {
  let summary = "arrive at a named barrier without waiting";
  let description = [{
    `threads` counts the threads that arrive together with those that wait in `barrier.sync`. All
    threads of a warp execute the op together, unless it is `unaligned`.

    Constraints: the id is 0 to 15 (C86). `threads` is a positive multiple of 32, at most 1024
    (C87).

    Example:

    ```mlir
    carousel.barrier.arrive 1 threads(128)
    ```

    PTX ISA: barrier.arrive.
  }];
  let arguments = (ins Optional<I32>:$id, Carousel_I32Literal:$static_id, I32Attr:$threads,
    UnitAttr:$unaligned);
  let assemblyFormat = [{
    custom<I32>($id, $static_id) `threads` `(` $threads `)` (`unaligned` $unaligned^)? attr-dict
  }];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def Carousel_BarrierWarpOp : Carousel_FixedOp<"barrier.warp", 80, 70,
    [OrdersMemoryAndBarriers, ChangesThreads]> {
  let summary = "synchronise the threads of a warp and order their memory accesses";
  let description = [{
    The threads of the mask take part. Without a mask all 32 threads of the warp do.

    Example:

    ```mlir
    carousel.barrier.warp
    ```

    PTX ISA: bar.warp.sync.
  }];
  let arguments = (ins Optional<I32>:$mask);
  let assemblyFormat = "(`mask` $mask^)? attr-dict";
}

def Carousel_SetMaxRegistersOp : Carousel_Op<"set_max_registers", [ChangesThreads]> {
  let summary = "change the number of registers of this warpgroup's threads";
  let description = [{
    `dec` releases registers. `inc` blocks until enough registers are free. All warps of a warpgroup
    execute the op. The kernel must give the initial number of registers (`nvvm.maxnreg`), because
    ptxas otherwise ignores the change.

    Constraints: 24 to 256 registers in steps of 8 (C88).

    Example:

    ```mlir
    carousel.set_max_registers dec 40
    ```

    PTX ISA: setmaxnreg.
  }];
  let arguments = (ins Carousel_RegisterChangeAttr:$change, I32Attr:$registers);
  let assemblyFormat = "custom<Keyword>($change) $registers attr-dict";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Clusters
//===----------------------------------------------------------------------===//

class Carousel_ClusterRegisterOp<string mnemonic> : Carousel_FixedOp<"cluster." # mnemonic, 90, 78,
    [Pure]> {
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict";
}

def Carousel_ClusterRankOp : Carousel_ClusterRegisterOp<"rank"> {
  let summary = "get the rank of this CTA in its cluster";
  let description = [{
    The rank is 0 to `cluster.size` - 1.

    Example:

    ```mlir
    %rank = carousel.cluster.rank
    ```

    PTX ISA: %cluster_ctarank.
  }];
}

def Carousel_ClusterSizeOp : Carousel_ClusterRegisterOp<"size"> {
  let summary = "get the number of CTAs in the cluster";
  let description = [{
    The number is the product of the cluster's dimensions.

    Example:

    ```mlir
    %size = carousel.cluster.size
    ```

    PTX ISA: %cluster_nctarank.
  }];
}

def Carousel_ClusterMapSharedOp : Carousel_FixedOp<"cluster.map_shared", 90, 78, [Pure]> {
  let summary = "get the same buffer in the shared memory of another CTA of the cluster";
  let description = [{
    `rank` is that CTA's rank in the cluster. The op computes an address, and accesses no memory.

    Constraints: the result has the source's shape, layout and elements (C89).

    Example:

    ```mlir
    %peer = carousel.cluster.map_shared %tile, %rank
        : memref<1024xf32, #gpu.address_space<workgroup>>
          to memref<1024xf32, #nvvm.memory_space<shared_cluster>>
    ```

    PTX ISA: mapa.
  }];
  let arguments = (ins Carousel_MemRef<[Carousel_IsShared],
      "memref in the CTA's shared memory">:$source,
    I32:$rank);
  let results = (outs Carousel_MemRef<[Carousel_IsCluster],
    "memref in the cluster's shared memory window">:$result);
  let assemblyFormat = "$source `,` $rank attr-dict `:` type($source) `to` type($result)";
  let hasVerifier = 1;
}

def Carousel_ClusterRankOfOp : Carousel_FixedOp<"cluster.rank_of", 90, 78, [Pure]> {
  let summary = "get the rank of the CTA whose shared memory holds a buffer";
  let description = [{
    The op reads an address, and accesses no memory.

    Example:

    ```mlir
    %rank = carousel.cluster.rank_of %peer : memref<1024xf32, #nvvm.memory_space<shared_cluster>>
    ```

    PTX ISA: getctarank.
  }];
  let arguments = (ins Carousel_MemRef<[Or<[Carousel_IsShared, Carousel_IsCluster]>],
    "memref in the CTA's or the cluster's shared memory">:$source);
  let results = (outs I32:$rank);
  let assemblyFormat = "$source attr-dict `:` type($source)";
}

def Carousel_ClusterGatherOp : Carousel_FixedOp<"cluster.gather", 90, 81,
    [OrdersMemoryAndBarriers, ChangesThreads]> {
  let summary = "get a value from each CTA of the cluster";
  let description = [{
    All threads of all CTAs of the cluster execute the op, outside of branches and nested loops. In
    a loop, all CTAs execute as many iterations. `value` is the same in all threads of a CTA.
    Element `i` of the result is the value of the CTA with rank `i`. The cluster has as many CTAs as
    the result has elements.

    The op belongs to the block and the tile phase. It orders no memory. At the block phase, a
    program with it is one of a CTA, and not of the cluster. `--carousel-lower-gathers` makes stores
    to the peers' shared memory of it, which complete on an mbarrier there: a CTA waits for values,
    and not for the threads of its peers.

    Constraints: the value is an i32, i64, f32 or f64. The result is a vector of 2 to 8 of these
    (C213). No branch or nested loop contains the op (C214).

    Example:

    ```mlir
    %sums = carousel.cluster.gather %sum : f32 -> vector<4xf32>
    ```

    PTX ISA: st.async, mapa, mbarrier.
  }];
  let arguments = (ins AnyType:$value);
  let results = (outs AnyVectorOfNonZeroRank:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def Carousel_ClusterArriveOp : Carousel_Op<"cluster.arrive",
    [OrdersMemoryAndBarriers, ChangesThreads]> {
  let summary = "arrive at the cluster's barrier without waiting";
  let description = [{
    The semantics are `release` (the default) or `relaxed`. All threads of a warp execute the op
    together, unless it is `unaligned`.

    Constraints: the semantics are release or relaxed (C2).

    Example:

    ```mlir
    carousel.cluster.arrive semantics(relaxed)
    ```

    PTX ISA: barrier.cluster.arrive.
  }];
  let arguments = (ins
    DefaultValuedAttr<Carousel_ArriveSemanticsAttr, "::carousel::MemSemantics::Release">:$semantics,
    UnitAttr:$unaligned);
  let assemblyFormat =
      "(`semantics` `(` custom<Keyword>($semantics)^ `)`)? (`unaligned` $unaligned^)? attr-dict";
}

def Carousel_ClusterWaitOp : Carousel_FixedOp<"cluster.wait", 90, 78,
    [OrdersMemoryAndBarriers, ChangesThreads]> {
  let summary = "wait until all threads of the cluster have arrived at its barrier";
  let description = [{
    The op has acquire semantics. All threads of a warp execute it together, unless it is
    `unaligned`.

    Example:

    ```mlir
    carousel.cluster.wait
    ```

    PTX ISA: barrier.cluster.wait.
  }];
  let arguments = (ins UnitAttr:$unaligned);
  let assemblyFormat = "(`unaligned` $unaligned^)? attr-dict";
}

//===----------------------------------------------------------------------===//
// Grids
//===----------------------------------------------------------------------===//

def Carousel_GridLaunchDependentsOp : Carousel_FixedOp<"grid.launch_dependents", 90, 78,
    [ChangesThreads]> {
  let summary = "let the grids that depend on this one start";
  let description = [{
    The dependent grids may start when each CTA of this grid has executed the op or has ended. The
    op orders no memory accesses: the dependent grids execute `grid.dependency_wait`.

    Example:

    ```mlir
    carousel.grid.launch_dependents
    ```

    PTX ISA: griddepcontrol.launch_dependents.
  }];
  let assemblyFormat = "attr-dict";
}

def Carousel_GridDependencyWaitOp : Carousel_FixedOp<"grid.dependency_wait", 90, 78,
    [OrdersGlobal, ChangesThreads]> {
  let summary = "wait until the grids that this one depends on have ended";
  let description = [{
    Afterwards this thread sees all their writes to global memory.

    Example:

    ```mlir
    carousel.grid.dependency_wait
    ```

    PTX ISA: griddepcontrol.wait.
  }];
  let assemblyFormat = "attr-dict";
}

class Carousel_GridSerialOp<string mnemonic, list<Trait> traits = [], dag label = (ins),
                            string labelFormat = "">
    : Carousel_FixedOp<"grid." # mnemonic, 80, 70,
                       !listconcat([OrdersMemory, ChangesThreads], traits)> {
  let arguments = !con((ins
    Arg<Carousel_GlobalMemRef, "semaphores", [MemRead<GlobalMemory>,
        MemWrite<GlobalMemory>]>:$semaphores,
    Variadic<Index>:$indices, I32:$turn), label);
  let assemblyFormat = "$semaphores `[` $indices `]` `,` $turn" # labelFormat
    # " attr-dict `:` type($semaphores)";
  let hasVerifier = 1;
}

def Carousel_GridSerialWaitOp : Carousel_GridSerialOp<"serial_wait",
    [Carousel_LabelledWaitOpInterface],
    (ins OptionalAttr<Carousel_WaitLabelAttr>:$label), "(`label` `` $label^)?"> {
  let summary = "block until a semaphore in global memory holds `turn`";
  let description = [{
    One thread of the CTA executes it. A CTA barrier after it makes what this thread acquired
    visible to the other threads.

    The op has acquire semantics at gpu scope, for accesses through the generic proxy. An async copy
    that reads what earlier CTAs wrote needs a `fence.proxy` after this op. The label names the
    semaphore in reports of a wait that doesn't end.

    Constraints: the semaphores are i32 (C90).

    Example:

    ```mlir
    carousel.grid.serial_wait %semaphores[%segment], %position
        : memref<?xi32, #gpu.address_space<global>>
    ```

    PTX ISA: ld.acquire.
  }];
  let extraClassDeclaration = [{
    ::mlir::TypedValue<::mlir::MemRefType> getAwaited() { return getSemaphores(); }
    ::carousel::WaitPhase getPhase() { return ::carousel::WaitPhase::Turn; }
  }];
}

def Carousel_GridSerialReleaseOp : Carousel_GridSerialOp<"serial_release"> {
  let summary = "set a semaphore in global memory to `turn`";
  let description = [{
    One thread of the CTA executes it, after a CTA barrier.

    The op has release semantics at gpu scope, for accesses through the generic proxy. Bulk writes
    must have completed before it, by a `bulk.wait_group complete` of the thread that committed
    them.

    Constraints: the semaphores are i32 (C90).

    Example:

    ```mlir
    carousel.grid.serial_release %semaphores[%segment], %next
        : memref<?xi32, #gpu.address_space<global>>
    ```

    PTX ISA: st.release.
  }];
}

#endif // CAROUSEL_DIALECT_IR_CAROUSELSYNCOPS_TD
