//===- EmitCUDA.cpp - CUDA C++ from the EmitC form ------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints a module as one text: the headers of the functions that it calls, then
// its own functions. Reserved names are known before the first name is chosen.
//
//===----------------------------------------------------------------------===//

#include "carousel/Target/EmitCUDA.h"

#include "FunctionPrinter.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/StringSet.h"
#include <set>

using namespace mlir;
using namespace carousel;

/// The header of a function or type of namespace carousel.
static StringRef getHeader(StringRef function) {
  struct Row {
    StringLiteral header;
    std::initializer_list<StringLiteral> prefixes;
  };
  static const Row rows[] = {
#define CAROUSEL_DEVICE_HEADER(header, ...) {header, {__VA_ARGS__}},
#include "carousel/device/functions.def"
  };
  StringRef header, longest;
  for (const Row &row : rows)
    for (StringRef prefix : row.prefixes)
      if (prefix.size() > longest.size() && function.starts_with(prefix)) {
        header = row.header;
        longest = prefix;
      }
  if (!header.empty())
    return header;
  StringRef name =
      function.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
  bool isEnumerator = function.drop_front(name.size()).starts_with("::");
  return isEnumerator ? "types.h" : "math.h";
}

namespace {

class ModulePrinter {
public:
  ModulePrinter(gpu::GPUModuleOp module, const EmitCUDAOptions &options)
      : module(module), options(options) {}

  FailureOr<std::string> print() {
    collect();
    if (mlir::failed(verifyNames()))
      return failure();
    std::string functions;
    for (auto global : module.getOps<emitc::GlobalOp>())
      functions += "\n" + declareGlobal(global);
    for (emitc::FuncOp func : printed) {
      FailureOr<std::string> text =
          FunctionPrinter(func, globals, options).print();
      if (mlir::failed(text))
        return failure();
      functions += "\n";
      // A kernel's name must not be a macro of a header.
      if (looksLikeMacro(func.getName()))
        functions += "#undef " + func.getName().str() + "\n";
      functions += *text;
    }
    std::string text = "// CUDA C++17. NVRTC and nvcc compute what the IR says "
                       "with --fmad=false.\n\n";
    for (const std::string &header : headers)
      text += "#include <carousel/device/" + header + ">\n";
    text += "\n";
    for (const std::string &name : integers)
      text += "using carousel::" + name + ";\n";
    return text + functions;
  }

private:
  void collect() {
    // Declarations first, because a function is called after its declaration.
    for (bool external : {true, false})
      for (auto func : module.getOps<emitc::FuncOp>()) {
        bool isKernel = func->hasAttr(TextAttrs::kKernel);
        bool isOther = isKernel && !options.kernel.empty() &&
                       func.getName() != options.kernel;
        if (func.isExternal() == external && !isKernel)
          printed.push_back(func);
        if (!external && isKernel && !isOther)
          kernels.push_back(func);
      }
    llvm::append_range(printed, kernels);
    // Inline functions stand for instructions. Kernels that have none of these
    // don't need them.
    llvm::StringSet<> called;
    for (emitc::FuncOp func : printed)
      func.walk([&](emitc::CallOp call) { called.insert(call.getCallee()); });
    llvm::erase_if(printed, [&](emitc::FuncOp func) {
      ArrayAttr specifiers = func.getSpecifiersAttr();
      return specifiers && !called.contains(func.getName()) &&
             llvm::is_contained(specifiers.getAsValueRange<StringAttr>(),
                                "CAROUSEL_DEVICE");
    });
    headers.insert("types.h");
    for (auto global : module.getOps<emitc::GlobalOp>()) {
      globals.reserve(global.getSymName());
      if (auto array = dyn_cast<emitc::ArrayType>(global.getType()))
        use(spellType(array.getElementType()));
    }
    for (emitc::FuncOp func : printed) {
      globals.reserve(func.getName());
      for (Type type : func.getArgumentTypes())
        use(spellType(type));
      func.walk([&](Operation *op) {
        for (Value result : op->getResults()) {
          Type type = result.getType();
          if (auto lvalue = dyn_cast<emitc::LValueType>(type))
            type = lvalue.getValueType();
          else if (auto array = dyn_cast<emitc::ArrayType>(type))
            type = array.getElementType();
          use(spellType(type));
        }
        if (auto call = dyn_cast<emitc::CallOpaqueOp>(op)) {
          use((call.getCallee() + (call.getTemplateArgs() ? "<" : "")).str());
          if (ArrayAttr arguments = call.getTemplateArgsAttr())
            for (auto argument : arguments.getAsRange<emitc::OpaqueAttr>())
              use(argument.getValue());
        } else if (auto literal = dyn_cast<emitc::LiteralOp>(op)) {
          globals.reserve(literal.getValue());
          if (literal.getValue() == TextAttrs::kDynamicShared)
            use("uint8_t");
        } else if (auto loop = dyn_cast<emitc::ForOp>(op)) {
          Type type = loop.getInductionVar().getType();
          use(spellType(type));
          if (auto integer = dyn_cast<IntegerType>(type))
            use("int" + std::to_string(integer.getWidth()) + "_t");
        }
      });
    }
  }

