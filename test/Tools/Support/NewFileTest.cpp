//===- NewFileTest.cpp - files that are there when they are whole ---------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests the files of writers that finish, fail, are told to end, or are killed.
//
//===----------------------------------------------------------------------===//

#include "../../../tools/support/Process/NewFile.h"
#include "TestPackages.h"

#include "gtest/gtest.h"

#include <csignal>
#include <filesystem>
#include <set>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace carousel;
using namespace carousel::tools;
using namespace carousel::runtime::test;
namespace fs = std::filesystem;

namespace {
using Names = std::set<std::string>;

class NewFileTest : public testing::Test {
protected:
  Names list() const {
    Names names;
    for (const auto &entry : fs::directory_iterator(directory.getPath()))
      names.insert(entry.path().filename());
    return names;
  }
  void write(const std::string &name) {
    NewFile file(directory / name);
    ASSERT_TRUE(file.create());
    ASSERT_TRUE(file.write("text", 4));
    ASSERT_TRUE(file.finish());
  }
  /// How a child ends that begins to write a file.
  template <typename Body> int endOf(Body body) {
    pid_t child = ::fork();
    if (child == 0) {
      for (int signal : {SIGINT, SIGTERM, SIGHUP})
        ::signal(signal, SIG_DFL); // a shell may have them ignored
      {
        NewFile file(directory / "out.npy");
        if (!file.create() || !file.write("te", 2))
          ::_exit(3);
        body(file);
      }
      ::_exit(4);
    }
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    return status;
  }

  TempDirectory directory;
};

TEST_F(NewFileTest, IsThereWhenItIsWhole) {
  {
    NewFile file(directory / "out.npy");
    ASSERT_TRUE(file.create());
    ASSERT_TRUE(file.write("text", 4));
    EXPECT_EQ(list().size(), 1u);
    EXPECT_EQ(list().count("out.npy"), 0u);
  }
  EXPECT_EQ(list(), Names()); // it wasn't finished
  write("out.npy");
  write("out.npy");
  EXPECT_EQ(list(), Names{"out.npy"});
  EXPECT_EQ(fs::file_size(directory / "out.npy"), 4u);
}

TEST_F(NewFileTest, SignalsLeaveNothing) {
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
    int status = endOf([signal](NewFile &file) {
      ::raise(signal);
      if (file.write("xt", 2)) // it is told to end
        ::_exit(5);
    });
    EXPECT_TRUE(WIFSIGNALED(status)) << status;
    EXPECT_EQ(WTERMSIG(status), signal);
    EXPECT_EQ(list(), Names());
  }
}

TEST_F(NewFileTest, TheNextWriterRemovesWhatWasKilled) {
  endOf([](NewFile &) { ::raise(SIGKILL); });
  Names first = list();
  EXPECT_EQ(first.size(), 1u);
  endOf([](NewFile &) { ::raise(SIGKILL); });
  EXPECT_EQ(list().size(), 1u);
  EXPECT_NE(list(), first);
  // Neither another file's, nor what only looks like it.
  write("other.npy");
  EXPECT_EQ(list().size(), 2u);
  for (const char *name : {"out.npy.tmp", "out.npy.1.tmp", "out.npy.1-x.tmp",
                           "out.npy.1-2.tmp.npy", "xout.npy.1-2.tmp"})
    writeFile(directory / name, "");
  fs::create_directory(directory / "out.npy.7-7.tmp");
  // One that is being written stays.
  NewFile open(directory / "out.npy");
  ASSERT_TRUE(open.create());
  EXPECT_EQ(list().size(), 8u);
  write("out.npy");
  EXPECT_EQ(list().size(), 9u);
  ASSERT_TRUE(open.write("text", 4));
  ASSERT_TRUE(open.finish());
  EXPECT_EQ(list(),
            (Names{"out.npy", "other.npy", "out.npy.tmp", "out.npy.1.tmp",
                   "out.npy.1-x.tmp", "out.npy.1-2.tmp.npy", "xout.npy.1-2.tmp",
                   "out.npy.7-7.tmp"}));
}

} // namespace
