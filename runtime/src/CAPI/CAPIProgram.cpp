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

Status carousel::runtime::convertArguments(const SignatureInfo &signature,
                                           const carousel_argument *arguments,
                                           size_t count, const Argument *&to) {
  to = nullptr;
  if (!arguments || count != signature.countPassed())
    return {};
  auto &converted = getOfThread<std::vector<Argument>>();
  converted.resize(count);
  for (size_t i = 0; i < count; ++i) {
    const carousel_argument &from = arguments[i];
    if (from.reserved != 0)
      return requireReserved(signature.arguments[i].name.c_str(),
                             from.reserved);
    converted[i] = {static_cast<Argument::Kind>(from.kind),
                    static_cast<ElementType>(from.element),
                    from.rank,
                    from.data,
                    from.extents,
                    from.strides,
                    from.value};
  }
  to = converted.data();
  return {};
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
  if (Status status = require({{package, "package"}, {count, "count"}});
      !status)
    return report(status);
  *count = package->package.getManifest().programs.size();
  return CAROUSEL_OK;
}

carousel_status carousel_package_program_name(const carousel_package *package,
                                              size_t program,
                                              const char **name) noexcept {
  if (Status status = require({{package, "package"}, {name, "name"}}); !status)
    return report(status);
  Result<const ProgramInfo *> info = getProgram(package, program);
  if (!info)
    return report(info.error());
  *name = (*info)->name.c_str();
  return CAROUSEL_OK;
}

carousel_status carousel_package_program_argument_count(
    const carousel_package *package, size_t program, size_t *count) noexcept {
  if (Status status = require({{package, "package"}, {count, "count"}});
      !status)
    return report(status);
  Result<const ProgramInfo *> info = getProgram(package, program);
  if (!info)
    return report(info.error());
  *count = (*info)->countPassed();
  return CAROUSEL_OK;
}

carousel_status
carousel_package_program_argument(const carousel_package *package,
                                  size_t program, size_t argument,
                                  carousel_argument_info *info) noexcept {
  if (Status status = require({{package, "package"}, {info, "info"}}); !status)
    return report(status);
  Result<const ProgramInfo *> found = getProgram(package, program);
  if (!found)
    return report(found.error());
  return report(describeArgument(**found, argument, info));
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

carousel_status carousel_program_get(const carousel_context *context,
                                     const carousel_package *package,
                                     const char *name,
                                     carousel_program **program) noexcept {
  if (Status status = require({{context, "context"},
                               {package, "package"},
                               {name, "name"},
                               {program, "program"}});
      !status)
    return report(status);
  Result<Program> found =
      Program::get(context->context, package->package, name);
  if (!found)
    return report(found.error());
  *program = new carousel_program{std::move(*found)};
  return CAROUSEL_OK;
}

void carousel_program_release(carousel_program *program) noexcept {
  delete program;
}

carousel_status
carousel_program_load_all(const carousel_program *program) noexcept {
  if (Status status = require({{program, "program"}}); !status)
    return report(status);
  return report(program->program.loadAll());
}

carousel_status carousel_program_launch(const carousel_program *program,
                                        const carousel_argument *arguments,
                                        size_t count,
                                        carousel_stream stream) noexcept {
  Status status = require({{program, "program"}});
  const Argument *converted;
  if (status)
    status = convertArguments(program->program.getInfo(), arguments, count,
                              converted);
  if (status)
    status = program->program.launch(converted, count, stream);
  return report(status);
}

carousel_status
carousel_program_prepare(const carousel_program *program,
                         const carousel_argument *arguments, size_t count,
                         carousel_prepared_program **prepared) noexcept {
  Status status = require({{program, "program"}, {prepared, "prepared"}});
  const Argument *converted;
  if (status)
    status = convertArguments(program->program.getInfo(), arguments, count,
                              converted);
  if (!status)
    return report(status);
  Result<PreparedProgram> made = program->program.prepare(converted, count);
  if (!made)
    return report(made.error());
  *prepared = new carousel_prepared_program{std::move(*made)};
  return CAROUSEL_OK;
}

carousel_status
carousel_prepared_program_run(const carousel_prepared_program *prepared,
                              carousel_stream stream) noexcept {
  if (Status status = require({{prepared, "prepared"}}); !status)
    return report(status);
  return report(prepared->prepared.run(stream));
}

void carousel_prepared_program_release(
    carousel_prepared_program *prepared) noexcept {
  delete prepared;
}
