//===- CarouselOpBase.td - base of all ops -----------------*- tablegen -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Base classes of ops, the resources on which ops declare effects, and operands that many ops
// share.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_IR_CAROUSELOPBASE_TD
#define CAROUSEL_DIALECT_IR_CAROUSELOPBASE_TD

include "carousel/Dialect/IR/CarouselInterfaces.td"
include "carousel/Dialect/IR/CarouselTypes.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===----------------------------------------------------------------------===//
// Resources
//===----------------------------------------------------------------------===//

def GlobalMemory : Resource<"::carousel::GlobalMemoryResource">;
def SharedMemory : Resource<"::carousel::SharedMemoryResource">;
def Barriers : Resource<"::carousel::BarrierResource">;
def BulkGroups : Resource<"::carousel::BulkGroupResource">;
def CpAsyncGroups : Resource<"::carousel::CpAsyncGroupResource">;
def WgmmaGroups : Resource<"::carousel::WgmmaGroupResource">;
def TensorMaps : Resource<"::carousel::TensorMapResource">;
def Caches : Resource<"::carousel::CacheResource">;
def ThreadControl : Resource<"::carousel::ThreadControlResource">;

// Effects on whole resources, for ops that order accesses but make none.
def OrdersShared : MemoryEffects<[MemRead<SharedMemory>, MemWrite<SharedMemory>]>;
def OrdersGlobal : MemoryEffects<[MemRead<GlobalMemory>, MemWrite<GlobalMemory>]>;
def OrdersMemory : MemoryEffects<[MemRead<SharedMemory>, MemWrite<SharedMemory>,
                                  MemRead<GlobalMemory>, MemWrite<GlobalMemory>,
                                  MemRead<TensorMaps>, MemWrite<TensorMaps>]>;
def OrdersBarriers : MemoryEffects<[MemRead<Barriers>, MemWrite<Barriers>]>;
def OrdersMemoryAndBarriers : MemoryEffects<[
  MemRead<SharedMemory>, MemWrite<SharedMemory>, MemRead<GlobalMemory>,
  MemWrite<GlobalMemory>, MemRead<Barriers>, MemWrite<Barriers>, MemRead<TensorMaps>,
  MemWrite<TensorMaps>]>;
// A prefetch changes the contents of a cache. No program sees this effect, but it keeps the op from
// being dead code.
def FillsCaches : MemoryEffects<[MemRead<Caches>, MemWrite<Caches>]>;
// A copy belongs to the group that its thread commits next.
def JoinsBulkGroup : MemoryEffects<[MemRead<BulkGroups>, MemWrite<BulkGroups>]>;
def JoinsCpAsyncGroup : MemoryEffects<[MemRead<CpAsyncGroups>, MemWrite<CpAsyncGroups>]>;
// A product belongs to the group that its warpgroup commits next.
def JoinsWgmmaGroup : MemoryEffects<[MemRead<WgmmaGroups>, MemWrite<WgmmaGroups>]>;
def ChangesThreads : MemoryEffects<[MemRead<ThreadControl>, MemWrite<ThreadControl>]>;

//===----------------------------------------------------------------------===//
// Bases
//===----------------------------------------------------------------------===//

// An op whose target requirement depends on its attributes or types, and is computed in C++.
class Carousel_Op<string mnemonic, list<Trait> traits = []>
    : Op<Carousel_Dialect, mnemonic,
         !listconcat(traits, [DeclareOpInterfaceMethods<Carousel_TargetOpInterface>])>;

// An op that always requires sm_`sm` and PTX `ptx` (80 is 8.0).
class Carousel_FixedOp<string mnemonic, int sm, int ptx, list<Trait> traits = []>
    : Carousel_Op<mnemonic, traits> {
  let extraClassDefinition = [{
    ::carousel::TargetRequirement $cppClass::getTargetRequirement() {
      return {}] # sm # ", " # ptx # [{};
    }
  }];
}

// The literal form of a count or size, which is an i32 value or a literal, and not both (C30).
defvar Carousel_I32Literal = OptionalAttr<I32Attr>;

// The cache policy of a copy: a 64-bit value that a `cache_policy.*` op makes.
defvar Carousel_CachePolicy = Optional<I64>;

#endif // CAROUSEL_DIALECT_IR_CAROUSELOPBASE_TD
