//===- ChooseVariantTest.cpp - choice by predicted and measured times -----===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels whose variants have costs, and kernels that were tuned. KernelTest
// tests the choice by order. Each choice is made by a launch, a prepared launch
// and explain().
//
//===----------------------------------------------------------------------===//

#include "ProgramFixture.h"

using namespace carousel;
using namespace carousel::runtime;
using namespace carousel::runtime::test;

namespace {

constexpr const char *kVariants = "/kernels/0/variants";

/// A variant of "copy" that takes a number of blocks which is its own.
struct TestVariant {
  const char *function;
  std::string cost = "";    ///< empty: none
  std::string guards = "";  ///< after that of equal extents
  std::string grid = "256"; ///< x.extent(0) by this
};

std::string makeVariant(const TestVariant &variant) {
  return R"({"function": ")" + std::string(variant.function) +
         R"(", "module": "simple", "chips": ["sm_80"], "guards": [
           {"kind": "equal", "left": ["extent", 0, 0],
            "right": ["extent", 1, 0]})" +
         (variant.guards.empty() ? "" : ", " + variant.guards) +
         R"(], "index_bits": 64, "parameters": [
           {"kind": "pointer", "argument": 0},
           {"kind": "extent", "argument": 0, "dim": 0},
           {"kind": "pointer", "argument": 1},
           {"kind": "extent", "argument": 1, "dim": 0}],
         "tensor_maps": [],
         "grid": [["ceildiv", ["extent", 0, 0], )" +
         variant.grid +
         R"(], 1, 1], "block": [256, 1, 1], "cluster": [1, 1, 1],
         "dynamic_shared": 0)" +
         (variant.cost.empty() ? "" : R"(, "cost": )" + variant.cost) + "}";
}

std::string makeManifest(std::initializer_list<TestVariant> variants,
                         const std::string &tuned = "") {
  std::string list;
  for (const TestVariant &variant : variants)
    list += (list.empty() ? "" : ",") + makeVariant(variant);
  std::string manifest =
      setMember(makeCopyManifest(), kVariants, "[" + list + "]");
  return tuned.empty() ? manifest
                       : setMember(manifest, "/kernels/0/tuned", tuned);
}

/// Holds for multiples of 4.
constexpr const char *kEven =
    R"({"kind": "divisible", "value": ["extent", 0, 0], "by": 4})";
/// Never holds.
constexpr const char *kNever =
    R"({"kind": "range", "value": 1, "min": 2, "max": 2})";

class ChooseVariant : public KernelFixture {
protected:
  /// The variant that a launch, a prepared one and explain() choose, and its
  /// blocks; or the error of the first.
  std::string choose(const Kernel &kernel, const Argument *arguments,
                     size_t count) {
    fake::clearCalls();
    Status status = kernel.launch(arguments, count);
    if (!status)
      return status.error().message;
    fake::Launch launch = fake::getLaunches().at(0);
    Result<Launch> prepared = kernel.prepare(arguments, count);
    EXPECT_TRUE(prepared) << prepared.error().message;
    EXPECT_EQ(prepared->getVariant().function, launch.function);
    EXPECT_EQ(prepared->getGrid(), launch.grid);
    Result<std::vector<VariantReport>> reports =
        kernel.explain(arguments, count);
    EXPECT_TRUE(reports) << reports.error().message;
    for (const VariantReport &report : *reports) {
      EXPECT_EQ(report.chosen, report.function == launch.function)
          << report.function;
      EXPECT_TRUE(report.accepted || !report.chosen);
    }
    return launch.function + " " + std::to_string(launch.grid[0]);
  }
  std::string choose(const Kernel &kernel, const CopyArguments &arguments) {
    return choose(kernel, arguments.list, 2);
  }
  std::string choose(std::initializer_list<TestVariant> variants,
                     int64_t n = 1024) {
    return choose(getKernel("copy", makeManifest(variants)), CopyArguments(n));
  }
};

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

TEST_F(ChooseVariant, LeastCostBeforeOneWithoutCost) {
  EXPECT_EQ(choose({{"a", "5", "", "1"},
                    {"b", "3", "", "2"},
                    {"c", "", "", "4"},
                    {"d", "1", "", "8"}}),
            "b 512");
  EXPECT_EQ(choose({{"a", "5", "", "1"}, {"b", "3", "", "2"}}), "b 512");
  EXPECT_EQ(choose({{"a", "3", "", "1"}, {"b", "5", "", "2"}}), "a 1024");
  EXPECT_EQ(choose({{"a", "3", "", "1"}, {"c", "", "", "4"}}), "a 1024");
  EXPECT_EQ(choose({{"c", "", "", "4"}, {"d", "1", "", "8"}}), "c 256");
  EXPECT_EQ(choose({{"a", "5", "", "1"}, {"b", "4", "", "2"}, {"c", "0"}}),
            "c 4");
}

