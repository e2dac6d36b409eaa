//===- CAPIXLA.cpp - launches from programs of XLA ------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The handlers of carousel_xla.h. A call names its function by the package's
// directory, so that an executable that XLA keeps on disk finds it in another
// process, too.
//
//===----------------------------------------------------------------------===//

#include "CAPIImpl.h"
#include "Context/ContextImpl.h"
#include "Support/Process.h"
#include "Support/ThreadLocal.h"
#include "XLACallFrame.h"
#include "carousel_xla.h"

#include <map>
#include <mutex>
#include <tuple>
#include <variant>

using namespace carousel::runtime;

namespace {

/// A program or a kernel on a device.
using Function = std::variant<Program, Kernel>;

/// The attributes of a call. They live as long as its executable.
struct Target {
  std::string_view package, kind, name;
  const int64_t *operands = nullptr, *scalars = nullptr;
  size_t count = 0; ///< arguments of the function
};

/// Packages and functions that the process has loaded. It is never destroyed,
/// since the driver may be gone when the process ends.
class Registry {
public:
  static Registry &get() {
    static Registry &registry = *new Registry;
    return registry;
  }

  /// Loads all that a launch needs at the first call for a device, which may be
  /// one that XLA records.
  Result<const Function *> load(const Target &target, const Package &package,
                                int device) {
    std::lock_guard<std::mutex> lock(mutex);
    Key key(target.package, target.kind, target.name, device);
    if (auto found = functions.find(key); found != functions.end())
      return &found->second;
    CAROUSEL_TRY_ASSIGN(const Context *context, getContext(device));
    RelaxedCapture relaxed(*context->getImpl().driver);
    CAROUSEL_TRY_ASSIGN(Function made, make(target, package, *context));
    return &functions.emplace(std::move(key), std::move(made)).first->second;
  }

  Result<const Package *> open(std::string_view directory) {
    std::lock_guard<std::mutex> lock(mutex);
    if (auto found = packages.find(directory); found != packages.end())
      return &found->second;
    std::string path(directory);
    CAROUSEL_TRY_ASSIGN(Package package, Package::open(path));
    return &packages.emplace(std::move(path), std::move(package)).first->second;
  }

  void clear() {
    std::lock_guard<std::mutex> lock(mutex);
    functions.clear();
    packages.clear();
    contexts.clear();
  }

private:
  using Key = std::tuple<std::string, std::string, std::string, int>;

  Result<const Context *> getContext(int device) {
    if (auto found = contexts.find(device); found != contexts.end())
      return &found->second;
    ContextOptions options;
    options.device = device;
    CAROUSEL_TRY_ASSIGN(Context context, Context::create(options));
    return &contexts.emplace(device, std::move(context)).first->second;
  }

  static Result<Function> make(const Target &target, const Package &package,
                               const Context &context) {
    if (target.kind == "program") {
      CAROUSEL_TRY_ASSIGN(Program program,
                          Program::get(context, package, target.name));
      CAROUSEL_TRY(program.loadAll());
      return Function(std::move(program));
    }
    CAROUSEL_TRY_ASSIGN(Kernel kernel,
                        Kernel::get(context, package, target.name));
    CAROUSEL_TRY(kernel.loadAll());
    return Function(std::move(kernel));
  }

  std::mutex mutex;
  std::map<int, Context> contexts;
  std::map<std::string, Package, std::less<>> packages;
  std::map<Key, Function> functions;
};

} // namespace

void xla::forgetCalls() { Registry::get().clear(); }

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// The value of an attribute of this kind; null if the call has none.
static const void *findAttribute(const xla::Attributes &attributes,
                                 std::string_view name,
                                 xla::AttributeKind kind) {
  for (int64_t i = 0; i < attributes.count; ++i) {
    const xla::Text &text = *attributes.names[i];
    if (attributes.kinds[i] == kind &&
        std::string_view(text.data, text.size) == name)
      return attributes.values[i];
  }
  return nullptr;
}

static Result<std::string_view> readText(const xla::CallFrame &frame,
                                         const char *name) {
  const auto *text = static_cast<const xla::Text *>(
      findAttribute(frame.attributes, name, xla::AttributeKind::Text));
  if (!text)
    return fail(ErrorCode::InvalidArgument,
                "expected a text as attribute '{}' of the call, got none",
                name);
  return std::string_view(text->data, text->size);
}

constexpr int32_t kInt64 = 5; // of XLA's types

