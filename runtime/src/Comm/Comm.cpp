//===- Comm.cpp - the connections of a rank -------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The thread reads all connections. It sleeps until something arrives, and
// looks at the waits every millisecond while there are some. The handle of a
// mapping's memory is released as soon as it is mapped: the mapping keeps the
// memory, and nothing else needs the handle.
//
//===----------------------------------------------------------------------===//

#include "CommImpl.h"

#include "Support/Process.h"
#include "SymmetricImpl.h"

#include "carousel/Runtime/Fail.h"

#include <algorithm>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>

namespace carousel::runtime {

Mapping::~Mapping() {
  if (address == 0 || isForkedFromUser())
    return;
  CurrentContext current(*context);
  if (!current.getStatus())
    return;
  RelaxedCapture relaxed(*context->driver);
  if (isMapped) {
    // Unmapping doesn't wait for work that uses the memory, as freeing does.
    (void)context->driver->cuCtxSynchronize();
    context->driver->cuMemUnmap(address, bytes);
  }
  context->driver->cuMemAddressFree(address, bytes);
}

Status Mapping::map(CUmemGenericAllocationHandle handle,
                    const std::vector<CUdevice> &devices) {
  const DriverTable &driver = *context->driver;
  CUdeviceptr reserved = 0;
  CAROUSEL_TRY(
      context->check(driver.cuMemAddressReserve(&reserved, bytes, 0, 0, 0),
                     "cuMemAddressReserve"));
  address = reserved;
  CAROUSEL_TRY(context->check(driver.cuMemMap(address, bytes, 0, handle, 0),
                              "cuMemMap"));
  isMapped = true;
  std::vector<CUmemAccessDesc> access;
  for (CUdevice device : devices) {
    CUmemAccessDesc entry = {};
    entry.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    entry.location.id = device;
    entry.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    access.push_back(entry);
  }
  return context->check(
      driver.cuMemSetAccess(address, bytes, access.data(), access.size()),
      "cuMemSetAccess");
}

Result<std::shared_ptr<Mapping>>
Mapping::create(const std::shared_ptr<Context::Impl> &context, uint64_t bytes,
                const std::vector<CUdevice> &devices,
                std::shared_ptr<FileDescriptor> *file) {
  CurrentContext current(*context);
  CAROUSEL_TRY(current.getStatus());
  const DriverTable &driver = *context->driver;
  RelaxedCapture relaxed(driver);
  CUmemAllocationProp properties = {};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.location.id = context->device;
  if (file)
    properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  size_t granularity = 0;
  CAROUSEL_TRY(context->check(
      driver.cuMemGetAllocationGranularity(
          &granularity, &properties, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED),
      "cuMemGetAllocationGranularity"));
  std::shared_ptr<Mapping> mapping(new Mapping(context));
  mapping->bytes = (bytes + granularity - 1) / granularity * granularity;
  CUmemGenericAllocationHandle handle = 0;
  CAROUSEL_TRY(context->check(
      driver.cuMemCreate(&handle, mapping->bytes, &properties, 0),
      fmt::format("cuMemCreate of {} bytes", mapping->bytes).c_str()));
  Status status;
  if (file) {
    int exported = -1;
    status = context->check(
        driver.cuMemExportToShareableHandle(
            &exported, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
        "cuMemExportToShareableHandle");
    if (status) {
      *file = std::make_shared<FileDescriptor>(exported);
      (void)::fcntl(exported, F_SETFD, FD_CLOEXEC);
    }
  }
  if (status)
    status = mapping->map(handle, devices);
  driver.cuMemRelease(handle);
  CAROUSEL_TRY(std::move(status));
  return mapping;
}

Result<std::shared_ptr<Mapping>>
Mapping::import(const std::shared_ptr<Context::Impl> &context, int file,
                uint64_t bytes) {
  CurrentContext current(*context);
  CAROUSEL_TRY(current.getStatus());
  const DriverTable &driver = *context->driver;
  RelaxedCapture relaxed(driver);
  CUmemGenericAllocationHandle handle = 0;
  CAROUSEL_TRY(context->check(
      driver.cuMemImportFromShareableHandle(
          &handle, reinterpret_cast<void *>(static_cast<intptr_t>(file)),
          CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR),
      "cuMemImportFromShareableHandle"));
  std::shared_ptr<Mapping> mapping(new Mapping(context));
  mapping->bytes = bytes;
  Status status = mapping->map(handle, {context->device});
  driver.cuMemRelease(handle);
  CAROUSEL_TRY(std::move(status));
  return mapping;
}

//===----------------------------------------------------------------------===//
// Comm::Impl
//===----------------------------------------------------------------------===//

Comm::Impl::Impl(const Context &context, const CommOptions &options)
    : context(context), options(options),
      peers(std::make_shared<Peers>(options.rank, options.size)),
      waits(context.share(), *peers), transports(context, options),
      mailboxes(fail(ErrorCode::InvalidArgument,
                     "mailboxBytes: expected a Comm with mailboxes, got 0")) {}

Comm::Impl::~Impl() {
  if (isForkedFromUser()) {
    (void)thread.release(); // it runs in the parent only
    return;
  }
  // Still watched: it may wait for work that waits.
  mailboxes = std::shared_ptr<SymmetricBuffer::Impl>();
  {
    CurrentContext current(context.getImpl());
    RelaxedCapture relaxed(*context.getImpl().driver);
    if (current.getStatus())
      (void)context.getImpl().driver->cuCtxSynchronize();
  }
  if (link)
    link->leave();
  stopWatching();
}

Status Comm::Impl::open() {
  CAROUSEL_TRY(transports.open());
  CurrentContext current(context.getImpl());
  CAROUSEL_TRY(current.getStatus());
  CAROUSEL_TRY(waits.open());
  wake.reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake)
    return fail(ErrorCode::IOError, "eventfd failed: {}", describeErrno(errno));
  return {};
}

Status Comm::Impl::checkRank(int rank, const char *argument) const {
  if (rank >= 0 && rank < getSize())
    return {};
  return fail(ErrorCode::InvalidArgument,
              "{}: expected a rank of 0 to {}, got {}", argument, getSize() - 1,
              rank);
}

Status Comm::Impl::requireOneMachine() const {
  if (link)
    return {};
  return fail(ErrorCode::InvalidArgument,
              "comm: expected all ranks on one machine, in one network "
              "namespace, got several machines");
}

void Comm::Impl::sendToAll(const Message &message) {
  Deadline deadline = std::chrono::steady_clock::now() + options.timeout;
  // One that is gone is noticed where its answer is waited for.
  for (int peer = 0; peer < getSize(); ++peer)
    if (peer != getRank())
      (void)link->send(peer, message, deadline);
}

Status Comm::Impl::enqueueWait(const Wait &wait, Stream stream) {
  Status status = waits.enqueue(wait, stream, [this] {
    uint64_t one = 1;
    if (isIdle.exchange(false))
      (void)!::write(wake.get(), &one, sizeof(one));
  });
  return status;
}

void Comm::Impl::startWatching() {
  sigset_t all, old;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &old); // for the program's threads
  thread = std::make_unique<std::thread>([this] { watch(); });
  ::pthread_sigmask(SIG_SETMASK, &old, nullptr);
}

