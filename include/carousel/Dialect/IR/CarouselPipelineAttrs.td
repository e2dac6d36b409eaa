//===- CarouselPipelineAttrs.td - how a loop is pipelined --*- tablegen -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a loop of the tile phase says of the circular buffers that its transfers go through,
// and the reduction of a store.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_IR_CAROUSELPIPELINEATTRS_TD
#define CAROUSEL_DIALECT_IR_CAROUSELPIPELINEATTRS_TD

include "carousel/Dialect/IR/CarouselLaunchAttrs.td"

def Carousel_PipelineAttr : Carousel_Attr<"Pipeline", "pipeline"> {
  let summary = "the circular buffers that a loop's transfers go through";
  let description = [{
    Stands on an `scf.for` as `carousel.pipeline` (C132). It changes how the loop is executed,
    not what it computes: every transfer still behaves as if it were synchronous. What is
    `auto` or left out is chosen by the passes.

    ```
    pipeline ::= `#carousel.pipeline` `<` (field (`,` field)*)? `>`
    field    ::= `stages` `=` (int | `auto`)              // slots; auto
               | `prefetch` `=` (int | `auto`)            // iterations that loads run ahead; auto
               | `mode` `=` (`unified` | `specialized`)   // unified
               | `scope` `=` (`cta` | `warpgroup` | `warp`)  // cta
               | `release` `=` (`empty_barrier` | `cta_barrier` | `warp_barrier` | `auto`)  // auto
               | `producers` `=` int                      // warps; 1
               | `producer_registers` `=` int | `consumer_registers` `=` int
    ```

    - `unified`: all threads of the scope produce and consume. `specialized`: `producers` warps
      issue the loads, the others consume; the two register counts are what a thread of each
      role has after its warpgroup has changed them.
    - `scope`: the threads that share a ring. The loop's transfers of this scope go through it.
    - `release` says how a slot is handed back: by arrives on an mbarrier that the producer
      waits for, or by a barrier of the whole CTA or of the warp.

    Constraints: at least one stage, a prefetch distance of 0 or more and below the stages
    (C129); `specialized` at CTA scope, with 1 to 31 producer warps, and register counts of 24
    to 256 in steps of 8, both or neither; neither producers nor register counts with `unified`
    (C130); `cta_barrier` at CTA scope and `unified`, `warp_barrier` at warp scope (C131).

    Example:

    ```mlir
    #carousel.pipeline<stages = 4, prefetch = 2, mode = specialized, release = empty_barrier>
    ```
  }];
  let parameters = (ins
    // Nothing: auto.
    OptionalParameter<"std::optional<int64_t>">:$stages,
    OptionalParameter<"std::optional<int64_t>">:$prefetch,
    DefaultValuedParameter<"::carousel::PipelineMode", "::carousel::PipelineMode::Unified">:$mode,
    DefaultValuedParameter<"::carousel::TransferScope", "::carousel::TransferScope::CTA">:$scope,
    // Nothing: auto.
    OptionalParameter<"std::optional<::carousel::SlotRelease>">:$release,
    DefaultValuedParameter<"int64_t", "1", "warps">:$producers,
    // Nothing: left as they are.
    OptionalParameter<"std::optional<int64_t>", "of a thread">:$producerRegisters,
    OptionalParameter<"std::optional<int64_t>", "of a thread">:$consumerRegisters);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Carousel_ReductionAttr : Carousel_Attr<"Reduction", "reduction"> {
  let summary = "a reduction, and what the elements' bits are taken for";
  let description = [{
    Example:

    ```mlir
    #carousel.reduction<add f32>
    ```
  }];
  let parameters = (ins
    EnumParameter<Carousel_ReduceKind>:$kind, EnumParameter<Carousel_ReduceType>:$type);
  let assemblyFormat = "`<` $kind $type `>`";
}

#endif // CAROUSEL_DIALECT_IR_CAROUSELPIPELINEATTRS_TD
