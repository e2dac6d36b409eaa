//===- NvJitLink.cpp - links PTX and LTO-IR to a cubin --------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Links several inputs. If a caller declares a function with other types than
// its definition, nvJitLink succeeds with a note in its log. Here it is an
// error, because such a call would read undefined registers.
//
//===----------------------------------------------------------------------===//

#include "Compilers.h"

#include "carousel/Runtime/Fail.h"

namespace carousel::runtime {
namespace {

/// The library has no function for it.
const char *toString(nvJitLinkResult result) {
  switch (result) {
#define CAROUSEL_CASE(name)                                                    \
  case NVJITLINK_ERROR_##name:                                                 \
    return "NVJITLINK_ERROR_" #name;
    CAROUSEL_CASE(UNRECOGNIZED_OPTION)
    CAROUSEL_CASE(MISSING_ARCH)
    CAROUSEL_CASE(INVALID_INPUT)
    CAROUSEL_CASE(PTX_COMPILE)
    CAROUSEL_CASE(NVVM_COMPILE)
    CAROUSEL_CASE(INTERNAL)
    CAROUSEL_CASE(THREADPOOL)
    CAROUSEL_CASE(UNRECOGNIZED_INPUT)
    CAROUSEL_CASE(FINALIZE)
    CAROUSEL_CASE(UNRECOGNIZED_ARCH)
    CAROUSEL_CASE(UNSUPPORTED_ARCH)
#undef CAROUSEL_CASE
  default:
    return nullptr;
  }
}

/// An nvJitLinkHandle until the end of the scope.
class Link {
public:
  explicit Link(const NvJitLinkTable &table) : table(table) {}
  ~Link() {
    if (handle)
      table.nvJitLinkDestroy(&handle);
  }
  Link(const Link &) = delete;
  Link &operator=(const Link &) = delete;

  /// Null, or the call that failed.
  const char *run(const std::vector<LinkInput> &inputs,
                  const std::vector<std::string> &options, std::string &cubin);
  std::string getLog() const;
  std::string getReason() const {
    const char *name = toString(result);
    return name ? name : fmt::format("error {}", static_cast<int>(result));
  }

private:
  bool succeeds(nvJitLinkResult next) {
    result = next;
    return next == NVJITLINK_SUCCESS;
  }
  bool add(const LinkInput &input);

  const NvJitLinkTable &table;
  nvJitLinkHandle handle = nullptr;
  nvJitLinkResult result = NVJITLINK_SUCCESS;
};

bool Link::add(const LinkInput &input) {
  if (input.kind == LinkInput::Kind::LTOIR)
    return succeeds(table.nvJitLinkAddData(
        handle, NVJITLINK_INPUT_LTOIR, input.bytes.data(), input.bytes.size(),
        input.name.c_str()));
  // PTX ends with a NUL, which counts.
  std::string text(input.bytes);
  return succeeds(table.nvJitLinkAddData(handle, NVJITLINK_INPUT_PTX,
                                         text.c_str(), text.size() + 1,
                                         input.name.c_str()));
}

const char *Link::run(const std::vector<LinkInput> &inputs,
                      const std::vector<std::string> &options,
                      std::string &cubin) {
  std::vector<const char *> arguments;
  for (const std::string &option : options)
    arguments.push_back(option.c_str());
  if (!succeeds(table.nvJitLinkCreate(&handle,
                                      static_cast<uint32_t>(arguments.size()),
                                      arguments.data()))) {
    handle = nullptr;
    return "nvJitLinkCreate";
  }
  for (const LinkInput &input : inputs)
    if (!add(input))
      return "nvJitLinkAddData";
  if (!succeeds(table.nvJitLinkComplete(handle)))
    return "nvJitLinkComplete";
  size_t bytes = 0;
  if (!succeeds(table.nvJitLinkGetLinkedCubinSize(handle, &bytes)))
    return "nvJitLinkGetLinkedCubinSize";
  cubin.resize(bytes);
  if (!succeeds(table.nvJitLinkGetLinkedCubin(handle, cubin.data())))
    return "nvJitLinkGetLinkedCubin";
  return nullptr;
}

std::string Link::getLog() const {
  size_t bytes = 0;
  std::string log;
  if (!handle ||
      table.nvJitLinkGetErrorLogSize(handle, &bytes) != NVJITLINK_SUCCESS)
    return log;
  log.resize(bytes);
  if (table.nvJitLinkGetErrorLog(handle, log.data()) != NVJITLINK_SUCCESS)
    log.clear();
  return log.c_str(); // up to the null
}

bool hasErrors(const CompileMessages &messages) {
  for (const CompileMessage &message : messages)
    if (message.severity == CompileMessage::Severity::Error)
      return true;
  return false;
}

} // namespace

Result<std::string> getNvJitLinkVersion(Libraries &libraries) {
  CAROUSEL_TRY_ASSIGN(const auto *table, libraries.getNvJitLink());
  unsigned major = 0, minor = 0;
  if (table->nvJitLinkVersion(&major, &minor) != NVJITLINK_SUCCESS)
    return fail(ErrorCode::NoLibrary, "nvJitLinkVersion failed");
  return fmt::format("{}.{}", major, minor);
}

Result<Compiled> runNvJitLink(Libraries &libraries,
                              const std::vector<LinkInput> &inputs,
                              const std::vector<std::string> &options) {
  CAROUSEL_TRY_ASSIGN(const auto *table, libraries.getNvJitLink());
  Link link(*table);
  Compiled linked;
  const char *failed = link.run(inputs, options, linked.code);
  std::string log = link.getLog();
  CompileMessages messages = parseLog(log);
  // The only PTX that it can mean.
  for (CompileMessage &message : messages)
    if (message.file == kPTXText)
      message.file = inputs.front().name;
  if (failed || hasErrors(messages)) {
    std::string text = summarizeErrors(messages, log);
    if (text.empty())
      text = fmt::format("{} failed: {}", failed, link.getReason());
    return fail(ErrorCode::CompileError, "{}", text);
  }
  if (linked.code.empty())
    return fail(ErrorCode::CompileError, "expected a cubin, got 0 bytes");
  return linked;
}

//===----------------------------------------------------------------------===//
// PTX alone
//===----------------------------------------------------------------------===//

namespace {

Result<std::string> getJitLinkVersion(Context::Impl &context) {
  return getNvJitLinkVersion(*context.libraries);
}

Result<Job> prepareJitLink(Context::Impl &context, const CompileInput &input,
                           CompileMessages &messages) {
  Job job;
  job.parts.push_back("-arch=" + input.arch);
  return job;
}

Result<Compiled> jitLink(Context::Impl &context, const CompileInput &input,
                         const Job &job, CompileMessages &messages) {
  return runNvJitLink(*context.libraries,
                      {{LinkInput::Kind::PTX, input.text, input.image.file}},
                      job.parts);
}

} // namespace

const Compiler kNvJitLink = {"nvJitLink", getJitLinkVersion, prepareJitLink,
                             jitLink};

} // namespace carousel::runtime
