//===- CarouselEnums.td - enumerations of the dialect ------*- tablegen -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scopes, semantics, modes, reductions, cache priorities and the fields of a tensor map.
// Each case has the spelling of PTX or of the driver API, as far as that can be a keyword.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_IR_CAROUSELENUMS_TD
#define CAROUSEL_DIALECT_IR_CAROUSELENUMS_TD

include "carousel/Dialect/IR/CarouselDialect.td"

class Carousel_Enum<string name, string summary, list<I32EnumCase> cases>
    : I32Enum<name, summary, cases> {
  let cppNamespace = "::carousel";
}
// An attribute that prints as `#carousel.scope<cta>`. Ops print the keyword alone, with
// custom<Keyword>.
class Carousel_EnumAttr<EnumInfo enum, string mnemonic>
    : EnumAttr<Carousel_Dialect, enum, mnemonic> {
  let assemblyFormat = "`<` $value `>`";
}

//===----------------------------------------------------------------------===//
// Memory model
//===----------------------------------------------------------------------===//

def Carousel_MemScope : Carousel_Enum<"MemScope", "set of threads that observes an operation", [
  I32EnumCase<"CTA", 0, "cta">, I32EnumCase<"Cluster", 1, "cluster">,
  I32EnumCase<"GPU", 2, "gpu">, I32EnumCase<"System", 3, "sys">]>;
def Carousel_MemScopeAttr : Carousel_EnumAttr<Carousel_MemScope, "scope">;

def Carousel_MemSemantics : Carousel_Enum<"MemSemantics", "memory ordering", [
  I32EnumCase<"Relaxed", 0, "relaxed">, I32EnumCase<"Acquire", 1, "acquire">,
  I32EnumCase<"Release", 2, "release">, I32EnumCase<"AcqRel", 3, "acq_rel">,
  I32EnumCase<"SeqCst", 4, "sc">]>;
def Carousel_MemSemanticsAttr : Carousel_EnumAttr<Carousel_MemSemantics, "semantics">;

class Carousel_OneOfScopes<string cases, string summary> : AttrConstraint<
    CPred<"::llvm::is_contained(std::initializer_list<::carousel::MemScope>{" # cases # "}, "
          "::llvm::cast<::carousel::MemScopeAttr>($_self).getValue())">, summary>;
class Carousel_OneOfSemantics<string cases, string summary> : AttrConstraint<
    CPred<"::llvm::is_contained(std::initializer_list<::carousel::MemSemantics>{" # cases # "}, "
          "::llvm::cast<::carousel::MemSemanticsAttr>($_self).getValue())">, summary>;

// C1: an mbarrier is in shared memory, so that only threads of the cluster observe it.
def Carousel_BarrierScopeAttr : ConfinedAttr<Carousel_MemScopeAttr, [
  Carousel_OneOfScopes<"::carousel::MemScope::CTA, ::carousel::MemScope::Cluster",
                       "whose value is cta or cluster">]>;
// C2
def Carousel_ArriveSemanticsAttr : ConfinedAttr<Carousel_MemSemanticsAttr, [
  Carousel_OneOfSemantics<"::carousel::MemSemantics::Release, ::carousel::MemSemantics::Relaxed",
                          "whose value is release or relaxed">]>;
// C3
def Carousel_WaitSemanticsAttr : ConfinedAttr<Carousel_MemSemanticsAttr, [
  Carousel_OneOfSemantics<"::carousel::MemSemantics::Acquire, ::carousel::MemSemantics::Relaxed",
                          "whose value is acquire or relaxed">]>;
// C4
def Carousel_OneWaySemanticsAttr : ConfinedAttr<Carousel_MemSemanticsAttr, [
  Carousel_OneOfSemantics<"::carousel::MemSemantics::Acquire, ::carousel::MemSemantics::Release",
                          "whose value is acquire or release">]>;
