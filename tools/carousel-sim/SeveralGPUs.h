//===- SeveralGPUs.h - a kernel on several GPUs -----------------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With several GPUs each has arguments of its own: x@0, x@1. An argument in a
// peer's memory is an argument of that GPU. Values are given once for all GPUs,
// and may name the GPU.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TOOLS_SIM_SEVERALGPUS_H
#define CAROUSEL_TOOLS_SIM_SEVERALGPUS_H

#include "carousel/Runtime/Manifest.h"

#include <map>
#include <string>
#include <vector>

namespace carousel::simtool {

/// An argument that is another one, of the GPU that is `distance` further, or
/// the multicast address of that of all GPUs.
struct PeerArgument {
  std::string name, other;
  int64_t distance = 1;
  bool isMulticast = false;
  bool isUsed = false; ///< a kernel has the argument
};

/// Reads "remote=inbox", "remote=inbox+2", "left=inbox-1".
runtime::Result<PeerArgument> parsePeer(const std::string &text);

/// Reads "all=inbox".
runtime::Result<PeerArgument> parseMulticast(const std::string &text);

/// Adds to `all` what the arguments that are multicast addresses stand for, as
/// far as no kernel has it, and returns which arguments these are, by the
/// number of the multicast address.
std::map<size_t, std::vector<size_t>>
addParts(runtime::SignatureInfo &all, uint32_t gpus,
         const std::vector<PeerArgument> &peers);

/// The values of arguments that are multicast addresses:
/// "inbox@*=like:inbox@0".
std::vector<std::string>
makeMulticastValues(const std::vector<PeerArgument> &peers);

/// Gives a kernel's arguments the names that they have on a GPU.
void nameArguments(runtime::SignatureInfo &kernel, uint32_t gpu, uint32_t gpus,
                   std::vector<PeerArgument> &peers);

/// Reports an argument of --peer or --multicast that no kernel has.
runtime::Status checkUsed(const std::vector<PeerArgument> &peers,
                          const std::string &kernel);

/// Replaces "x=VALUE" by "x@0=VALUE", "x@1=VALUE" and so on. In a value,
/// "{rank}" is the GPU, "{rank-1}" the one before it, "{gpus}" their number,
/// and "like:y" names the argument of the same GPU.
std::vector<std::string> repeatForGPUs(const std::vector<std::string> &options,
                                       uint32_t gpus);

} // namespace carousel::simtool

#endif // CAROUSEL_TOOLS_SIM_SEVERALGPUS_H
