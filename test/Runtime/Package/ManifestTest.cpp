//===- ManifestTest.cpp - manifests that the reader accepts ---------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every member of a manifest reaches its field in Manifest.h. Also texts for
// people, names of types and codes, and hashes. ManifestErrorTest.cpp tests
// refusals.
//
//===----------------------------------------------------------------------===//

#include "carousel/Runtime/Manifest.h"

#include "Bind/Evaluate.h"
#include "Support/Hash.h"
#include "TestPackages.h"

#include <gtest/gtest.h>

using namespace carousel::runtime;
using namespace carousel::runtime::test;

namespace {
using Op = Expression::Op;

class ManifestTest : public testing::Test {
protected:
  void SetUp() override { read(makeCopyManifest()); }

  void read(const std::string &text) {
    Result<Manifest> result = parseManifest(text);
    ASSERT_TRUE(result) << result.error().message;
    manifest = std::move(*result);
  }

  /// The expression that `json` makes as a grid of kernel "scale".
  Expression makeExpression(const std::string &json) {
    Result<Manifest> result = parseManifest(
        setMember(makeCopyManifest(), "/kernels/2/variants/0/grid/0", json));
    if (!result) {
      ADD_FAILURE() << result.error().message;
      return {};
    }
    return result->kernels[2].variants[0].grid[0];
  }

  Manifest manifest;
};

TEST_F(ManifestTest, Modules) {
  EXPECT_EQ(manifest.producer, "carousel test");
  ASSERT_EQ(manifest.modules.size(), 2u);
  EXPECT_EQ(manifest.modules[0].name, "copies");
  EXPECT_EQ(manifest.modules[1].name, "simple");
  ASSERT_EQ(manifest.modules[0].images.size(), 2u);
  EXPECT_EQ(manifest.modules[0].images[0].kind, Image::Kind::Cubin);
  EXPECT_EQ(manifest.modules[0].images[1].kind, Image::Kind::PTX);
  EXPECT_EQ(manifest.modules[1].images[1].kind, Image::Kind::CUDA);

  std::map<std::string, std::string> files = {{"copies.sm_90a.ptx", "12345"}};
  read(fillHashes(makeCopyManifest(), files));
  const Image &image = manifest.modules[0].images[1];
  EXPECT_EQ(image.chip, "sm_90a");
  EXPECT_EQ(image.file, "copies.sm_90a.ptx");
  EXPECT_EQ(image.bytes, 5u);
  EXPECT_EQ(image.hash, hashContents("12345"));
}

TEST_F(ManifestTest, Waits) {
  EXPECT_TRUE(manifest.modules[0].waits.empty());
  read(setMember(makeCopyManifest(), "/modules/1/waits",
                 R"([{"number": 7, "function": "scale", "barrier": "x empty",
                      "role": "producer", "phase": "state",
                      "location": "scale.mlir:12"},
                     {"number": 8, "function": "scale", "barrier": "s",
                      "role": "all", "phase": "turn", "location": ""}])"));
  EXPECT_TRUE(manifest.modules[0].waits.empty());
  ASSERT_EQ(manifest.modules[1].waits.size(), 2u);
  const WaitInfo &wait = manifest.modules[1].waits[0];
  EXPECT_EQ(wait.number, 7u);
  EXPECT_EQ(wait.function, "scale");
  EXPECT_EQ(wait.barrier, "x empty");
  EXPECT_EQ(wait.role, WaitInfo::Role::Producer);
  EXPECT_EQ(wait.phase, WaitInfo::Phase::State);
  EXPECT_EQ(wait.location, "scale.mlir:12");
  EXPECT_EQ(manifest.modules[1].waits[1].role, WaitInfo::Role::All);
  EXPECT_EQ(manifest.modules[1].waits[1].phase, WaitInfo::Phase::Turn);
  EXPECT_EQ(manifest.modules[1].waits[1].location, "");
}

TEST_F(ManifestTest, Find) {
  ASSERT_NE(manifest.find("scale"), nullptr);
  EXPECT_EQ(manifest.find("scale")->name, "scale");
  EXPECT_EQ(manifest.find("scal"), nullptr);
}

