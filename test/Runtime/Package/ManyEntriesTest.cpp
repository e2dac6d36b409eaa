//===- ManyEntriesTest.cpp - packages with very many entries --------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The time to read an untrusted package is in proportion to its size, and
// messages about it stay short. The time limits are many times what is needed;
// quadratic behaviour would take minutes.
//
//===----------------------------------------------------------------------===//

#include "Compile/CompileLog.h"
#include "KernelTest.h"

#include <fmt/format.h>

#include <ctime>

using namespace carousel;
using namespace carousel::runtime;
using namespace carousel::runtime::test;

namespace {
using ManyEntries = KernelFixture;

/// Fails where its scope takes more CPU time than `seconds`.
class TimeLimit {
public:
  explicit TimeLimit(double seconds) : limit(seconds), begin(std::clock()) {}
  ~TimeLimit() {
    double taken = double(std::clock() - begin) / CLOCKS_PER_SEC;
    EXPECT_LT(taken, limit);
  }

private:
  double limit;
  std::clock_t begin;
};

std::string makeManifest(const std::string &modules,
                         const std::string &kernels) {
  return fmt::format(R"({{"format": "carousel-package", "version": 1,
                          "producer": "a test", "modules": [{}],
                          "kernels": [{}]}})",
                     modules, kernels);
}

/// `count` elements made of their numbers.
template <typename Make> std::string makeList(int count, Make make) {
  std::string list;
  for (int i = 0; i < count; ++i)
    list += (i == 0 ? "" : ",") + make(i);
  return list;
}

std::string makeModules(int count) {
  return makeList(count, [](int i) {
    return fmt::format(R"({{"name": "m{}", "images": []}})", i);
  });
}

std::string makeKernel(const std::string &arguments,
                       const std::string &variants) {
  return fmt::format(R"({{"name": "k", "arguments": [{}], "variants": [{}]}})",
                     arguments, variants);
}

std::string makeVariant(int number, int module,
                        const std::string &guards = "") {
  return fmt::format(
      R"({{"function": "f{}", "module": "m{}", "chips": ["sm_90a"],
           "guards": [{}], "index_bits": 64, "parameters": [],
           "tensor_maps": [], "grid": [1, 1, 1], "block": [1, 1, 1],
           "cluster": [1, 1, 1], "dynamic_shared": 0}})",
      number, module, guards);
}

void expectRefusal(const std::string &manifest, const std::string &message) {
  Result<Manifest> parsed = parseManifest(manifest);
  ASSERT_FALSE(parsed) << message;
  EXPECT_EQ(parsed.error().code, ErrorCode::InvalidPackage);
  EXPECT_EQ(parsed.error().message, message);
}

//===----------------------------------------------------------------------===//
// Manifests
//===----------------------------------------------------------------------===//

TEST(ManyEntriesInAManifest, WorkspacesAndArguments) {
  std::string arguments = makeList(32000, [](int i) -> std::string {
    if (i < 16000)
      return fmt::format(R"({{"name": "a{}", "kind": "tensor",
        "access": "in", "element": "f32", "extents": [null],
        "strides": "contiguous"}})",
                         i);
    return fmt::format(R"({{"name": "w{}", "kind": "workspace",
      "element": "i32", "extents": [["extent", {}, 0]]}})",
                       i, i - 16000);
  });
  std::string manifest =
      makeManifest(makeModules(1), makeKernel(arguments, makeVariant(0, 0)));
  TimeLimit limit(10);
  Result<Manifest> parsed = parseManifest(manifest);
  ASSERT_TRUE(parsed) << parsed.error().message;
  const KernelInfo &kernel = parsed->kernels.front();
  EXPECT_EQ(kernel.countPassed(), 16000u);
  EXPECT_EQ(kernel.arguments.size(), 32000u);
}