// C5
def Carousel_FenceSemanticsAttr : ConfinedAttr<Carousel_MemSemanticsAttr, [
  Carousel_OneOfSemantics<"::carousel::MemSemantics::Acquire, ::carousel::MemSemantics::Release, "
                          "::carousel::MemSemantics::AcqRel, ::carousel::MemSemantics::SeqCst",
                          "whose value is acquire, release, acq_rel or sc">]>;
// C6
def Carousel_DeviceScopeAttr : ConfinedAttr<Carousel_MemScopeAttr, [
  Carousel_OneOfScopes<"::carousel::MemScope::GPU, ::carousel::MemScope::System",
                       "whose value is gpu or sys">]>;

def Carousel_ProxyKind : Carousel_Enum<"ProxyKind",
    "proxies that a fence orders with the generic one", [
  I32EnumCase<"Alias", 0, "alias">, I32EnumCase<"Async", 1, "async">,
  I32EnumCase<"AsyncGlobal", 2, "async_global">,
  I32EnumCase<"AsyncSharedCTA", 3, "async_shared_cta">,
  I32EnumCase<"AsyncSharedCluster", 4, "async_shared_cluster">]>;
def Carousel_ProxyKindAttr : Carousel_EnumAttr<Carousel_ProxyKind, "proxy">;

//===----------------------------------------------------------------------===//
// Transfers
//===----------------------------------------------------------------------===//

def Carousel_ReduceKind : Carousel_Enum<"ReduceKind", "reduction", [
  I32EnumCase<"Add", 0, "add">, I32EnumCase<"Min", 1, "min">, I32EnumCase<"Max", 2, "max">,
  I32EnumCase<"Inc", 3, "inc">, I32EnumCase<"Dec", 4, "dec">, I32EnumCase<"And", 5, "and">,
  I32EnumCase<"Or", 6, "or">, I32EnumCase<"Xor", 7, "xor">]>;
def Carousel_ReduceKindAttr : Carousel_EnumAttr<Carousel_ReduceKind, "reduce">;

// How a reduction reads the elements' bits. MLIR's integers have no sign.
def Carousel_ReduceType : Carousel_Enum<"ReduceType", "element type of a reduction", [
  I32EnumCase<"U32", 0, "u32">, I32EnumCase<"S32", 1, "s32">, I32EnumCase<"U64", 2, "u64">,
  I32EnumCase<"S64", 3, "s64">, I32EnumCase<"B32", 4, "b32">, I32EnumCase<"B64", 5, "b64">,
  I32EnumCase<"F16", 6, "f16">, I32EnumCase<"BF16", 7, "bf16">, I32EnumCase<"F32", 8, "f32">,
  I32EnumCase<"F64", 9, "f64">]>;
def Carousel_ReduceTypeAttr : Carousel_EnumAttr<Carousel_ReduceType, "reduce_type">;

def Carousel_TensorLoadMode : Carousel_Enum<"TensorLoadMode", "mode of a tensor load", [
  I32EnumCase<"Tile", 0, "tile">, I32EnumCase<"Gather4", 1, "gather4">,
  I32EnumCase<"Im2Col", 2, "im2col">, I32EnumCase<"Im2ColW", 3, "im2col_w">,
  I32EnumCase<"Im2ColW128", 4, "im2col_w_128">]>;
def Carousel_TensorLoadModeAttr : Carousel_EnumAttr<Carousel_TensorLoadMode, "load_mode">;

def Carousel_TensorStoreMode : Carousel_Enum<"TensorStoreMode", "mode of a tensor store", [
  I32EnumCase<"Tile", 0, "tile">, I32EnumCase<"Scatter4", 1, "scatter4">,
  I32EnumCase<"Im2ColNoOffs", 2, "im2col_no_offs">]>;
def Carousel_TensorStoreModeAttr : Carousel_EnumAttr<Carousel_TensorStoreMode, "store_mode">;

