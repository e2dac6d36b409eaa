//===- PackageDescription.cpp - a manifest as MLIR ------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See PackageDescription.h. The attributes are those of docs/Package.md, and
// the parser of the dialect checks them.
//
//===----------------------------------------------------------------------===//

#include "PackageDescription.h"

#include "ArgumentText.h"
#include "ProgramDescription.h"

#include "carousel/Runtime/Fail.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

#include <fmt/format.h>

using namespace carousel;
using namespace carousel::simtool;
using runtime::ArgumentInfo;
using runtime::Expression;
using runtime::Guard;
using runtime::KernelInfo;
using runtime::TensorMapFormat;
using runtime::TensorMapInfo;
using runtime::VariantInfo;

//===----------------------------------------------------------------------===//
// Guards
//===----------------------------------------------------------------------===//

static std::string joinNumbers(const std::vector<int64_t> &numbers) {
  return joinText(numbers, [](int64_t n) { return std::to_string(n); });
}

static std::string toText(const Guard &guard) {
  switch (guard.kind) {
  case Guard::Kind::Capability:
    return guard.most == INT64_MAX
               ? fmt::format("capability({})", guard.least)
               : fmt::format("capability({}, {})", guard.least, guard.most);
  case Guard::Kind::Aligned:
    return fmt::format("aligned({}, {})", guard.argument, guard.least);
  case Guard::Kind::Divisible:
    return fmt::format("divisible({}, {})", toText(guard.value), guard.least);
  case Guard::Kind::Range:
    return fmt::format("range({}, {}, {})", toText(guard.value), guard.least,
                       guard.most);
  case Guard::Kind::Equal:
    return fmt::format("equal({}, {})", toText(guard.value),
                       toText(guard.other));
  }
  return "";
}

/// The extents of a workspace that the kernel takes as parameters; those of a
/// tensor are in its description.
static std::vector<bool> findPassed(const VariantInfo &variant,
                                    const ArgumentInfo &argument,
                                    size_t number) {
  std::vector<bool> passed(argument.workspaceExtents.size());
  for (const runtime::Parameter &parameter : variant.parameters)
    if (parameter.kind == runtime::Parameter::Kind::Extent &&
        parameter.argument == number && parameter.dim < passed.size())
      passed[parameter.dim] = true;
  return passed;
}

//===----------------------------------------------------------------------===//
// Tensor maps
//===----------------------------------------------------------------------===//

static const char *toText(TensorMapFormat::Element element) {
  static constexpr const char *kNames[] = {
      "u8",       "u16",   "u32",       "s32",      "u64",     "s64",
      "f16",      "f32",   "f64",       "bf16",     "f32_ftz", "tf32",
      "tf32_ftz", "b4x16", "b4x16_p64", "b6x16_p32"};
  return kNames[size_t(element)];
}

static std::string getType(const TensorMapFormat &format) {
  std::string text = "!carousel.tensor_map<";
  for (int64_t extent : format.box)
    text += std::to_string(extent) + "x";
  text += toText(format.element);
  auto option = [&](const char *name, size_t value,
                    llvm::ArrayRef<const char *> names) {
    if (value != 0)
      text += fmt::format(", {} = {}", name, names[value - 1]);
  };
  option("swizzle", size_t(format.swizzle),
         {"b32", "b64", "b128", "b128_atom_32b", "b128_atom_32b_flip_8b",
          "b128_atom_64b"});
  option("interleave", size_t(format.interleave), {"b16", "b32"});
  option("promotion", size_t(format.promotion), {"b64", "b128", "b256"});
  option("fill", size_t(format.fill), {"nan"});
  if (llvm::any_of(format.elementStrides, [](int64_t s) { return s != 1; }))
    text += fmt::format(", strides = [{}]", joinNumbers(format.elementStrides));
  option("mode", size_t(format.mode), {"im2col", "im2col_w", "im2col_w_128"});
  if (format.mode != TensorMapFormat::Mode::Tile)
    text += fmt::format(", rank = {}, lower = [{}], upper = [{}]", format.rank,
                        joinNumbers(format.lower), joinNumbers(format.upper));
  return text + ">";
}