TEST(ManyEntriesInAManifest, Limits) {
  std::string longest(kMaxNameBytes, 'x');
  auto withName = [](const std::string &name) {
    return makeManifest(fmt::format(R"({{"name": "{}", "images": []}})", name),
                        "");
  };
  EXPECT_TRUE(parseManifest(withName(longest)));
  expectRefusal(withName(longest + "x"),
                "modules[0].name: expected a name of at most 1024 bytes, got "
                "1025");
  std::string argument = fmt::format(
      R"({{"name": "{}x", "kind": "scalar", "access": "in",
           "element": "f32"}})",
      longest);
  expectRefusal(
      makeManifest(makeModules(1), makeKernel(argument, makeVariant(0, 0))),
      "kernels[0].arguments[0].name: expected a name of at most 1024 bytes, "
      "got 1025");
  auto zeros = [](int count) {
    return makeList(count, [](int) { return std::string("0"); });
  };
  expectRefusal(makeManifest(zeros(65537), ""),
                "modules: expected at most 65536 modules, got 65537");
  expectRefusal(makeManifest("", zeros(65537)),
                "kernels: expected at most 65536 kernels, got 65537");
  expectRefusal(
      makeManifest(
          fmt::format(R"({{"name": "m", "images": [{}]}})", zeros(65537)), ""),
      "modules[0].images: expected at most 65536 images, got 65537");
  expectRefusal(makeManifest(makeModules(1), makeKernel("", zeros(65537))),
                "kernels[0].variants: expected at most 65536 variants, got "
                "65537");
}

/// Three bytes of text each, and a hundred times that in memory.
TEST(ManyEntriesInAManifest, DecisionsOfNothing) {
  std::string notes = makeList(int(kMaxDecisionEntries) + 1,
                               [](int) { return std::string("{}"); });
  std::string variant = makeVariant(0, 0);
  variant.insert(1, fmt::format(R"("decisions": {{"notes": [{}]}}, )", notes));
  expectRefusal(makeManifest(makeModules(1), makeKernel("", variant)),
                "kernels[0].variants[0].decisions.notes[524288]: expected at "
                "most 524288 entries in lists of decisions, got more");
}

TEST(ManyEntriesInAManifest, NamesThatOnlyShow) {
  auto expectName = [](const std::string &name, const std::string &shown) {
    expectRefusal(
        makeManifest(fmt::format(R"({{"name": "{}", "images": []}})", name),
                     ""),
        "modules[0].name: expected a name of printable characters, got '" +
            shown + "'");
  };
  expectName("\\u001b[2J", "\\x1b[2J");
  expectName("\xc2\x9b 2J", "\\u009b 2J"); // the same as one character
  expectName("a\\u202eb", "a\\u202eb");    // from right to left
  expectName("a\xe2\x80\xa8z", "a\\u2028z");
  EXPECT_TRUE(parseManifest(
      makeManifest("{\"name\": \"na\xc3\xafve\", \"images\": []}", "")));
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

TEST_F(ManyEntries, ModulesAndVariants) {
  constexpr int kCount = 20000;
  std::string variants =
      makeList(kCount, [](int i) { return makeVariant(i, i); });
  Package package =
      writeAndOpen(makeManifest(makeModules(kCount), makeKernel("", variants)));
  Context context = open();
  TimeLimit limit(10);
  Result<Kernel> kernel = Kernel::get(context, package, "k");
  ASSERT_TRUE(kernel) << kernel.error().message;
  Result<std::vector<VariantReport>> reports = kernel->explain(nullptr, 0);
  ASSERT_TRUE(reports);
  ASSERT_EQ(reports->size(), size_t(kCount));
  EXPECT_EQ(reports->back().reasons,
            std::vector<std::string>{
                "expected any code of module 'm19999', which has none"});
  Status status = kernel->launch(nullptr, 0);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::NoVariant);
  const std::string &message = status.error().message;
  EXPECT_LE(message.size(), kMaxMessageBytes);
  EXPECT_EQ(message.rfind("no variant of 'k' takes these arguments: f0: "
                          "expected any code of module 'm0', which has none; "
                          "f1: ",
                          0),
            0u);
  EXPECT_NE(message.find(" more", message.size() - 5), std::string::npos)
      << message.substr(message.size() - 40);
  // Names of what there is instead.
  Result<Launch> launch = kernel->prepareVariant("g", nullptr, 0);
  ASSERT_FALSE(launch);
  EXPECT_LE(launch.error().message.size(), kMaxMessageBytes);
  EXPECT_NE(launch.error().message.find(" more), got 'g'"), std::string::npos);
}

/// One module with an image for each function.
TEST_F(ManyEntries, ImagesOfFunctions) {
  constexpr int kCount = 20000;
  std::string image = R"({{"chip": "sm_80", "kind": "ptx", "file": "one.ptx",
    "bytes": 0, "hash": "", "function": "f{}"}})";
  std::string images = makeList(
      kCount, [&](int i) { return fmt::format(fmt::runtime(image), i); });
  std::string variants =
      makeList(kCount, [](int i) { return makeVariant(i, 0); });
  Package package = writeAndOpen(
      makeManifest(fmt::format(R"({{"name": "m0", "images": [{}]}})", images),
                   makeKernel("", variants)));
  Context context = open();
  TimeLimit limit(10);
  Result<Kernel> kernel = Kernel::get(context, package, "k");
  ASSERT_TRUE(kernel) << kernel.error().message;
  EXPECT_TRUE(kernel->explain(nullptr, 0));
}

