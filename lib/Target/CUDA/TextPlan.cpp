//===- TextPlan.cpp - names and places of values --------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each op has a number, in the order of the text. An inlined op is evaluated at
// the number of the statement that it becomes part of. Ops are visited from
// last to first, so that this is known for all users of a value. A read may
// move to its use only if no write is in between.
//
//===----------------------------------------------------------------------===//

#include "FunctionPrinter.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <functional>

using namespace mlir;
using namespace carousel;

/// Keywords of C++ up to C++23, alternative tokens, and names that CUDA
/// compilers define without any header: variables, functions that need no
/// namespace, and macros.
static const StringSet<> &getReserved() {
  static const StringSet<> names = {
      // clang-format off
      "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break", "case",
      "catch", "char", "char8_t", "char16_t", "char32_t", "class", "compl", "concept", "const",
      "const_cast", "consteval", "constexpr", "constinit", "continue", "co_await", "co_return",
      "co_yield", "decltype", "default", "delete", "do", "double", "dynamic_cast", "else", "enum",
      "explicit", "export", "extern", "false", "float", "for", "friend", "goto", "if", "inline", "int",
      "long", "mutable", "namespace", "new", "noexcept", "not", "not_eq", "nullptr", "operator", "or",
      "or_eq", "private", "protected", "public", "register", "reinterpret_cast", "requires", "restrict",
      "return", "short", "signed", "sizeof", "static", "static_assert", "static_cast", "struct",
      "switch", "template", "this", "thread_local", "throw", "true", "try", "typedef", "typeid",
      "typename", "typeof", "union", "unsigned", "using", "virtual", "void", "volatile", "wchar_t",
      "while", "xor", "xor_eq", "import", "module", "final", "override",
      "carousel", "std", "cuda", "main", "threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize",
      "dim3", "uint3", "half", "size_t", "ptrdiff_t", "int8_t", "int16_t", "int32_t", "int64_t",
      "uint8_t", "uint16_t", "uint32_t", "uint64_t", "uint4", "uint2", "linux", "unix", "i386",
      "assert", "errno", "stdin", "stdout", "stderr", "offsetof", "signbit", "isnan", "isinf",
      "isfinite", "isnormal", "fpclassify", "min", "max", "abs", "printf", "malloc", "free", "memcpy",
      "memset", "clock", "clock64", "near", "far", "pascal", "cdecl", "interface", "small",
      // clang-format on
  };
  return names;
}

