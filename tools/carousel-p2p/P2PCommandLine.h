//===- P2PCommandLine.h - reads the command line of carousel-p2p -*- C++ -*-==//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_P2P_P2PCOMMANDLINE_H
#define CAROUSEL_TOOLS_P2P_P2PCOMMANDLINE_H

#include "P2POptions.h"

#include <variant>

namespace carousel::p2p {

/// The options, or how the program ends. Prints help and errors.
std::variant<Options, Exit> parseCommandLine(int argc, char **argv);

} // namespace carousel::p2p

#endif // CAROUSEL_TOOLS_P2P_P2PCOMMANDLINE_H
