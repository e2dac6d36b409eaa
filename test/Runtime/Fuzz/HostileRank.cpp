//===- HostileRank.cpp - a rank that a script misleads --------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See HostileRank.h.
//
//===----------------------------------------------------------------------===//

#include "HostileRank.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

using namespace carousel;
using namespace carousel::fuzz;
using runtime::FileDescriptor;

namespace {

constexpr size_t kHeaderBytes = 16;
enum : uint32_t { kMulticast = 6, kSignals = 7 };
constexpr uint64_t kFileBytes = 65536; ///< the fake's granularity

struct Hello {
  uint64_t magic = 0x336d6d6f43726143;
  int32_t rank = 0, size = 2;
  char device[16] = {'f', 'a', 'k', 'e'};
  uint64_t mailboxBytes = 0;
};

template <typename T> std::string toBytes(const T &value) {
  return std::string(reinterpret_cast<const char *>(&value), sizeof(T));
}

} // namespace

uint64_t Script::change(uint64_t right) {
  switch (unsigned choice = next()) {
  case 0:
    return right;
  case 1:
    return right + 1;
  case 2:
    return right - 1;
  case 3:
    return 0;
  case 4:
    return UINT64_MAX;
  case 5:
    return uint64_t(1) << (next() % 64);
  case 6:
    return right ^ uint64_t(1) << (next() % 64);
  default:
    return choice;
  }
}

std::string Script::take(size_t count) {
  std::string bytes(count, '\0');
  for (char &c : bytes)
    c = static_cast<char>(next());
  return bytes;
}

HostileRank::HostileRank(const runtime::CommOptions &options, Script script)
    : options(options), script(script) {
  if (options.rank == 1) { // the other one is rank 0, which listens
    sockaddr_un address = {};
    std::string name = "carousel-comm-" + std::to_string(::geteuid()) + "-" +
                       options.session + "-0";
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path + 1, name.data(), name.size());
    listener.reset(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 +
                                         name.size());
    if (::bind(listener.get(), reinterpret_cast<sockaddr *>(&address),
               length) != 0 ||
        ::listen(listener.get(), 1) != 0)
      abort();
  }
  thread = std::thread([this] { run(); });
}

HostileRank::~HostileRank() {
  isEnding = true;
  thread.join();
}

