//===- CAPI.cpp - the C interface -----------------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of carousel_runtime.h: checks handles and struct sizes,
// converts between C types and those of carousel/Runtime, and keeps the message
// of the last failure. Each thread has the messages of its last compilation. A
// launch allocates no memory here either.
//
//===----------------------------------------------------------------------===//

#include "CAPIImpl.h"
#include "Support/ThreadLocal.h"

#include "carousel/Runtime/Fail.h"
#include "carousel/Runtime/TensorMap.h"

#include <algorithm>
#include <type_traits>

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

using Severity = CompileMessage::Severity;
static_assert(CAROUSEL_CUBIN == int(CodeKind::Cubin) &&
              CAROUSEL_PTX == int(CodeKind::PTX) &&
              CAROUSEL_LTOIR == int(CodeKind::LTOIR));
static_assert(CAROUSEL_ERROR == int(Severity::Error) &&
              CAROUSEL_WARNING == int(Severity::Warning) &&
              CAROUSEL_NOTE == int(Severity::Note));
static_assert(CAROUSEL_VIA_ANY == int(LoadOptions::Via::Any) &&
              CAROUSEL_VIA_PTX == int(LoadOptions::Via::PTX) &&
              CAROUSEL_VIA_CUDA == int(LoadOptions::Via::CUDA));

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

static Status convert(const carousel_source *from, size_t count,
                      const char *what, std::vector<CUDASource> &to) {
  if (count != 0 && !from)
    return fail(ErrorCode::InvalidArgument, "{}: expected a pointer, got null",
                what);
  for (size_t i = 0; i < count; ++i) {
    if (!from[i].name || !from[i].text)
      return fail(ErrorCode::InvalidArgument,
                  "{}: expected a name and a text of each, got null in number "
                  "{}",
                  what, i);
    to.push_back({from[i].name, from[i].text});
  }
  return {};
}