static std::string getEncoding(const TensorMapInfo &map) {
  auto print = [](const Expression &expression) { return toText(expression); };
  return fmt::format(
      "carousel.encode = #carousel.encode<argument = {}, extents "
      "= [{}]{}, offset = {}>",
      map.argument, joinText(map.extents, print),
      map.strides.empty()
          ? ""
          : fmt::format(", strides = [{}]", joinText(map.strides, print)),
      toText(map.offset));
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Arguments and tensor maps, in the order of the parameters.
static std::string getParameters(const KernelInfo &kernel,
                                 const VariantInfo &variant) {
  using Kind = runtime::Parameter::Kind;
  std::string text;
  auto add = [&](const std::string &type, const std::string &attributes) {
    text += fmt::format("{}\n    %{}: {} {{{}}}", text.empty() ? "" : ",",
                        std::count(text.begin(), text.end(), '\n'), type,
                        attributes);
  };
  for (const runtime::Parameter &parameter : variant.parameters) {
    if (parameter.kind == Kind::TensorMap) {
      const TensorMapInfo &map = variant.tensorMaps[parameter.argument];
      add(getType(map.format), getEncoding(map));
    } else if (parameter.kind == Kind::Pointer ||
               parameter.kind == Kind::Scalar) {
      const ArgumentInfo &argument = kernel.arguments[parameter.argument];
      std::vector<bool> passed =
          findPassed(variant, argument, parameter.argument);
      add(getArgumentType(argument, passed),
          getArgumentAttributes(argument, passed));
    }
  }
  return text;
}

static std::string describeVariant(const KernelInfo &kernel,
                                   const VariantInfo &variant) {
  auto list = [](const std::array<uint32_t, 3> &extents) {
    return joinText(extents, [](uint32_t n) { return std::to_string(n); });
  };
  auto print = [](const auto &value) { return toText(value); };
  std::string attributes = fmt::format(
      "carousel.launch = #carousel.launch<grid = [{}], block = [{}], cluster = "
      "[{}], shared = {}>,\n      carousel.variant = #carousel.variant<kernel "
      "= {}, guards = [{}]{}>{}",
      joinText(variant.grid, print), list(variant.block), list(variant.cluster),
      variant.dynamicShared, quote(kernel.name),
      joinText(variant.guards, print),
      variant.cost ? ", cost = " + toText(*variant.cost) : "",
      variant.cooperative ? ", carousel.coresident" : "");
  return fmt::format("  gpu.func @{}({}) kernel\n    attributes {{{}}} {{\n"
                     "    gpu.return\n  }}\n",
                     quote(variant.function), getParameters(kernel, variant),
                     attributes);
}

std::string simtool::describePackage(const runtime::Manifest &manifest,
                                     std::string_view chip,
                                     uint32_t multiprocessors) {
  std::string text;
  for (const runtime::ModuleInfo &module : manifest.modules) {
    std::string kernels;
    unsigned indexBits = 64;
    for (const KernelInfo &kernel : manifest.kernels)
      for (const VariantInfo &variant : kernel.variants) {
        bool isForChip = llvm::is_contained(variant.chips, std::string(chip));
        if (&manifest.modules[variant.module] != &module || !isForChip)
          continue;
        kernels += describeVariant(kernel, variant);
        indexBits = variant.indexBits;
      }
    if (!kernels.empty())
      text += fmt::format("gpu.module @{} attributes {{dlti.dl_spec = "
                          "#dlti.dl_spec<index = {} : i32>}} {{\n{}}}\n",
                          quote(module.name), indexBits, kernels);
  }
  for (const runtime::ProgramInfo &program : manifest.programs)
    text += describeProgram(manifest, program, chip, multiprocessors);
  return text;
}
