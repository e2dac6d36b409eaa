//===- HostWords.cpp - counters in memory of the host ---------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The memory is an anonymous file whose size is sealed: a process that could
// shorten it would end those that read it.
//
//===----------------------------------------------------------------------===//

#include "HostWords.h"

#include "Support/Process.h"

#include "carousel/Runtime/Fail.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

namespace carousel::runtime {

static tl::unexpected<Error> failCall(const char *call) {
  return fail(ErrorCode::IOError, "{} of signals failed: {}", call,
              describeErrno(errno));
}

HostWords::~HostWords() {
  if (!words)
    return;
  if (isRegistered && !isForkedFromUser()) {
    CurrentContext current(*context);
    RelaxedCapture relaxed(*context->driver);
    if (current.getStatus()) {
      (void)context->driver->cuCtxSynchronize();
      context->driver->cuMemHostUnregister(words);
    }
  }
  ::munmap(words, bytes);
}

Status HostWords::map(int file, uint64_t count) {
  auto page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  bytes = (count * sizeof(Word) + page - 1) / page * page;
  void *memory =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED)
    return failCall("mmap");
  words = static_cast<Word *>(memory);
  const DriverTable &driver = *context->driver;
  RelaxedCapture relaxed(driver);
  Status status =
      context->check(driver.cuMemHostRegister(words, bytes,
                                              CU_MEMHOSTREGISTER_PORTABLE |
                                                  CU_MEMHOSTREGISTER_DEVICEMAP),
                     "cuMemHostRegister");
  isRegistered = status.has_value();
  return status;
}

Result<std::shared_ptr<HostWords>>
HostWords::create(const std::shared_ptr<Context::Impl> &context, uint64_t count,
                  std::shared_ptr<FileDescriptor> &file) {
  file = std::make_shared<FileDescriptor>(
      ::memfd_create("carousel-signals", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!*file)
    return failCall("memfd_create");
  auto page = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  uint64_t size = (count * sizeof(Word) + page - 1) / page * page;
  if (::ftruncate(file->get(), static_cast<off_t>(size)) != 0)
    return failCall("ftruncate");
  if (::fcntl(file->get(), F_ADD_SEALS,
              F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
    return failCall("fcntl");
  std::shared_ptr<HostWords> made(new HostWords(context));
  CAROUSEL_TRY(made->map(file->get(), count));
  return made;
}

Result<std::shared_ptr<HostWords>>
HostWords::import(const std::shared_ptr<Context::Impl> &context, int file,
                  uint64_t count) {
  struct stat about = {};
  int seals = ::fcntl(file, F_GET_SEALS);
  uint64_t needed = count * sizeof(Word);
  if (seals < 0 || !(seals & F_SEAL_SHRINK) || ::fstat(file, &about) != 0 ||
      static_cast<uint64_t>(about.st_size) < needed)
    return fail(ErrorCode::InvalidArgument,
                "expected a sealed file of at least {} bytes for signals, got "
                "another one",
                needed);
  std::shared_ptr<HostWords> made(new HostWords(context));
  CAROUSEL_TRY(made->map(file, count));
  return made;
}

Result<uint64_t> HostWords::getAddress(const Context::Impl &device) const {
  CUdeviceptr address = 0;
  CAROUSEL_TRY(context->check(
      device.driver->cuMemHostGetDevicePointer(&address, words, 0),
      "cuMemHostGetDevicePointer"));
  return address;
}

} // namespace carousel::runtime
