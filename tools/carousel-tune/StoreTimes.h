//===- StoreTimes.h - writes measured times into a package ------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Replaces manifest.json of a package by one with an entry more. Several
// programs may do so at once: each holds a lock on the directory meanwhile.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_TUNE_STORETIMES_H
#define CAROUSEL_TOOLS_TUNE_STORETIMES_H

#include "carousel/Runtime/Kernel.h"

namespace carousel::tune {

/// An entry of a kernel's "tuned", with the functions' names.
struct TunedEntry {
  struct Time {
    std::string function;
    int64_t nanoseconds = 0;
  };
  std::string device;
  std::vector<int64_t> values;
  std::vector<Time> times; ///< the least first
};

/// The text of a manifest with the entry, instead of that for the same device
/// and values. All other members stay. The text is a valid manifest, and has
/// the kernel.
std::string addEntry(const std::string &manifest, const std::string &kernel,
                     const TunedEntry &entry);

/// Whether manifests differ in measured times at most.
bool haveSameCode(const std::string &left, const std::string &right);

/// The path of a package's manifest.
std::string getManifestPath(const std::string &package);

/// Writes the entry into the package's manifest. An error if that is another
/// one than `measured` by now, other than in measured times.
runtime::Status storeEntry(const std::string &package,
                           const std::string &measured,
                           const std::string &kernel, const TunedEntry &entry);

} // namespace carousel::tune

#endif // CAROUSEL_TOOLS_TUNE_STORETIMES_H