bool HostileRank::connect() {
  sockaddr_un address = {};
  std::string name = "carousel-comm-" + std::to_string(::geteuid()) + "-" +
                     options.session + "-0";
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path + 1, name.data(), name.size());
  auto length =
      static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  while (!isEnding) {
    if (listener) {
      pollfd entry = {listener.get(), POLLIN, 0};
      if (::poll(&entry, 1, 1) > 0)
        socket.reset(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (socket)
        return true;
      continue;
    }
    socket.reset(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    if (::connect(socket.get(), reinterpret_cast<sockaddr *>(&address),
                  length) == 0)
      return true;
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  return false;
}

void HostileRank::send(std::string_view bytes, const std::vector<File> &files) {
  iovec part = {const_cast<char *>(bytes.data()), bytes.size()};
  std::vector<int> list;
  for (const File &file : files)
    list.push_back(file->get());
  std::vector<char> control(CMSG_SPACE(list.size() * sizeof(int)));
  msghdr message = {};
  message.msg_iov = &part, message.msg_iovlen = 1;
  if (!list.empty()) {
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET, header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(list.size() * sizeof(int));
    std::memcpy(CMSG_DATA(header), list.data(), list.size() * sizeof(int));
  }
  // Where the other one reads no more, nothing waits.
  (void)::sendmsg(socket.get(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

void HostileRank::send(const Letter &letter) {
  send(toBytes(letter.kind) + toBytes(letter.hasFile) +
           toBytes(letter.sequence) + letter.bytes,
       letter.files);
}

bool HostileRank::receive(Letter &letter) {
  pollfd entry = {socket.get(), POLLIN, 0};
  while (!isEnding && ::poll(&entry, 1, 1) == 0)
    ;
  char bytes[8192];
  iovec part = {bytes, sizeof(bytes)};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))];
  msghdr message = {};
  message.msg_iov = &part, message.msg_iovlen = 1;
  message.msg_control = control, message.msg_controllen = sizeof(control);
  ssize_t got =
      ::recvmsg(socket.get(), &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  if (got <= 0)
    return false;
  if (cmsghdr *header = CMSG_FIRSTHDR(&message)) {
    int file;
    std::memcpy(&file, CMSG_DATA(header), sizeof(int));
    received.push_back(std::make_shared<FileDescriptor>(file));
  }
  auto size = static_cast<size_t>(got);
  if (size < kHeaderBytes)
    return true;
  std::memcpy(&letter.kind, bytes, 4);
  std::memcpy(&letter.hasFile, bytes + 4, 4);
  std::memcpy(&letter.sequence, bytes + 8, 8);
  letter.bytes.assign(bytes + kHeaderBytes, size - kHeaderBytes);
  return true;
}

HostileRank::File HostileRank::makeFile(unsigned choice, uint64_t bytes,
                                        bool isSealed) const {
  auto memory = [](uint64_t size, int seals) {
    int file = ::memfd_create("fuzz", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    (void)!::ftruncate(file, static_cast<off_t>(size));
    (void)::fcntl(file, F_ADD_SEALS, seals);
    return file;
  };
  int all = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
  int file = -1;
  switch (choice % 9) {
  case 0:
    file = memory(bytes, isSealed ? all : 0);
    break;
  case 1:
    file = memory(bytes, isSealed ? 0 : all);
    break;
  case 2:
    file = memory(bytes / 2, all);
    break;
  case 3:
    file = memory(0, all);
    break;
  case 4:
    file = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    break;
  case 5:
    file = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    break;
  case 6:
    file = ::open("/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    break;
  case 7:
    file = memory(bytes, all | F_SEAL_WRITE);
    break;
  case 8: // its own
    file = ::dup(socket.get());
    break;
  }
  return std::make_shared<FileDescriptor>(file);
}

/// Both ranks say hello.
void HostileRank::greet() {
  Hello hello;
  hello.rank = 1 - options.rank;
  hello.device[4] = options.allowMulticast; // needs a GPU for each
  hello.mailboxBytes = options.mailboxBytes;
  std::vector<File> files;
  std::string bytes;
  if (unsigned choice = script.next(); choice % 4 == 1) {
    hello.magic = script.change(hello.magic);
    hello.rank = static_cast<int32_t>(script.change(hello.rank));
    hello.size = static_cast<int32_t>(script.change(hello.size));
    hello.device[4] = static_cast<char>(script.next());
    hello.mailboxBytes = script.change(hello.mailboxBytes);
    bytes = toBytes(hello);
  } else if (choice % 4 == 2) {
    for (unsigned i = script.next() % 12; i > 0; --i)
      files.push_back(makeFile(script.next(), kFileBytes, false));
    bytes = toBytes(hello).substr(0, script.change(sizeof(hello)));
  } else if (choice % 4 == 3) {
    bytes = script.take(script.next());
  } else {
    bytes = toBytes(hello);
  }
  send(bytes, files);
  Letter theirs;
  (void)receive(theirs);
}

void HostileRank::change(Letter &letter) {
  switch (script.next() % 8) {
  case 0: // good
    break;
  case 1:
    letter.kind = static_cast<uint32_t>(script.change(letter.kind));
    break;
  case 2:
    letter.sequence = script.change(letter.sequence);
    break;
  case 3:
    letter.hasFile = static_cast<uint32_t>(script.change(letter.hasFile));
    break;
  case 4: // a word of the contents
    if (letter.bytes.size() >= 4) {
      size_t at = 4 * (script.next() % (letter.bytes.size() / 4));
      uint64_t word = 0;
      size_t count = std::min<size_t>(8, letter.bytes.size() - at);
      std::memcpy(&word, letter.bytes.data() + at, count);
      word = script.change(word);
      std::memcpy(letter.bytes.data() + at, &word, count);
    }
    break;
  case 5:
    letter.bytes.resize(script.change(letter.bytes.size()) % 6000);
    break;
  case 6:
    letter.files.clear();
    for (unsigned i = script.next() % 12; i > 0; --i)
      letter.files.push_back(
          makeFile(script.next(), kFileBytes, letter.kind == kSignals));
    break;
  case 7:
    letter.bytes = script.take(script.next());
    break;
  }
}

/// A good rank sends what it gets: the contents are the same.
void HostileRank::answer(Letter letter) {
  letter.files.clear();
  bool isObject = letter.kind == kMulticast && options.rank == 1;
  if (letter.hasFile != 0 || isObject)
    letter.files.push_back(
        makeFile(0, 2 * kFileBytes, letter.kind == kSignals));
  letter.hasFile = !letter.files.empty();
  change(letter);
  send(letter);
}

/// Writes to memory that the other one shares.
void HostileRank::poke() {
  if (received.empty())
    return;
  const File &file = received[script.next() % received.size()];
  struct stat about = {};
  if (::fstat(file->get(), &about) != 0 || about.st_size < 4096)
    return;
  void *memory = ::mmap(nullptr, 8192 <= about.st_size ? 8192 : 4096,
                        PROT_READ | PROT_WRITE, MAP_SHARED, file->get(), 0);
  if (memory == MAP_FAILED)
    return;
  auto *words = static_cast<uint64_t *>(memory);
  size_t at = script.next() % 8;
  if (about.st_size >= 8192) // behind the memory of 4096 bytes
    at += 512;
  __atomic_store_n(words + at, script.change(1), __ATOMIC_SEQ_CST);
  ::munmap(memory, 8192 <= about.st_size ? 8192 : 4096);
}

void HostileRank::run() {
  if (!connect())
    return;
  greet();
  Letter last;
  // Good answers go on after the script's end.
  for (unsigned step = 0; step < 64 && !isEnding; ++step) {
    switch (script.next() % 8) {
    case 0:
    case 1:
      if (!receive(last))
        return;
      answer(last);
      break;
    case 2: // once more, or before the other one asks
      ++last.sequence;
      answer(last);
      break;
    case 3:
      send(script.take(script.next()), {});
      break;
    case 4:
      poke();
      break;
    case 5: { // without contents
      std::vector<File> files;
      for (unsigned i = script.next() % 12; i > 0; --i)
        files.push_back(makeFile(script.next(), kFileBytes, false));
      send("", files);
      break;
    }
    case 6:
      for (unsigned i = script.next(); i > 0; --i)
        answer(last);
      break;
    case 7:
      if (script.next() % 2)
        return;
      ::shutdown(socket.get(), script.next() % 3);
      break;
    }
  }
}
