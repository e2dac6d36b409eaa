//===- PTXForms.cpp - the machine's numbers for modifiers -----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See PTXForms.h.
//
//===----------------------------------------------------------------------===//

#include "PTXForms.h"

#include "../Async/Tensors/SimTensorMap.h"

#include "carousel/Dialect/IR/CarouselDialect.h"

using namespace carousel;
using namespace carousel::sim;
namespace sim = carousel::sim;
namespace ptx = carousel::ptx;
using ptx::Instruction;
using ptx::Type;
using ptx::Word;

std::optional<int32_t> sim::getReduceKind(const Instruction &instruction) {
  for (auto [word, kind] : {std::pair(Word::Add, ReduceKind::Add),
                            std::pair(Word::Min, ReduceKind::Min),
                            std::pair(Word::Max, ReduceKind::Max),
                            std::pair(Word::Inc, ReduceKind::Inc),
                            std::pair(Word::Dec, ReduceKind::Dec),
                            std::pair(Word::And, ReduceKind::And),
                            std::pair(Word::Or, ReduceKind::Or),
                            std::pair(Word::Xor, ReduceKind::Xor)})
    if (instruction.has(word))
      return int32_t(kind);
  return std::nullopt;
}

std::optional<int32_t> sim::getAtomicKind(const Instruction &instruction) {
  if (instruction.has(Word::Exch))
    return kAtomicExchange;
  if (instruction.has(Word::Cas))
    return kAtomicCompareAndSwap;
  return getReduceKind(instruction);
}

std::optional<int32_t> sim::getReduceType(Type type, bool keepsSubnormals) {
  switch (type) {
  case Type::U32:
    return int32_t(ReduceType::U32);
  case Type::S32:
    return int32_t(ReduceType::S32);
  case Type::U64:
    return int32_t(ReduceType::U64);
  case Type::S64:
    return int32_t(ReduceType::S64);
  case Type::B32:
    return int32_t(ReduceType::B32);
  case Type::B64:
    return int32_t(ReduceType::B64);
  case Type::F16:
  case Type::F16x2:
    return int32_t(ReduceType::F16);
  case Type::BF16:
  case Type::BF16x2:
    return int32_t(ReduceType::BF16);
  case Type::F32:
    return int32_t(keepsSubnormals ? ReduceType::F32 : ReduceType::F32FTZ);
  case Type::F64:
    return int32_t(ReduceType::F64);
  default:
    return std::nullopt;
  }
}

int32_t sim::getSemantics(const Instruction &instruction, int32_t otherwise) {
  for (auto [word, semantics] :
       {std::pair(Word::Relaxed, MemSemantics::Relaxed),
        std::pair(Word::Acquire, MemSemantics::Acquire),
        std::pair(Word::Release, MemSemantics::Release),
        std::pair(Word::AcqRel, MemSemantics::AcqRel),
        std::pair(Word::Sc, MemSemantics::SeqCst)})
    if (instruction.has(word))
      return int32_t(semantics);
  return otherwise;
}

int32_t sim::getScope(const Instruction &instruction, int32_t otherwise) {
  for (auto [word, scope] :
       {std::pair(Word::Cta, MemScope::CTA),
        std::pair(Word::Cluster, MemScope::Cluster),
        std::pair(Word::Gpu, MemScope::GPU), std::pair(Word::Gl, MemScope::GPU),
        std::pair(Word::Sys, MemScope::System)})
    if (instruction.has(word))
      return int32_t(scope);
  return otherwise;
}
