//===- Warpgroup.h - products of one warpgroup ------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The state of a warpgroup: what its warps have executed, whether they agree on
// it, its groups, and its products in flight. Warps arrive one by one. A
// product begins when the last warp arrives, and products end in their order.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_ASYNC_MATRICES_WARPGROUP_H
#define CAROUSEL_LIB_SIMULATOR_ASYNC_MATRICES_WARPGROUP_H

#include "Product.h"

#include <deque>
#include <memory>

namespace carousel::sim {

/// One op, as the warps execute it.
struct WarpgroupStep {
  llvm::StringRef name;
  /// What all warps have to agree on: the form and the descriptors of a
  /// product, the number of a wait.
  uint64_t key = 0;
  Who who; ///< of the first warp
  uint32_t warps = 0;
  Product *product = nullptr;

  bool isComplete() const { return warps == (1u << ProductForm::kWarps) - 1; }
};

struct WarpState {
  /// The number of steps.
  uint64_t position = 0;
  uint32_t fences = 0;
  /// The group that products join, and the newest one that was waited for.
  uint32_t openGroup = 1, waitedGroup = 0;
  /// The newest group with a product, and the product's site.
  uint32_t lastGroup = 0;
  Site lastSite = 0;
  /// Its first thread that has ended.
  std::optional<Who> exited;
};

/// A thread, and the registers of the product that it arrives at.
struct WarpgroupLane {
  RegisterFile file;
  ProductRegisters *sums = nullptr, *factors = nullptr;
};

class Warpgroup final : public Waitable {
public:
  Warpgroup(AsyncContext &context, uint32_t first, char *shared)
      : first(first), context(context), shared(shared) {}

  WarpState &warpOf(const Thread &thread) {
    return warps[(thread.index - first) / 32];
  }
  WarpgroupLane &laneOf(const Thread &thread) {
    return lanes[thread.index - first];
  }

  /// The running thread's warp arrives at its next step. Ends the run if the
  /// warps differ.
  WarpgroupStep &arrive(llvm::StringRef name, uint64_t key);
  Product &createProduct(ProductForm form, uint64_t a, uint64_t b,
                         bool accumulates, uint32_t group);
  PieceReader &readerOf(Product &product);
  /// Reports what the warp leaves behind.
  void threadExit(const Thread &thread);

  /// Whether all products up to this group are complete.
  bool isDone(uint32_t group) const;
  /// When the last product up to this group was complete.
  uint64_t getCycles(uint32_t group) const;
  WaitDescription describe(const Thread &waiter) const override;

  const uint32_t first; ///< its first thread
  /// The agent of all its reads, whose time is the group; 0 before any.
  uint32_t agent = 0;
  std::array<WarpState, ProductForm::kWarps> warps;
  std::array<WarpgroupLane, ProductForm::kThreads> lanes;

private:
  struct InFlight final : PieceReader {
    template <typename... Args>
    InFlight(Warpgroup &owner, Args... args) : owner(owner), product(args...) {}
    void read(const AsyncOperation &operation, const Pieces &pieces) override {
      product.read(owner.context, owner.shared, operation, pieces);
    }
    void finish() override {
      product.isRead = true;
      owner.complete();
    }
    Warpgroup &owner;
    Product product;
  };

  void complete();
  [[noreturn]] void diverge(const llvm::Twine &found, llvm::StringRef name,
                            const Who &other);

  AsyncContext &context;
  char *shared;
  std::deque<WarpgroupStep> steps;
  uint64_t firstStep = 0;
  /// The products in flight, from the first warp's arrival on.
  std::deque<std::unique_ptr<InFlight>> products;
  /// By group: when it and all earlier ones were complete.
  std::vector<uint64_t> landCycles;
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_ASYNC_MATRICES_WARPGROUP_H