void Comm::Impl::stopWatching() {
  if (!thread)
    return;
  isEnding = true;
  uint64_t one = 1;
  (void)!::write(wake.get(), &one, sizeof(one));
  thread->join();
  thread = nullptr;
  isEnding = false;
}

void Comm::Impl::watch() {
  std::vector<pollfd> entries;
  std::vector<int> ranks; ///< of the entries, without the first
  while (!isEnding) {
    isIdle = true;
    bool hasWaits = waits.tick();
    entries = {{wake.get(), POLLIN, 0}};
    ranks.clear();
    for (int peer = 0; link && peer < getSize(); ++peer)
      for (int fd : {link->getConnection(peer), link->getProcess(peer)})
        if (fd >= 0 && peers->getState(peer) == PeerState::Alive) {
          entries.push_back({fd, POLLIN, 0});
          ranks.push_back(peer);
        }
    if (::poll(entries.data(), entries.size(), hasWaits ? 1 : -1) <= 0)
      continue;
    uint64_t count;
    (void)!::read(wake.get(), &count, sizeof(count));
    for (size_t i = 0; i < ranks.size(); ++i) {
      const pollfd &entry = entries[i + 1];
      if (entry.revents == 0)
        continue;
      // Messages sent before its end come first, which may be its leave.
      bool isOpen = link->read(ranks[i]);
      if (!isOpen || entry.fd == link->getProcess(ranks[i]))
        peers->setGone(ranks[i], PeerState::Died);
    }
  }
}

