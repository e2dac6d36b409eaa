//===- CarouselTensorOps.td - tensor.*, tensor_map.* -------*- tablegen -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies of boxes of a tensor that a tensor map describes, and the maps themselves.
// PTX ISA: Data Movement and Conversion Instructions: Tensor copy; Tensors.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_IR_CAROUSELTENSOROPS_TD
#define CAROUSEL_DIALECT_IR_CAROUSELTENSOROPS_TD

include "carousel/Dialect/IR/CarouselOpBase.td"

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

def Carousel_TensorLoadOp : Carousel_Op<"tensor.load", [AttrSizedOperandSegments,
    MemoryEffects<[MemRead<GlobalMemory>, MemRead<TensorMaps>]>]> {
  let summary = "copy a box of a tensor to shared memory; completes on an mbarrier";
  let description = [{
    One thread issues it. Elements outside of the tensor are filled as the map says and
    count as transferred, so the transaction bytes are always those of the whole box.

    Modes, and their coordinates in memref order:
    - `tile` (the default): the box's first element, one coordinate per dimension.
    - `gather4`: four rows of a matrix, `[row0, row1, row2, row3, column]`.
    - `im2col`: `[n, (d, h,) w, c]` and one offset per spatial dimension.
    - `im2col_w`, `im2col_w_128`: as `im2col` with the two offsets `[halo, offset]`.

    `multicast` and remote destinations are as for `bulk.load`. `cta_group` 2 lets the
    barrier lie in the CTA's peer of a pair.

    The innermost coordinate is at a multiple of 16 bytes unless the map is interleaved (C75).

    Constraints: the coordinates fit the map and the mode (C60), so do the offsets (C61); the map's
    mode is the op's (C62); the tile has room for the box where its size is known (C63); the tile is
    contiguous in its innermost dimension (C42) and of elements as wide as the map's (C64); gather4
    takes a map of rank 2 with a box of one row (C65); multicast takes a destination in the CTA's
    own memory (C43); destination and barrier are both local or both remote (C44); the CTA group is
    1 or 2 (C66); the format can be loaded (C74).

    Example:

    ```mlir
    carousel.tensor.load %map[%row, %col] to %tile[%slot, %c0, %c0] signals %full[%slot]
        : !carousel.tensor_map<64x64xbf16, swizzle = b128>,
          memref<4x64x64xbf16, #gpu.address_space<workgroup>>,
          memref<4x!carousel.mbarrier, #gpu.address_space<workgroup>>
    ```

    PTX ISA: cp.async.bulk.tensor.
  }];
  let arguments = (ins
    Carousel_TensorMap:$map, Variadic<I32>:$coordinates, Variadic<I16>:$offsets,
    Arg<Carousel_AnySharedMemRef, "destination", [MemWrite<SharedMemory>]>:$destination,
    Variadic<Index>:$destination_indices,
    Arg<Carousel_AnyMbarrierMemRef, "barriers", [MemRead<Barriers>, MemWrite<Barriers>]>:$barriers,
    Variadic<Index>:$barrier_indices,
    DefaultValuedAttr<Carousel_TensorLoadModeAttr, "::carousel::TensorLoadMode::Tile">:$mode,
    Optional<I16>:$multicast_mask, Carousel_CachePolicy:$cache_policy,
    // C66
    OptionalAttr<ConfinedAttr<I32Attr, [IntMinValue<1>, IntMaxValue<2>]>>:$cta_group);
  let assemblyFormat = [{
    $map `[` $coordinates `]` (`mode` `(` custom<Keyword>($mode)^ `)`)? (`offsets` `[` $offsets^
    `]`)?
    `to` $destination `[` $destination_indices `]` `signals` $barriers `[` $barrier_indices `]`
    (`multicast` $multicast_mask^)? (`cache` $cache_policy^)? (`cta_group` `(` $cta_group^ `)`)?
    attr-dict `:` qualified(type($map)) `,` type($destination) `,` type($barriers)
  }];
  let extraClassDeclaration = [{
    /// The transaction bytes of this copy, per destination CTA.
    int64_t getTransactionBytes();
  }];
  let hasVerifier = 1;
}

class Carousel_TensorStoreBase<string mnemonic, dag leading, string leadingFormat,
                               list<MemoryEffect> onGlobal>
    : Carousel_Op<mnemonic, [AttrSizedOperandSegments, JoinsBulkGroup,
                            MemoryEffects<!listconcat(onGlobal, [MemRead<TensorMaps>])>]> {
  let arguments = !con(leading, (ins
    Arg<Carousel_SharedMemRef, "source", [MemRead<SharedMemory>]>:$source,
    Variadic<Index>:$source_indices,
    Carousel_TensorMap:$map, Variadic<I32>:$coordinates,
    DefaultValuedAttr<Carousel_TensorStoreModeAttr, "::carousel::TensorStoreMode::Tile">:$mode,
    Carousel_CachePolicy:$cache_policy));
  let assemblyFormat = leadingFormat # [{
    $source `[` $source_indices `]` `to` $map `[` $coordinates `]` (`mode` `(`
    custom<Keyword>($mode)^ `)`)?
    (`cache` $cache_policy^)? attr-dict `:` type($source) `,` qualified(type($map))
  }];
  let hasVerifier = 1;
}

