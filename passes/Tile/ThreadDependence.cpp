//===- ThreadDependence.cpp - values that differ by thread ----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ThreadDependence.h. One walk in program order suffices: in structured
// control flow, a value's definition comes before its uses.
//
//===----------------------------------------------------------------------===//

#include "ThreadDependence.h"

#include "carousel/Support/HardwareLimits.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace carousel;

ThreadDependence::ThreadDependence(gpu::GPUFuncOp kernel) : kernel(kernel) {
  if (DenseI32ArrayAttr known = kernel.getKnownBlockSizeAttr())
    block.assign(known.asArrayRef().begin(), known.asArrayRef().end());
  else if (auto launch =
               kernel->getAttrOfType<LaunchAttr>(CarouselDialect::kLaunch))
    block.assign(launch.getBlock().begin(), launch.getBlock().end());
  kernel->walk<WalkOrder::PreOrder>([&](Operation *op) {
    // A loop-carried value begins as its init.
    if (auto loop = dyn_cast<LoopLikeOpInterface>(op))
      for (BlockArgument argument : loop.getRegionIterArgs())
        if (OpOperand *init = loop.getTiedLoopInit(argument))
          if (std::optional<Variation> found = lookup(init->get()))
            variations.try_emplace(argument, *found);
    if (op->getNumResults() != 1)
      return;
    if (std::optional<Variation> found = derive(op))
      variations.try_emplace(op->getResult(0), *found);
  });
}

std::optional<int64_t> ThreadDependence::getBlockExtent(unsigned dim) const {
  if (block.empty())
    return std::nullopt;
  return dim < block.size() ? block[dim] : 1;
}

std::optional<int64_t> ThreadDependence::getBlockThreads() const {
  if (block.empty())
    return std::nullopt;
  int64_t threads = 1;
  for (int64_t extent : block)
    if (extent < 1 || llvm::MulOverflow(threads, extent, threads))
      return std::nullopt;
  return threads;
}

Operation *ThreadDependence::findVariation(Value value,
                                           TransferScope scope) const {
  std::optional<Variation> found = lookup(value);
  if (!found)
    return nullptr;
  int64_t threads = getBlockThreads().value_or(rules::kMaxThreadsPerBlock);
  int64_t group = scope == TransferScope::Warp        ? rules::kWarpSize
                  : scope == TransferScope::Warpgroup ? rules::kWarpgroupSize
                                                      : threads;
  if (found->run % group == 0 || found->run >= threads)
    return nullptr;
  // A CTA's operands don't come from thread ids at all; those of a warp may.
  if (scope != TransferScope::CTA && !found->certain)
    return nullptr;
  return found->source;
}

std::optional<ThreadDependence::Variation>
ThreadDependence::lookup(Value value) const {
  auto found = variations.find(value);
  if (found == variations.end())
    return std::nullopt;
  return found->second;
}

//===----------------------------------------------------------------------===//
// Transfer functions
//===----------------------------------------------------------------------===//

std::optional<ThreadDependence::Variation>
ThreadDependence::getIdVariation(Operation *op) const {
  auto ofDimension = [&](gpu::Dimension dimension) -> std::optional<Variation> {
    unsigned dim = static_cast<unsigned>(dimension);
    if (getBlockExtent(dim) == 1)
      return std::nullopt;
    Variation id{1, 0, true, op};
    for (unsigned inner = 0; inner < dim; ++inner) {
      std::optional<int64_t> extent = getBlockExtent(inner);
      id.certain &= extent.has_value();
      if (llvm::MulOverflow(id.run, extent.value_or(1), id.run))
        return std::nullopt;
    }
    // In a block of several dimensions x starts anew.
    bool isLinear = dim == 0 && getBlockExtent(0) == getBlockThreads();
    id.factor = isLinear && isa<gpu::ThreadIdOp>(op) ? 1 : 0;
    return id;
  };
  return llvm::TypeSwitch<Operation *, std::optional<Variation>>(op)
      .Case<gpu::ThreadIdOp, gpu::GlobalIdOp>(
          [&](auto id) { return ofDimension(id.getDimension()); })
      .Case([&](gpu::LaneIdOp) { return Variation{1, 1, true, op}; })
      .Case([&](gpu::SubgroupIdOp) {
        return Variation{rules::kWarpSize, 1, true, op};
      })
      .Default([](Operation *) { return std::nullopt; });
}

std::optional<ThreadDependence::Variation>
ThreadDependence::mergeOperands(Operation *op) const {
  std::optional<Variation> merged;
  for (Value operand : op->getOperands()) {
    std::optional<Variation> found = lookup(operand);
    if (!found)
      continue;
    if (!merged) {
      merged = found;
      continue;
    }
    // Sums of different grain can't cancel each other.
    merged->certain &= found->certain && merged->run != found->run;
    merged->run = std::gcd(merged->run, found->run);
  }
  if (merged)
    merged->factor = 0;
  return merged;
}

