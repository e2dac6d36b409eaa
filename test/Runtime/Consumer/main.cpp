//===- main.cpp - a program that uses an installed runtime ----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Opens a package that isn't there, and asks for a device: fails unless both
// give the errors that they should on a machine without a GPU. The device
// headers are there as files, for nvcc, and in the library, for NVRTC.
//
//===----------------------------------------------------------------------===//

#include "carousel/Runtime/Kernel.h"
#include "carousel/Runtime/Module.h"

#include <cstdio>

#if !__has_include("carousel/device/mbarrier.h")
#error expected the device headers among the installed ones
#endif

using namespace carousel::runtime;

int main() {
  auto package = Package::open("no-such-package");
  if (package || package.error().code != ErrorCode::NotFound)
    return 1;
  std::puts(package.error().message.c_str());
  ContextOptions options;
  options.libraries.driver = "libno-such-driver.so.1";
  auto context = Context::create(options);
  if (context || context.error().code != ErrorCode::NoLibrary)
    return 1;
  std::puts(context.error().message.c_str());
  for (const DeviceHeader &header : getDeviceHeaders())
    if (header.name == "carousel/device/mbarrier.h")
      return 0;
  std::puts("expected the device headers in the library");
  return 1;
}
