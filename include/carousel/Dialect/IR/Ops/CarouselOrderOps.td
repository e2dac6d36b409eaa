//===- CarouselOrderOps.td - CTAs that take turns ----------*- tablegen -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ordered grids: regions that the CTAs of a segment execute one after the other, what they
// accumulate in global memory there, and the order in which CTAs start. docs/Ordering.md defines
// them.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_IR_CAROUSELORDEROPS_TD
#define CAROUSEL_DIALECT_IR_CAROUSELORDEROPS_TD

include "carousel/Dialect/IR/CarouselOpBase.td"
include "carousel/Dialect/IR/Attrs/CarouselPipelineAttrs.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferIntRangeInterface.td"

def Carousel_SerializeOp : Op<Carousel_Dialect, "serialize", [
    SingleBlockImplicitTerminator<"PassTurnOp">, RecursiveMemoryEffects,
    DeclareOpInterfaceMethods<RegionBranchOpInterface>, OrdersMemory]> {
  let summary = "execute a region in the CTAs of a segment, one after the other";
  let description = [{
    The CTAs that name one semaphore form a segment of `count` CTAs. Each has a `turn` of its own, 0
    to `count` - 1. All threads of a CTA execute the op together, with the same operands. The region
    starts when the CTA of the previous turn has ended its region. It sees what that CTA and all
    earlier ones did in their regions. The region's arguments say whether the turn is the first one
    and whether it is the last one. The end of the region passes the turn on. The first CTA must
    find the semaphore at 0; the last CTA leaves it at 0 for the next launch.
    
    The op doesn't order accesses outside the region with those of other CTAs. The order of turns is
    always the same, so floating-point sums have the same bits in every launch.
    
    With `order(unordered)` no CTA waits, and the op doesn't access the semaphore. Both arguments
    are then false, because a CTA can't know whether it is the first or the last one.

    All CTAs of a launch must be co-resident, unless CTAs that start earlier have earlier turns. See
    `carousel.grid.ticket`.
    
    In the ring phase one thread of the scope, which issues the engines' copies, waits for the turn
    and passes it on. `--carousel-insert-async-sync` inserts what the other threads need.

    Constraints: the semaphores are i32 (C90), with one index per dimension (C29). The region has
    two arguments (C181).

    Example:

    ```mlir
    // Each semaphore has a cache line of its own, since waiting CTAs poll it.
    carousel.serialize %semaphores[%segment, %c0] turn %position of %count (%first, %last) {
      carousel.accumulate %tile into %work[%i] reduce<add f32> first(%first) last(%last)
          : memref<1024xf32, #gpu.address_space<workgroup>>,
            memref<?xf32, #gpu.address_space<global>>
    } : memref<?x32xi32, #gpu.address_space<global>>
    ```
  }];
  let arguments = (ins
    Carousel_GlobalMemRef:$semaphores, Variadic<Index>:$indices, Index:$turn, Index:$count,
    DefaultValuedAttr<Carousel_TurnOrderAttr, "::carousel::TurnOrder::Ordered">:$order);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $semaphores `[` $indices `]` `turn` $turn `of` $count (`order` `(` custom<Keyword>($order)^
    `)`)?
    custom<TurnRegion>($body) attr-dict `:` type($semaphores) (`->` type($results)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Whether this is the segment's first turn, and its last.
    ::mlir::BlockArgument getFirst() { return getBody().getArgument(0); }
    ::mlir::BlockArgument getLast() { return getBody().getArgument(1); }
  }];
}

