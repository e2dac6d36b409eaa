//===- Multicast.cpp - addresses of all GPUs ------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rank 0 creates the object and offers it. When all ranks have added their
// devices, each binds its part and maps the object. A group must have allowed
// it, and every GPU be capable of it.
//
// A put launches the kernel of runtime/transport/multicast.mlir. A copy has a
// body whose target begins at a multiple of 16 bytes, and up to three words
// before it. If the body's source isn't aligned, a variant that stores single
// words serves.
//
//===----------------------------------------------------------------------===//

#include "Support/Process.h"
#include "SymmetricImpl.h"

#include "carousel/Runtime/Fail.h"
#include "carousel/Runtime/Kernel.h"

#include <algorithm>
#include <array>
#include <fcntl.h>

namespace carousel::runtime {

/// A rank's part of the object.
struct MulticastPart {
  /// The object itself; ranks of a process share it.
  struct Object {
    std::shared_ptr<Context::Impl> context;
    CUmemGenericAllocationHandle handle = 0;
    ~Object() {
      if (handle != 0 && !isForkedFromUser())
        context->driver->cuMemRelease(handle);
    }
  };

  std::shared_ptr<Context::Impl> context;
  std::shared_ptr<Object> object;
  CUdeviceptr address = 0;
  uint64_t bytes = 0;
  bool isBound = false, isMapped = false;
  /// Tells launches that take the address as an argument.
  RegisteredRanges range;

  ~MulticastPart() {
    if (isForkedFromUser() || !object)
      return;
    range.reset();
    CurrentContext current(*context);
    if (!current.getStatus())
      return;
    RelaxedCapture relaxed(*context->driver);
    const DriverTable &driver = *context->driver;
    if (isMapped)
      (void)driver.cuCtxSynchronize();
    if (isMapped)
      driver.cuMemUnmap(address, bytes);
    if (address != 0)
      driver.cuMemAddressFree(address, bytes);
    if (isBound)
      driver.cuMulticastUnbind(object->handle, context->device, 0, bytes);
  }
};

namespace {

/// One rank's side, in steps as those of Allocation.
class MulticastSetup {
public:
  explicit MulticastSetup(SymmetricBuffer::Impl &buffer)
      : buffer(buffer), group(buffer.group), context(group.context.share()),
        part(std::make_shared<MulticastPart>()), sequence(++group.sequence) {
    part->context = context;
  }

  /// Rank 0 creates the object; all tell whether they can take part.
  void offer() {
    Message message = makeMessage();
    note(checkCapability());
    if (status && group.getRank() == 0)
      note(create(message));
    send(std::move(message));
  }

  void addDevice() {
    receiveAll();
    if (status)
      note(check(context->driver->cuMulticastAddDevice(part->object->handle,
                                                       context->device),
                 "cuMulticastAddDevice"));
    send(makeMessage());
  }

  void bind() {
    receiveAll();
    if (status)
      note(bindAndMap());
    send(makeMessage());
  }

  Status finish() {
    receiveAll();
    if (status) {
      registerRange();
      buffer.multicast = std::move(part);
    }
    return status;
  }

private:
  void registerRange() {
    SymmetricRange range;
    range.context = context->context;
    range.owner = context.get();
    range.rank = group.getRank();
    range.isMulticast = true;
    range.begin = part->address;
    range.end = range.begin + buffer.bytes;
    part->range = RegisteredRanges({range});
  }
  Message makeMessage() const {
    Message message;
    message.kind = MessageKind::Multicast;
    message.sequence = sequence;
    return message;
  }
  void send(Message message) {
    message.bytes = toBytes<uint32_t>(status.has_value());
    if (!status)
      message.file = nullptr, message.object = nullptr;
    group.sendToAll(message);
  }
  void note(Status other) {
    if (status)
      status = std::move(other);
  }
  Status check(CUresult result, const char *call) {
    return context->check(result, call);
  }

