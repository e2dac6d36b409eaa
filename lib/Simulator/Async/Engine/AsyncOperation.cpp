//===- AsyncOperation.cpp - operations in flight --------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pieces that a batch takes, and the table of operations, which are made
// again of those that are complete.
//
//===----------------------------------------------------------------------===//

#include "AsyncOperation.h"

#include "../Mbarriers.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

namespace carousel::sim {

PieceReader::~PieceReader() = default;

Pieces Pieces::take(uint32_t choice) {
  Pieces taken = *this;
  if (alternate)
    choice = 0;
  uint32_t size = end - begin;
  // Split at lines of 128 bytes if possible, because swizzles stay inside them.
  uint32_t middle = begin + size / 2;
  if (size >= 16)
    middle = llvm::alignDown(middle, 8u);
  bool isSingle = size > 2;
  if (choice == 3 && size > 1 && middle > begin) {
    taken.end = begin = middle;
  } else if (choice == 4 && size > 1 && middle > begin) {
    taken.begin = end = middle;
  } else if (choice == 5 && isSingle) {
    taken.end = ++begin;
  } else if (choice == 6 && isSingle) {
    taken.begin = --end;
  } else if (choice == 7 && isSingle) {
    unit = size >= 128 ? llvm::alignTo(size / 16, 8u) : size >= 32 ? 8 : 1;
    alternate = true;
    taken = *this;
    taken.odd = true;
  } else {
    begin = end;
  }
  return taken;
}

AsyncOperation &OperationTable::create(OperationKind kind,
                                       llvm::StringRef name) {
  AsyncOperation *operation;
  if (freeOperations.empty()) {
    operation = pool.emplace_back(std::make_unique<AsyncOperation>()).get();
  } else {
    operation = freeOperations.back();
    freeOperations.pop_back();
  }
  AsyncOperation &it = *operation;
  it.id = transfers.newId();
  it.kind = kind;
  it.name = name;
  it.nameIndex = transfers.internName(name);
  it.issuer = context.here();
  it.proxy = Proxy::Async;
  it.source = nullptr;
  it.destination = nullptr;
  it.bytes = it.validBytes = it.tileOffset = 0;
  it.isTensor = it.isReduction = it.isRelease = false;
  it.byteMask = 0xffff;
  it.reader = nullptr;
  it.barrier = nullptr;
  it.state = nullptr;
  it.queue = nullptr;
  it.group = it.slot = it.events = 0;
  it.readFirst = false;
  it.readDone = kind == OperationKind::Immediate;
  return it;
}

void OperationTable::start(AsyncOperation &operation) {
  active.push_back(&operation);
  LaunchWork &work = workOf(operation);
  ++work.active;
  work.lastCycles = std::max(work.lastCycles, operation.landCycles);
}

void OperationTable::finish(uint32_t which) {
  AsyncOperation &operation = *active[which];
  --workOf(operation).active;
  active[which] = active.back();
  active.pop_back();
  freeOperations.push_back(&operation);
}

OperationTable::LaunchWork &
OperationTable::workOf(const AsyncOperation &operation) {
  uint32_t launch = context.grid.getLaunchOf(operation.issuer.cta);
  if (launch >= launchWork.size())
    launchWork.resize(launch + 1);
  return launchWork[launch];
}

bool OperationTable::isIdle(uint32_t launch) const {
  return launch >= launchWork.size() || launchWork[launch].active == 0;
}

uint64_t OperationTable::getLastCycles(uint32_t launch) const {
  return launch < launchWork.size() ? launchWork[launch].lastCycles : 0;
}

std::vector<std::string> OperationTable::describe() const {
  std::vector<std::string> lines;
  for (const AsyncOperation *operation : active) {
    std::string line = operation->name.str() + " of " +
                       llvm::utostr(operation->bytes) + " bytes, issued by " +
                       context.describeSite(operation->issuer);
    if (operation->barrier)
      line += ", signals " + context.describeName(operation->barrier->address);
    lines.push_back(std::move(line));
  }
  return lines;
}

} // namespace carousel::sim
