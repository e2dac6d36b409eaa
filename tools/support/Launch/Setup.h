//===- Setup.h - what comes before a launch ---------------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The steps from a command line to a launch that carousel-run and carousel-tune
// have in common, and the exit status of an error.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_SUPPORT_LAUNCH_SETUP_H
#define CAROUSEL_TOOLS_SUPPORT_LAUNCH_SETUP_H

#include "LaunchOptions.h"

namespace carousel::tools {

/// Prints an error.
Exit report(const runtime::Error &error);

/// Refuses arguments that peers access, as these programs have one GPU and no
/// peer, unless the options say to pass memory of that GPU.
runtime::Status checkSharing(const runtime::SignatureInfo &signature,
                             const LaunchOptions &options);

runtime::Result<runtime::Context> createContext(const LaunchOptions &options,
                                                ProgressMode progressMode);

/// Reads the files of --link.
runtime::Result<runtime::LoadOptions>
makeLoadOptions(const LaunchOptions &options);

} // namespace carousel::tools

#endif // CAROUSEL_TOOLS_SUPPORT_LAUNCH_SETUP_H
