//===- ProgramTimes.cpp - how long the steps of a program take ------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ProgramTimes.h.
//
//===----------------------------------------------------------------------===//

#include "ProgramTimes.h"

#include "carousel/Analysis/Graph/LibraryProducts.h"
#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Dialect/IR/GraphDecisions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>
#include <numeric>

using namespace mlir;
using namespace carousel;

static int64_t getExtent(ShapedType type, unsigned dim) {
  return type.isDynamicDim(dim) ? kAssumedExtent : type.getDimSize(dim);
}

static int64_t countBytes(ShapedType type) {
  int64_t bytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  for (unsigned dim = 0; dim < type.getRank(); ++dim)
    bytes *= getExtent(type, dim);
  return bytes;
}

static GroupTime estimateCall(LibraryMatmulOp op, const ChipModel &chip) {
  GroupTime time;
  time.operations = 2;
  SmallVector<int64_t> extents(op.getIndexingMap(0).getNumDims(), 1);
  int64_t rows = 16;
  for (unsigned operand = 0; operand < 3; ++operand) {
    auto type = cast<ShapedType>(op->getOperand(operand).getType());
    for (auto [dim, expr] :
         llvm::enumerate(op.getIndexingMap(operand).getResults()))
      extents[cast<AffineDimExpr>(expr).getPosition()] = getExtent(type, dim);
    rows = std::gcd(rows, getExtent(type, type.getRank() - 1) *
                              type.getElementTypeBitWidth() / 8);
  }
  for (unsigned operand = 0; operand < op.countTensors(); ++operand)
    time.bytes +=
        countBytes(cast<ShapedType>(op->getOperand(operand).getType()));
  for (int64_t extent : extents)
    time.operations *= double(extent);
  bool isWide = getElementTypeOrSelf(op.getLhs()).isF32();
  FactorKind kind = !isWide        ? FactorKind::Half
                    : op.getTf32() ? FactorKind::TF32
                                   : FactorKind::F32;
  double memory = double(time.bytes) / chip.bytesPerNs / 1e3;
  double launch = double(chip.nextLaunch) / 1e3;
  auto estimate = [&](double rate) {
    return std::max(memory, time.operations / rate * 1e-6) + launch;
  };
  time.bound = estimate(getLibraryRate(chip, kind));
  time.predicted = estimate(getLibraryRate(chip, kind, rows));
  time.limit = kind == FactorKind::F32
                   ? "multiply-adds of threads"
                   : "rows that are multiples of " + std::to_string(rows) +
                         " bytes, not of 16";
  return time;
}

static std::string formatNumber(double number) {
  return llvm::formatv(number < 99.95 ? "{0:f1}" : "{0:f0}", number).str();
}

/// Indices that a program computes, if all extents that it doesn't know are
/// assumed.
static llvm::DenseMap<Value, double> assumeNumbers(func::FuncOp program) {
  llvm::DenseMap<Value, double> numbers;
  program.walk([&](Operation *op) {
    auto get = [&](unsigned operand) {
      auto known = numbers.find(op->getOperand(operand));
      return known == numbers.end() ? double(kAssumedExtent) : known->second;
    };
    auto number =
        llvm::TypeSwitch<Operation *, std::optional<double>>(op)
            .Case([](arith::ConstantIndexOp own) { return own.value(); })
            .Case([&](arith::AddIOp) { return get(0) + get(1); })
            .Case([&](arith::SubIOp) { return get(0) - get(1); })
            .Case([&](arith::MulIOp) { return get(0) * get(1); })
            .Case([&](arith::DivUIOp) { return get(0) / std::max(get(1), 1.); })
            .Case([&](arith::CeilDivUIOp) {
              return std::ceil(get(0) / std::max(get(1), 1.));
            })
            .Default(std::nullopt);
    if (number)
      numbers[op->getResult(0)] = *number;
  });
  return numbers;
}

