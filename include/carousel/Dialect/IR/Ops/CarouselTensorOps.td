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
  let summary = "copy a box of a tensor to shared memory; complete on an mbarrier";
  let description = [{
    Copies the box that the map and the coordinates select. One thread issues the copy, which runs
    asynchronously in the async proxy. Bytes that have been written lower the pending transaction
    bytes of the barrier's current phase. Elements outside the tensor receive the map's fill value
    and count as transferred, so the transaction bytes are always those of the whole box.

    The mode determines the coordinates, which are in memref order:

    - `tile` (the default): the box's first element, one coordinate per dimension.
    - `gather4`: four rows of a matrix, `[row0, row1, row2, row3, column]`.
    - `im2col`: `[n, (d, h,) w, c]`, and one offset per spatial dimension.
    - `im2col_w`, `im2col_w_128`: as `im2col`, with the two offsets `[halo, offset]`.

    Without interleave, the innermost coordinate must be at a multiple of 16 bytes (C75).
    `multicast`, `cache` and destinations in another CTA are as for `bulk.load`. With `cta_group(2)`
    the barrier may lie in the other CTA of the pair.

    Constraints:

    - The coordinates match the map and the mode (C60), and so do the offsets (C61).
    - The map has the op's mode (C62).
    - The tile has room for the box if its size is known (C63).
    - The tile is contiguous in its innermost dimension (C42), with elements as wide as the map's
      (C64).
    - `gather4` has a map of rank 2, with a box of one row (C65).
    - A multicast has a destination in the CTA's own memory (C43).
    - Destination and barrier are both in the CTA's own memory, or both in the cluster's window
      (C44).
    - The CTA group is 1 or 2 (C66).
    - The map's format can be loaded (C74).

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
  let summary = "copy a box from shared memory into a tensor; complete in a bulk group";
  let description = [{
    Copies the source to the box that the map and the coordinates select. One thread issues the
    copy, which belongs to the bulk group that this thread commits next. The copy reads the source
    through the async proxy, as `bulk.store` does. It doesn't write elements outside the tensor.

    The mode determines the coordinates, which are in memref order:

    - `tile` (the default): the box's first element, one coordinate per dimension.
    - `scatter4`: four rows of a matrix, `[row0, row1, row2, row3, column]`.
    - `im2col_no_offs`: `[n, (d, h,) w, c]`.

    Coordinates must not be negative (C76). Without interleave, the innermost coordinate must be at
    a multiple of 16 bytes (C75).

    Constraints:

    - The coordinates match the map and the mode (C60), and the map has the op's mode (C62).
    - The tile has room for the box if its size is known (C63).
    - The tile is contiguous in its innermost dimension (C42), with elements as wide as the map's
      (C64).
    - `scatter4` has a map of rank 2, with a box of one row (C65).
    - The map's format can be stored (C74).

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
  let summary = "reduce a box of shared memory into a tensor; complete in a bulk group";
  let description = [{
    Replaces each element of the box with `kind(element, source's element)`. The map gives the
    element type. Each element's update is atomic, and relaxed at gpu scope. Exactly one thread must
    issue the op: each issue reduces the source once more. Otherwise as `tensor.store`.

    Constraints:

    - Coordinates, mode, room, contiguity and elements are as for `tensor.store`
      (C60, C62, C63, C42, C64).
    - The mode isn't `scatter4` (C67).
    - The hardware has the kind for the map's element type (C68).

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
  let summary = "prefetch a box of a tensor into L2";
  let description = [{
    The op is a hint: it has no completion that a thread can wait for. Modes, coordinates and
    offsets are as for `tensor.load`.

    Constraints: coordinates (C60), offsets (C61), the map's mode (C62) and `gather4` (C65) are as
    for `tensor.load`.

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
  let summary = "get a reference to a tensor map in global memory";
  let description = [{
    The op computes the address of the element, and reads nothing. If the device wrote the map, a
    `fence.tensor_map_acquire` must precede its use.

    Constraints: the memref is in global memory (C7). Its element type is the result's type (C69).

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
  let summary = "prefetch a tensor map into the descriptor cache";
  let description = [{
    The op is a hint: it has no completion that a thread can wait for. `space` gives the state space
    of the map's address: a kernel parameter (`param`), constant memory (`const`), or any
    (`generic`, the default). It selects the form of the instruction.

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
  let summary = "change one field of a tensor map in memory";
  let description = [{
    The op is a weak write of the whole tensor map. Its operands depend on the field:

    - `global_address`, `rank` (the rank minus one): a value.
    - `box_dim`, `global_dim`, `global_stride`, `element_stride`: a dimension and a value. As in
      PTX, dimension 0 is the innermost.
    - `elemtype`, `interleave_layout`, `swizzle_mode`, `swizzle_atomicity`, `fill_mode`: an integer
      literal, encoded as in the tables of tensormap.replace in the PTX ISA.

    Constraints:

    - The fields that have a dimension are given one, and no others are (C70).
    - The field is given a value or a literal, as listed above (C71).
    - Addresses and strides are i64, and other values are i32 (C72).
    - A literal is in the field's range (C73).

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
  let summary = "copy a tensor map from shared to global memory, with a release fence";
  let description = [{
    All threads of a warp execute the op together. A thread that later executes
    `fence.tensor_map_acquire` on the destination sees the copied map.

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
