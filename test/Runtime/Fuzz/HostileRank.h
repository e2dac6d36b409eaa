//===- HostileRank.h - a rank that a script misleads ------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See CommFuzzer.cpp. It speaks the protocol of runtime/src/Comm by itself, so
// that it can send what the library never sends.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TEST_RUNTIME_FUZZ_HOSTILERANK_H
#define CAROUSEL_TEST_RUNTIME_FUZZ_HOSTILERANK_H

#include "Support/FileDescriptor.h"

#include "carousel/Runtime/Comm.h"

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace carousel::fuzz {

/// Bytes that decide; zeros after the last.
class Script {
public:
  Script(const uint8_t *data, size_t size) : data(data), size(size) {}
  unsigned next() { return at < size ? data[at++] : 0; }
  bool isAtEnd() const { return at >= size; }
  /// `right`, or what a byte makes of it.
  uint64_t change(uint64_t right);
  std::string take(size_t count);

private:
  const uint8_t *data;
  size_t size, at = 0;
};

class HostileRank {
public:
  using File = std::shared_ptr<runtime::FileDescriptor>;

  /// The other rank of `options`. Begins at once, in a thread of its own, and
  /// ends with its script.
  HostileRank(const runtime::CommOptions &options, Script script);
  ~HostileRank();

private:
  struct Letter {
    uint32_t kind = 0, hasFile = 0;
    uint64_t sequence = 0;
    std::string bytes;
    std::vector<File> files;
  };

  void run();
  bool connect();
  void greet();
  /// False: nothing comes any more.
  bool receive(Letter &letter);
  void send(std::string_view bytes, const std::vector<File> &files);
  void send(const Letter &letter);
  void answer(Letter letter);
  void change(Letter &letter);
  void poke();
  /// Makes a file of a kind that the script chooses: 0 is the one that the kind
  /// of message needs.
  File makeFile(unsigned choice, uint64_t bytes, bool isSealed) const;

  const runtime::CommOptions options;
  Script script;
  runtime::FileDescriptor listener{-1}, socket{-1};
  std::vector<File> received;
  std::atomic<bool> isEnding = false;
  std::thread thread;
};

} // namespace carousel::fuzz

#endif // CAROUSEL_TEST_RUNTIME_FUZZ_HOSTILERANK_H
