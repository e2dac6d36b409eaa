//===- TargetMachinesTest.cpp - back ends that are kept -------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "carousel/Target/TargetMachines.h"

#include "mlir/Target/LLVM/NVVM/Utils.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Target/TargetMachine.h"
#include "gtest/gtest.h"

#include <set>
#include <thread>

using namespace carousel;

namespace {

constexpr llvm::StringLiteral kTriple = "nvptx64-nvidia-cuda";

class TargetMachinesTest : public ::testing::Test {
protected:
  void SetUp() override { mlir::NVVM::SerializeGPUModuleBase::init(); }

  TargetMachines machines;
};

TEST_F(TargetMachinesTest, AreKeptByChipAndFeatures) {
  auto first = machines.take(kTriple, "sm_90a", "+ptx88");
  ASSERT_TRUE(first);
  EXPECT_EQ(first->getTargetCPU(), "sm_90a");
  EXPECT_EQ(first->getTargetFeatureString(), "+ptx88");
  const llvm::TargetMachine *known = first.get();
  // A machine in use isn't given to others.
  auto second = machines.take(kTriple, "sm_90a", "+ptx88");
  EXPECT_NE(second.get(), known);
  machines.giveBack(std::move(first));
  auto other = machines.take(kTriple, "sm_80", "+ptx88");
  EXPECT_EQ(other->getTargetCPU(), "sm_80");
  auto older = machines.take(kTriple, "sm_90a", "+ptx86");
  EXPECT_EQ(older->getTargetFeatureString(), "+ptx86");
  EXPECT_NE(older.get(), known);
  EXPECT_EQ(machines.take(kTriple, "sm_90a", "+ptx88").get(), known);
}

TEST_F(TargetMachinesTest, NoneForATripleThatLLVMHasNot) {
  EXPECT_EQ(machines.take("none-such-os", "sm_90a", ""), nullptr);
}

TEST_F(TargetMachinesTest, NoTwoThreadsHaveTheSame) {
  std::mutex mutex;
  std::set<const llvm::TargetMachine *> taken;
  bool isShared = false;
  auto use = [&] {
    for (int i = 0; i < 200; ++i) {
      auto machine = machines.take(kTriple, "sm_90a", "+ptx88");
      {
        std::lock_guard<std::mutex> lock(mutex);
        isShared |= !taken.insert(machine.get()).second;
      }
      std::this_thread::yield();
      {
        std::lock_guard<std::mutex> lock(mutex);
        taken.erase(machine.get());
      }
      machines.giveBack(std::move(machine));
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back(use);
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_FALSE(isShared);
}

} // namespace
