//===- ProductRegistersTest.cpp - the registers of planned products -------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products of all types, extents, batches and depths, and what follows them,
// are planned so that threads have registers for their factors, and CTAs shared
// memory: lowering ends in no error. The domain is drawn by a seed.
//
//===----------------------------------------------------------------------===//

#include "carousel/Dialect/IR/CarouselOps.h"
#include "carousel/Passes/Pipelines.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "gtest/gtest.h"

#include <random>

using namespace mlir;
using namespace carousel;

namespace {

/// y[b, i, j], summed over one or two dimensions of both factors, and what
/// reads it.
struct Draw {
  std::string types[2], sum, follower;
  int64_t batch, rows, columns, others;
  std::vector<int64_t> depth;
  /// The place of rows and columns among the dimensions that are summed.
  std::vector<size_t> place = {0, 0};
  /// Which factors the group computes.
  std::vector<bool> isComputed = {false, false};
};

class Writer {
public:
  explicit Writer(const Draw &draw) : draw(draw) {}

  std::string write() {
    std::vector<int64_t> extents[] = {{draw.batch}, {draw.batch}};
    std::string loops = "b, i, j", kinds = kParallel, reads[] = {"b", "b"};
    for (size_t at = 0; at <= draw.depth.size(); ++at) {
      for (unsigned factor : {0, 1}) {
        if (draw.place[factor] == at) {
          extents[factor].push_back(factor == 0 ? draw.rows : draw.columns);
          reads[factor] += factor == 0 ? ", i" : ", j";
        }
        if (at == draw.depth.size())
          continue;
        extents[factor].push_back(draw.depth[at]);
        reads[factor] += ", k" + std::to_string(at);
      }
      if (at == draw.depth.size())
        continue;
      loops += ", k" + std::to_string(at);
      kinds += ", \"reduction\"";
    }
    std::string ofX = tensor(extents[0], draw.types[0]),
                ofW = tensor(extents[1], draw.types[1]);
    std::string ofP = tensor({draw.batch, draw.rows, draw.columns}, draw.sum);
    std::string ofV = tensor({draw.batch, draw.columns, draw.others}, draw.sum);
    std::string maps = map(loops, reads[0]) + ", " + map(loops, reads[1]) +
                       ", " + map(loops, "b, i, j");
    std::string x = computeFactor("x", ofX, extents[0].size(), 0),
                w = computeFactor("w", ofW, extents[1].size(), 1);
    generic("p", maps, kinds, x + ", " + w + " : " + ofX + ", " + ofW, ofP,
            multiply());
    std::string result = ofP;
    if (draw.follower == "rows") {
      result = tensor({draw.batch, draw.rows}, draw.sum);
      generic("r", map("b, i, j", "b, i, j") + ", " + map("b, i, j", "b, i"),
              "\"parallel\", \"parallel\", \"reduction\"", "%p : " + ofP,
              result,
              "^bb0(%a: " + draw.sum + ", %o: " + draw.sum +
                  "):\n  %s = " + op("add") + " %a, %o : " + draw.sum + "\n");
    } else if (draw.follower == "product" || draw.follower == "softmax") {
      std::string weights = "%p";
      if (draw.follower == "softmax") {
        text += "  %se = tensor.empty() : " + ofP +
                "\n  %soft = linalg.softmax dimension(2) ins(%p : " + ofP +
                ") outs(%se : " + ofP + ") -> " + ofP + "\n";
        weights = "%soft";
      }
      result = tensor({draw.batch, draw.rows, draw.others}, draw.sum);
      generic(
          "r",
          map("b, i, e, j", "b, i, j") + ", " + map("b, i, e, j", "b, j, e") +
              ", " + map("b, i, e, j", "b, i, e"),
          std::string(kParallel) + ", \"reduction\"",
          weights + ", %v : " + ofP + ", " + ofV, result,
          "^bb0(%a: " + draw.sum + ", %c: " + draw.sum + ", %o: " + draw.sum +
              "):\n  %m = " + op("mul") + " %a, %c : " + draw.sum +
              "\n  %s = " + op("add") + " %m, %o : " + draw.sum + "\n");
    }
    return "func.func @main(%x: " + ofX + ", %w: " + ofW + ", %v: " + ofV +
           ") -> " + result + " {\n  %zero = arith.constant " +
           (isFloat() ? "0.0 : " : "0 : ") + draw.sum + "\n" + text +
           "  return %" + (result == ofP ? "p" : "r") + " : " + result +
           "\n}\n";
  }

private:
  static constexpr const char *kParallel =
      "\"parallel\", \"parallel\", \"parallel\"";

