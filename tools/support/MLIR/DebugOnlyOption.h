//===- DebugOnlyOption.h - --debug-only for release LLVM --------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LDBG() prints in builds with assertions. LLVM has --debug-only only if LLVM
// itself was built with assertions, which packaged releases are not.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_SUPPORT_MLIR_DEBUGONLYOPTION_H
#define CAROUSEL_TOOLS_SUPPORT_MLIR_DEBUGONLYOPTION_H

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Debug.h"

#include <string>
#include <vector>

namespace carousel {

/// Adds `--debug-only` in a build with assertions, unless LLVM has it.
inline void registerDebugOnlyOption() {
#ifndef NDEBUG
  if (llvm::cl::getRegisteredOptions().contains("debug-only"))
    return;
  static std::vector<std::string> types;
  static llvm::cl::list<std::string> option(
      "debug-only", llvm::cl::CommaSeparated, llvm::cl::value_desc("pass,..."),
      llvm::cl::desc("Print the decisions of these passes, by name"),
      llvm::cl::callback([](const std::string &type) {
        types.push_back(type);
        std::vector<const char *> names;
        for (const std::string &name : types)
          names.push_back(name.c_str());
        llvm::DebugFlag = true;
        llvm::setCurrentDebugTypes(names.data(), names.size());
      }));
#endif
}

} // namespace carousel

#endif // CAROUSEL_TOOLS_SUPPORT_MLIR_DEBUGONLYOPTION_H
