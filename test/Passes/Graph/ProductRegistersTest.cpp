//===- ProductRegistersTest.cpp - the registers of planned products -------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products and convolutions of all types, extents, batches and depths, and what
// follows them, are planned so that threads have registers for their factors,
// and CTAs shared memory: lowering ends in no error. The domain is drawn by a
// seed. With --gtest_shuffle and --gtest_repeat=n it is another one each time.
//
//===----------------------------------------------------------------------===//

#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Passes/Pipelines.h"
#include "carousel/Target/ChipModel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"

#include <random>
#include <set>

using namespace mlir;
using namespace carousel;

namespace {

/// An extent, and the value that has it if the type doesn't.
struct Extent {
  int64_t count;
  std::string value;
};
using Shape = std::vector<Extent>;

struct Loop {
  std::string name;
  int64_t extent;
  bool isReduced = false, isUnknown = false;
};

/// An index of a factor: a loop, or two of a window.
struct Index {
  std::string loop, window;
  int64_t stride = 1, dilation = 1;

  std::string getText() const {
    if (window.empty())
      return loop;
    return loop + " * " + std::to_string(stride) + " + " + window + " * " +
           std::to_string(dilation);
  }
};

/// Two factors, their sums, and what reads these.
struct Draw {
  std::string types[2], sum;
  std::vector<Loop> loops;
  std::vector<Index> reads[2];
  std::vector<std::string> follower = {};
  int64_t others = 1; ///< columns of a product with the sums
  bool isComputed[2] = {};
  bool isUnsigned = false;

  const Loop &find(const std::string &name) const {
    return *llvm::find_if(loops,
                          [&](const Loop &loop) { return loop.name == name; });
  }
};

/// y[b, i, j], summed over one or two dimensions of both factors, in which rows
/// and columns have the place `places`.
Draw makeProduct(const std::string &type, const std::string &sum, int64_t batch,
                 int64_t rows, int64_t columns,
                 const std::vector<int64_t> &depth,
                 const std::vector<size_t> &places = {0, 0}) {
  Draw draw{{type, type}, sum, {}, {}};
  draw.loops = {{"b", batch}, {"i", rows}, {"j", columns}};
  for (unsigned factor : {0, 1}) {
    draw.reads[factor] = {{"b"}};
    for (size_t at = 0; at != depth.size(); ++at)
      draw.reads[factor].push_back({"k" + std::to_string(at)});
    draw.reads[factor].insert(draw.reads[factor].begin() + 1 + places[factor],
                              Index{factor == 0 ? "i" : "j"});
  }
  for (auto [at, extent] : llvm::enumerate(depth))
    draw.loops.push_back({"k" + std::to_string(at), extent, true});
  return draw;
}

class Writer {
public:
  explicit Writer(const Draw &draw) : draw(draw) {
    for (const Loop &loop : draw.loops)
      if (!loop.isReduced)
        result.push_back(loop.name);
  }

  std::string write() {
    std::string inputs, names[2] = {"x", "w"};
    for (unsigned factor : {0, 1}) {
      std::string type = tensor(getShape(factor), draw.types[factor]);
      inputs += "%" + names[factor] + ": " + type + ", ";
      addDims(names[factor], factor, type);
    }
    for (unsigned factor : {0, 1})
      if (draw.isComputed[factor])
        names[factor] = computeFactor(names[factor], factor);
    multiply("p", names[0], names[1]);
    std::string last = "p";
    Shape shape = getShape(result);
    for (const std::string &follower : draw.follower)
      std::tie(last, shape) = follow(follower, last, shape, names[0]);
    std::string type = tensor(shape, draw.sum);
    return "func.func @main(" + inputs + arguments +
           "%none: tensor<1xf32>) "
           "-> " +
           type + " {\n  %zero = arith.constant " + getZero() + " : " +
           draw.sum + "\n" + constants + text + "  return %" + last + " : " +
           type + "\n}\n";
  }

private:
  static bool isFloat(const std::string &type) {
    return type[0] == 'f' || type[0] == 'b';
  }
  std::string getZero() const { return isFloat(draw.sum) ? "0.0" : "0"; }
  std::string op(const std::string &name) const {
    if (draw.sum == "i1")
      return name == "mul" ? "arith.andi" : "arith.ori";
    return "arith." + name + (isFloat(draw.sum) ? "f" : "i");
  }

