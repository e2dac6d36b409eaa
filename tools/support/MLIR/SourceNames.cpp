//===- SourceNames.cpp - parsing that keeps SSA names ---------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See SourceNames.h.
//
//===----------------------------------------------------------------------===//

#include "SourceNames.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

/// The name at a place in the file, without its sigil and its number of
/// results; empty if it is a number.
static StringRef getName(llvm::SMRange range) {
  if (!range.isValid())
    return {};
  StringRef text(range.Start.getPointer(),
                 range.End.getPointer() - range.Start.getPointer());
  text.consume_front("%");
  text = text.take_until([](char c) { return c == ':' || c == '#'; });
  bool isNumber = llvm::all_of(text, [](char c) { return llvm::isDigit(c); });
  return isNumber ? StringRef() : text;
}

static Location addName(Location loc, StringRef name) {
  if (isa<NameLoc>(loc))
    return loc;
  return NameLoc::get(StringAttr::get(loc.getContext(), name), loc);
}

OwningOpRef<ModuleOp> carousel::parseWithNames(const llvm::SourceMgr &sources,
                                               MLIRContext *context) {
  ParserConfig config(context, /*verifyAfterParse=*/false);
  AsmParserState state;
  Block block;
  if (failed(parseAsmSourceFile(sources, &block, config, &state)))
    return nullptr;
  for (const AsmParserState::OperationDefinition &definition :
       state.getOpDefs())
    for (const auto &group : definition.resultGroups) {
      StringRef name = getName(group.definition.loc);
      if (!name.empty())
        definition.op->setLoc(addName(definition.op->getLoc(), name));
    }
  for (const AsmParserState::BlockDefinition &definition :
       state.getBlockDefs()) {
    if (!definition.block)
      continue;
    for (auto [i, argument] : llvm::enumerate(definition.arguments)) {
      StringRef name = getName(argument.loc);
      if (name.empty() || i >= definition.block->getNumArguments())
        continue;
      BlockArgument value = definition.block->getArgument(i);
      value.setLoc(addName(value.getLoc(), name));
    }
  }
  // A file of one module is that module; anything else is in one.
  OwningOpRef<ModuleOp> module;
  if (llvm::hasSingleElement(block) && isa<ModuleOp>(block.front())) {
    module = cast<ModuleOp>(&block.front());
    module->getOperation()->remove();
  } else {
    StringRef file =
        sources.getMemoryBuffer(sources.getMainFileID())->getBufferIdentifier();
    module = ModuleOp::create(FileLineColLoc::get(context, file, 0, 0));
    Block *body = module->getBody();
    body->getOperations().splice(body->begin(), block.getOperations());
  }
  if (failed(verify(*module)))
    return nullptr;
  return module;
}
