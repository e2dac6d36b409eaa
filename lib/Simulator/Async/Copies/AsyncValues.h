//===- AsyncValues.h - issue of single values -------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Issues st.async and red.async. `value` points to `bytes` bytes, which are
// read at once.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_SIMULATOR_ASYNC_COPIES_ASYNCVALUES_H
#define CAROUSEL_LIB_SIMULATOR_ASYNC_COPIES_ASYNCVALUES_H

#include "CopyIssue.h"

namespace carousel::sim {

class AsyncValues {
public:
  explicit AsyncValues(const CopyIssue &issue) : issue(issue) {}

  void store(const void *value, uint32_t bytes, void *remote, void *barrier);
  void storeGlobal(const void *value, uint32_t bytes, void *global);
  void reduce(ReduceKind kind, ReduceType type, const void *value, void *remote,
              void *barrier);
  void reduceGlobal(ReduceType type, const void *value, void *global);

private:
  AsyncOperation &create(llvm::StringLiteral name, const void *value,
                         uint32_t bytes, void *destination);
  void issueRelease(AsyncOperation &operation);

  CopyIssue issue;
};

} // namespace carousel::sim

#endif // CAROUSEL_LIB_SIMULATOR_ASYNC_COPIES_ASYNCVALUES_H