//===----------------------------------------------------------------------===//
// Comm
//===----------------------------------------------------------------------===//

Comm::Comm(std::shared_ptr<Impl> impl) : impl(std::move(impl)) {}

static Status checkOptions(const CommOptions &options, bool isLocal) {
  if (options.size < 1 || options.size > 1024)
    return fail(ErrorCode::InvalidArgument,
                "size: expected 1 to 1024 ranks, got {}", options.size);
  if (options.rank < 0 || options.rank >= options.size)
    return fail(ErrorCode::InvalidArgument,
                "rank: expected a rank of 0 to {}, got {}", options.size - 1,
                options.rank);
  if (options.timeout.count() < 1)
    return fail(ErrorCode::InvalidArgument,
                "timeout: expected at least 1 ms, got {} ms",
                options.timeout.count());
  if (options.timeout > kMaxTimeout)
    return fail(ErrorCode::InvalidArgument,
                "timeout: expected at most 2^40 ms, got {} ms",
                options.timeout.count());
  // Two slots for each of 1024 ranks are less than the most of an allocation.
  if (options.mailboxBytes > uint64_t(1) << 34)
    return fail(ErrorCode::InvalidArgument,
                "mailboxBytes: expected at most 2^34 bytes, got {}",
                options.mailboxBytes);
  auto isGood = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
  };
  bool isName =
      !options.session.empty() && options.session.size() <= 64 &&
      std::all_of(options.session.begin(), options.session.end(), isGood);
  if (isLocal || isName || (options.session.empty() && !options.ncclId.empty()))
    return {};
  return fail(ErrorCode::InvalidArgument,
              "session: expected 1 to 64 of A-Z a-z 0-9 . _ -, got '{}'",
              clip(options.session, 128));
}

static Result<DeviceUUID> getUUID(const Context &context) {
  Context::Impl &impl = context.getImpl();
  CUuuid uuid = {};
  CAROUSEL_TRY(impl.check(impl.driver->cuDeviceGetUuid(&uuid, impl.device),
                          "cuDeviceGetUuid"));
  DeviceUUID result;
  std::copy_n(uuid.bytes, result.size(), result.begin());
  return result;
}

/// The mailboxes of send() and recv(); why there are none is their error.
static void openMailboxes(const std::vector<std::shared_ptr<Comm::Impl>> &ranks,
                          const CommOptions &options) {
  if (options.mailboxBytes == 0 || ranks.empty() || ranks[0]->getSize() == 1)
    return;
  SymmetricOptions symmetric;
  symmetric.signals = 4; // for two slots, full and free
  uint64_t bytes = 2 * options.mailboxBytes * ranks[0]->getSize();
  std::vector<Allocation> allocations;
  for (const auto &rank : ranks)
    allocations.emplace_back(*rank, nullptr, bytes, symmetric);
  for (Allocation &allocation : allocations)
    allocation.offer();
  for (Allocation &allocation : allocations)
    allocation.map();
  for (size_t i = 0; i < ranks.size(); ++i)
    ranks[i]->mailboxes = allocations[i].finish();
}

