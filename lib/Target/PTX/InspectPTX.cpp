//===- InspectPTX.cpp - what functions of a PTX text do -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See InspectPTX.h. Statements end with a semicolon; a brace opens a scope if
// no statement has begun, and encloses operands otherwise.
//
//===----------------------------------------------------------------------===//

#include "carousel/Target/InspectPTX.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace carousel;

namespace {

/// The words of an opcode: `st`, `release`, `sys`, `global`, `b32`.
struct Opcode {
  explicit Opcode(StringRef text) { text.split(words, '.'); }

  StringRef first() const { return words.front(); }
  bool has(StringRef word) const { return llvm::is_contained(words, word); }
  static bool isShared(StringRef word) { return word.starts_with("shared"); }
  bool hasShared() const { return llvm::any_of(words, isShared); }

  /// The first state space of a copy is that of its destination.
  StringRef getDestination() const {
    auto *space = llvm::find_if(words, [](StringRef word) {
      return word == "global" || isShared(word);
    });
    return space == words.end() ? StringRef() : *space;
  }

  SmallVector<StringRef> words;
};

/// Reads the statements of a text.
class Inspector {
public:
  std::vector<PTXFunction> read(StringRef text);

private:
  void readBrace(char brace);
  void beginFunction();
  void readStatement();
  void readCall(StringRef operands);

  std::vector<PTXFunction> functions;
  std::string statement; ///< since the last one
  unsigned depth = 0;    ///< of scopes
  unsigned operandDepth = 0;
};

} // namespace

static PTXWrites findWrites(const Opcode &op) {
  StringRef name = op.first();
  bool releases = op.has("release") || op.has("acq_rel");
  PTXWrites signal = releases ? PTXWrites::Signals : PTXWrites::None;
  if (name == "st") {
    if (op.has("local") || op.has("param"))
      return PTXWrites::None;
    if (op.hasShared())
      return PTXWrites::Shared;
    // Addresses without a state space may be in any memory.
    return op.has("global") ? PTXWrites::Global | signal
                            : PTXWrites::Global | PTXWrites::Shared | signal;
  }
  if (name == "red" || name == "atom")
    return op.hasShared() ? PTXWrites::Shared : PTXWrites::Reductions | signal;
  if (name == "multimem")
    return op.has("st") || op.has("red") ? PTXWrites::Multimem
                                         : PTXWrites::None;
  if (name == "stmatrix")
    return PTXWrites::Shared;
  if (name == "wmma" && op.has("store"))
    return op.hasShared() ? PTXWrites::Shared : PTXWrites::Global;
  if (name != "cp" || op.has("prefetch"))
    return PTXWrites::None;
  StringRef destination = op.getDestination();
  if (destination == "global")
    return PTXWrites::Bulk;
  return destination.empty() ? PTXWrites::None : PTXWrites::Shared;
}

static bool readsShared(const Opcode &op) {
  StringRef name = op.first();
  if (name == "ld" || name == "atom")
    return op.hasShared();
  if (name == "cp")
    return op.getDestination() == "global" && op.hasShared();
  return name == "ldmatrix" || name == "wgmma";
}

static StringRef takeName(StringRef text) {
  return text.ltrim().take_while(
      [](char c) { return llvm::isAlnum(c) || c == '_' || c == '$'; });
}

/// `.visible .entry NAME (`, or `.func (RESULTS) NAME (`.
void Inspector::beginFunction() {
  StringRef text = statement;
  bool isKernel = text.contains(".entry");
  StringRef head = text.split(isKernel ? ".entry" : ".func").second.ltrim();
  if (head.starts_with("("))
    head = head.split(')').second;
  functions.emplace_back();
  functions.back().name = takeName(head).str();
  functions.back().isKernel = isKernel;
}

void Inspector::readCall(StringRef operands) {
  operands = operands.ltrim();
  if (operands.consume_front("("))
    operands = operands.split(')').second.ltrim(" \t,");
  if (operands.starts_with("%"))
    functions.back().callsIndirectly = true;
  else
    functions.back().callees.push_back(takeName(operands).str());
}