def Carousel_TensorStoreOp
    : Carousel_TensorStoreBase<"tensor.store", (ins), "", [MemWrite<GlobalMemory>]> {
  let summary = "copy a box from shared memory into a tensor; completes in a bulk group";
  let description = [{
    Elements outside of the tensor are not written; the box doesn't begin before it (C76), and
    its innermost coordinate is at a multiple of 16 bytes (C75). Reads through the async proxy, as
    `bulk.store`. Modes: `tile` (the default), `scatter4` (`[row0, row1, row2, row3, column]`),
    `im2col_no_offs` (`[n, (d, h,) w, c]`).

    Constraints: coordinates (C60), the map's mode (C62), room (C63), contiguity (C42),
    element width (C64); scatter4 takes a map of rank 2 with a box of one row (C65); the format
    can be stored (C74).

    Example:

    ```mlir
    carousel.tensor.store %tile[%slot, %c0, %c0] to %map[%row, %col]
        : memref<4x64x64xbf16, #gpu.address_space<workgroup>>,
          !carousel.tensor_map<64x64xbf16, swizzle = b128>
    ```

    PTX ISA: cp.async.bulk.tensor.
  }];
}

def Carousel_TensorReduceOp
    : Carousel_TensorStoreBase<"tensor.reduce", (ins Carousel_ReduceKindAttr:$kind),
        "custom<Keyword>($kind)",
                               [MemRead<GlobalMemory>, MemWrite<GlobalMemory>]> {
  let summary = "reduce a box of shared memory into a tensor; completes in a bulk group";
  let description = [{
    The element type is the map's. Atomic per element, relaxed at gpu scope. Exactly one
    thread issues it: a second issue counts twice.

    Constraints: those of `tensor.store` (C60, C62, C63, C42, C64); no scatter4 (C67); the
    kind has the element type (C68).

    Example:

    ```mlir
    carousel.tensor.reduce add %tile[%c0, %c0] to %map[%row, %col]
        : memref<64x32xf32, #gpu.address_space<workgroup>>, !carousel.tensor_map<64x32xf32>
    ```

    PTX ISA: cp.reduce.async.bulk.tensor.
  }];
}

