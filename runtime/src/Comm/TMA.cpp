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
// after it. If the body's source isn't aligned, another kernel copies the
// aligned granules around it, and shifts them.
//
//===----------------------------------------------------------------------===//

#include "Transport.h"

#include "Bind/Bind.h"
#include "Launch/KernelImpl.h"

#include "carousel/Runtime/Fail.h"
#include "carousel/Runtime/Kernel.h"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>

#include <dlfcn.h>
#include <unistd.h>

namespace carousel::runtime {

namespace {

constexpr const char *kKernel = "copy_bytes";
constexpr const char *kShiftedKernel = "copy_shifted";
/// The bytes of the kernels' tiles.
constexpr uint64_t kTileBytes = 16384;
/// Saturates NVLink on an H200, and leaves most SMs free.
constexpr int kDefaultCTAs = 16;
constexpr uint64_t kAlignment = 16;

/// An argument of a copy: whole elements from an address on.
struct Vector {
  uint64_t address, elements;
};

/// An error where a kernel that copies takes other arguments than launch()
/// hands over: six vectors of any size, then scalars.
Status checkSignature(const KernelInfo &info, ElementType body,
                      const std::vector<ElementType> &scalars) {
  bool isGood = info.arguments.size() == 6 + scalars.size();
  for (size_t i = 0; isGood && i < info.arguments.size(); ++i) {
    const ArgumentInfo &argument = info.arguments[i];
    if (i < 6)
      isGood =
          argument.kind == ArgumentInfo::Kind::Tensor &&
          argument.element == (i < 2 ? body : ElementType::I8) &&
          argument.extents == std::vector<int64_t>{ArgumentInfo::kDynamic} &&
          argument.contiguous && !argument.mayAlias;
    else
      isGood = argument.kind == ArgumentInfo::Kind::Scalar &&
               argument.element == scalars[i - 6];
  }
  if (isGood)
    return {};
  return fail(ErrorCode::InvalidArgument,
              "{}: expected the arguments of a transport's kernel, got others",
              info.name);
}

/// Launches a kernel whose signature was checked. Nothing of the arguments,
/// which this transport has made, is checked again.
Status launch(const Kernel &kernel, const std::array<Vector, 6> &vectors,
              std::initializer_list<uint64_t> scalars, Stream stream) {
  const Kernel::Impl &impl = *kernel.share();
  LaunchFrame frame = impl.getFrame();
  BoundArgument *bound = frame.bound;
  for (const Vector &vector : vectors) {
    bound->data = vector.address;
    bound->extents[0] = static_cast<int64_t>(vector.elements);
    bound->strides[0] = 1;
    bound->loose = 0;
    ++bound;
  }
  for (uint64_t scalar : scalars)
    (bound++)->scalar = static_cast<int64_t>(scalar);
  return impl.launchBound(frame, stream);
}

class TMA : public Transport {
public:
  TMA(Kernel kernel, Context context, Package package)
      : kernel(std::move(kernel)), context(std::move(context)),
        package(std::move(package)) {}

  Status add(const Copy &copy, ElementType element, Stream stream) override {
    CAROUSEL_TRY_ASSIGN(const auto *add, findAdd(element));
    auto count = static_cast<int64_t>(copy.bytes / getBytes(element));
    std::array<Argument, 3> arguments = {
        Argument::tensor(element, copy.source, 1, &count),
        Argument::tensor(element, copy.target, 1, &count),
        Argument::index(getCTAs(copy, copy.bytes))};
    return add->launch(arguments.data(), arguments.size(), stream);
  }

  Status load() override {
    CAROUSEL_TRY(kernel.loadAll());
    CAROUSEL_TRY_ASSIGN(const auto *shifted, find(kShiftedKernel));
    CAROUSEL_TRY(shifted->loadAll());
    // A package without one of these adds no such elements.
    for (ElementType element : {ElementType::F32, ElementType::F16,
                                ElementType::BF16, ElementType::I32})
      if (Result<const Kernel *> add = findAdd(element))
        CAROUSEL_TRY((*add)->loadAll());
    return {};
  }

  Status copy(const Copy &copy, Stream stream) override {
    uint64_t head = std::min(
        (kAlignment - copy.target % kAlignment) % kAlignment, copy.bytes);
    uint64_t body = (copy.bytes - head) / kAlignment * kAlignment;
    uint64_t tail = copy.bytes - head - body;
    uint64_t shift = body ? (copy.source + head) % kAlignment : 0;
    if (copy.bytes - 1 > UINT64_MAX - std::max(copy.source, copy.target))
      return fail(ErrorCode::InvalidArgument,
                  "bytes: expected a copy that ends below 2^64, got {} bytes "
                  "from 0x{:x} to 0x{:x}",
                  copy.bytes, copy.source, copy.target);
    // In bytes; the body of a shifted copy is made of words, and its source of
    // one granule more.
    constexpr uint64_t kWord = 4;
    uint64_t element = shift ? kWord : 1;
    uint64_t read = shift ? body + kAlignment : body;
    uint64_t source = copy.source + head, after = head + body;
    auto ctas = static_cast<uint64_t>(getCTAs(copy, body));
    const std::array<Vector, 6> vectors = {
        Vector{source - shift, read / element},
        Vector{copy.target + head, body / element},
        Vector{copy.source, head},
        Vector{copy.target, head},
        Vector{copy.source + after, tail},
        Vector{copy.target + after, tail}};
    if (shift == 0)
      return launch(kernel, vectors, {ctas}, stream);
    CAROUSEL_TRY_ASSIGN(const auto *shifted, find(kShiftedKernel));
    return launch(*shifted, vectors, {shift, ctas}, stream);
  }

private:
  /// A kernel that not every group needs; lives as long as this.
  Result<const Kernel *> find(const std::string &name) {
    std::lock_guard<std::mutex> lock(mutex);
    auto found = others.find(name);
    if (found == others.end()) {
      CAROUSEL_TRY_ASSIGN(Kernel made, Kernel::get(context, package, name));
      if (name == kShiftedKernel)
        CAROUSEL_TRY(checkSignature(made.getInfo(), ElementType::I32,
                                    {ElementType::I32, ElementType::Index}));
      found = others.emplace(name, std::move(made)).first;
    }
    return &found->second;
  }

  Result<const Kernel *> findAdd(ElementType element) {
    return find(std::string("add_") + runtime::toString(element));
  }

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
  std::mutex mutex;
  std::map<std::string, Kernel> others; ///< guarded by `mutex`
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
                                           const CommOptions &options) {
  std::string given = getTransportPackage(options);
  std::string directory = given.empty() ? findTransportPackage() : given;
  CAROUSEL_TRY_ASSIGN(
      Package package,
      prefixError(Package::open(directory),
                  "transport: expected the package of transport kernels for "
                  "tma, got none"));
  CAROUSEL_TRY_ASSIGN(Kernel kernel, Kernel::get(context, package, kKernel));
  CAROUSEL_TRY(
      checkSignature(kernel.getInfo(), ElementType::I8, {ElementType::Index}));
  return std::unique_ptr<Transport>(
      std::make_unique<TMA>(std::move(kernel), context, std::move(package)));
}

} // namespace carousel::runtime
