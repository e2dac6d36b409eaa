//===- DiskCacheTest.h - files and processes of a cache ---------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lists a cache's directory, makes payloads that belong to one key, and runs
// child processes.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_TEST_RUNTIME_CACHE_DISKCACHETEST_H
#define CAROUSEL_TEST_RUNTIME_CACHE_DISKCACHETEST_H

#include "Cache/DiskCache.h"
#include "TestPackages.h"

#include <gtest/gtest.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace carousel::runtime::test {

inline constexpr uint64_t kLarge = uint64_t(1) << 30;
/// The bytes that an entry adds to key and payload.
inline constexpr uint64_t kFraming = 51 + 64;

inline std::string readFile(const std::filesystem::path &path) {
  std::ifstream stream(path, std::ios::binary);
  std::stringstream contents;
  contents << stream.rdbuf();
  return contents.str();
}

/// Entries, and temporary files of writers.
inline std::vector<std::filesystem::path>
listFiles(const std::string &directory) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const std::string &path : {directory, directory + "/tmp"})
    for (const auto &entry : std::filesystem::directory_iterator(path, error))
      if (entry.path().filename() != "tmp" &&
          entry.path().filename() != "usage.journal")
        files.push_back(entry.path());
  return files;
}

/// The one file of a directory.
inline std::filesystem::path onlyFile(const std::string &directory) {
  std::vector<std::filesystem::path> files = listFiles(directory);
  EXPECT_EQ(files.size(), 1u);
  return files.empty() ? std::filesystem::path() : files.front();
}

inline uint64_t countBytes(const std::string &directory) {
  uint64_t bytes = 0;
  for (const std::filesystem::path &file : listFiles(directory))
    bytes += std::filesystem::file_size(file);
  return bytes;
}

inline void setAge(const std::filesystem::path &file, time_t seconds) {
  struct timespec times[2] = {{0, UTIME_OMIT}, {::time(nullptr) - seconds, 0}};
  ASSERT_EQ(::utimensat(AT_FDCWD, file.c_str(), times, AT_SYMLINK_NOFOLLOW), 0);
}

/// A payload that only this key has.
inline std::string makePayload(const std::string &key, size_t bytes) {
  std::string payload;
  for (uint64_t state = std::hash<std::string>()(key); payload.size() < bytes;
       state = state * 6364136223846793005u + 1442695040888963407u)
    payload += static_cast<char>(state >> 56);
  return payload;
}

/// Runs `body` in a child, which exits with what it returns.
inline pid_t startProcess(const std::function<int()> &body) {
  pid_t pid = ::fork();
  if (pid == 0)
    ::_exit(body());
  EXPECT_GT(pid, 0);
  return pid;
}

/// The status as waitpid gives it.
inline int waitFor(pid_t pid) {
  int status = -1;
  EXPECT_EQ(::waitpid(pid, &status, 0), pid);
  return status;
}

#define EXPECT_EXITED_WITH_0(status)                                           \
  do {                                                                         \
    int value = (status);                                                      \
    EXPECT_TRUE(WIFEXITED(value) && WEXITSTATUS(value) == 0)                   \
        << "exit " << WEXITSTATUS(value) << ", signal " << WTERMSIG(value);    \
  } while (false)

} // namespace carousel::runtime::test

#endif // CAROUSEL_TEST_RUNTIME_CACHE_DISKCACHETEST_H
