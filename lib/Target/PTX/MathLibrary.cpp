//===- MathLibrary.cpp - a cache of libdevice functions -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See MathLibrary.h. Requested functions are linked into an empty module, and
// kept as bitcode, which belongs to no LLVM context.
//
//===----------------------------------------------------------------------===//

#include "carousel/Target/MathLibrary.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace llvm;

static Expected<std::string> extract(StringRef path,
                                     ArrayRef<std::string> functions) {
  LLVMContext context;
  SMDiagnostic diagnostic;
  std::unique_ptr<Module> library =
      getLazyIRFileModule(path, diagnostic, context);
  if (!library)
    return createStringError("expected bitcode in '" + path + "', got " +
                             diagnostic.getMessage());
  Module part("libdevice", context);
  part.setDataLayout(library->getDataLayout());
  part.setTargetTriple(library->getTargetTriple());
  for (const std::string &name : functions)
    if (Function *function = library->getFunction(name))
      part.getOrInsertFunction(name, function->getFunctionType());
  if (Linker::linkModules(part, std::move(library), Linker::LinkOnlyNeeded))
    return createStringError("expected to link functions of '" + path +
                             "', LLVM doesn't");
  std::string bitcode;
  raw_string_ostream stream(bitcode);
  WriteBitcodeToFile(part, stream);
  return bitcode;
}

Expected<std::unique_ptr<Module>>
carousel::MathLibrary::load(StringRef path, ArrayRef<std::string> functions,
                            LLVMContext &context) {
  std::vector<std::string> sorted(functions);
  llvm::sort(sorted);
  std::shared_ptr<const std::string> bitcode;
  {
    std::scoped_lock lock(mutex);
    std::shared_ptr<const std::string> &entry =
        known[(path + "\n" + join(sorted, " ")).str()];
    if (!entry) {
      Expected<std::string> extracted = extract(path, sorted);
      if (!extracted)
        return extracted.takeError();
      entry = std::make_shared<const std::string>(std::move(*extracted));
    }
    bitcode = entry;
  }
  return parseBitcodeFile(MemoryBufferRef(*bitcode, path), context);
}
