//===- PrintManifest.cpp - manifests as JSON ------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints the text of docs/Package.md, with members in the order of that page.
// Objects that contain no objects, and lists of numbers and expressions, take
// one line each.
//
//===----------------------------------------------------------------------===//

#include "carousel/Package/DescribePackage.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace carousel;
namespace json = llvm::json;

std::string carousel::hashContents(StringRef contents) {
  return llvm::toHex(llvm::SHA256::hash(llvm::arrayRefFromStringRef(contents)),
                     /*LowerCase=*/true);
}

//===----------------------------------------------------------------------===//
// Values on one line
//===----------------------------------------------------------------------===//

static StringRef toText(Sharing sharing) {
  switch (sharing) {
  case Sharing::None:
    break;
  case Sharing::Symmetric:
    return "symmetric";
  case Sharing::Peer:
    return "peer";
  case Sharing::Multicast:
    return "multicast";
  }
  llvm_unreachable("expected memory that peers access");
}

static json::Value toJSON(ExprAttr expr) {
  StringRef kind = stringifyExprKind(expr.getKind());
  switch (expr.getKind()) {
  case ExprKind::Constant:
    return expr.getValue();
  case ExprKind::SMs:
  case ExprKind::Resident:
    return kind;
  case ExprKind::Extent:
  case ExprKind::Stride:
    return json::Array{kind, expr.getArgument(), expr.getValue()};
  case ExprKind::Scalar:
    return json::Array{kind, expr.getArgument()};
  default:
    return json::Array{kind, toJSON(expr.getLhs()), toJSON(expr.getRhs())};
  }
}

template <typename Exprs> static json::Array toJSONList(const Exprs &exprs) {
  json::Array array;
  for (ExprAttr expr : exprs)
    array.push_back(toJSON(expr));
  return array;
}

template <typename Integers>
static json::Array toIntegers(const Integers &values) {
  json::Array array;
  for (int64_t value : values)
    array.push_back(value);
  return array;
}

/// Extents or strides of a tensor: null is what the caller says.
static json::Array toSizes(ArrayRef<int64_t> sizes) {
  json::Array array;
  for (int64_t size : sizes)
    array.push_back(ShapedType::isDynamic(size) ? json::Value(nullptr)
                                                : json::Value(size));
  return array;
}

namespace {

/// An object on one line, its members in the order of the calls.
class Line {
public:
  Line() : stream(text), object(stream) { object.objectBegin(); }

  Line &add(StringRef name, const json::Value &value) {
    object.attribute(name, value);
    return *this;
  }

  void print(json::OStream &out) {
    object.objectEnd();
    stream.flush();
    out.rawValue(text);
  }

private:
  std::string text;
  llvm::raw_string_ostream stream;
  json::OStream object;
};

//===----------------------------------------------------------------------===//
// Objects
//===----------------------------------------------------------------------===//

/// Prints each object and what is in it.
class Printer {
public:
  explicit Printer(json::OStream &out) : out(out) {}

  void print(const ImageDescription &image) {
    Line line;
    line.add("chip", image.chip).add("kind", image.kind);
    if (!image.function.empty())
      line.add("function", image.function);
    line.add("file", image.file)
        .add("bytes", static_cast<int64_t>(image.bytes))
        .add("hash", image.hash)
        .print(out);
  }

  void print(const ArgumentDescription &argument) {
    using Kind = ArgumentDescription::Kind;
    Line line;
    if (argument.kind == Kind::Workspace) {
      line.add("name", argument.name)
          .add("kind", "workspace")
          .add("element", argument.element)
          .add("extents", toJSONList(argument.workspaceExtents))
          .print(out);
      return;
    }
    bool isTensor = argument.kind == Kind::Tensor;
    line.add("name", argument.name)
        .add("kind", isTensor ? "tensor" : "scalar")
        .add("access", stringifyArgumentAccess(argument.access))
        .add("element", argument.element);
    if (isTensor) {
      line.add("extents", toSizes(argument.extents));
      line.add("strides", argument.strides
                              ? json::Value(toSizes(*argument.strides))
                              : json::Value("contiguous"));
      if (argument.mayAlias)
        line.add("may_alias", *argument.mayAlias);
      if (argument.isParameter)
        line.add("parameter", true);
      if (argument.sharing != Sharing::None)
        line.add("sharing", toText(argument.sharing));
    }
    line.print(out);
  }

