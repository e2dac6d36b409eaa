//===- carousel-comm-device.cpp - transfers on GPUs ----------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Run by scripts/device/device-p2p on a machine with one or more GPUs:
//   carousel-comm-device CHECK [MOST-BYTES]
// Ranks are processes, made before any of them uses CUDA; rank r has GPU r
// modulo their number. Each check prints a line for each rank. Exit status 1
// if one failed.
//
//===----------------------------------------------------------------------===//

#include "CommDevice.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace carousel::comm_device;

namespace {

struct Check {
  const char *name;
  int ranks; ///< processes; 0: as many as countRanks() says
  std::string (*run)(int);
  bool kills = false; ///< rank 1 ends by SIGKILL
};
const Check kChecks[] = {{"timeout", 2, checkTimeout},
                         {"kill", 3, checkKill, true},
                         {"graph", 1, checkGraph},
                         {"local", 1, checkLocalRounds},
                         {"add", 2, checkAdd},
                         {"nccl", 1, checkNCCL},
                         {"nccl-processes", 2, checkNCCLProcesses},
                         {"send", 2, checkSend},
                         {"rounds", 2, checkRounds},
                         {"bytes", 2, checkBytes},
                         {"large", 2, checkLarge},
                         {"memory", 2, checkMemory},
                         {"ring", 0, checkRing},
                         {"ring-local", 1, checkLocalRing},
                         {"pairs", 0, checkAllPairs},
                         {"pairs-local", 1, checkLocalAllPairs},
                         {"compute", 2, checkCompute},
                         {"compute-local", 1, checkLocalCompute}};

bool runCheck(const Check &check) {
  std::vector<pid_t> children;
  std::fflush(stdout);
  std::memset(static_cast<void *>(shared), 0, sizeof(Shared));
  int ranks = check.ranks > 0 ? check.ranks : countRanks();
  for (int rank = 0; rank < ranks; ++rank) {
    pid_t child = ::fork();
    if (child == 0) {
      ::alarm(120);
      auto start = steady_clock::now();
      std::string problem = check.run(rank);
      double seconds =
          std::chrono::duration<double>(steady_clock::now() - start).count();
      std::printf("%-14s rank %d: %s%s (%.1f s)\n", check.name, rank,
                  problem.empty() ? "ok: " : "FAILED: ",
                  problem.empty() ? note.c_str() : problem.c_str(), seconds);
      std::fflush(stdout);
      ::_exit(problem.empty() ? 0 : 1);
    }
    children.push_back(child);
  }
  bool isGood = true;
  for (size_t rank = 0; rank < children.size(); ++rank) {
    int status = 0;
    ::waitpid(children[rank], &status, 0);
    bool isKilled = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    bool isExpected = check.kills && rank == 1
                          ? isKilled
                          : WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (!isExpected)
      std::printf("%-14s rank %zu: FAILED with status %x\n", check.name, rank,
                  unsigned(status));
    isGood &= isExpected;
  }
  return isGood;
}

} // namespace

int main(int argc, char **argv) {
  if (argc > 2)
    mostBytes = std::strtoull(argv[2], nullptr, 0);
  void *memory = ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return 1;
  shared = static_cast<Shared *>(memory);
  bool isGood = true, isFound = false;
  for (const Check &check : kChecks)
    if (argc < 2 || std::strcmp(argv[1], check.name) == 0 ||
        std::strcmp(argv[1], "all") == 0) {
      isFound = true;
      isGood &= runCheck(check);
    }
  return isGood && isFound ? 0 : 1;
}
