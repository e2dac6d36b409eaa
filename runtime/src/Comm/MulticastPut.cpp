//===- MulticastPut.cpp - copies to the parts of all ranks ----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernel of runtime/transport/multicast.mlir, and the put that launches it.
// A copy has a body whose target begins at a multiple of 16 bytes, and up to
// three words before it. If the body's source isn't aligned, a variant that
// stores single words serves.
//
//===----------------------------------------------------------------------===//

#include "SymmetricImpl.h"

#include "carousel/Runtime/Fail.h"
#include "carousel/Runtime/Kernel.h"

#include <algorithm>
#include <array>

namespace carousel::runtime {

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

Result<std::unique_ptr<Transport>>
openMulticastPut(const Context &context, const std::string &directory) {
  CAROUSEL_TRY_ASSIGN(
      Package package,
      prefixError(Package::open(directory),
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
