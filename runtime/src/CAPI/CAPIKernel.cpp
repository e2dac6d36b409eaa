//===- CAPIKernel.cpp - kernels and maps of the C interface ---------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See carousel_runtime.h. A launch allocates no memory here either.
//
//===----------------------------------------------------------------------===//

#include "CAPIImpl.h"

#include "Support/ThreadLocal.h"

#include "carousel/Runtime/TensorMap.h"

#include <algorithm>
#include <type_traits>

using namespace carousel::runtime;

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

carousel_status carousel_kernel_get(const carousel_context *context,
                                    const carousel_package *package,
                                    const char *name,
                                    carousel_kernel **kernel) noexcept {
  return make({{context, "context"},
               {package, "package"},
               {name, "name"},
               {kernel, "kernel"}},
              kernel, [&] {
                return Kernel::get(context->context, package->package, name);
              });
}

void carousel_kernel_release(carousel_kernel *kernel) noexcept {
  delete kernel;
}

carousel_status
carousel_kernel_load_all(const carousel_kernel *kernel) noexcept {
  return run({{kernel, "kernel"}}, [&] { return kernel->kernel.loadAll(); });
}

carousel_status carousel_kernel_launch(const carousel_kernel *kernel,
                                       const carousel_argument *arguments,
                                       size_t count,
                                       carousel_stream stream) noexcept {
  return run({{kernel, "kernel"}}, [&]() -> Status {
    CAROUSEL_TRY_ASSIGN(
        const auto *converted,
        convertArguments(kernel->kernel.getInfo(), arguments, count));
    return kernel->kernel.launch(converted, count, stream);
  });
}

carousel_status carousel_kernel_explain(const carousel_kernel *kernel,
                                        const carousel_argument *arguments,
                                        size_t count,
                                        const char **text) noexcept {
  return run({{kernel, "kernel"}, {text, "text"}}, [&]() -> Status {
    CAROUSEL_TRY_ASSIGN(
        const auto *converted,
        convertArguments(kernel->kernel.getInfo(), arguments, count));
    CAROUSEL_TRY_ASSIGN(std::vector<VariantReport> reports,
                        kernel->kernel.explain(converted, count));
    struct Explanation;
    auto &lines = getOfThread<std::string, Explanation>();
    lines.clear();
    for (const VariantReport &variant : reports) {
      lines +=
          variant.function + (variant.accepted ? ": accepted" : ": refused");
      for (const std::string &reason : variant.reasons)
        lines += (&reason == &variant.reasons.front() ? ": " : ", ") + reason;
      if (std::string times = describeTimes(variant);
          variant.accepted && !times.empty())
        lines += ", " + times;
      if (variant.chosen && (variant.predicted || variant.measured))
        lines += fmt::format(", chosen by {}", describeChoice(variant));
      lines += '\n';
    }
    *text = lines.c_str();
    return {};
  });
}

carousel_status carousel_kernel_prepare(const carousel_kernel *kernel,
                                        const char *variant,
                                        const carousel_argument *arguments,
                                        size_t count,
                                        carousel_launch **launch) noexcept {
  return make({{kernel, "kernel"}, {launch, "launch"}}, launch,
              [&]() -> Result<Launch> {
                CAROUSEL_TRY_ASSIGN(const auto *converted,
                                    convertArguments(kernel->kernel.getInfo(),
                                                     arguments, count));
                return variant ? kernel->kernel.prepareVariant(variant,
                                                               converted, count)
                               : kernel->kernel.prepare(converted, count);
              });
}

carousel_status carousel_launch_run(const carousel_launch *launch,
                                    carousel_stream stream) noexcept {
  return run({{launch, "launch"}}, [&] { return launch->launch.run(stream); });
}

carousel_status carousel_launch_variant(const carousel_launch *launch,
                                        const char **function) noexcept {
  return run({{launch, "launch"}, {function, "function"}},
             [&] { *function = launch->launch.getVariant().function.c_str(); });
}

carousel_status carousel_launch_grid(const carousel_launch *launch,
                                     uint32_t grid[3]) noexcept {
  return run({{launch, "launch"}, {grid, "grid"}}, [&] {
    std::array<uint32_t, 3> blocks = launch->launch.getGrid();
    std::copy(blocks.begin(), blocks.end(), grid);
  });
}

void carousel_launch_release(carousel_launch *launch) noexcept {
  delete launch;
}

//===----------------------------------------------------------------------===//
// Tensor maps
//===----------------------------------------------------------------------===//

/// Numbers that an enumeration of bytes holds; which of them mean something is
/// checked with the other rules.
template <typename Enum>
static Status readEnum(int32_t value, const char *what, Enum &to) {
  if (value < 0 || value > UINT8_MAX)
    return fail(ErrorCode::InvalidArgument,
                "format: expected the {} of a tensor map, got {}", what, value);
  to = static_cast<Enum>(value);
  return {};
}

static Result<TensorMapFormat> convert(const carousel_tensor_map_format &from) {
  static_assert(std::extent_v<decltype(from.box)> == kMaxTensorMapRank &&
                std::extent_v<decltype(from.lower)> == kMaxTensorMapRank - 2);
  TensorMapFormat to;
  for (Status status : {readEnum(from.element, "element type", to.element),
                        readEnum(from.mode, "mode", to.mode),
                        readEnum(from.interleave, "interleave", to.interleave),
                        readEnum(from.swizzle, "swizzle", to.swizzle),
                        readEnum(from.promotion, "promotion", to.promotion),
                        readEnum(from.fill, "fill", to.fill)})
    CAROUSEL_TRY(status);
  if (from.rank < 1 || from.rank > kMaxTensorMapRank)
    return fail(ErrorCode::InvalidArgument,
                "format: expected a rank of 1 to {}, got {}", kMaxTensorMapRank,
                from.rank);
  bool tile = to.mode == TensorMapFormat::Mode::Tile;
  bool im2col = to.mode == TensorMapFormat::Mode::Im2Col;
  uint32_t corners = tile ? 0 : !im2col ? 1 : std::max(from.rank, 2u) - 2;
  to.rank = static_cast<uint8_t>(from.rank);
  to.box.assign(from.box, from.box + (tile ? from.rank : 2));
  to.elementStrides.assign(from.element_strides,
                           from.element_strides + from.rank);
  to.lower.assign(from.lower, from.lower + corners);
  to.upper.assign(from.upper, from.upper + corners);
  return to;
}

carousel_status
carousel_tensor_map_encode(const carousel_context *context,
                           const carousel_tensor_map_format *format,
                           const carousel_tensor_map_source *source,
                           const char *name, void *map) noexcept {
  return run(
      {{context, "context"},
       {format, "format"},
       {source, "source"},
       {map, "map"}},
      [&]() -> Status {
        carousel_tensor_map_format givenFormat = {};
        carousel_tensor_map_source givenSource = {};
        CAROUSEL_TRY(readStruct(format, "format", givenFormat));
        CAROUSEL_TRY(readStruct(source, "source", givenSource));
        CAROUSEL_TRY_ASSIGN(TensorMapFormat converted, convert(givenFormat));

        TensorMapSource from;
        from.address = givenSource.address;
        from.rank = converted.rank;
        std::copy_n(givenSource.extents, from.rank, from.extents.begin());
        std::copy_n(givenSource.strides, from.rank - 1, from.strides.begin());
        CAROUSEL_TRY_ASSIGN(TensorMap encoded,
                            TensorMap::encode(context->context, converted, from,
                                              name ? name : "tensor"));
        std::memcpy(map, encoded.words.data(), sizeof(encoded.words));
        return {};
      });
}
