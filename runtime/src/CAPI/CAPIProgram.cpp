//===- CAPIProgram.cpp - programs of packages in C ------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// carousel_runtime.h, programs.
//
//===----------------------------------------------------------------------===//

#include "CAPIImpl.h"
#include "Support/ThreadLocal.h"

#include "carousel/Runtime/Fail.h"

using namespace carousel::runtime;

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