def Carousel_CpAsyncCache : Carousel_Enum<"CpAsyncCache", "cache levels of cp.async", [
  I32EnumCase<"CA", 0, "ca">, I32EnumCase<"CG", 1, "cg">]>;
def Carousel_CpAsyncCacheAttr : Carousel_EnumAttr<Carousel_CpAsyncCache, "cp_async_cache">;

def Carousel_GroupWait : Carousel_Enum<"GroupWait", "completion of a group", [
  I32EnumCase<"Complete", 0, "complete">, I32EnumCase<"Read", 1, "read">]>;
def Carousel_GroupWaitAttr : Carousel_EnumAttr<Carousel_GroupWait, "group_wait">;

//===----------------------------------------------------------------------===//
// Caches
//===----------------------------------------------------------------------===//

def Carousel_EvictPriority : Carousel_Enum<"EvictPriority", "eviction priority in L2", [
  I32EnumCase<"Normal", 0, "evict_normal">, I32EnumCase<"First", 1, "evict_first">,
  I32EnumCase<"Last", 2, "evict_last">, I32EnumCase<"Unchanged", 3, "evict_unchanged">]>;
def Carousel_EvictPriorityAttr : Carousel_EnumAttr<Carousel_EvictPriority, "evict">;

def Carousel_PrefetchLevel : Carousel_Enum<"PrefetchLevel", "cache that a prefetch fills", [
  I32EnumCase<"L1", 0, "l1">, I32EnumCase<"L2", 1, "l2">,
  I32EnumCase<"L2EvictLast", 2, "l2_evict_last">,
  I32EnumCase<"L2EvictNormal", 3, "l2_evict_normal">,
  I32EnumCase<"UniformL1", 4, "uniform_l1">]>;
def Carousel_PrefetchLevelAttr : Carousel_EnumAttr<Carousel_PrefetchLevel, "prefetch_level">;

//===----------------------------------------------------------------------===//
// Tiles and pipelines
//===----------------------------------------------------------------------===//

def Carousel_TransferScope : Carousel_Enum<"TransferScope",
    "threads that make a transfer together", [
  I32EnumCase<"CTA", 0, "cta">, I32EnumCase<"Warpgroup", 1, "warpgroup">,
  I32EnumCase<"Warp", 2, "warp">]>;
def Carousel_TransferScopeAttr : Carousel_EnumAttr<Carousel_TransferScope, "transfer_scope">;

def Carousel_TurnOrder : Carousel_Enum<"TurnOrder", "order of turns", [
  I32EnumCase<"Ordered", 0, "ordered">, I32EnumCase<"Unordered", 1, "unordered">]>;
def Carousel_TurnOrderAttr : Carousel_EnumAttr<Carousel_TurnOrder, "turn_order">;

def Carousel_AccumulateScheme : Carousel_Enum<"AccumulateScheme", "accumulation scheme", [
  I32EnumCase<"Transfers", 0, "transfers">, I32EnumCase<"Registers", 1, "registers">]>;
def Carousel_AccumulateSchemeAttr : Carousel_EnumAttr<Carousel_AccumulateScheme,
    "accumulate_scheme">;

def Carousel_ReadBack : Carousel_Enum<"ReadBack", "reader of the accumulated box", [
  I32EnumCase<"Transfer", 0, "transfer">, I32EnumCase<"Threads", 1, "threads">]>;
def Carousel_ReadBackAttr : Carousel_EnumAttr<Carousel_ReadBack, "read_back">;

def Carousel_PipelineMode : Carousel_Enum<"PipelineMode", "pipeline mode", [
  I32EnumCase<"Unified", 0, "unified">, I32EnumCase<"Specialized", 1, "specialized">]>;

def Carousel_SlotRelease : Carousel_Enum<"SlotRelease", "slot release", [
  I32EnumCase<"EmptyBarrier", 0, "empty_barrier">, I32EnumCase<"CTABarrier", 1, "cta_barrier">,
  I32EnumCase<"WarpBarrier", 2, "warp_barrier">]>;
