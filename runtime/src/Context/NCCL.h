//===- NCCL.h - what the runtime uses of NCCL -------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Types, numbers and functions of nccl.h, which is no part of the toolkit. They
// have been the same since NCCL 2.7.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_CONTEXT_NCCL_H
#define CAROUSEL_RUNTIME_SRC_CONTEXT_NCCL_H

#include <cuda.h>

#include <cstddef>

namespace carousel::runtime::nccl {

using Status = int; ///< ncclResult_t
constexpr Status kSuccess = 0, kInProgress = 7;

constexpr size_t kIdBytes = 128;
struct Id {
  char bytes[kIdBytes];
};
struct OpaqueGroup;
using Group = OpaqueGroup *; ///< ncclComm_t

enum DataType : int { kByte = 0 };

// The functions, by the names of their symbols.
using ncclGetUniqueId = Status(Id *);
using ncclCommInitRank = Status(Group *, int size, Id, int rank);
using ncclCommDestroy = Status(Group);
using ncclCommAbort = Status(Group);
using ncclCommGetAsyncError = Status(Group, Status *);
using ncclGetErrorString = const char *(Status);
using ncclSend = Status(const void *, size_t, DataType, int peer, Group,
                        CUstream);
using ncclRecv = Status(void *, size_t, DataType, int peer, Group, CUstream);
using ncclAllGather = Status(const void *, void *, size_t, DataType, Group,
                             CUstream);

} // namespace carousel::runtime::nccl

#endif // CAROUSEL_RUNTIME_SRC_CONTEXT_NCCL_H
