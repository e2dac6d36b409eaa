//===- GraphRemarks.cpp - collects what the graph phase says --------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See GraphRemarks.h.
//
//===----------------------------------------------------------------------===//

#include "GraphRemarks.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Remarks.h"

#include <mutex>

using namespace mlir;
using namespace carousel;

namespace {

class Collector : public remark::detail::MLIRRemarkStreamerBase {
public:
  explicit Collector(std::vector<GraphDecision> &decisions)
      : decisions(decisions) {}

  void streamOptimizationRemark(const remark::detail::Remark &remark) override {
    GraphDecision decision;
    decision.name = remark.getRemarkName().str();
    decision.function = remark.getFunction().str();
    decision.location = remark.getLocation();
    for (const remark::detail::Remark::Arg &argument : remark.getArgs()) {
      if (argument.key == "Remark")
        decision.text = argument.val;
      else
        decision.facts.emplace_back(argument.key, argument.val);
    }
    std::lock_guard<std::mutex> lock(mutex);
    decisions.push_back(std::move(decision));
  }

private:
  std::mutex mutex;
  std::vector<GraphDecision> &decisions;
};

} // namespace

GraphRemarks::GraphRemarks(MLIRContext *context)
    : context(context), isOwner(!context->getRemarkEngine()) {
  if (!isOwner)
    return;
  remark::RemarkCategories categories;
  categories.passed = categories.missed = categories.analysis = "carousel-.*";
  isOwner = succeeded(remark::enableOptimizationRemarks(
      *context, std::make_unique<Collector>(decisions),
      std::make_unique<remark::RemarkEmittingPolicyAll>(), categories));
}

GraphRemarks::~GraphRemarks() {
  if (isOwner)
    context->setRemarkEngine(nullptr);
}

std::vector<GraphDecision>
GraphRemarks::take(CompilePackageOptions::Misses mode) {
  // Functions are lowered by several threads, and each by one.
  std::vector<const GraphDecision *> order;
  for (const GraphDecision &decision : decisions)
    order.push_back(&decision);
  llvm::sort(order, [](const GraphDecision *x, const GraphDecision *y) {
    int difference = StringRef(x->function).compare_numeric(y->function);
    return difference != 0 ? difference < 0 : x < y;
  });
  std::vector<GraphDecision> sorted;
  for (const GraphDecision *decision : order)
    sorted.push_back(*decision);
  if (mode != CompilePackageOptions::Misses::Ignore)
    for (const GraphDecision &decision : sorted)
      if (decision.isWarning())
        emitWarning(decision.location) << decision.text;
  return sorted;
}