Result<Comm> Comm::connect(const Context &context,
                           const CommOptions &options) noexcept {
  CAROUSEL_TRY(checkOptions(options, /*isLocal=*/false));
  CAROUSEL_TRY(checkProcess());
  CAROUSEL_TRY_ASSIGN(DeviceUUID uuid, getUUID(context));
  auto impl = std::make_shared<Impl>(context, options);
  CAROUSEL_TRY(impl->open());
  impl->peers->set(options.rank, ::getpid(), uuid);
  std::string session = options.session;
  if (!options.ncclId.empty()) {
    CAROUSEL_TRY_ASSIGN(session, impl->connectNCCL(uuid));
  }
  if (!session.empty()) {
    CAROUSEL_TRY_ASSIGN(impl->link,
                        connectSockets(*impl->peers, session, uuid,
                                       options.mailboxBytes, options.timeout));
  }
  impl->findLinks();
  impl->startWatching();
  if (impl->link)
    openMailboxes({impl}, options);
  return Comm(std::move(impl));
}

Result<std::vector<Comm>>
Comm::connectLocal(const std::vector<Context> &contexts,
                   const CommOptions &given) noexcept {
  CommOptions options = given;
  options.rank = 0;
  options.size = static_cast<int>(contexts.size());
  CAROUSEL_TRY(checkOptions(options, /*isLocal=*/true));
  std::vector<std::shared_ptr<Impl>> ranks;
  std::vector<std::weak_ptr<Peers>> peers;
  std::vector<CUdevice> devices;
  for (const Context &context : contexts) {
    auto impl = std::make_shared<Impl>(context, options);
    CAROUSEL_TRY(impl->open());
    CUdevice device = context.getImpl().device;
    if (std::find(devices.begin(), devices.end(), device) == devices.end())
      devices.push_back(device);
    peers.push_back(impl->peers);
    ranks.push_back(std::move(impl));
    ++options.rank;
  }
  for (size_t rank = 0; rank < ranks.size(); ++rank) {
    CAROUSEL_TRY_ASSIGN(DeviceUUID uuid, getUUID(contexts[rank]));
    for (const auto &other : ranks)
      other->peers->set(static_cast<int>(rank), ::getpid(), uuid);
  }
  std::vector<Comm> comms;
  for (size_t rank = 0; rank < ranks.size(); ++rank) {
    ranks[rank]->localDevices = devices;
    ranks[rank]->link = connectLocalRank(static_cast<int>(rank), peers);
    ranks[rank]->findLinks();
    ranks[rank]->startWatching();
    comms.push_back(Comm(ranks[rank]));
  }
  openMailboxes(ranks, options);
  return comms;
}

int Comm::getRank() const noexcept { return impl->getRank(); }
int Comm::getSize() const noexcept { return impl->getSize(); }
const Context &Comm::getContext() const noexcept { return impl->context; }

PeerState Comm::getPeerState(int rank) const noexcept {
  // In a forked child a lock may be held forever.
  if (isForkedFromUser() || !impl->checkRank(rank, "rank"))
    return PeerState::Left;
  return impl->peers->getState(rank);
}

Status Comm::barrier() const noexcept {
  CAROUSEL_TRY(checkProcess());
  std::lock_guard<std::mutex> lock(impl->collective);
  std::string all;
  if (!impl->link)
    return impl->gather("1", all);
  Message message;
  message.kind = MessageKind::Barrier;
  message.sequence = ++impl->sequence;
  impl->sendToAll(message);
  for (int peer = 0; peer < impl->getSize(); ++peer) {
    if (peer == impl->getRank())
      continue;
    CAROUSEL_TRY(impl->peers->receive(peer, message.kind, message.sequence,
                                      impl->options.timeout));
  }
  return {};
}

Status Comm::check() const noexcept {
  CAROUSEL_TRY(checkProcess());
  return impl->waits.takeFault(nullptr);
}

Status Comm::synchronize(Stream stream) const noexcept {
  CAROUSEL_TRY(impl->context.synchronize(stream));
  return impl->waits.takeFault(&stream);
}

} // namespace carousel::runtime
