//===- WarpgroupProducts.h - the ops of wgmma -------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One entry for each op of carousel.wgmma. The lanes of a warp come together at
// each, and warps only to start a product. docs/Products.md has the rules.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_ASYNC_MATRICES_WARPGROUPPRODUCTS_H
#define CAROUSEL_LIB_SIMULATOR_ASYNC_MATRICES_WARPGROUPPRODUCTS_H

#include "../Engine/AsyncEngine.h"
#include "Warpgroup.h"

namespace carousel::sim {

class WarpgroupProducts {
public:
  WarpgroupProducts(AsyncContext &context, ResidentCTAs &ctas,
                    OperationTable &operations, AsyncEngine &engine)
      : context(context), ctas(ctas), operations(operations), engine(engine) {}

  /// The descriptor of a matrix that begins here; `bits` are its other fields.
  uint64_t describe(const char *address, uint64_t bits);

  void fence();
  /// Makes registers of a value, after a fence. `poison` has a byte for each
  /// element, or is null.
  uint64_t keep(const char *value, uint32_t bytes, const char *poison,
                uint32_t elements);
  /// `a` is a descriptor or registers. Returns the handle of the result.
  uint64_t multiply(ProductForm form, uint64_t a, uint64_t b, uint64_t sums,
                    bool accumulates);
  /// The same with registers whose text has names, as in PTX: sums and factors
  /// are in memory of the thread, and the sums are changed when it returns. The
  /// product is in flight until a wait for its group all the same: nothing else
  /// lets the thread know that its factors have been read.
  /// Returns the number of its group.
  uint32_t multiplyInPlace(ProductForm form, uint64_t a, uint64_t b,
                           const char *factors, char *sums, bool accumulates);
  /// Reports an access to sums of a product whose group hasn't been waited for.
  void checkSums(uint32_t group);
  /// Reports a write of factors of such a product, which it may not have read.
  void checkFactors(uint32_t group);
  void commit();
  void wait(uint32_t pending);
  /// Gives registers back after a wait, as a value, and a byte for each
  /// element: whether it is poison.
  void take(uint64_t handle, char *value, uint32_t bytes, char *poison,
            uint32_t elements);

  void threadExit(const Thread &thread);
  void ctaExit(uint32_t cta);

private:
  Warpgroup &here();
  void gatherWarp(llvm::StringRef name, uint64_t value,
                  llvm::function_ref<void()> action);
  ProductRegisters &use(WarpgroupLane &lane, uint64_t &handle,
                        llvm::StringRef what, uint32_t bytes);
  void checkWaited(uint32_t group, const char *rule);
  void join(Warpgroup &group, WarpState &warp, Product &product);
  void start(Warpgroup &group, Product &product);

  AsyncContext &context;
  ResidentCTAs &ctas;
  OperationTable &operations;
  AsyncEngine &engine;
  /// The warpgroups, by CTA and number in the CTA.
  llvm::DenseMap<std::pair<uint32_t, uint32_t>, std::unique_ptr<Warpgroup>>
      groups;
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_ASYNC_MATRICES_WARPGROUPPRODUCTS_H
