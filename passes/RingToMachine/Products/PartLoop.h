//===- PartLoop.h - parts of sums in flight across iterations ---*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop whose only product begins at zero in each iteration, as one of 8-bit
// floats with scales of blocks does: threads scale its sums, and add them to
// others. An iteration starts the next one's product, and then waits for its
// own: docs/Products.md, Loops. Registers in flight stay where they are, so
// that two iterations are one of the new loop.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_RINGTOMACHINE_PRODUCTS_PARTLOOP_H
#define CAROUSEL_PASSES_RINGTOMACHINE_PRODUCTS_PARTLOOP_H

#include "IssueProducts.h"

#include "carousel/Dialect/IR/CarouselWgmmaOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#include <string>

namespace carousel {

class PartLoop {
public:
  /// The loop's body has products.
  explicit PartLoop(mlir::scf::ForOp loop);

  /// Why its product can't be in flight across iterations, or an empty string.
  std::string explain() const { return reason; }
  /// Whether its product begins at zero: other loops have other reasons.
  bool isCandidate() {
    return product && addsToZero(product) && !product.getPromote();
  }
  /// The loop is replaced.
  void rewrite();

private:
  /// An iteration: its induction variable, and the values that the loop carries
  /// before it. Those that only the sums need may be null before they are
  /// known.
  struct Iteration {
    mlir::Value number;
    llvm::SmallVector<mlir::Value> carried;
  };

  std::string read();
  std::string readSlots();
  std::string readFillsOfSeveral(
      const llvm::MapVector<mlir::Value, llvm::SmallVector<mlir::Value>>
          &waited);
  std::string readFirst();
  std::string readRest();

  mlir::IRMapping map(const Iteration &iteration);
  void clone(mlir::ImplicitLocOpBuilder &b, mlir::Operation *op,
             mlir::IRMapping &mapping);
  /// Waits for the iteration's tiles, and starts its product.
  llvm::SmallVector<mlir::Value> start(mlir::ImplicitLocOpBuilder &b,
                                       const Iteration &iteration);
  /// The next iteration, without the values that the sums are needed for.
  Iteration advance(mlir::ImplicitLocOpBuilder &b, const Iteration &iteration);
  /// Waits for its product, with so many later ones in flight, and completes
  /// the iteration. Returns the values that the loop carries after it. The
  /// wait stays behind what an earlier iteration has computed.
  llvm::SmallVector<mlir::Value> complete(mlir::ImplicitLocOpBuilder &b,
                                          const Iteration &iteration,
                                          mlir::ValueRange registers,
                                          int64_t pending,
                                          mlir::ValueRange earlier = {});
  /// Keeps the next wait behind what threads compute of carried values.
  void keepOrder(mlir::ImplicitLocOpBuilder &b, mlir::ValueRange carried);
  mlir::Value isBefore(mlir::ImplicitLocOpBuilder &b, mlir::Value number);
  /// The iteration in flight, and what comes after it, is all that is left.
  void writeLast(mlir::ImplicitLocOpBuilder &b, const Iteration &iteration,
                 mlir::ValueRange registers);

  mlir::scf::ForOp loop;
  std::string reason;
  MultiplyOp product;
  /// What leads to the product, with the waits; what needs its sums.
  llvm::SetVector<mlir::Operation *> first, dependents;
  /// By number: whether a carried value leads to the product.
  llvm::SmallVector<bool> isEarly;
  llvm::SmallVector<mlir::Operation *> clones;
};

} // namespace carousel

#endif // CAROUSEL_PASSES_RINGTOMACHINE_PRODUCTS_PARTLOOP_H