  Status checkCapability() {
    const DriverTable &driver = *context->driver;
    if (!group.options.allowMulticast)
      return fail(ErrorCode::InvalidArgument,
                  "allowMulticast: expected a Comm that allows multicast, got "
                  "one that doesn't on rank {}",
                  group.getRank());
    for (int peer = 0; peer < group.getSize(); ++peer)
      if (peer != group.getRank() &&
          group.getTopology(peer) == Topology::SameGPU)
        return fail(ErrorCode::InvalidArgument,
                    "comm: expected a GPU of its own for each rank, got one "
                    "that ranks {} and {} share",
                    group.getRank(), peer);
    if (buffer.mappings[group.getRank()] == nullptr)
      return fail(ErrorCode::InvalidArgument,
                  "buffer: expected one that allocate() made, got adopted "
                  "memory");
    int supported = 0;
    bool isThere = driver.cuMulticastCreate && driver.cuMulticastAddDevice &&
                   driver.cuMulticastBindAddr && driver.cuMulticastUnbind &&
                   driver.cuMulticastGetGranularity;
    if (isThere)
      CAROUSEL_TRY(check(
          driver.cuDeviceGetAttribute(&supported,
                                      CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED,
                                      context->device),
          "cuDeviceGetAttribute"));
    if (supported)
      return {};
    return fail(ErrorCode::InvalidArgument,
                "comm: expected GPUs and a driver with multicast, got GPU {} "
                "of rank {} without",
                context->device, group.getRank());
  }

