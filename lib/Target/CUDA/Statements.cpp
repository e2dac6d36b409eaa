//===- Statements.cpp - statements and functions as text ------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints one or more lines for each op that isn't part of an expression, with a
// comment on its location.
//
//===----------------------------------------------------------------------===//

#include "FunctionPrinter.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace carousel;

/// The columns of a line, without a comment after it.
static constexpr size_t kColumns = 100;

//===----------------------------------------------------------------------===//
// Lines
//===----------------------------------------------------------------------===//

/// The file and line of an op, if its location has them.
static FileLineColLoc findFile(Location loc) {
  FileLineColLoc found;
  loc->walk([&](Location nested) {
    if (auto file = dyn_cast<FileLineColLoc>(nested)) {
      found = file;
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return found;
}

std::string FunctionPrinter::getLocationComment(Operation *op) {
  FileLineColLoc loc = findFile(op->getLoc());
  if (!loc)
    return {};
  std::string key =
      loc.getFilename().str() + ":" + std::to_string(loc.getLine());
  if (key == lastLocation)
    return {};
  lastLocation = key;
  if (options.lineDirectives) {
    output += "#line " + std::to_string(loc.getLine()) + " " +
              quote(loc.getFilename()) + "\n";
    return {};
  }
  if (!options.locations)
    return {};
  return "  // " + escapeComment(llvm::sys::path::filename(loc.getFilename())) +
         ":" + std::to_string(loc.getLine());
}

/// Breaks a line after commas, and indents the following lines by four more
/// columns.
static void appendWrapped(std::string &output, StringRef text,
                          unsigned columns) {
  std::string margin(columns, ' ');
  while (margin.size() + text.size() > kColumns) {
    size_t cut = StringRef::npos;
    bool inString = false;
    for (size_t i = 0; i + 1 < text.size(); ++i) {
      if (text[i] == '"' && (i == 0 || text[i - 1] != '\\'))
        inString = !inString;
      if (inString || text[i] != ',' || text[i + 1] != ' ')
        continue;
      if (cut != StringRef::npos && margin.size() + i + 1 > kColumns)
        break;
      cut = i + 1;
    }
    if (cut == StringRef::npos)
      break;
    output += margin + text.take_front(cut).str() + "\n";
    text = text.drop_front(cut + 1);
    margin = std::string(columns + 4, ' ');
  }
  output += margin + text.str();
}

void FunctionPrinter::printLine(StringRef text, Operation *from) {
  std::string comment;
  if (from) {
    if (auto said = from->getAttrOfType<StringAttr>(TextAttrs::kComment))
      output += std::string(2 * indent, ' ') + "// " +
                escapeComment(said.getValue()) + "\n";
    comment = getLocationComment(from);
  }
  appendWrapped(output, text, 2 * indent);
  output += comment + "\n";
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// A name for a value from the op that defines it, if the source has none.
std::string FunctionPrinter::suggestName(Value value) {
  Type type = value.getType();
  if (auto lvalue = dyn_cast<emitc::LValueType>(type))
    type = lvalue.getValueType();
  Operation *op = value.getDefiningOp();
  if (op) {
    if (auto hint = op->getAttrOfType<StringAttr>(TextAttrs::kHint))
      return hint.getValue().str();
    if (StringAttr name = plan.getSourceName(op))
      return name.getValue().str();
    // Another op of the same source statement, which isn't its result.
    if (auto name = dyn_cast<NameLoc>(op->getLoc()))
      return name.getName().str();
    if (auto call = dyn_cast<emitc::CallOpaqueOp>(op)) {
      StringRef callee = call.getCallee().rsplit("::").second;
      if (callee == "load")
        return "loaded";
      if (callee.starts_with("mbarrier_arrive"))
        return "state";
      if (callee.starts_with("__shfl"))
        return "shuffled";
      if (!callee.empty())
        return callee.str();
    }
    if (isa<emitc::LoadOp>(op))
      return "loaded";
    if (isa<emitc::VariableOp>(op))
      return isa<emitc::ArrayType>(type) ? "buffer" : "carried";
  } else if (auto name = dyn_cast<NameLoc>(value.getLoc())) {
    return name.getName().str();
  } else if (isa<emitc::ForOp>(value.getParentBlock()->getParentOp())) {
    return "i";
  } else {
    return "arg" + std::to_string(cast<BlockArgument>(value).getArgNumber());
  }
  if (type.isInteger(1))
    return "is";
  if (isa<IntegerType>(type))
    return "n";
  if (isa<FloatType>(type))
    return "x";
  if (isa<emitc::PointerType>(type))
    return "at";
  return "v";
}

std::string FunctionPrinter::getName(Value value) {
  if (Value alias = aliases.lookup(value))
    return getName(alias);
  std::string &name = named[value];
  if (name.empty())
    name = names.unique(suggestName(value));
  return name;
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

void FunctionPrinter::printVariable(emitc::VariableOp op) {
  std::string name = getName(op.getResult());
  if (auto array = dyn_cast<emitc::ArrayType>(op.getType())) {
    std::string text;
    if (op->hasAttr(TextAttrs::kShared))
      text += "__shared__ ";
    if (auto alignment = op->getAttrOfType<IntegerAttr>(TextAttrs::kAlign))
      text += "alignas(" + std::to_string(alignment.getInt()) + ") ";
    text += declare(array.getElementType(), name);
    for (int64_t extent : array.getShape())
      text += "[" + std::to_string(extent) + "]";
    if (spellType(array.getElementType()).empty())
      fail(op);
    return printLine(text + ";", op);
  }
  Type type = cast<emitc::LValueType>(op.getType()).getValueType();
  if (spellType(type).empty())
    fail(op);
  if (!plan.isDeclaredByAssignment(op))
    printLine(declare(type, name) + ";", op);
}

void FunctionPrinter::printFor(emitc::ForOp op) {
  Value counter = op.getInductionVar();
  std::string name = getName(counter);
  std::string bound = express(op.getUpperBound(), Precedence::Shift);
  std::string condition = name + " < " + bound;
  if (op->hasAttr(TextAttrs::kSigned)) {
    auto type = cast<IntegerType>(counter.getType());
    std::string number = spellType(IntegerType::get(
        type.getContext(), type.getWidth(), IntegerType::Signed));
    bool isConstant =
        op.getUpperBound().getDefiningOp<emitc::ConstantOp>() != nullptr;
    condition = number + "(" + name + ") < " +
                (isConstant ? bound : number + "(" + bound + ")");
  }
  std::string step = express(op.getStep());
  std::string increment = step == "1" ? "++" + name : name + " += " + step;
  if (op->hasAttr(TextAttrs::kRolled))
    output += "#pragma unroll 1\n";
  printLine("for (" + declare(counter.getType(), name) + " = " +
                express(op.getLowerBound()) + "; " + condition + "; " +
                increment + ") {",
            op);
  printBlock(*op.getBody());
  printLine("}");
}

/// The only op of a block if it is an `if`.
static emitc::IfOp getOnlyIf(Block &block, const TextPlan &plan) {
  emitc::IfOp only;
  for (Operation &op : block) {
    if (plan.isInlined(&op) || isa<emitc::YieldOp>(op))
      continue;
    if (only || !isa<emitc::IfOp>(op))
      return {};
    only = cast<emitc::IfOp>(op);
  }
  return only;
}

static bool isEmpty(Region &region, const TextPlan &plan) {
  return region.empty() || llvm::all_of(region.front(), [&](Operation &op) {
           return plan.isInlined(&op) || isa<emitc::YieldOp>(op);
         });
}

void FunctionPrinter::printIf(emitc::IfOp op, StringRef prefix) {
  bool hasElse = !isEmpty(op.getElseRegion(), plan);
  if (isEmpty(op.getThenRegion(), plan) && hasElse) {
    printLine(prefix.str() + "if (!" +
                  express(op.getCondition(), Precedence::Unary) + ") {",
              op);
    printBlock(op.getElseRegion().front());
    return printLine("}");
  }
  printLine(prefix.str() + "if (" + express(op.getCondition()) + ") {", op);
  printBlock(op.getThenRegion().front());
  if (!hasElse)
    return printLine("}");
  if (emitc::IfOp next = getOnlyIf(op.getElseRegion().front(), plan))
    return printIf(next, "} else ");
  printLine("} else {");
  printBlock(op.getElseRegion().front());
  printLine("}");
}

void FunctionPrinter::printDo(emitc::DoOp op) {
  if (op->hasAttr(TextAttrs::kRolled))
    output += "#pragma unroll 1\n";
  printLine("do {", op);
  printBlock(op.getBodyRegion().front());
  auto yield =
      cast<emitc::YieldOp>(op.getConditionRegion().front().getTerminator());
  auto expression = yield.getResult().getDefiningOp<emitc::ExpressionOp>();
  if (!expression) {
    fail(op);
    return;
  }
  for (auto [argument, operand] : llvm::zip_equal(
           expression.getRegion().getArguments(), expression->getOperands()))
    aliases[argument] = operand;
  auto result =
      cast<emitc::YieldOp>(expression.getRegion().front().getTerminator());
  printLine("} while (" + express(result.getResult()) + ");");
}

void FunctionPrinter::printSwitch(emitc::SwitchOp op) {
  printLine("switch (" + express(op.getArg()) + ") {", op);
  for (auto [value, region] :
       llvm::zip_equal(op.getCases(), op.getCaseRegions())) {
    printLine("case " + std::to_string(value) + ": {");
    printBlock(region.front());
    ++indent;
    printLine("break;");
    --indent;
    printLine("}");
  }
  printLine("default: {");
  printBlock(op.getDefaultRegion().front());
  ++indent;
  printLine("break;");
  --indent;
  printLine("}");
  printLine("}");
}

/// Prints a text with its operands. Its lines are one statement.
void FunctionPrinter::printVerbatim(emitc::VerbatimOp op) {
  std::string text;
  FailureOr<SmallVector<emitc::ReplacementItem>> items = op.parseFormatString();
  if (mlir::failed(items)) {
    fail(op);
    return;
  }
  unsigned next = 0;
  for (const emitc::ReplacementItem &item : *items) {
    if (const auto *part = std::get_if<StringRef>(&item)) {
      text += *part;
      continue;
    }
    Value operand = op.getFmtArgs()[next++];
    text += isa<emitc::LValueType>(operand.getType())
                ? expressLValue(operand)
                : express(operand, Precedence::Primary);
  }
  auto [first, rest] = StringRef(text).split('\n');
  printLine(first, op);
  indent += 2;
  while (!rest.empty()) {
    std::tie(first, rest) = rest.split('\n');
    printLine(first);
  }
  indent -= 2;
}

void FunctionPrinter::printOp(Operation *op) {
  if (plan.isInlined(op))
    return;
  TypeSwitch<Operation *>(op)
      .Case([&](emitc::VariableOp op) { printVariable(op); })
      .Case([&](emitc::AssignOp op) {
        std::string target = expressLValue(op.getVar());
        if (plan.isDeclaration(op))
          target = declare(op.getValue().getType(), target);
        std::string value = express(op.getValue());
        // An assignment of a variable to itself is omitted.
        if (value != target)
          printLine(target + " = " + value + ";", op);
      })
      .Case([&](emitc::ForOp op) { printFor(op); })
      .Case([&](emitc::IfOp op) { printIf(op); })
      .Case([&](emitc::DoOp op) { printDo(op); })
      .Case([&](emitc::SwitchOp op) { printSwitch(op); })
      .Case([&](emitc::YieldOp op) {
        if (op.getResult())
          fail(op);
      })
      .Case([&](emitc::ReturnOp op) {
        if (op.getOperand())
          printLine("return " + express(op.getOperand()) + ";", op);
      })
      .Case([&](emitc::VerbatimOp op) { printVerbatim(op); })
      .Default([&](Operation *op) {
        if (op->getNumRegions() != 0 || op->getNumResults() > 1) {
          fail(op);
          return;
        }
        std::string text = build(op, /*typed=*/false).text;
        if (op->getNumResults() == 1 && !op->use_empty()) {
          Value result = op->getResult(0);
          if (spellType(result.getType()).empty())
            fail(op);
          // A constant converts implicitly.
          if (auto cast = dyn_cast<emitc::CastOp>(op))
            if (isa<IntegerType>(cast.getType()) &&
                isa<IntegerType>(cast.getSource().getType()))
              text = express(cast.getSource());
          text = declare(result.getType(), getName(result)) + " = " + text;
        }
        printLine(text + ";", op);
      });
}

void FunctionPrinter::printBlock(Block &block) {
  ++indent;
  for (Operation &op : block)
    printOp(&op);
  --indent;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

void FunctionPrinter::printSignature() {
  std::string text;
  bool saysResult = false;
  if (ArrayAttr specifiers = func.getSpecifiersAttr())
    for (auto specifier : specifiers.getAsRange<StringAttr>()) {
      text += specifier.getValue().str() + " ";
      saysResult |= specifier.getValue() == "void";
    }
  ArrayRef<Type> results = func.getFunctionType().getResults();
  if (!saysResult) {
    std::string result = results.empty() ? "void" : spellType(results.front());
    if (result.empty())
      fail(func);
    text += result + " ";
  }
  text += func.getName().str() + "(";
  auto said = func->getAttrOfType<ArrayAttr>(TextAttrs::kParameters);
  SmallVector<std::string> parameters;
  for (auto [i, type] : llvm::enumerate(func.getFunctionType().getInputs())) {
    std::string name = "arg" + std::to_string(i);
    if (!func.isExternal()) {
      Value argument = func.getArgument(i);
      if (said && i < said.size())
        named[argument] = names.unique(cast<StringAttr>(said[i]).getValue());
      name = getName(argument);
    }
    if (spellType(type).empty())
      fail(func);
    parameters.push_back(declare(type, name));
  }
  text += llvm::join(parameters, ", ") + ")";
  printLine(text + (func.isExternal() ? ";" : " {"), func);
}

FailureOr<std::string> FunctionPrinter::print() {
  printSignature();
  if (!func.isExternal()) {
    if (!func.getBody().hasOneBlock()) {
      func.emitError("expected a function of one block, got ")
          << func.getBody().getBlocks().size();
      return failure();
    }
    std::string head;
    std::swap(head, output);
    printBlock(func.getBody().front());
    if (usesDynamicShared)
      head += "  extern __shared__ __align__(1024) uint8_t " +
              TextAttrs::kDynamicShared.str() + "[];\n";
    output = head + output + "}\n";
  }
  if (failed)
    return failure();
  return output;
}