void Inspector::readStatement() {
  StringRef text = StringRef(statement).trim();
  if (functions.empty() || depth == 0 || text.empty())
    return;
  PTXFunction &function = functions.back();
  if (text.starts_with("@")) // a predicate
    text = text.drop_while([](char c) { return !llvm::isSpace(c); }).ltrim();
  if (text.starts_with(".callprototype"))
    function.callsIndirectly = true;
  if (text.starts_with(".local")) {
    int64_t bytes;
    if (!text.split('[').second.split(']').first.getAsInteger(10, bytes))
      function.stackBytes += bytes;
  }
  StringRef name =
      text.take_while([](char c) { return !llvm::isSpace(c) && c != '('; });
  Opcode opcode(name);
  if (opcode.first() == "call")
    return readCall(text.drop_front(name.size()));
  function.writes |= findWrites(opcode);
  function.readsShared |= readsShared(opcode);
}

void Inspector::readBrace(char brace) {
  bool isHead = depth == 0 && (StringRef(statement).contains(".entry") ||
                               StringRef(statement).contains(".func"));
  bool begins = StringRef(statement).trim().empty();
  if (brace == '{' && (isHead || (depth > 0 && begins))) {
    if (isHead)
      beginFunction();
    ++depth;
    statement.clear();
  } else if (brace == '{') {
    ++operandDepth;
  } else if (operandDepth > 0) {
    --operandDepth;
  } else {
    readStatement(); // inline text may end without a semicolon
    depth -= depth > 0;
    statement.clear();
  }
}

/// These directives of debug information end with the line.
static bool isLineDirective(StringRef line) {
  StringRef word =
      line.ltrim().take_until([](char c) { return llvm::isSpace(c); });
  return word == ".loc" || word == ".file";
}

std::vector<PTXFunction> Inspector::read(StringRef text) {
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    text = rest;
    if (isLineDirective(line))
      continue;
    StringRef code = line.split("//").first;
    for (size_t i = 0; i < code.size(); ++i) {
      char c = code[i];
      if (c == '{' || c == '}') {
        readBrace(c);
      } else if (c == ';') {
        readStatement();
        statement.clear();
      } else if (c == ':' && code.substr(i, 2) == "::") {
        statement += "::";
        ++i;
      } else if (c == ':' && depth > 0) {
        statement.clear(); // a label
      } else {
        statement += c;
      }
    }
    statement += ' ';
  }
  return std::move(functions);
}

std::vector<PTXFunction> carousel::inspectPTX(StringRef ptx) {
  return Inspector().read(ptx);
}

PTXFunction carousel::addCallees(const PTXFunction &function,
                                 ArrayRef<PTXFunction> all) {
  PTXFunction sum = function;
  llvm::SmallSetVector<const PTXFunction *, 8> reached;
  reached.insert(&function);
  for (size_t i = 0; i < reached.size(); ++i)
    for (const PTXFunction &callee : all)
      if (llvm::is_contained(reached[i]->callees, callee.name) &&
          reached.insert(&callee)) {
        sum.writes |= callee.writes;
        sum.readsShared |= callee.readsShared;
        sum.callsIndirectly |= callee.callsIndirectly;
        sum.stackBytes += callee.stackBytes;
      }
  return sum;
}

std::string carousel::findRecursion(ArrayRef<PTXFunction> all) {
  // Without the functions that call no others of the list, and so on, those are
  // left that are on a cycle or lead to one.
  SmallVector<const PTXFunction *> left;
  for (const PTXFunction &function : all)
    left.push_back(&function);
  auto findCallee = [&](const PTXFunction *caller) {
    return llvm::find_if(left, [&](const PTXFunction *callee) {
      return llvm::is_contained(caller->callees, callee->name);
    });
  };
  for (size_t before = 0; before != left.size();) {
    before = left.size();
    auto callsNone = [&](const PTXFunction *function) {
      return findCallee(function) == left.end();
    };
    auto *first = llvm::find_if(left, callsNone);
    if (first != left.end())
      left.erase(first);
  }
  if (left.empty())
    return {};
  const PTXFunction *on = left.front();
  for (size_t i = 0; i < left.size(); ++i)
    on = *findCallee(on);
  return on->name;
}
