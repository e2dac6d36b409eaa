//===- Result.cpp - what results show -------------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Hands out diagnostics, files, texts and findings. Strings stay the result's.
//
//===----------------------------------------------------------------------===//

#include "Result.h"

#include "carousel/Package/WritePackage.h"

using namespace carousel;
using namespace carousel::capi;

/// Bytes of structs in the first version of the header. These must not change
/// when a struct grows.
static constexpr size_t kDiagnosticBytes = 48, kRunBytes = 120,
                        kFindingBytes = 136;
static_assert(kDiagnosticBytes <= sizeof(carousel_compiler_diagnostic) &&
              kRunBytes <= sizeof(carousel_simulated_run) &&
              kFindingBytes <= sizeof(carousel_finding));

static carousel_compiler_status checkNumber(size_t number, size_t count,
                                            llvm::StringRef what) {
  if (number < count)
    return CAROUSEL_COMPILER_OK;
  return fail(CAROUSEL_COMPILER_NOT_FOUND,
              "number: expected one below " + llvm::Twine(count) + ", the " +
                  what + " of the result, got " + llvm::Twine(number));
}

void carousel_compiler_result_free(carousel_compiler_result *result) noexcept {
  delete result;
}

int32_t carousel_compiler_result_succeeded(
    const carousel_compiler_result *result) noexcept {
  return result && result->succeeded;
}

size_t carousel_compiler_result_diagnostic_count(
    const carousel_compiler_result *result) noexcept {
  return result ? result->diagnostics.size() : 0;
}

carousel_compiler_status carousel_compiler_result_diagnostic(
    const carousel_compiler_result *result, size_t number,
    carousel_compiler_diagnostic *diagnostic) noexcept {
  if (carousel_compiler_status status =
          require({{result, "result"}, {diagnostic, "diagnostic"}}))
    return status;
  if (carousel_compiler_status status =
          checkNumber(number, result->diagnostics.size(), "diagnostics"))
    return status;
  const DiagnosticRecord &record = result->diagnostics[number];
  carousel_compiler_diagnostic value = {};
  value.severity = record.severity;
  value.line = record.line;
  value.column = record.column;
  value.file = record.file.c_str();
  value.message = record.message.c_str();
  value.source = record.source.c_str();
  return writeStruct(value, kDiagnosticBytes, "diagnostic", diagnostic);
}

size_t carousel_compiler_result_file_count(
    const carousel_compiler_result *result) noexcept {
  return result ? result->files.size() : 0;
}

carousel_compiler_status
carousel_compiler_result_file(const carousel_compiler_result *result,
                              size_t number, const char **name,
                              const char **data, size_t *bytes) noexcept {
  if (carousel_compiler_status status = require({{result, "result"},
                                                 {name, "name"},
                                                 {data, "data"},
                                                 {bytes, "bytes"}}))
    return status;
  if (carousel_compiler_status status =
          checkNumber(number, result->files.size(), "files"))
    return status;
  const PackageFile &file = result->files[number];
  *name = file.name.c_str();
  *data = file.contents.c_str();
  *bytes = file.contents.size();
  return CAROUSEL_COMPILER_OK;
}

carousel_compiler_status
carousel_compiler_result_write(const carousel_compiler_result *result,
                               const char *directory) noexcept {
  if (carousel_compiler_status status =
          require({{result, "result"}, {directory, "directory"}}))
    return status;
  if (result->files.empty())
    return fail(CAROUSEL_COMPILER_NOT_FOUND,
                "result: expected one that has files, got none");
  if (llvm::Error error = writePackage(result->files, directory))
    return fail(CAROUSEL_COMPILER_IO_ERROR, llvm::toString(std::move(error)));
  return CAROUSEL_COMPILER_OK;
}

carousel_compiler_status
carousel_compiler_result_text(const carousel_compiler_result *result,
                              carousel_compiler_text kind, const char **text,
                              size_t *bytes) noexcept {
  if (carousel_compiler_status status =
          require({{result, "result"}, {text, "text"}, {bytes, "bytes"}}))
    return status;
  auto found = result->texts.find(kind);
  if (found == result->texts.end())
    return fail(CAROUSEL_COMPILER_NOT_FOUND,
                "kind: expected a text that the result has, got " +
                    llvm::Twine(kind));
  *text = found->second.c_str();
  *bytes = found->second.size();
  return CAROUSEL_COMPILER_OK;
}

//===----------------------------------------------------------------------===//
// Simulations
//===----------------------------------------------------------------------===//

static_assert(CAROUSEL_RUN_FINISHED == int(sim::RunStatus::Finished) &&
              CAROUSEL_RUN_DEADLOCK == int(sim::RunStatus::Deadlock) &&
              CAROUSEL_RUN_STEP_LIMIT == int(sim::RunStatus::StepLimit) &&
              CAROUSEL_RUN_ABORTED == int(sim::RunStatus::Aborted));

carousel_compiler_status
carousel_compiler_result_run(const carousel_compiler_result *result,
                             carousel_simulated_run *run) noexcept {
  if (carousel_compiler_status status =
          require({{result, "result"}, {run, "run"}}))
    return status;
  if (!result->run)
    return fail(CAROUSEL_COMPILER_NOT_FOUND,
                "result: expected one of a simulation that ran, got none");
  const RunRecord &record = *result->run;
  carousel_simulated_run value = {};
  value.status = static_cast<carousel_run_status>(record.status);
  value.kernel = record.kernel.c_str();
  value.policy = record.policy.c_str();
  value.seed = record.seed;
  value.schedules_run = record.schedulesRun;
  value.threads = record.figures.threads;
  value.steps = record.figures.steps;
  value.transfers = record.figures.transfers;
  value.transferred_bytes = record.figures.transferredBytes;
  value.read_bytes = record.figures.readBytes;
  value.written_bytes = record.figures.writtenBytes;
  value.operand_bytes = record.figures.operandBytes;
  value.cycles = record.figures.cycles;
  value.expired_waits = record.expiredWaits;
  return writeStruct(value, kRunBytes, "run", run);
}

size_t carousel_compiler_result_finding_count(
    const carousel_compiler_result *result) noexcept {
  return result ? result->findings.size() : 0;
}

static carousel_finding_actor convert(const sim::Actor &actor) {
  return {actor.cta, actor.thread, actor.operation.c_str(),
          actor.location.c_str()};
}

carousel_compiler_status
carousel_compiler_result_finding(const carousel_compiler_result *result,
                                 size_t number,
                                 carousel_finding *finding) noexcept {
  if (carousel_compiler_status status =
          require({{result, "result"}, {finding, "finding"}}))
    return status;
  if (carousel_compiler_status status =
          checkNumber(number, result->findings.size(), "findings"))
    return status;
  const FindingRecord &record = result->findings[number];
  const sim::Finding &found = record.finding;
  carousel_finding value = {};
  // Identifiers are literals.
  value.kind = sim::getIdentifier(found.kind).data();
  value.message = found.message.c_str();
  value.actor = convert(found.actor);
  value.has_other = found.other.has_value();
  value.other = found.other ? convert(*found.other)
                            : carousel_finding_actor{0, 0, "", ""};
  value.has_slot = found.slot.has_value();
  value.slot = found.slot.value_or(0);
  value.buffer = found.buffer.c_str();
  value.begin_byte = found.beginByte;
  value.end_byte = found.endByte;
  value.count = found.count;
  value.notes = record.notes.c_str();
  value.text = record.text.c_str();
  return writeStruct(value, kFindingBytes, "finding", finding);
}
