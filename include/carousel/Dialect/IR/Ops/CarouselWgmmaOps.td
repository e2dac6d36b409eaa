//===- CarouselWgmmaOps.td - products of a warpgroup -------*- tablegen -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The machine phase: asynchronous products of matrices by the 128 threads of a warpgroup.
// docs/Products.md says how they are used. These ops have generated files of their own, which
// CarouselWgmmaOps.h includes.
// PTX ISA: Asynchronous warpgroup level matrix instructions.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_IR_CAROUSELWGMMAOPS_TD
#define CAROUSEL_DIALECT_IR_CAROUSELWGMMAOPS_TD

include "carousel/Dialect/IR/CarouselOpBase.td"

class Carousel_WgmmaOp<string mnemonic, list<Trait> traits>
    : Carousel_Op<mnemonic, traits> {
  let extraClassDefinition = [{
    ::carousel::TargetRequirement $cppClass::getTargetRequirement() {
      return ::carousel::getWgmmaRequirement();
    }
  }];
}

def Carousel_WgmmaDescriptorOp : Carousel_WgmmaOp<"wgmma.descriptor", [Pure]> {
  let summary = "describe a matrix in shared memory to wgmma";
  let description = [{
    The matrix begins at an element of `source`. The innermost two dimensions of `source` are rows
    of one span: 32, 64 or 128 bytes with a swizzle, and 16 bytes without. The dimension before
    these, if there is one, continues the rows: it counts blocks of the matrix along its contiguous
    dimension. The tile is laid out as a tensor copy with this swizzle fills it.

    The bits are those of the memref's type and the address alone. A descriptor stays valid as long
    as the memory does.

    With a swizzle, the address of the first row, without the bytes of the innermost index, is a
    multiple of eight spans: the swizzle begins there. The simulated machine checks this.

    Constraints:

    - There is one index per dimension (C29), and at least two dimensions. Static strides are those
      of rows of one span, and of blocks of whole pieces of 16 bytes, less than 2^18 apart. A matrix
      of several blocks has three dimensions, as each has without a swizzle (C319).
    - Elements of `source` have the type of the descriptor's. Bytes (i8) may hold floats of 8 bits
      (C320).
    - The swizzle is none, b32, b64 or b128 (C321).
    - Constant indices aren't negative. A constant row is a multiple of 8, and a constant innermost
      index at a multiple of 16 bytes (C322).

    Example:

    ```mlir
    %b = carousel.wgmma.descriptor %tile[%slot, %c0, %k] swizzle(b128)
        : memref<4x128x64xbf16, #gpu.address_space<workgroup>>
          to !carousel.matrix_descriptor<bf16, k>
    ```

    PTX ISA: wgmma, Matrix Descriptor Format; Strides.
  }];
  let arguments = (ins Carousel_SharedMemRef:$source, Variadic<Index>:$indices,
    DefaultValuedAttr<Carousel_SwizzleAttr, "::carousel::Swizzle::None">:$swizzle);
  let results = (outs Carousel_MatrixDescriptor:$result);
  let assemblyFormat = [{
    $source `[` $indices `]` (`swizzle` `(` custom<Keyword>($swizzle)^ `)`)? attr-dict
    `:` type($source) `to` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def Carousel_WgmmaFenceOp : Carousel_WgmmaOp<"wgmma.fence",
    [JoinsWgmmaGroup, ChangesThreads, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "let products access registers after this thread's accesses of them";
  let description = [{
    The results are the vectors as products in flight may access them. The first product of a
    warpgroup comes after a fence, and so does each product whose registers other instructions have
    written. A product that adds to the result of a product of the same shape needs none.

    The fence orders registers. What threads have written to shared memory also needs a
    `fence.proxy async_shared_cta` before a product reads it.

    All threads of the warpgroup execute the op together. A vector may be `ub.poison` if the first
    product doesn't add to it.

    With `renews`, an instruction writes registers of each first factor before the fence, by a value
    that leaves them as they are and that no compiler knows. It is for factors that a loop carries
    unchanged: ptxas 13.0 gives the registers of such a factor to other values of the loop.

    With `renews_sums`, an instruction writes each register of f32 so. It is for sums with which a
    loop begins, and which a branch loads from memory: ptxas 13.0 makes each product of such a loop
    wait for the one before (C329).

    Example:

    ```mlir
    %sums = carousel.wgmma.fence(%zero) : vector<32x2x2xf32>
    ```

    PTX ISA: wgmma.fence.
  }];
  let arguments = (ins Variadic<AnyVectorOfNonZeroRank>:$vectors, UnitAttr:$renews,
    UnitAttr:$renews_sums);
  let results = (outs Variadic<Carousel_WgmmaRegisters>:$results);
  let assemblyFormat = [{
    (`renews` $renews^)? (`renews_sums` $renews_sums^)? (`(` $vectors^ `)` `:` type($vectors))?
    attr-dict
  }];
}

def Carousel_WgmmaMmaOp : Carousel_WgmmaOp<"wgmma.mma", [
    MemoryEffects<[MemRead<WgmmaGroups>, MemWrite<WgmmaGroups>, MemRead<SharedMemory>]>,
    ChangesThreads, AllTypesMatch<["sums", "result"]>]> {
  let summary = "add a product of two matrices to sums, asynchronously";
  let description = [{
    Starts `sums = a * b + sums`, where `a` has 64 rows, and `b` as many columns as the sums. The
    depth k is 32 bytes of elements: 16 elements of 16 bits, 8 of f32, 32 of 8 bits. `scale` is the
    same in all threads; if it is false, the sums begin at 0, and their registers aren't read.

    The product reads `a` and `b` at any time until a `wgmma.wait` completes its group; memory by
    the async proxy. Products whose sums are the same registers are added in program order.

    Warp w of the warpgroup has rows 16w to 16w + 15. A thread's sums are
    `vector<(n / 8)x2x2xT>`: of each eight columns, two in its row g and two in row g + 8. Lane
    4g + t has columns 2t and 2t + 1. `a` in registers is `vector<4x(32 / bits)xT>`, in the layout
    of `nvgpu.mma.sync`'s first factor.

    All threads of the warpgroup execute the op together.

    Constraints:

    - `sums` hold 8 to 256 columns, in steps of 8; of i8 in steps of 16 from 32 on (C323).
    - Both factors have one element type, or both are floats of 8 bits (C324). Sums are f32, or f16
      for f16 and floats of 8 bits; of i8 they are i32 (C325).
    - `a` in registers is a vector of four registers. If `a_type` says which, bytes stand for floats
      of 8 bits, and words (`vector<4x1xi32>`) for any elements (C326).
    - Factors of floats can be negated. Those of i8 can be unsigned, and their sums saturate (C327).

    Example:

    ```mlir
    %next = carousel.wgmma.mma %a, %b, %sums scale(%accumulate)
        : !carousel.matrix_descriptor<bf16, k>, !carousel.matrix_descriptor<bf16, mn>,
          !carousel.wgmma_registers<vector<32x2x2xf32>>
    ```

    PTX ISA: wgmma.mma_async.
  }];
  let arguments = (ins
    AnyTypeOf<[Carousel_MatrixDescriptor, Carousel_WgmmaRegisters]>:$a,
    Carousel_MatrixDescriptor:$b, Carousel_WgmmaRegisters:$sums, Optional<I1>:$scale,
    UnitAttr:$negate_a, UnitAttr:$negate_b, UnitAttr:$unsigned_a, UnitAttr:$unsigned_b,
    UnitAttr:$saturate, OptionalAttr<TypeAttr>:$a_type);
  let results = (outs Carousel_WgmmaRegisters:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $sums (`scale` `(` $scale^ `)`)? (`negate_a` $negate_a^)?
    (`negate_b` $negate_b^)? (`unsigned_a` $unsigned_a^)? (`unsigned_b` $unsigned_b^)?
    (`saturate` $saturate^)? attr-dict
    `:` type($a) `,` qualified(type($b)) `,` qualified(type($sums))
  }];
  let hasVerifier = 1;
  let extraClassDefinition = "";
  let extraClassDeclaration = [{
    /// Returns the instruction's form: its extents, types and modifiers.
    ::carousel::WgmmaForm getForm();
  }];
}

def Carousel_WgmmaCommitOp : Carousel_WgmmaOp<"wgmma.commit", [JoinsWgmmaGroup, ChangesThreads]> {
  let summary = "close the group of the products that were issued since the last commit";
  let description = [{
    Groups complete in order. A group may be empty. All threads of the warpgroup execute the op
    together.

    Example:

    ```mlir
    carousel.wgmma.commit
    ```

    PTX ISA: wgmma.commit_group.
  }];
  let assemblyFormat = "attr-dict";
}

def Carousel_WgmmaWaitOp : Carousel_WgmmaOp<"wgmma.wait", [
    MemoryEffects<[MemRead<WgmmaGroups>, MemWrite<WgmmaGroups>, MemRead<SharedMemory>,
                   MemWrite<SharedMemory>]>,
    ChangesThreads, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "wait until at most `pending` groups of products are in flight";
  let description = [{
    Waits for all groups of this warpgroup except the `pending` newest. Their products have then
    read their factors, so that a barrier may hand the memory to others, and have written their
    sums. The results are the registers as vectors. Only registers that no product in flight
    accesses may be operands.

    With `renews_sums`, an instruction behind the wait writes the first register of sums of f32, by
    a value that leaves it as it is and that no compiler knows. It is for sums that only one product
    adds to: ptxas 13.0 may read them before the wait, and then makes products wait (C329).

    All threads of the warpgroup execute the op together.

    Constraints: `pending` is 0 to 7 (C328).

    Example:

    ```mlir
    carousel.wgmma.wait 1
    %product = carousel.wgmma.wait 0, %sums : !carousel.wgmma_registers<vector<32x2x2xf32>>
    ```

    PTX ISA: wgmma.wait_group.
  }];
  // C328
  let arguments = (ins ConfinedAttr<I32Attr, [IntMinValue<0>, IntMaxValue<7>]>:$pending,
    Variadic<Carousel_WgmmaRegisters>:$registers, UnitAttr:$renews_sums);
  let results = (outs Variadic<AnyVectorOfNonZeroRank>:$results);
  let assemblyFormat = [{
    $pending (`renews_sums` $renews_sums^)? (`,` $registers^ `:` type($registers))? attr-dict
  }];
}

//===----------------------------------------------------------------------===//
// The tile phase
//===----------------------------------------------------------------------===//

def Carousel_MultiplyOp : Carousel_WgmmaOp<"multiply", [
    AllTypesMatch<["sums", "result"]>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<Carousel_AsyncConsumerOpInterface>]> {
  let summary = "add a product of two tiles to sums, by a warpgroup";
  let description = [{
    Adds `a * b` to the sums of a warpgroup. Tiles are `m x k` and `k x n`, or transposed. All of k
    is summed over, in order. The sums are a vector of `m / 64 x n / 8 x 2 x 2` elements in each
    thread: of the rows of `a` from `row` on, and of the columns of `b` from `column` on.

    The threads may have `a` in registers instead: a vector of `m / 64 x k / d x 4 x (32 / bits)`
    elements in each thread, where d elements are 32 bytes. Each 64 rows and d of k are in the
    layout of `wgmma.mma`'s `a`.

    The op belongs to the tile and the ring phase, where it behaves as if it were synchronous. Each
    64 rows are in the layout of `wgmma.mma`. The 128 threads of a warpgroup execute the op
    together, with the same `row` and `column`, which are multiples of 8.

    With `promote(p)`, each p of k are summed over on their own, from zero on, and then added to the
    sums, in order. Instructions add products of 8-bit floats with fewer bits than f32 has; so only
    p of them are added that way.

    `--carousel-swizzle-tiles` sets `swizzle_a` and `swizzle_b`: how the tiles lie in memory.
    `--carousel-lower-products` makes `wgmma.mma` of it.

    Constraints:

    - The tiles have static and contiguous dimensions, and the same k, a multiple of 32 bytes. All
      dimensions but the last count rows. The tiles have at least as many rows and columns as the
      sums (C330).
    - A vector `a` has as many pieces of 64 rows as the sums, and the k of `b`. It has no row, and
      isn't transposed (C334).
    - `promote` is a multiple of 32 bytes that divides k, and the sums are f32 (C338).
    - Types and columns are those of a `wgmma.mma`, with sums of f32 or i32 (C316, C317, C323 to
      C325).
    - In the machine phase tiles are swizzled (C331). `--carousel-lower-products` refuses others.

    Example:

    ```mlir
    %next = carousel.multiply %x[%row], %w[%c0], %sums transpose_b
        : memref<128x64xbf16, #gpu.address_space<workgroup>>,
          memref<256x64xbf16, #gpu.address_space<workgroup>>, vector<1x32x2x2xf32>
    %more = carousel.multiply %fragments, %w[%c0], %next transpose_b
        : vector<1x4x4x2xbf16>, memref<256x64xbf16, #gpu.address_space<workgroup>>,
          vector<1x32x2x2xf32>
    %promoted = carousel.multiply %x8[%row], %w8[%c0], %sums transpose_b promote(128)
        : memref<128x256xf8E4M3FN, #gpu.address_space<workgroup>>,
          memref<256x256xf8E4M3FN, #gpu.address_space<workgroup>>, vector<1x32x2x2xf32>
    ```

    PTX ISA: wgmma.mma_async.
  }];
  let arguments = (ins
    AnyTypeOf<[Carousel_SharedMemRef, AnyVectorOfNonZeroRank]>:$a, Carousel_SharedMemRef:$b,
    Index:$column, AnyVectorOfNonZeroRank:$sums, Optional<Index>:$row, UnitAttr:$transpose_a,
    UnitAttr:$transpose_b, OptionalAttr<I64Attr>:$promote,
    DefaultValuedAttr<Carousel_SwizzleAttr, "::carousel::Swizzle::None">:$swizzle_a,
    DefaultValuedAttr<Carousel_SwizzleAttr, "::carousel::Swizzle::None">:$swizzle_b);
  let results = (outs AnyVectorOfNonZeroRank:$result);
  let assemblyFormat = [{
    $a (`[` $row^ `]`)? `,` $b `[` $column `]` `,` $sums (`transpose_a` $transpose_a^)?
    (`transpose_b` $transpose_b^)? (`promote` `(` $promote^ `)`)? attr-dict
    `:` type($a) `,` type($b) `,` type($sums)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Whether the threads have `a` in registers.
    bool hasRegisters() { return ::llvm::isa<::mlir::VectorType>(getA().getType()); }
    /// The extent that is summed over, in elements.
    int64_t getDepth();
    /// The extent of k in one instruction, in elements.
    int64_t getInstructionDepth();
  }];
}

#endif // CAROUSEL_DIALECT_IR_CAROUSELWGMMAOPS_TD
