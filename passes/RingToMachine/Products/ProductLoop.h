//===- ProductLoop.h - products in flight across iterations -----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop whose products add to sums that only they need. The sums stay in
// registers of products. An iteration starts its products, waits for those of
// the iteration before it, and releases that iteration's slots. Where threads
// have a factor in registers, an iteration starts its products, loads or
// computes the next iteration's factor, and waits. Where they can compute it in
// two parts, one part's products are in flight while they compute the other
// one: docs/Products.md, Loops.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_PASSES_RINGTOMACHINE_PRODUCTS_PRODUCTLOOP_H
#define CAROUSEL_PASSES_RINGTOMACHINE_PRODUCTS_PRODUCTLOOP_H

#include "IssueProducts.h"

#include "carousel/Dialect/IR/CarouselWgmmaOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/SetVector.h"

#include <string>

namespace carousel {

class ProductLoop {
public:
  /// The loop's body has products.
  explicit ProductLoop(mlir::scf::ForOp loop);

  /// Why they can't be in flight across iterations, or an empty string.
  std::string explain() const { return reason; }
  /// The loop is replaced by another one.
  void rewrite();
  /// Whether iterations prepare factors in registers for the next ones.
  bool preparesFactors() const { return !factors.empty(); }
  /// Whether they do so in two parts.
  bool hasParts() const { return !parts.empty(); }

private:
  /// A product, and the number of the carried value that are its sums.
  struct Product {
    MultiplyOp op;
    unsigned carried;
  };
  /// A slot's release, and the number of the carried value that is its use.
  struct Release {
    RingReleaseOp op;
    unsigned carried;
  };

  std::string read();
  std::string readSums(MultiplyOp op);
  std::string readRing(mlir::Value ring);
  std::string readFactors();
  /// `extra`: further values to carry, which iterations yield as they are.
  void createLoop(mlir::ValueRange extra);
  void multiply();
  /// Waits for the sums after the loop.
  WgmmaWaitOp takeSums();
  void releaseEarlier(WgmmaWaitOp wait);
  void finish();

  // ProductFactors.cpp
  llvm::SmallVector<mlir::Value> clonePreparation(mlir::ImplicitLocOpBuilder &b,
                                                  mlir::IRMapping mapping);
  /// The fenced registers of a product's factor; none if it is in a tile.
  mlir::ValueRange takeFactor(mlir::ImplicitLocOpBuilder &b, MultiplyOp op);
  llvm::SmallVector<mlir::Value> prepareFirst();
  void prepareNext();
  void eraseMoved();

  // IssueProducts.cpp
  void readParts();
  int64_t countWork(Instructions part);
  llvm::SmallVector<mlir::Value> preparePart(mlir::ImplicitLocOpBuilder &b,
                                             Instructions part);
  llvm::SmallVector<mlir::Value>
  createUnreadPart(mlir::ImplicitLocOpBuilder &b);
  void issuePart(mlir::ImplicitLocOpBuilder &b, mlir::ValueRange factor,
                 Instructions part, mlir::ValueRange earlier);
  void multiplyFirstPart();
  void multiplySecondPart();
  static void eraseUnused(llvm::ArrayRef<mlir::Operation *> ops);

  mlir::scf::ForOp loop;
  std::string reason;
  llvm::SmallVector<Product> products;
  llvm::SetVector<mlir::Value> rings;
  llvm::SmallVector<Release> releases;
  /// The products' factors in registers, and what computes them and waits for
  /// them, in order.
  llvm::SetVector<mlir::Value> factors;
  llvm::SetVector<mlir::Operation *> preparation;
  /// Those of the only product, if its factor is computed in two parts.
  llvm::SmallVector<Instructions> parts;
  /// While the loop is rewritten: the new one, the first register among its
  /// carried values for each product, and the numbers of the others.
  mlir::scf::ForOp made;
  llvm::SmallVector<unsigned> firstRegisters;
  llvm::SmallVector<unsigned> kept;
  unsigned firstFactor = 0;
  unsigned secondFactor = 0; ///< the registers of the second part
  /// The registers of factors that products in flight read.
  llvm::SmallVector<mlir::Value> inFlight;
};

} // namespace carousel

#endif // CAROUSEL_PASSES_RINGTOMACHINE_PRODUCTS_PRODUCTLOOP_H
