//===- ParameterDescription.h - --parameters ---------------------*- C++
//-*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes a gpu.func, as text, that has the arguments of a kernel of PTX whose
// parameters the command line describes.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_SIM_PARAMETERDESCRIPTION_H
#define CAROUSEL_TOOLS_SIM_PARAMETERDESCRIPTION_H

#include "carousel/Runtime/Error.h"
#include "carousel/Simulator/Simulator.h"

#include <string>
#include <string_view>

namespace carousel::simtool {

struct ParameterDescription {
  /// A gpu.module with the kernel, without a body.
  std::string text;
  sim::PTXParameters members;
};

/// `parameters` are separated by commas. Each is one of
///
///   NAME: TYPE                   a memref or a number
///   NAME: TYPE of NAME           a tensor map of a memref in the list
///   NAME: TYPE of NAME: TYPE     a tensor map of memory that isn't passed
///   NAME: {NAME: TYPE, ...}      a struct of memrefs and numbers
///
/// `startsInOrder`: the kernel has carousel.starts_in_order.
runtime::Result<ParameterDescription>
describeParameters(const std::string &kernel, std::string_view parameters,
                   bool startsInOrder);

} // namespace carousel::simtool

#endif // CAROUSEL_TOOLS_SIM_PARAMETERDESCRIPTION_H
