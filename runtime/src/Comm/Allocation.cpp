//===- Allocation.cpp - memory that ranks share ---------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each rank allocates its part and offers it: to processes as a file
// descriptor, to ranks of its own process as a Mapping that all of them share.
// Then it maps the others' parts. An allocation succeeds on all ranks or fails
// on all, unless one is lost. The memory of host words is an anonymous file
// whose size is sealed: a process that could shorten it would end those that
// read it.
//
//===----------------------------------------------------------------------===//

#include "SymmetricImpl.h"

#include "Support/Process.h"

#include "carousel/Runtime/Fail.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

namespace carousel::runtime {

static tl::unexpected<Error> failCall(const char *call) {
  return fail(ErrorCode::IOError, "{} of signals failed: {}", call,
              describeErrno(errno));
}

HostWords::~HostWords() {
  if (!words)
    return;
  if (isRegistered && !isForkedFromUser()) {
    CurrentContext current(*context);
    RelaxedCapture relaxed(*context->driver);
    if (current.getStatus()) {
      (void)context->driver->cuCtxSynchronize();
      context->driver->cuMemHostUnregister(words);
    }
  }
  ::munmap(words, bytes);
}

Status HostWords::map(int file, uint64_t count) {
  auto page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  bytes = (count * sizeof(Word) + page - 1) / page * page;
  void *memory =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED)
    return failCall("mmap");
  words = static_cast<Word *>(memory);
  const DriverTable &driver = *context->driver;
  RelaxedCapture relaxed(driver);
  Status status =
      context->check(driver.cuMemHostRegister(words, bytes,
                                              CU_MEMHOSTREGISTER_PORTABLE |
                                                  CU_MEMHOSTREGISTER_DEVICEMAP),
                     "cuMemHostRegister");
  isRegistered = status.has_value();
  return status;
}

