//===- AsyncValues.cpp - issue of single values ---------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What st.async and red.async become.
//
//===----------------------------------------------------------------------===//

#include "AsyncValues.h"

#include <cstring>

namespace carousel::sim {

using llvm::Twine;

/// An operation on one value, which is read at once. It is performed in the
/// generic proxy (PTX ISA, st.async and red.async).
AsyncOperation &AsyncValues::create(llvm::StringLiteral name, const void *value,
                                    uint32_t bytes, void *destination) {
  if (uint64_t past = reinterpret_cast<uint64_t>(destination) % bytes)
    issue.context.invalid(name,
                          "expected a destination aligned to " + Twine(bytes) +
                              " bytes, got an address " + Twine(past) +
                              " bytes past that",
                          destination, bytes);
  AsyncOperation &operation =
      issue.operations.create(OperationKind::Immediate, name);
  operation.proxy = Proxy::Generic;
  operation.destination = static_cast<char *>(destination);
  operation.bytes = bytes;
  if (operation.stagingSize < 16) {
    operation.staging = std::make_unique<char[]>(16);
    operation.stagingSize = 16;
  }
  std::memcpy(operation.staging.get(), value, bytes);
  return operation;
}

//===----------------------------------------------------------------------===//
// To the shared memory of a CTA
//===----------------------------------------------------------------------===//

void AsyncValues::store(const void *value, uint32_t bytes, void *remote,
                        void *barrier) {
  constexpr llvm::StringLiteral kName = "st_async";
  issue.operands.checkShared(kName, remote, 1, "the destination", bytes);
  AsyncOperation &operation = create(kName, value, bytes, remote);
  issue.operands.signalAtDestination(operation, barrier);
  issue.engine.issue(operation, nullptr, kSharedLatency);
}

void AsyncValues::reduce(ReduceKind kind, ReduceType type, const void *value,
                         void *remote, void *barrier) {
  constexpr llvm::StringLiteral kName = "red_async";
  uint32_t bytes = getElementBytes(type);
  issue.operands.checkShared(kName, remote, 1, "the destination", bytes);
  AsyncOperation &operation = create(kName, value, bytes, remote);
  operation.setReduction(kind, type);
  issue.operands.signalAtDestination(operation, barrier);
  issue.engine.issue(operation, nullptr, kSharedLatency);
}

//===----------------------------------------------------------------------===//
// To global memory
//===----------------------------------------------------------------------===//

/// A value that is released to global memory. It takes effect later, like an
/// atomic of the thread.
void AsyncValues::issueRelease(AsyncOperation &operation) {
  operation.isRelease = true;
  issue.engine.issue(operation, nullptr, kGlobalLatency);
}

void AsyncValues::storeGlobal(const void *value, uint32_t bytes, void *global) {
  issueRelease(create("st_async_global", value, bytes, global));
}

void AsyncValues::reduceGlobal(ReduceType type, const void *value,
                               void *global) {
  AsyncOperation &operation =
      create("red_async_global", value, getElementBytes(type), global);
  operation.setReduction(ReduceKind::Add, type);
  issueRelease(operation);
}

} // namespace carousel::sim