  static std::string tensor(const Shape &shape, const std::string &type) {
    std::string text = "tensor<";
    for (const Extent &extent : shape)
      text += (extent.value.empty() ? std::to_string(extent.count) : "?") + "x";
    return text + type + ">";
  }
  Extent getExtent(const std::string &name) const {
    const Loop &loop = draw.find(name);
    return {loop.extent, loop.isUnknown ? "%n" + name : ""};
  }
  Shape getShape(const std::vector<std::string> &names) const {
    Shape shape;
    for (const std::string &name : names)
      shape.push_back(getExtent(name));
    return shape;
  }
  Shape getShape(unsigned factor) const {
    Shape shape;
    for (const Index &index : draw.reads[factor]) {
      shape.push_back(getExtent(index.loop));
      if (!index.window.empty())
        shape.back().count =
            index.stride * (shape.back().count - 1) +
            index.dilation * (draw.find(index.window).extent - 1) + 1;
    }
    return shape;
  }
  /// The unknown extents of loops, from the first factor that has them.
  void addDims(const std::string &name, unsigned factor,
               const std::string &type) {
    for (auto [at, index] : llvm::enumerate(draw.reads[factor])) {
      Extent extent = getExtent(index.loop);
      if (extent.value.empty() || !known.insert(index.loop).second)
        continue;
      std::string place = "%at" + index.loop;
      constants += "  " + place + " = arith.constant " + std::to_string(at) +
                   " : index\n  " + extent.value + " = tensor.dim %" + name +
                   ", " + place + " : " + type + "\n";
    }
  }

  static std::string join(const std::vector<std::string> &names) {
    return llvm::join(names, ", ");
  }
  static std::string map(const std::vector<std::string> &loops,
                         const std::vector<std::string> &read) {
    return "affine_map<(" + join(loops) + ") -> (" + join(read) + ")>";
  }
  std::string addEmpty(const Shape &shape, const std::string &element) {
    std::string name = "%e" + std::to_string(number++), dims;
    for (const Extent &extent : shape)
      if (!extent.value.empty())
        dims += (dims.empty() ? "" : ", ") + extent.value;
    text += "  " + name + " = tensor.empty(" + dims +
            ") : " + tensor(shape, element) + "\n";
    return name;
  }

  struct Input {
    std::string name, type;
    std::vector<std::string> read;
  };
  /// An op whose body makes %s of %a, %c... and %o.
  void generic(const std::string &name, const std::vector<std::string> &loops,
               const std::vector<std::string> &kept,
               const std::vector<Input> &inputs, const Shape &shape,
               const std::string &element, const std::string &body) {
    std::string maps, kinds, values, types, arguments,
        init = addEmpty(shape, element);
    std::string type = tensor(shape, element);
    if (kept.size() != loops.size()) {
      text += "  %" + name + "f = linalg.fill ins(%zero : " + element +
              ") outs(" + init + " : " + type + ") -> " + type + "\n";
      init = "%" + name + "f";
    }
    for (const std::string &loop : loops)
      kinds +=
          std::string(kinds.empty() ? "" : ", ") +
          (llvm::is_contained(kept, loop) ? "\"parallel\"" : "\"reduction\"");
    for (auto [at, input] : llvm::enumerate(inputs)) {
      std::string comma = at == 0 ? "" : ", ";
      maps += map(loops, input.read) + ", ";
      values += comma + "%" + input.name;
      types += comma + input.type;
      std::string own = input.type.substr(input.type.rfind('x') + 1);
      arguments += "%" + std::string(1, char('a' + at)) + ": " +
                   own.substr(0, own.size() - 1) + ", ";
    }
    text += "  %" + name + " = linalg.generic {indexing_maps = [" + maps +
            map(loops, kept) + "], iterator_types = [" + kinds +
            "]}\n    ins(" + values + " : " + types + ") outs(" + init + " : " +
            type + ") {\n^bb0(" + arguments + "%o: " + element + "):\n" + body +
            "  linalg.yield %s : " + element + "\n  } -> " + type + "\n";
  }