/// A kernel's time was estimated for kAssumedExtent of each unknown extent. The
/// program may compute another number of its result's from its arguments'.
static GroupTime scaleTime(GroupTime time, LaunchKernelOp launch,
                           const llvm::DenseMap<Value, double> &numbers,
                           const ChipModel &chip) {
  auto result = launch.getOutputs().empty()
                    ? tensor::EmptyOp()
                    : launch.getOutputs()[0].getDefiningOp<tensor::EmptyOp>();
  double scale = 1, start = double(chip.nextLaunch) / 1e3;
  for (Value size : result ? result.getDynamicSizes() : ValueRange())
    if (auto known = numbers.find(size); known != numbers.end())
      scale *= std::max(known->second, 1.0) / double(kAssumedExtent);
  time.bytes = int64_t(double(time.bytes) * scale);
  time.operations *= scale;
  for (double *own : {&time.bound, &time.predicted})
    *own = start + (*own - start) * scale;
  return time;
}

void carousel::logProgramTimes(
    func::FuncOp program, const llvm::DenseMap<Operation *, GroupTime> &times,
    DecisionLog &log) {
  if (!log.isWanted())
    return;
  ChipModel chip = findChipModel(program).value_or(ChipModel::getDefault());
  SmallVector<std::pair<Operation *, GroupTime>> steps;
  GroupTime sum, loads; // of launches, and of what is done once for all
  int64_t numLoads = 0;
  llvm::DenseMap<Value, double> numbers = assumeNumbers(program);
  program.walk([&](Operation *op) {
    auto call = dyn_cast<LibraryMatmulOp>(op);
    auto found = times.find(op);
    if (!call && found == times.end())
      return;
    GroupTime time = call ? estimateCall(call, chip) : found->second;
    if (auto launch = dyn_cast<LaunchKernelOp>(op))
      time = scaleTime(std::move(time), launch, numbers, chip);
    bool isAtLoad = op->hasAttr(kAtLoadAttr);
    GroupTime &part = isAtLoad ? loads : sum;
    numLoads += isAtLoad;
    part.bytes += time.bytes;
    part.operations += time.operations;
    part.bound += time.bound;
    part.predicted += time.predicted;
    steps.emplace_back(op, std::move(time));
  });
  if (steps.empty())
    return;
  auto note = [&](Operation *op, StringRef name, const GroupTime &time) {
    std::string ratio = formatNumber(time.predicted / time.bound);
    DecisionNotes facts = {
        {"Step", name.str()},
        {"Megabytes", formatNumber(double(time.bytes) * 1e-6)},
        {"Gigaoperations", formatNumber(time.operations * 1e-9)},
        {"Bound", formatNumber(time.bound)},
        {"Predicted", formatNumber(time.predicted)},
        {"Ratio", ratio}};
    log.analysed(op, "Time",
                 llvm::formatv("{0}: {1} MB, {2} GFLOP, at least {3} us, "
                               "predicted {4} us, {5} times as long",
                               name, facts[1].value, facts[2].value,
                               facts[3].value, facts[4].value, ratio),
                 facts);
  };
  // The least that is worth a word, in parts of the program and of the bound.
  constexpr double kLeastPart = 0.02, kMostRatio = 3;
  for (const auto &[op, time] : steps) {
    auto launch = dyn_cast<LaunchKernelOp>(op);
    StringRef name = launch ? launch.getKernel().getLeafReference().getValue()
                            : StringRef("cuBLASLt");
    if (op->hasAttr(kAtLoadAttr)) {
      note(op, (name + " at load").str(), time);
      continue;
    }
    note(op, name, time);
    if (time.predicted > kMostRatio * time.bound &&
        time.predicted > kLeastPart * sum.predicted)
      log.warned(
          op, "Slow",
          llvm::formatv("{0} is predicted to take {1} us, {2} times what "
                        "its bytes and products need, and {3} % of the "
                        "program: it is limited by {4}",
                        name, formatNumber(time.predicted),
                        formatNumber(time.predicted / time.bound),
                        formatNumber(100 * time.predicted / sum.predicted),
                        time.limit));
  }
  if (numLoads != 0)
    note(program, std::to_string(numLoads) + " steps at load", loads);
  if (int64_t numLaunched = steps.size() - numLoads)
    note(program, std::to_string(numLaunched) + " steps", sum);
}
