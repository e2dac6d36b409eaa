//===- Images.cpp - chooses images of a module for a device ---------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Images.h"

#include "carousel/Runtime/Fail.h"

#include <algorithm>
#include <optional>
#include <set>
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

/// "sm_90a (cubin, ptx), sm_100a (ptx)", chips in the order of the images.
static std::string describeImages(const ModuleInfo &module) {
  std::map<std::string_view, size_t> numbers;
  std::vector<std::pair<std::string_view, std::set<Image::Kind>>> chips;
  for (const Image &image : module.images) {
    auto [number, isNew] = numbers.emplace(image.chip, chips.size());
    if (isNew)
      chips.push_back({image.chip, {}});
    chips[number->second].second.insert(image.kind);
  }
  if (chips.empty())
    return "none";
  return join(chips, ", ", [](const auto &chip) {
    return fmt::format("{} ({})", chip.first,
                       join(chip.second, ", ",
                            [](Image::Kind kind) { return toString(kind); }));
  });
}

ModuleImages::ModuleImages(const ModuleInfo &module, int computeCapability,
                           LoadOptions::Via via)
    : description(describeImages(module)) {
  // The more a chip is like the device, the more its code may use.
  std::vector<std::tuple<Image::Kind, int, int, size_t>> usable;
  for (size_t i = 0; i < module.images.size(); ++i) {
    const Image &image = module.images[i];
    if (!isOf(image.kind, via))
      continue;
    any = true;
    std::optional<Chip> chip = parseChip(image.chip);
    if (!chip || !runsOn(*chip, image.kind, computeCapability))
      continue;
    int specific = chip->suffix == 'a' ? 2 : chip->suffix == 'f' ? 1 : 0;
    usable.emplace_back(image.kind, -chip->capability, -specific, i);
  }
  std::sort(usable.begin(), usable.end());
  for (const auto &image : usable) {
    const std::string &function =
        module.images[std::get<size_t>(image)].function;
    Places &places = function.empty() ? whole : single[function];
    places.push_back(ranked.size());
    ranked.push_back(std::get<size_t>(image));
  }
}

std::vector<size_t> ModuleImages::rank(std::string_view function) const {
  if (function.empty())
    return ranked;
  Places places = whole;
  if (auto own = single.find(function); own != single.end()) {
    places.insert(places.end(), own->second.begin(), own->second.end());
    std::sort(places.begin(), places.end());
  }
  for (size_t &place : places)
    place = ranked[place];
  return places;
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
