//===- CarouselBlockAttrs.td - attributes of the block phase -*- tablegen -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels on values of the whole CTA, and the places of these values' elements. docs/BlockPhase.md
// explains them.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_IR_CAROUSELBLOCKATTRS_TD
#define CAROUSEL_DIALECT_IR_CAROUSELBLOCKATTRS_TD

include "carousel/Dialect/IR/Attrs/CarouselLaunchAttrs.td"

def Carousel_LayoutAttr : Carousel_Attr<"Layout", "layout"> {
  let summary = "where the elements of a vector are in a thread block";
  let description = [{
    The attribute `carousel.layout` of an op with one vector result, at the block phase. It gives
    the result's elements their places: a register of a lane of a warp, and of a CTA if the block is
    a cluster. Without it, `--carousel-distribute` chooses a layout.

    The map is linear over bits. Each bit of a place's number selects a basis: coordinates of an
    element, outermost dimension first. The element at a place is the exclusive or of the bases of
    the bits that are 1. A basis of zeros means that places which differ in this bit hold the same
    elements.

    ```
    layout ::= `#carousel.layout` `<` (place `=` `[` (basis (`,` basis)*)? `]`)* `>`
    place  ::= `register` | `lane` | `warp` | `cta`
    basis  ::= `[` int (`,` int)* `]`
    ```

    Extents are rounded up to powers of two.

    Constraints:

    - All bases have the same number of coordinates, none of them negative, and at most 15 bits are
      of one kind of place (C206).
    - The op is in a kernel with `carousel.block_program` and has one result, a vector whose rank is
      that of the bases. Every element has a place. The lanes and warps are those of the block
      (C207).

    Example:

    ```mlir
    // vector<8x256xf32> in 4 warps: 4 consecutive elements in a thread, a row of 128 in the lanes
    // of a warp, 4 rows in 4 warps, and 4 such pieces.
    #carousel.layout<register = [[0, 1], [0, 2], [0, 128], [4, 0]],
                     lane = [[0, 4], [0, 8], [0, 16], [0, 32], [0, 64]],
                     warp = [[1, 0], [2, 0]]>
    ```
  }];
  let parameters = (ins
    DefaultValuedParameter<"unsigned", "0", "coordinates of a basis; 0 without bases">:$rank,
    // The coordinates of all bases, one basis after the other, lowest bit first.
    OptionalArrayRefParameter<"int64_t">:$registers,
    OptionalArrayRefParameter<"int64_t">:$lanes,
    OptionalArrayRefParameter<"int64_t">:$warps,
    OptionalArrayRefParameter<"int64_t">:$ctas);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Carousel_BlockProgramAttr : Carousel_Attr<"BlockProgram", "block_program"> {
  let summary = "a kernel on values of the whole thread block";
  let description = [{
    The attribute `carousel.block_program` of a kernel. The kernel is at the block phase: it has no
    thread ids, its vectors belong to the whole CTA, and it means what one thread would compute that
    executes it alone, once for each CTA. `--carousel-distribute` removes the attribute.

    ```
    program ::= `#carousel.block_program` `<` (field (`,` field)*)? `>`
    field   ::= `width` `=` int | `covers` `=` expr | `programs` `=` int | `keeps` `=` int
    ```

    - `width` and `covers`: each vector dimension of extent `width` covers the extent `covers` of an
      argument. Elements beyond that extent take part in no reduction and aren't written. Vectors
      are wider where a launch's extent is. So passes may compile the kernel for vectors of another
      width, too, and the launch chooses by the extent (docs/BlockPhase.md, Width).
    - `programs`: the number of CTAs of the launch's grid, in x, that one CTA of the device executes
      together. If absent, passes choose.
    - `keeps`: the kernel is for extents up to this. `--carousel-stream-rows` reads rows once, to
      tiles of this many elements in shared memory, and goes over the tiles in chunks of `width`. In
      a launch with a cluster, each CTA has an equal part of these elements.

    Constraints: `width` is a power of two above 1, and present if and only if `covers` is;
    `programs` is a power of two up to 1024. `keeps` is a multiple of `width` times the CTAs of the
    launch's cluster, and excludes several `programs` (C208).

    Example:

    ```mlir
    #carousel.block_program<width = 4096, covers = extent(0, 1)>
    ```
  }];
  let parameters = (ins
    // 0 if absent.
    DefaultValuedParameter<"int64_t", "0", "elements">:$width,
    OptionalParameter<"::carousel::ExprAttr">:$covers,
    // nullopt if passes choose.
    OptionalParameter<"std::optional<int64_t>">:$programs,
    // 0 if absent.
    DefaultValuedParameter<"int64_t", "0", "elements">:$keeps);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

#endif // CAROUSEL_DIALECT_IR_CAROUSELBLOCKATTRS_TD