  void print(GuardAttr guard) {
    Line line;
    line.add("kind", stringifyGuardKind(guard.getKind()));
    switch (guard.getKind()) {
    case GuardKind::Capability:
      line.add("min", guard.getLeast());
      line.add("max", guard.getMost() == INT64_MAX
                          ? json::Value(nullptr)
                          : json::Value(guard.getMost()));
      break;
    case GuardKind::Aligned:
      line.add("argument", guard.getArgument()).add("bytes", guard.getLeast());
      break;
    case GuardKind::Divisible:
      line.add("value", toJSON(guard.getValue())).add("by", guard.getLeast());
      break;
    case GuardKind::Range:
      line.add("value", toJSON(guard.getValue()))
          .add("min", guard.getLeast())
          .add("max", guard.getMost());
      break;
    case GuardKind::Equal:
      line.add("left", toJSON(guard.getValue()))
          .add("right", toJSON(guard.getOther()));
      break;
    }
    line.print(out);
  }

  void print(const ParameterDescription &parameter) {
    using Kind = KernelParameter::Kind;
    Line line;
    switch (parameter.kind) {
    case Kind::Pointer:
      line.add("kind", "pointer").add("argument", parameter.number);
      break;
    case Kind::Extent:
      line.add("kind", "extent").add("argument", parameter.number);
      line.add("dim", parameter.dim);
      break;
    case Kind::Stride:
      line.add("kind", "stride").add("argument", parameter.number);
      line.add("dim", parameter.dim);
      break;
    case Kind::Scalar:
      line.add("kind", "scalar").add("argument", parameter.number);
      break;
    case Kind::TensorMap:
      line.add("kind", "tensor_map").add("map", parameter.number);
      break;
    }
    line.print(out);
  }

  void print(const TensorMapDescription &map) {
    TensorMapType type = map.type;
    StringRef mode = type.getMode() == TensorMapMode::Tiled
                         ? "tile"
                         : stringifyTensorMapMode(type.getMode());
    out.object([&] {
      out.attribute("argument", map.argument);
      out.attribute("element", stringifyTensorElement(type.getElement()));
      out.attribute("mode", mode);
      printLine("box", toIntegers(type.getBox()));
      printLine("element_strides", toIntegers(type.getElementStrides()));
      printLine("lower", toIntegers(type.getLowerCorner()));
      printLine("upper", toIntegers(type.getUpperCorner()));
      out.attribute("swizzle", stringifySwizzle(type.getSwizzle()));
      out.attribute("interleave", stringifyInterleave(type.getInterleave()));
      out.attribute("promotion", stringifyL2Promotion(type.getPromotion()));
      out.attribute("fill", stringifyOutOfBoundsFill(type.getFill()));
      printLine("extents", toJSONList(map.extents));
      printLine("strides", toJSONList(map.strides));
      printLine("offset", toJSON(map.offset));
    });
  }

  template <typename List> void printList(StringRef name, const List &list) {
    out.attributeArray(name, [&] {
      for (const auto &element : list)
        print(element);
    });
  }

  void print(const VariantDescription &variant) {
    out.object([&] {
      out.attribute("function", variant.functionName);
      out.attribute("module", variant.moduleName);
      printLine("chips", json::Array(variant.chips));
      printList("guards", variant.guards);
      if (variant.cost)
        printLine("cost", toJSON(variant.cost));
      out.attribute("index_bits", variant.indexBits);
      printList("parameters", variant.parameters);
      printList("tensor_maps", variant.tensorMaps);
      printLine("grid", toJSONList(variant.grid));
      printLine("block", toIntegers(variant.block));
      printLine("cluster", toIntegers(variant.cluster));
      out.attribute("dynamic_shared", variant.dynamicShared);
      if (variant.isCooperative)
        out.attribute("cooperative", true);
      if (variant.decisions)
        printDecisions(variant);
    });
  }

  void print(const WaitDescription &wait) {
    Line line;
    line.add("number", wait.number).add("function", wait.function);
    line.add("barrier", wait.barrier);
    line.add("role", stringifyWaitRole(wait.role));
    line.add("phase", stringifyWaitPhase(wait.phase));
    line.add("location", wait.location).print(out);
  }

  void print(const ExternDescription &function) {
    Line()
        .add("name", function.name)
        .add("result", function.result ? json::Value(*function.result)
                                       : json::Value(nullptr))
        .add("parameters", json::Array(function.parameters))
        .print(out);
  }

  void print(const ModuleDescription &module) {
    out.object([&] {
      out.attribute("name", module.name);
      printList("images", module.images);
      if (!module.externs.empty())
        printList("externs", module.externs);
      if (!module.waits.empty())
        printList("waits", module.waits);
    });
  }

  void print(const KernelDescription &kernel) {
    out.object([&] {
      out.attribute("name", kernel.name);
      printList("arguments", kernel.arguments);
      printList("variants", kernel.variants);
    });
  }

