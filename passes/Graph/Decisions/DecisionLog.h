//===- DecisionLog.h - what a pass of the graph phase decides ---*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A decision is a remark for people, and an entry of the record that a function
// or a module asks for (GraphDecisions.h). What is recorded doesn't depend on
// the context's engine for remarks.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_GRAPH_DECISIONS_DECISIONLOG_H
#define CAROUSEL_PASSES_GRAPH_DECISIONS_DECISIONLOG_H

#include "carousel/Dialect/IR/GraphDecisions.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/FormatVariadic.h"

namespace carousel {

class DecisionLog {
public:
  /// The log of a pass that may write the attributes of `holder`.
  DecisionLog(mlir::Operation *holder, llvm::StringLiteral pass)
      : holder(holder), pass(pass) {}
  /// Appends all to the holder's record at once, since attributes live on.
  ~DecisionLog();
  DecisionLog(const DecisionLog &) = delete;
  DecisionLog &operator=(const DecisionLog &) = delete;

  /// Whether anyone asks.
  bool isWanted() const;

  /// Logs what the pass did with an op, in the group or the function that has
  /// the op or is it.
  void passed(mlir::Operation *op, llvm::StringRef name,
              const llvm::Twine &text, DecisionNotes facts = {}) {
    add(mlir::remark::passed, op, name, text, std::move(facts));
  }
  /// Logs what it didn't do, and why.
  void missed(mlir::Operation *op, llvm::StringRef name,
              const llvm::Twine &text, DecisionNotes facts = {}) {
    add(mlir::remark::missed, op, name, text, std::move(facts));
  }
  /// The same, where users should know without having asked.
  void warned(mlir::Operation *op, llvm::StringRef name,
              const llvm::Twine &text, std::vector<Miss> misses = {}) {
    add(mlir::remark::missed, op, name, text, {}, /*isWarning=*/true,
        std::move(misses));
  }
  void analysed(mlir::Operation *op, llvm::StringRef name,
                const llvm::Twine &text, DecisionNotes facts = {}) {
    add(mlir::remark::analysis, op, name, text, std::move(facts));
  }

private:
  using Emit = mlir::remark::detail::InFlightRemark (*)(
      mlir::Location, mlir::remark::RemarkOpts);
  void add(Emit emit, mlir::Operation *op, llvm::StringRef name,
           const llvm::Twine &text, DecisionNotes facts, bool isWarning = false,
           std::vector<Miss> misses = {});

  mlir::Operation *holder;
  llvm::StringLiteral pass;
  std::vector<GraphDecision> decisions;
};

} // namespace carousel

#endif // CAROUSEL_PASSES_GRAPH_DECISIONS_DECISIONLOG_H
