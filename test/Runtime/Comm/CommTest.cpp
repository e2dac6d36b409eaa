//===- CommTest.cpp - ranks in one process and in several -----------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See CommTest.h.
//
//===----------------------------------------------------------------------===//

#include "CommTest.h"

#include "Support/Process.h"

#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace carousel::runtime::test {

std::string makeSession() {
  static std::atomic<unsigned> number = 0;
  return "test-" + std::to_string(::getpid()) + "-" + std::to_string(number++);
}

static unsigned countEntries(const char *directory) {
  unsigned count = 0;
  for (const auto &entry : std::filesystem::directory_iterator(directory))
    count += !entry.path().empty();
  return count;
}

unsigned countFiles() { return countEntries("/proc/self/fd"); }
unsigned countInherited() {
  unsigned count = 0;
  for (int fd = 0; fd < 1024; ++fd) {
    int flags = ::fcntl(fd, F_GETFD);
    count += flags >= 0 && (flags & FD_CLOEXEC) == 0;
  }
  return count;
}

unsigned countThreads() { return countEntries("/proc/self/task"); }

bool waitForThreads(unsigned count) {
  for (int tries = 0; tries < 1000 && countThreads() != count; ++tries)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return countThreads() == count;
}

unsigned countSockets() {
  std::ifstream file("/proc/net/unix");
  std::string line;
  unsigned count = 0;
  // The names of tests of this process and its children only.
  std::string mine = "-test-" + std::to_string(::getpid()) + "-";
  while (std::getline(file, line))
    count += line.find("@carousel-comm-") != std::string::npos &&
             line.find(mine) != std::string::npos;
  return count;
}

unsigned countSharedFiles() {
  unsigned count = 0;
  if (std::filesystem::exists("/dev/shm"))
    for (const auto &entry : std::filesystem::directory_iterator("/dev/shm"))
      count += entry.path().string().find("carousel") != std::string::npos;
  return count;
}

std::vector<Ended> runRanks(int count, const Rank &body) {
  struct Child {
    pid_t process;
    int output;
  };
  forgetUse(); // other tests used the fake driver, which works after a fork
  std::vector<Child> children;
  for (int rank = 0; rank < count; ++rank) {
    int ends[2];
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    pid_t child = ::fork();
    if (child == 0) {
      ::alarm(20); // kills it
      ::close(ends[0]);
      fake::reset();
      std::string problem = body(rank);
      (void)!::write(ends[1], problem.data(), problem.size());
      ::_exit(testing::Test::HasFailure() ? 1 : 0);
    }
    ::close(ends[1]);
    children.push_back({child, ends[0]});
  }
  std::vector<Ended> ended;
  for (const Child &child : children) {
    Ended end;
    char text[4096];
    ssize_t got;
    while ((got = ::read(child.output, text, sizeof(text))) > 0)
      end.problem.append(text, static_cast<size_t>(got));
    ::close(child.output);
    int status = 0;
    ::waitpid(child.process, &status, 0);
    end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    if (end.signal == SIGALRM)
      end.problem += "it took longer than 20 s";
    else if (end.signal != 0 && end.signal != SIGKILL)
      end.problem += "signal " + std::to_string(end.signal) + " ended it";
    if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
      end.problem +=
          "it ended with status " + std::to_string(WEXITSTATUS(status));
    ended.push_back(end);
  }
  return ended;
}

} // namespace carousel::runtime::test