static bool isIdentifier(StringRef name) {
  return !name.empty() && !llvm::isDigit(name.front()) &&
         llvm::all_of(name,
                      [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

bool carousel::looksLikeMacro(StringRef name) {
  return name.size() > 1 && llvm::none_of(name, [](char c) {
           return llvm::isAlpha(c) && llvm::isLower(c);
         });
}

bool carousel::isFreeIdentifier(StringRef name) {
  // Names that start with two underscores, or one and a capital, belong to the
  // compiler.
  bool isReserved =
      name.starts_with("__") ||
      (name.size() > 1 && name[0] == '_' && llvm::isUpper(name[1]));
  return isIdentifier(name) && !isReserved && !getReserved().contains(name) &&
         !name.starts_with("CAROUSEL_");
}

void NameScope::reserve(StringRef text) {
  char before = ' ';
  while (!text.empty()) {
    StringRef word =
        text.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
    // Members don't conflict with other names.
    if (!word.empty() && before != '.')
      taken.insert(word);
    before = text.front();
    text = text.drop_front(std::max<size_t>(word.size(), 1));
  }
}

std::string NameScope::unique(StringRef wanted) {
  std::string name;
  for (char c : wanted.take_front(64))
    name += llvm::isAlnum(c) && llvm::isASCII(c) ? c : '_';
  if (name.empty() || llvm::all_of(name, [](char c) { return c == '_'; }))
    name = "v";
  if (llvm::isDigit(name.front()))
    name = "v" + name;
  if (looksLikeMacro(name) || !isFreeIdentifier(name)) {
    // Changes capitals and keywords to names that no header defines.
    while (name.size() > 1 && name.front() == '_')
      name.erase(0, 1);
    if (llvm::isDigit(name.front()))
      name = "v" + name;
    name += "_v";
  }
  std::string candidate = name;
  for (unsigned i = 1; !taken.insert(candidate).second; ++i)
    candidate = name + "_" + std::to_string(i);
  return candidate;
}

std::string carousel::escapeComment(StringRef text) {
  std::string result;
  for (char c : text)
    // A backslash would continue the comment on the next line, and so would its
    // trigraph.
    result += !llvm::isPrint(c) || c == '\\' ? '.' : c;
  for (size_t at; (at = result.find("?\?/")) != std::string::npos;)
    result[at] = '.';
  return result;
}

std::string carousel::quote(StringRef text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\' || c == '?') {
      result += '\\';
      result += c;
    } else if (llvm::isPrint(c)) {
      result += c;
    } else {
      // Always three digits, so that a following digit isn't part of it.
      unsigned char byte = c;
      result += '\\';
      result += static_cast<char>('0' + byte / 64);
      result += static_cast<char>('0' + byte / 8 % 8);
      result += static_cast<char>('0' + byte % 8);
    }
  }
  return result + "\"";
}

/// The largest number of ops in an expression.
static constexpr unsigned kMaxCost = 7;

static bool isPureOp(Operation *op) {
  if (auto call = dyn_cast<emitc::CallOpaqueOp>(op))
    return call->hasAttr(TextAttrs::kPure) && op->getNumResults() == 1;
  return isa<emitc::AddOp, emitc::SubOp, emitc::MulOp, emitc::DivOp,
             emitc::RemOp, emitc::BitwiseAndOp, emitc::BitwiseOrOp,
             emitc::BitwiseXorOp, emitc::BitwiseNotOp,
             emitc::BitwiseLeftShiftOp, emitc::BitwiseRightShiftOp,
             emitc::CmpOp, emitc::CastOp, emitc::ConditionalOp,
             emitc::LogicalAndOp, emitc::LogicalOrOp, emitc::LogicalNotOp,
             emitc::UnaryMinusOp, emitc::UnaryPlusOp>(op);
}

/// Ops that print as short as a name, or whose type no declaration can have.
static bool isAlwaysInlined(Operation *op) {
  if (isa<emitc::ConstantOp, emitc::LiteralOp, emitc::SubscriptOp,
          emitc::GetGlobalOp>(op))
    return true;
  if (auto cast = dyn_cast<emitc::CastOp>(op))
    return isa<emitc::ArrayType>(cast.getSource().getType());
  if (auto call = dyn_cast<emitc::CallOpaqueOp>(op)) {
    if (call.getCallee() == "&")
      return true;
    // Coordinates, and members of a struct.
    if (call.getCallee() == TextAttrs::kList)
      if (auto type = dyn_cast<emitc::OpaqueType>(call.getResult(0).getType()))
        return !type.getValue().starts_with("carousel::vec<");
  }
  return false;
}

static bool hasEffect(Operation *op) {
  if (auto assign = dyn_cast<emitc::AssignOp>(op))
    return assign.getVar().getDefiningOp<emitc::SubscriptOp>() != nullptr;
  if (auto call = dyn_cast<emitc::CallOpaqueOp>(op))
    return !call->hasAttr(TextAttrs::kPure);
  return isa<emitc::CallOp, emitc::VerbatimOp>(op);
}

static bool isVariableLoad(Operation *op) {
  auto load = dyn_cast<emitc::LoadOp>(op);
  return load && load.getOperand().getDefiningOp<emitc::VariableOp>();
}

TextPlan::TextPlan(emitc::FuncOp func) {
  number(func);
  findSourceNames();
  findDeclarations();
  for (Operation *op : llvm::reverse(order))
    decide(op);
}

void TextPlan::number(emitc::FuncOp func) {
  unsigned next = 0;
  std::function<void(Region &)> visit = [&](Region &region) {
    for (Operation &op : region.getOps()) {
      order.push_back(&op);
      unsigned begin = next++;
      for (Region &nested : op.getRegions())
        visit(nested);
      extents[&op] = {begin, next++};
      if (hasEffect(&op))
        effects.push_back(begin);
    }
  };
  visit(func.getBody());
  llvm::sort(effects);
}

/// One op of the source often becomes several with its location. The last one
/// gets the name.
void TextPlan::findSourceNames() {
  DenseMap<Location, Operation *> last;
  for (Operation *op : order)
    if (op->getNumResults() == 1 && isa<NameLoc>(op->getLoc()) &&
        !isAlwaysInlined(op))
      last[op->getLoc()] = op;
  for (auto [loc, op] : last) {
    // A variable's name belongs to the variable.
    if (isVariableLoad(op))
      continue;
    sourceNames[op] = cast<NameLoc>(loc).getName();
  }
}

void TextPlan::findDeclarations() {
  for (Operation *op : order) {
    auto variable = dyn_cast<emitc::VariableOp>(op);
    if (!variable || !isa<emitc::LValueType>(variable.getType()))
      continue;
    Operation *first = nullptr;
    for (Operation *user : variable->getUsers())
      if (!first || extents.lookup(user).begin < extents.lookup(first).begin)
        first = user;
    auto assign = dyn_cast_or_null<emitc::AssignOp>(first);
    if (assign && assign->getBlock() == variable->getBlock()) {
      declarations.insert(assign);
      declaredLater.insert(variable);
    }
  }
}

/// The last point at which an operand is evaluated.
unsigned TextPlan::getPoint(OpOperand &use) const {
  Operation *user = use.getOwner();
  if (inlined.contains(user))
    return points.lookup(user);
  // Each iteration compares with the bound, and adds the step.
  if (isa<emitc::ForOp>(user) && use.getOperandNumber() != 0)
    return extents.lookup(user).end;
  return extents.lookup(user).begin;
}

unsigned TextPlan::getLastPoint(Operation *op) const {
  unsigned last = extents.lookup(op).begin;
  for (OpOperand &use : op->getUses()) {
    last = std::max(last, getPoint(use));
    // If the op is outside a loop, every iteration evaluates the use.
    for (Operation *parent = use.getOwner()->getParentOp();
         parent && !parent->isAncestor(op); parent = parent->getParentOp())
      if (isa<emitc::ForOp, emitc::DoOp>(parent))
        last = std::max(last, extents.lookup(parent).end);
  }
  return last;
}

/// Whether a variable still holds the value that was read, at each use.
bool TextPlan::isReadInTime(emitc::LoadOp load) const {
  unsigned begin = extents.lookup(load).begin, last = getLastPoint(load);
  return llvm::none_of(load.getOperand().getUsers(), [&](Operation *user) {
    if (!isa<emitc::AssignOp, emitc::VerbatimOp>(user))
      return false;
    unsigned at = extents.lookup(user).begin;
    return begin < at && at < last;
  });
}

void TextPlan::decide(Operation *op) {
  if (op->getNumResults() != 1)
    return;
  auto inlineAt = [&](unsigned point, unsigned cost) {
    inlined.insert(op);
    points[op] = point;
    costs[op] = cost;
  };
  if (isAlwaysInlined(op))
    return inlineAt(getLastPoint(op), 1);
  if (isVariableLoad(op)) {
    if (isReadInTime(cast<emitc::LoadOp>(op)))
      inlineAt(getLastPoint(op), 1);
    return;
  }
  // Dead values aren't printed.
  if (op->use_empty()) {
    if (isPureOp(op) || isa<emitc::LoadOp>(op))
      inlineAt(extents.lookup(op).begin, 0);
    return;
  }
  bool isLoad = isa<emitc::LoadOp>(op);
  if ((!isLoad && !isPureOp(op)) || !op->hasOneUse() ||
      sourceNames.contains(op))
    return;
  OpOperand &use = *op->use_begin();
  Operation *user = use.getOwner();
  if (user->getBlock() != op->getBlock())
    return;
  // C++ computes narrow integers as int, and only an assignment truncates them.
  if (auto integer = dyn_cast<IntegerType>(op->getResult(0).getType()))
    if (!isLoad && integer.getWidth() > 1 && integer.getWidth() < 32 &&
        !isa<emitc::CastOp, emitc::CallOpaqueOp>(op))
      return;
  // Each iteration would compute it again.
  if (isa<emitc::ForOp>(user) && use.getOperandNumber() != 0)
    return;
  unsigned point = getPoint(use);
  unsigned begin = extents.lookup(op).begin;
  if (isLoad) {
    auto *effect = llvm::upper_bound(effects, begin);
    if (effect != effects.end() && *effect < point)
      return;
  }
  // The cost of the whole expression so far.
  unsigned cost = 1 + (inlined.contains(user) ? costs.lookup(user) : 0);
  if (cost > kMaxCost)
    return;
  inlineAt(point, cost);
  // Its cost counts for all parts of the expression.
  for (Operation *parent = user; inlined.contains(parent);) {
    costs[parent] = std::max(costs[parent], cost);
    if (!parent->hasOneUse())
      break;
    parent = *parent->getUsers().begin();
  }
}
