//===- CarouselPipelineAttrs.td - how a loop is pipelined --*- tablegen -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How a loop of the tile phase is pipelined, the reduction of a transfer, and the engine of a
// transfer.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_IR_CAROUSELPIPELINEATTRS_TD
#define CAROUSEL_DIALECT_IR_CAROUSELPIPELINEATTRS_TD

include "carousel/Dialect/IR/Attrs/CarouselLaunchAttrs.td"

def Carousel_PipelineAttr : Carousel_Attr<"Pipeline", "pipeline"> {
  let summary = "how the transfers of a loop use circular buffers";
  let description = [{
    The attribute `carousel.pipeline` of an `scf.for` or `scf.while` (C132). It changes how the loop
    is executed, and not what the loop computes: each transfer still behaves as if it were
    synchronous. The passes choose values for fields that are `auto` or absent.

    ```
    pipeline ::= `#carousel.pipeline` `<` (field (`,` field)*)? `>`
    field    ::= `stages` `=` (count | `[` count (`,` count)* `]`)  // slots; auto
               | `prefetch` `=` (int | `auto`)            // iterations that loads run ahead; auto
               | `mode` `=` (`unified` | `specialized`)   // unified
               | `scope` `=` (`cta` | `warpgroup` | `warp`)  // cta
               | `release` `=` (`empty_barrier` | `cta_barrier` | `warp_barrier` | `auto`)  // auto
               | `epilogue` `=` (`peeled` | `predicated` | `auto`)  // auto
               | `stores` `=` (`shared` | `registers` | `auto`)  // auto
               | `store_slots` `=` (int | `auto`)         // auto
               | `tiles` `=` (`static` | `tickets` | `auto`)  // static
               | `producers` `=` int                      // warps; 1
               | `producer_registers` `=` int | `consumer_registers` `=` int
               | `multicast` `=` int                      // CTAs of a cluster; 1
    count    ::= int | `auto`
    ```

    - `stages`: the number of slots. With one count the loop's loads share a ring. A slot of this
      ring has a tile for each load, and one barrier that counts all their bytes. With a list each
      load has a ring of its own, in program order, with its own number of slots. A consumer then
      waits for each tile right before the tile's first use, and releases it right after the last
      use.
    - `prefetch`: the number of iterations that loads run ahead. A ring with that many stages or
      fewer uses its number of stages minus one.
    - `mode`: with `unified` all threads of the scope produce and consume. With `specialized` the
      `producers` warps issue the loads, and the other warps consume.
    - `scope`: the threads that share a ring. The attribute applies to the loop's transfers of this
      scope.
    - `release`: how consumers release a slot. With `empty_barrier` they arrive on an mbarrier, and
      the producer waits for it. `cta_barrier` and `warp_barrier` are barriers of the whole CTA or
      warp.
    - `epilogue`: how the loop treats its last iterations, which have nothing to load ahead.
      `peeled` makes them a loop of their own. `predicated`, which is also `auto`, tests in each
      iteration. Peeling doubles the code for a gain of about 1 %. Specialized loops ignore this
      field, since their producers have no such iterations.
    - `stores`: the path of the loop's stores to global memory. With `shared` threads write tiles to
      shared memory, and engines store them from there. With `registers` threads write their
      elements to global memory, and the tile needs no shared memory.
      `--carousel-store-from-registers` states when this is possible.
    - `store_slots`: the number of slots of each tile that is stored through shared memory.
    - `tiles`: how CTAs get the iterations of a loop over the grid. With `static` each CTA takes
      every n-th one, as the loop says. With `tickets` it draws the next one from a counter, so that
      all CTAs stay close to each other in memory. `tickets` and `auto` assert that iterations don't
      depend on each other through global memory. `--carousel-draw-tiles` states the other
      conditions.
    - `producer_registers`, `consumer_registers`: the registers of a thread of each role, after its
      warpgroup has changed their number.
    - `multicast`: that many CTAs, whose ids in x follow each other, form a cluster. A tile that all
      of them load is copied once for all. `--carousel-multicast-loads` states the conditions.

    Constraints:

    - Each ring has at least one stage. The prefetch distance is 0 or more, and less than the
      largest number of stages (C129).
    - A list of stages has one count for each of the loop's loads of the scope (C183).
    - There is at least one store slot (C129).
    - `specialized` has CTA scope, 1 to 31 producer warps, and both register counts or neither, each
      24 to 256 in steps of 8. `unified` has neither `producers` nor register counts (C130).
    - `cta_barrier` has CTA scope and mode `unified`. `warp_barrier` has warp scope (C131).
    - `multicast` is 1 to 8. More than one has CTA scope and no release by barriers (C336).

    Example:

    ```mlir
    #carousel.pipeline<stages = 4, prefetch = 2, mode = specialized, release = empty_barrier>
    #carousel.pipeline<stages = [4, 2, auto]>
    ```
  }];
  let parameters = (ins
    // nullopt for auto.
    OptionalParameter<"std::optional<int64_t>", "of a ring that all loads share">:$stages,
    // Empty if the loads share a ring. 0 for auto.
    OptionalArrayRefParameter<"int64_t", "of each load's own ring">:$stagesOfEach,
    OptionalParameter<"std::optional<int64_t>">:$prefetch,
    DefaultValuedParameter<"::carousel::PipelineMode", "::carousel::PipelineMode::Unified">:$mode,
    DefaultValuedParameter<"::carousel::TransferScope", "::carousel::TransferScope::CTA">:$scope,
    // nullopt for auto.
    OptionalParameter<"std::optional<::carousel::SlotRelease>">:$release,
    // nullopt for auto.
    OptionalParameter<"std::optional<::carousel::PipelineEpilogue>">:$epilogue,
    // nullopt for auto.
    OptionalParameter<"std::optional<::carousel::StorePath>">:$stores,
    // nullopt for auto.
    OptionalParameter<"std::optional<int64_t>">:$storeSlots,
    DefaultValuedParameter<"::carousel::TileAssignment",
        "::carousel::TileAssignment::Static">:$tiles,
    DefaultValuedParameter<"int64_t", "1", "warps">:$producers,
    // nullopt to leave the number as it is.
    OptionalParameter<"std::optional<int64_t>", "of a thread">:$producerRegisters,
    OptionalParameter<"std::optional<int64_t>", "of a thread">:$consumerRegisters,
    DefaultValuedParameter<"int64_t", "1", "CTAs">:$multicast);
  let extraClassDeclaration = [{
    /// A pipeline of which passes choose everything.
    static PipelineAttr getAuto(::mlir::MLIRContext *context);
    PipelineAttr withTiles(::carousel::TileAssignment tiles) const;
    PipelineAttr withMulticast(int64_t ctas) const;
    /// The same with these stages for a ring that all loads share.
    PipelineAttr withStages(int64_t stages) const;
  }];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Carousel_ReductionAttr : Carousel_Attr<"Reduction", "reduction"> {
  let summary = "a reduction, and the type as which it reads the elements' bits";
  let description = [{
    MLIR's integers have no sign, so the type says whether they are unsigned (`u32`), signed (`s32`)
    or bits (`b32`).

    Example:

    ```mlir
    #carousel.reduction<add f32>
    ```
  }];
  let parameters = (ins
    EnumParameter<Carousel_ReduceKind>:$kind, EnumParameter<Carousel_ReduceType>:$type);
  let assemblyFormat = "`<` $kind $type `>`";
}

def Carousel_EngineAttr : Carousel_Attr<"Engine", "engine"> {
  let summary = "the engine that carries out a transfer";
  let description = [{
    `--carousel-select-engine` records its choice for a transfer in this attribute.

    ```
    engine ::= `#carousel.engine` `<` `tensor` (`,` `collapse` `=` `[` int (`,` int)* `]`)? `>`
             | `#carousel.engine` `<` `bulk` `>`
             | `#carousel.engine` `<` (`cp_async` | `vector`) `,` `width` `=` int `>`
    ```

    - `tensor`: tensor copies through the transfer's `map`, as described below.
    - `bulk`: one-dimensional bulk copies. The outermost dimension of extent above 1 may have gaps
      between its rows; otherwise the box is contiguous in global memory. The box starts at a
      multiple of 16 bytes. So does each row if there are gaps. The global memref's end cuts off
      whole rows, or the tail of a box without gaps.
    - `cp_async`: each thread copies pieces of `width` bytes (4, 8 or 16) asynchronously. Only loads
      can use it.
    - `vector`: each thread copies pieces of `width` bytes (1 to 16) through registers.

    The address of each piece is a multiple of its width.

    The dimensions of a tensor map are those of the global memref, or groups of adjacent ones.
    `collapse` gives the number of memref dimensions in each group, outermost group first. All
    dimensions of a group except its first are static and contiguous. The coordinate of a group is
    the linear index, in it, of the box's first element. It counts map elements: an element of the
    map may comprise several adjacent elements of the tile. The map's box divides the tile. The
    boxes lie in the tile consecutively, in the row-major order of their positions.

    Constraints: `width` is 4, 8 or 16 for `cp_async`, a power of two up to 16 for `vector`, and
    absent for the others. Only `tensor` has `collapse`, with groups of at least one dimension
    (C149).

    Example:

    ```mlir
    #carousel.engine<tensor, collapse = [1, 2]>
    ```
  }];
  let parameters = (ins
    EnumParameter<Carousel_EngineKind>:$kind,
    // 0 if the engine has no width.
    DefaultValuedParameter<"int64_t", "0", "bytes">:$width,
    OptionalArrayRefParameter<"int64_t">:$collapse);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

#endif // CAROUSEL_DIALECT_IR_CAROUSELPIPELINEATTRS_TD