TEST_F(ManifestTest, Arguments) {
  const ArgumentInfo &x = manifest.find("copy_2d")->arguments[0];
  EXPECT_EQ(x.name, "x");
  EXPECT_EQ(x.kind, ArgumentInfo::Kind::Tensor);
  EXPECT_EQ(x.access, ArgumentInfo::Access::In);
  EXPECT_EQ(x.element, ElementType::BF16);
  EXPECT_FALSE(x.contiguous);
  EXPECT_EQ(x.extents, std::vector<int64_t>(2, ArgumentInfo::kDynamic));
  EXPECT_EQ(x.strides, (std::vector<int64_t>{ArgumentInfo::kDynamic, 1}));
  EXPECT_EQ(manifest.find("copy_2d")->arguments[1].access,
            ArgumentInfo::Access::Out);

  const ArgumentInfo &gathered = manifest.find("gather")->arguments[0];
  EXPECT_TRUE(gathered.contiguous);
  EXPECT_EQ(gathered.extents,
            (std::vector<int64_t>{8, ArgumentInfo::kDynamic, 64,
                                  ArgumentInfo::kDynamic}));
  EXPECT_TRUE(gathered.strides.empty());

  EXPECT_FALSE(manifest.find("copy")->arguments[1].mayAlias);
  Result<Manifest> aliased = parseManifest(
      setMember(makeCopyManifest(), "/kernels/0/arguments/1/may_alias", "0"));
  ASSERT_TRUE(aliased);
  EXPECT_EQ(aliased->kernels[0].arguments[1].mayAlias, 0);
  Result<Manifest> other = parseManifest(
      setMember(makeCopyManifest(), "/kernels/0/arguments/1", R"({"name": "y",
        "kind": "tensor", "access": "out", "element": "f16",
        "extents": [null], "strides": "contiguous", "may_alias": 0})"));
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().message,
            "kernels[0].arguments[1].may_alias: expected an argument of the "
            "same type, got tensor<?xf32> x (in)");

  EXPECT_EQ(manifest.find("copy")->arguments[1].sharing,
            ArgumentInfo::Sharing::None);
  EXPECT_FALSE(manifest.find("copy")->hasShared());
  for (auto [text, sharing] :
       {std::pair("\"peer\"", ArgumentInfo::Sharing::Peer),
        std::pair("\"symmetric\"", ArgumentInfo::Sharing::Symmetric),
        std::pair("\"multicast\"", ArgumentInfo::Sharing::Multicast)}) {
    Result<Manifest> shared = parseManifest(
        setMember(makeCopyManifest(), "/kernels/0/arguments/1/sharing", text));
    ASSERT_TRUE(shared);
    EXPECT_EQ(shared->kernels[0].arguments[1].sharing, sharing);
    EXPECT_TRUE(shared->kernels[0].hasShared());
  }

  const std::vector<ArgumentInfo> &scale = manifest.find("scale")->arguments;
  EXPECT_EQ(scale[0].access, ArgumentInfo::Access::InOut);
  EXPECT_EQ(scale[1].kind, ArgumentInfo::Kind::Scalar);
  EXPECT_EQ(scale[1].element, ElementType::Index);
  EXPECT_EQ(scale[2].element, ElementType::F32);
  EXPECT_EQ(scale[3].element, ElementType::I32);
}

TEST_F(ManifestTest, Variants) {
  const KernelInfo &copy = *manifest.find("copy");
  ASSERT_EQ(copy.variants.size(), 2u);
  const VariantInfo &bulk = copy.variants[0];
  EXPECT_EQ(bulk.function, "copy_bulk");
  EXPECT_EQ(bulk.module, 0u);
  EXPECT_EQ(bulk.chips, std::vector<std::string>{"sm_90a"});
  EXPECT_EQ(bulk.indexBits, 64u);
  EXPECT_EQ(bulk.block, (std::array<uint32_t, 3>{64, 1, 1}));
  EXPECT_EQ(bulk.cluster, (std::array<uint32_t, 3>{1, 1, 1}));
  EXPECT_EQ(bulk.dynamicShared, 65536u);
  EXPECT_EQ(copy.variants[1].module, 1u);
  EXPECT_EQ(copy.variants[1].indexBits, 32u);
  EXPECT_EQ(manifest.find("copy_2d")->variants[0].cluster,
            (std::array<uint32_t, 3>{2, 1, 1}));
  EXPECT_EQ(manifest.find("gather")->variants[0].block,
            (std::array<uint32_t, 3>{32, 2, 2}));
}

