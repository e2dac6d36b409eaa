//===- ProgramMutator.cpp - damages manifests by their structure ----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Changes the tree of a manifest and not its text: makes arguments, checks,
// steps, views and expressions that are mostly right, and moves, copies,
// removes and replaces values of any kind. Most damage is refused at once by
// the reader, so of several attempts one that it takes is preferred.
//
//===----------------------------------------------------------------------===//

#include "carousel/Runtime/Manifest.h"

#define JSON_NOEXCEPTION
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstring>
#include <random>

using JSON = nlohmann::json;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

namespace {

class Mutator {
public:
  explicit Mutator(unsigned seed) : random(seed) {}

  void mutate(JSON &root) {
    for (size_t left = 1 + draw(4); left != 0; --left)
      mutateOnce(root);
  }

  /// Whether to try again where the reader refuses what was made.
  size_t getAttempts() { return draw(4) == 0 ? 1 : 12; }

  /// Puts some value of the second tree into the first one.
  void cross(JSON &root, JSON &other) {
    std::vector<JSON *> targets = collect(root), values = collect(other);
    JSON *value = values[draw(values.size())];
    // Alike, if there is one.
    for (int attempt = 0; attempt < 20; ++attempt) {
      JSON *target = targets[draw(targets.size())];
      if (target->type() != value->type() || target == &root)
        continue;
      if (target->is_array() && value->is_array() && !value->empty())
        target->push_back((*value)[draw(value->size())]);
      else
        *target = *value;
      return;
    }
  }

private:
  size_t draw(size_t count) { return random() % count; }
  template <typename T, size_t count> T pick(const T (&list)[count]) {
    return list[draw(count)];
  }

  static void collect(JSON &value, std::vector<JSON *> &all) {
    all.push_back(&value);
    if (value.is_structured())
      for (JSON &element : value)
        collect(element, all);
  }
  static std::vector<JSON *> collect(JSON &root) {
    std::vector<JSON *> all;
    collect(root, all);
    return all;
  }

  int64_t makeInteger() {
    static constexpr int64_t kIntegers[] = {0,
                                            1,
                                            1,
                                            2,
                                            3,
                                            4,
                                            4,
                                            5,
                                            8,
                                            16,
                                            64,
                                            255,
                                            256,
                                            512,
                                            4096,
                                            -1,
                                            -4,
                                            65535,
                                            65536,
                                            INT32_MAX,
                                            int64_t(1) << 32,
                                            int64_t(1) << 40,
                                            int64_t(1) << 60,
                                            INT64_MAX,
                                            INT64_MIN};
    return draw(4) ? kIntegers[draw(10)] : pick(kIntegers);
  }

  JSON makeScalar() {
    static constexpr const char *kTexts[] = {
        "",        "x",      "sms",        "resident",     "tensor", "constant",
        "scalar",  "number", "bits",       "index",        "f32",    "f16",
        "bf16",    "i8",     "i64",        "f64",          "in",     "out",
        "inout",   "launch", "fill",       "copy",         "matmul", "equal",
        "aligned", "range",  "contiguous", "fused_matmul", "relu",   "gelu",
        "identity"};
    switch (draw(8)) {
    case 0:
      return nullptr;
    case 1:
      return draw(2) == 0;
    case 2:
    case 3:
      return pick(kTexts);
    case 4:
      return draw(2) ? JSON::array() : JSON::object();
    default:
      return makeInteger();
    }
  }

  JSON makeExpression(unsigned depth = 3) {
    static constexpr const char *kOps[] = {"add",     "sub", "mul", "floordiv",
                                           "ceildiv", "mod", "min", "max"};
    switch (draw(depth == 0 ? 6 : 9)) {
    case 0:
      return "sms";
    case 1:
      return {"extent", draw(3), draw(2)};
    case 2:
      return {"stride", draw(3), draw(2)};
    case 3:
      return {"scalar", draw(3)};
    case 4:
    case 5:
      return makeInteger();
    default:
      return {pick(kOps), makeExpression(depth - 1), makeExpression(depth - 1)};
    }
  }

  /// Row-major most of the time.
  JSON makeView(const char *element, size_t rank, bool permitsConstant) {
    JSON view = {{"element", element},
                 {"extents", JSON::array()},
                 {"strides", JSON::array()}};
    bool isConstant = permitsConstant && draw(6) == 0;
    view["kind"] = isConstant ? "constant" : "tensor";
    view[isConstant ? "constant" : "argument"] = draw(isConstant ? 2 : 4);
    view["offset"] =
        draw(4) == 0 ? makeExpression() : JSON(int64_t(draw(6)) * 8);
    int64_t stride = 1;
    for (size_t dim = 0; dim < rank; ++dim) {
      int64_t extent = int64_t(1 + draw(4));
      bool isOdd = draw(6) == 0;
      view["extents"].insert(view["extents"].begin(),
                             draw(6) == 0 ? makeExpression() : JSON(extent));
      view["strides"].insert(view["strides"].begin(),
                             isOdd ? makeExpression() : JSON(stride));
      stride *= extent + int64_t(draw(3) == 0);
    }
    return view;
  }

