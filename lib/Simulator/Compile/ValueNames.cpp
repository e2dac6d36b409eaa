//===- ValueNames.cpp - names of values as locations ----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A parsed module has no names of values. The parser can tell where each value
// was defined. The identifier there becomes part of the location, which
// survives copies and lowerings of the op.
//
//===----------------------------------------------------------------------===//

#include "carousel/Simulator/Simulator.h"

#include "carousel/Dialect/Transforms/VerifyLimits.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

/// "full" for "%full". Empty for a number, which says less than a location.
static StringRef getName(llvm::SMRange range) {
  if (!range.isValid())
    return "";
  StringRef text(range.Start.getPointer(),
                 range.End.getPointer() - range.Start.getPointer());
  text.consume_front("%");
  return llvm::all_of(text, llvm::isDigit) ? "" : text;
}

/// `location` with the name, or unchanged if it has one.
static Location addName(Location location, llvm::SMRange range) {
  StringRef name = getName(range);
  if (name.empty() || isa<NameLoc>(location))
    return location;
  return NameLoc::get(StringAttr::get(location.getContext(), name), location);
}

static OwningOpRef<ModuleOp> parse(const llvm::SourceMgr &sources,
                                   MLIRContext *context) {
  const llvm::MemoryBuffer *text =
      sources.getMemoryBuffer(sources.getMainFileID());
  ParserConfig config(context);
  if (isBytecode(*text))
    return parseSourceFile<ModuleOp>(sources, config);

  Block block;
  AsmParserState state;
  if (failed(parseAsmSourceFile(sources, &block, config, &state)))
    return nullptr;
  for (const AsmParserState::OperationDefinition &definition :
       state.getOpDefs()) {
    Operation *op = definition.op;
    if (op->getNumResults() == 1 && !definition.resultGroups.empty() &&
        isa<BaseMemRefType>(op->getResult(0).getType()))
      op->setLoc(addName(op->getLoc(),
                         definition.resultGroups.front().definition.loc));
  }
  for (const AsmParserState::BlockDefinition &definition : state.getBlockDefs())
    if (definition.block)
      for (auto [argument, name] :
           llvm::zip(definition.block->getArguments(), definition.arguments))
        if (isa<BaseMemRefType>(argument.getType()))
          argument.setLoc(addName(argument.getLoc(), name.loc));
  auto file = FileLineColLoc::get(context, text->getBufferIdentifier(),
                                  /*line=*/0, /*column=*/0);
  return detail::constructContainerOpForParserIfNecessary<ModuleOp>(
      &block, context, file);
}

OwningOpRef<ModuleOp>
carousel::sim::parseNamedModule(const llvm::SourceMgr &sources,
                                MLIRContext *context) {
  OwningOpRef<ModuleOp> module = parse(sources, context);
  if (module && failed(verifyLimits(*module)))
    return nullptr;
  return module;
}