def Carousel_PassTurnOp : Op<Carousel_Dialect, "pass_turn", [
    Pure, Terminator, ReturnLike, HasParent<"SerializeOp">]> {
  let summary = "end the region of a carousel.serialize and pass the turn on";
  let description = [{
    Its operands are the results of the `carousel.serialize` around it.

    Example:

    ```mlir
    carousel.pass_turn %sum : f32
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$operands);
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
  let builders = [OpBuilder<(ins), [{ /* nothing to pass */ }]>];
}

def Carousel_AccumulateOp : Op<Carousel_Dialect, "accumulate", [
    AttrSizedOperandSegments, Carousel_TransferOpInterface,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "combine a tile with a box of a global memref, turn by turn";
  let description = [{
    All threads of the CTA execute it with the same operands, usually in a `carousel.serialize`. If
    `first` is true, the tile overwrites the box. Otherwise each element of the box becomes
    `kind(element, tile's element)`, rounded to the element's type as PTX rounds reductions. If
    `last` is true, the tile receives this result instead. The content of the box is then
    unspecified, and tile elements outside the global memref become zero. Without `last` the tile
    doesn't change.
    
    Like a `carousel.store`, the op orders the tile and the elements of its box, and nothing else.
    Elements outside the global memref aren't accessed. In a turn no other thread may access the
    box, not even by a reduction. Outside a turn the op reduces each element atomically, as a
    `carousel.store` does.
    
    - `scheme`: `transfers` (the default) stores the tile in the first turn, and reduces it into the
      box in later turns. Engines can do both. In the last turn it then loads the box. With
      `registers` the threads load the box, combine, and store. In the last turn they store to the
      tile only.
    - `read_back`: what loads the box in the last turn of the scheme `transfers`. It is any engine
      (`transfer`, the default), or the `threads`.

    Constraints: as for a `carousel.store` with a reduction (C7, C29, C45, C46, C123 to C125, C127,
    C128).

    Example:

    ```mlir
    carousel.accumulate %tile into %work[%row, %col] reduce<add f32> first(%first) last(%last)
        scheme(registers)
        : memref<64x64xf32, #gpu.address_space<workgroup>>,
          memref<?x?xf32, #gpu.address_space<global>>
    ```
  }];
  let arguments = (ins
    Carousel_SharedMemRef:$tile, Carousel_GlobalMemRef:$global, Variadic<Index>:$offsets,
    Carousel_ReductionAttr:$reduce, I1:$first, Optional<I1>:$last,
    DefaultValuedAttr<Carousel_AccumulateSchemeAttr,
        "::carousel::AccumulateScheme::Transfers">:$scheme,
    DefaultValuedAttr<Carousel_ReadBackAttr, "::carousel::ReadBack::Transfer">:$read_back,
    UnitAttr:$in_bounds,
    DefaultValuedAttr<Carousel_SwizzleAttr, "::carousel::Swizzle::None">:$swizzle,
    DefaultValuedAttr<Carousel_EvictPriorityAttr, "::carousel::EvictPriority::Normal">:$cache);
  let assemblyFormat = [{
    $tile `into` $global `[` $offsets `]` (`in_bounds` $in_bounds^)? `reduce` `` $reduce
    `first` `(` $first `)` (`last` `(` $last^ `)`)?
    (`scheme` `(` custom<Keyword>($scheme)^ `)`)? (`read_back` `(` custom<Keyword>($read_back)^
    `)`)?
    (`swizzle` `(` custom<Keyword>($swizzle)^ `)`)? (`cache` `(` custom<Keyword>($cache)^ `)`)?
    attr-dict
    `:` type($tile) `,` type($global)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    bool isLoad() { return false; }
    ::carousel::TransferScope getScope() { return ::carousel::TransferScope::CTA; }
    bool getByThreads() { return false; }
    ::carousel::EngineAttr getEngineAttr() { return nullptr; }
    ::mlir::TypedValue<::carousel::TensorMapType> getMap() { return nullptr; }
  }];
}

def Carousel_GridTicketOp : Op<Carousel_Dialect, "grid.ticket", [
    DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRanges"]>]> {
  let summary = "draw the next number from a counter in global memory";
  let description = [{
    All threads of the CTA execute it together and get the same number: 0 in the CTA that draws
    first, then 1, 2... A CTA with a ticket knows that all smaller tickets belong to CTAs that run
    or have run. Turns that follow tickets instead of block ids therefore can't deadlock. The order
    in which CTAs start doesn't matter, nor does the number of CTAs that are resident.
    
    `total` is the number of tickets that the launch draws in all, equal in each CTA and less than
    2^31. The first draw must find the counter at 0; the last draw leaves it at 0. The op orders no
    other memory.

    With `acq_rel`, which only the block phase has, a CTA sees all that CTAs with smaller tickets
    wrote before they drew. So the CTA that draws the last ticket can combine what all of them
    computed. `--carousel-distribute` replaces the keyword by barriers and fences at gpu scope.

    Constraints: the counters are i32 (C90), with one index per dimension (C29). A constant `total`
    is 1 to 2^31 - 1, which `--carousel-verify-tile` checks (C189). No `acq_rel` at the tile phase
    (C226).

    Example:

    ```mlir
    %ticket = carousel.grid.ticket %counters[%c0] of %blocks
        : memref<?xi32, #gpu.address_space<global>>
    ```
  }];
  let arguments = (ins
    Arg<Carousel_GlobalMemRef, "counters", [MemRead<GlobalMemory>,
        MemWrite<GlobalMemory>]>:$counters,
    Variadic<Index>:$indices, Index:$total, UnitAttr:$acq_rel);
  let results = (outs Index:$ticket);
  let assemblyFormat = [{
    $counters `[` $indices `]` `of` $total (`acq_rel` $acq_rel^)? attr-dict `:` type($counters)
  }];
  let hasVerifier = 1;
}

#endif // CAROUSEL_DIALECT_IR_CAROUSELORDEROPS_TD
