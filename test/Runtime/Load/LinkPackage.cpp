//===- LinkPackage.cpp - links a package as a load does -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// carousel-link-test-package DIR any|ptx|cuda FILE.cu...: makes the cubin of
// each module for compute capability 9.0, with the real NVRTC and nvJitLink and
// without a GPU, and prints the functions in each. Fails if a function is
// undefined.
//
//===----------------------------------------------------------------------===//

#include "Cubin.h"
#include "Load/LoadedModule.h"

#include <cstdio>
#include <fmt/ranges.h>
#include <fstream>
#include <sstream>

using namespace carousel::runtime;
using namespace carousel::runtime::test;

static int report(const std::string &message) {
  fmt::print(stderr, "carousel-link-test-package: error: {}\n", message);
  return 1;
}

int main(int argc, char **argv) {
  if (argc < 3)
    return report("expected DIR any|ptx|cuda FILE.cu...");
  LoadOptions load;
  std::string via = argv[2];
  load.via = via == "ptx"    ? LoadOptions::Via::PTX
             : via == "cuda" ? LoadOptions::Via::CUDA
                             : LoadOptions::Via::Any;
  for (int i = 3; i < argc; ++i) {
    std::ifstream stream(argv[i]);
    std::stringstream text;
    text << stream.rdbuf();
    load.deviceSources.push_back({argv[i], text.str()});
  }
  ContextOptions options;
  options.libraries.driver = CAROUSEL_FAKE_OLD_DRIVER_FILE;
  options.libraries.nvrtc = findLibrary("libnvrtc.so");
  options.libraries.nvJitLink = findLibrary("libnvJitLink.so");
  options.cacheBytes = 0;
  Result<Context> context = Context::create(options);
  if (!context)
    return report(context.error().message);
  Result<Package> package = Package::open(argv[1]);
  if (!package)
    return report(package.error().message);
  const Manifest &manifest = package->getManifest();
  for (size_t i = 0; i < manifest.modules.size(); ++i) {
    ModuleImages images(manifest.modules[i],
                        context->getDevice().computeCapability, load.via);
    Result<ModuleCode> module =
        loadModule(context->getImpl(), *package, static_cast<uint32_t>(i),
                   images, {}, load);
    if (!module)
      return report(module.error().message);
    Cubin linked(module->code);
    if (!linked.getUndefined().empty())
      return report(fmt::format("expected nothing undefined in {}, got {}",
                                manifest.modules[i].name,
                                fmt::join(linked.getUndefined(), ", ")));
    fmt::print("{}: {}\n", manifest.modules[i].name,
               fmt::join(linked.getFunctions(), " "));
  }
  return 0;
}
