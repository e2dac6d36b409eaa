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

#ifndef CAROUSEL_TOOLS_RUN_SETUP_H
#define CAROUSEL_TOOLS_RUN_SETUP_H

#include "RunOptions.h"

namespace carousel::run {

/// Prints an error.
Exit report(const runtime::Error &error);

/// Refuses arguments that peers access, as these programs have one GPU and no
/// peer, unless the options say to pass memory of that GPU.
Status checkSharing(const runtime::SignatureInfo &signature,
                    const Options &options);

Result<runtime::Context> createContext(const Options &options,
                                       ProgressMode progressMode);

/// Reads the files of --link.
Result<runtime::LoadOptions> makeLoadOptions(const Options &options);

} // namespace carousel::run

#endif // CAROUSEL_TOOLS_RUN_SETUP_H
