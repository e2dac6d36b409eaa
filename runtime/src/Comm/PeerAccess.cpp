//===- PeerAccess.cpp - how the GPUs of a group reach each other ----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A rank finds a peer's GPU among those that it sees by its UUID, and asks the
// driver for the connection between the two.
//
//===----------------------------------------------------------------------===//

#include "CommImpl.h"

#include "carousel/Runtime/Fail.h"

#include <cstring>

namespace carousel::runtime {

Topology Comm::Impl::getTopology(int peer) const {
  return peers->get(peer).device == peers->get(getRank()).device
             ? Topology::SameGPU
             : Topology::Peer;
}

Result<std::optional<CUdevice>> Comm::Impl::findDevice(int peer) const {
  Context::Impl &impl = context.getImpl();
  DeviceUUID wanted = peers->get(peer).device;
  int count = 0;
  CAROUSEL_TRY(
      impl.check(impl.driver->cuDeviceGetCount(&count), "cuDeviceGetCount"));
  for (CUdevice device = 0; device < count; ++device) {
    CUuuid uuid = {};
    if (impl.driver->cuDeviceGetUuid(&uuid, device) == CUDA_SUCCESS &&
        std::memcmp(uuid.bytes, wanted.data(), sizeof(uuid.bytes)) == 0)
      return std::optional(device);
  }
  return std::optional<CUdevice>();
}

Status Comm::Impl::checkPeerAccess(int peer) const {
  Context::Impl &impl = context.getImpl();
  if (getTopology(peer) == Topology::SameGPU)
    return {};
  CAROUSEL_TRY_ASSIGN(std::optional<CUdevice> device, findDevice(peer));
  if (!device)
    return fail(ErrorCode::InvalidArgument,
                "comm: expected the GPU of {} among those that rank {} sees, "
                "got none with its UUID",
                peers->describe(peer), getRank());
  int can = 0;
  CAROUSEL_TRY(
      impl.check(impl.driver->cuDeviceCanAccessPeer(&can, impl.device, *device),
                 "cuDeviceCanAccessPeer"));
  if (can)
    return {};
  return fail(ErrorCode::InvalidArgument,
              "comm: expected peer access from GPU {} of rank {} to GPU {} of "
              "{}, got none",
              impl.device, getRank(), *device, peers->describe(peer));
}

void Comm::Impl::findLinks() {
  Context::Impl &impl = context.getImpl();
  routes.assign(getSize(), Route());
  for (int peer = 0; peer < getSize(); ++peer) {
    routes[peer].topology = getTopology(peer);
    if (routes[peer].topology == Topology::SameGPU ||
        !impl.driver->cuDeviceGetP2PAttribute)
      continue;
    Result<std::optional<CUdevice>> device = findDevice(peer);
    if (!device || !*device)
      continue;
    // PCIe has no atomics between GPUs.
    int value = 0;
    if (impl.driver->cuDeviceGetP2PAttribute(
            &value, CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED,
            impl.device, **device) == CUDA_SUCCESS)
      routes[peer].hasNVLink = value != 0;
  }
  transports.prepare();
}

} // namespace carousel::runtime
