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

void carousel::logProgramTimes(
    func::FuncOp program, const llvm::DenseMap<Operation *, GroupTime> &times,
    DecisionLog &log) {
  if (!log.isWanted())
    return;
  ChipModel chip = findChipModel(program).value_or(ChipModel::getDefault());
  SmallVector<std::pair<Operation *, GroupTime>> steps;
  GroupTime sum, loads; // of launches, and of what is done once for all
  int64_t numLoads = 0;
  program.walk([&](Operation *op) {
    auto call = dyn_cast<LibraryMatmulOp>(op);
    auto found = times.find(op);
    if (!call && found == times.end())
      return;
    steps.emplace_back(op, call ? estimateCall(call, chip) : found->second);
    const GroupTime &time = steps.back().second;
    bool isAtLoad = op->hasAttr(kAtLoadAttr);
    GroupTime &part = isAtLoad ? loads : sum;
    numLoads += isAtLoad;
    part.bytes += time.bytes;
    part.operations += time.operations;
    part.bound += time.bound;
    part.predicted += time.predicted;
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