TEST_F(ManyEntries, LongExpressionsInReasons) {
  std::string name(kMaxNameBytes, 'n');
  std::string sum = R"(["scalar", 0])";
  for (int i = 0; i < 100; ++i)
    sum = fmt::format(R"(["add", {}, ["scalar", 0]])", sum);
  std::string guard = fmt::format(
      R"({{"kind": "range", "value": {}, "min": 1, "max": 1}})", sum);
  std::string argument = fmt::format(
      R"({{"name": "{}", "kind": "scalar", "access": "in",
           "element": "index"}})",
      name);
  Package package = writeAndOpen(makeManifest(
      makeModules(1), makeKernel(argument, makeVariant(0, 0, guard))));
  // No part of a text gets longer than a message: there may be many of them.
  const KernelInfo &info = package.getManifest().kernels[0];
  EXPECT_LE(toString(info.variants[0].guards[0].value, info).size(),
            kMaxMessageBytes);
  Result<Kernel> kernel = Kernel::get(open(), package, "k");
  ASSERT_TRUE(kernel);
  Argument zero = Argument::index(0);
  Result<std::vector<VariantReport>> reports = kernel->explain(&zero, 1);
  ASSERT_TRUE(reports);
  for (const std::string &reason : reports->front().reasons)
    EXPECT_LE(reason.size(), kMaxMessageBytes);
  Status status = kernel->launch(&zero, 1);
  ASSERT_FALSE(status);
  EXPECT_LE(status.error().message.size(), kMaxMessageBytes);
  EXPECT_NE(status.error().message.find(" bytes left out)"), std::string::npos);
}

//===----------------------------------------------------------------------===//
// Texts
//===----------------------------------------------------------------------===//

/// Traces a compiler's messages through long names of files and functions.
TEST(ManyEntriesInAText, LongNamesOfFilesAndFunctions) {
  std::string file(1 << 20, 'f'), function(1 << 20, 'g');
  std::string text = "#line 1 \"" + file + "\"\nvoid " + function + "() {\n";
  for (int i = 0; i < 100000; ++i)
    text += "a;\n";
  TimeLimit limit(10);
  FunctionLines lines(text + "}\n", "k.cu");
  EXPECT_EQ(lines.find(file, 99999), function);
}

TEST(ManyEntriesInAText, RawLiteralsWithoutADelimiter) {
  std::string text = "void f() {\n";
  for (int i = 0; i < 1 << 20; ++i)
    text += "R\"\n";
  TimeLimit limit(10);
  FunctionLines lines(text, "k.cu");
  EXPECT_EQ(lines.find("k.cu", 1000), "f");
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

TEST(Message, IsShortAndOnlyShows) {
  auto makeMessage = [](std::string_view text) {
    return Error(ErrorCode::IOError, text).message;
  };
  EXPECT_EQ(makeMessage("na\xc3\xafve: \xf0\x9f\x98\x80 \\"),
            "na\xc3\xafve: \xf0\x9f\x98\x80 \\");
  EXPECT_EQ(makeMessage(std::string_view("\x1b]0;x\x07\0\n\t\x7f", 10)),
            "\\x1b]0;x\\x07\\x00\\x0a\\x09\\x7f");
  // Neither a character of UTF-8, nor one cut off, overlong, or a surrogate.
  EXPECT_EQ(makeMessage("\x9b \xc3 \xc0\xaf \xe2\x80 \xed\xa0\x80"),
            "\\x9b \\xc3 \\xc0\\xaf \\xe2\\x80 \\xed\\xa0\\x80");
  std::string escaped = makeMessage("\x1b\xc2\x9b");
  EXPECT_EQ(makeMessage(escaped), escaped);
  EXPECT_EQ(makeMessage(std::string(4096, 'x')), std::string(4096, 'x'));
  EXPECT_EQ(makeMessage(std::string(4097, 'x')),
            std::string(4048, 'x') + "... (49 bytes left out)");
  // Not within a character.
  std::string message = makeMessage("x" + [] {
    std::string text;
    for (int i = 0; i < 5000; ++i)
      text += "\xc3\xaf";
    return text;
  }());
  EXPECT_LE(message.size(), kMaxMessageBytes);
  EXPECT_EQ(makeMessage(message), message);
}

} // namespace
