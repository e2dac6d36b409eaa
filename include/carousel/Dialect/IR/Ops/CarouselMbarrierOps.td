//===- CarouselMbarrierOps.td - mbarrier.* -----------------*- tablegen -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One op per mbarrier instruction, and the blocking wait.
// PTX ISA: Parallel Synchronization and Communication Instructions: mbarrier.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_IR_CAROUSELMBARRIEROPS_TD
#define CAROUSEL_DIALECT_IR_CAROUSELMBARRIEROPS_TD

include "carousel/Dialect/IR/CarouselOpBase.td"
include "carousel/Dialect/IR/Attrs/CarouselWaitAttrs.td"

//===----------------------------------------------------------------------===//
// Initialisation
//===----------------------------------------------------------------------===//

def Carousel_MbarrierInitOp : Carousel_FixedOp<"mbarrier.init", 80, 70,
    [AttrSizedOperandSegments]> {
  let summary = "initialise an mbarrier that expects `count` arrivals per phase";
  let description = [{
    Phase 0 begins with `count` pending arrivals and no pending transaction bytes. One thread
    initialises a barrier. Other threads and the async proxy see it after this thread has executed
    `fence.mbarrier_init` (or `fence.proxy`) and all have passed a CTA or cluster barrier.

    Constraints: the count is 1 to 2^20-1 (C31).

    Example:

    ```mlir
    carousel.mbarrier.init %full[%slot], 1
        : memref<4x!carousel.mbarrier, #gpu.address_space<workgroup>>
    ```

    PTX ISA: mbarrier.init.
  }];
  let arguments = (ins
    Arg<Carousel_MbarrierMemRef, "the barriers", [MemWrite<Barriers>]>:$barriers,
    Variadic<Index>:$indices, Optional<I32>:$count, Carousel_I32Literal:$static_count);
  let assemblyFormat = [{
    $barriers `[` $indices `]` `,` custom<I32>($count, $static_count) attr-dict
    `:` type($barriers)
  }];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def Carousel_MbarrierInvalOp : Carousel_FixedOp<"mbarrier.inval", 80, 70> {
  let summary = "invalidate an mbarrier";
  let description = [{
    Afterwards the memory may be used for other data, or for another `mbarrier.init`. No arrive,
    wait or copy on the barrier may be outstanding.

    Example:

    ```mlir
    carousel.mbarrier.inval %full[%slot]
        : memref<4x!carousel.mbarrier, #gpu.address_space<workgroup>>
    ```

    PTX ISA: mbarrier.inval.
  }];
  let arguments = (ins
    Arg<Carousel_MbarrierMemRef, "the barriers", [MemWrite<Barriers>]>:$barriers,
    Variadic<Index>:$indices);
  let assemblyFormat = "$barriers `[` $indices `]` attr-dict `:` type($barriers)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Transactions
//===----------------------------------------------------------------------===//

class Carousel_MbarrierTxOp<string mnemonic>
    : Carousel_FixedOp<"mbarrier." # mnemonic, 90, 80, [AttrSizedOperandSegments]> {
  let arguments = (ins
    Arg<Carousel_AnyMbarrierMemRef, "the barriers", [MemRead<Barriers>,
        MemWrite<Barriers>]>:$barriers,
    Variadic<Index>:$indices, Optional<I32>:$bytes, Carousel_I32Literal:$static_bytes,
    DefaultValuedAttr<Carousel_BarrierScopeAttr, "::carousel::MemScope::CTA">:$scope);
  let assemblyFormat = [{
    $barriers `[` $indices `]` `,` custom<I32>($bytes, $static_bytes)
    (`scope` `(` custom<Keyword>($scope)^ `)`)? attr-dict `:` type($barriers)
  }];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def Carousel_MbarrierExpectTxOp : Carousel_MbarrierTxOp<"expect_tx"> {
  let summary = "raise the transaction bytes that the current phase waits for";
  let description = [{
    The phase completes when its pending arrivals and its pending transaction bytes are zero. The op
    is relaxed: it orders no other access. The barrier may lie in another CTA of the cluster.

    Constraints: bytes are 0 to 2^20-1 (C32).

    Example:

    ```mlir
    carousel.mbarrier.expect_tx %full[%slot], 8192
        : memref<4x!carousel.mbarrier, #gpu.address_space<workgroup>>
    ```

    PTX ISA: mbarrier.expect_tx.
  }];
}

def Carousel_MbarrierCompleteTxOp : Carousel_MbarrierTxOp<"complete_tx"> {
  let summary = "lower the pending transaction bytes of the current phase";
  let description = [{
    The op simulates the completion of an asynchronous copy, and copies nothing. It is relaxed: it
    orders no other access.

    Constraints: bytes are 0 to 2^20-1 (C32).

    Example:

    ```mlir
    carousel.mbarrier.complete_tx %full[%slot], %bytes scope(cluster)
        : memref<4x!carousel.mbarrier, #gpu.address_space<workgroup>>
    ```

    PTX ISA: mbarrier.complete_tx.
  }];
}

//===----------------------------------------------------------------------===//
// Arrivals
//===----------------------------------------------------------------------===//

class Carousel_MbarrierArriveBase<string mnemonic>
    : Carousel_Op<"mbarrier." # mnemonic, [AttrSizedOperandSegments, OrdersMemory]> {
  let arguments = (ins
    Arg<Carousel_AnyMbarrierMemRef, "the barriers", [MemRead<Barriers>,
        MemWrite<Barriers>]>:$barriers,
    Variadic<Index>:$indices, Optional<I32>:$count, Carousel_I32Literal:$static_count,
    DefaultValuedAttr<Carousel_ArriveSemanticsAttr, "::carousel::MemSemantics::Release">:$semantics,
    DefaultValuedAttr<Carousel_BarrierScopeAttr, "::carousel::MemScope::CTA">:$scope,
    UnitAttr:$no_complete);
  let results = (outs Optional<Carousel_MbarrierState>:$state);
  let assemblyFormat = [{
    $barriers `[` $indices `]` `` custom<OptionalI32>($count, $static_count)
    (`no_complete` $no_complete^)? (`semantics` `(` custom<Keyword>($semantics)^ `)`)? (`scope` `(`
    custom<Keyword>($scope)^ `)`)?
    attr-dict `:` type($barriers) (`->` qualified(type($state))^)?
  }];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def Carousel_MbarrierArriveOp : Carousel_MbarrierArriveBase<"arrive"> {
  let summary = "lower the pending arrivals of the current phase by `count`, or by 1";
  let description = [{
    With `release` semantics (the default), a thread that acquires this phase sees all earlier
    accesses of this thread. The result names the phase, and a wait can take it. An arrive on a
    barrier in another CTA has no result. `no_complete` promises that this arrive doesn't complete
    the phase.

    Constraints:

    - The count is 1 to 2^20-1 (C33).
    - An arrive on a barrier in another CTA has no result (C34).
    - `no_complete` has a count, release semantics, CTA scope and a barrier in the CTA's own memory
      (C35).

    Example:

    ```mlir
    %state = carousel.mbarrier.arrive %full[%slot]
        : memref<4x!carousel.mbarrier, #gpu.address_space<workgroup>> -> !carousel.mbarrier_state
    ```

    PTX ISA: mbarrier.arrive.
  }];
}

def Carousel_MbarrierArriveDropOp : Carousel_MbarrierArriveBase<"arrive_drop"> {
  let summary = "arrive, and lower the arrivals that later phases expect";
  let description = [{
    First lowers the expected arrivals of all later phases by `count`, or by 1, then arrives as
    `mbarrier.arrive` does.

    Constraints: those of `mbarrier.arrive` (C33, C34, C35).

    Example:

    ```mlir
    carousel.mbarrier.arrive_drop %empty[%slot], 2
        : memref<4x!carousel.mbarrier, #gpu.address_space<workgroup>>
    ```

    PTX ISA: mbarrier.arrive_drop.
  }];
}

class Carousel_MbarrierArriveExpectTxBase<string mnemonic>
    : Carousel_Op<"mbarrier." # mnemonic, [AttrSizedOperandSegments, OrdersMemory]> {
  let arguments = (ins
    Arg<Carousel_AnyMbarrierMemRef, "the barriers", [MemRead<Barriers>,
        MemWrite<Barriers>]>:$barriers,
    Variadic<Index>:$indices, Optional<I32>:$bytes, Carousel_I32Literal:$static_bytes,
    DefaultValuedAttr<Carousel_ArriveSemanticsAttr, "::carousel::MemSemantics::Release">:$semantics,
    DefaultValuedAttr<Carousel_BarrierScopeAttr, "::carousel::MemScope::CTA">:$scope);
  let results = (outs Optional<Carousel_MbarrierState>:$state);
  let assemblyFormat = [{
    $barriers `[` $indices `]` `,` custom<I32>($bytes, $static_bytes)
    (`semantics` `(` custom<Keyword>($semantics)^ `)`)? (`scope` `(` custom<Keyword>($scope)^ `)`)?
    attr-dict `:` type($barriers) (`->` qualified(type($state))^)?
  }];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def Carousel_MbarrierArriveExpectTxOp : Carousel_MbarrierArriveExpectTxBase<"arrive_expect_tx"> {
  let summary = "raise the expected transaction bytes, then arrive once";
  let description = [{
    The producer of a stage executes it before it issues the stage's copies. Semantics, scope and
    result are as for `mbarrier.arrive`.

    Constraints: bytes are 0 to 2^20-1 (C32). An arrive on a barrier in another CTA has no result
    (C34).

    Example:

    ```mlir
    carousel.mbarrier.arrive_expect_tx %full[%slot], 8192
        : memref<4x!carousel.mbarrier, #gpu.address_space<workgroup>>
    ```

    PTX ISA: mbarrier.arrive.expect_tx.
  }];
}

def Carousel_MbarrierArriveDropExpectTxOp
    : Carousel_MbarrierArriveExpectTxBase<"arrive_drop_expect_tx"> {
  let summary = "raise the expected transaction bytes, then arrive once and leave later phases";
  let description = [{
    First raises the transaction bytes as `mbarrier.expect_tx` does, then arrives as
    `mbarrier.arrive_drop` does, with a count of 1.

    Constraints: bytes are 0 to 2^20-1 (C32). An arrive on a barrier in another CTA has no result
    (C34).

    Example:

    ```mlir
    carousel.mbarrier.arrive_drop_expect_tx %full[%slot], 8192
        : memref<4x!carousel.mbarrier, #gpu.address_space<workgroup>>
    ```

    PTX ISA: mbarrier.arrive_drop.expect_tx.
  }];
}

def Carousel_MbarrierPendingCountOp
    : Carousel_FixedOp<"mbarrier.pending_count", 80, 70, [Pure]> {
  let summary = "get the pending arrivals that an mbarrier state recorded";
  let description = [{
    The state is the result of an arrive. The count is the pending arrivals before this arrive.

    Example:

    ```mlir
    %count = carousel.mbarrier.pending_count %state
    ```

    PTX ISA: mbarrier.pending_count.
  }];
  let arguments = (ins Carousel_MbarrierState:$state);
  let results = (outs I32:$count);
  let assemblyFormat = "$state attr-dict";
}

//===----------------------------------------------------------------------===//
// Waits
//===----------------------------------------------------------------------===//

// `extra` and `extraFormat`: the time limit of try_wait and wait. `label` and `labelFormat`: the
// label of the blocking wait.
class Carousel_MbarrierWaitBase<string mnemonic, dag extra, string extraFormat,
                                list<Trait> traits = [], dag label = (ins), string labelFormat = "">
    : Carousel_Op<"mbarrier." # mnemonic,
                  !listconcat([AttrSizedOperandSegments, OrdersMemory], traits)> {
  let arguments = !con((ins
    Arg<Carousel_MbarrierMemRef, "the barriers", [MemRead<Barriers>, MemWrite<Barriers>]>:$barriers,
    Variadic<Index>:$indices, Optional<Carousel_MbarrierState>:$state, Optional<I1>:$parity), extra,
    (ins DefaultValuedAttr<Carousel_WaitSemanticsAttr,
        "::carousel::MemSemantics::Acquire">:$semantics,
         DefaultValuedAttr<Carousel_BarrierScopeAttr, "::carousel::MemScope::CTA">:$scope), label);
  let assemblyFormat = [{
    $barriers `[` $indices `]` (`state` $state^)? (`parity` $parity^)?}] # extraFormat # [{
    (`semantics` `(` custom<Keyword>($semantics)^ `)`)? (`scope` `(` custom<Keyword>($scope)^
    `)`)?}]
    # labelFormat # [{ attr-dict `:` type($barriers)
  }];
  let hasVerifier = 1;
}

