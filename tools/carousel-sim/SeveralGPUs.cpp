//===- SeveralGPUs.cpp - a kernel on several GPUs -------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names and values of arguments, by GPU.
//
//===----------------------------------------------------------------------===//

#include "SeveralGPUs.h"

#include "carousel/Runtime/Fail.h"

#include <algorithm>
#include <charconv>

using namespace carousel;
using namespace carousel::simtool;
using runtime::ErrorCode;
using runtime::fail;
using runtime::Result;
using runtime::Status;

static std::string at(const std::string &name, uint32_t gpu) {
  return name + "@" + std::to_string(gpu);
}

/// The GPU `distance` further, in a ring.
static uint32_t move(uint32_t gpu, int64_t distance, uint32_t gpus) {
  int64_t moved = (int64_t(gpu) + distance) % int64_t(gpus);
  return uint32_t(moved < 0 ? moved + gpus : moved);
}

/// "+2", "-1", or nothing.
static bool parseDistance(std::string_view text, int64_t &distance) {
  if (text.empty())
    return true;
  if (text.front() == '+')
    text.remove_prefix(1);
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), distance);
  return error == std::errc() && end == text.data() + text.size();
}

Result<PeerArgument> simtool::parsePeer(const std::string &text) {
  PeerArgument peer;
  size_t equals = text.find('=');
  size_t sign = text.find_first_of("+-", equals);
  peer.name = text.substr(0, equals);
  if (equals != std::string::npos)
    peer.other = text.substr(equals + 1, sign - equals - 1);
  std::string_view distance;
  if (sign != std::string::npos)
    distance = std::string_view(text).substr(sign);
  if (peer.name.empty() || peer.other.empty() ||
      !parseDistance(distance, peer.distance))
    return fail(ErrorCode::InvalidArgument,
                "expected --peer NAME=OTHER, with +N or -N for another GPU "
                "than the next one, got '{}'",
                text);
  return peer;
}

void simtool::nameArguments(runtime::SignatureInfo &kernel, uint32_t gpu,
                            uint32_t gpus, std::vector<PeerArgument> &peers) {
  for (runtime::ArgumentInfo &argument : kernel.arguments) {
    auto peer =
        std::find_if(peers.begin(), peers.end(), [&](const PeerArgument &peer) {
          return peer.name == argument.name;
        });
    if (peer == peers.end()) {
      argument.name = at(argument.name, gpu);
      continue;
    }
    argument.name = at(peer->other, move(gpu, peer->distance, gpus));
    peer->isUsed = true;
  }
}

Status simtool::checkUsed(const std::vector<PeerArgument> &peers,
                          const std::string &kernel) {
  for (const PeerArgument &peer : peers)
    if (!peer.isUsed)
      return fail(ErrorCode::NotFound,
                  "expected --peer with an argument of {}, got {}", kernel,
                  peer.name);
  return {};
}

/// Replaces what is in braces.
static std::string substitute(const std::string &value, uint32_t gpu,
                              uint32_t gpus) {
  std::string text;
  size_t done = 0;
  while (done < value.size()) {
    size_t open = value.find('{', done), close = value.find('}', open);
    if (close == std::string::npos)
      break;
    std::string_view inside =
        std::string_view(value).substr(open + 1, close - open - 1);
    text += value.substr(done, open - done);
    int64_t distance = 0;
    if (inside == "gpus")
      text += std::to_string(gpus);
    else if (inside.substr(0, 4) == "rank" &&
             parseDistance(inside.substr(4), distance))
      text += std::to_string(move(gpu, distance, gpus));
    else
      text += value.substr(open, close + 1 - open);
    done = close + 1;
  }
  return text + value.substr(done);
}

std::vector<std::string>
simtool::repeatForGPUs(const std::vector<std::string> &options, uint32_t gpus) {
  std::vector<std::string> repeated;
  for (const std::string &option : options) {
    size_t equals = option.find('=');
    std::string name = option.substr(0, equals);
    size_t sign = name.find('@');
    for (uint32_t gpu = 0; gpu < gpus; ++gpu) {
      if (equals == std::string::npos) { // reported later
        repeated.push_back(option);
        break;
      }
      std::string value = substitute(option.substr(equals + 1), gpu, gpus);
      bool isLike =
          value.rfind("like:", 0) == 0 || value.rfind("same:", 0) == 0;
      if (isLike && value.find('@') == std::string::npos)
        value = at(value, gpu);
      if (sign == std::string::npos)
        repeated.push_back(at(name, gpu) + "=" + value);
      else if (name.substr(sign + 1) == std::to_string(gpu))
        repeated.push_back(name + "=" + value);
    }
  }
  return repeated;
}
