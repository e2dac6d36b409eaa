//===- Warpgroup.cpp - products of one warpgroup --------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Agreement of warps, completion of products, and what is left at the end.
//
//===----------------------------------------------------------------------===//

#include "Warpgroup.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>

namespace carousel::sim {

using llvm::Twine;

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

void Warpgroup::diverge(const Twine &found, llvm::StringRef name,
                        const Who &other) {
  context.report(FindingKind::BarrierDivergence, context.here().actor(name),
                 "expected the warps of a warpgroup to execute the same "
                 "products and waits, found " +
                     found,
                 nullptr, 0, other.actor());
  context.trap();
}

WarpgroupStep &Warpgroup::arrive(llvm::StringRef name, uint64_t key) {
  while (!steps.empty() && steps.front().isComplete()) {
    steps.pop_front();
    ++firstStep;
  }
  const Thread &thread = context.grid.current();
  WarpState &own = warpOf(thread);
  for (const WarpState &other : warps)
    if (other.exited && other.position <= own.position)
      diverge("that thread " + Twine(other.exited->thread) + " exited", name,
              *other.exited);
  uint64_t at = own.position++ - firstStep;
  if (at == steps.size())
    steps.push_back({name, key, context.here()});
  WarpgroupStep &step = steps[at];
  if (step.name != name)
    diverge("'" + name + "' and '" + step.name + "'", name, step.who);
  if (step.key != key)
    diverge("'" + name + "' with different operands", name, step.who);
  if (step.who.site != thread.site)
    diverge("'" + name + "' at two places", name, step.who);
  step.warps |= 1u << (thread.index - first) / 32;
  return step;
}

void Warpgroup::threadExit(const Thread &thread) {
  WarpState &warp = warpOf(thread);
  if (warp.exited)
    return;
  warp.exited = whoIs(thread);
  Actor actor = warp.exited->actor();
  if (warp.position < firstStep + steps.size() &&
      !steps[warp.position - firstStep].isComplete()) {
    const WarpgroupStep &step = steps[warp.position - firstStep];
    context.report(FindingKind::BarrierDivergence, step.who.actor(step.name),
                   "expected the warps of a warpgroup to execute the same "
                   "products and waits, found that thread " +
                       Twine(thread.index) + " exited",
                   nullptr, 0, actor);
    context.grid.requestAbort();
    return;
  }
  if (warp.lastGroup <= warp.waitedGroup)
    return;
  actor.site = warp.lastSite;
  if (warp.lastGroup == warp.openGroup)
    context.report(FindingKind::UncommittedTransfer, actor,
                   "expected wgmma.commit after the last product of a "
                   "warpgroup, found one in a group that is never committed");
  else
    context.report(FindingKind::InFlight, actor,
                   "expected wgmma.wait before the threads of a warpgroup "
                   "exit, found a product that may still read its factors");
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

Product &Warpgroup::createProduct(ProductForm form, uint64_t a, uint64_t b,
                                  bool accumulates, uint32_t group) {
  products.push_back(
      std::make_unique<InFlight>(*this, form, a, b, accumulates, group));
  return products.back()->product;
}

PieceReader &Warpgroup::readerOf(Product &product) {
  return **llvm::find_if(products, [&](const std::unique_ptr<InFlight> &it) {
    return &it->product == &product;
  });
}

void Warpgroup::complete() {
  while (!products.empty() && products.front()->product.isRead) {
    Product &product = products.front()->product;
    product.compute();
    // Groups complete in order, and no earlier than the one before.
    uint64_t before = landCycles.empty() ? 0 : landCycles.back();
    landCycles.resize(std::max<size_t>(landCycles.size(), product.group + 1),
                      before);
    uint64_t &cycles = landCycles[product.group];
    cycles = std::max(cycles, product.landCycles);
    products.pop_front();
  }
  context.grid.wake(*this);
}

bool Warpgroup::isDone(uint32_t group) const {
  return products.empty() || products.front()->product.group > group;
}

uint64_t Warpgroup::getCycles(uint32_t group) const {
  if (landCycles.empty())
    return 0;
  return landCycles[std::min<size_t>(group, landCycles.size() - 1)];
}

WaitDescription Warpgroup::describe(const Thread &waiter) const {
  const WarpState &warp = warps[(waiter.index - first) / 32];
  WaitDescription description;
  description.what = "wgmma group wait";
  uint32_t left = 0;
  for (const std::unique_ptr<InFlight> &it : products)
    left += it->product.group <= warp.waitedGroup;
  description.missing = llvm::utostr(left) + " products in flight";
  for (size_t i = 0; i < warps.size(); ++i)
    if (warps[i].position < warp.position && !warps[i].exited)
      description.providers.push_back("warp " + llvm::utostr(first / 32 + i));
  return description;
}

} // namespace carousel::sim
