//===- ManifestFuzzer.cpp - arbitrary bytes as a manifest -----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads arbitrary bytes as a manifest. A refusal must give the reason on one
// line. An accepted manifest is evaluated and printed with exactly the
// arguments that it states, so that the sanitizers detect an index that is out
// of range.
//
//===----------------------------------------------------------------------===//

#include "Bind/Evaluate.h"

#include <cstdio>
#include <cstdlib>

using namespace carousel::runtime;

namespace {
[[noreturn]] void fail(const char *what, const std::string &text) {
  fprintf(stderr, "%s: '%s'\n", what, text.c_str());
  abort();
}

void checkLine(const std::string &text) {
  if (text.empty())
    fail("expected a text, got none", text);
  for (unsigned char c : text)
    if (c < 0x20 || c == 0x7f)
      fail("expected no control characters", text);
}

void exercise(const Expression &expression, const KernelInfo &kernel,
              const Environment &environment) {
  checkLine(toString(expression, kernel));
  if (expression.nodes.empty() || expression.nodes.size() > kMaxExpressionNodes)
    fail("expected operators and operands within the limit",
         std::to_string(expression.nodes.size()));
  if (!evaluate(expression, environment))
    checkLine(explainNoValue(expression, kernel, environment));
}

void exercise(const Guard &guard, const KernelInfo &kernel,
              const Environment &environment) {
  checkLine(toString(guard, kernel));
  if (!holds(guard, environment))
    checkLine(explainFailure(guard, kernel, environment));
}

void exercise(const VariantInfo &variant, const KernelInfo &kernel,
              const Environment &environment) {
  for (const Guard &guard : variant.guards)
    exercise(guard, kernel, environment);
  for (const Expression &expression : variant.grid)
    exercise(expression, kernel, environment);
  if (variant.cost)
    exercise(*variant.cost, kernel, environment);
  for (const TensorMapInfo &map : variant.tensorMaps) {
    if (map.extents.size() != map.format.rank ||
        map.strides.size() + 1 != map.format.rank ||
        map.format.elementStrides.size() != map.format.rank)
      fail("expected lists of the map's rank", kernel.name);
    for (const Expression &extent : map.extents)
      exercise(extent, kernel, environment);
    for (const Expression &stride : map.strides)
      exercise(stride, kernel, environment);
    exercise(map.offset, kernel, environment);
  }
  for (const Parameter &parameter : variant.parameters) {
    size_t count = parameter.kind == Parameter::Kind::TensorMap
                       ? variant.tensorMaps.size()
                       : kernel.arguments.size();
    if (parameter.argument >= count)
      fail("expected a parameter of an argument", kernel.name);
  }
}

void exercise(const Manifest &manifest) {
  for (const KernelInfo &kernel : manifest.kernels) {
    if (manifest.find(kernel.name) != &kernel)
      fail("expected kernels of different names", kernel.name);
    for (const ArgumentInfo &argument : kernel.arguments)
      checkLine(toString(argument));
    for (const TunedInfo &tuned : kernel.tuned) {
      checkLine(tuned.device);
      if (tuned.values.size() != kernel.getTunedValues().size())
        fail("expected all values of a tuned entry", kernel.name);
      for (const TunedInfo::Time &time : tuned.times)
        if (time.variant >= kernel.variants.size() || time.nanoseconds < 0)
          fail("expected the time of a variant", kernel.name);
    }
    for (int64_t value : {int64_t(0), int64_t(4096), INT64_MAX, INT64_MIN}) {
      BoundArgument bound;
      bound.data = static_cast<uint64_t>(value) + 4;
      bound.scalar = value;
      for (int64_t &extent : bound.extents)
        extent = value;
      for (int64_t &stride : bound.strides)
        stride = value / 2;
      std::vector<BoundArgument> arguments(kernel.arguments.size(), bound);
      Environment environment{arguments.data(), 132, 90};
      for (const VariantInfo &variant : kernel.variants) {
        if (variant.module >= manifest.modules.size())
          fail("expected a module", variant.function);
        exercise(variant, kernel, environment);
      }
    }
  }
}
} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Result<Manifest> manifest =
      parseManifest({reinterpret_cast<const char *>(data), size});
  if (manifest) {
    exercise(*manifest);
    return 0;
  }
  checkLine(manifest.error().message);
  if (manifest.error().code != ErrorCode::InvalidPackage &&
      manifest.error().code != ErrorCode::UnsupportedVersion)
    fail("expected an error of the package", manifest.error().message);
  return 0;
}
