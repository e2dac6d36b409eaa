//===- StoreTimes.cpp - writes measured times into a package --------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See StoreTimes.h. Members that this program doesn't know stay in their
// places.
//
//===----------------------------------------------------------------------===//

#include "StoreTimes.h"

#include "../support/Process/NewFile.h"

#include "carousel/Runtime/Fail.h"
#include "carousel/Runtime/Package.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

using namespace carousel;
using namespace carousel::tune;
using JSON = nlohmann::ordered_json;
using runtime::ErrorCode;
using runtime::fail;
using runtime::Result;
using runtime::Status;

//===----------------------------------------------------------------------===//
// Texts
//===----------------------------------------------------------------------===//

static JSON toJSON(const TunedEntry &entry) {
  JSON object;
  object["device"] = entry.device;
  object["values"] = entry.values;
  object["times"] = JSON::array();
  for (const TunedEntry::Time &time : entry.times)
    object["times"].push_back(
        {{"function", time.function}, {"ns", time.nanoseconds}});
  return object;
}

static JSON parse(std::string_view text) {
  return JSON::parse(text, nullptr, /*allow_exceptions=*/false);
}

std::string tune::addEntry(const std::string &manifest,
                           const std::string &kernel, const TunedEntry &entry) {
  JSON root = parse(manifest);
  for (JSON &object : root["kernels"]) {
    if (object["name"] != kernel)
      continue;
    JSON &tuned = object["tuned"];
    auto isSame = [&](const JSON &known) {
      return known["device"] == entry.device && known["values"] == entry.values;
    };
    auto known = std::find_if(tuned.begin(), tuned.end(), isSame);
    if (known != tuned.end())
      *known = toJSON(entry);
    else
      tuned.push_back(toJSON(entry));
  }
  return root.dump(2, ' ', false, JSON::error_handler_t::replace) + "\n";
}

bool tune::haveSameCode(const std::string &left, const std::string &right) {
  auto strip = [](const std::string &text) {
    JSON manifest = parse(text);
    if (manifest.is_object() && manifest.contains("kernels"))
      for (JSON &kernel : manifest["kernels"])
        if (kernel.is_object())
          kernel.erase("tuned");
    return manifest;
  };
  return strip(left) == strip(right);
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

std::string tune::getManifestPath(const std::string &package) {
  bool hasSlash = !package.empty() && package.back() == '/';
  return package + (hasSlash ? "" : "/") + "manifest.json";
}

namespace {
/// A lock on a directory, held while a file in it is read and replaced. On a
/// file system without locks, no writer waits for another.
class DirectoryLock {
public:
  explicit DirectoryLock(const std::string &path)
      : path(path),
        descriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (descriptor < 0)
      return;
    (void)flock(descriptor, LOCK_EX);
    std::string own = fmt::format("/proc/self/fd/{}", descriptor);
    if (access(own.c_str(), F_OK) == 0)
      this->path = own;
  }
  ~DirectoryLock() {
    if (descriptor >= 0)
      close(descriptor);
  }
  DirectoryLock(const DirectoryLock &) = delete;
  DirectoryLock &operator=(const DirectoryLock &) = delete;

  /// Leads to the locked directory, whatever has its name by now: a compiler
  /// that writes the package again puts another directory in its place.
  const std::string &getPath() const { return path; }

private:
  std::string path;
  int descriptor;
};
} // namespace

static Status storeIn(const std::string &directory, const std::string &package,
                      const std::string &measured, const std::string &kernel,
                      const TunedEntry &entry) {
  CAROUSEL_TRY_ASSIGN(auto opened, runtime::Package::open(directory));
  const std::string &before = opened.getManifestText();
  if (!haveSameCode(before, measured))
    return fail(ErrorCode::IOError,
                "{}: expected the package that was measured, got another one; "
                "measure again",
                package);
  std::string after = addEntry(before, kernel, entry);
  // This may fail, for example for more entries than a manifest may have.
  CAROUSEL_TRY(
      prefixError(runtime::parseManifest(after), "{}: cannot store", package));
  tools::NewFile file(getManifestPath(directory));
  CAROUSEL_TRY(file.create());
  CAROUSEL_TRY(file.write(after.data(), after.size()));
  CAROUSEL_TRY(file.flush());
  return file.finish();
}

Status tune::storeEntry(const std::string &package, const std::string &measured,
                        const std::string &kernel, const TunedEntry &entry) {
  DirectoryLock lock(package);
  Status status = storeIn(lock.getPath(), package, measured, kernel, entry);
  if (status)
    return status;
  // Errors name the package as the caller does.
  std::string message = status.error().message;
  for (size_t at = 0;
       (at = message.find(lock.getPath(), at)) != std::string::npos;
       at += package.size())
    message.replace(at, lock.getPath().size(), package);
  return fail(status.error().code, "{}", message);
}
