//===- TMA.cpp - copies by kernels of bulk copies -------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernels are those of examples of the tile phase: runtime/transport, which
// carousel-compile makes a package of. A copy has a body whose target begins at
// a multiple of 16 bytes and whose size is one, and up to 15 bytes before and
// after it. If the body's source isn't aligned, a variant without bulk copies
// serves.
//
//===----------------------------------------------------------------------===//

#include "Transport.h"

#include "carousel/Runtime/Fail.h"
#include "carousel/Runtime/Kernel.h"

#include <algorithm>
#include <array>

#include <dlfcn.h>
#include <unistd.h>

namespace carousel::runtime {

namespace {

constexpr const char *kKernel = "copy_bytes";
/// As many bytes as the kernel's tile has.
constexpr uint64_t kTileBytes = 16384;
/// Saturates NVLink on an H200, and leaves most SMs free.
constexpr int kDefaultCTAs = 16;
constexpr uint64_t kAlignment = 16;

class TMA : public Transport {
public:
  TMA(Kernel kernel, Context context, Package package)
      : kernel(std::move(kernel)), context(std::move(context)),
        package(std::move(package)) {}

  Status add(const Copy &copy, ElementType element, Stream stream) override {
    Result<Kernel> add = Kernel::get(
        context, package, std::string("add_") + runtime::toString(element));
    if (!add)
      return tl::make_unexpected(std::move(add.error()));
    auto count = static_cast<int64_t>(copy.bytes / getBytes(element));
    std::array<Argument, 3> arguments = {
        Argument::tensor(element, copy.source, 1, &count),
        Argument::tensor(element, copy.target, 1, &count),
        Argument::index(getCTAs(copy, copy.bytes))};
    return add->launch(arguments.data(), arguments.size(), stream);
  }

  Status copy(const Copy &copy, Stream stream) override {
    uint64_t head = std::min(
        (kAlignment - copy.target % kAlignment) % kAlignment, copy.bytes);
    uint64_t body = (copy.bytes - head) / kAlignment * kAlignment;
    uint64_t tail = copy.bytes - head - body;
    int64_t ctas = getCTAs(copy, body);
    std::array<int64_t, 3> extents = {static_cast<int64_t>(body),
                                      static_cast<int64_t>(head),
                                      static_cast<int64_t>(tail)};
    std::array<uint64_t, 3> offsets = {head, 0, head + body};
    std::array<Argument, 7> arguments;
    for (size_t part = 0; part < extents.size(); ++part) {
      arguments[2 * part] = Argument::tensor(
          ElementType::I8, copy.source + offsets[part], 1, &extents[part]);
      arguments[2 * part + 1] = Argument::tensor(
          ElementType::I8, copy.target + offsets[part], 1, &extents[part]);
    }
    arguments[6] = Argument::index(ctas);
    return kernel.launch(arguments.data(), arguments.size(), stream);
  }

private:
  /// One for each tile, at most.
  static int64_t getCTAs(const Copy &copy, uint64_t bytes) {
    uint64_t tiles =
        std::max<uint64_t>(1, (bytes + kTileBytes - 1) / kTileBytes);
    return static_cast<int64_t>(std::min<uint64_t>(
        tiles, static_cast<uint64_t>(copy.ctas ? copy.ctas : kDefaultCTAs)));
  }

  Kernel kernel;
  Context context;
  Package package;
};

} // namespace

/// share/carousel/transport.pkg beside the folder of the file that this code is
/// in: a library in lib/, or a program in bin/.
std::string findTransportPackage() {
  Dl_info info = {};
  std::string file;
  if (::dladdr(reinterpret_cast<const void *>(&findTransportPackage), &info) !=
          0 &&
      info.dli_fname)
    file = info.dli_fname;
  if (file.find('/') == std::string::npos) {
    std::array<char, 4096> path;
    ssize_t length = ::readlink("/proc/self/exe", path.data(), path.size());
    file.assign(path.data(), length > 0 ? static_cast<size_t>(length) : 0);
  }
  size_t slash = file.rfind('/');
  std::string folder = slash == std::string::npos ? "." : file.substr(0, slash);
  return folder + "/../share/carousel/transport.pkg";
}

Result<std::unique_ptr<Transport>> openTMA(const Context &context,
                                           const std::string &given) {
  std::string directory = given.empty() ? findTransportPackage() : given;
  Result<Package> package = Package::open(directory);
  if (!package)
    return fail(package.error().code,
                "transport: expected the package of transport kernels for tma, "
                "got none: {}",
                package.error().message);
  Result<Kernel> kernel = Kernel::get(context, *package, kKernel);
  if (!kernel)
    return tl::make_unexpected(std::move(kernel.error()));
  return std::unique_ptr<Transport>(
      std::make_unique<TMA>(std::move(*kernel), context, std::move(*package)));
}

} // namespace carousel::runtime