  Status create(Message &message) {
    const DriverTable &driver = *context->driver;
    bool isLocal = !group.localDevices.empty();
    CUmulticastObjectProp properties = {};
    properties.numDevices = static_cast<unsigned>(group.getSize());
    properties.size = buffer.mappings[group.getRank()]->getBytes();
    properties.handleTypes =
        isLocal ? 0 : CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    size_t granularity = 1;
    CAROUSEL_TRY(
        check(driver.cuMulticastGetGranularity(
                  &granularity, &properties, CU_MULTICAST_GRANULARITY_MINIMUM),
              "cuMulticastGetGranularity"));
    if (properties.size % granularity != 0)
      return fail(ErrorCode::InvalidArgument,
                  "bytes: expected an allocation of a multiple of {} bytes for "
                  "multicast, got {}",
                  granularity, properties.size);
    auto object = std::make_shared<MulticastPart::Object>();
    object->context = context;
    CAROUSEL_TRY(check(driver.cuMulticastCreate(&object->handle, &properties),
                       "cuMulticastCreate"));
    part->object = object;
    if (isLocal) {
      message.object = object;
      return {};
    }
    int exported = -1;
    CAROUSEL_TRY(check(driver.cuMemExportToShareableHandle(
                           &exported, object->handle,
                           CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
                       "cuMemExportToShareableHandle"));
    message.file = std::make_shared<FileDescriptor>(exported);
    (void)::fcntl(exported, F_SETFD, FD_CLOEXEC);
    return {};
  }

  /// Whether all others succeeded so far; takes the object that rank 0 offers.
  void receiveAll() {
    for (int peer = 0; peer < group.getSize() && !isLost; ++peer) {
      if (peer == group.getRank())
        continue;
      Result<Message> message = group.peers->receive(
          peer, MessageKind::Multicast, sequence, group.options.timeout);
      isLost |= !message;
      if (!message) {
        note(tl::make_unexpected(std::move(message.error())));
        continue;
      }
      uint32_t isGood = 0;
      if (!fromBytes(message->bytes, isGood) || !isGood)
        note(fail(ErrorCode::InvalidArgument,
                  "expected all ranks to take part in multicast, but {} failed",
                  group.peers->describe(peer)));
      if (status && peer == 0 && !part->object)
        note(take(*message));
    }
  }

  Status take(const Message &message) {
    if (message.object) {
      part->object =
          std::static_pointer_cast<MulticastPart::Object>(message.object);
      return {};
    }
    if (!message.file)
      return fail(ErrorCode::InvalidArgument,
                  "expected a multicast object of {}, got none",
                  group.peers->describe(0));
    auto object = std::make_shared<MulticastPart::Object>();
    object->context = context;
    Status imported = check(context->driver->cuMemImportFromShareableHandle(
                                &object->handle,
                                reinterpret_cast<void *>(
                                    static_cast<intptr_t>(message.file->get())),
                                CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR),
                            "cuMemImportFromShareableHandle");
    if (imported)
      part->object = std::move(object);
    return imported;
  }

  Status bindAndMap() {
    const DriverTable &driver = *context->driver;
    const Mapping &own = *buffer.mappings[group.getRank()];
    part->bytes = own.getBytes();
    CUmemGenericAllocationHandle handle = part->object->handle;
    Status step = check(
        driver.cuMulticastBindAddr(handle, 0, own.getAddress(), part->bytes, 0),
        "cuMulticastBindAddr");
    part->isBound = step.has_value();
    if (step)
      step = check(
          driver.cuMemAddressReserve(&part->address, part->bytes, 0, 0, 0),
          "cuMemAddressReserve");
    if (step)
      step = check(driver.cuMemMap(part->address, part->bytes, 0, handle, 0),
                   "cuMemMap");
    part->isMapped = step.has_value();
    CUmemAccessDesc access = {};
    access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    access.location.id = context->device;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    if (step)
      step =
          check(driver.cuMemSetAccess(part->address, part->bytes, &access, 1),
                "cuMemSetAccess");
    return step;
  }

  SymmetricBuffer::Impl &buffer;
  Comm::Impl &group;
  std::shared_ptr<Context::Impl> context;
  std::shared_ptr<MulticastPart> part;
  Status status;
  bool isLost = false;
  uint64_t sequence;
};

} // namespace

Status SymmetricBuffer::openMulticast(
    const std::vector<SymmetricBuffer *> &ranks) noexcept {
  CAROUSEL_TRY(checkProcess());
  for (size_t i = 0; i < ranks.size(); ++i) {
    Comm::Impl &group = ranks[i]->impl->group;
    bool isLocal = !group.localDevices.empty();
    size_t count = isLocal ? group.getSize() : 1;
    if (ranks.size() != count ||
        (isLocal && group.getRank() != static_cast<int>(i)))
      return fail(ErrorCode::InvalidArgument,
                  "ranks: expected all ranks of this process in their order, "
                  "got rank {} at {} of {}",
                  group.getRank(), i, ranks.size());
  }
  std::vector<std::unique_lock<std::mutex>> locks;
  std::vector<MulticastSetup> setups;
  for (SymmetricBuffer *rank : ranks) {
    locks.emplace_back(rank->impl->group.collective);
    setups.emplace_back(*rank->impl);
  }
  auto forAll = [&](auto step) {
    for (size_t i = 0; i < setups.size(); ++i) {
      CurrentContext current(ranks[i]->impl->group.context.getImpl());
      RelaxedCapture relaxed(*ranks[i]->impl->group.context.getImpl().driver);
      step(setups[i]);
    }
  };
  forAll([](MulticastSetup &setup) { setup.offer(); });
  forAll([](MulticastSetup &setup) { setup.addDevice(); });
  forAll([](MulticastSetup &setup) { setup.bind(); });
  Status status;
  forAll([&](MulticastSetup &setup) {
    Status own = setup.finish();
    if (status)
      status = std::move(own);
  });
  return status;
}

uint64_t SymmetricBuffer::getMulticastAddress() const noexcept {
  return impl->multicast ? impl->multicast->address : 0;
}

namespace {

constexpr const char *kKernel = "put_multicast";
/// The bytes of the kernel's tile.
constexpr uint64_t kTileBytes = 16384;
constexpr int kDefaultCTAs = 16;
constexpr uint64_t kAlignment = 16, kWord = 4;

class MulticastPut : public Transport {
public:
  MulticastPut(Kernel kernel, Package package)
      : kernel(std::move(kernel)), package(std::move(package)) {}