def Carousel_MbarrierTestWaitOp : Carousel_MbarrierWaitBase<"test_wait", (ins), ""> {
  let summary = "test whether a phase of an mbarrier has completed, without blocking";
  let description = [{
    `state` is the result of an arrive, and names the phase of this arrive. `parity` names a phase
    by its number modulo 2: false for phases 0, 2, 4 and so on. A parity can only tell the current
    phase from the one before it, so a waiting thread must not fall two phases behind.

    With `acquire` semantics (the default) a true result makes memory visible to this thread: the
    accesses before the phase's release arrives, and the writes of the copies whose bytes the phase
    counted.

    Constraints: the op has a state or a parity, and not both (C36).

    Example:

    ```mlir
    %done = carousel.mbarrier.test_wait %full[%slot] parity %parity
        : memref<4x!carousel.mbarrier, #gpu.address_space<workgroup>>
    ```

    PTX ISA: mbarrier.test_wait.
  }];
  let results = (outs I1:$done);
}

def Carousel_MbarrierTryWaitOp : Carousel_MbarrierWaitBase<"try_wait",
    (ins Optional<I32>:$suspend_ns), "(`suspend` $suspend_ns^)?"> {
  let summary = "test whether a phase of an mbarrier has completed, after a limited wait";
  let description = [{
    As `mbarrier.test_wait`, but the thread may be suspended until the phase completes or a time
    limit passes. The limit is `suspend` nanoseconds, or the system's own. The op may return false
    at any time.

    Constraints: the op has a state or a parity, and not both (C36).

    Example:

    ```mlir
    %done = carousel.mbarrier.try_wait %full[%slot] parity %parity suspend %ns
        : memref<4x!carousel.mbarrier, #gpu.address_space<workgroup>>
    ```

    PTX ISA: mbarrier.try_wait.
  }];
  let results = (outs I1:$done);
}

