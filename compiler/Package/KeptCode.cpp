//===- KeptCode.cpp - code of earlier compilations ------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See KeptCode.h. The compiler is the files that hold its code and LLVM's: a
// developer's build has the version of the one before.
//
//===----------------------------------------------------------------------===//

#include "KeptCode.h"

#include "mlir/IR/Operation.h"
#include "llvm/Support/Chrono.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <dlfcn.h>

using namespace mlir;
using namespace carousel;

std::string carousel::describeFile(const Twine &path) {
  llvm::sys::fs::file_status status;
  if (llvm::sys::fs::status(path, status))
    return "none";
  return llvm::formatv(
      "{0} {1} {2} {3}", path.str(), status.getSize(),
      status.getLastModificationTime().time_since_epoch().count(),
      status.getUniqueID().getFile());
}

/// The program or library with this function.
static std::string describeLibrary(const void *function) {
  Dl_info info = {};
  if (!dladdr(function, &info) || !info.dli_fname)
    return "none";
  // A program's own name may be relative to another directory.
  std::string self = llvm::sys::fs::getMainExecutable(info.dli_fname, nullptr);
  return describeFile(llvm::sys::fs::exists(info.dli_fname) ? info.dli_fname
                                                            : self.c_str());
}

std::string carousel::describeOp(Operation *op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  op->print(os, OpPrintingFlags().printGenericOpForm().useLocalScope());
  return text.find("dense_resource<") == std::string::npos ? text : "";
}

std::string carousel::makeCodeKey(ArrayRef<StringRef> texts) {
  static const std::string compiler =
      describeLibrary(reinterpret_cast<const void *>(&makeCodeKey)) + "\n" +
      describeLibrary(reinterpret_cast<const void *>(&llvm::outs));
  std::string all = compiler;
  for (StringRef text : texts)
    all += llvm::formatv("\n{0} {1}", text.size(), text).str();
  return "carousel compiler " + hashContents(all);
}

void carousel::keepCode(const CodeStore &store, StringRef key, StringRef code,
                        Location loc) {
  if (std::string error = store.keep(key, code); !error.empty())
    emitRemark(loc) << "the code isn't kept for later compilations: " << error;
}
