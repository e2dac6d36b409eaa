//===- BindTest.cpp - checks of arguments against a signature -------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arguments that fit a signature, with the result, and every way not to fit.
//
//===----------------------------------------------------------------------===//

#include "Bind/Bind.h"

#include "gtest/gtest.h"

using namespace carousel::runtime;

namespace {
constexpr int64_t kDynamic = ArgumentInfo::kDynamic;
constexpr int64_t kBig = int64_t(1) << 31;

ArgumentInfo tensor(std::string name, std::vector<int64_t> extents,
                    std::optional<std::vector<int64_t>> strides = {},
                    ElementType element = ElementType::F32) {
  ArgumentInfo info;
  info.name = std::move(name);
  info.element = element;
  info.extents = std::move(extents);
  info.contiguous = !strides;
  if (strides)
    info.strides = *strides;
  return info;
}

ArgumentInfo scalar(std::string name, ElementType element) {
  ArgumentInfo info;
  info.name = std::move(name);
  info.kind = ArgumentInfo::Kind::Scalar;
  info.access = ArgumentInfo::Access::In;
  info.element = element;
  return info;
}

KernelInfo makeKernel(std::vector<ArgumentInfo> arguments) {
  KernelInfo kernel;
  kernel.name = "k";
  kernel.arguments = std::move(arguments);
  return kernel;
}

/// A tensor argument that owns its lists.
struct Tensor {
  std::vector<int64_t> extents, strides;
  uint64_t data = 0x1000;
  ElementType element = ElementType::F32;
  Argument get() const {
    return Argument::tensor(element, data, uint32_t(extents.size()),
                            extents.data(),
                            strides.empty() ? nullptr : strides.data());
  }
};

/// Binds to a kernel with one argument.
Result<BoundArgument> bind(const ArgumentInfo &info, const Argument &argument) {
  BoundArgument bound;
  if (Status status = bindArguments(makeKernel({info}), &argument, 1, &bound);
      !status)
    return tl::make_unexpected(status.error());
  return bound;
}

void expectError(const ArgumentInfo &info, const Argument &argument,
                 const std::string &message) {
  Result<BoundArgument> bound = bind(info, argument);
  ASSERT_FALSE(bound) << message;
  EXPECT_EQ(bound.error().code, ErrorCode::InvalidArgument);
  EXPECT_EQ(bound.error().message, message);
}

//===----------------------------------------------------------------------===//
// The list
//===----------------------------------------------------------------------===//

TEST(Bind, Count) {
  KernelInfo kernel = makeKernel({tensor("x", {}), tensor("y", {})});
  BoundArgument bound[2];
  Argument argument = Tensor{}.get();
  Status status = bindArguments(kernel, &argument, 1, bound);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "expected 2 arguments (x, y), got 1");
  status = bindArguments(makeKernel({tensor("x", {})}), &argument, 0, bound);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "expected 1 argument (x), got 0");
  status = bindArguments(makeKernel({}), &argument, 3, bound);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "expected 0 arguments, got 3");
  EXPECT_TRUE(bindArguments(makeKernel({}), nullptr, 0, bound));
}

TEST(Bind, NullList) {
  BoundArgument bound;
  Status status =
      bindArguments(makeKernel({tensor("x", {})}), nullptr, 1, &bound);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "expected arguments, got null");
}

TEST(Bind, KindAndType) {
  expectError(tensor("x", {}), Argument::index(3),
              "x: expected a tensor, got a scalar");
  expectError(scalar("n", ElementType::Index), Tensor{}.get(),
              "n: expected a scalar, got a tensor");
  Argument argument = Tensor{}.get();
  argument.kind = static_cast<Argument::Kind>(77);
  expectError(tensor("x", {}), argument,
              "x: expected a tensor, got an unknown kind");
  argument = Tensor{{}, {}, 0x1000, ElementType::BF16}.get();
  expectError(tensor("x", {}), argument,
              "x: expected elements of type f32, got bf16");
  argument.element = static_cast<ElementType>(77);
  expectError(tensor("x", {}), argument,
              "x: expected elements of type f32, got an unknown type");
  expectError(scalar("n", ElementType::Index),
              Argument::scalar(ElementType::I64, 1),
              "n: expected index, got i64");
}