TEST_F(ChooseVariant, EqualCosts) {
  EXPECT_EQ(choose({{"a", "7", "", "1"}, {"b", "7", "", "2"}}), "a 1024");
  EXPECT_EQ(choose({{"a", "8"}, {"b", "7", "", "1"}, {"c", "7", "", "2"}}),
            "b 1024");
}

TEST_F(ChooseVariant, OnlyThoseThatAccept) {
  // The cheaper one refuses; so does one without a cost.
  EXPECT_EQ(choose({{"a", "5", "", "1"}, {"b", "3", kEven, "2"}}, 1001),
            "a 1001");
  EXPECT_EQ(choose({{"a", "5", "", "1"}, {"b", "3", kEven, "2"}}, 1000),
            "b 500");
  EXPECT_EQ(
      choose({{"a", "5", "", "1"}, {"b", "", kEven, "2"}, {"c", "4", "", "4"}},
             1001),
      "c 251");
  EXPECT_EQ(choose({{"a", "5", kNever}, {"b", "", "", "2"}}), "b 512");
  EXPECT_EQ(choose({{"a", "1", kNever}, {"b", "2", kNever}}),
            "no variant of 'copy' takes these arguments: a: expected 1 to be "
            "from 2 to 2, got 1; b: expected 1 to be from 2 to 2, got 1");
  // A grid that is none, after one that is.
  EXPECT_EQ(choose({{"a", "5", "", "1"}, {"b", "3", "", "0"}}), "a 1024");
}

TEST_F(ChooseVariant, CostsOfArguments) {
  // 8 ns, or one for each 256 elements and multiprocessor.
  Kernel kernel = getKernel(
      "copy",
      makeManifest(
          {{"constant", "8"},
           {"linear", R"(["ceildiv", ["extent", 0, 0], ["mul", "sms", 256]])",
            "", "1"}}));
  EXPECT_EQ(choose(kernel, CopyArguments(7 * 132 * 256)), "linear 236544");
  EXPECT_EQ(choose(kernel, CopyArguments(8 * 132 * 256)), "constant 1056");
  EXPECT_EQ(choose(kernel, CopyArguments(100)), "linear 100");
}

TEST_F(ChooseVariant, CostsWithoutAValue) {
  const std::string overflow =
      R"(["mul", ["extent", 0, 0], 9223372036854775807])";
  EXPECT_EQ(choose({{"a", overflow}, {"b", "9223372036854775806", "", "1"}}),
            "b 1024");
  EXPECT_EQ(choose({{"a", R"(["floordiv", 1, 0])"}, {"b", "9", "", "1"}}),
            "b 1024");
  EXPECT_EQ(choose({{"a", "-1"}, {"b", "9", "", "1"}}), "b 1024");
  // It doesn't end the search as none would, and the first of them is taken.
  EXPECT_EQ(choose({{"a", overflow, "", "1"}, {"b", "-1"}}), "a 1024");
  EXPECT_EQ(choose({{"a", overflow, "", "1"}, {"b", ""}}), "a 1024");
}

TEST_F(ChooseVariant, Explained) {
  Kernel kernel =
      getKernel("copy", makeManifest({{"a", "5"},
                                      {"b", "3", kEven},
                                      {"c", "-1"},
                                      {"d", ""},
                                      {"e", R"(["extent", 0, 0])"}}));
  CopyArguments arguments(1001);
  Result<std::vector<VariantReport>> reports =
      kernel.explain(arguments.list, 2);
  ASSERT_TRUE(reports) << reports.error().message;
  ASSERT_EQ(reports->size(), 5u);
  EXPECT_EQ(reports->at(0).predicted, 5);
  EXPECT_TRUE(reports->at(0).chosen);
  EXPECT_EQ(reports->at(1).predicted, 3);
  EXPECT_FALSE(reports->at(1).accepted);
  EXPECT_EQ(reports->at(2).predicted, std::nullopt);
  EXPECT_EQ(reports->at(3).predicted, std::nullopt);
  EXPECT_EQ(reports->at(4).predicted, 1001);
  for (const VariantReport &report : *reports)
    EXPECT_EQ(report.measured, std::nullopt);
}

