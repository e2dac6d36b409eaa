//===- LaunchCommandLine.cpp - options of launching programs --------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See LaunchCommandLine.h.
//
//===----------------------------------------------------------------------===//

#include "LaunchCommandLine.h"

#include <limits>

using namespace carousel::tools;

static std::string checkVia(const std::string &text) {
  if (text != "ptx" && text != "cuda")
    return "expected ptx or cuda, got '" + text + "'";
  return {};
}

static std::string checkOrdinal(const std::string &text) {
  return checkInteger(text, 0, std::numeric_limits<int>::max());
}

void carousel::tools::addPlainSymmetric(CLI::App &app, LaunchOptions &options) {
  app.add_flag("--plain-symmetric", options.plainSymmetric,
               "pass memory of this GPU for arguments that the kernel\n"
               "expects in symmetric buffers, a peer's too");
}

void carousel::tools::addLoadOptions(CLI::App &app, LaunchOptions &options) {
  using Via = carousel::runtime::LoadOptions::Via;
  app.add_option_function<std::string>(
         "--via",
         [&](const std::string &via) {
           options.via = via == "ptx" ? Via::PTX : Via::CUDA;
         },
         "load only PTX and cubins (ptx), or only CUDA C++\n"
         "(cuda), of the package (the first that works)")
      ->type_name("ptx|cuda")
      ->check(checkVia);
  addList(app, "--link", options.sources,
          "CUDA C++ with device functions that the package\n"
          "declares and its kernels call; repeatable",
          "FILE.cu");
  app.add_flag("--fast-math", options.fastMath,
               "compile CUDA C++ with fast, less accurate math");
  app.add_flag("--line-info", options.lineInfo,
               "compile CUDA C++ with line numbers for profilers");
}

void carousel::tools::addDeviceOptions(CLI::App &app, LaunchOptions &options) {
  app.add_option("--device", options.device, "the ordinal of the device (0)")
      ->type_name("N")
      ->check(checkOrdinal);
  app.add_option("--cache-dir", options.cacheDirectory,
                 "the cache of compiled code ($CAROUSEL_CACHE_DIR, or "
                 "~/.cache/carousel)")
      ->type_name("DIR");
}

std::optional<Exit> carousel::tools::parse(CLI::App &app, int argc, char **argv,
                                           const char *required) {
  std::optional<EarlyExit> end = parseOptions(app, argc, argv, required);
  if (!end)
    return std::nullopt;
  return *end == EarlyExit::Shown      ? Exit::Success
         : *end == EarlyExit::NotShown ? Exit::Failure
                                       : Exit::Usage;
}