std::optional<ThreadDependence::Variation>
ThreadDependence::deriveArithmetic(Operation *op) const {
  std::optional<Variation> value = lookup(op->getOperand(0));
  std::optional<int64_t> constant = getConstantIntValue(op->getOperand(1));
  std::optional<Variation> merged = mergeOperands(op);
  if (isa<arith::AddIOp, arith::SubIOp>(op))
    return merged;
  bool exact = value && constant && value->factor != 0;
  auto vague = [&] {
    if (merged)
      merged->certain = false;
    return merged;
  };
  if (isa<arith::MulIOp, arith::ShLIOp>(op)) {
    if (isa<arith::ShLIOp>(op)) {
      if (!constant || *constant < 0 || *constant > 62)
        return vague();
      constant = int64_t(1) << *constant;
    }
    if (constant == 0)
      return std::nullopt;
    if (!exact || llvm::MulOverflow(value->factor, *constant, value->factor))
      return merged;
    return value;
  }
  if (isa<arith::ShRUIOp, arith::ShRSIOp>(op)) {
    if (!constant || *constant < 0 || *constant > 62)
      return vague();
    constant = int64_t(1) << *constant;
  }
  if (isa<arith::AndIOp>(op)) {
    // The mask's low zeros round down.
    uint64_t mask = constant.value_or(0);
    if (!exact || value->factor != 1 || mask == 0)
      return vague();
    int64_t granule = mask & (~mask + 1);
    if (llvm::MulOverflow(value->run, granule, merged->run))
      return vague();
    return merged;
  }
  if (!exact || *constant <= 0 || value->factor < 0)
    return vague();
  if (isa<arith::RemUIOp, arith::RemSIOp>(op)) {
    if (*constant == 1)
      return std::nullopt;
    merged->certain &= value->factor == 1;
    return merged;
  }
  // Divisions and right shifts.
  if (value->factor % *constant == 0) {
    value->factor /= *constant;
    return value;
  }
  if (*constant % value->factor != 0)
    return vague();
  if (llvm::MulOverflow(value->run, *constant / value->factor, value->run))
    return std::nullopt;
  value->factor = 1;
  return value;
}

std::optional<ThreadDependence::Variation>
ThreadDependence::deriveComparison(Operation *op) const {
  auto compare = cast<arith::CmpIOp>(op);
  std::optional<Variation> merged = mergeOperands(op);
  std::optional<Variation> value = lookup(compare.getLhs());
  std::optional<int64_t> bound = getConstantIntValue(compare.getRhs());
  using Predicate = arith::CmpIPredicate;
  if (compare.getPredicate() == Predicate::eq ||
      compare.getPredicate() == Predicate::ne)
    return merged;
  if (!value || !bound || value->factor != 1 || *bound < 0) {
    if (merged)
      merged->certain = false;
    return merged;
  }
  switch (compare.getPredicate()) {
  case Predicate::sle:
  case Predicate::ule:
  case Predicate::sgt:
  case Predicate::ugt:
    if (*bound >= INT32_MAX)
      return std::nullopt;
    ++*bound;
    break;
  default:
    break;
  }
  // The two sides of the bound agree, each within itself.
  if (*bound == 0 || llvm::MulOverflow(value->run, *bound, merged->run))
    return std::nullopt;
  return merged;
}

std::optional<ThreadDependence::Variation>
ThreadDependence::derive(Operation *op) const {
  if (std::optional<Variation> id = getIdVariation(op))
    return id;
  if (!isa_and_nonnull<arith::ArithDialect, affine::AffineDialect,
                       index::IndexDialect>(op->getDialect()) ||
      op->getNumRegions() != 0)
    return std::nullopt;
  return llvm::TypeSwitch<Operation *, std::optional<Variation>>(op)
      .Case<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtUIOp,
            arith::ExtSIOp, arith::TruncIOp>(
          [&](auto cast) { return lookup(cast.getIn()); })
      .Case<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::ShLIOp,
            arith::ShRUIOp, arith::ShRSIOp, arith::DivUIOp, arith::DivSIOp,
            arith::FloorDivSIOp, arith::RemUIOp, arith::RemSIOp, arith::AndIOp>(
          [&](auto arithmetic) { return deriveArithmetic(arithmetic); })
      .Case([&](arith::CmpIOp) { return deriveComparison(op); })
      .Default([&](Operation *) {
        std::optional<Variation> merged = mergeOperands(op);
        if (merged)
          merged->certain = false;
        return merged;
      });
}
