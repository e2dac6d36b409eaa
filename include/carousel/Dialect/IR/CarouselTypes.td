//===- CarouselTypes.td - types and operand constraints ----*- tablegen -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The types mbarrier, mbarrier state, tensor map, ring, matrix descriptor and registers of wgmma,
// and memrefs by memory space.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_IR_CAROUSELTYPES_TD
#define CAROUSEL_DIALECT_IR_CAROUSELTYPES_TD

include "carousel/Dialect/IR/Attrs/CarouselEnums.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "mlir/IR/CommonTypeConstraints.td"

def Carousel_Mbarrier : Carousel_Type<"Mbarrier", "mbarrier", [MemRefElementTypeInterface]> {
  let summary = "an mbarrier object: 8 opaque bytes of shared memory";
  let description = [{
    The type is only used as the element type of a memref in shared memory. An array of barriers is
    `memref<4x!carousel.mbarrier, #gpu.address_space<workgroup>>`, so memref ops allocate barriers
    and take views of them. An mbarrier has 8 bytes, and is aligned to 8.

    PTX ISA: Parallel Synchronization and Communication Instructions: mbarrier.
  }];
}

def Carousel_MbarrierState : Carousel_Type<"MbarrierState", "mbarrier_state"> {
  let summary = "the result of an arrive, which names a phase of an mbarrier";
  let description = [{
    The opaque 64-bit state of an mbarrier before an arrive. It names the phase of this arrive.
    `test_wait`, `try_wait` and `wait` take it. An arrive on a barrier in another CTA has none.
  }];
}

def Carousel_TensorMap : Carousel_Type<"TensorMap", "tensor_map", [MemRefElementTypeInterface]> {
  let summary = "a tensor map: an opaque descriptor of 128 bytes for tensor copies";
  let description = [{
    The type holds the parameters of the driver's encode call that don't depend on the tensor. A
    launch adds the address, the extents, and the strides in bytes.

    ```
    tensor-map ::= `!carousel.tensor_map` `<` box `x` element (`,` option)* `>`
    option     ::= `swizzle` `=` (`b32` | `b64` | `b128` | `b128_atom_32b` |
                                  `b128_atom_32b_flip_8b` | `b128_atom_64b`)
                 | `interleave` `=` (`b16` | `b32`)
                 | `promotion` `=` (`b64` | `b128` | `b256`)
                 | `fill` `=` `nan`
                 | `strides` `=` `[` int (`,` int)* `]`
                 | `mode` `=` (`im2col` | `im2col_w` | `im2col_w_128`)
                 | `rank` `=` int | `lower` `=` `[` ints `]` | `upper` `=` `[` ints `]`
    ```

    `box` gives the extents of the box in elements, outermost first. `strides` gives the traversal
    strides of the elements, 1 by default. In the im2col modes the box is pixels x channels, and
    `rank` is the rank of the tensor. `lower` and `upper` are then the corners of the bounding box:
    one entry per spatial dimension, or one entry, for the dimension W, in the wide modes.

    A value of this type is a reference to a descriptor. A kernel argument of this type is passed by
    value, as `__grid_constant__`. In memory the type is the element of a memref in global or shared
    memory.

    Constraints (PTX ISA: Tensors; CUDA driver API: cuTensorMapEncodeTiled, ...Im2col,
    ...Im2colWide):

    - The rank is 1 to 5 (C10). Box extents are 1 to 256, and an im2col box has 1 to 1024 pixels
      (C11).
    - Each dimension has one element stride (C13), of 1 to 8 (C12).
    - Without interleave the inner box extent in bytes is a multiple of 16 (C14), and at most the
      swizzle's span (C15).
    - An interleaved tensor has rank 3 or more. Interleave b32 has swizzle b32 (C16).
    - NaN fill is for floating-point elements (C17).
    - An im2col tensor has rank 3 to 5 (C18), and corners with one entry per spatial dimension (C19)
      in the driver's ranges (C21).
    - The wide im2col modes have swizzle b64, b128 or b128_atom_32b (C22). `im2col_w_128` has 128
      pixels (C23).
    - Packed elements of less than a byte have the boxes and swizzles that the hardware supports
      for them (C20).

    Example:

    ```mlir
    !map = !carousel.tensor_map<64x64xbf16, swizzle = b128, promotion = b256>
    ```
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t", "box extents, outermost first">:$box,
    "::carousel::TensorElement":$element,
    "::carousel::TensorMapMode":$mode,
    "int64_t":$rank,
    ArrayRefParameter<"int64_t", "element strides, outermost first">:$elementStrides,
    "::carousel::Swizzle":$swizzle,
    "::carousel::Interleave":$interleave,
    "::carousel::L2Promotion":$promotion,
    "::carousel::OutOfBoundsFill":$fill,
    ArrayRefParameter<"int64_t", "lower corner">:$lowerCorner,
    ArrayRefParameter<"int64_t", "upper corner">:$upperCorner);
  let builders = [
    TypeBuilder<(ins "::llvm::ArrayRef<int64_t>":$box, "::carousel::TensorElement":$element,
                     CArg<"::carousel::Swizzle", "::carousel::Swizzle::None">:$swizzle)>
  ];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Bits of one element in shared memory. For packed formats of less than a byte this includes
    /// their padding.
    unsigned getElementBits() const;
    /// Bytes of shared memory that one copy with this map fills or reads, which are the transaction
    /// bytes of the copy. `rows` is the number of boxes, for gather4 and scatter4.
    int64_t getBoxBytes(unsigned rows = 1) const;
    /// The alignment in bytes that the tile in shared memory needs.
    int64_t getSharedAlignment() const;
  }];
}

