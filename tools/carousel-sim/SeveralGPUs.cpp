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

/// The name of the argument that is the multicast address of `other`.
static std::string nameMulticast(const std::string &other) {
  return other + "@*";
}

Result<PeerArgument> simtool::parseMulticast(const std::string &text) {
  PeerArgument multicast;
  multicast.isMulticast = true;
  size_t equals = text.find('=');
  multicast.name = text.substr(0, equals);
  if (equals != std::string::npos)
    multicast.other = text.substr(equals + 1);
  if (multicast.name.empty() || multicast.other.empty())
    return fail(ErrorCode::InvalidArgument,
                "expected --multicast NAME=OTHER, got '{}'", text);
  return multicast;
}

std::map<size_t, std::vector<size_t>>
simtool::addParts(runtime::SignatureInfo &all, uint32_t gpus,
                  const std::vector<PeerArgument> &peers) {
  auto find = [&](const std::string &name) {
    auto known = std::find_if(
        all.arguments.begin(), all.arguments.end(),
        [&](const runtime::ArgumentInfo &info) { return info.name == name; });
    return size_t(known - all.arguments.begin());
  };
  std::map<size_t, std::vector<size_t>> parts;
  for (const PeerArgument &multicast : peers) {
    size_t whole = find(nameMulticast(multicast.other));
    if (!multicast.isMulticast || whole == all.arguments.size() ||
        parts.count(whole))
      continue;
    for (uint32_t gpu = 0; gpu < gpus; ++gpu) {
      size_t part = find(at(multicast.other, gpu));
      if (part == all.arguments.size()) {
        runtime::ArgumentInfo info = all.arguments[whole];
        info.name = at(multicast.other, gpu);
        all.arguments.push_back(std::move(info));
      }
      parts[whole].push_back(part);
    }
  }
  return parts;
}

std::vector<std::string>
simtool::makeMulticastValues(const std::vector<PeerArgument> &peers) {
  std::vector<std::string> values;
  for (const PeerArgument &multicast : peers) {
    std::string value =
        nameMulticast(multicast.other) + "=like:" + at(multicast.other, 0);
    if (multicast.isMulticast &&
        std::find(values.begin(), values.end(), value) == values.end())
      values.push_back(std::move(value));
  }
  return values;
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
    argument.name = peer->isMulticast
                        ? nameMulticast(peer->other)
                        : at(peer->other, move(gpu, peer->distance, gpus));
    peer->isUsed = true;
  }
}

Status simtool::checkUsed(const std::vector<PeerArgument> &peers,
                          const std::string &kernel) {
  for (const PeerArgument &peer : peers)
    if (!peer.isUsed)
      return fail(
          ErrorCode::NotFound, "expected {} with an argument of {}, got {}",
          peer.isMulticast ? "--multicast" : "--peer", kernel, peer.name);
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
