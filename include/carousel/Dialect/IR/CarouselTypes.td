//===- CarouselTypes.td - types and operand constraints ----*- tablegen -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The mbarrier, its state token and the tensor map; memrefs by memory space.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_IR_CAROUSELTYPES_TD
#define CAROUSEL_DIALECT_IR_CAROUSELTYPES_TD

include "carousel/Dialect/IR/CarouselEnums.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "mlir/IR/CommonTypeConstraints.td"

def Carousel_Mbarrier : Carousel_Type<"Mbarrier", "mbarrier", [MemRefElementTypeInterface]> {
  let summary = "an mbarrier object: 8 bytes of shared memory, opaque";
  let description = [{
    Only an element of a memref in shared memory has this type, so an array of barriers is
    `memref<4x!carousel.mbarrier, #gpu.address_space<workgroup>>` and everything that makes
    and cuts memrefs serves barriers too. 8 bytes, aligned to 8.

    PTX ISA: Parallel Synchronization and Communication Instructions: mbarrier.
  }];
}

def Carousel_MbarrierState : Carousel_Type<"MbarrierState", "mbarrier_state"> {
  let summary = "the token of an arrive, by which the same phase is waited for";
  let description = [{
    The opaque 64-bit state of an mbarrier before an arrive. It names the phase that the
    arrive belonged to; `test_wait`, `try_wait` and `wait` take it. A remote arrive has none.
  }];
}

def Carousel_TensorMap : Carousel_Type<"TensorMap", "tensor_map", [MemRefElementTypeInterface]> {
  let summary = "a tensor map: the descriptor of tensor copies, 128 bytes, opaque";
  let description = [{
    Carries everything that the driver's encode call takes and that does not depend on the
    tensor at hand: the data pointer, extents and strides in bytes come with the launch.

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

    `box` is the box in elements, outermost first. For the im2col modes it is pixels x
    channels, `rank` is the tensor's, and `lower` and `upper` are the corners of the
    bounding box (one entry per spatial dimension; one for `im2col_w`, the W dimension).
    `strides` are the traversal strides of the elements, 1 unless given.

    As a value it is a reference to a descriptor: a kernel argument of this type is passed
    by value as `__grid_constant__`. In memory it is an element of a memref in global or
    shared memory.

    Constraints (PTX ISA: Tensors; CUDA driver API: cuTensorMapEncodeTiled, ...Im2col):
    rank 1 to 5 (C10), box extents 1 to 256 (C11), element strides 1 to 8 (C12), one stride
    a dimension (C13), inner box bytes a multiple of 16 (C14) and no wider than the swizzle
    span (C15), interleaved layouts of rank 3 and more with swizzle b32 for b32 (C16),
    NaN fill for floating-point elements only (C17), im2col of rank 3 to 5 (C18) with one
    corner entry per spatial dimension (C19) in the driver's ranges (C21), the wide im2col
    modes with swizzles of 64 and 128 bytes (C22) and im2col_w_128 with 128 pixels (C23),
    packed sub-byte elements in the boxes and swizzles that the hardware has for them (C20).

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
    /// Bits of one element as it lies in shared memory. Packed sub-byte formats count the
    /// bits that they occupy there, padding included.
    unsigned getElementBits() const;
    /// Bytes of shared memory that one copy with this map fills or reads; this is what a
    /// transaction barrier has to expect. `rows` boxes for gather4 and scatter4.
    int64_t getBoxBytes(unsigned rows = 1) const;
    /// The alignment in bytes that the shared tile needs (after multi-versioning).
    int64_t getSharedAlignment() const;
  }];
}

def Carousel_Ring : Carousel_Type<"Ring", "ring"> {
  let summary = "a circular buffer: slots of tiles in shared memory";
  let description = [{
    ```
    ring ::= `!carousel.ring` `<` int (`x` memref (`,` memref)*)? `>`
    ```

    The number of slots, and the tiles that each of them has. A ring without tiles orders accesses
    to buffers that are elsewhere. docs/Rings.md says how a ring is used.

    Constraints: at least one slot; tiles are contiguous memrefs of data of static extents in shared
    memory (C151).

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