  void multiply(const std::string &name, const std::string &x,
                const std::string &w) {
    std::vector<std::string> loops;
    for (const Loop &loop : draw.loops)
      loops.push_back(loop.name);
    std::vector<Input> inputs;
    std::string body, factors[] = {"%a", "%b"};
    for (unsigned factor : {0, 1}) {
      const std::string &type = draw.types[factor];
      inputs.push_back(
          {factor == 0 ? x : w, tensor(getShape(factor), type), {}});
      for (const Index &index : draw.reads[factor])
        inputs.back().read.push_back(index.getText());
      if (type == draw.sum)
        continue;
      std::string kind = isFloat(draw.sum)
                             ? draw.isUnsigned ? "uitofp" : "sitofp"
                         : draw.isUnsigned ? "extui"
                                           : "extsi";
      if (isFloat(type))
        kind = "extf";
      body += "  " + factors[factor] + "e = arith." + kind + " " +
              factors[factor] + " : " + type + " to " + draw.sum + "\n";
      factors[factor] += "e";
    }
    generic(name, loops, result, inputs, getShape(result), draw.sum,
            body + "  %m = " + op("mul") + " " + factors[0] + ", " +
                factors[1] + " : " + draw.sum + "\n  %s = " + op("add") +
                " %m, %o : " + draw.sum + "\n");
  }
  /// Writes the ops of the group that compute from a factor.
  std::string computeFactor(const std::string &name, unsigned factor) {
    const std::string &element = draw.types[factor];
    std::vector<std::string> dims;
    for (size_t dim = 0; dim != draw.reads[factor].size(); ++dim)
      dims.push_back("d" + std::to_string(dim));
    Shape shape = getShape(factor);
    std::string mul = element == "i1"    ? "arith.andi"
                      : isFloat(element) ? "arith.mulf"
                                         : "arith.muli";
    generic(name + "n", dims, dims, {{name, tensor(shape, element), dims}},
            shape, element, "  %s = " + mul + " %a, %a : " + element + "\n");
    return name + "n";
  }
  std::string addArgument(const Shape &shape) {
    std::string name = "v" + std::to_string(number++);
    arguments += "%" + name + ": " + tensor(shape, draw.sum) + ", ";
    return name;
  }

  std::pair<std::string, Shape> follow(const std::string &follower,
                                       const std::string &sums, Shape shape,
                                       const std::string &x) {
    std::string name = "r" + std::to_string(number++);
    std::string type = tensor(shape, draw.sum);
    std::vector<std::string> dims(result.begin(),
                                  result.begin() + shape.size());
    std::string mul = "  %m = " + op("mul") + " %a, %b : " + draw.sum + "\n";
    std::string add = "  %s = " + op("add") + " %m, %o : " + draw.sum + "\n";
    if (follower == "rows") {
      Shape kept(shape.begin(), shape.end() - 1);
      generic(name, dims, {dims.begin(), dims.end() - 1}, {{sums, type, dims}},
              kept, draw.sum,
              "  %s = " + op("add") + " %a, %o : " + draw.sum + "\n");
      return {name, kept};
    }
    if (follower == "columns") {
      // Four vectors of columns, as a norm has.
      std::vector<Input> inputs = {{sums, type, dims}};
      std::string body, last = "%a";
      for (char of : {'b', 'c', 'd', 'e'}) {
        inputs.push_back({addArgument({shape.back()}),
                          tensor({shape.back()}, draw.sum),
                          {dims.back()}});
        std::string next = of == 'e' ? "%s" : "%of" + std::string(1, of);
        body += "  " + next + " = " +
                op(of == 'b' || of == 'e' ? "add" : "mul") + " " + last +
                ", %" + std::string(1, of) + " : " + draw.sum + "\n";
        last = next;
      }
      generic(name, dims, dims, inputs, shape, draw.sum, body);
      return {name, shape};
    }
    if (follower == "gate") {
      // Another product of the first factor.
      std::string w = "u" + name, other = "q" + name;
      arguments += "%" + w + ": " + tensor(getShape(1), draw.types[1]) + ", ";
      multiply(other, x, w);
      generic(name, dims, dims, {{sums, type, dims}, {other, type, dims}},
              shape, draw.sum,
              "  %s = " + op("mul") + " %a, %b : " + draw.sum + "\n");
      return {name, shape};
    }
    std::string weights = sums;
    if (follower == "softmax") {
      std::string empty = addEmpty(shape, draw.sum);
      weights = name + "w";
      text += "  %" + weights + " = linalg.softmax dimension(" +
              std::to_string(shape.size() - 1) + ") ins(%" + sums + " : " +
              type + ") outs(" + empty + " : " + type + ") -> " + type + "\n";
    }
    // A product of the sums, or of their softmax.
    Shape values = {shape.front(), shape.back(), {draw.others, ""}};
    std::vector<std::string> loops = dims, kept = dims;
    loops.insert(loops.end() - 1, "e");
    kept.back() = "e";
    shape.back() = values.back();
    generic(name, loops, kept,
            {{weights, type, dims},
             {addArgument(values),
              tensor(values, draw.sum),
              {dims.front(), dims.back(), "e"}}},
            shape, draw.sum, mul + add);
    return {name, shape};
  }

