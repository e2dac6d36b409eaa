//===- PackageManifestTest.cpp - manifests against PTX and the runtime ----===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parameters in a manifest are those that the PTX declares, and the runtime
// reads a manifest as the compiler means it.
//
//===----------------------------------------------------------------------===//

#include "PackageFixture.h"

#include "carousel/Package/WritePackage.h"
#include "carousel/Runtime/Package.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Regex.h"

using namespace mlir;
using namespace carousel;
using namespace carousel::test;
namespace json = llvm::json;

namespace {

/// Each kind of argument, with static and dynamic sizes; the maps stand first,
/// last and between.
constexpr StringLiteral kEveryArgument = R"mlir(
  #gl = #gpu.address_space<global>
  !map = !carousel.tensor_map<8x64xf32>
  gpu.module @m {
    gpu.func @k(
        %first: !map {carousel.encode = #carousel.encode<argument = 1>},
        %i1: i1 {carousel.argument = #carousel.argument<"flag", in>},
        %matrix: memref<?x?xf32, strided<[?, 1], offset: ?>, #gl>
            {carousel.argument = #carousel.argument<"matrix", in>},
        %i8: i8, %i16: i16, %i32: i32, %i64: i64, %index: index,
        %f16: f16, %bf16: bf16, %f32: f32, %f64: f64,
        %middle: !map {carousel.encode = #carousel.encode<argument = 11>},
        %fixed: memref<16x128xf32, #gl>,
        %bytes: memref<?xi8, #gl>,
        %flags: memref<4x?x8xi1, #gl>,
        %wide: memref<?x?x?xf64, strided<[?, ?, ?], offset: ?>, #gl>,
        %fp8: memref<?x32xf8E4M3FN, strided<[64, 1]>, #gl>,
        %one: memref<f32, #gl>,
        %last: !map {carousel.encode = #carousel.encode<argument = 1,
            extents = [extent(1, 0), 64], strides = [stride(1, 0) * 4], offset = 64>}) kernel
      attributes {
        carousel.variant = #carousel.variant<kernel = "every", guards = [
          capability(90), aligned(1, 16), divisible(stride(1, 0), 4), range(scalar(6), 1, 4096),
          equal(extent(1, 0) - 1, mod(extent(13, 0), 7))]>,
        carousel.launch = #carousel.launch<
          grid = [min(ceildiv(extent(1, 0), 64) * 2, sms * 3), max(scalar(6), 1) + floordiv(9, 2)],
          block = [64, 2], shared = 4096>} {
      gpu.return
    }
  }
)mlir";

/// The bytes of the parameters of the one kernel in the PTX.
std::vector<int64_t> readPTXParameters(StringRef ptx) {
  std::vector<int64_t> sizes;
  StringRef list = ptx.split(".entry k(").second.split("\n)").first;
  SmallVector<StringRef> lines;
  list.split(lines, '\n', -1, /*KeepEmpty=*/false);
  llvm::Regex array(R"(\.b8 k_param_[0-9]+\[([0-9]+)\])");
  llvm::Regex scalar(R"(\.param \.[busf]([0-9]+) )");
  for (StringRef line : lines) {
    SmallVector<StringRef> match;
    int64_t number = 0;
    if (array.match(line, &match) && !match[1].getAsInteger(10, number))
      sizes.push_back(number);
    else if (scalar.match(line, &match) && !match[1].getAsInteger(10, number))
      sizes.push_back(number / 8);
    else
      ADD_FAILURE() << "a parameter of another form: " << line.str();
  }
  return sizes;
}

int64_t getScalarBytes(StringRef element, int64_t indexBytes) {
  if (element == "index")
    return indexBytes;
  if (element == "i1")
    return 1;
  int64_t bits = 0;
  EXPECT_FALSE(element.drop_until(llvm::isDigit).getAsInteger(10, bits));
  return bits / 8;
}

/// The same from the text of the manifest, as docs/Package.md says.
std::vector<int64_t> readManifestParameters(StringRef text) {
  llvm::Expected<json::Value> manifest = json::parse(text);
  if (!manifest) {
    ADD_FAILURE() << llvm::toString(manifest.takeError());
    return {};
  }
  const json::Object &kernel =
      *(*manifest->getAsObject()->getArray("kernels"))[0].getAsObject();
  const json::Array &arguments = *kernel.getArray("arguments");
  const json::Object &variant =
      *(*kernel.getArray("variants"))[0].getAsObject();
  int64_t indexBytes = *variant.getInteger("index_bits") / 8;
  std::vector<int64_t> sizes;
  for (const json::Value &value : *variant.getArray("parameters")) {
    const json::Object &parameter = *value.getAsObject();
    StringRef kind = *parameter.getString("kind");
    if (kind == "scalar") {
      const json::Value &argument =
          arguments[*parameter.getInteger("argument")];
      sizes.push_back(getScalarBytes(
          *argument.getAsObject()->getString("element"), indexBytes));
    } else if (kind == "tensor_map") {
      sizes.push_back(128);
    } else if (kind == "pointer") {
      sizes.push_back(8);
    } else {
      sizes.push_back(indexBytes);
    }
  }
  return sizes;
}

TEST_F(CompileTest, ParametersAreThoseOfThePTX) {
  for (unsigned bits : {64u, 32u})
    for (const char *chip : {"sm_90a", "sm_120a"}) {
      options.indexBitwidth = bits;
      options.chips = {chip};
      FailureOr<Package> package = compile(kEveryArgument);
      ASSERT_TRUE(succeeded(package)) << said;
      std::vector<int64_t> fromPTX =
          readPTXParameters(find(*package, "m." + std::string(chip) + ".ptx"));
      EXPECT_EQ(fromPTX.size(), 32u);
      EXPECT_EQ(fromPTX,
                readManifestParameters(find(*package, "manifest.json")))
          << bits << " bits, " << chip;
    }
}

TEST_F(CompileTest, RuntimeReadsWhatWasMeant) {
  FailureOr<Package> package = compile(kEveryArgument);
  ASSERT_TRUE(succeeded(package)) << said;
  TemporaryDirectory temporary;
  std::string directory = temporary / "every.pkg";
  llvm::Error error = writePackage(package->files, directory);
  ASSERT_FALSE(error) << llvm::toString(std::move(error));

  runtime::Result<runtime::Package> opened = runtime::Package::open(directory);
  ASSERT_TRUE(opened) << opened.error().message;
  const runtime::Manifest &manifest = opened->getManifest();
  EXPECT_EQ(manifest.producer, package->manifest.producer);
  EXPECT_EQ(opened->getContents(0, 0), find(*package, "m.sm_90a.ptx").str());
  const runtime::KernelInfo *kernel = manifest.find("every");
  ASSERT_NE(kernel, nullptr);

  const KernelDescription &description = package->manifest.kernels[0];
  ASSERT_EQ(kernel->arguments.size(), description.arguments.size());
  for (auto [info, meant] :
       llvm::zip(kernel->arguments, description.arguments)) {
    EXPECT_EQ(info.name, meant.name);
    EXPECT_NE(toString(info).find(meant.element), std::string::npos)
        << toString(info);
    EXPECT_EQ(info.kind == runtime::ArgumentInfo::Kind::Tensor,
              meant.kind == ArgumentDescription::Kind::Tensor);
    EXPECT_EQ(info.extents.size(), meant.extents.size());
    EXPECT_EQ(info.contiguous, !meant.strides.has_value());
  }

  const runtime::VariantInfo &variant = kernel->variants[0];
  EXPECT_EQ(variant.function, "k");
  EXPECT_EQ(variant.parameters.size(), 32u);
  ASSERT_EQ(variant.tensorMaps.size(), 3u);
  EXPECT_EQ(variant.tensorMaps[1].argument, 11);
  std::vector<std::string> guards;
  for (const runtime::Guard &guard : variant.guards)
    guards.push_back(toString(guard, *kernel));
  EXPECT_EQ(
      guards,
      std::vector<std::string>(
          {"compute capability is 9.0 or later",
           "matrix is aligned to 16 bytes",
           "matrix.stride(0) is a multiple of 4", "arg6 is from 1 to 4096",
           "matrix.extent(0) - 1 and mod(arg13.extent(0), 7) are equal"}));
  EXPECT_EQ(toString(variant.grid[0], *kernel),
            "min(ceildiv(matrix.extent(0), 64) * 2, sms * 3)");
  EXPECT_EQ(toString(variant.grid[1], *kernel),
            "max(arg6, 1) + floordiv(9, 2)");
  EXPECT_EQ(toString(variant.tensorMaps[2].extents[0], *kernel),
            "matrix.extent(0)");
  EXPECT_EQ(toString(variant.tensorMaps[2].strides[0], *kernel),
            "matrix.stride(0) * 4");
  EXPECT_EQ(toString(variant.tensorMaps[2].offset, *kernel), "64");
  EXPECT_EQ(variant.block[1], 2u);
  EXPECT_EQ(variant.dynamicShared, 4096u);
}

/// Names with quotes, backslashes and characters beyond ASCII come back as they
/// are. What is for people comes back as one line.
TEST_F(CompileTest, RuntimeReadsNamesAndLines) {
  context.loadDialect<cf::ControlFlowDialect, func::FuncDialect>();
  constexpr StringLiteral kText = R"mlir(
    !values = memref<?xf32, #gpu.address_space<global>>
    gpu.module @m {
      gpu.func @none(%x: !values) kernel attributes {
          carousel.launch = #carousel.launch<grid = [1], block = [32]>} {
        gpu.return
      }
    }
    func.func @"of \22\\ \C3\BC"(%x: !values) attributes {carousel.program} {
      %zero = arith.constant 0 : index
      %n = memref.dim %x, %zero : !values
      %some = arith.cmpi sgt, %n, %zero : index
      cf.assert %some, "a \22check\22\\\0A of \C3\BC \FF"
      cf.assert %some, "" loc("folder/\22a\22\\\0Ab.mlir":7:1)
      carousel.launch_kernel @m::@none outs(%x : !values)
          {carousel.family = "elementwise"} loc("folder/\22\\\E2\80\AE.mlir":9:1)
      return
    }
  )mlir";
  FailureOr<Package> package = compile(kText);
  ASSERT_TRUE(succeeded(package)) << said;
  TemporaryDirectory temporary;
  std::string directory = temporary / "names.pkg";
  llvm::Error error = writePackage(package->files, directory);
  ASSERT_FALSE(error) << llvm::toString(std::move(error));

  runtime::Result<runtime::Package> opened = runtime::Package::open(directory);
  ASSERT_TRUE(opened) << opened.error().message;
  const runtime::ProgramInfo *program =
      opened->getManifest().findProgram("of \"\\ \u00fc");
  ASSERT_NE(program, nullptr);
  ASSERT_EQ(program->checks.size(), 2u);
  EXPECT_EQ(program->checks[0].message, "a \"check\"\\\\x0a of \u00fc \\xff");
  EXPECT_EQ(program->checks[1].message,
            "expected a condition of the program to hold: the one at "
            "\"a\"\\\\x0ab.mlir:7");
  ASSERT_EQ(program->steps.size(), 1u);
  EXPECT_EQ(program->steps[0].sources,
            std::vector<std::string>{"\"\\\\u202e.mlir:9"});
}

} // namespace