/// All are asked with the strides that callers gave, and the chosen one runs
/// with those that it was chosen with.
TEST_F(ChooseVariant, StridesOfTheChosenOne) {
  std::string manifest = makeCopyManifest();
  const std::string first = "/kernels/1/variants/0";
  auto guard = [](const char *by) {
    return R"([{"kind": "divisible", "value": ["stride", 0, 0], "by": )" +
           std::string(by) + "}]";
  };
  manifest = setMember(manifest, first + "/tensor_maps", "[]");
  manifest = setMember(manifest, first + "/parameters",
                       R"([{"kind": "stride", "argument": 0, "dim": 0}])");
  manifest = setMember(manifest, first + "/cost", "5");
  manifest = setMember(manifest, first + "/guards", guard("8"));
  // The same as another variant, which takes the stride as it is.
  std::string variants =
      R"([{"function": "loose", "module": "copies", "chips": ["sm_90a"],
           "guards": )" +
      guard("8") +
      R"(, "index_bits": 64, "parameters": [
           {"kind": "stride", "argument": 0, "dim": 0}], "tensor_maps": [],
         "grid": [1, 1, 1], "block": [1, 1, 1], "cluster": [1, 1, 1],
         "dynamic_shared": 0, "cost": 5},
        {"function": "given", "module": "copies", "chips": ["sm_90a"],
           "guards": )" +
      guard("7") +
      R"(, "index_bits": 64, "parameters": [
           {"kind": "stride", "argument": 0, "dim": 0}], "tensor_maps": [],
         "grid": [2, 1, 1], "block": [1, 1, 1], "cluster": [1, 1, 1],
         "dynamic_shared": 0, "cost": COST}])";
  fake::setParameterSizes("loose", {8});
  fake::setParameterSizes("given", {8});
  auto getStride = [&](const std::string &cost, const std::string &choice) {
    std::string list = variants;
    list.replace(list.find("COST"), 4, cost);
    Kernel kernel =
        getKernel("copy_2d", setMember(manifest, "/kernels/1/variants", list));
    Copy2DArguments one(1, 1000, 1001);
    EXPECT_EQ(choose(kernel, one.list, 2), choice);
    return fake::getLaunches().at(0).get<int64_t>(0);
  };
  EXPECT_EQ(getStride("6", "loose 1"), 0);
  EXPECT_EQ(getStride("4", "given 2"), 1001);
  // The cost, too, has the stride that was given.
  EXPECT_EQ(getStride(R"(["sub", 1005, ["stride", 0, 0]])", "given 2"), 1001);
}

/// Maps that were made for others don't stay.
TEST_F(ChooseVariant, MapsOfTheChosenOne) {
  std::string manifest = makeCopyManifest();
  const std::string variants = "/kernels/1/variants/";
  auto makeMapped = [](const char *function, const char *offset,
                       const char *cost, int64_t multiple) {
    return R"({"function": ")" + std::string(function) +
           R"(", "module": "copies", "chips": ["sm_90a"], "guards": [
             {"kind": "divisible", "value": ["extent", 0, 1], "by": )" +
           std::to_string(multiple) + R"(}], "index_bits": 64,
             "parameters": [{"kind": "tensor_map", "map": 0}],
             "tensor_maps": [
               {"argument": 0, "element": "bf16", "mode": "tile",
                "box": [64, 64], "element_strides": [1, 1], "lower": [],
                "upper": [], "swizzle": "b128", "interleave": "none",
                "promotion": "b256", "fill": "zero",
                "extents": [["extent", 0, 0], ["extent", 0, 1]],
                "strides": [["mul", ["stride", 0, 0], 2]],
                "offset": )" +
           offset + R"(}], "grid": [2, 1, 1], "block": [128, 1, 1],
             "cluster": [2, 1, 1], "dynamic_shared": 0, "cost": )" +
           cost + "}";
  };
  // The cheapest breaks a rule of maps, after its sources were computed.
  std::string list = "[" + makeMapped("a", "16", "5", 1) + "," +
                     makeMapped("b", "8", "3", 1) + "," +
                     makeMapped("c", "32", "1", 3) + "]";
  fake::setParameterSizes("a", {128});
  Kernel kernel =
      getKernel("copy_2d", setMember(manifest, "/kernels/1/variants", list));
  Copy2DArguments arguments(64, 1024, 1024);
  fake::clearCalls();
  expectSuccess(kernel.launch(arguments.list, 2));
  EXPECT_EQ(fake::getLaunches().at(0).function, "a");
  ASSERT_EQ(fake::getEncodes().size(), 1u);
  EXPECT_EQ(fake::getEncodes()[0].address, 0x10010u);
}

//===----------------------------------------------------------------------===//
// Measured times
//===----------------------------------------------------------------------===//

