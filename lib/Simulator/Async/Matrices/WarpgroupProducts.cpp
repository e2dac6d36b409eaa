//===- WarpgroupProducts.cpp - the ops of wgmma ---------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Agreement of warps, starts and completion of products, waits for groups, and
// what is left at the end.
//
//===----------------------------------------------------------------------===//

#include "WarpgroupProducts.h"

#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <cstring>

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

/// The tensor cores of a multiprocessor take n / 2 cycles for a product, and
/// its sums are there some cycles later.
static constexpr uint64_t kProductLatency = 32;
static constexpr uint64_t kCostOfColumn = kEngineBytesPerCycle / 2;

//===----------------------------------------------------------------------===//
// Warps
//===----------------------------------------------------------------------===//

Warpgroup &WarpgroupProducts::here() {
  const Thread &thread = context.grid.current();
  uint32_t number = thread.index / ProductForm::kThreads;
  std::unique_ptr<Warpgroup> &group = groups[{thread.cta, number}];
  if (group)
    return *group;
  uint32_t first = number * ProductForm::kThreads;
  uint64_t threads = context.grid.getShape().block.count();
  if (first + ProductForm::kThreads > threads)
    context.invalid("wgmma",
                    "expected a warpgroup of 128 threads, found one of " +
                        Twine(threads - first));
  group =
      std::make_unique<Warpgroup>(context, first, ctas.at(thread.cta).shared);
  return *group;
}

void WarpgroupProducts::gatherWarp(llvm::StringRef name, uint64_t value,
                                   llvm::function_ref<void()> action) {
  constexpr uint32_t kLanes = 32;
  uint32_t first = context.grid.current().index / kLanes * kLanes;
  context.grid.gather(
      name, first, kLanes, value, [&](llvm::ArrayRef<uint64_t> values) {
        if (!llvm::all_equal(values)) {
          context.report(FindingKind::BarrierDivergence,
                         context.here().actor(name),
                         "expected the lanes of a warp to agree on a '" + name +
                             "', found different operands or places");
          context.trap();
        }
        action();
      });
}

void WarpgroupProducts::fence() {
  Warpgroup &group = here();
  gatherWarp("wgmma.fence", context.grid.current().site, [&] {
    group.arrive("wgmma.fence", 0);
    ++group.warpOf(context.grid.current()).fences;
  });
}

void WarpgroupProducts::commit() {
  Warpgroup &group = here();
  gatherWarp("wgmma.commit", context.grid.current().site, [&] {
    group.arrive("wgmma.commit", 0);
    ++group.warpOf(context.grid.current()).openGroup;
  });
}

void WarpgroupProducts::wait(uint32_t pending) {
  Warpgroup &group = here();
  Thread &thread = context.grid.current();
  WarpState &warp = group.warpOf(thread);
  gatherWarp("wgmma.wait", llvm::hash_combine(thread.site, pending), [&] {
    group.arrive("wgmma.wait", pending);
    uint32_t committed = warp.openGroup - 1;
    warp.waitedGroup =
        std::max(warp.waitedGroup, committed - std::min(pending, committed));
  });
  uint32_t target = warp.waitedGroup;
  while (!group.isDone(target))
    context.grid.wait(group);
  thread.cycles = std::max(thread.cycles, group.getCycles(target));
  if (group.agent != 0 && target != 0)
    thread.view.order.observe(Epoch(thread.cta, group.agent, target));
}

void WarpgroupProducts::threadExit(const Thread &thread) {
  auto found = groups.find({thread.cta, thread.index / ProductForm::kThreads});
  if (found != groups.end() && found->second)
    found->second->threadExit(thread);
}