  JSON makeValue(const char *element) {
    switch (draw(3)) {
    case 0:
      return {{"kind", "scalar"}, {"argument", draw(4)}};
    case 1:
      return {{"kind", "number"},
              {"element", element},
              {"value", makeExpression()}};
    default:
      return {{"kind", "bits"}, {"element", element}, {"bits", makeInteger()}};
    }
  }

  JSON makeStep(const JSON &root) {
    static constexpr const char *kElements[] = {"f32", "f32", "f16", "i8",
                                                "f64"};
    const char *element = pick(kElements);
    size_t rank = draw(4);
    switch (draw(4)) {
    case 0:
      return {{"kind", "fill"},
              {"value", makeValue(element)},
              {"target", makeView(element, rank, false)}};
    case 1: {
      JSON source = makeView(element, rank, true);
      JSON target = makeView(element, rank, false);
      if (draw(8))
        target["extents"] = source["extents"];
      return {{"kind", "copy"}, {"source", source}, {"target", target}};
    }
    case 2: {
      rank = 2 + draw(3);
      JSON lhs = makeView("f32", rank, true), rhs = makeView("f32", rank, true);
      JSON target = makeView("f32", rank, false);
      for (size_t dim = 0; dim + 2 < rank; ++dim)
        lhs["extents"][dim] = rhs["extents"][dim] = target["extents"][dim];
      lhs["extents"][rank - 2] = target["extents"][rank - 2];
      rhs["extents"][rank - 1] = target["extents"][rank - 1];
      rhs["extents"][rank - 2] = lhs["extents"][rank - 1];
      JSON step = {{"kind", "matmul"},
                   {"tf32", draw(2) == 0},
                   {"lhs", lhs},
                   {"rhs", rhs},
                   {"target", target}};
      if (draw(2))
        step["scratch"] = makeView("i8", 1, false);
      if (draw(2))
        fuse(step, target);
      return step;
    }
    default:
      return makeLaunch(root);
    }
  }

  /// Something is added to sums, or applied to them.
  void fuse(JSON &step, const JSON &target) {
    static constexpr const char *kFunctions[] = {"identity", "relu", "gelu"};
    step["kind"] = "fused_matmul";
    step["function"] = pick(kFunctions);
    if (draw(2)) {
      step["bias"] = makeView("f32", 1, true);
      step["bias"]["extents"][0] = target["extents"].back();
      if (draw(4))
        step["bias"]["strides"][0] = 1;
    }
    if (draw(2)) {
      step["residual"] = makeView("f32", target["extents"].size(), true);
      step["residual"]["extents"] = target["extents"];
      if (draw(4))
        step["residual"]["strides"] = target["strides"];
    }
  }

  JSON makeLaunch(const JSON &root) {
    JSON step = {{"kind", "launch"},
                 {"kernel", "k"},
                 {"operands", JSON::array()},
                 {"family", "loops"},
                 {"sources", {"a.mlir:1"}}};
    const JSON &kernels = root.value("kernels", JSON::array());
    if (!kernels.is_array() || kernels.empty())
      return step;
    const JSON &kernel = kernels[draw(kernels.size())];
    if (!kernel.is_object() || !kernel.contains("arguments") ||
        !kernel.contains("name"))
      return step;
    step["kernel"] = kernel["name"];
    for (const JSON &argument : kernel["arguments"]) {
      if (!argument.is_object() ||
          argument.value("kind", JSON()) == "workspace")
        continue;
      JSON element = argument.value("element", JSON("f32"));
      std::string name =
          element.is_string() ? element.get<std::string>() : "f32";
      JSON extents = argument.value("extents", JSON::array());
      step["operands"].push_back(
          argument.value("kind", JSON()) == "tensor"
              ? makeView(name.c_str(), extents.size(), true)
              : makeValue(name.c_str()));
    }
    if (draw(4) == 0)
      step["at_load"] = draw(4) != 0;
    return step;
  }

  JSON makeArgument() {
    static constexpr const char *kAccesses[] = {"in", "out", "inout"};
    std::string name = "a" + std::to_string(draw(100));
    switch (draw(4)) {
    case 0:
      return {{"name", name},
              {"kind", "scalar"},
              {"access", "in"},
              {"element", draw(2) ? "index" : "i32"}};
    case 1:
      return {{"name", name},
              {"kind", "workspace"},
              {"element", "i8"},
              {"extents", {draw(2) ? JSON(1024) : makeExpression()}}};
    default: {
      JSON argument = {{"name", name},
                       {"kind", "tensor"},
                       {"access", pick(kAccesses)},
                       {"element", "f32"},
                       {"extents", JSON::array()},
                       {"strides", "contiguous"}};
      for (size_t rank = draw(4); rank != 0; --rank)
        argument["extents"].push_back(draw(2) ? JSON() : JSON(1 + draw(8)));
      if (draw(4) == 0)
        argument["may_alias"] = draw(3);
      if (draw(4) == 0)
        argument["parameter"] = draw(4) != 0;
      return argument;
    }
    }
  }