  static std::string tensor(ArrayRef<int64_t> extents,
                            const std::string &type) {
    std::string text = "tensor<";
    for (int64_t extent : extents)
      text += std::to_string(extent) + "x";
    return text + type + ">";
  }
  static std::string map(const std::string &loops, const std::string &read) {
    return "affine_map<(" + loops + ") -> (" + read + ")>";
  }
  static bool isFloat(const std::string &type) {
    return type[0] == 'f' || type[0] == 'b';
  }
  bool isFloat() const { return isFloat(draw.sum); }
  std::string op(const std::string &name) const {
    return "arith." + name + (isFloat() ? "f" : "i");
  }
  std::string multiply() const {
    std::string body = "^bb0(%a: " + draw.types[0] + ", %c: " + draw.types[1] +
                       ", %o: " + draw.sum + "):\n";
    std::string factors[] = {"%a", "%c"};
    for (unsigned factor : {0, 1}) {
      const std::string &type = draw.types[factor];
      if (type == draw.sum)
        continue;
      std::string cast = !isFloat()      ? "extsi"
                         : isFloat(type) ? "extf"
                                         : "sitofp";
      body += "  " + factors[factor] + "e = arith." + cast + " " +
              factors[factor] + " : " + type + " to " + draw.sum + "\n";
      factors[factor] += "e";
    }
    return body + "  %m = " + op("mul") + " " + factors[0] + ", " + factors[1] +
           " : " + draw.sum + "\n  %s = " + op("add") +
           " %m, %o : " + draw.sum + "\n";
  }
  /// A factor, or what the group computes from it.
  std::string computeFactor(const std::string &name, const std::string &type,
                            size_t rank, unsigned factor) {
    if (!draw.isComputed[factor])
      return "%" + name;
    std::string dims = "a", kinds = "\"parallel\"";
    for (size_t dim = 1; dim < rank; ++dim) {
      dims += ", d" + std::to_string(dim);
      kinds += ", \"parallel\"";
    }
    const std::string &element = draw.types[factor];
    std::string prefix = isFloat(element) ? "f" : "i";
    text += "  %" + name + "ne = tensor.empty() : " + type + "\n  %" + name +
            "n = linalg.generic {indexing_maps = [" + map(dims, dims) + ", " +
            map(dims, dims) + "], iterator_types = [" + kinds + "]} ins(%" +
            name + " : " + type + ") outs(%" + name + "ne : " + type +
            ") {\n^bb0(%a: " + element + ", %o: " + element +
            "):\n  %s = arith.mul" + prefix + " %a, %a : " + element +
            "\n  linalg.yield %s : " + element + "\n  } -> " + type + "\n";
    return "%" + name + "n";
  }
  void generic(const std::string &name, const std::string &maps,
               const std::string &kinds, const std::string &inputs,
               const std::string &result, const std::string &body) {
    text += "  %" + name + "e = tensor.empty() : " + result + "\n  %" + name +
            "f = linalg.fill ins(%zero : " + draw.sum + ") outs(%" + name +
            "e : " + result + ") -> " + result + "\n  %" + name +
            " = linalg.generic {indexing_maps = [" + maps +
            "], iterator_types = [" + kinds + "]}\n    ins(" + inputs +
            ") outs(%" + name + "f : " + result + ") {\n" + body +
            "  linalg.yield %s : " + draw.sum + "\n  } -> " + result + "\n";
  }

  const Draw &draw;
  std::string text;
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

  void lower(const Draw &draw, StringRef chip) {
    std::string text = Writer(draw).write(), messages;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
        messages += diagnostic.str() + "\n";
      return success();
    });
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(module) << messages << text;
    PassManager pm(&context);
    GraphToBlockOptions options;
    options.libraries = false;
    buildGraphToBlockPipeline(pm, options);
    LowerOptions lowering;
    lowering.chip = chip.str();
    buildLowerPipeline(pm, lowering);
    EXPECT_TRUE(succeeded(pm.run(*module)))
        << chip.str() << ": " << messages << text;
  }

  MLIRContext context;
};

TEST_F(ProductRegistersTest, HeldShapes) {
  for (const Draw &draw :
       {// Two products of 256 columns; two short depths; one tile of
        // columns; few columns; many rows of few columns.
        Draw{{"f32", "f32"}, "f32", "product", 2, 64, 128, 256, {256}},
        Draw{{"f32", "f32"}, "f32", "rows", 1, 17, 33, 1, {3, 4}},
        Draw{{"f32", "f32"}, "f32", "softmax", 2, 33, 17, 160, {64}},
        Draw{{"f32", "f32"}, "f32", "softmax", 1, 33, 3, 160, {80}},
        Draw{{"f32", "f32"}, "f32", "product", 2, 1000, 33, 8, {80}},
        Draw{{"f32", "f32"}, "f32", "rows", 2, 1000, 17, 8, {128}}})
    lower(draw, "sm_90a");
}

TEST_F(ProductRegistersTest, DrawnShapes) {
  std::mt19937 random(68);
  auto choose = [&](auto... values) {
    std::vector<std::common_type_t<decltype(values)...>> all = {values...};
    return all[random() % all.size()];
  };
  auto drawExtent = [&](int64_t most) {
    // Powers of two, their neighbours, and others, primes among them.
    int64_t power = int64_t(1) << random() % (llvm::Log2_64(most) + 1);
    return std::max<int64_t>(
        choose(power, power, power - 1, power + 1,
               power / 2 + int64_t(random() % (power / 2 + 1))),
        1);
  };
  for (unsigned count = 0; count != 40; ++count) {
    Draw draw;
    std::string type =
        choose("f32", "f32", "f32", "f16", "bf16", "f64", "i8", "i32");
    bool isFloat = type[0] != 'i';
    draw.types[0] = draw.types[1] = type;
    draw.sum = type == "f64" ? "f64" : isFloat ? "f32" : "i32";
    // Weights may be narrower.
    if (isFloat && type != "f64" && random() % 4 == 0)
      draw.types[1] = "i8";
    draw.follower = choose("none", "rows", "product", "softmax");
    if (!isFloat && draw.follower == "softmax")
      draw.follower = "product";
    draw.batch = choose(1, 2, 5);
    draw.rows = drawExtent(4096);
    draw.columns = drawExtent(4096);
    draw.others = drawExtent(512);
    draw.depth = {drawExtent(2048)};
    if (random() % 3 == 0)
      draw.depth = {drawExtent(64), drawExtent(64)};
    for (size_t &place : draw.place)
      place = random() % (draw.depth.size() + 1);
    for (unsigned factor : {0, 1})
      draw.isComputed[factor] = random() % 6 == 0;
    lower(draw, choose("sm_80", "sm_90a", "sm_120a"));
  }
}

} // namespace
