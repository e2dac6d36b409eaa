//===- ManifestTunedTest.cpp - costs and measured times in a manifest -----===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ManifestErrors.h"

using namespace carousel::runtime;
using namespace carousel::runtime::test;

namespace {

constexpr const char *kCopyTuned = R"([
  {"device": "Fake GPU", "values": [4096, 4096], "times": [
    {"function": "copy_simple", "ns": 900},
    {"function": "copy_bulk", "ns": 1200}]},
  {"device": "Fake GPU", "values": [0, 9223372036854775807], "times": [
    {"function": "copy_bulk", "ns": 0}]},
  {"device": "Other GPU", "values": [4096, 4096], "times": [
    {"function": "copy_bulk", "ns": 7}, {"function": "copy_simple", "ns": 7}]}
])";

std::string makeTunedManifest() {
  return setMember(setMember(makeCopyManifest(), "/kernels/0/variants/0/cost",
                             R"(["ceildiv", ["extent", 0, 0], "sms"])"),
                   "/kernels/0/tuned", kCopyTuned);
}

TEST(ManifestTuned, Read) {
  Result<Manifest> manifest = parseManifest(makeTunedManifest());
  ASSERT_TRUE(manifest) << manifest.error().message;
  const KernelInfo &copy = manifest->kernels[0];
  ASSERT_TRUE(copy.variants[0].cost);
  EXPECT_EQ(toString(*copy.variants[0].cost, copy),
            "ceildiv(x.extent(0), sms)");
  EXPECT_FALSE(copy.variants[1].cost);
  ASSERT_EQ(copy.tuned.size(), 3u);
  const TunedInfo &first = copy.tuned[0];
  EXPECT_EQ(first.device, "Fake GPU");
  EXPECT_EQ(first.values, (std::vector<int64_t>{4096, 4096}));
  ASSERT_EQ(first.times.size(), 2u);
  EXPECT_EQ(first.times[0].variant, 1u);
  EXPECT_EQ(first.times[0].nanoseconds, 900);
  EXPECT_EQ(first.times[1].variant, 0u);
  EXPECT_EQ(first.times[1].nanoseconds, 1200);
  EXPECT_EQ(copy.tuned[1].values, (std::vector<int64_t>{0, INT64_MAX}));
  EXPECT_EQ(copy.tuned[2].device, "Other GPU");
  EXPECT_TRUE(manifest->kernels[1].tuned.empty());
}

TEST(ManifestTuned, Values) {
  Result<Manifest> manifest = parseManifest(makeCopyManifest());
  ASSERT_TRUE(manifest);
  auto describe = [&](size_t kernel) {
    std::string text;
    for (const TunedValue &value : manifest->kernels[kernel].getTunedValues())
      text += manifest->kernels[kernel].arguments[value.argument].name +
              (value.dim ? std::to_string(*value.dim) : "") + " ";
    return text;
  };
  EXPECT_EQ(describe(0), "x0 y0 ");
  EXPECT_EQ(describe(1), "x0 x1 y0 y1 ");
  EXPECT_EQ(describe(2), "x0 n bias "); // not the float
  EXPECT_EQ(describe(3), "x1 x3 ");     // not what the manifest says
}

/// A scalar may be negative, and a kernel without values has one entry.
TEST(ManifestTuned, ValuesOfScalars) {
  std::string times = R"("times": [{"function": "scale", "ns": 5}]})";
  Result<Manifest> manifest = parseManifest(setMember(
      makeCopyManifest(), "/kernels/2/tuned",
      R"([{"device": "Fake GPU", "values": [8, 8, -1], )" + times + "]"));
  ASSERT_TRUE(manifest) << manifest.error().message;
  EXPECT_EQ(manifest->kernels[2].tuned[0].values,
            (std::vector<int64_t>{8, 8, -1}));
  std::string manifestOfNone =
      setMember(makeCopyManifest(), "/kernels/0/arguments/0/extents", "[4096]");
  manifestOfNone =
      setMember(manifestOfNone, "/kernels/0/arguments/1/extents", "[4096]");
  manifest = parseManifest(setMember(manifestOfNone, "/kernels/0/tuned",
                                     R"([{"device": "Fake GPU", "values": [],
                     "times": [{"function": "copy_bulk", "ns": 5}]}])"));
  ASSERT_TRUE(manifest) << manifest.error().message;
  EXPECT_TRUE(manifest->kernels[0].tuned[0].values.empty());
}

