//===- DeviceHeaders.h - the device headers in this library -----*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_RUNTIME_SRC_COMPILE_INCLUDES_DEVICEHEADERS_H
#define CAROUSEL_RUNTIME_SRC_COMPILE_INCLUDES_DEVICEHEADERS_H

#include <string>

namespace carousel::runtime {

/// A hash of all names and texts: what is compiled with other headers is other
/// code.
const std::string &getDeviceHeadersHash();

} // namespace carousel::runtime

#endif // CAROUSEL_RUNTIME_SRC_COMPILE_INCLUDES_DEVICEHEADERS_H
