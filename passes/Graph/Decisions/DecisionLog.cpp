//===- DecisionLog.cpp - what a pass of the graph phase decides -----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See DecisionLog.h.
//
//===----------------------------------------------------------------------===//

#include "DecisionLog.h"

#include "carousel/Dialect/IR/CarouselOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace carousel;

DecisionLog::~DecisionLog() { appendDecisions(holder, decisions); }

bool DecisionLog::isWanted() const {
  return holder->hasAttr(kDecisionsAttr) ||
         holder->getContext()->getRemarkEngine();
}

void DecisionLog::add(Emit emit, Operation *op, StringRef name,
                      const Twine &text, DecisionNotes facts, bool isWarning,
                      std::vector<Miss> misses) {
  if (!isWanted())
    return;
  auto func = dyn_cast<func::FuncOp>(op);
  auto group = dyn_cast<GroupOp>(op);
  group = group ? group : op->getParentOfType<GroupOp>();
  StringRef function =
      group ? group.getKernel()
            : (func ? func : op->getParentOfType<func::FuncOp>()).getName();
  GraphDecision decision{pass.str(), name.str(),       function.str(),
                         text.str(), std::move(facts), op->getLoc(),
                         isWarning,  std::move(misses)};
  remark::detail::InFlightRemark remark =
      emit(op->getLoc(),
           remark::RemarkOpts::name(name).category(pass).function(function));
  remark << remark::detail::Remark::Arg(decision.text);
  for (const DecisionNote &fact : decision.facts)
    remark << remark::detail::Remark::Arg(fact.key, fact.value);
  decisions.push_back(std::move(decision));
}