static Status convert(const carousel_compile_options *from,
                      CompileOptions &to) {
  if (!from)
    return {};
  carousel_compile_options given = {};
  CAROUSEL_TRY(readStruct(from, "options", given));
  if (given.kind != 0)
    to.kind = static_cast<CodeKind>(given.kind);
  to.lineInfo = given.line_info != 0;
  to.fastMath = given.fast_math != 0;
  if (given.chip)
    to.chip = given.chip;
  CAROUSEL_TRY(
      convert(given.headers, given.header_count, "headers", to.headers));
  for (size_t i = 0; i < given.more_count; ++i) {
    if (!given.more || !given.more[i])
      return fail(ErrorCode::InvalidArgument,
                  "more: expected options, got null in number {}", i);
    to.more.emplace_back(given.more[i]);
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

static std::vector<CompileMessage> &getMessages() {
  return getOfThread<std::vector<CompileMessage>>();
}

carousel_status carousel_compile(const carousel_context *context,
                                 const carousel_source *source,
                                 const carousel_compile_options *options,
                                 carousel_code **code) noexcept {
  std::vector<CompileMessage> &messages = getMessages();
  messages.clear();
  return make({{source, "source"}, {code, "code"}}, code,
              [&]() -> Result<CompiledCode> {
                CompileOptions wanted;
                std::vector<CUDASource> sources;
                CAROUSEL_TRY(convert(source, 1, "source", sources));
                CAROUSEL_TRY(convert(options, wanted));
                return context
                           ? compileCUDA(context->context, sources.front(),
                                         wanted, &messages)
                           : compileCUDA(sources.front(), wanted, &messages);
              });
}

void carousel_code_release(carousel_code *code) noexcept { delete code; }

carousel_status carousel_code_contents(const carousel_code *code,
                                       const void **data,
                                       size_t *bytes) noexcept {
  return run({{code, "code"}, {data, "data"}, {bytes, "bytes"}}, [&] {
    *data = code->code.bytes.c_str();
    *bytes = code->code.bytes.size();
  });
}

size_t carousel_message_count(void) noexcept { return getMessages().size(); }

carousel_status carousel_message_get(size_t number,
                                     carousel_message *message) noexcept {
  return run({{message, "message"}}, [&]() -> Status {
    const std::vector<CompileMessage> &messages = getMessages();
    if (number >= messages.size())
      return fail(ErrorCode::InvalidArgument,
                  "number: expected one below {}, got {}", messages.size(),
                  number);
    const CompileMessage &from = messages[number];
    carousel_message to = {};
    to.severity = static_cast<carousel_severity>(from.severity);
    to.line = from.line;
    to.file = from.file.c_str();
    to.function = from.function.c_str();
    to.text = from.text.c_str();
    to.source = from.source.c_str();
    return writeStruct(to, "message", message);
  });
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

carousel_status carousel_module_load(const carousel_context *context,
                                     const carousel_code *code,
                                     carousel_module **module) noexcept {
  return make({{context, "context"}, {code, "code"}, {module, "module"}},
              module,
              [&] { return Module::load(context->context, code->code); });
}

void carousel_module_release(carousel_module *module) noexcept {
  delete module;
}

carousel_status carousel_module_launch(const carousel_module *module,
                                       const char *kernel,
                                       const carousel_launch_shape *shape,
                                       void *const *parameters,
                                       carousel_stream stream) noexcept {
  return run({{module, "module"}, {kernel, "kernel"}, {shape, "shape"}},
             [&]() -> Status {
               carousel_launch_shape given = {};
               CAROUSEL_TRY(readStruct(shape, "shape", given));
               LaunchShape wanted;
               for (int i = 0; i < 3; ++i) {
                 wanted.grid[i] = given.grid[i];
                 wanted.block[i] = given.block[i];
                 wanted.cluster[i] = std::max(given.cluster[i], 1u);
               }
               wanted.dynamicShared = given.dynamic_shared;
               return module->module.launch(kernel, wanted, parameters, stream);
             });
}

//===----------------------------------------------------------------------===//
// Kernels of packages
//===----------------------------------------------------------------------===//

carousel_status carousel_kernel_get_with(const carousel_context *context,
                                         const carousel_package *package,
                                         const char *name,
                                         const carousel_load_options *options,
                                         carousel_kernel **kernel) noexcept {
  return make(
      {{context, "context"},
       {package, "package"},
       {name, "name"},
       {options, "options"},
       {kernel, "kernel"}},
      kernel, [&]() -> Result<Kernel> {
        carousel_load_options given = {};
        CAROUSEL_TRY(readStruct(options, "options", given));
        if (given.via < CAROUSEL_VIA_ANY || given.via > CAROUSEL_VIA_CUDA)
          return fail(ErrorCode::InvalidArgument,
                      "via: expected 0 to 2, got {}", given.via);
        LoadOptions wanted;
        wanted.via = static_cast<LoadOptions::Via>(given.via);
        CompileOptions compile;
        CAROUSEL_TRY(convert(given.sources, given.source_count, "sources",
                             wanted.deviceSources));
        CAROUSEL_TRY(convert(given.compile, compile));
        if (!compile.chip.empty() ||
            (given.compile && given.compile->kind != 0))
          return fail(
              ErrorCode::InvalidArgument,
              "compile: expected no kind and no chip, which follow from "
              "the package and the device, got one");
        wanted.cuda = std::move(compile);
        return Kernel::get(context->context, package->package, name, wanted);
      });
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

carousel_status carousel_kernel_get(const carousel_context *context,
                                    const carousel_package *package,
                                    const char *name,
                                    carousel_kernel **kernel) noexcept {
  return make({{context, "context"},
               {package, "package"},
               {name, "name"},
               {kernel, "kernel"}},
              kernel, [&] {
                return Kernel::get(context->context, package->package, name);
              });
}

void carousel_kernel_release(carousel_kernel *kernel) noexcept {
  delete kernel;
}

carousel_status
carousel_kernel_load_all(const carousel_kernel *kernel) noexcept {
  return run({{kernel, "kernel"}}, [&] { return kernel->kernel.loadAll(); });
}

carousel_status carousel_kernel_launch(const carousel_kernel *kernel,
                                       const carousel_argument *arguments,
                                       size_t count,
                                       carousel_stream stream) noexcept {
  return run({{kernel, "kernel"}}, [&]() -> Status {
    CAROUSEL_TRY_ASSIGN(
        const auto *converted,
        convertArguments(kernel->kernel.getInfo(), arguments, count));
    return kernel->kernel.launch(converted, count, stream);
  });
}

carousel_status carousel_kernel_explain(const carousel_kernel *kernel,
                                        const carousel_argument *arguments,
                                        size_t count,
                                        const char **text) noexcept {
  return run({{kernel, "kernel"}, {text, "text"}}, [&]() -> Status {
    CAROUSEL_TRY_ASSIGN(
        const auto *converted,
        convertArguments(kernel->kernel.getInfo(), arguments, count));
    CAROUSEL_TRY_ASSIGN(std::vector<VariantReport> reports,
                        kernel->kernel.explain(converted, count));
    struct Explanation;
    auto &lines = getOfThread<std::string, Explanation>();
    lines.clear();
    for (const VariantReport &variant : reports) {
      lines +=
          variant.function + (variant.accepted ? ": accepted" : ": refused");
      for (const std::string &reason : variant.reasons)
        lines += (&reason == &variant.reasons.front() ? ": " : ", ") + reason;
      if (std::string times = describeTimes(variant);
          variant.accepted && !times.empty())
        lines += ", " + times;
      if (variant.chosen && (variant.predicted || variant.measured))
        lines += fmt::format(", chosen by {}", describeChoice(variant));
      lines += '\n';
    }
    *text = lines.c_str();
    return {};
  });
}

carousel_status carousel_kernel_prepare(const carousel_kernel *kernel,
                                        const char *variant,
                                        const carousel_argument *arguments,
                                        size_t count,
                                        carousel_launch **launch) noexcept {
  return make({{kernel, "kernel"}, {launch, "launch"}}, launch,
              [&]() -> Result<Launch> {
                CAROUSEL_TRY_ASSIGN(const auto *converted,
                                    convertArguments(kernel->kernel.getInfo(),
                                                     arguments, count));
                return variant ? kernel->kernel.prepareVariant(variant,
                                                               converted, count)
                               : kernel->kernel.prepare(converted, count);
              });
}

carousel_status carousel_launch_run(const carousel_launch *launch,
                                    carousel_stream stream) noexcept {
  return run({{launch, "launch"}}, [&] { return launch->launch.run(stream); });
}

carousel_status carousel_launch_variant(const carousel_launch *launch,
                                        const char **function) noexcept {
  return run({{launch, "launch"}, {function, "function"}},
             [&] { *function = launch->launch.getVariant().function.c_str(); });
}

carousel_status carousel_launch_grid(const carousel_launch *launch,
                                     uint32_t grid[3]) noexcept {
  return run({{launch, "launch"}, {grid, "grid"}}, [&] {
    std::array<uint32_t, 3> blocks = launch->launch.getGrid();
    std::copy(blocks.begin(), blocks.end(), grid);
  });
}

void carousel_launch_release(carousel_launch *launch) noexcept {
  delete launch;
}

//===----------------------------------------------------------------------===//
// Tensor maps
//===----------------------------------------------------------------------===//

/// Numbers that an enumeration of bytes holds; which of them mean something is
/// checked with the other rules.
template <typename Enum>
static Status readEnum(int32_t value, const char *what, Enum &to) {
  if (value < 0 || value > UINT8_MAX)
    return fail(ErrorCode::InvalidArgument,
                "format: expected the {} of a tensor map, got {}", what, value);
  to = static_cast<Enum>(value);
  return {};
}

static Result<TensorMapFormat> convert(const carousel_tensor_map_format &from) {
  static_assert(std::extent_v<decltype(from.box)> == kMaxTensorMapRank &&
                std::extent_v<decltype(from.lower)> == kMaxTensorMapRank - 2);
  TensorMapFormat to;
  for (Status status : {readEnum(from.element, "element type", to.element),
                        readEnum(from.mode, "mode", to.mode),
                        readEnum(from.interleave, "interleave", to.interleave),
                        readEnum(from.swizzle, "swizzle", to.swizzle),
                        readEnum(from.promotion, "promotion", to.promotion),
                        readEnum(from.fill, "fill", to.fill)})
    CAROUSEL_TRY(status);
  if (from.rank < 1 || from.rank > kMaxTensorMapRank)
    return fail(ErrorCode::InvalidArgument,
                "format: expected a rank of 1 to {}, got {}", kMaxTensorMapRank,
                from.rank);
  bool tile = to.mode == TensorMapFormat::Mode::Tile;
  bool im2col = to.mode == TensorMapFormat::Mode::Im2Col;
  uint32_t corners = tile ? 0 : !im2col ? 1 : std::max(from.rank, 2u) - 2;
  to.rank = static_cast<uint8_t>(from.rank);
  to.box.assign(from.box, from.box + (tile ? from.rank : 2));
  to.elementStrides.assign(from.element_strides,
                           from.element_strides + from.rank);
  to.lower.assign(from.lower, from.lower + corners);
  to.upper.assign(from.upper, from.upper + corners);
  return to;
}

carousel_status
carousel_tensor_map_encode(const carousel_context *context,
                           const carousel_tensor_map_format *format,
                           const carousel_tensor_map_source *source,
                           const char *name, void *map) noexcept {
  return run(
      {{context, "context"},
       {format, "format"},
       {source, "source"},
       {map, "map"}},
      [&]() -> Status {
        carousel_tensor_map_format givenFormat = {};
        carousel_tensor_map_source givenSource = {};
        CAROUSEL_TRY(readStruct(format, "format", givenFormat));
        CAROUSEL_TRY(readStruct(source, "source", givenSource));
        CAROUSEL_TRY_ASSIGN(TensorMapFormat converted, convert(givenFormat));

        TensorMapSource from;
        from.address = givenSource.address;
        from.rank = converted.rank;
        std::copy_n(givenSource.extents, from.rank, from.extents.begin());
        std::copy_n(givenSource.strides, from.rank - 1, from.strides.begin());
        CAROUSEL_TRY_ASSIGN(TensorMap encoded,
                            TensorMap::encode(context->context, converted, from,
                                              name ? name : "tensor"));
        std::memcpy(map, encoded.words.data(), sizeof(encoded.words));
        return {};
      });
}

Result<const Argument *>
carousel::runtime::convertArguments(const SignatureInfo &signature,
                                    const carousel_argument *arguments,
                                    size_t count) {
  if (!arguments || count != signature.countPassed())
    return nullptr;
  auto &converted = getOfThread<std::vector<Argument>>();
  converted.resize(count);
  for (size_t i = 0; i < count; ++i) {
    const carousel_argument &from = arguments[i];
    CAROUSEL_TRY(
        requireReserved(signature.arguments[i].name.c_str(), from.reserved));
    converted[i] = {static_cast<Argument::Kind>(from.kind),
                    static_cast<ElementType>(from.element),
                    from.rank,
                    from.data,
                    from.extents,
                    from.strides,
                    from.value};
  }
  return converted.data();
}

//===----------------------------------------------------------------------===//
// Packages
//===----------------------------------------------------------------------===//

static Result<const ProgramInfo *> getProgram(const carousel_package *package,
                                              size_t program) {
  const auto &programs = package->package.getManifest().programs;
  if (program >= programs.size())
    return fail(ErrorCode::InvalidArgument,
                "program: expected a number below {}, got {}", programs.size(),
                program);
  return &programs[program];
}

carousel_status carousel_package_program_count(const carousel_package *package,
                                               size_t *count) noexcept {
  return run({{package, "package"}, {count, "count"}},
             [&] { *count = package->package.getManifest().programs.size(); });
}

carousel_status carousel_package_program_name(const carousel_package *package,
                                              size_t program,
                                              const char **name) noexcept {
  return run({{package, "package"}, {name, "name"}}, [&]() -> Status {
    CAROUSEL_TRY_ASSIGN(const auto *info, getProgram(package, program));
    *name = info->name.c_str();
    return {};
  });
}

carousel_status carousel_package_program_argument_count(
    const carousel_package *package, size_t program, size_t *count) noexcept {
  return run({{package, "package"}, {count, "count"}}, [&]() -> Status {
    CAROUSEL_TRY_ASSIGN(const auto *info, getProgram(package, program));
    *count = info->countPassed();
    return {};
  });
}

carousel_status
carousel_package_program_argument(const carousel_package *package,
                                  size_t program, size_t argument,
                                  carousel_argument_info *info) noexcept {
  return run({{package, "package"}, {info, "info"}}, [&]() -> Status {
    CAROUSEL_TRY_ASSIGN(const auto *found, getProgram(package, program));
    return describeArgument(*found, argument, info);
  });
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

carousel_status carousel_program_get(const carousel_context *context,
                                     const carousel_package *package,
                                     const char *name,
                                     carousel_program **program) noexcept {
  return make({{context, "context"},
               {package, "package"},
               {name, "name"},
               {program, "program"}},
              program, [&] {
                return Program::get(context->context, package->package, name);
              });
}

void carousel_program_release(carousel_program *program) noexcept {
  delete program;
}

carousel_status
carousel_program_load_all(const carousel_program *program) noexcept {
  return run({{program, "program"}},
             [&] { return program->program.loadAll(); });
}

carousel_status carousel_program_launch(const carousel_program *program,
                                        const carousel_argument *arguments,
                                        size_t count,
                                        carousel_stream stream) noexcept {
  return run({{program, "program"}}, [&]() -> Status {
    CAROUSEL_TRY_ASSIGN(
        const auto *converted,
        convertArguments(program->program.getInfo(), arguments, count));
    return program->program.launch(converted, count, stream);
  });
}

carousel_status carousel_program_load_parameters(
    const carousel_program *program, const carousel_argument *arguments,
    size_t count, carousel_stream stream) noexcept {
  return run({{program, "program"}}, [&]() -> Status {
    CAROUSEL_TRY_ASSIGN(
        const auto *converted,
        convertArguments(program->program.getInfo(), arguments, count));
    return program->program.loadParameters(converted, count, stream);
  });
}

carousel_status
carousel_program_prepare(const carousel_program *program,
                         const carousel_argument *arguments, size_t count,
                         carousel_prepared_program **prepared) noexcept {
  return make({{program, "program"}, {prepared, "prepared"}}, prepared,
              [&]() -> Result<PreparedProgram> {
                CAROUSEL_TRY_ASSIGN(const auto *converted,
                                    convertArguments(program->program.getInfo(),
                                                     arguments, count));
                return program->program.prepare(converted, count);
              });
}

carousel_status
carousel_prepared_program_run(const carousel_prepared_program *prepared,
                              carousel_stream stream) noexcept {
  return run({{prepared, "prepared"}},
             [&] { return prepared->prepared.run(stream); });
}

carousel_status carousel_prepared_program_load_parameters(
    const carousel_prepared_program *prepared,
    carousel_stream stream) noexcept {
  return run({{prepared, "prepared"}},
             [&] { return prepared->prepared.loadParameters(stream); });
}

void carousel_prepared_program_release(
    carousel_prepared_program *prepared) noexcept {
  delete prepared;
}