def Carousel_TensorPrefetchOp : Carousel_Op<"tensor.prefetch", [AttrSizedOperandSegments,
    MemoryEffects<[MemRead<GlobalMemory>, MemRead<TensorMaps>]>, FillsCaches]> {
  let summary = "bring a box of a tensor into L2";
  let description = [{
    A hint: nothing completes and nothing is waited for. Modes, coordinates and offsets are
    those of `tensor.load`.

    Constraints: coordinates (C60), offsets (C61), the map's mode (C62), gather4 (C65).

    Example:

    ```mlir
    carousel.tensor.prefetch %map[%row, %col] : !carousel.tensor_map<64x64xbf16>
    ```

    PTX ISA: cp.async.bulk.prefetch.tensor.
  }];
  let arguments = (ins
    Carousel_TensorMap:$map, Variadic<I32>:$coordinates, Variadic<I16>:$offsets,
    DefaultValuedAttr<Carousel_TensorLoadModeAttr, "::carousel::TensorLoadMode::Tile">:$mode,
    Carousel_CachePolicy:$cache_policy);
  let assemblyFormat = [{
    $map `[` $coordinates `]` (`mode` `(` custom<Keyword>($mode)^ `)`)? (`offsets` `[` $offsets^
    `]`)?
    (`cache` $cache_policy^)? attr-dict `:` qualified(type($map))
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Tensor maps
//===----------------------------------------------------------------------===//

def Carousel_TensorMapGetOp : Carousel_FixedOp<"tensor_map.get", 90, 80, [Pure]> {
  let summary = "a reference to a descriptor in global memory";
  let description = [{
    The address of the element; nothing is read. A descriptor that the device wrote needs
    `fence.tensor_map_acquire` before it is used.

    Constraints: the memref is in global memory (C7), its element type is the result's (C69).

    Example:

    ```mlir
    %map = carousel.tensor_map.get %maps[%i]
        : memref<?x!carousel.tensor_map<64x32xf32>, #gpu.address_space<global>>
          -> !carousel.tensor_map<64x32xf32>
    ```

    PTX ISA: Tensors: Tensor-map.
  }];
  let arguments = (ins Carousel_GlobalMemRef:$maps, Variadic<Index>:$indices);
  let results = (outs Carousel_TensorMap:$map);
  let assemblyFormat =
      "$maps `[` $indices `]` attr-dict `:` type($maps) `->` qualified(type($map))";
  let hasVerifier = 1;
}

def Carousel_TensorMapPrefetchOp : Carousel_FixedOp<"tensor_map.prefetch", 90, 80,
    [MemoryEffects<[MemRead<TensorMaps>]>, FillsCaches]> {
  let summary = "bring a descriptor into the descriptor cache";
  let description = [{
    A hint. `space` says where the descriptor is known to be, a kernel parameter or constant
    memory, which selects that form of the instruction; without it the address is generic.

    Example:

    ```mlir
    carousel.tensor_map.prefetch %map space(param) : !carousel.tensor_map<64x32xf32>
    ```

    PTX ISA: prefetch.tensormap.
  }];
  let arguments = (ins Carousel_TensorMap:$map,
    DefaultValuedAttr<Carousel_TensorMapSpaceAttr, "::carousel::TensorMapSpace::Generic">:$space);
  let assemblyFormat = [{
    $map (`space` `(` custom<Keyword>($space)^ `)`)? attr-dict `:` qualified(type($map))
  }];
}

def Carousel_TensorMapReplaceOp : Carousel_Op<"tensor_map.replace", [AttrSizedOperandSegments]> {
  let summary = "change one field of a descriptor in memory";
  let description = [{
    A weak write of the whole descriptor. Fields:
    - `global_address`, `rank` (the rank minus one): a value;
    - `box_dim`, `global_dim`, `global_stride`, `element_stride`: a dimension, counted as
      PTX counts them from the innermost, and a value;
    - `elemtype`, `interleave_layout`, `swizzle_mode`, `swizzle_atomicity`, `fill_mode`: an
      integer literal, encoded as the PTX ISA's table for tensormap.replace says.

    Constraints: a dimension is given for the fields that have one, and for no other (C70); a
    value or a literal, as the field wants (C71); addresses and strides are i64, other
    values i32 (C72); literals are in the field's range (C73).

    Example:

    ```mlir
    carousel.tensor_map.replace global_dim dim(1) of %maps[%i] with %rows
        : memref<4x!carousel.tensor_map<64x32xf32>, #gpu.address_space<workgroup>>, i32
    ```

    PTX ISA: tensormap.replace.
  }];
  let arguments = (ins Carousel_TensorMapFieldAttr:$field,
    OptionalAttr<ConfinedAttr<I32Attr, [IntMinValue<0>, IntMaxValue<4>]>>:$dim,
    Arg<Carousel_TensorMapMemRef, "descriptors", [MemRead<TensorMaps>, MemWrite<TensorMaps>]>:$maps,
    Variadic<Index>:$indices, Optional<AnyTypeOf<[I32, I64]>>:$value,
    Carousel_I32Literal:$literal);
  let assemblyFormat = [{
    custom<Keyword>($field) (`dim` `(` $dim^ `)`)? `of` $maps `[` $indices `]` (`with` $value^)?
    (`literal` $literal^)? attr-dict `:` type($maps) (`,` type($value)^)?
  }];
  let hasVerifier = 1;
}

def Carousel_TensorMapCopyFenceOp : Carousel_FixedOp<"tensor_map.copy_fence", 90, 83,
    [AttrSizedOperandSegments, OrdersGlobal]> {
  let summary = "copy a descriptor from shared to global memory, with a release fence";
  let description = [{
    All threads of a warp execute it together. Orders the copy for a later
    `fence.tensor_map_acquire`.

    Constraints: both memrefs hold tensor maps of one type (C69).

    Example:

    ```mlir
    carousel.tensor_map.copy_fence %local[%i] to %maps[%i] scope(gpu)
        : memref<4x!carousel.tensor_map<64x32xf32>, #gpu.address_space<workgroup>>,
          memref<?x!carousel.tensor_map<64x32xf32>, #gpu.address_space<global>>
    ```

    PTX ISA: tensormap.cp_fenceproxy.
  }];
  let arguments = (ins
    Arg<Carousel_SharedMemRef, "source", [MemRead<TensorMaps>]>:$source,
    Variadic<Index>:$source_indices,
    Arg<Carousel_GlobalMemRef, "destination", [MemWrite<TensorMaps>]>:$destination,
    Variadic<Index>:$destination_indices, Carousel_MemScopeAttr:$scope);
  let assemblyFormat = [{
    $source `[` $source_indices `]` `to` $destination `[` $destination_indices `]`
    `scope` `(` custom<Keyword>($scope) `)` attr-dict `:` type($source) `,` type($destination)
  }];
  let hasVerifier = 1;
}

#endif // CAROUSEL_DIALECT_IR_CAROUSELTENSOROPS_TD
