//===- FakeNvJitLink.h - control of the fake nvJitLink ----------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A shared object with the functions of nvJitLink that the runtime uses. A test
// links to it and tells the runtime to load the same file
// (CAROUSEL_FAKE_NVJITLINK). The cubin is "FAKECUBIN <chip> nvjitlink\n" and
// the PTX. Thread-safe.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TEST_RUNTIME_FAKENVJITLINK_H
#define CAROUSEL_TEST_RUNTIME_FAKENVJITLINK_H

#include <nvJitLink.h>

#include <string>
#include <string_view>
#include <vector>

namespace carousel::fake::nvjitlink {

/// Back to the state of a fresh process: version 13.0, nothing recorded.
void reset();
void setVersion(unsigned major, unsigned minor);
/// The next call of `function` ("nvJitLinkComplete") returns `error`. PTX
/// without ".version" fails by itself with NVJITLINK_ERROR_PTX_COMPILE, a
/// handle without "-arch=sm_..." with NVJITLINK_ERROR_MISSING_ARCH.
void failNext(std::string_view function, nvJitLinkResult error);
/// LTO-IR must be that of the fake NVRTC, and need "-lto". An input that asks
/// for a function, "needs NAME\n", is undefined unless another input has
/// "NAME(": NVJITLINK_ERROR_FINALIZE, with the real one's words.
/// The error log of a handle for which something failed, or is noted.
void setLog(std::string log);

struct Link {
  std::string name, ptx;
  std::vector<std::string> options;
  nvJitLinkInputType type = NVJITLINK_INPUT_PTX;
};
/// One for each nvJitLinkAddData.
std::vector<Link> getLinks();
/// Handles that were created and not destroyed.
unsigned countHandles();

} // namespace carousel::fake::nvjitlink

#endif // CAROUSEL_TEST_RUNTIME_FAKENVJITLINK_H
