//===- FakeNCCL.h - control of the fake NCCL --------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A shared object with the functions of NCCL that the runtime uses. Ranks are
// threads of one process. As streams of the fake driver run at once, a send
// waits for its recv in the call.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TEST_RUNTIME_FAKENCCL_H
#define CAROUSEL_TEST_RUNTIME_FAKENCCL_H

#include "Context/NCCL.h"

namespace carousel::fake::nccl {

/// Back to the state of a fresh process.
void reset();
/// Sets the result of ncclCommGetAsyncError from now on.
void setFault(runtime::nccl::Status status);
/// Communicators that were neither destroyed nor aborted, and that were.
unsigned countGroups();
unsigned countAborts();

} // namespace carousel::fake::nccl

#endif // CAROUSEL_TEST_RUNTIME_FAKENCCL_H