  const Draw &draw;
  std::vector<std::string> result;
  std::set<std::string> known;
  std::string text, constants, arguments;
  unsigned number = 0;
};

class ProductRegistersTest : public ::testing::Test {
protected:
  ProductRegistersTest() {
    DialectRegistry registry;
    registerAllDialects(registry);
    registerAllExtensions(registry);
    registry.insert<CarouselDialect>();
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    context.disableMultithreading();
  }

  /// One plan of the graph is for all chips.
  void lower(const Draw &draw, ArrayRef<StringRef> chips,
             function_ref<void(GraphToBlockOptions &)> choose = nullptr) {
    std::string text = Writer(draw).write(), messages;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
        messages += diagnostic.str() + "\n";
      return success();
    });
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(module) << messages << text;
    SmallVector<StringRef> gpus;
    for (StringRef chip : chips)
      gpus.push_back(ChipModel::of(*TargetInfo::lookup(chip)).gpu);
    attachGPUs(*module, gpus);
    GraphToBlockOptions options;
    if (choose)
      choose(options);
    PassManager graphs(&context);
    buildGraphToBlockPipeline(graphs, options);
    ASSERT_TRUE(succeeded(graphs.run(*module))) << messages << text;
    for (StringRef chip : chips) {
      OwningOpRef<ModuleOp> copy = module->clone();
      PassManager kernels(&context);
      LowerOptions lowering;
      lowering.chip = chip.str();
      buildLowerPipeline(kernels, lowering);
      EXPECT_TRUE(succeeded(kernels.run(*copy)))
          << chip.str() << ": " << messages << text;
    }
  }

  MLIRContext context;
};

TEST_F(ProductRegistersTest, HeldShapes) {
  auto add = [&](Draw draw, const std::vector<std::string> &follower,
                 int64_t others, StringRef chip = "sm_90a") {
    draw.follower = follower;
    draw.others = others;
    lower(draw, chip, [](GraphToBlockOptions &options) {
      options.products = ProductFactors::TF32;
    });
    lower(draw, chip);
  };
  // Two products of 256 columns; two short depths; one tile of columns; few
  // columns; many rows of few columns.
  add(makeProduct("f32", "f32", 2, 64, 128, {256}), {"product"}, 256);
  add(makeProduct("f32", "f32", 1, 17, 33, {3, 4}), {"rows"}, 1);
  add(makeProduct("f32", "f32", 2, 33, 17, {64}), {"softmax"}, 160);
  add(makeProduct("f32", "f32", 1, 33, 3, {80}), {"softmax"}, 160);
  add(makeProduct("f32", "f32", 2, 1000, 33, {80}), {"product"}, 8);
  add(makeProduct("f32", "f32", 2, 1000, 17, {128}), {"rows"}, 8);
  // Integers, which nothing rounds; factors that are extended, and whose rows
  // are reduced.
  add(makeProduct("i32", "i32", 2, 1024, 32, {251}), {"gate", "rows"}, 1,
      "sm_120a");
  Draw extended = makeProduct("f8E5M2", "f32", 2, 256, 4096, {128}, {1, 1});
  extended.loops[2].isUnknown = true;
  add(extended, {"rows"}, 1, "sm_80");
  // The gradient of a kernel of one pixel by seven, in groups of channels.
  Draw gradient{{"bf16", "bf16"}, "f32", {}, {}};
  gradient.loops = {{"b", 1, true}, {"h", 1, true}, {"w", 1, true}, {"g", 2},
                    {"p", 1},       {"q", 7},       {"c", 23},      {"f", 32}};
  gradient.reads[0] = {{"b"}, {"h", "p"}, {"w", "q"}, {"g"}, {"c"}};
  gradient.reads[1] = {{"b"}, {"h"}, {"w"}, {"g"}, {"f"}};
  add(gradient, {}, 1, "sm_80");
}

/// Draws from the whole domain of the planners.
class Drawer {
public:
  explicit Drawer(unsigned seed) : random(seed) {}

  template <typename... T> auto choose(T... values) {
    std::vector<std::common_type_t<T...>> all = {values...};
    return all[random() % all.size()];
  }
  bool isOneOf(unsigned count) { return random() % count == 0; }

  /// Powers of two, their neighbours, and others, primes among them.
  int64_t drawExtent(int64_t most) {
    int64_t power = int64_t(1) << random() % (llvm::Log2_64(most) + 1);
    return std::max<int64_t>(
        choose(power, power, power - 1, power + 1,
               power / 2 + int64_t(random() % (power / 2 + 1))),
        1);
  }