  /// Records the headers that a text needs, and reserves the names in it.
  void use(StringRef text) {
    globals.reserve(text);
    static constexpr StringLiteral space{"carousel::"};
    for (size_t at = text.find(space); at != StringRef::npos;
         at = text.find(space, at + 1))
      headers.insert(getHeader(text.substr(at + space.size())).str());
    for (StringRef name : {"int8_t", "int16_t", "int32_t", "int64_t", "uint8_t",
                           "uint16_t", "uint32_t", "uint64_t"})
      for (size_t at = text.find(name); at != StringRef::npos;
           at = text.find(name, at + 1))
        if (at == 0 || !(llvm::isAlnum(text[at - 1]) || text[at - 1] == ':'))
          integers.insert(name.str());
  }

  static std::string declareGlobal(emitc::GlobalOp global) {
    auto array = cast<emitc::ArrayType>(global.getType());
    // C++ allows alignas next to these specifiers only at the start.
    std::string text;
    if (auto alignment = global->getAttrOfType<IntegerAttr>(TextAttrs::kAlign))
      text += "alignas(" + std::to_string(alignment.getInt()) + ") ";
    text += global->hasAttr(TextAttrs::kShared) ? "__shared__ "
                                                : "static __device__ ";
    text += declare(array.getElementType(), global.getSymName());
    for (int64_t extent : array.getShape())
      text += "[" + std::to_string(extent) + "]";
    if (Attribute values = global.getInitialValueAttr())
      text += " = {" + spellValues(cast<ElementsAttr>(values)) + "\n}";
    return text + ";\n";
  }

  /// Prints a few values on each line.
  static std::string spellValues(ElementsAttr values) {
    constexpr size_t kOnALine = 8;
    std::string text;
    for (auto [i, value] : llvm::enumerate(values.getValues<Attribute>()))
      text += (i == 0 ? "" : ",") + std::string(i % kOnALine ? " " : "\n    ") +
              spellConstant(value, values.getElementType(), /*typed=*/false);
    return text;
  }

  LogicalResult verifyNames() {
    for (Operation &op : *module.getBody()) {
      if (isa<emitc::FuncOp>(op))
        continue;
      // The conversion only makes arrays.
      if (auto global = dyn_cast<emitc::GlobalOp>(op))
        if (isa<emitc::ArrayType>(global.getType()) &&
            (!global.getInitialValue() ||
             isa<ElementsAttr>(global.getInitialValueAttr())) &&
            isFreeIdentifier(global.getSymName()))
          continue;
      return op.emitError("expected an op that has a text in CUDA C++, got '")
             << op.getName() << "'";
    }
    for (emitc::FuncOp func : printed)
      if (!isFreeIdentifier(func.getName()))
        return func.emitError("expected a function whose name CUDA C++ can "
                              "have, got '")
               << func.getName() << "'";
    return success();
  }

  gpu::GPUModuleOp module;
  const EmitCUDAOptions &options;
  SmallVector<emitc::FuncOp> printed, kernels;
  NameScope globals;
  std::set<std::string> headers, integers;
};

} // namespace

FailureOr<std::string> carousel::emitCUDA(gpu::GPUModuleOp module,
                                          const EmitCUDAOptions &options) {
  return ModulePrinter(module, options).print();
}