TEST(ManifestTuned, Costs) {
  expectErrors(
      "/kernels/0/variants/0/cost", "kernels[0].variants[0].cost",
      {{"", "\"resident\"",
        ": expected 'resident' in a grid only, got it here"},
       {"", "null",
        ": expected an integer, 'sms', 'resident' or a list of an operator and "
        "its operands, got null"},
       {"", R"(["extent", 2, 0])",
        "[1]: expected an argument's number below 2, got 2"}});
}

TEST(ManifestTuned, Entries) {
  auto expect = [&](const char *pointer, const char *value,
                    const char *message) {
    SCOPED_TRACE(pointer);
    std::string at = "/kernels/0/tuned" + std::string(pointer);
    std::string manifest = makeTunedManifest();
    expectError(value ? setMember(manifest, at, value)
                      : removeMember(manifest, at),
                "kernels[0].tuned" + std::string(message));
  };
  expect("", "{}", ": expected a list, got an object");
  expect("/0", "1", "[0]: expected an object, got 1");
  expect("/0/device", nullptr, "[0]: expected a member 'device', got none");
  expect("/0/device", "\"\"",
         "[0].device: expected a name of printable characters, got ''");
  expect("/0/values", nullptr, "[0]: expected a member 'values', got none");
  expect("/0/values", "[4096]", "[0].values: expected a list of 2, got 1");
  expect("/0/values/1", "-1",
         "[0].values[1]: expected an integer of at least 0, got -1");
  expect("/0/values/1", "null",
         "[0].values[1]: expected an integer of at least 0, got null");
  expect("/0/times", nullptr, "[0]: expected a member 'times', got none");
  expect("/0/times", "[]", "[0].times: expected at least one time, got none");
  expect("/0/times/0/function", "\"copy_ring_2d\"",
         "[0].times[0].function: expected the function of a variant, got "
         "'copy_ring_2d'");
  expect("/0/times/1/function", "\"copy_simple\"",
         "[0].times[1]: expected one time of a function, got a second");
  expect("/0/times/1/ns", "899",
         "[0].times[1]: expected ascending times, got 899 after 900");
  expect("/0/times/0/ns", "-1",
         "[0].times[0].ns: expected an integer of at least 0, got -1");
  expect("/0/times/0/ns", "0.5",
         "[0].times[0].ns: expected an integer of at least 0, got 0.5");
  expect("/2/device", "\"Fake GPU\"",
         "[2]: expected one entry for a device and its values, got a second "
         "for 'Fake GPU'");
}

/// Each of 22000 launches tries its variant more than once, at most.
TEST(ManifestTuned, BoundsTheWorkOfALaunch) {
  std::string guards, steps;
  for (int i = 0; i < 195; ++i)
    guards += std::string(i ? "," : "") +
              R"({"kind": "divisible", "value": "sms", "by": 1})";
  for (int i = 0; i < 22000; ++i)
    steps += std::string(i ? "," : "") +
             R"({"kind": "launch", "kernel": "k", "operands": []})";
  auto makeText = [&](const char *cost, const char *tuned) {
    return R"({"format": "carousel-package", "version": 3,
      "producer": "test", "modules": [{"name": "m", "images": []}],
      "kernels": [{"name": "k", "arguments": [], "variants": [
        {"function": "f", "module": "m", "chips": ["sm_90a"], "guards": [)" +
           guards + R"(], "index_bits": 64, "parameters": [],
         "tensor_maps": [], "grid": [1, 1, 1], "block": [1, 1, 1],
         "cluster": [1, 1, 1], "dynamic_shared": 0)" +
           cost + "}]" + tuned + R"(}],
      "programs": [{"name": "p", "arguments": [], "constants": [],
        "checks": [], "steps": [)" +
           steps + "]}]}";
  };
  EXPECT_TRUE(parseManifest(makeText("", "")));
  const std::string message =
      "programs[0].steps: expected a program that looks at no more than "
      "16777216 guards, operators, operands, tensor maps and arguments, got ";
  expectError(makeText(R"(, "cost": ["add", "sms", 1])", ""),
              message + "17490000");
  expectError(makeText("", R"(, "tuned": [{"device": "d", "values": [],
                             "times": [{"function": "f", "ns": 1}]}])"),
              message + "17380000");
}

} // namespace