  Draw draw() {
    bool isConvolution = isOneOf(4);
    Draw draw = isConvolution ? drawConvolution() : drawProduct();
    std::string type = choose("f32", "f32", "f32", "f16", "bf16", "f64", "i8",
                              "i32", "i1", "f8E4M3FN", "f8E5M2");
    bool isFloat = type[0] != 'i';
    draw.types[0] = draw.types[1] = type;
    draw.sum = type == "f64" || type == "i1" ? type : isFloat ? "f32" : "i32";
    draw.isUnsigned = isOneOf(4);
    // Weights may be narrower.
    if (isFloat && type != "f64" && isOneOf(4))
      draw.types[1] = "i8";
    for (bool &isComputed : draw.isComputed)
      isComputed = type[1] != '8' && isOneOf(6);
    draw.others = drawExtent(512);
    while (isOneOf(2)) {
      std::string follower =
          choose("columns", "columns", "gate", "rows", "product", "softmax");
      // One product of the sums, or their rows, and that at the end.
      bool isLast =
          follower[0] == 'r' || follower[0] == 'p' || follower[0] == 's';
      if ((isLast && follower != "rows" && isConvolution) ||
          (follower == "softmax" && draw.sum[0] != 'f'))
        follower = "rows";
      draw.follower.push_back(follower);
      if (isLast)
        break;
    }
    return draw;
  }

private:
  Draw drawProduct() {
    std::vector<int64_t> depth = {drawExtent(2048)};
    if (isOneOf(3))
      depth = {drawExtent(64), drawExtent(64)};
    std::vector<size_t> places;
    for (unsigned factor = 0; factor != 2; ++factor)
      places.push_back(random() % (depth.size() + 1));
    int64_t batch = choose(1, 2, 5), rows = drawExtent(4096),
            columns = drawExtent(4096);
    Draw draw = makeProduct("", "", batch, rows, columns, depth, places);
    for (Loop &loop : draw.loops)
      loop.isUnknown = isOneOf(6);
    return draw;
  }

  /// Draws a product of images by weights, or by their groups, or a sum of
  /// products over pixels: the gradient of weights.
  Draw drawConvolution() {
    bool isWgrad = isOneOf(3), hasGroups = isOneOf(4);
    Index rows{"h", "p", choose(1, 1, 2), choose(1, 1, 2)},
        columns{"w", "q", choose(1, 1, 2), choose(1, 1, 2)};
    Draw draw{{}, {}, {}, {}};
    draw.loops = {{"b", choose(1, 2, 8), isWgrad},
                  {"h", drawExtent(64), isWgrad},
                  {"w", drawExtent(64), isWgrad},
                  {"g", choose(2, 4, 32)},
                  {"p", choose(1, 3, 5, 7), !isWgrad},
                  {"q", choose(1, 3, 5, 7), !isWgrad},
                  {"c", drawExtent(512), !isWgrad},
                  {"f", drawExtent(512)}};
    draw.reads[0] = {{"b"}, rows, columns, {"g"}, {"c"}};
    draw.reads[1] = isWgrad
                        ? std::vector<Index>{{"b"}, {"h"}, {"w"}, {"g"}, {"f"}}
                        : std::vector<Index>{{"p"}, {"q"}, {"g"}, {"c"}, {"f"}};
    if (hasGroups)
      return draw;
    auto isGroup = [](const auto &loop) { return getName(loop) == "g"; };
    llvm::erase_if(draw.loops, isGroup);
    for (std::vector<Index> &read : draw.reads)
      llvm::erase_if(read, isGroup);
    return draw;
  }
  static const std::string &getName(const Loop &loop) { return loop.name; }
  static const std::string &getName(const Index &index) { return index.loop; }

  std::mt19937 random;
};

/// The same shapes each time, and others for each `--gtest_random_seed`.
TEST_F(ProductRegistersTest, DrawnShapes) {
  Drawer drawer(68 + GTEST_FLAG_GET(random_seed));
  for (unsigned count = 0; count != 60; ++count) {
    Draw draw = drawer.draw();
    SmallVector<StringRef> chips = {"sm_120a", "sm_100a", "sm_90a", "sm_80"};
    llvm::erase_if(chips, [&](StringRef) { return drawer.isOneOf(2); });
    lower(draw, chips, [&](GraphToBlockOptions &options) {
      if (drawer.isOneOf(4))
        options.products = ProductFactors::TF32;
      if (drawer.isOneOf(6))
        options.accumulate = ContractionSums::AsWritten;
      options.streams = !drawer.isOneOf(6);
    });
  }
}

} // namespace