def Carousel_Ring : Carousel_Type<"Ring", "ring"> {
  let summary = "a circular buffer: slots of tiles in shared memory";
  let description = [{
    ```
    ring ::= `!carousel.ring` `<` int (`x` memref (`,` memref)*)? `>`
    ```

    The type gives the number of slots, and the tiles of each slot. A ring without tiles orders
    accesses to buffers that are not its own. docs/Rings.md says how a ring is used.

    Constraints: there is at least one slot. Tiles are contiguous memrefs of data in shared memory,
    with static extents (C151).

    Example:

    ```mlir
    !carousel.ring<4 x memref<64x64xbf16, #gpu.address_space<workgroup>>>
    ```
  }];
  let parameters = (ins
    "int64_t":$stages,
    ArrayRefParameter<"::mlir::MemRefType", "tiles of a slot">:$tiles);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Carousel_MatrixDescriptor : Carousel_Type<"MatrixDescriptor", "matrix_descriptor"> {
  let summary = "a matrix in shared memory, as wgmma reads it";
  let description = [{
    ```
    matrix-descriptor ::= `!carousel.matrix_descriptor` `<` element `,` (`k` | `mn`) `>`
    ```

    The 64 bits hold an address in shared memory, two strides, and a swizzle. Elements that are
    adjacent in memory are neighbours along k (`k`), which is summed over, or along the other
    dimension (`mn`). Products of f32 use the first 19 bits of an element (tf32).

    Constraints: the element is f16, bf16, f32, f8E4M3FN, f8E5M2 or i8 (C316). Only elements of 16
    bits may be adjacent along `mn` (C317).

    Example:

    ```mlir
    !carousel.matrix_descriptor<bf16, k>
    ```

    PTX ISA: wgmma, Matrix Descriptor Format.
  }];
  let parameters = (ins "::mlir::Type":$element, EnumParameter<Carousel_MatrixMajor>:$major);
  let assemblyFormat = "`<` $element `,` $major `>`";
  let genVerifyDecl = 1;
}

def Carousel_WgmmaRegisters : Carousel_Type<"WgmmaRegisters", "wgmma_registers"> {
  let summary = "a vector in registers that products in flight may read or write";
  let description = [{
    A thread's part of a matrix that `wgmma.mma` adds to, or that it multiplies from registers.
    `wgmma.fence` makes such values of vectors, and `wgmma.wait` makes vectors of them. No other op
    computes with them, so that no pass reads registers before a product has written them. Loops and
    branches may pass them on.

    Constraints: elements have 8, 16 or 32 bits, and each row is a power of two of them, in whole
    registers of 32 bits (C318).

    Example:

    ```mlir
    !carousel.wgmma_registers<vector<32x2x2xf32>>
    ```

    PTX ISA: wgmma, Register Fragments.
  }];
  let parameters = (ins "::mlir::VectorType":$vector);
  let assemblyFormat = "`<` $vector `>`";
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// Memrefs by space
//===----------------------------------------------------------------------===//

def Carousel_IsGlobal : CPred<"::carousel::isGlobalMemRef($_self)">;
def Carousel_IsShared : CPred<"::carousel::isSharedMemRef($_self)">;
def Carousel_IsCluster : CPred<"::carousel::isClusterMemRef($_self)">;
def Carousel_IsMbarrierArray : CPred<
  "::llvm::isa<::carousel::MbarrierType>(::llvm::cast<::mlir::MemRefType>($_self).getElementType())">;
def Carousel_IsTensorMapArray : CPred<
  "::llvm::isa<::carousel::TensorMapType>(::llvm::cast<::mlir::MemRefType>($_self).getElementType())">;
def Carousel_IsData : Neg<Or<[Carousel_IsMbarrierArray]>>;

class Carousel_MemRef<list<Pred> preds, string summary>
    : Type<And<!listconcat([IsMemRefTypePred], preds)>, summary, "::mlir::MemRefType">;

// C7
def Carousel_GlobalMemRef : Carousel_MemRef<[Carousel_IsGlobal], "memref in global memory">;
def Carousel_GlobalOrLocalMemRef : Carousel_MemRef<[
  Or<[Carousel_IsGlobal, CPred<"::carousel::isLocalMemRef($_self)">]>],
  "memref in global or local memory">;
def Carousel_SharedMemRef : Carousel_MemRef<[Carousel_IsShared, Carousel_IsData],
  "memref of data in the CTA's shared memory">;
def Carousel_ClusterMemRef : Carousel_MemRef<[Carousel_IsCluster, Carousel_IsData],
  "memref of data in the cluster's shared memory window">;
def Carousel_AnySharedMemRef : Carousel_MemRef<[Or<[Carousel_IsShared, Carousel_IsCluster]>,
  Carousel_IsData], "memref of data in the CTA's or the cluster's shared memory">;
// C8
def Carousel_MbarrierMemRef : Carousel_MemRef<[Carousel_IsShared, Carousel_IsMbarrierArray],
  "memref of mbarriers in the CTA's shared memory">;
def Carousel_ClusterMbarrierMemRef : Carousel_MemRef<[Carousel_IsCluster,
  Carousel_IsMbarrierArray], "memref of mbarriers in the cluster's shared memory window">;
def Carousel_AnyMbarrierMemRef : Carousel_MemRef<[Or<[Carousel_IsShared, Carousel_IsCluster]>,
  Carousel_IsMbarrierArray], "memref of mbarriers in the CTA's or the cluster's shared memory">;
// C9
def Carousel_TensorMapMemRef : Carousel_MemRef<[Or<[Carousel_IsGlobal, Carousel_IsShared]>,
  Carousel_IsTensorMapArray], "memref of tensor maps in global or the CTA's shared memory">;

#endif // CAROUSEL_DIALECT_IR_CAROUSELTYPES_TD
