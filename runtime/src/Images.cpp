//===- Images.cpp - which image of a module runs where --------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Images.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <tuple>

namespace carousel::runtime {

namespace {
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

/// Cubins of a package were made of its PTX.
bool isOf(Image::Kind kind, LoadOptions::Via via) {
  return via == LoadOptions::Via::Any ||
         (kind == Image::Kind::CUDA) == (via == LoadOptions::Via::CUDA);
}
} // namespace

bool isChip(std::string_view text) { return parseChip(text).has_value(); }

std::string getChip(int computeCapability) {
  constexpr int kLeastWithFeatures = 90;
  return fmt::format("sm_{}{}", computeCapability,
                     computeCapability >= kLeastWithFeatures ? "a" : "");
}

std::string getArchitecture(const Image &image, int computeCapability) {
  std::string arch = fmt::format("sm_{}", computeCapability);
  if (char suffix = parseChip(image.chip)->suffix)
    arch += suffix;
  return arch;
}

bool runsOn(std::string_view chip, Image::Kind kind, int computeCapability) {
  std::optional<Chip> parsed = parseChip(chip);
  return parsed && runsOn(*parsed, kind, computeCapability);
}

std::vector<size_t> rankImages(const ModuleInfo &module, int computeCapability,
                               LoadOptions::Via via,
                               std::string_view function) {
  // The more a chip is like the device, the more its code may use.
  std::vector<std::tuple<Image::Kind, int, int, size_t>> ranked;
  for (size_t i = 0; i < module.images.size(); ++i) {
    const Image &image = module.images[i];
    std::optional<Chip> chip = parseChip(image.chip);
    bool holds = image.function.empty() || function.empty() ||
                 image.function == function;
    if (!holds || !isOf(image.kind, via) || !chip ||
        !runsOn(*chip, image.kind, computeCapability))
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

bool hasImages(const ModuleInfo &module, LoadOptions::Via via) {
  return std::any_of(module.images.begin(), module.images.end(),
                     [&](const Image &image) { return isOf(image.kind, via); });
}

std::string describeImages(const ModuleInfo &module) {
  std::vector<std::pair<std::string, std::string>> chips;
  for (const Image &image : module.images) {
    auto found = std::find_if(chips.begin(), chips.end(), [&](auto &chip) {
      return chip.first == image.chip;
    });
    std::string_view kind = toString(image.kind);
    if (found == chips.end())
      chips.emplace_back(image.chip, kind);
    else if (found->second.find(kind) == std::string::npos)
      found->second += fmt::format(", {}", toString(image.kind));
  }
  std::string text;
  for (auto &[chip, kinds] : chips)
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", chip, kinds);
  return text.empty() ? "none" : text;
}

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

const char *toString(LoadOptions::Via via) {
  switch (via) {
  case LoadOptions::Via::Any:
    return "any code";
  case LoadOptions::Via::PTX:
    return "PTX";
  case LoadOptions::Via::CUDA:
    return "CUDA C++";
  }
  return "";
}

} // namespace carousel::runtime