  JSON makeCheck() {
    JSON guard;
    switch (draw(4)) {
    case 0:
      guard = {{"kind", "aligned"},
               {"argument", draw(3)},
               {"bytes", int64_t(1) << draw(12)}};
      break;
    case 1:
      guard = {{"kind", "divisible"},
               {"value", makeExpression()},
               {"by", 1 + draw(4)}};
      break;
    case 2:
      guard = {{"kind", "range"},
               {"value", makeExpression()},
               {"min", makeInteger()},
               {"max", makeInteger()}};
      break;
    default:
      guard = {{"kind", "equal"},
               {"left", makeExpression()},
               {"right", makeExpression()}};
    }
    return {{"guard", guard}, {"message", "expected"}};
  }

  /// Adds something to one of the programs; false if there is none.
  bool extend(JSON &root) {
    if (!root.is_object() || !root.contains("programs") ||
        !root["programs"].is_array() || root["programs"].empty())
      return false;
    JSON &programs = root["programs"];
    JSON &program = programs[draw(programs.size())];
    static constexpr const char *kLists[] = {"steps", "steps", "steps",
                                             "arguments", "checks"};
    std::string member = pick(kLists);
    if (!program.is_object() || !program[member].is_array())
      return false;
    JSON &list = program[member];
    JSON made = member == "steps"       ? makeStep(root)
                : member == "arguments" ? makeArgument()
                                        : makeCheck();
    if (!list.empty() && draw(3) == 0)
      list[draw(list.size())] = made;
    else
      list.insert(list.begin() + std::ptrdiff_t(draw(list.size() + 1)), made);
    return true;
  }

  void mutateOnce(JSON &root) {
    if (draw(3) == 0 && extend(root))
      return;
    std::vector<JSON *> all = collect(root);
    JSON &value = *all[draw(all.size())];
    if (&value == &root && all.size() > 1)
      return;
    switch (draw(8)) {
    case 0:
      value = makeScalar();
      break;
    case 1: {
      JSON other = *all[draw(all.size())];
      value = std::move(other);
      break;
    }
    case 2:
      if (value.is_array() && !value.empty())
        value.erase(value.begin() + std::ptrdiff_t(draw(value.size())));
      else if (value.is_object() && !value.empty())
        value.erase(
            std::next(value.begin(), std::ptrdiff_t(draw(value.size()))).key());
      break;
    case 3:
      if (value.is_array() && !value.empty()) {
        JSON element = value[draw(value.size())];
        value.insert(value.begin() + std::ptrdiff_t(draw(value.size() + 1)),
                     element);
      }
      break;
    case 4:
      if (value.is_number_integer())
        value = makeExpression();
      else if (value.is_object() && value.contains("strides"))
        value = makeView("f32", draw(4), true);
      break;
    case 5:
      if (value.is_number_integer()) {
        auto number = static_cast<uint64_t>(value.get<int64_t>());
        value = static_cast<int64_t>(draw(2) ? number + draw(3) - 1
                                             : number * (draw(2) ? 2 : 4));
      }
      break;
    case 6:
      if (value.is_number_integer())
        value = makeInteger();
      break;
    default:
      if (value.is_array())
        value.push_back(makeScalar());
      else if (draw(4) == 0)
        value = JSON::array({value});
    }
  }

  std::minstd_rand random;
};

std::string toText(const JSON &root) {
  return root.dump(-1, ' ', false, JSON::error_handler_t::replace);
}

/// The text's length, or 0 where it doesn't fit.
size_t print(const JSON &root, uint8_t *to, size_t most) {
  std::string text = toText(root);
  if (text.size() > most)
    return 0;
  std::memcpy(to, text.data(), text.size());
  return text.size();
}

JSON parse(const uint8_t *data, size_t size) {
  return JSON::parse(data, data + size, nullptr, /*allow_exceptions=*/false);
}

} // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t most, unsigned seed) {
  JSON root = parse(data, size);
  if (root.is_discarded() || seed % 32 == 0)
    return LLVMFuzzerMutate(data, size, most);
  Mutator mutator(seed);
  JSON made;
  for (size_t left = mutator.getAttempts(); left != 0; --left) {
    made = root;
    mutator.mutate(made);
    if (left > 1 && carousel::runtime::parseManifest(toText(made)))
      break;
  }
  size_t printed = print(made, data, most);
  return printed ? printed : size;
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *first,
                                            size_t firstSize,
                                            const uint8_t *second,
                                            size_t secondSize, uint8_t *out,
                                            size_t most, unsigned seed) {
  JSON root = parse(first, firstSize), other = parse(second, secondSize);
  if (root.is_discarded() || other.is_discarded())
    return 0;
  Mutator(seed).cross(root, other);
  return print(root, out, most);
}
