//===- Compile.cpp - from the images of a package to a cubin --------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Goes through a module's images, best first, and through the compilers for
// each, until a cubin is taken: by the cache's word, or the driver's. Notes on
// the way why the others were not.
//
//===----------------------------------------------------------------------===//

#include "Compile.h"

#include "Capability.h"
#include "Compilers.h"
#include "Fail.h"

#include <algorithm>
#include <functional>
#include <tuple>

namespace carousel::runtime {
namespace {

//===----------------------------------------------------------------------===//
// Chips
//===----------------------------------------------------------------------===//

struct Chip {
  int capability = 0; ///< 10 * major + minor
  /// 'a': features of this chip alone; 'f': of its family; 0: of all later.
  char suffix = 0;
};

std::optional<Chip> parseChip(std::string_view text) {
  if (text.substr(0, 3) != "sm_")
    return std::nullopt;
  text.remove_prefix(3);
  Chip chip;
  if (!text.empty() && (text.back() == 'a' || text.back() == 'f')) {
    chip.suffix = text.back();
    text.remove_suffix(1);
  }
  if (text.size() < 2 || text.size() > 3 || text.front() == '0')
    return std::nullopt;
  for (char digit : text) {
    if (digit < '0' || digit > '9')
      return std::nullopt;
    chip.capability = 10 * chip.capability + (digit - '0');
  }
  return chip;
}

bool runsOn(const Chip &chip, Image::Kind kind, int computeCapability) {
  bool later = computeCapability >= chip.capability;
  bool sameMajor = computeCapability / 10 == chip.capability / 10;
  if (chip.suffix == 'a')
    return computeCapability == chip.capability;
  if (chip.suffix == 'f' || kind == Image::Kind::Cubin)
    return later && sameMajor;
  return later;
}

/// What to compile an image for. The suffix is kept: without it the compiler
/// refuses the features that the image was written for.
std::string getArchitecture(const Image &image, int computeCapability) {
  std::string arch = fmt::format("sm_{}", computeCapability);
  if (char suffix = parseChip(image.chip)->suffix)
    arch += suffix;
  return arch;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

const char *toString(Image::Kind kind) {
  switch (kind) {
  case Image::Kind::Cubin:
    return "cubin";
  case Image::Kind::PTX:
    return "ptx";
  case Image::Kind::CUDA:
    return "cuda";
  }
  return "";
}

/// "sm_90a (cubin, ptx), sm_100a (ptx)".
std::string describeImages(const ModuleInfo &module) {
  std::vector<std::pair<std::string, std::string>> chips;
  for (const Image &image : module.images) {
    auto found = std::find_if(chips.begin(), chips.end(), [&](auto &chip) {
      return chip.first == image.chip;
    });
    if (found == chips.end())
      chips.emplace_back(image.chip, toString(image.kind));
    else
      found->second += fmt::format(", {}", toString(image.kind));
  }
  std::string text;
  for (auto &[chip, kinds] : chips)
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", chip, kinds);
  return text.empty() ? "none" : text;
}

//===----------------------------------------------------------------------===//
// The search
//===----------------------------------------------------------------------===//

/// Takes a cubin. CompileError: not this one; any other error ends the search.
using Accept = std::function<Status(const std::string &cubin)>;

class Search {
public:
  Search(Context::Impl &context, const Package &package, uint32_t module,
         const Accept &accept)
      : context(context), package(package), index(module),
        module(package.getManifest().modules[module]), accept(accept) {}

  Status run();

private:
  /// What became of one image with one compiler.
  enum class Outcome { Accepted, NextImage, NextCompiler };

  Result<Outcome> tryCubin(size_t image);
  Result<Outcome> tryCompiler(size_t image, const Compiler &compiler);
  /// Accepted, NextImage where the cubin was refused, or the error that ends
  /// the search. A refusal is noted as that of `what`, unless it is empty.
  Result<Outcome> offer(const Image &image, const std::string &cubin,
                        std::string_view what);
  void note(const Image &image, std::string_view what, const Error &error);

  Context::Impl &context;
  const Package &package;
  uint32_t index;
  const ModuleInfo &module;
  const Accept &accept;
  std::string failures;
  bool onlyLibrariesMissing = true;
};

Status Search::run() {
  int capability = context.info.computeCapability;
  std::vector<size_t> images = rankImages(module, capability);
  if (images.empty())
    return fail(ErrorCode::CompileError,
                "module '{}' has no image for compute capability {}; it has {}",
                module.name, describeCapability(capability),
                describeImages(module));
  for (size_t image : images) {
    Result<Outcome> outcome = Outcome::NextImage;
    switch (module.images[image].kind) {
    case Image::Kind::Cubin:
      outcome = tryCubin(image);
      break;
    case Image::Kind::PTX:
      outcome = tryCompiler(image, kDriverLinker);
      if (outcome && *outcome == Outcome::NextCompiler)
        outcome = tryCompiler(image, kNvJitLink);
      break;
    case Image::Kind::CUDA:
      outcome = tryCompiler(image, kNVRTC);
      break;
    }
    if (!outcome)
      return tl::make_unexpected(outcome.error());
    if (*outcome == Outcome::Accepted)
      return {};
  }
  return fail(
      onlyLibrariesMissing ? ErrorCode::NoLibrary : ErrorCode::CompileError,
      "module '{}' has no image that works on compute capability {}: {}",
      module.name, describeCapability(capability), failures);
}

Result<Search::Outcome> Search::tryCubin(size_t image) {
  return offer(module.images[image],
               std::string(package.getContents(index, image)),
               "the driver refused it");
}

Result<Search::Outcome> Search::tryCompiler(size_t number,
                                            const Compiler &compiler) {
  const Image &image = module.images[number];
  Result<std::string> version = compiler.getVersion(context);
  if (!version) {
    note(image, fmt::format("{} can't be used", compiler.title),
         version.error());
    return Outcome::NextCompiler;
  }
  std::string arch = getArchitecture(image, context.info.computeCapability);
  std::vector<std::string> options = compiler.getOptions(arch);
  std::string key =
      makeCacheKey(context.info, image, compiler, *version, arch, options);

  if (std::optional<std::string> cached = context.cache.lookup(key)) {
    Result<Outcome> outcome = offer(image, *cached, {});
    if (!outcome || *outcome == Outcome::Accepted)
      return outcome;
    context.cache.remove(key);
  }
  Result<std::string> cubin =
      compiler.compile(context, std::string(package.getContents(index, number)),
                       image.file, options);
  if (!cubin) {
    if (cubin.error().code == ErrorCode::LaunchFailed)
      return tl::make_unexpected(cubin.error());
    note(image, fmt::format("{} failed", compiler.title), cubin.error());
    return cubin.error().code == ErrorCode::CompileError
               ? Outcome::NextImage
               : Outcome::NextCompiler;
  }
  Result<Outcome> outcome = offer(
      image, *cubin,
      fmt::format("the driver refused what {} made of it", compiler.title));
  // Without a cache it only takes longer the next time.
  if (outcome && *outcome == Outcome::Accepted)
    (void)context.cache.store(key, *cubin);
  return outcome;
}

Result<Search::Outcome> Search::offer(const Image &image,
                                      const std::string &cubin,
                                      std::string_view what) {
  Status status = accept(cubin);
  if (status)
    return Outcome::Accepted;
  if (status.error().code != ErrorCode::CompileError)
    return tl::make_unexpected(status.error());
  if (!what.empty())
    note(image, what, status.error());
  return Outcome::NextImage;
}

void Search::note(const Image &image, std::string_view what,
                  const Error &error) {
  failures += fmt::format("{}{}: {}: {}", failures.empty() ? "" : "; ",
                          image.file, what, error.message);
  onlyLibrariesMissing &= error.code == ErrorCode::NoLibrary;
}

/// Whether the driver's word is about the image, so that another may do.
bool refusesImage(CUresult result) {
  switch (result) {
  case CUDA_ERROR_INVALID_IMAGE:
  case CUDA_ERROR_NO_BINARY_FOR_GPU:
  case CUDA_ERROR_INVALID_PTX:
  case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
  case CUDA_ERROR_INVALID_SOURCE:
    return true;
  default:
    return false;
  }
}

} // namespace

bool runsOn(std::string_view chip, Image::Kind kind, int computeCapability) {
  std::optional<Chip> parsed = parseChip(chip);
  return parsed && runsOn(*parsed, kind, computeCapability);
}

std::vector<size_t> rankImages(const ModuleInfo &module,
                               int computeCapability) {
  // The more a chip is like the device, the more its code may use.
  std::vector<std::tuple<Image::Kind, int, int, size_t>> ranked;
  for (size_t i = 0; i < module.images.size(); ++i) {
    const Image &image = module.images[i];
    std::optional<Chip> chip = parseChip(image.chip);
    if (!chip || !runsOn(*chip, image.kind, computeCapability))
      continue;
    int specific = chip->suffix == 'a' ? 2 : chip->suffix == 'f' ? 1 : 0;
    ranked.emplace_back(image.kind, -chip->capability, -specific, i);
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<size_t> indices;
  for (const auto &image : ranked)
    indices.push_back(std::get<size_t>(image));
  return indices;
}

Result<std::string> getCubin(Context::Impl &context, const Package &package,
                             uint32_t module) {
  std::string taken;
  Accept accept = [&](const std::string &cubin) -> Status {
    taken = cubin;
    return {};
  };
  if (Status status = Search(context, package, module, accept).run(); !status)
    return tl::make_unexpected(status.error());
  return taken;
}

Result<CUmodule> loadModule(Context::Impl &context, const Package &package,
                            uint32_t module) {
  CUmodule loaded = nullptr;
  Accept accept = [&](const std::string &cubin) -> Status {
    CurrentContext current(context);
    if (!current.getStatus())
      return current.getStatus();
    CUresult result = context.driver->cuModuleLoadData(&loaded, cubin.c_str());
    Status status = context.check(result, "cuModuleLoadData");
    if (!status && refusesImage(result))
      return fail(ErrorCode::CompileError, "{}", status.error().message);
    return status;
  };
  if (Status status = Search(context, package, module, accept).run(); !status)
    return tl::make_unexpected(status.error());
  return loaded;
}

std::string makeCacheKey(const DeviceInfo &device, const Image &image,
                         const Compiler &compiler, const std::string &version,
                         const std::string &arch,
                         const std::vector<std::string> &options) {
  std::string key = fmt::format(
      "carousel cubin 1\nimage {} {} bytes {}\ncompute capability {}\n"
      "architecture {}\ndriver {}\ncompiler {}, {}\n",
      toString(image.kind), image.bytes, image.hash, device.computeCapability,
      arch, device.driverVersion, compiler.title, version);
  for (const std::string &option : options)
    key += fmt::format("option {}\n", option);
  // Last, as it may hold any character.
  key += fmt::format("file {}\n", image.file);
  return key;
}

std::string condenseLog(std::string_view log) {
  constexpr size_t kMaxBytes = 4096;
  std::string text;
  while (!log.empty() && text.size() <= kMaxBytes) {
    size_t end =
        std::min(log.find_first_of(std::string_view("\n\0", 2)), log.size());
    std::string_view line = log.substr(0, end);
    log.remove_prefix(std::min(end + 1, log.size()));
    while (!line.empty() && static_cast<unsigned char>(line.back()) <= ' ')
      line.remove_suffix(1);
    while (!line.empty() && static_cast<unsigned char>(line.front()) <= ' ')
      line.remove_prefix(1);
    if (line.empty())
      continue;
    text += text.empty() ? "" : " | ";
    for (char c : line)
      text += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  if (text.size() > kMaxBytes) {
    text.resize(kMaxBytes - 3);
    text += "...";
  }
  return text;
}

} // namespace carousel::runtime
