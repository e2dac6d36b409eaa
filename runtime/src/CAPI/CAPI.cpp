//===- CAPI.cpp - the C interface -----------------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks handles and struct sizes, converts between C types and those of
// carousel/Runtime, and keeps the message of the last failure.
//
//===----------------------------------------------------------------------===//

#include "CAPIImpl.h"

#include "Support/ThreadLocal.h"

#include <algorithm>

using namespace carousel::runtime;

//===----------------------------------------------------------------------===//
// Numbers that both interfaces have
//===----------------------------------------------------------------------===//

static_assert(CAROUSEL_INVALID_ARGUMENT == int(ErrorCode::InvalidArgument) &&
              CAROUSEL_INVALID_PACKAGE == int(ErrorCode::InvalidPackage) &&
              CAROUSEL_UNSUPPORTED_VERSION ==
                  int(ErrorCode::UnsupportedVersion) &&
              CAROUSEL_NOT_FOUND == int(ErrorCode::NotFound) &&
              CAROUSEL_NO_VARIANT == int(ErrorCode::NoVariant) &&
              CAROUSEL_NO_LIBRARY == int(ErrorCode::NoLibrary) &&
              CAROUSEL_DRIVER_ERROR == int(ErrorCode::DriverError) &&
              CAROUSEL_COMPILE_ERROR == int(ErrorCode::CompileError) &&
              CAROUSEL_LAUNCH_FAILED == int(ErrorCode::LaunchFailed) &&
              CAROUSEL_IO_ERROR == int(ErrorCode::IOError) &&
              CAROUSEL_OUT_OF_MEMORY == int(ErrorCode::OutOfMemory) &&
              CAROUSEL_CONTEXT_LOST == int(ErrorCode::ContextLost) &&
              CAROUSEL_PEER_LOST == int(ErrorCode::PeerLost) &&
              CAROUSEL_TIMEOUT == int(ErrorCode::Timeout));
static_assert(CAROUSEL_I1 == int(ElementType::I1) &&
              CAROUSEL_I8 == int(ElementType::I8) &&
              CAROUSEL_I16 == int(ElementType::I16) &&
              CAROUSEL_I32 == int(ElementType::I32) &&
              CAROUSEL_I64 == int(ElementType::I64) &&
              CAROUSEL_F16 == int(ElementType::F16) &&
              CAROUSEL_BF16 == int(ElementType::BF16) &&
              CAROUSEL_F32 == int(ElementType::F32) &&
              CAROUSEL_F64 == int(ElementType::F64) &&
              CAROUSEL_F8E4M3FN == int(ElementType::F8E4M3FN) &&
              CAROUSEL_F8E5M2 == int(ElementType::F8E5M2) &&
              CAROUSEL_F8E8M0FNU == int(ElementType::F8E8M0FNU) &&
              CAROUSEL_INDEX == int(ElementType::Index));
static_assert(CAROUSEL_TENSOR == int(Argument::Kind::Tensor) &&
              CAROUSEL_SCALAR == int(Argument::Kind::Scalar) &&
              CAROUSEL_MAX_RANK == kMaxRank &&
              CAROUSEL_DYNAMIC == ArgumentInfo::kDynamic);

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

static std::string &getLastError() {
  struct LastError;
  return getOfThread<std::string, LastError>();
}

carousel_status carousel::runtime::report(const Error &error) {
  getLastError() = error.message;
  return static_cast<carousel_status>(error.code);
}

uint32_t carousel_runtime_version(void) noexcept {
  return CAROUSEL_RUNTIME_VERSION;
}

const char *carousel_last_error(void) noexcept {
  return getLastError().c_str();
}

const char *carousel_status_name(carousel_status status) noexcept {
  if (status == CAROUSEL_OK)
    return "ok";
  if (status < CAROUSEL_OK || status > CAROUSEL_TIMEOUT)
    return "unknown status";
  return toString(static_cast<ErrorCode>(status));
}

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//

void carousel_context_options_init(carousel_context_options *options,
                                   size_t size) noexcept {
  if (!options || !checkSize<carousel_context_options>(size, "size"))
    return;
  ContextOptions defaults;
  carousel_context_options result = {};
  result.device = defaults.device;
  result.blocking = defaults.blocking;
  result.cache_bytes = CAROUSEL_CACHE_BYTES_DEFAULT;
  options->size = size;
  (void)writeStruct(result, "options", options);
}