Result<std::shared_ptr<HostWords>>
HostWords::create(const std::shared_ptr<Context::Impl> &context, uint64_t count,
                  std::shared_ptr<FileDescriptor> &file) {
  file = std::make_shared<FileDescriptor>(
      ::memfd_create("carousel-signals", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!*file)
    return failCall("memfd_create");
  auto page = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  uint64_t size = (count * sizeof(Word) + page - 1) / page * page;
  if (::ftruncate(file->get(), static_cast<off_t>(size)) != 0)
    return failCall("ftruncate");
  if (::fcntl(file->get(), F_ADD_SEALS,
              F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
    return failCall("fcntl");
  std::shared_ptr<HostWords> made(new HostWords(context));
  CAROUSEL_TRY(made->map(file->get(), count));
  return made;
}

Result<std::shared_ptr<HostWords>>
HostWords::import(const std::shared_ptr<Context::Impl> &context, int file,
                  uint64_t count) {
  struct stat about = {};
  int seals = ::fcntl(file, F_GET_SEALS);
  uint64_t needed = count * sizeof(Word);
  if (seals < 0 || !(seals & F_SEAL_SHRINK) || ::fstat(file, &about) != 0 ||
      static_cast<uint64_t>(about.st_size) < needed)
    return fail(ErrorCode::InvalidArgument,
                "expected a sealed file of at least {} bytes for signals, got "
                "another one",
                needed);
  std::shared_ptr<HostWords> made(new HostWords(context));
  CAROUSEL_TRY(made->map(file, count));
  return made;
}

Result<uint64_t> HostWords::getAddress(const Context::Impl &device) const {
  CUdeviceptr address = 0;
  CAROUSEL_TRY(context->check(
      device.driver->cuMemHostGetDevicePointer(&address, words, 0),
      "cuMemHostGetDevicePointer"));
  return address;
}

namespace {

/// A rank's message on the part that it offers.
struct Offer {
  uint64_t bytes = 0, mappedBytes = 0;
  uint32_t signals = 0, isFailed = 0;
  uint64_t hostSignals = 0; ///< a second message brings them
};

/// Whether the counters are at a sane place: sizes come from a caller.
constexpr uint64_t kMaxBytes = uint64_t(1) << 46;
constexpr uint32_t kMaxSignals = 1 << 16;

} // namespace

Allocation::Allocation(Comm::Impl &group, std::shared_ptr<Comm::Impl> owner,
                       uint64_t bytes, const SymmetricOptions &options)
    : group(group),
      buffer(std::make_shared<SymmetricBuffer::Impl>(group, std::move(owner))),
      sequence(++group.sequence) {
  buffer->bytes = bytes;
  buffer->signals = options.signals;
  buffer->addresses.resize(group.getSize());
  buffer->counters.resize(group.getSize());
  buffer->mappings.resize(group.getSize());
  buffer->words.resize(group.getSize());
}

uint64_t Allocation::countWords() const {
  return buffer->signals * static_cast<uint64_t>(group.getSize());
}

bool Allocation::hasHostSignals() const {
  return group.options.hostSignals && buffer->signals > 0;
}

void Allocation::note(Status other) {
  if (status)
    status = std::move(other);
}

Status Allocation::allocateOwn(Message &message) {
  if (buffer->bytes == 0 || buffer->bytes > kMaxBytes)
    return fail(ErrorCode::InvalidArgument,
                "bytes: expected 1 to 2^46 bytes, got {}", buffer->bytes);
  if (buffer->signals > kMaxSignals)
    return fail(ErrorCode::InvalidArgument,
                "signals: expected at most {}, got {}", kMaxSignals,
                buffer->signals);
  for (int peer = 0; peer < group.getSize(); ++peer)
    CAROUSEL_TRY(group.checkPeerAccess(peer));
  Context::Impl &context = group.context.getImpl();
  bool isLocal = !group.localDevices.empty();
  uint64_t counters = (buffer->bytes + 127) / 128 * 128;
  CAROUSEL_TRY_ASSIGN(
      std::shared_ptr<Mapping> mapping,
      Mapping::create(
          group.context.share(),
          counters + (hasHostSignals() ? 0 : sizeof(uint64_t) * countWords()),
          isLocal ? group.localDevices : std::vector<CUdevice>{context.device},
          isLocal ? nullptr : &message.file));
  uint64_t address = mapping->getAddress();
  int rank = group.getRank();
  buffer->addresses[rank] = address;
  mappedBytes = mapping->getBytes();
  message.object = mapping;
  buffer->mappings[rank] = std::move(mapping);
  CurrentContext current(context);
  CAROUSEL_TRY(current.getStatus());
  if (hasHostSignals())
    return allocateWords();
  buffer->counters[rank] = address + counters;
  if (countWords() == 0)
    return {};
  return group.waits.clear(address + counters, sizeof(uint64_t) * countWords());
}

Status Allocation::allocateWords() {
  int rank = group.getRank();
  CAROUSEL_TRY_ASSIGN(
      std::shared_ptr<HostWords> words,
      HostWords::create(group.context.share(), countWords(), wordsFile));
  CAROUSEL_TRY_ASSIGN(buffer->counters[rank],
                      words->getAddress(group.context.getImpl()));
  buffer->words[rank] = std::move(words);
  return {};
}

void Allocation::offer() {
  Message message;
  message.kind = MessageKind::Allocate;
  message.sequence = sequence;
  note(allocateOwn(message));
  isOrigin = !status;
  Offer offer;
  offer.bytes = buffer->bytes;
  offer.mappedBytes = mappedBytes;
  offer.signals = buffer->signals;
  offer.isFailed = !status;
  offer.hostSignals = hasHostSignals();
  if (!status)
    message.file = nullptr, message.object = nullptr;
  message.bytes = toBytes(offer);
  group.sendToAll(message);
  if (!status || !hasHostSignals())
    return;
  Message words;
  words.kind = MessageKind::Signals;
  words.sequence = sequence;
  if (group.localDevices.empty())
    words.file = std::move(wordsFile);
  else
    words.object = buffer->words[group.getRank()];
  group.sendToAll(words);
}

Status Allocation::mapWords(int peer) {
  Result<Message> message = group.peers->receive(
      peer, MessageKind::Signals, sequence, group.options.timeout);
  isLost |= !message;
  CAROUSEL_TRY(message);
  if (!status)
    return {}; // it fails anyway
  CurrentContext current(group.context.getImpl());
  CAROUSEL_TRY(current.getStatus());
  auto words = std::static_pointer_cast<HostWords>(message->object);
  if (!words) {
    CAROUSEL_TRY_ASSIGN(
        words, HostWords::import(group.context.share(),
                                 message->file ? message->file->get() : -1,
                                 countWords()));
  }
  CAROUSEL_TRY_ASSIGN(buffer->counters[peer],
                      words->getAddress(group.context.getImpl()));
  buffer->words[peer] = std::move(words);
  return {};
}

Status Allocation::mapOther(int peer) {
  Result<Message> message = group.peers->receive(
      peer, MessageKind::Allocate, sequence, group.options.timeout);
  isLost |= !message;
  CAROUSEL_TRY(message);
  Offer offer;
  if (!fromBytes(message->bytes, offer))
    return fail(ErrorCode::UnsupportedVersion,
                "expected an offer of memory of {}, got another message",
                group.peers->describe(peer));
  if (offer.hostSignals && !offer.isFailed)
    note(mapWords(peer));
  if (isLost)
    return {};
  auto disagree = [&](const char *name, uint64_t own, uint64_t other) {
    return fail(ErrorCode::InvalidArgument,
                "{}: expected the same on all ranks, got {} on rank {} and {} "
                "on rank {}",
                name, own, group.getRank(), other, peer);
  };
  if (offer.bytes != buffer->bytes)
    return disagree("bytes", buffer->bytes, offer.bytes);
  if (offer.signals != buffer->signals)
    return disagree("signals", buffer->signals, offer.signals);
  if ((offer.hostSignals != 0) != hasHostSignals())
    return disagree("hostSignals", hasHostSignals(), offer.hostSignals);
  if (offer.isFailed)
    return fail(ErrorCode::InvalidArgument,
                "expected all ranks to allocate their part, but {} failed",
                group.peers->describe(peer));
  if (!status)
    return {}; // it fails anyway
  std::shared_ptr<Mapping> mapping;
  if (message->object) {
    mapping = std::static_pointer_cast<Mapping>(message->object);
  } else {
    // Its counters must be inside of what is mapped.
    uint64_t counters = (buffer->bytes + 127) / 128 * 128;
    uint64_t needed =
        counters + (hasHostSignals() ? 0 : sizeof(uint64_t) * countWords());
    if (!message->file || offer.mappedBytes < needed)
      return fail(ErrorCode::InvalidArgument,
                  "expected a file of at least {} bytes of {}, got {}", needed,
                  group.peers->describe(peer),
                  message->file ? offer.mappedBytes : 0);
    CAROUSEL_TRY_ASSIGN(mapping, Mapping::import(group.context.share(),
                                                 message->file->get(),
                                                 offer.mappedBytes));
  }
  buffer->addresses[peer] = mapping->getAddress();
  if (!hasHostSignals())
    buffer->counters[peer] =
        mapping->getAddress() + (buffer->bytes + 127) / 128 * 128;
  buffer->mappings[peer] = std::move(mapping);
  return {};
}

void Allocation::map() {
  for (int peer = 0; peer < group.getSize(); ++peer)
    if (peer != group.getRank() && !isLost)
      note(mapOther(peer));
  Message message;
  message.kind = MessageKind::Mapped;
  message.sequence = sequence;
  message.bytes = toBytes<uint32_t>(status.has_value());
  group.sendToAll(message);
}

Result<std::shared_ptr<SymmetricBuffer::Impl>> Allocation::finish() {
  for (int peer = 0; peer < group.getSize(); ++peer) {
    if (peer == group.getRank() || isLost)
      continue;
    Result<Message> message = group.peers->receive(
        peer, MessageKind::Mapped, sequence, group.options.timeout);
    if (!message) {
      isLost = true;
      note(tl::make_unexpected(std::move(message.error())));
      continue;
    }
    uint32_t isGood = 0;
    if (!fromBytes(message->bytes, isGood) || !isGood)
      note(fail(ErrorCode::InvalidArgument,
                "expected all ranks to map the others' parts, but {} failed",
                group.peers->describe(peer)));
  }
  CAROUSEL_TRY(std::move(status));
  if (buffer->owner) // mailboxes are no kernel's business
    buffer->registerRanges();
  return std::move(buffer);
}

} // namespace carousel::runtime
