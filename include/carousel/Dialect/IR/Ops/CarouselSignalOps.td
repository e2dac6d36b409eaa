//===- CarouselSignalOps.td - signals between GPUs ---------*- tablegen -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Signals and waits of system scope on counters in symmetric memory: those of a CTA, for the block
// and the tile phase, and those of one thread, for the machine phase. docs/Transport.md defines
// them. These ops have generated files of their own, which CarouselSignalOps.h includes.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_IR_CAROUSELSIGNALOPS_TD
#define CAROUSEL_DIALECT_IR_CAROUSELSIGNALOPS_TD

include "carousel/Dialect/IR/CarouselOpBase.td"
include "carousel/Dialect/IR/Attrs/CarouselWaitAttrs.td"

defvar Carousel_Counters = Arg<Carousel_GlobalMemRef, "counters",
    [MemRead<GlobalMemory>, MemWrite<GlobalMemory>]>;
// C231
defvar Carousel_CounterValue = AnyTypeOf<[I32, I64]>;
def Carousel_HasCounterType : TypesMatchWith<"value has the type of the counters", "counters",
    "value", "::llvm::cast<::mlir::MemRefType>($_self).getElementType()">;

//===----------------------------------------------------------------------===//
// Ops of all threads of a CTA
//===----------------------------------------------------------------------===//

def Carousel_SignalOp : Op<Carousel_Dialect, "signal",
    [OrdersMemory, ChangesThreads, Carousel_HasCounterType]> {
  let summary = "signal to a peer that all earlier accesses of the CTA are complete";
  let description = [{
    All threads of the CTA execute the op together, with the same operands. The counter becomes the
    value (`set`), or the value is added to it (`add`). A CTA of any GPU that waits for this value
    with `carousel.wait_signal` then sees all that this CTA's threads did before the op, transfers
    included, and all that they had seen.

    In the ring phase the thread that issues the engines' copies also signals.
    `--carousel-insert-async-sync` inserts the waits and barriers before it.

    Constraints: the counters and the value are i32 or i64, of one type (C231), with one index per
    dimension (C29). The counters are in symmetric memory (C233).

    Example:

    ```mlir
    carousel.signal %arrived[%block] set %round : memref<?xi64, #gpu.address_space<global>>
    carousel.signal %free[%block] add %one : memref<?xi64, #gpu.address_space<global>>
    ```
  }];
  let arguments = (ins Carousel_Counters:$counters, Variadic<Index>:$indices,
    Carousel_CounterValue:$value, UnitAttr:$add);
  let assemblyFormat = [{
    $counters `[` $indices `]` (`add` $add^):(`set`)? $value attr-dict `:` type($counters)
  }];
  let hasVerifier = 1;
}