def Carousel_PipelineEpilogue : Carousel_Enum<"PipelineEpilogue",
    "loop epilogue", [
  I32EnumCase<"Peeled", 0, "peeled">, I32EnumCase<"Predicated", 1, "predicated">]>;
def Carousel_StorePath : Carousel_Enum<"StorePath", "path of a tile to global memory", [
  I32EnumCase<"Shared", 0, "shared">, I32EnumCase<"Registers", 1, "registers">]>;
def Carousel_LibraryFunction : Carousel_Enum<"LibraryFunction",
    "what a library computes of each element of a product", [
  I32EnumCase<"Identity", 0, "identity">, I32EnumCase<"Relu", 1, "relu">,
  I32EnumCase<"Gelu", 2, "gelu">]>;
def Carousel_LibraryFunctionAttr : Carousel_EnumAttr<Carousel_LibraryFunction,
                                                     "library_function">;
def Carousel_TileAssignment : Carousel_Enum<"TileAssignment", "assignment of tiles to CTAs", [
  I32EnumCase<"Static", 0, "static">, I32EnumCase<"Tickets", 1, "tickets">,
  I32EnumCase<"Auto", 2, "auto">]>;
def Carousel_SlotReleaseAttr : Carousel_EnumAttr<Carousel_SlotRelease, "slot_release">;

def Carousel_WaitRole : Carousel_Enum<"WaitRole", "role of a waiting thread", [
  I32EnumCase<"All", 0, "all">, I32EnumCase<"Producer", 1, "producer">,
  I32EnumCase<"Consumer", 2, "consumer">]>;

def Carousel_WaitPhase : Carousel_Enum<"WaitPhase", "how a wait names its phase", [
  I32EnumCase<"Parity", 0, "parity">, I32EnumCase<"State", 1, "state">,
  I32EnumCase<"Turn", 2, "turn">]>;

def Carousel_EngineKind : Carousel_Enum<"EngineKind", "engine that carries out a transfer", [
  I32EnumCase<"Tensor", 0, "tensor">, I32EnumCase<"Bulk", 1, "bulk">,
  I32EnumCase<"CpAsync", 2, "cp_async">, I32EnumCase<"Vector", 3, "vector">]>;

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

def Carousel_RegisterChange : Carousel_Enum<"RegisterChange", "direction of setmaxnreg", [
  I32EnumCase<"Increase", 0, "inc">, I32EnumCase<"Decrease", 1, "dec">]>;
def Carousel_RegisterChangeAttr : Carousel_EnumAttr<Carousel_RegisterChange, "register_change">;

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

// The dimension of a factor along which elements are adjacent: the one that is summed over, or the
// other.
def Carousel_MatrixMajor : Carousel_Enum<"MatrixMajor", "contiguous dimension of a matrix", [
  I32EnumCase<"K", 0, "k">, I32EnumCase<"MN", 1, "mn">]>;

//===----------------------------------------------------------------------===//
// Tensor maps
//===----------------------------------------------------------------------===//

// CUtensorMapDataType, in the spelling of PTX.
def Carousel_TensorElement : Carousel_Enum<"TensorElement", "element type of a tensor map", [
  I32EnumCase<"U8", 0, "u8">, I32EnumCase<"U16", 1, "u16">, I32EnumCase<"U32", 2, "u32">,
  I32EnumCase<"S32", 3, "s32">, I32EnumCase<"U64", 4, "u64">, I32EnumCase<"S64", 5, "s64">,
  I32EnumCase<"F16", 6, "f16">, I32EnumCase<"F32", 7, "f32">,
  I32EnumCase<"F32FTZ", 8, "f32_ftz">, I32EnumCase<"F64", 9, "f64">,
  I32EnumCase<"BF16", 10, "bf16">, I32EnumCase<"TF32", 11, "tf32">,
  I32EnumCase<"TF32FTZ", 12, "tf32_ftz">, I32EnumCase<"B4x16", 13, "b4x16">,
  I32EnumCase<"B4x16P64", 14, "b4x16_p64">, I32EnumCase<"B6x16P32", 15, "b6x16_p32">]>;