  Status load() override { return kernel.loadAll(); }

  Status copy(const Copy &copy, Stream stream) override {
    uint64_t head = std::min(
        (kAlignment - copy.target % kAlignment) % kAlignment, copy.bytes);
    uint64_t body = copy.bytes - head;
    std::array<int64_t, 2> words = {static_cast<int64_t>(body / kWord),
                                    static_cast<int64_t>(head / kWord)};
    uint64_t tiles = (body + kTileBytes - 1) / kTileBytes;
    auto most = static_cast<uint64_t>(copy.ctas ? copy.ctas : kDefaultCTAs);
    auto ctas = static_cast<int64_t>(std::clamp(tiles, uint64_t(1), most));
    auto tensor = [](uint64_t address, const int64_t &count) {
      return Argument::tensor(ElementType::I32, address, 1, &count);
    };
    std::array<Argument, 5> arguments = {
        tensor(copy.source + head, words[0]),
        tensor(copy.target + head, words[0]), tensor(copy.source, words[1]),
        tensor(copy.target, words[1]), Argument::index(ctas)};
    return kernel.launch(arguments.data(), arguments.size(), stream);
  }

private:
  Kernel kernel;
  Package package;
};

} // namespace

/// "multicast.pkg" beside the package of transport kernels.
static std::string getMulticastPackage(const CommOptions &options) {
  std::string given = getTransportPackage(options);
  std::string directory = given.empty() ? findTransportPackage() : given;
  while (directory.size() > 1 && directory.back() == '/')
    directory.pop_back();
  size_t slash = directory.rfind('/');
  return (slash == std::string::npos ? "" : directory.substr(0, slash + 1)) +
         "multicast.pkg";
}

Result<std::unique_ptr<Transport>>
openMulticastPut(const Context &context, const CommOptions &options) {
  CAROUSEL_TRY_ASSIGN(
      Package package,
      prefixError(Package::open(getMulticastPackage(options)),
                  "transport: expected the package of the multicast kernel "
                  "beside that of transport kernels, got none"));
  CAROUSEL_TRY_ASSIGN(Kernel kernel, Kernel::get(context, package, kKernel));
  return std::unique_ptr<Transport>(
      std::make_unique<MulticastPut>(std::move(kernel), std::move(package)));
}

Status SymmetricBuffer::putMulticast(uint64_t offset, uint64_t source,
                                     uint64_t bytes, Stream stream,
                                     int ctas) const noexcept {
  Comm::Impl &group = impl->group;
  CurrentContext current(group.context.getImpl());
  CAROUSEL_TRY(current.getStatus());
  uint64_t address = getMulticastAddress();
  if (address == 0)
    return fail(ErrorCode::InvalidArgument,
                "buffer: expected one with a multicast address, got one "
                "without: openMulticast() makes it");
  for (auto [name, value] : {std::pair("offset", offset), {"bytes", bytes}})
    if (value % kWord != 0)
      return fail(ErrorCode::InvalidArgument,
                  "{}: expected a multiple of {} bytes, got {}", name, kWord,
                  value);
  CAROUSEL_TRY(impl->checkTransfer(group.getRank(), "rank", offset, source,
                                   "source", bytes));
  if (source % kWord != 0)
    return fail(ErrorCode::InvalidArgument,
                "source: expected a multiple of {} bytes, got 0x{:x}", kWord,
                source);
  for (int peer = 0; peer < group.getSize(); ++peer)
    CAROUSEL_TRY(group.peers->requireAlive(peer, "rank"));
  return group.transports.putMulticast({address + offset, source, bytes, ctas},
                                       stream);
}

} // namespace carousel::runtime