/// Three with costs; "b" is the cheapest.
const std::initializer_list<TestVariant> kThree = {
    {"a", "5", kEven, "1"}, {"b", "3", "", "2"}, {"c", "4", "", "4"}};

std::string makeTuned(const char *device, const char *values,
                      const char *times) {
  return R"([{"device": ")" + std::string(device) + R"(", "values": )" +
         values + R"(, "times": )" + times + "}]";
}

TEST_F(ChooseVariant, Tuned) {
  Kernel kernel = getKernel("copy", makeManifest(kThree, R"([
        {"device": "Fake GPU", "values": [2048, 2048], "times": [
          {"function": "c", "ns": 90}, {"function": "b", "ns": 91}]},
        {"device": "Other GPU", "values": [4096, 4096], "times": [
          {"function": "c", "ns": 90}]},
        {"device": "Fake GPU", "values": [1024, 1024], "times": [
          {"function": "a", "ns": 100}, {"function": "c", "ns": 200}]},
        {"device": "Fake GPU", "values": [1023, 1023], "times": [
          {"function": "a", "ns": 100}, {"function": "c", "ns": 200}]},
        {"device": "Fake GPU", "values": [1021, 1021], "times": [
          {"function": "a", "ns": 100}]}])"));
  EXPECT_EQ(choose(kernel, CopyArguments(1024)), "a 1024");
  EXPECT_EQ(choose(kernel, CopyArguments(2048)), "c 512");
  // The first of them doesn't accept 1023.
  EXPECT_EQ(choose(kernel, CopyArguments(1023)), "c 256");
  // None does.
  EXPECT_EQ(choose(kernel, CopyArguments(1021)), "b 511");
  // Other values, and those of another device.
  EXPECT_EQ(choose(kernel, CopyArguments(1022)), "b 511");
  EXPECT_EQ(choose(kernel, CopyArguments(4)), "b 2");
  EXPECT_EQ(choose(kernel, CopyArguments(4096)), "b 2048");
  EXPECT_EQ(choose(kernel, CopyArguments(1 << 20)), "b 524288");
}

TEST_F(ChooseVariant, TunedOfTheOtherDevice) {
  fake::Device device = makeDevice(9);
  device.name = "Other GPU";
  fake::setDevices({device});
  Kernel kernel = getKernel(
      "copy",
      makeManifest(kThree, makeTuned("Other GPU", "[8, 8]",
                                     R"([{"function": "c", "ns": 1}])")));
  EXPECT_EQ(choose(kernel, CopyArguments(8)), "c 2");
}

/// Without costs too, and of two values the second may differ.
TEST_F(ChooseVariant, TunedWithoutCosts) {
  Kernel kernel = getKernel(
      "copy", makeManifest({{"a", "", "", "1"}, {"b", "", "", "2"}},
                           makeTuned("Fake GPU", "[8, 8]",
                                     R"([{"function": "b", "ns": 1}])")));
  EXPECT_EQ(choose(kernel, CopyArguments(8)), "b 4");
  EXPECT_EQ(choose(kernel, CopyArguments(16)), "a 16");
  CopyArguments arguments(8);
  int64_t other = 16;
  arguments.list[1].extents = &other;
  EXPECT_FALSE(kernel.launch(arguments.list, 2));
}

