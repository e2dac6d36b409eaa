//===- DeviceHeaders.cpp - the device headers in this library -------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The headers of runtime/device as the build found them
// (EmbedDeviceHeaders.cmake).
//
//===----------------------------------------------------------------------===//

#include "DeviceHeaders.h"

#include "Support/Hash.h"

#include "carousel/Runtime/CompileCUDA.h"

namespace carousel::runtime {

/// Not an array, which can't be empty.
static const std::vector<DeviceHeader> &getHeaders() {
  static const std::vector<DeviceHeader> headers = {
#include "DeviceHeaders.inc"
  };
  return headers;
}

std::vector<DeviceHeader> getDeviceHeaders() noexcept { return getHeaders(); }

const std::string &getDeviceHeadersHash() {
  static const std::string hash = [] {
    std::string all;
    for (const DeviceHeader &header : getHeaders()) {
      // Nulls, which no header has: a text can't pass for a name.
      all.append(header.name).push_back('\0');
      all.append(header.text).push_back('\0');
    }
    return hashContents(all);
  }();
  return hash;
}

} // namespace carousel::runtime