TEST(Bind, ManyNames) {
  std::vector<ArgumentInfo> arguments;
  for (int i = 0; i < 20000; ++i)
    arguments.push_back(tensor("x" + std::to_string(i), {}));
  BoundArgument bound;
  Status status = bindArguments(makeKernel(arguments), nullptr, 1, &bound);
  ASSERT_FALSE(status);
  EXPECT_LE(status.error().message.size(), kMaxMessageBytes);
  EXPECT_NE(status.error().message.find(" more), got 1"), std::string::npos)
      << status.error().message;
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

TEST(Bind, EndOfTheAddressSpace) {
  ArgumentInfo info = tensor("x", {kDynamic}, {}, ElementType::I8);
  auto at = [](uint64_t data, int64_t extent) {
    return Tensor{{extent}, {}, data, ElementType::I8};
  };
  EXPECT_TRUE(bind(info, at(UINT64_MAX - 15, 16).get()));
  expectError(info, at(UINT64_MAX - 15, 17).get(),
              "x: expected a tensor that ends below 2^64, got 17 bytes at "
              "0xfffffffffffffff0");
  // Strides count, and of an empty tensor nothing does.
  ArgumentInfo strided =
      tensor("x", {kDynamic, 2}, std::vector<int64_t>{kDynamic, 1});
  Tensor rows{{2, 2}, {int64_t(1) << 60, 1}, uint64_t(0xc) << 60};
  expectError(strided, rows.get(),
              "x: expected a tensor that ends below 2^64, got "
              "4611686018427387912 bytes at 0xc000000000000000");
  rows.extents = {0, 2};
  EXPECT_TRUE(bind(strided, rows.get()));
}

/// Strides that no access depends on count as 0, or become 0.
TEST(Bind, LooseStrides) {
  ArgumentInfo strided =
      tensor("x", {kDynamic, kDynamic}, std::vector<int64_t>{kDynamic, 1});
  KernelInfo kernel = makeKernel({scalar("n", ElementType::Index), strided});
  auto strides = [&](Tensor given) {
    Argument arguments[] = {Argument::index(1), given.get()};
    BoundArgument bound[2];
    bound[0].loose = 0xff; // nobody sets it
    EXPECT_TRUE(bindArguments(kernel, arguments, 2, bound));
    EXPECT_EQ(bound[1].getStride(0, /*loosens=*/false), bound[1].strides[0]);
    int64_t loose = bound[1].getStride(0, /*loosens=*/true);
    bool any = hasLooseStrides(kernel, bound);
    useLooseStrides(kernel, bound);
    EXPECT_EQ(bound[1].strides[0], loose);
    EXPECT_EQ(bound[1].strides[1], 1);
    return std::pair(any, loose);
  };
  EXPECT_EQ(strides({{1, 7}, {1001, 1}}), std::pair(true, int64_t(0)));
  EXPECT_EQ(strides({{0, 7}, {1001, 1}}), std::pair(true, int64_t(0)));
  EXPECT_EQ(strides({{2, 7}, {1001, 1}}), std::pair(false, int64_t(1001)));
  EXPECT_EQ(strides({{1, 7}, {0, 1}}), std::pair(false, int64_t(0)));
  // A contiguous tensor's follow from its extents.
  kernel.arguments[1] = tensor("x", {kDynamic, kDynamic});
  EXPECT_EQ(strides({{1, 7}, {}}), std::pair(false, int64_t(7)));
}

TEST(Bind, Contiguous) {
  ArgumentInfo info = tensor("x", {kDynamic, 3, kDynamic});
  for (std::vector<int64_t> strides :
       {std::vector<int64_t>{}, std::vector<int64_t>{15, 5, 1}}) {
    Result<BoundArgument> bound =
        bind(info, Tensor{{2, 3, 5}, strides, 0x2000}.get());
    ASSERT_TRUE(bound) << bound.error().message;
    EXPECT_EQ(bound->data, 0x2000u);
    EXPECT_EQ(bound->extents[0], 2);
    EXPECT_EQ(bound->extents[2], 5);
    EXPECT_EQ(bound->strides[0], 15);
    EXPECT_EQ(bound->strides[1], 5);
    EXPECT_EQ(bound->strides[2], 1);
  }
  expectError(info, Tensor{{2, 3, 5}, {15, 6, 1}}.get(),
              "x: expected the stride of a contiguous tensor, 5 in dimension "
              "1, got 6");
}

TEST(Bind, StridesThatNoAccessDependsOn) {
  ArgumentInfo info = tensor("x", {kDynamic, kDynamic});
  Result<BoundArgument> bound = bind(info, Tensor{{1, 5}, {77, 1}}.get());
  ASSERT_TRUE(bound) << bound.error().message;
  EXPECT_EQ(bound->strides[0], 5);
  EXPECT_TRUE(bind(info, Tensor{{2, 0}, {77, 99}}.get()));
  EXPECT_TRUE(bind(tensor("x", {kDynamic, kDynamic}, {{64, 1}}),
                   Tensor{{1, 5}, {7, 1}}.get()));
  EXPECT_FALSE(bind(info, Tensor{{2, 5}, {77, 1}}.get()));
}

TEST(Bind, Rank) {
  ArgumentInfo info = tensor("x", {kDynamic, kDynamic});
  expectError(info, Tensor{{1, 2, 3}, {}}.get(),
              "x: expected 2 dimensions, got 3");
  expectError(tensor("x", {kDynamic}), Tensor{{}, {}}.get(),
              "x: expected 1 dimension, got 0");
  Argument argument = Tensor{{1, 2}, {}}.get();
  argument.extents = nullptr;
  expectError(info, argument, "x: expected extents, got null");
  argument.rank = UINT32_MAX;
  expectError(info, argument, "x: expected 2 dimensions, got 4294967295");
}

TEST(Bind, Extents) {
  ArgumentInfo info = tensor("x", {kDynamic, 64});
  expectError(info, Tensor{{-1, 64}, {}}.get(),
              "x: expected extents that are not negative, got -1 in dimension "
              "0");
  expectError(info, Tensor{{INT64_MIN, 64}, {}}.get(),
              "x: expected extents that are not negative, got "
              "-9223372036854775808 in dimension 0");
  expectError(info, Tensor{{5, 32}, {}}.get(),
              "x: expected the extent 64 in dimension 1, got 32");
  EXPECT_TRUE(bind(info, Tensor{{5, 64}, {}}.get()));
}

TEST(Bind, Strides) {
  ArgumentInfo info = tensor("x", {kDynamic, kDynamic}, {{kDynamic, 1}});
  Result<BoundArgument> bound = bind(info, Tensor{{4, 8}, {100, 1}}.get());
  ASSERT_TRUE(bound);
  EXPECT_EQ(bound->strides[0], 100);
  bound = bind(info, Tensor{{4, 8}, {}}.get());
  ASSERT_TRUE(bound);
  EXPECT_EQ(bound->strides[0], 8);
  expectError(info, Tensor{{4, 8}, {-100, 1}}.get(),
              "x: expected strides that are not negative, got -100 in "
              "dimension 0");
  // No element is that far from the first one.
  EXPECT_TRUE(bind(info, Tensor{{1, 8}, {-100, 1}}.get()));
  EXPECT_TRUE(bind(info, Tensor{{4, 0}, {-100, 1}}.get()));
  EXPECT_TRUE(bind(info, Tensor{{4, 8}, {0, 1}}.get()));
  expectError(info, Tensor{{4, 8}, {100, 2}}.get(),
              "x: expected the stride 1 in dimension 1, got 2");
  expectError(tensor("x", {4, 8}, {{16, 1}}), Tensor{{4, 8}, {}}.get(),
              "x: expected the stride 16 in dimension 0, got 8");
}

TEST(Bind, Sizes) {
  ArgumentInfo info = tensor("x", {kDynamic, kDynamic});
  int64_t half = int64_t(1) << 32;
  expectError(info, Tensor{{half, half}, {}}.get(),
              "x: expected a size in bytes below 2^63, got "
              "4294967296x4294967296 of f32");
  // 2^62 elements are counted, their bytes are not.
  expectError(info, Tensor{{half, half / 4}, {}}.get(),
              "x: expected a size in bytes below 2^63, got "
              "4294967296x1073741824 of f32");
  EXPECT_TRUE(bind(info, Tensor{{half, half / 16}, {}}.get()));
  // An empty tensor has no bytes, but strides that expressions see.
  expectError(tensor("x", {kDynamic, kDynamic, kDynamic}),
              Tensor{{0, INT64_MAX, 2}, {}}.get(),
              "x: expected a size in bytes below 2^63, got "
              "0x9223372036854775807x2 of f32");
  ArgumentInfo strided = tensor("x", {kDynamic, kDynamic}, {{kDynamic, 1}});
  expectError(strided, Tensor{{half, half}, {}}.get(),
              "x: expected a size in bytes below 2^63, got "
              "4294967296x4294967296 of f32");
  expectError(strided, Tensor{{3, 8}, {INT64_MAX / 2, 1}}.get(),
              "x: expected a size in bytes below 2^63, got 3x8 of f32");
  expectError(strided, Tensor{{4, 8}, {INT64_MAX / 2, 1}}.get(),
              "x: expected a size in bytes below 2^63, got 4x8 of f32");
  expectError(strided, Tensor{{2, 8}, {INT64_MAX, 1}}.get(),
              "x: expected a size in bytes below 2^63, got 2x8 of f32");
}

/// More elements than 64 bits count, all within a few bytes.
TEST(Bind, Broadcast) {
  int64_t half = int64_t(1) << 32;
  Tensor broadcast{{half, half, 8}, {0, 0, 1}};
  std::vector<int64_t> anyStrides(3, kDynamic), anyExtents(3, kDynamic);
  Result<BoundArgument> bound =
      bind(tensor("x", anyExtents, anyStrides), broadcast.get());
  ASSERT_TRUE(bound) << bound.error().message;
  EXPECT_EQ(bound->strides[0], 0);
  EXPECT_EQ(bound->strides[1], 0);
  EXPECT_EQ(bound->strides[2], 1);
  EXPECT_TRUE(bind(tensor("x", anyExtents, {{0, 0, 1}}), broadcast.get()));
  expectError(tensor("x", anyExtents), broadcast.get(),
              "x: expected a size in bytes below 2^63, got "
              "4294967296x4294967296x8 of f32");
}

TEST(Bind, Addresses) {
  ArgumentInfo info = tensor("x", {kDynamic});
  expectError(info, Tensor{{5}, {}, 0}.get(),
              "x: expected a device address, got null");
  EXPECT_TRUE(bind(info, Tensor{{0}, {}, 0}.get()));
  expectError(tensor("x", {}), Tensor{{}, {}, 0}.get(),
              "x: expected a device address, got null");
  expectError(info, Tensor{{5}, {}, 0x1002}.get(),
              "x: expected an address at a multiple of 4 bytes, the size of "
              "f32, got 0x1002");
  EXPECT_TRUE(bind(tensor("x", {kDynamic}, {}, ElementType::F8E5M2),
                   Tensor{{5}, {}, 0x1003, ElementType::F8E5M2}.get()));
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

TEST(Bind, Integers) {
  auto value = [](ElementType element, int64_t from) {
    Result<BoundArgument> bound =
        bind(scalar("n", element), Argument::scalar(element, uint64_t(from)));
    EXPECT_TRUE(bound) << bound.error().message;
    return bound ? bound->scalar : INT64_MIN;
  };
  EXPECT_EQ(value(ElementType::I8, -128), -128);
  EXPECT_EQ(value(ElementType::I8, 127), 127);
  EXPECT_EQ(value(ElementType::I8, 255), -1);
  EXPECT_EQ(value(ElementType::I16, 0x8000), -0x8000);
  EXPECT_EQ(value(ElementType::I32, 3000000000), -1294967296);
  EXPECT_EQ(value(ElementType::I64, INT64_MIN), INT64_MIN);
  EXPECT_EQ(value(ElementType::Index, -5), -5);
  EXPECT_EQ(value(ElementType::I1, 1), 1);

  auto expectRange = [](ElementType element, int64_t from,
                        const std::string &message) {
    expectError(scalar("n", element), Argument::scalar(element, uint64_t(from)),
                "n: " + message);
  };
  expectRange(ElementType::I1, 2, "expected 0 or 1, got 2");
  expectRange(ElementType::I1, -1, "expected 0 or 1, got -1");
  expectRange(ElementType::I8, 256, "expected an i8 (-128 to 255), got 256");
  expectRange(ElementType::I8, -129, "expected an i8 (-128 to 255), got -129");
  expectRange(ElementType::I16, 65536,
              "expected an i16 (-32768 to 65535), got 65536");
  expectRange(ElementType::I32, int64_t(1) << 32,
              "expected an i32 (-2147483648 to 4294967295), got 4294967296");
}

TEST(Bind, OtherScalarsAreBits) {
  for (ElementType element :
       {ElementType::F16, ElementType::BF16, ElementType::F32, ElementType::F64,
        ElementType::F8E4M3FN}) {
    Result<BoundArgument> bound = bind(
        scalar("a", element), Argument::scalar(element, 0xfedcba9876543210));
    ASSERT_TRUE(bound);
    EXPECT_EQ(uint64_t(bound->scalar), 0xfedcba9876543210);
  }
}

//===----------------------------------------------------------------------===//
// 32-bit indices
//===----------------------------------------------------------------------===//

/// Empty where all fits; both functions agree.
std::string explain(const KernelInfo &kernel,
                    const std::vector<Argument> &arguments) {
  std::vector<BoundArgument> bound(arguments.size());
  Status status =
      bindArguments(kernel, arguments.data(), arguments.size(), bound.data());
  EXPECT_TRUE(status) << status.error().message;
  std::string text = explainIndex32(kernel, bound.data());
  EXPECT_EQ(fitsIndex32(kernel, bound.data()), text.empty());
  return text;
}

TEST(Bind, Index32) {
  ArgumentInfo vector = tensor("x", {kDynamic}, {}, ElementType::I8);
  ArgumentInfo matrix =
      tensor("x", {kDynamic, kDynamic}, {{kDynamic, 1}}, ElementType::I8);
  auto bytes = [](std::vector<int64_t> extents,
                  std::vector<int64_t> strides = {}) {
    // Lists must outlive the argument.
    static std::vector<Tensor> kept;
    kept.reserve(100);
    kept.push_back(
        {std::move(extents), std::move(strides), 0x1000, ElementType::I8});
    return kept.back().get();
  };
  EXPECT_EQ(explain(makeKernel({vector}), {bytes({kBig - 1})}), "");
  EXPECT_EQ(explain(makeKernel({vector}), {bytes({kBig})}),
            "expected x.extent(0) to fit 32-bit indices, got "
            "2147483648");
  EXPECT_EQ(explain(makeKernel({matrix}), {bytes({1, 4}, {kBig, 1})}),
            "expected x.stride(0) to fit 32-bit indices, got "
            "2147483648");
  EXPECT_EQ(explain(makeKernel({matrix}), {bytes({3, 4}, {kBig / 2, 1})}),
            "expected offsets of x to fit 32-bit indices, got "
            "2147483651");
  EXPECT_EQ(explain(makeKernel({matrix}), {bytes({2, 4}, {kBig / 2, 1})}), "");

  KernelInfo index = makeKernel({scalar("n", ElementType::Index)});
  EXPECT_EQ(explain(index, {Argument::index(kBig - 1)}), "");
  EXPECT_EQ(explain(index, {Argument::index(-kBig)}), "");
  EXPECT_EQ(explain(index, {Argument::index(kBig)}),
            "expected n to fit 32-bit indices, got 2147483648");
  EXPECT_EQ(explain(index, {Argument::index(-kBig - 1)}),
            "expected n to fit 32-bit indices, got -2147483649");
  KernelInfo wide = makeKernel({scalar("n", ElementType::I64)});
  EXPECT_EQ(explain(wide, {Argument::scalar(ElementType::I64, uint64_t(kBig))}),
            "");
}
} // namespace
