//===- MachineProductCalls.cpp - wgmma, as kernels call it ------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The calls of MachineCalls.cpp for a warpgroup's products, with the same
// conventions. A value of registers is in memory of the thread: its bytes, a
// byte for each element that says whether it is poison, and one that says
// whether these bytes are set.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

using namespace carousel::sim;

static WarpgroupProducts &enterProducts(uint32_t site) {
  Machine &machine = Machine::current();
  machine.enter(site);
  return machine.async.products;
}

extern "C" {

static uint64_t carousel_sim_wgmma_descriptor(const char *address,
                                              uint64_t bits, uint32_t site) {
  return enterProducts(site).describe(address, bits);
}
static void carousel_sim_wgmma_fence(uint32_t site) {
  enterProducts(site).fence();
}
static uint64_t carousel_sim_wgmma_keep(const char *value, uint32_t bytes,
                                        uint32_t elements, uint32_t) {
  const char *poison = value + bytes;
  return Machine::current().async.products.keep(
      value, bytes, poison[elements] ? poison : nullptr, elements);
}
static uint64_t carousel_sim_wgmma_mma(uint64_t form, uint64_t a, uint64_t b,
                                       uint64_t sums, int32_t accumulates,
                                       uint32_t site) {
  return enterProducts(site).multiply(ProductForm::decode(form), a, b, sums,
                                      accumulates);
}
static void carousel_sim_wgmma_commit(uint32_t site) {
  enterProducts(site).commit();
}
static void carousel_sim_wgmma_wait(uint32_t pending, uint32_t site) {
  Machine &machine = Machine::current();
  machine.enter(site);
  TracedCall call(machine, CallKind::Waits, "wgmma group wait");
  machine.async.products.wait(pending);
}
static void carousel_sim_wgmma_take(uint64_t handle, char *value,
                                    uint32_t bytes, uint32_t elements,
                                    uint32_t) {
  Machine::current().async.products.take(handle, value, bytes, value + bytes,
                                         elements);
}

} // extern "C"

llvm::ArrayRef<HostSymbol> carousel::sim::getMachineProductSymbols() {
#define CAROUSEL_SYMBOL(Name)                                                  \
  {                                                                            \
    #Name, (void *)&Name                                                       \
  }
  static const HostSymbol kSymbols[] = {
      CAROUSEL_SYMBOL(carousel_sim_wgmma_descriptor),
      CAROUSEL_SYMBOL(carousel_sim_wgmma_fence),
      CAROUSEL_SYMBOL(carousel_sim_wgmma_keep),
      CAROUSEL_SYMBOL(carousel_sim_wgmma_mma),
      CAROUSEL_SYMBOL(carousel_sim_wgmma_commit),
      CAROUSEL_SYMBOL(carousel_sim_wgmma_wait),
      CAROUSEL_SYMBOL(carousel_sim_wgmma_take)};
#undef CAROUSEL_SYMBOL
  return kSymbols;
}