  void print(const OperandDescription &operand) {
    using Kind = OperandDescription::Kind;
    Line line;
    switch (operand.kind) {
    case Kind::Tensor:
    case Kind::Constant: {
      bool isTensor = operand.kind == Kind::Tensor;
      line.add("kind", isTensor ? "tensor" : "constant")
          .add(isTensor ? "argument" : "constant", operand.number)
          .add("element", operand.element)
          .add("offset", toJSON(operand.offset))
          .add("extents", toJSONList(operand.extents))
          .add("strides", toJSONList(operand.strides));
      break;
    }
    case Kind::Scalar:
      line.add("kind", "scalar").add("argument", operand.number);
      break;
    case Kind::Number:
      line.add("kind", "number").add("element", operand.element);
      line.add("value", toJSON(operand.value));
      break;
    case Kind::Bits:
      line.add("kind", "bits").add("element", operand.element);
      line.add("bits", operand.bits);
      break;
    }
    line.print(out);
  }

  static bool isFused(const StepDescription &step) {
    return step.bias || step.residual ||
           step.function != LibraryFunction::Identity;
  }

  void print(const StepDescription &step) {
    using Kind = StepDescription::Kind;
    auto printOperand = [&](StringRef name, const OperandDescription &operand) {
      out.attributeBegin(name);
      print(operand);
      out.attributeEnd();
    };
    out.object([&] {
      switch (step.kind) {
      case Kind::Launch:
        out.attribute("kind", "launch");
        out.attribute("kernel", step.kernel);
        printList("operands", step.operands);
        break;
      case Kind::Fill:
        out.attribute("kind", "fill");
        printOperand("value", step.operands[0]);
        printOperand("target", step.operands[1]);
        break;
      case Kind::Copy:
        out.attribute("kind", "copy");
        printOperand("source", step.operands[0]);
        printOperand("target", step.operands[1]);
        break;
      case Kind::Matmul:
        // Readers that know of no bias refuse this kind.
        if (isFused(step)) {
          out.attribute("kind", "fused_matmul");
          out.attribute("function", stringifyLibraryFunction(step.function));
        } else {
          out.attribute("kind", "matmul");
        }
        out.attribute("tf32", step.tf32);
        printOperand("lhs", step.operands[0]);
        printOperand("rhs", step.operands[1]);
        printOperand("target", step.operands[2]);
        for (auto [name, operand] : {std::pair("bias", &step.bias),
                                     std::pair("residual", &step.residual),
                                     std::pair("scratch", &step.scratch)})
          if (*operand)
            printOperand(name, **operand);
        break;
      }
      if (step.isAtLoad)
        out.attribute("at_load", true);
      if (!step.family.empty())
        out.attribute("family", step.family);
      if (!step.sources.empty())
        printLine("sources", json::Array(step.sources));
    });
  }

  void print(const CheckDescription &check) {
    out.object([&] {
      out.attributeBegin("guard");
      print(check.guard);
      out.attributeEnd();
      out.attribute("message", check.message);
    });
  }

  void print(const ConstantDescription &constant) {
    Line()
        .add("element", constant.element)
        .add("extents", toIntegers(constant.extents))
        .add("offset", static_cast<int64_t>(constant.offset))
        .print(out);
  }

  void print(const ProgramDescription &program) {
    out.object([&] {
      out.attribute("name", program.name);
      printList("arguments", program.arguments);
      printList("constants", program.constants);
      printList("checks", program.checks);
      printList("steps", program.steps);
    });
  }

  void print(const Manifest &manifest) {
    out.object([&] {
      out.attribute("format", kManifestFormat);
      out.attribute("version", kManifestVersion);
      out.attribute("producer", manifest.producer);
      printList("modules", manifest.modules);
      printList("kernels", manifest.kernels);
      if (manifest.constants) {
        out.attributeBegin("constants");
        Line()
            .add("file", manifest.constants->file)
            .add("bytes", static_cast<int64_t>(manifest.constants->bytes))
            .add("hash", manifest.constants->hash)
            .print(out);
        out.attributeEnd();
      }
      if (!manifest.programs.empty())
        printList("programs", manifest.programs);
    });
  }

private:
  /// The lists of the record, each of their elements on one line.
  void printDecisions(const VariantDescription &variant) {
    json::Value record = toJSON(variant);
    out.attributeObject("decisions", [&] {
      for (StringRef name :
           {"occupancies", "rings", "transfers", "misses", "notes"})
        if (json::Array *list = record.getAsObject()->getArray(name))
          out.attributeArray(name, [&] {
            for (json::Value &element : *list)
              out.rawValue([&](raw_ostream &os) { os << element; });
          });
    });
  }

  /// Prints lists of one-line values, which json::OStream would spread.
  void printLine(StringRef name, json::Value value) {
    out.attributeBegin(name);
    out.rawValue([&](raw_ostream &os) { os << value; });
    out.attributeEnd();
  }

  json::OStream &out;
};

} // namespace

std::string carousel::printManifest(const Manifest &manifest) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  {
    json::OStream out(stream, /*IndentSize=*/2);
    Printer(out).print(manifest);
  }
  stream << '\n';
  return text;
}