def Carousel_WaitSignalOp : Op<Carousel_Dialect, "wait_signal",
    [AttrSizedOperandSegments, OrdersMemory, ChangesThreads, Carousel_HasCounterType]> {
  let summary = "wait until a counter in symmetric memory has reached a value";
  let description = [{
    All threads of the CTA execute the op together, with the same operands. It ends when the
    difference counter - value, as a signed number of the counter's width, isn't negative. The
    threads then see what those saw that signalled it.

    With `timeout` the wait lasts for at most this number of nanoseconds. The result is true if the
    counter has reached the value, and the same in all threads. If it is false, the op orders
    nothing.

    Constraints: the counters and the value are i32 or i64, of one type (C231), with one index per
    dimension (C29). There is a result if and only if there is a timeout (C232). The counters are
    in symmetric memory (C233).

    Example:

    ```mlir
    carousel.wait_signal %arrived[%i] at_least %round : memref<?xi64, #gpu.address_space<global>>
    %reached = carousel.wait_signal %arrived[%i] at_least %round timeout %ns
        : memref<?xi64, #gpu.address_space<global>> -> i1
    ```
  }];
  let arguments = (ins Carousel_Counters:$counters, Variadic<Index>:$indices,
    Carousel_CounterValue:$value, Optional<I64>:$timeout);
  let results = (outs Optional<I1>:$reached);
  let assemblyFormat = [{
    $counters `[` $indices `]` `at_least` $value (`timeout` $timeout^)? attr-dict
    `:` type($counters)
    (`->` type($reached)^)?
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Ops of one thread
//===----------------------------------------------------------------------===//

def Carousel_SignalReleaseOp : Carousel_FixedOp<"signal.release", 80, 70,
    [OrdersMemory, ChangesThreads, Carousel_HasCounterType]> {
  let summary = "set or increase a counter in symmetric memory";
  let description = [{
    One thread of the CTA executes it, after a CTA barrier. The op has release semantics at system
    scope, for accesses through the generic proxy, unless it is `relaxed`. Bulk writes must have
    completed before it, by a `bulk.wait_group complete` of the thread that committed them.

    Constraints: the counters and the value are i32 or i64, of one type (C231), with one index per
    dimension (C29). The semantics are release or relaxed (C2).

    Example:

    ```mlir
    carousel.signal.release %arrived[%block] set %round
        : memref<?xi64, #gpu.address_space<global>>
    ```

    PTX ISA: st.release.sys, red.release.sys.
  }];
  let arguments = (ins Carousel_Counters:$counters, Variadic<Index>:$indices,
    Carousel_CounterValue:$value, UnitAttr:$add,
    DefaultValuedAttr<Carousel_ArriveSemanticsAttr,
        "::carousel::MemSemantics::Release">:$semantics);
  let assemblyFormat = [{
    $counters `[` $indices `]` (`add` $add^):(`set`)? $value
    (`semantics` `(` custom<Keyword>($semantics)^ `)`)? attr-dict `:` type($counters)
  }];
  let hasVerifier = 1;
}

def Carousel_SignalWaitOp : Carousel_FixedOp<"signal.wait", 80, 70,
    [AttrSizedOperandSegments, OrdersMemory, ChangesThreads, Carousel_HasCounterType,
     Carousel_LabelledWaitOpInterface]> {
  let summary = "block until a counter in symmetric memory has reached a value";
  let description = [{
    One thread of the CTA executes it. A CTA barrier after it makes what this thread acquired
    visible to the other threads.

    The op has acquire semantics at system scope, for accesses through the generic proxy, unless it
    is `relaxed`. An async copy that reads what a peer wrote needs a `fence.proxy` after this op.
    `carousel.wait_signal` defines when the counter has reached the value, and the timeout. The
    label names the counter in reports of a wait that doesn't end.

    Constraints: the counters and the value are i32 or i64, of one type (C231), with one index per
    dimension (C29). There is a result if and only if there is a timeout (C232). The semantics are
    acquire or relaxed (C3).

    Example:

    ```mlir
    carousel.signal.wait %arrived[%i] at_least %round : memref<?xi64, #gpu.address_space<global>>
    ```

    PTX ISA: ld.acquire.sys, nanosleep.
  }];
  let arguments = (ins Carousel_Counters:$counters, Variadic<Index>:$indices,
    Carousel_CounterValue:$value, Optional<I64>:$timeout,
    DefaultValuedAttr<Carousel_WaitSemanticsAttr, "::carousel::MemSemantics::Acquire">:$semantics,
    OptionalAttr<Carousel_WaitLabelAttr>:$label);
  let results = (outs Optional<I1>:$reached);
  let assemblyFormat = [{
    $counters `[` $indices `]` `at_least` $value (`timeout` $timeout^)?
    (`semantics` `(` custom<Keyword>($semantics)^ `)`)? (`label` `` $label^)? attr-dict
    `:` type($counters)
    (`->` type($reached)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::TypedValue<::mlir::MemRefType> getAwaited() { return getCounters(); }
    ::carousel::WaitPhase getPhase() { return ::carousel::WaitPhase::Turn; }
  }];
}

#endif // CAROUSEL_DIALECT_IR_CAROUSELSIGNALOPS_TD