TEST_F(ManifestTest, Guards) {
  const std::vector<Guard> &guards = manifest.find("copy")->variants[0].guards;
  ASSERT_EQ(guards.size(), 6u);
  EXPECT_EQ(guards[0].kind, Guard::Kind::Capability);
  EXPECT_EQ(guards[0].least, 90);
  EXPECT_EQ(guards[0].most, INT64_MAX);
  EXPECT_EQ(guards[2].kind, Guard::Kind::Aligned);
  EXPECT_EQ(guards[2].argument, 1);
  EXPECT_EQ(guards[2].least, 16);
  EXPECT_EQ(guards[3].kind, Guard::Kind::Equal);
  EXPECT_EQ(guards[3].value.nodes[0].argument, 0);
  EXPECT_EQ(guards[3].other.nodes[0].argument, 1);
  EXPECT_EQ(guards[4].kind, Guard::Kind::Divisible);
  EXPECT_EQ(guards[4].least, 4);
  EXPECT_EQ(guards[5].kind, Guard::Kind::Range);
  EXPECT_EQ(guards[5].least, 4);
  EXPECT_EQ(guards[5].most, int64_t(1) << 40);
  EXPECT_EQ(manifest.find("copy_2d")->variants[0].guards[0].most, 100);
}

TEST_F(ManifestTest, Parameters) {
  using Kind = Parameter::Kind;
  const std::vector<Parameter> &parameters =
      manifest.find("copy_2d")->variants[0].parameters;
  ASSERT_EQ(parameters.size(), 10u);
  EXPECT_EQ(parameters[4].kind, Kind::Pointer);
  EXPECT_EQ(parameters[4].argument, 1);
  EXPECT_EQ(parameters[6].kind, Kind::Extent);
  EXPECT_EQ(parameters[6].argument, 1);
  EXPECT_EQ(parameters[6].dim, 1);
  EXPECT_EQ(parameters[7].kind, Kind::Stride);
  EXPECT_EQ(parameters[7].dim, 0);
  EXPECT_EQ(parameters[9].kind, Kind::TensorMap);
  EXPECT_EQ(parameters[9].argument, 1);
  EXPECT_EQ(manifest.find("scale")->variants[0].parameters[3].kind,
            Kind::Scalar);
}

TEST_F(ManifestTest, TensorMaps) {
  using Format = TensorMapFormat;
  const TensorMapInfo &tile =
      manifest.find("copy_2d")->variants[0].tensorMaps[0];
  EXPECT_EQ(tile.argument, 0);
  EXPECT_EQ(tile.format.element, Format::Element::BF16);
  EXPECT_EQ(tile.format.mode, Format::Mode::Tile);
  EXPECT_EQ(tile.format.swizzle, Format::Swizzle::B128);
  EXPECT_EQ(tile.format.promotion, Format::Promotion::B256);
  EXPECT_EQ(tile.format.fill, Format::Fill::Zero);
  EXPECT_EQ(tile.format.rank, 2);
  EXPECT_EQ(tile.format.box, (std::vector<int64_t>{64, 64}));
  EXPECT_EQ(tile.format.elementStrides, (std::vector<int64_t>{1, 1}));
  EXPECT_TRUE(tile.format.lower.empty());
  ASSERT_EQ(tile.extents.size(), 2u);
  ASSERT_EQ(tile.strides.size(), 1u);
  EXPECT_EQ(tile.strides[0].nodes.size(), 3u);

  const TensorMapInfo &im2col =
      manifest.find("gather")->variants[0].tensorMaps[0];
  EXPECT_EQ(im2col.format.mode, Format::Mode::Im2Col);
  EXPECT_EQ(im2col.format.fill, Format::Fill::NaN);
  EXPECT_EQ(im2col.format.rank, 4);
  EXPECT_EQ(im2col.format.box, (std::vector<int64_t>{32, 64}));
  EXPECT_EQ(im2col.format.lower, (std::vector<int64_t>{-1, -1}));
  EXPECT_EQ(im2col.format.upper, (std::vector<int64_t>{1, 1}));
  EXPECT_EQ(im2col.strides.size(), 3u);

  // One corner in the wide modes; the interleaved layouts.
  std::string wide = makeCopyManifest();
  std::string at = "/kernels/3/variants/0/tensor_maps/0/";
  for (auto [member, value] : {std::pair{"mode", R"("im2col_w_128")"},
                               {"lower", "[0]"},
                               {"upper", "[0]"},
                               {"interleave", R"("b32")"},
                               {"element", R"("tf32_ftz")"},
                               {"swizzle", R"("b128_atom_32b")"}})
    wide = setMember(wide, at + member, value);
  read(wide);
  const Format &format =
      manifest.find("gather")->variants[0].tensorMaps[0].format;
  EXPECT_EQ(format.mode, Format::Mode::Im2ColW128);
  EXPECT_EQ(format.interleave, Format::Interleave::B32);
  EXPECT_EQ(format.element, Format::Element::TF32FTZ);
  EXPECT_EQ(format.swizzle, Format::Swizzle::B128Atom32);
}

