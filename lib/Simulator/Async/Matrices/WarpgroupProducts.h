//===- WarpgroupProducts.h - the ops of wgmma -------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One entry for each op of carousel.wgmma. The lanes of a warp come together at
// each, and warps only to start a product. A warpgroup has what its warps have
// executed, whether they agree on it, its groups, and its products in flight: a
// product begins when the last warp arrives, and products end in their order.
// docs/Products.md has the rules.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_ASYNC_MATRICES_WARPGROUPPRODUCTS_H
#define CAROUSEL_LIB_SIMULATOR_ASYNC_MATRICES_WARPGROUPPRODUCTS_H

#include "../Engine/AsyncEngine.h"
#include "Product.h"

#include <deque>
#include <memory>

namespace carousel::sim {

/// One op, as the warps execute it.
struct WarpgroupStep {
  llvm::StringRef name;
  /// The key that all warps have to agree on: the form and the descriptors of a
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
