//===- CarouselOpBase.td - base of all ops -----------------*- tablegen -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The base classes of ops, the resources that effects are declared on, and the operand
// shapes that many ops share.
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
def TensorMaps : Resource<"::carousel::TensorMapResource">;
def Caches : Resource<"::carousel::CacheResource">;
def ThreadControl : Resource<"::carousel::ThreadControlResource">;

// Effects on whole resources, for ops that order accesses rather than make them.
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
// A prefetch changes what is cached: nothing that a program sees, but it is no dead code.
def FillsCaches : MemoryEffects<[MemRead<Caches>, MemWrite<Caches>]>;
// A copy joins the group that this thread commits next.
def JoinsBulkGroup : MemoryEffects<[MemRead<BulkGroups>, MemWrite<BulkGroups>]>;
def JoinsCpAsyncGroup : MemoryEffects<[MemRead<CpAsyncGroups>, MemWrite<CpAsyncGroups>]>;
def ChangesThreads : MemoryEffects<[MemRead<ThreadControl>, MemWrite<ThreadControl>]>;

//===----------------------------------------------------------------------===//
// Bases
//===----------------------------------------------------------------------===//

// An op whose needs depend on its attributes: getTargetRequirement is written in C++.
class Carousel_Op<string mnemonic, list<Trait> traits = []>
    : Op<Carousel_Dialect, mnemonic,
         !listconcat(traits, [DeclareOpInterfaceMethods<Carousel_TargetOpInterface>])>;

// An op that needs `sm` and PTX `ptx` (80 is 8.0) whatever its attributes.
class Carousel_FixedOp<string mnemonic, int sm, int ptx, list<Trait> traits = []>
    : Carousel_Op<mnemonic, traits> {
  let extraClassDefinition = [{
    ::carousel::TargetRequirement $cppClass::getTargetRequirement() {
      return {}] # sm # ", " # ptx # [{};
    }
  }];
}

// A count or size: an i32 value or an integer literal, never both (C30).
defvar Carousel_I32Literal = OptionalAttr<I32Attr>;

// Cache hint of a transfer: the 64-bit policy that `cache_policy.*` makes.
defvar Carousel_CachePolicy = Optional<I64>;

#endif // CAROUSEL_DIALECT_IR_CAROUSELOPBASE_TD