static Result<const xla::Array *> readNumbers(const xla::CallFrame &frame,
                                              const char *name) {
  const auto *array = static_cast<const xla::Array *>(
      findAttribute(frame.attributes, name, xla::AttributeKind::Array));
  if (!array || array->type != kInt64)
    return fail(ErrorCode::InvalidArgument,
                "expected an array of i64 as attribute '{}' of the call, got "
                "{}",
                name, array ? "one of another type" : "none");
  return array;
}

static Result<Target> readTarget(const xla::CallFrame &frame) {
  Target target;
  CAROUSEL_TRY_ASSIGN(target.package, readText(frame, "package"));
  CAROUSEL_TRY_ASSIGN(target.kind, readText(frame, "kind"));
  CAROUSEL_TRY_ASSIGN(target.name, readText(frame, "name"));
  if (target.kind != "program" && target.kind != "kernel")
    return fail(ErrorCode::InvalidArgument,
                "expected 'program' or 'kernel' as attribute 'kind' of the "
                "call, got '{}'",
                target.kind);
  CAROUSEL_TRY_ASSIGN(const xla::Array *operands,
                      readNumbers(frame, "operands"));
  CAROUSEL_TRY_ASSIGN(const xla::Array *scalars, readNumbers(frame, "scalars"));
  if (operands->size != scalars->size)
    return fail(ErrorCode::InvalidArgument,
                "expected as many scalars as operands of the call, got {} and "
                "{}",
                scalars->size, operands->size);
  target.operands = static_cast<const int64_t *>(operands->data);
  target.scalars = static_cast<const int64_t *>(scalars->data);
  target.count = operands->size;
  return target;
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

/// The element type of one of XLA's; nothing for those that kernels lack.
static std::optional<ElementType> convertType(int32_t type) {
  switch (type) {
  case 1: // PRED
    return ElementType::I1;
  case 2: // S8
  case 6: // U8
    return ElementType::I8;
  case 3: // S16
  case 7: // U16
    return ElementType::I16;
  case 4: // S32
  case 8: // U32
    return ElementType::I32;
  case 5: // S64
  case 9: // U64
    return ElementType::I64;
  case 10:
    return ElementType::F16;
  case 11:
    return ElementType::F32;
  case 12:
    return ElementType::F64;
  case 16:
    return ElementType::BF16;
  case 19:
    return ElementType::F8E5M2;
  case 20:
    return ElementType::F8E4M3FN;
  case 33:
    return ElementType::F8E8M0FNU;
  default:
    return std::nullopt;
  }
}

static Result<const xla::Buffer *> getBuffer(const xla::CallFrame &frame,
                                             int64_t number) {
  int64_t given = frame.arguments.count;
  if (number >= 0 && number < given + frame.results.count) {
    bool isResult = number >= given;
    const xla::Buffers &buffers = isResult ? frame.results : frame.arguments;
    int64_t place = isResult ? number - given : number;
    if (buffers.kinds[place] == xla::kBuffer)
      return static_cast<const xla::Buffer *>(buffers.values[place]);
  }
  return fail(ErrorCode::InvalidArgument,
              "expected operands that are buffers of the call, which has {}, "
              "got {}",
              given + frame.results.count, number);
}

static Status fillArguments(const xla::CallFrame &frame, const Target &target,
                            const SignatureInfo &signature,
                            std::vector<Argument> &arguments) {
  if (target.count != signature.countPassed())
    return fail(ErrorCode::InvalidArgument,
                "{}: expected {} arguments, got {} operands of the call",
                signature.name, signature.countPassed(), target.count);
  arguments.resize(target.count);
  for (size_t i = 0; i < target.count; ++i) {
    Argument &argument = arguments[i];
    argument = {};
    if (target.operands[i] == -1) {
      argument.kind = Argument::Kind::Scalar;
      argument.element = signature.arguments[i].element;
      argument.value = static_cast<uint64_t>(target.scalars[i]);
      continue;
    }
    CAROUSEL_TRY_ASSIGN(const xla::Buffer *buffer,
                        getBuffer(frame, target.operands[i]));
    std::optional<ElementType> element = convertType(buffer->type);
    if (!element)
      return fail(ErrorCode::InvalidArgument,
                  "{}: expected elements of a type that kernels have, got "
                  "XLA's type {}",
                  signature.arguments[i].name, buffer->type);
    argument.kind = Argument::Kind::Tensor;
    argument.element = *element;
    argument.rank = static_cast<uint32_t>(buffer->rank);
    argument.data = reinterpret_cast<uint64_t>(buffer->data);
    argument.extents = buffer->extents;
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// Asks XLA, which refuses on a platform without streams.
template <typename Answer>
static Status ask(const xla::CallFrame &frame,
                  XLA_FFI_Error *(*xla::Functions::*function)(Answer *),
                  Answer &answer) {
  const xla::Functions &functions = *frame.functions;
  answer.size = sizeof(Answer);
  answer.context = frame.context;
  auto member = static_cast<size_t>(
      reinterpret_cast<const char *>(&(functions.*function)) -
      reinterpret_cast<const char *>(&functions));
  if (functions.size < member + sizeof(void *))
    return fail(ErrorCode::NoLibrary,
                "expected an XLA whose foreign function interface has version "
                "0.3 or later, got {}.{}",
                functions.version.major, functions.version.minor);
  if (XLA_FFI_Error *error = (functions.*function)(&answer)) {
    xla::DestroyArguments arguments = {sizeof(arguments), nullptr, error};
    functions.destroyError(&arguments);
    return fail(ErrorCode::InvalidArgument,
                "expected a call on a CUDA device, got one on a platform that "
                "has no streams");
  }
  return {};
}

static Status start(const xla::CallFrame &frame, bool launches) {
  CAROUSEL_TRY(checkProcess());
  CAROUSEL_TRY_ASSIGN(Target target, readTarget(frame));
  CAROUSEL_TRY_ASSIGN(const Package *package,
                      Registry::get().open(target.package));
  xla::DeviceArguments device = {};
  CAROUSEL_TRY(ask(frame, &xla::Functions::getDevice, device));
  CAROUSEL_TRY_ASSIGN(const Function *function,
                      Registry::get().load(target, *package, device.device));
  if (!launches)
    return {};
  xla::StreamArguments stream = {};
  CAROUSEL_TRY(ask(frame, &xla::Functions::getStream, stream));
  return std::visit(
      [&](const auto &loaded) -> Status {
        auto &arguments = getOfThread<std::vector<Argument>>();
        CAROUSEL_TRY(fillArguments(frame, target, loaded.getInfo(), arguments));
        return loaded.launch(arguments.data(), arguments.size(),
                             static_cast<Stream>(stream.stream));
      },
      *function);
}

static xla::ErrorCode convert(ErrorCode code) {
  switch (code) {
  case ErrorCode::InvalidArgument:
    return xla::ErrorCode::InvalidArgument;
  case ErrorCode::NotFound:
    return xla::ErrorCode::NotFound;
  case ErrorCode::OutOfMemory:
    return xla::ErrorCode::ResourceExhausted;
  case ErrorCode::NoVariant:
  case ErrorCode::NoLibrary:
    return xla::ErrorCode::FailedPrecondition;
  default:
    return xla::ErrorCode::Internal;
  }
}

/// XLA asks for the version and the traits before any call.
static bool answerMetadata(const xla::CallFrame &frame, uint32_t traits) {
  if (!frame.extensions || frame.extensions->type != xla::kMetadataExtension)
    return false;
  xla::Metadata &metadata =
      *reinterpret_cast<xla::MetadataExtension *>(frame.extensions)->metadata;
  metadata.version = {offsetof(xla::Version, minor) + sizeof(int32_t), nullptr,
                      0, 3};
  metadata.traits = traits;
  return true;
}

static XLA_FFI_Error *handle(XLA_FFI_CallFrame *call, uint32_t traits,
                             bool launches) {
  const auto &frame = *reinterpret_cast<const xla::CallFrame *>(call);
  if (answerMetadata(frame, traits))
    return nullptr;
  Status status = start(frame, launches);
  if (status)
    return nullptr;
  (void)report(status.error());
  xla::ErrorArguments arguments = {sizeof(arguments), nullptr,
                                   carousel_last_error(),
                                   convert(status.error().code)};
  return frame.functions->createError(&arguments);
}

XLA_FFI_Error *carousel_xla_load(XLA_FFI_CallFrame *frame) noexcept {
  return handle(frame, 0, /*launches=*/false);
}

XLA_FFI_Error *carousel_xla_launch(XLA_FFI_CallFrame *frame) noexcept {
  return handle(frame, 0, /*launches=*/true);
}

XLA_FFI_Error *carousel_xla_launch_recorded(XLA_FFI_CallFrame *frame) noexcept {
  return handle(frame, xla::kRecordable, /*launches=*/true);
}
