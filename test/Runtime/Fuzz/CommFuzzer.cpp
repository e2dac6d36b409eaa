//===- CommFuzzer.cpp - a hostile rank of the same user -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A rank of this library and a hostile one, over a real socket with real
// descriptors, on the fake driver. The input is a script. The hostile rank
// answers each message by one of the same kind, as a good rank would, but for
// what the script changes: a script of zeros is a good rank. The rank must end
// each call with success or an error of one line, in a bounded time, and leave
// no file, thread or memory behind.
//
//===----------------------------------------------------------------------===//

#include "FakeDriver.h"
#include "HostileRank.h"

#include "carousel/Runtime/Comm.h"
#include "carousel/Runtime/Event.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include <csignal>

using namespace carousel;
using namespace carousel::runtime;
using namespace carousel::fuzz;

namespace {

constexpr std::chrono::milliseconds kTimeout(25);

[[noreturn]] void fail(const char *what, const std::string &text) {
  fprintf(stderr, "%s: '%s'\n", what, text.c_str());
  abort();
}

template <typename T> bool check(const Result<T> &result) {
  if (result)
    return true;
  const std::string &text = result.error().message;
  if (text.empty() || text.size() > 2000)
    fail("expected a message of some length", text);
  for (unsigned char c : text)
    if (c < 0x20 || c == 0x7f)
      fail("expected no control characters", text);
  return false;
}

size_t countEntries(const char *directory) {
  return std::distance(std::filesystem::directory_iterator(directory),
                       std::filesystem::directory_iterator());
}

/// Numbers that must be as before when a rank has gone.
struct Left {
  size_t files = countEntries("/proc/self/fd");
  size_t threads = countEntries("/proc/self/task");
  unsigned physical = fake::countPhysical(), ranges = fake::countRanges();
  unsigned host = fake::countHostAllocations();
  unsigned memory = fake::countAllocations();

  std::string describe() const {
    return std::to_string(files) + " files, " + std::to_string(threads) +
           " threads, " + std::to_string(physical) + ", " +
           std::to_string(ranges) + ", " + std::to_string(host) + ", " +
           std::to_string(memory) + " of memory";
  }
};

/// Transfers with a buffer that was allocated.
void use(const Comm &comm, const SymmetricBuffer &buffer, int peer,
         uint64_t local, Script &script) {
  WaitOptions wait;
  wait.timeout = std::chrono::milliseconds(3);
  unsigned choice = script.next();
  wait.isEqual = choice & 1, wait.reset = choice & 2;
  check(buffer.put(peer, 0, local, 64));
  check(buffer.get(peer, 64, local, 64));
  check(buffer.signal(peer, 0, 1));
  check(buffer.wait(peer, 0, script.next() % 4, nullptr, wait));
  check(comm.synchronize());
  check(comm.check());
}

/// The rank: connects, and makes the calls that the script names.
void run(const Context &context, uint64_t local, const CommOptions &options,
         Script script) {
  Result<Comm> comm = Comm::connect(context, options);
  if (!check(comm))
    return;
  int peer = 1 - options.rank;
  std::optional<SymmetricBuffer> buffer;
  for (unsigned call = 0; call < 4; ++call) {
    switch (script.next() % 6) {
    case 0: {
      buffer.reset();
      Result<SymmetricBuffer> made = SymmetricBuffer::allocate(
          *comm, 4096, {static_cast<uint32_t>(script.next() % 4)});
      if (check(made))
        buffer.emplace(std::move(*made));
      break;
    }
    case 1:
      check(comm->barrier());
      break;
    case 2:
      if (buffer)
        check(SymmetricBuffer::openMulticast({&*buffer}));
      break;
    case 3:
      if (buffer)
        use(*comm, *buffer, peer, local, script);
      break;
    case 4:
      check(comm->send(peer, local, 100));
      break;
    case 5:
      check(comm->recv(peer, local, 100));
      check(comm->synchronize());
      break;
    }
  }
  (void)comm->getPeerState(peer);
}

struct Driver {
  Context context;
  Buffer memory;

  static Driver &get() {
    static Driver *driver = [] {
      ::signal(SIGPIPE, SIG_IGN);
      fake::reset();
      fake::Device device;
      device.attributes[CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED] = 1;
      fake::setDevices({device, device});
      fake::setRecording(false);
      ContextOptions options;
      options.libraries.driver = CAROUSEL_FAKE_DRIVER;
      options.cacheBytes = 0;
      Result<Context> context = Context::create(options);
      if (!context)
        fail("expected a context", context.error().message);
      Result<Buffer> memory = Buffer::allocate(*context, 4096);
      if (!memory)
        fail("expected memory", memory.error().message);
      return new Driver{*context, std::move(*memory)};
    }();
    return *driver;
  }
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Driver &driver = Driver::get();
  // The rank's calls, then what the hostile one does.
  size_t half = std::min<size_t>(size, 12);
  Script calls(data, half), deeds(data + half, size - half);
  unsigned choice = calls.next();
  CommOptions options;
  options.rank = choice & 1;
  options.size = 2;
  options.session = "fuzz-" + std::to_string(::getpid());
  options.timeout = kTimeout;
  options.hostSignals = choice & 2;
  options.allowMulticast = choice & 4;
  options.mailboxBytes = choice & 8 ? 4096 : 0;
  Left before;
  {
    HostileRank hostile(options, deeds);
    run(driver.context, driver.memory.getAddress(), options, calls);
  }
  // A thread that was joined may stay in /proc for a moment.
  Left after;
  for (unsigned time = 0; time < 1000 && after.threads > before.threads;
       ++time) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    after.threads = Left().threads;
  }
  if (after.describe() != before.describe())
    fail("expected nothing to be left",
         before.describe() + "; got " + after.describe());
  return 0;
}