def Carousel_Swizzle : Carousel_Enum<"Swizzle", "swizzle of a shared tile", [
  I32EnumCase<"None", 0, "none">, I32EnumCase<"B32", 1, "b32">, I32EnumCase<"B64", 2, "b64">,
  I32EnumCase<"B128", 3, "b128">, I32EnumCase<"B128Atom32", 4, "b128_atom_32b">,
  I32EnumCase<"B128Atom32Flip8", 5, "b128_atom_32b_flip_8b">,
  I32EnumCase<"B128Atom64", 6, "b128_atom_64b">]>;
def Carousel_SwizzleAttr : Carousel_EnumAttr<Carousel_Swizzle, "swizzle">;
def Carousel_Interleave : Carousel_Enum<"Interleave", "interleave of a tensor in global memory", [
  I32EnumCase<"None", 0, "none">, I32EnumCase<"B16", 1, "b16">, I32EnumCase<"B32", 2, "b32">]>;
def Carousel_L2Promotion : Carousel_Enum<"L2Promotion", "granularity of L2 fills", [
  I32EnumCase<"None", 0, "none">, I32EnumCase<"B64", 1, "b64">,
  I32EnumCase<"B128", 2, "b128">, I32EnumCase<"B256", 3, "b256">]>;
def Carousel_OutOfBoundsFill : Carousel_Enum<"OutOfBoundsFill", "value of elements out of bounds", [
  I32EnumCase<"Zero", 0, "zero">, I32EnumCase<"NaN", 1, "nan">]>;
def Carousel_OutOfBoundsFillAttr : Carousel_EnumAttr<Carousel_OutOfBoundsFill, "fill">;
def Carousel_TensorMapMode : Carousel_Enum<"TensorMapMode", "box mode of a tensor map", [
  I32EnumCase<"Tiled", 0, "tiled">, I32EnumCase<"Im2Col", 1, "im2col">,
  I32EnumCase<"Im2ColW", 2, "im2col_w">, I32EnumCase<"Im2ColW128", 3, "im2col_w_128">]>;

def Carousel_TensorMapSpace : Carousel_Enum<"TensorMapSpace",
    "state space of a descriptor's address", [
  I32EnumCase<"Generic", 0, "generic">, I32EnumCase<"Param", 1, "param">,
  I32EnumCase<"Const", 2, "const">]>;
def Carousel_TensorMapSpaceAttr : Carousel_EnumAttr<Carousel_TensorMapSpace, "tensor_map_space">;

def Carousel_TensorMapField : Carousel_Enum<"TensorMapField", "field of a tensor map", [
  I32EnumCase<"GlobalAddress", 0, "global_address">, I32EnumCase<"Rank", 1, "rank">,
  I32EnumCase<"BoxDim", 2, "box_dim">, I32EnumCase<"GlobalDim", 3, "global_dim">,
  I32EnumCase<"GlobalStride", 4, "global_stride">,
  I32EnumCase<"ElementStride", 5, "element_stride">,
  I32EnumCase<"ElementType", 6, "elemtype">,
  I32EnumCase<"InterleaveLayout", 7, "interleave_layout">,
  I32EnumCase<"SwizzleMode", 8, "swizzle_mode">,
  I32EnumCase<"SwizzleAtomicity", 9, "swizzle_atomicity">,
  I32EnumCase<"FillMode", 10, "fill_mode">]>;
def Carousel_TensorMapFieldAttr : Carousel_EnumAttr<Carousel_TensorMapField, "tensor_map_field">;

#endif // CAROUSEL_DIALECT_IR_CAROUSELENUMS_TD