static Result<ContextOptions> convert(const carousel_context_options *options) {
  ContextOptions wanted;
  if (!options)
    return wanted;
  carousel_context_options given;
  carousel_context_options_init(&given, sizeof(given));
  CAROUSEL_TRY(readStruct(options, "options", given));
  CAROUSEL_TRY(requireReserved("options", given.reserved));
  auto text = [](const char *from) { return std::string(from ? from : ""); };
  wanted.device = given.device;
  wanted.blocking = given.blocking != 0;
  wanted.trustSymmetric = given.trust_symmetric != 0;
  wanted.libraries = {text(given.driver), text(given.nvrtc),
                      text(given.nvjitlink)};
  wanted.cacheDirectory = text(given.cache_directory);
  if (given.cache_bytes != CAROUSEL_CACHE_BYTES_DEFAULT)
    wanted.cacheBytes = given.cache_bytes;
  return wanted;
}

carousel_status carousel_context_create(const carousel_context_options *options,
                                        carousel_context **context) noexcept {
  return make({{context, "context"}}, context, [&]() -> Result<Context> {
    CAROUSEL_TRY_ASSIGN(ContextOptions wanted, convert(options));
    return Context::create(wanted);
  });
}

void carousel_context_destroy(carousel_context *context) noexcept {
  delete context;
}

carousel_status carousel_context_device(const carousel_context *context,
                                        carousel_device_info *info) noexcept {
  return run({{context, "context"}, {info, "info"}}, [&]() -> Status {
    const DeviceInfo &device = context->context.getDevice();
    carousel_device_info result = {};
    device.name.copy(result.name, sizeof(result.name) - 1);
    result.ordinal = device.ordinal;
    result.compute_capability = device.computeCapability;
    result.multiprocessors = device.multiprocessors;
    result.driver_version = device.driverVersion;
    result.max_shared_per_block = device.maxSharedPerBlock;
    result.l2_bytes = device.l2Bytes;
    return writeStruct(result, "info", info);
  });
}

carousel_status carousel_context_synchronize(const carousel_context *context,
                                             carousel_stream stream) noexcept {
  return run({{context, "context"}},
             [&] { return context->context.synchronize(stream); });
}

carousel_status carousel_context_expired_waits(const carousel_context *context,
                                               const char **text) noexcept {
  return run({{context, "context"}, {text, "text"}}, [&] {
    struct ExpiredWaits;
    auto &sentence = getOfThread<std::string, ExpiredWaits>();
    sentence = context->context.describeExpiredWaits();
    *text = sentence.c_str();
  });
}

//===----------------------------------------------------------------------===//
// Packages
//===----------------------------------------------------------------------===//

carousel_status carousel_package_open(const char *directory,
                                      carousel_package **package) noexcept {
  return make({{directory, "directory"}, {package, "package"}}, package,
              [&] { return Package::open(directory); });
}

void carousel_package_close(carousel_package *package) noexcept {
  delete package;
}

carousel_status carousel_package_files(const carousel_package *package,
                                       carousel_use_file use,
                                       void *user) noexcept {
  return run(
      {{package, "package"}, {reinterpret_cast<const void *>(use), "use"}},
      [&] {
        const Manifest &manifest = package->package.getManifest();
        const std::string &text = package->package.getManifestText();
        use(user, "manifest.json", text.data(), text.size());
        uint32_t number = 0;
        for (const ModuleInfo &module : manifest.modules) {
          for (size_t i = 0; i < module.images.size(); ++i) {
            std::string_view contents = package->package.getContents(number, i);
            use(user, module.images[i].file.c_str(), contents.data(),
                contents.size());
          }
          ++number;
        }
        if (const auto &constants = manifest.constants)
          use(user, constants->file.c_str(), nullptr, constants->bytes);
      });
}

carousel_status carousel_package_read_constants(const carousel_package *package,
                                                void *to,
                                                uint64_t bytes) noexcept {
  return run({{package, "package"}, {to, "to"}}, [&]() -> Status {
    const auto &constants = package->package.getManifest().constants;
    uint64_t wanted = constants ? constants->bytes : 0;
    if (bytes != wanted)
      return fail(ErrorCode::InvalidArgument,
                  "bytes: expected the {} of the constants, got {}", wanted,
                  bytes);
    return package->package.readConstants([&](uint64_t offset,
                                              std::string_view part) -> Status {
      std::memcpy(static_cast<char *>(to) + offset, part.data(), part.size());
      return {};
    });
  });
}

static Result<const KernelInfo *> getKernel(const carousel_package *package,
                                            size_t kernel) {
  const auto &kernels = package->package.getManifest().kernels;
  if (kernel >= kernels.size())
    return fail(ErrorCode::InvalidArgument,
                "kernel: expected a number below {}, got {}", kernels.size(),
                kernel);
  return &kernels[kernel];
}