TEST_F(ManifestTest, ExpressionIsPostfix) {
  Expression grid =
      makeExpression(R"(["min", ["stride", 0, 0], ["sub", "sms", -3]])");
  ASSERT_EQ(grid.nodes.size(), 5u);
  EXPECT_EQ(grid.nodes[0].op, Op::Stride);
  EXPECT_EQ(grid.nodes[1].op, Op::SMs);
  EXPECT_EQ(grid.nodes[2].op, Op::Constant);
  EXPECT_EQ(grid.nodes[2].value, -3);
  EXPECT_EQ(grid.nodes[3].op, Op::Sub);
  EXPECT_EQ(grid.nodes[4].op, Op::Min);

  EXPECT_EQ(makeExpression("9223372036854775807").nodes[0].value, INT64_MAX);
  EXPECT_EQ(makeExpression("-9223372036854775808").nodes[0].value, INT64_MIN);
}

TEST_F(ManifestTest, LongestExpression) {
  // 127 operators and 128 operands, nested to the right: the deepest stack.
  std::string text = "1";
  for (int i = 0; i < 127; ++i)
    text = R"(["add", 1, )" + text + "]";
  Expression expression = makeExpression(text);
  EXPECT_EQ(expression.nodes.size(), 255u);
  EXPECT_EQ(evaluate(expression, Environment()), 128);
}

TEST_F(ManifestTest, UnknownMembersAreIgnored) {
  for (const char *pointer :
       {"/later", "/modules/0/later", "/modules/0/images/0/later",
        "/kernels/0/later", "/kernels/0/arguments/0/later",
        "/kernels/0/variants/0/later", "/kernels/0/variants/0/guards/0/later",
        "/kernels/0/variants/0/parameters/0/later",
        "/kernels/1/variants/0/tensor_maps/0/later"}) {
    Result<Manifest> result = parseManifest(
        setMember(makeCopyManifest(), pointer, R"({"a": [1.5, "sms", null]})"));
    EXPECT_TRUE(result) << pointer << ": " << result.error().message;
  }
}

TEST_F(ManifestTest, EveryElementType) {
  for (const char *name : {"i1", "i8", "i16", "i32", "i64", "f16", "bf16",
                           "f32", "f64", "f8E4M3FN", "f8E5M2", "f8E8M0FNU"}) {
    Result<Manifest> result = parseManifest(
        setMember(makeCopyManifest(), "/kernels/0/arguments/0/element",
                  "\"" + std::string(name) + "\""));
    ASSERT_TRUE(result) << result.error().message;
    ElementType type = result->kernels[0].arguments[0].element;
    EXPECT_STREQ(toString(type), name);
    EXPECT_EQ(parseElementType(name), type);
  }
  EXPECT_EQ(parseElementType("f8"), std::nullopt);
  EXPECT_EQ(getBytes(ElementType::I1), 1u);
  EXPECT_EQ(getBytes(ElementType::BF16), 2u);
  EXPECT_EQ(getBytes(ElementType::F64), 8u);
  EXPECT_EQ(getBytes(ElementType::F8E5M2), 1u);
  EXPECT_EQ(getBytes(ElementType::Index), 8u);
  // A number that came through the C ABI.
  EXPECT_EQ(getBytes(static_cast<ElementType>(99)), 0u);
  EXPECT_STREQ(toString(static_cast<ElementType>(99)), "an unknown type");
}