def Carousel_MbarrierWaitOp : Carousel_MbarrierWaitBase<"wait",
    (ins Optional<I32>:$suspend_ns), "(`suspend` $suspend_ns^)?",
    [Carousel_LabelledWaitOpInterface],
    (ins OptionalAttr<Carousel_WaitLabelAttr>:$label), "(`label` `` $label^)?"> {
  let summary = "block until a phase of an mbarrier has completed";
  let description = [{
    Repeats `try_wait`, or `test_wait` on targets before sm_90, until the phase has completed. Later
    memory accesses of this thread aren't performed before it. State, parity and semantics are as
    for `mbarrier.test_wait`. The label names the barrier in reports of a wait that doesn't end.

    Constraints: the op has a state or a parity, and not both (C36).

    Example:

    ```mlir
    carousel.mbarrier.wait %full[%slot] parity %parity label<barrier = "x full", role = consumer>
        : memref<4x!carousel.mbarrier, #gpu.address_space<workgroup>>
    ```

    PTX ISA: mbarrier.try_wait, mbarrier.test_wait.
  }];
  let extraClassDeclaration = [{
    ::mlir::TypedValue<::mlir::MemRefType> getAwaited() { return getBarriers(); }
    ::carousel::WaitPhase getPhase() {
      return getState() ? ::carousel::WaitPhase::State : ::carousel::WaitPhase::Parity;
    }
  }];
}

#endif // CAROUSEL_DIALECT_IR_CAROUSELMBARRIEROPS_TD
