//===- CAPICompile.cpp - compilation of CUDA C++ in the C interface -------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See carousel_runtime.h. Each thread has the messages of its last compilation.
//
//===----------------------------------------------------------------------===//

#include "CAPIImpl.h"

#include "Support/ThreadLocal.h"

using namespace carousel::runtime;

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