void WarpgroupProducts::ctaExit(uint32_t cta) {
  constexpr uint32_t kMostGroups = 1024 / ProductForm::kThreads;
  for (uint32_t number = 0; number < kMostGroups; ++number)
    groups.erase({cta, number});
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

uint64_t WarpgroupProducts::keep(const char *value, uint32_t bytes,
                                 const char *poison, uint32_t elements) {
  Warpgroup &group = here();
  return group.laneOf(context.grid.current())
      .file.keep(value, bytes, poison, elements);
}

/// The registers of a handle. After a finding, others take their place.
ProductRegisters &WarpgroupProducts::use(WarpgroupLane &lane, uint64_t &handle,
                                         llvm::StringRef what, uint32_t bytes) {
  if (ProductRegisters *registers = lane.file.find(handle))
    return *registers;
  context.report(FindingKind::RegistersInFlight, context.here().actor(what),
                 "expected each value of registers to be used once, found one "
                 "that another product or wait has taken");
  handle = lane.file.keep(std::vector<char>(bytes).data(), bytes, nullptr, 0);
  return *lane.file.find(handle);
}

void WarpgroupProducts::take(uint64_t handle, char *value, uint32_t bytes,
                             char *poison, uint32_t elements) {
  Warpgroup &group = here();
  const Thread &thread = context.grid.current();
  WarpState &warp = group.warpOf(thread);
  WarpgroupLane &lane = group.laneOf(thread);
  ProductRegisters &registers = use(lane, handle, "wgmma.wait", bytes);
  std::memcpy(value, registers.bytes.data(), bytes);
  for (uint32_t i = 0; i < elements; ++i)
    poison[i] = i < registers.poison.size() && registers.poison[i];
  if (registers.group <= warp.waitedGroup)
    return lane.file.free(handle);
  Actor product = context.here().actor("wgmma.mma");
  product.site = registers.site;
  context.report(
      FindingKind::RegistersInFlight, context.here().actor("wgmma.wait"),
      registers.group == warp.openGroup
          ? Twine("expected wgmma.commit between a product and the wait that "
                  "returns its registers, found none")
          : "expected a wait for all groups that access its registers, found "
            "one that leaves " +
                Twine(warp.openGroup - 1 - warp.waitedGroup) +
                " groups in flight",
      nullptr, 0, product);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

uint64_t WarpgroupProducts::describe(const char *address, uint64_t bits) {
  const AsyncCTA &cta = ctas.at(context.grid.current().cta);
  return bits | MatrixDescriptor::getAddressBits(uint64_t(address - cta.shared),
                                                 cta.contains(address));
}

uint64_t WarpgroupProducts::multiply(ProductForm form, uint64_t a, uint64_t b,
                                     uint64_t sums, bool accumulates) {
  Warpgroup &group = here();
  const Thread &thread = context.grid.current();
  WarpgroupLane &lane = group.laneOf(thread);
  lane.sums =
      &use(lane, sums, "wgmma.mma", form.getSumCount() * form.getSumBytes());
  lane.factors = form.aInRegisters ? &use(lane, a, "wgmma.mma", 16) : nullptr;
  sums = lane.file.renew(sums);
  if (form.aInRegisters)
    a = 0;
  uint64_t key = llvm::hash_combine(form.encode(), a, b, accumulates);
  gatherWarp("wgmma.mma", llvm::hash_combine(thread.site, key), [&] {
    WarpState &warp = group.warpOf(context.grid.current());
    WarpgroupStep &step = group.arrive("wgmma.mma", key);
    if (!step.product) {
      step.product =
          &group.createProduct(form, a, b, accumulates, warp.openGroup);
      for (const MatrixDescriptor *matrix :
           {&step.product->a, &step.product->b})
        if (std::string why = matrix->explain(); !why.empty())
          context.report(FindingKind::InvalidOperand,
                         context.here().actor("wgmma.mma"), why,
                         ctas.at(thread.cta).shared + matrix->getAddress(),
                         ProductForm::kPieceBytes);
    }
    join(group, warp, *step.product);
    if (step.isComplete())
      start(group, *step.product);
  });
  return sums;
}

/// The warp of the running thread arrives at a product.
uint32_t WarpgroupProducts::multiplyInPlace(ProductForm form, uint64_t a,
                                            uint64_t b, const char *factors,
                                            char *sums, bool accumulates) {
  constexpr uint32_t kFactorBytes = 16;
  Warpgroup &group = here();
  const Thread &thread = context.grid.current();
  RegisterFile &file = group.laneOf(thread).file;
  if (group.warpOf(thread).fences == 0)
    context.report(FindingKind::RegistersInFlight,
                   context.here().actor("wgmma.mma"),
                   "expected wgmma.fence before the first product of a warp, "
                   "found none");
  if (form.aInRegisters)
    a = file.keep(factors, kFactorBytes, nullptr, 0);
  uint32_t bytes = form.getSumCount() * form.getSumBytes();
  uint32_t number = group.warpOf(thread).openGroup;
  uint64_t handle =
      multiply(form, a, b, file.keep(sums, bytes, nullptr, 0), accumulates);
  while (file.find(handle)->isPending)
    context.grid.wait(group);
  std::memcpy(sums, file.find(handle)->bytes.data(), bytes);
  file.free(handle);
  if (form.aInRegisters)
    file.free(a);
  return number;
}

void WarpgroupProducts::checkWaited(uint32_t number, const char *rule) {
  const WarpState &warp = here().warpOf(context.grid.current());
  if (number <= warp.waitedGroup)
    return;
  Actor product = context.here().actor("wgmma.mma");
  product.site = warp.lastSite;
  context.report(FindingKind::RegistersInFlight, context.here().actor(""),
                 llvm::Twine("expected a wait for the products that ") + rule +
                     ", found one whose group is in flight",
                 nullptr, 0, product);
}

void WarpgroupProducts::checkSums(uint32_t number) {
  checkWaited(number, "add to a register before its use");
}

void WarpgroupProducts::checkFactors(uint32_t number) {
  checkWaited(number, "read a register before it is written");
}

void WarpgroupProducts::join(Warpgroup &group, WarpState &warp,
                             Product &product) {
  Thread &current = context.grid.current();
  uint32_t number = (current.index - group.first) / 32;
  warp.lastGroup = product.group;
  warp.lastSite = current.site;
  for (uint32_t lane = 0; lane < 32; ++lane) {
    uint32_t at = number * 32 + lane;
    Thread &thread = *context.grid.lookup(current.cta, group.first + at);
    thread.tick();
    product.views[number].join(thread.view);
    product.issueCycles = std::max(product.issueCycles, current.cycles);
    ProductRegisters &sums = *group.lanes[at].sums;
    product.sums[at] = &sums;
    sums.isPending = true;
    product.factors[at] = group.lanes[at].factors;
    for (ProductRegisters *registers : {&sums, group.lanes[at].factors})
      if (registers) {
        registers->group = product.group;
        registers->site = current.site;
      }
    if (sums.shape != 0 && sums.shape != product.form.getShape() &&
        sums.fences == warp.fences)
      context.report(FindingKind::RegistersInFlight,
                     whoIs(thread).actor("wgmma.mma"),
                     "expected wgmma.fence between products of different "
                     "shapes that add to the same registers, found none");
    sums.shape = product.form.getShape();
    sums.fences = warp.fences;
  }
}

void WarpgroupProducts::start(Warpgroup &group, Product &product) {
  Thread &thread = context.grid.current();
  AsyncCTA &cta = ctas.at(thread.cta);
  if (group.agent == 0)
    group.agent = cta.nextAgent++;
  AsyncOperation &operation =
      operations.create(OperationKind::Product, "wgmma.mma");
  operation.issuer.thread = group.first;
  operation.reader = &group.readerOf(product);
  operation.source = cta.shared + product.b.getAddress();
  operation.bytes = uint64_t(product.countPieces()) * ProductForm::kPieceBytes;
  operation.readEpoch = Epoch(thread.cta, group.agent, product.group);
  operation.issueCycles = product.issueCycles;
  operation.landCycles = product.landCycles =
      cta.tensorCores.pass(product.issueCycles,
                           product.form.n * kCostOfColumn) +
      kProductLatency;
  engine.issueProduct(operation, product.countPieces());
}

} // namespace carousel::sim
