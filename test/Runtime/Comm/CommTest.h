//===- CommTest.h - ranks in one process and in several ---------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each rank has a device of the fake driver, or shares device 0. Processes are
// children of fork(), each with a fake driver of its own whose memory they
// share by file descriptors.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TEST_RUNTIME_COMM_COMMTEST_H
#define CAROUSEL_TEST_RUNTIME_COMM_COMMTEST_H

#include "FakeDriver.h"

#include "carousel/Runtime/Comm.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace carousel::runtime::test {

using std::chrono::milliseconds;

inline Context makeContext(int device = 0) {
  ContextOptions options;
  options.libraries.driver = CAROUSEL_FAKE_DRIVER;
  options.cacheBytes = 0;
  options.device = device;
  Result<Context> made = Context::create(options);
  EXPECT_TRUE(made) << made.error().message;
  return *made;
}

/// "" where it succeeded.
template <typename T> std::string getError(const Result<T> &result) {
  return result ? "" : result.error().message;
}

inline void setDevices(size_t count) {
  fake::setDevices(std::vector<fake::Device>(count));
}

/// A name that no other test uses.
std::string makeSession();
unsigned countFiles();     ///< open in this process
unsigned countInherited(); ///< of these, that a program started by exec gets
unsigned countSockets();   ///< of this library, of any process
unsigned countThreads();   ///< of this process
/// Whether this process has so many threads, within a second: the kernel lists
/// one for a moment after others have joined it.
bool waitForThreads(unsigned count);

/// One rank in a process of its own: returns what is wrong, or "". It may kill
/// itself.
using Rank = std::function<std::string(int rank)>;
struct Ended {
  int signal = 0; ///< that killed it
  std::string problem;
};
/// Runs ranks, and kills those that take longer than 20 s.
std::vector<Ended> runRanks(int count, const Rank &body);

unsigned countSharedFiles(); ///< of this library, in /dev/shm

/// Ranks of a session that leave nothing behind.
class ProcessFixture : public testing::Test {
protected:
  void SetUp() override {
    session = makeSession();
    shared = countSharedFiles();
  }
  void TearDown() override {
    EXPECT_EQ(countSockets(), 0u);
    EXPECT_EQ(countSharedFiles(), shared);
  }

  /// Runs ranks that none kills.
  void expectGood(int count, const Rank &body) {
    for (const Ended &ended : runRanks(count, body)) {
      EXPECT_EQ(ended.signal, 0);
      EXPECT_EQ(ended.problem, "");
    }
  }

  std::string session;
  unsigned shared = 0;
};

/// Options of a rank of a session.
inline CommOptions makeOptions(int rank, int size, const std::string &session) {
  CommOptions options;
  options.rank = rank;
  options.size = size;
  options.session = session;
  options.timeout = milliseconds(10000);
  options.mailboxBytes = 65536;
  return options;
}

/// Returns from a rank's function with a message.
#define RANK_CHECK(condition)                                                  \
  do {                                                                         \
    if (!(condition))                                                          \
      return std::string(__FILE__ ":") + std::to_string(__LINE__) +            \
             ": expected " #condition;                                         \
  } while (false)
/// The same for a Result.
#define RANK_GOOD(result)                                                      \
  do {                                                                         \
    if (std::string error_ = getError(result); !error_.empty())                \
      return std::string(__FILE__ ":") + std::to_string(__LINE__) + ": " +     \
             error_;                                                           \
  } while (false)

} // namespace carousel::runtime::test

#endif // CAROUSEL_TEST_RUNTIME_COMM_COMMTEST_H