TEST_F(ManifestTest, ExpressionText) {
  const KernelInfo &scale = *manifest.find("scale");
  auto print = [&](const char *json) {
    return toString(makeExpression(json), scale);
  };
  EXPECT_EQ(toString(manifest.find("copy")->variants[0].grid[0],
                     *manifest.find("copy")),
            "min(ceildiv(x.extent(0), 4096), sms * 3)");
  EXPECT_EQ(print(R"(["scalar", 1])"), "n");
  EXPECT_EQ(print(R"(["min", ["scalar", 1], "resident"])"), "min(n, resident)");
  EXPECT_EQ(print(R"(["mul", ["add", 1, "sms"], ["sub", 2, 3]])"),
            "(1 + sms) * (2 - 3)");
  EXPECT_EQ(print(R"(["add", ["mul", 1, 2], ["mul", 3, 4]])"), "1 * 2 + 3 * 4");
  EXPECT_EQ(print(R"(["sub", ["sub", 1, 2], ["sub", 3, 4]])"),
            "1 - 2 - (3 - 4)");
  EXPECT_EQ(print(R"(["mul", ["mul", 1, 2], ["mul", 3, 4]])"),
            "1 * 2 * (3 * 4)");
  EXPECT_EQ(print(R"(["max", ["mod", ["stride", 0, 0], 8],
                             ["floordiv", ["add", 1, 2], 3]])"),
            "max(mod(x.stride(0), 8), floordiv(1 + 2, 3))");
}

TEST_F(ManifestTest, GuardText) {
  const KernelInfo &copy = *manifest.find("copy");
  const char *expected[] = {"compute capability is 9.0 or later",
                            "x is aligned to 16 bytes",
                            "y is aligned to 16 bytes",
                            "x.extent(0) and y.extent(0) are equal",
                            "x.extent(0) is a multiple of 4",
                            "x.extent(0) is from 4 to 1099511627776"};
  for (size_t i = 0; i < std::size(expected); ++i)
    EXPECT_EQ(toString(copy.variants[0].guards[i], copy), expected[i]);
  const KernelInfo &copy2D = *manifest.find("copy_2d");
  EXPECT_EQ(toString(copy2D.variants[0].guards[0], copy2D),
            "compute capability is from 9.0 to 10.0");
}

TEST_F(ManifestTest, ArgumentText) {
  EXPECT_EQ(toString(manifest.find("copy")->arguments[0]),
            "tensor<?xf32> x (in)");
  EXPECT_EQ(toString(manifest.find("copy_2d")->arguments[1]),
            "tensor<?x?xbf16, strides [?, 1]> y (out)");
  EXPECT_EQ(toString(manifest.find("scale")->arguments[0]),
            "tensor<?xf32> x (inout)");
  EXPECT_EQ(toString(manifest.find("scale")->arguments[1]), "index n");
  EXPECT_EQ(toString(manifest.find("gather")->arguments[0]),
            "tensor<8x?x64x?xf16> x (in)");
  ArgumentInfo scalarTensor;
  scalarTensor.name = "s";
  EXPECT_EQ(toString(scalarTensor), "tensor<f32> s (inout)");
}

TEST(ErrorTest, Names) {
  EXPECT_STREQ(toString(ErrorCode::InvalidArgument), "invalid argument");
  EXPECT_STREQ(toString(ErrorCode::UnsupportedVersion), "unsupported version");
  EXPECT_STREQ(toString(ErrorCode::IOError), "input/output error");
  EXPECT_STREQ(toString(ErrorCode::OutOfMemory), "out of memory");
  EXPECT_STREQ(toString(ErrorCode::ContextLost), "context lost");
  EXPECT_STREQ(toString(static_cast<ErrorCode>(0)), "unknown error");
}

/// Vectors of FIPS 180-4's examples, and all lengths of a last block by both
/// ways to compute it.
TEST(HashTest, KnownValues) {
  EXPECT_EQ(hashContents(""),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hashContents("abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(
      hashContents("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hashContents(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  std::string text;
  for (int i = 0; i < 300; ++i) {
    ASSERT_EQ(hashContents(text), hashContentsPortably(text)) << i;
    text.push_back(static_cast<char>(i * 37));
  }
}
} // namespace