TEST_F(ChooseVariant, TunedIsExplained) {
  Kernel kernel = getKernel(
      "copy", makeManifest(kThree, makeTuned("Fake GPU", "[1023, 1023]", R"([
                     {"function": "a", "ns": 100},
                     {"function": "c", "ns": 200}])")));
  CopyArguments arguments(1023);
  Result<std::vector<VariantReport>> reports =
      kernel.explain(arguments.list, 2);
  ASSERT_TRUE(reports) << reports.error().message;
  EXPECT_EQ(reports->at(0).measured, 100);
  EXPECT_FALSE(reports->at(0).accepted);
  EXPECT_EQ(reports->at(1).measured, std::nullopt);
  EXPECT_EQ(reports->at(1).predicted, 3);
  EXPECT_EQ(reports->at(2).measured, 200);
  EXPECT_EQ(reports->at(2).predicted, 4);
  EXPECT_TRUE(reports->at(2).chosen);
  arguments.extents[0] = 1024;
  EXPECT_EQ(kernel.explain(arguments.list, 2)->at(2).measured, std::nullopt);
}

TEST_F(ChooseVariant, ValuesOfArguments) {
  Kernel kernel = getKernel("scale");
  int64_t extent = 100;
  Argument arguments[] = {
      Argument::tensor(ElementType::F32, 0x30000, 1, &extent),
      Argument::index(99), Argument::scalar(ElementType::F32, 7),
      Argument::scalar(ElementType::I32, 0xfffffffe)};
  Result<std::vector<int64_t>> values = kernel.getTunedValues(arguments, 4);
  ASSERT_TRUE(values) << values.error().message;
  EXPECT_EQ(*values, (std::vector<int64_t>{100, 99, -2}));
  EXPECT_FALSE(kernel.getTunedValues(arguments, 3));
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

using ChooseInProgram = ProgramFixture;

TEST_F(ChooseInProgram, StepsChooseAlike) {
  Context context = open();
  std::string manifest =
      setMember(makeProgramManifest(), "/kernels/0/variants/0/cost",
                R"(["extent", 0, 0])");
  manifest = setMember(manifest, "/kernels/0/variants/1/cost", "1000");
  manifest = setMember(manifest, "/kernels/0/tuned",
                       makeTuned("Fake GPU", "[2000, 2000]",
                                 R"([{"function": "copy_bulk", "ns": 1}])"));
  Program program = getProgram(context, manifest);
  auto run = [&](int64_t n) {
    TwiceArguments arguments(context, n);
    fake::clearCalls();
    expectSuccess(program.launch(arguments.list, 3));
    arguments.expect(2.0f);
    EXPECT_EQ(getFunctions().size(), 2u);
    std::string function = getFunctions().back();
    Result<PreparedProgram> prepared = program.prepare(arguments.list, 3);
    EXPECT_TRUE(prepared);
    EXPECT_EQ(prepared->getLaunches().at(1).getVariant().function, function);
    return function;
  };
  EXPECT_EQ(run(1000), "copy_bulk");
  EXPECT_EQ(run(1004), "copy_simple");
  EXPECT_EQ(run(2000), "copy_bulk");
  EXPECT_EQ(run(2004), "copy_simple");
}

/// A plan that was made for one value of a scalar isn't one for another, if
/// the choice depends on it.
TEST_F(ChooseInProgram, ScalarsThatDecide) {
  Context context = open();
  std::string scale = R"({"function": "NAME", "module": "simple",
     "chips": ["sm_80"], "guards": [], "index_bits": 32, "parameters": [
       {"kind": "pointer", "argument": 0},
       {"kind": "extent", "argument": 0, "dim": 0},
       {"kind": "scalar", "argument": 1}, {"kind": "scalar", "argument": 2},
       {"kind": "scalar", "argument": 3}],
     "tensor_maps": [], "grid": [1, 1, 1], "block": [256, 1, 1],
     "cluster": [1, 1, 1], "dynamic_shared": 0)";
  auto makeNamed = [&](const char *name, const std::string &cost) {
    std::string text = scale;
    text.replace(text.find("NAME"), 4, name);
    return text + (cost.empty() ? "" : R"(, "cost": )" + cost) + "}";
  };
  fake::setParameterSizes("first", {8, 4, 4, 4, 4});
  fake::setParameterSizes("second", {8, 4, 4, 4, 4});
  // The program's only scalar becomes the bias of scale.
  std::string base = setMember(makeProgramManifest(),
                               "/programs/0/arguments/1/element", "\"i32\"");
  base = setMember(base, "/programs/0/steps/1/operands/2",
                   R"({"kind": "bits", "element": "f32", "bits": 0})");
  base = setMember(base, "/programs/0/steps/1/operands/3",
                   R"({"kind": "scalar", "argument": 1})");
  auto getFirsts = [&](const std::string &manifest) {
    Program program = getProgram(context, manifest);
    TwiceArguments arguments(context, 64);
    std::vector<std::string> functions;
    for (uint32_t bias : {3, 9, 3}) {
      arguments.list[1] = Argument::scalar(ElementType::I32, bias);
      fake::clearCalls();
      expectSuccess(program.launch(arguments.list, 3));
      functions.push_back(getFunctions().at(0));
    }
    return functions;
  };
  const std::vector<std::string> expected = {"first", "second", "first"};
  EXPECT_EQ(getFirsts(setMember(base, "/kernels/2/variants",
                                "[" + makeNamed("first", R"(["scalar", 3])") +
                                    "," + makeNamed("second", "5") + "]")),
            expected);
  std::string tuned = setMember(base, "/kernels/2/variants",
                                "[" + makeNamed("first", "") + "," +
                                    makeNamed("second", "") + "]");
  EXPECT_EQ(getFirsts(setMember(tuned, "/kernels/2/tuned",
                                makeTuned("Fake GPU", "[64, 64, 9]",
                                          R"([{"function": "second",
                                               "ns": 1}])"))),
            expected);
}

} // namespace
