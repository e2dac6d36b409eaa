//===- FakeNVRTC.h - control of the fake NVRTC ------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A shared object with the functions of NVRTC that the runtime uses. A test
// links to it and tells the runtime to load the same file
// (CAROUSEL_FAKE_NVRTC). The cubin is "FAKECUBIN <chip> nvrtc\n" and the
// source; PTX and LTO-IR begin with FAKEPTX and FAKELTO. Thread-safe.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TEST_RUNTIME_FAKENVRTC_H
#define CAROUSEL_TEST_RUNTIME_FAKENVRTC_H

#include <nvrtc.h>

#include <string>
#include <string_view>
#include <vector>

namespace carousel::fake::nvrtc {

/// Back to the state of a fresh process: version 13.0, nothing recorded.
void reset();
void setVersion(int major, int minor);
/// The next call of `function` ("nvrtcCompileProgram") returns `error`. Source
/// that contains "#error" fails by itself with NVRTC_ERROR_COMPILATION.
void failNext(std::string_view function, nvrtcResult error);
/// The program's log after a compilation, whether it fails or not.
void setLog(std::string log);

struct Compilation {
  std::string name, source;
  std::vector<std::string> options;
  std::vector<std::string> headers;     ///< include names
  std::vector<std::string> headerTexts; ///< of each
};
std::vector<Compilation> getCompilations();
/// Programs that were created and not destroyed.
unsigned countPrograms();

} // namespace carousel::fake::nvrtc

#endif // CAROUSEL_TEST_RUNTIME_FAKENVRTC_H