carousel_status carousel_package_kernel_count(const carousel_package *package,
                                              size_t *count) noexcept {
  return run({{package, "package"}, {count, "count"}},
             [&] { *count = package->package.getManifest().kernels.size(); });
}

carousel_status carousel_package_kernel_name(const carousel_package *package,
                                             size_t kernel,
                                             const char **name) noexcept {
  return run({{package, "package"}, {name, "name"}}, [&]() -> Status {
    CAROUSEL_TRY_ASSIGN(const auto *info, getKernel(package, kernel));
    *name = info->name.c_str();
    return {};
  });
}

carousel_status carousel_package_argument_count(const carousel_package *package,
                                                size_t kernel,
                                                size_t *count) noexcept {
  return run({{package, "package"}, {count, "count"}}, [&]() -> Status {
    CAROUSEL_TRY_ASSIGN(const auto *info, getKernel(package, kernel));
    *count = info->countPassed();
    return {};
  });
}

Status carousel::runtime::describeArgument(const SignatureInfo &signature,
                                           size_t argument,
                                           carousel_argument_info *info) {
  if (size_t count = signature.countPassed(); argument >= count)
    return fail(ErrorCode::InvalidArgument,
                "argument: expected a number below {}, got {}", count,
                argument);
  const ArgumentInfo &from = signature.arguments[argument];
  carousel_argument_info result = {};
  result.name = from.name.c_str();
  result.kind = from.kind == ArgumentInfo::Kind::Tensor ? CAROUSEL_TENSOR
                                                        : CAROUSEL_SCALAR;
  result.access = from.access == ArgumentInfo::Access::In    ? CAROUSEL_IN
                  : from.access == ArgumentInfo::Access::Out ? CAROUSEL_OUT
                                                             : CAROUSEL_INOUT;
  result.element = static_cast<carousel_element>(from.element);
  result.rank = static_cast<uint32_t>(from.extents.size());
  result.contiguous = from.contiguous;
  result.sharing = static_cast<carousel_sharing>(from.sharing);
  std::copy(from.extents.begin(), from.extents.end(), result.extents);
  std::copy(from.strides.begin(), from.strides.end(), result.strides);
  return writeStruct(result, "info", info);
}

carousel_status
carousel_package_argument(const carousel_package *package, size_t kernel,
                          size_t argument,
                          carousel_argument_info *info) noexcept {
  return run({{package, "package"}, {info, "info"}}, [&]() -> Status {
    CAROUSEL_TRY_ASSIGN(const auto *found, getKernel(package, kernel));
    return describeArgument(*found, argument, info);
  });
}

//===----------------------------------------------------------------------===//
// Device memory
//===----------------------------------------------------------------------===//

carousel_status carousel_buffer_allocate(const carousel_context *context,
                                         uint64_t bytes,
                                         carousel_buffer **buffer) noexcept {
  return make({{context, "context"}, {buffer, "buffer"}}, buffer,
              [&] { return Buffer::allocate(context->context, bytes); });
}

void carousel_buffer_free(carousel_buffer *buffer) noexcept { delete buffer; }

carousel_status carousel_buffer_address(const carousel_buffer *buffer,
                                        uint64_t *address) noexcept {
  return run({{buffer, "buffer"}, {address, "address"}},
             [&] { *address = buffer->buffer.getAddress(); });
}

carousel_status carousel_buffer_bytes(const carousel_buffer *buffer,
                                      uint64_t *bytes) noexcept {
  return run({{buffer, "buffer"}, {bytes, "bytes"}},
             [&] { *bytes = buffer->buffer.getBytes(); });
}

carousel_status carousel_buffer_upload(carousel_buffer *buffer,
                                       const void *host, uint64_t count,
                                       uint64_t offset,
                                       carousel_stream stream) noexcept {
  return run({{buffer, "buffer"}}, [&] {
    return buffer->buffer.upload(host, count, offset, stream);
  });
}

carousel_status carousel_buffer_download(const carousel_buffer *buffer,
                                         void *host, uint64_t count,
                                         uint64_t offset,
                                         carousel_stream stream) noexcept {
  return run({{buffer, "buffer"}}, [&] {
    return buffer->buffer.download(host, count, offset, stream);
  });
}

carousel_status carousel_buffer_fill(carousel_buffer *buffer, uint8_t value,
                                     carousel_stream stream) noexcept {
  return run({{buffer, "buffer"}},
             [&] { return buffer->buffer.fill(value, stream); });
}
