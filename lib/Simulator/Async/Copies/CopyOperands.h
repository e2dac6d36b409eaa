//===- CopyOperands.h - operands of copies at run time ----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks the operands that bulk copies, tensor copies and single values have in
// common. An operand that hardware traps on ends the run.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_ASYNC_COPIES_COPYOPERANDS_H
#define CAROUSEL_LIB_SIMULATOR_ASYNC_COPIES_COPYOPERANDS_H

#include "../Mbarriers/MbarrierArrivals.h"

namespace carousel::sim {

class CopyOperands {
public:
  CopyOperands(AsyncContext &context, ResidentCTAs &ctas,
               MbarrierArrivals &arrivals)
      : context(context), ctas(ctas), arrivals(arrivals) {}

  void checkBulk(llvm::StringRef name, const void *global, int64_t size);
  /// The offset of a shared address in its CTA.
  uint64_t checkShared(llvm::StringRef name, const void *shared,
                       uint64_t alignment, const char *what, uint64_t size);
  /// The operation signals the barrier, which must lie in the CTA of the
  /// destination.
  void signalAtDestination(AsyncOperation &operation, void *barrier);
  /// Calls `copy` for the destination and the barrier of each CTA in the mask,
  /// or for the given ones without a mask.
  void forEachTarget(llvm::StringRef name, void *shared, void *barrier,
                     std::optional<uint16_t> multicast,
                     llvm::function_ref<void(char *to, void *signal)> copy);
  /// Looks for the same reduction issued by another thread. Call it before the
  /// operation is issued.
  void noteReduction(AsyncOperation &operation, uint64_t destination);

private:
  AsyncContext &context;
  ResidentCTAs &ctas;
  MbarrierArrivals &arrivals;
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_ASYNC_COPIES_COPYOPERANDS_H
