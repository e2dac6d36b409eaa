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
include "carousel/Dialect/IR/CarouselWaitAttrs.td"

//===----------------------------------------------------------------------===//
// Life
//===----------------------------------------------------------------------===//

def Carousel_MbarrierInitOp : Carousel_FixedOp<"mbarrier.init", 80, 70,
    [AttrSizedOperandSegments]> {
  let summary = "make an mbarrier that expects `count` arrivals a phase";
  let description = [{
    Phase 0 begins with `count` pending arrivals and no pending transaction bytes. One
    thread initialises a barrier; others, and the async proxy, see it after
    `fence.mbarrier_init` (or `fence.proxy`) and a CTA or cluster barrier.

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
  let summary = "end the life of an mbarrier";
  let description = [{
    The memory may then serve another purpose, or another `mbarrier.init`. No arrive, wait
    or transfer may be outstanding.

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
    Relaxed. The barrier may lie in another CTA of the cluster.

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
  let summary = "lower the pending transaction bytes, as a transfer does when it lands";
  let description = [{
    Simulates the completion of a transfer; nothing is copied. Relaxed.

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
  let summary = "lower the pending arrivals by `count`, 1 if not given";
  let description = [{
    With `release` (the default) everything that this thread did before is visible to who
    acquires the phase that this arrive belongs to. The state names that phase. A barrier in
    another CTA gives no state. `no_complete` promises that this arrive doesn't end the phase.

    Constraints: the count is 1 to 2^20-1 (C33); a remote arrive has no result (C34);
    `no_complete` has a count, release semantics, CTA scope and a local barrier (C35).

    Example:

    ```mlir
    %state = carousel.mbarrier.arrive %full[%slot]
        : memref<4x!carousel.mbarrier, #gpu.address_space<workgroup>> -> !carousel.mbarrier_state
    ```

    PTX ISA: mbarrier.arrive.
  }];
}

def Carousel_MbarrierArriveDropOp : Carousel_MbarrierArriveBase<"arrive_drop"> {
  let summary = "arrive, and leave: later phases expect `count` arrivals fewer";
  let description = [{
    As `mbarrier.arrive`, after the expected arrivals of all later phases were lowered.

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
  let summary = "raise the expected bytes, then arrive once";
  let description = [{
    What a producer does before it issues the transfers of a stage.

    Constraints: bytes are 0 to 2^20-1 (C32); a remote arrive has no result (C34).

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
  let summary = "raise the expected bytes, then arrive once and leave";
  let description = [{
    Constraints: bytes are 0 to 2^20-1 (C32); a remote arrive has no result (C34).

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
  let summary = "the pending arrivals that a state recorded";
  let description = [{
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

// `extra` and `extraFormat`: the suspend-time hint that only try_wait and wait have. `label` and
// `labelFormat`: what is said of a wait that blocks.
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
  let summary = "has the phase completed? (does not block)";
  let description = [{
    The phase is named by the state of an arrive, or by its parity (false for phases 0, 2,
    4...). By parity the answer is about the phase before the current one, or the current
    one: a waiter must not fall two phases behind. With `acquire` (the default) a true
    answer makes visible what was done before the arrives that released the phase, and what
    the transfers that it counted wrote.

    Constraints: exactly one of state and parity is given (C36).

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
  let summary = "has the phase completed? (may suspend the thread for a while)";
  let description = [{
    As `mbarrier.test_wait`, but the thread may sleep until the phase completes or a time
    limit passes: `suspend` nanoseconds, or what the system decides. May return false at
    any time.

    Constraints: exactly one of state and parity is given (C36).

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
  let summary = "block until the phase has completed";
  let description = [{
    A loop around `try_wait`, or around `test_wait` on targets before sm_90. No memory
    access that follows is made before it. The label says what is waited for, to those who
    look for a wait that doesn't end.

    Constraints: exactly one of state and parity is given (C36).

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
