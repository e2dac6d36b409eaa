//===- CommDevice.h - what checks of transfers share ------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Contexts, groups and memory of ranks on GPUs. A check is a function that each
// rank calls: it returns what is wrong, or "".
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TEST_DEVICE_COMM_COMMDEVICE_H
#define CAROUSEL_TEST_DEVICE_COMM_COMMDEVICE_H

#include "carousel/Runtime/Comm.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include <cuda.h>
#include <dlfcn.h>

namespace carousel::comm_device {

using namespace carousel::runtime;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

#define GOOD(result)                                                           \
  do {                                                                         \
    if (const auto &result_ = (result); !result_)                              \
      return "line " + std::to_string(__LINE__) + ": " +                       \
             result_.error().message;                                          \
  } while (false)
#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition))                                                          \
      return "line " + std::to_string(__LINE__) + ": expected " #condition;    \
  } while (false)

extern uint64_t mostBytes;      ///< of the largest copy
extern std::string note;        ///< that a rank prints after "ok"
void setNote(std::string text); ///< by one of several threads
/// Memory that all processes of a check share, zeroed before it.
struct Shared {
  std::atomic<int> isReady;
  char ncclId[128];
};
extern Shared *shared;

/// As scripts/device/device-p2p counts them.
int countDevices();
/// A rank for each GPU, or 4 that share the only one.
int countRanks();
Result<Context> makeContext(int rank);
/// A rank of the processes of a check.
Result<Comm> join(const Context &context, int rank, int size,
                  milliseconds timeout = milliseconds(20000));

/// Random words.
std::vector<uint64_t> makeWords(uint64_t bytes, uint64_t seed);
/// Compares the target with what it must be: the source at an offset, 0xa5
/// around it.
std::string compare(const std::vector<uint8_t> &got, uint64_t offset,
                    const uint8_t *expected, uint64_t bytes);

/// Functions of the driver that the library doesn't need.
template <typename F> F findDriver(const char *name) {
  static void *handle = ::dlopen("libcuda.so.1", RTLD_NOW);
  return reinterpret_cast<F>(::dlsym(handle, name));
}
/// A stream that waits for no other one.
Result<CUstream> makeStream(const Context &context);

/// Ranks of this process.
struct LocalRanks {
  std::vector<Context> contexts;
  std::vector<Comm> comms;
  std::vector<SymmetricBuffer> buffers;
  std::vector<CUstream> streams;

  std::string open(int count, uint64_t bytes, milliseconds timeout);
  /// Calls `body` for each rank in a thread of its own; the first problem.
  std::string forRanks(const std::function<std::string(int)> &body) const;
};

/// Each by its own file. The argument is the rank; those of ranks of one
/// process get 0.
std::string checkBytes(int rank);
std::string checkLarge(int rank);
std::string checkRounds(int rank);
std::string checkLocalRounds(int);
std::string checkGraph(int);
std::string checkKill(int rank);
std::string checkTimeout(int rank);
std::string checkSend(int rank);
std::string checkAdd(int rank);
std::string checkNCCL(int);
std::string checkNCCLProcesses(int rank);
std::string checkMemory(int rank);
std::string checkRing(int rank);
std::string checkLocalRing(int);
std::string checkAllPairs(int rank);
std::string checkLocalAllPairs(int);
std::string checkCompute(int rank);
std::string checkLocalCompute(int);

} // namespace carousel::comm_device

#endif // CAROUSEL_TEST_DEVICE_COMM_COMMDEVICE_H
