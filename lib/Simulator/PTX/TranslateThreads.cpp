//===- TranslateThreads.cpp - barriers, fences, values of a warp ----------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Translates ops of several threads. A `.sync` instruction is a rendezvous of
// the lanes of its mask, wherever in the text each of them executes it.
//
//===----------------------------------------------------------------------===//

#include "PTXForms.h"
#include "ThreadCode.h"

#include "../Async/AsyncContext.h"
#include "../Async/Ordering.h"
#include "../Async/ResidentCTAs.h"

using namespace mlir;
using namespace carousel::sim;
namespace sim = carousel::sim;
namespace ptx = carousel::ptx;
using ptx::Instruction;
using ptx::Opcode;
using ptx::Operand;
using ptx::Word;
using Kind = ptx::Operand::Kind;

/// Reads operands as values; false after an error.
static bool readAll(ThreadCode &code, const Instruction &instruction,
                    ArrayRef<unsigned> numbers, SmallVectorImpl<Value> &to) {
  for (unsigned number : numbers) {
    to.push_back(code.read(instruction, number));
    if (!to.back())
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

static LogicalResult translateBarrier(ThreadCode &code,
                                      const Instruction &instruction) {
  SmallVector<Value> values;
  if (!instruction.has(Word::Red)) {
    if (!readAll(code, instruction, {0}, values))
      return failure();
    if (!code.hasOperand(instruction, 1))
      values.push_back(code.i32(0));
    else if (!readAll(code, instruction, {1}, values))
      return failure();
    code.call(instruction.has(Word::Arrive) ? "carousel_sim_barrier_arrive"
                                            : "carousel_sim_barrier_sync",
              values);
    return success();
  }
  bool hasCount = instruction.operands.size() == 4;
  unsigned last = unsigned(instruction.operands.size()) - 1;
  if (!readAll(code, instruction, {1}, values))
    return failure();
  if (!hasCount)
    values.push_back(code.i32(0));
  else if (!readAll(code, instruction, {2}, values))
    return failure();
  if (!readAll(code, instruction, {last}, values))
    return failure();
  values.push_back(code.i32(instruction.has(Word::Popc)  ? 0
                            : instruction.has(Word::And) ? 1
                                                         : 2));
  Value result =
      code.call("carousel_sim_ptx_barrier_reduce", values, code.word(32));
  code.write(instruction.operands[0], result);
  return success();
}

static LogicalResult translateClusterBarrier(ThreadCode &code,
                                             const Instruction &instruction) {
  if (instruction.has(Word::Wait))
    code.call("carousel_sim_cluster_wait", {});
  else
    code.call("carousel_sim_cluster_arrive",
              {code.i32(!instruction.has(Word::Relaxed))});
  return success();
}

//===----------------------------------------------------------------------===//
// Fences
//===----------------------------------------------------------------------===//

static LogicalResult translateFence(ThreadCode &code,
                                    const Instruction &instruction) {
  if (instruction.has(Word::MbarrierInit)) {
    code.call("carousel_sim_fence_mbarrier_init", {});
    return success();
  }
  int32_t semantics =
      getSemantics(instruction, int32_t(instruction.opcode == Opcode::Membar
                                            ? MemSemantics::SeqCst
                                            : MemSemantics::AcqRel));
  if (instruction.has(Word::SyncRestrictSharedCluster) ||
      instruction.has(Word::SyncRestrictSharedCta)) {
    code.call("carousel_sim_fence_sync_restrict", {code.i32(semantics)});
    return success();
  }
  code.call("carousel_sim_fence_thread",
            {code.i32(semantics),
             code.i32(getScope(instruction, int32_t(MemScope::CTA)))});
  return success();
}

static LogicalResult translateProxyFence(ThreadCode &code,
                                         const Instruction &instruction) {
  if (instruction.has(Word::TensormapGeneric)) {
    Value scope = code.i32(getScope(instruction, int32_t(MemScope::System)));
    if (instruction.has(Word::Release)) {
      code.call("carousel_sim_fence_tensor_map_release", {scope});
      return success();
    }
    Value map = code.getPointer(instruction, 0);
    if (!map)
      return failure();
    code.call("carousel_sim_fence_tensor_map_acquire", {map, scope});
    return success();
  }
  if (instruction.has(Word::AsyncGeneric)) {
    code.call(
        "carousel_sim_fence_proxy_sync_restrict",
        {code.i32(getSemantics(instruction, int32_t(MemSemantics::Acquire)))});
    return success();
  }
  ProxyKind kind =
      instruction.has(Word::Alias)           ? ProxyKind::Alias
      : instruction.has(Word::Global)        ? ProxyKind::AsyncGlobal
      : instruction.has(Word::SharedCta)     ? ProxyKind::AsyncSharedCTA
      : instruction.has(Word::SharedCluster) ? ProxyKind::AsyncSharedCluster
                                             : ProxyKind::Async;
  code.call("carousel_sim_fence_proxy", {code.i32(int32_t(kind))});
  return success();
}

//===----------------------------------------------------------------------===//
// Values of a warp
//===----------------------------------------------------------------------===//

static LogicalResult translateShuffle(ThreadCode &code,
                                      const Instruction &instruction) {
  SmallVector<Value> values;
  if (!readAll(code, instruction, {1, 2, 3, 4}, values))
    return failure();
  values.push_back(code.i32(instruction.has(Word::Up)     ? 0
                            : instruction.has(Word::Down) ? 1
                            : instruction.has(Word::Bfly) ? 2
                                                          : 3));
  // The value, and above it whether the source lane is in range.
  Value got = code.call("carousel_sim_ptx_shuffle", values, code.word(64));
  const Operand &result = instruction.operands[0];
  if (result.kind != Kind::Predicate) {
    code.write(result, code.resize(got, 32));
    return success();
  }
  code.write(result.elements[0], code.resize(got, 32));
  code.write(result.elements[1],
             code.resize(
                 LLVM::LShrOp::create(code.b, code.loc, got, code.i64(32)), 1));
  return success();
}

static LogicalResult translateVote(ThreadCode &code,
                                   const Instruction &instruction) {
  SmallVector<Value> values;
  if (!readAll(code, instruction, {1, 2}, values))
    return failure();
  values.push_back(code.i32(instruction.has(Word::All)   ? 0
                            : instruction.has(Word::Any) ? 1
                            : instruction.has(Word::Uni) ? 2
                                                         : 3));
  code.write(instruction.operands[0],
             code.call("carousel_sim_ptx_vote", values, code.word(32)));
  return success();
}

static LogicalResult translateMatch(ThreadCode &code,
                                    const Instruction &instruction) {
  SmallVector<Value> values;
  if (!readAll(code, instruction, {1, 2}, values))
    return failure();
  values[0] = code.resize(values[0], 64);
  bool isAny = instruction.opcode == Opcode::MatchAnySync;
  values.push_back(code.i32(isAny));
  Value lanes = code.call("carousel_sim_ptx_match", values, code.word(32));
  const Operand &result = instruction.operands[0];
  if (result.kind != Kind::Predicate) {
    code.write(result, lanes);
    return success();
  }
  code.write(result.elements[0], lanes);
  code.write(result.elements[1],
             LLVM::ICmpOp::create(code.b, code.loc, LLVM::ICmpPredicate::ne,
                                  lanes, code.i32(0)));
  return success();
}

static LogicalResult translateRedux(ThreadCode &code,
                                    const Instruction &instruction) {
  ptx::Type type = ThreadCode::getType(instruction, 0);
  if (type == ptx::Type::F32)
    return code.refuse(instruction);
  SmallVector<Value> values;
  if (!readAll(code, instruction, {1, 2}, values))
    return failure();
  values.push_back(code.i32(instruction.has(Word::Add)   ? 0
                            : instruction.has(Word::Min) ? 1
                            : instruction.has(Word::Max) ? 2
                            : instruction.has(Word::And) ? 3
                            : instruction.has(Word::Or)  ? 4
                                                         : 5));
  values.push_back(code.i32(ptx::getClass(type) == ptx::TypeClass::Signed));
  code.write(instruction.operands[0],
             code.call("carousel_sim_ptx_redux", values, code.word(32)));
  return success();
}

static LogicalResult translateElect(ThreadCode &code,
                                    const Instruction &instruction) {
  Value mask = code.read(instruction, 1);
  if (!mask)
    return failure();
  // The leader's lane, and above it whether this one is the leader.
  Value got = code.call("carousel_sim_ptx_elect", {mask}, code.word(64));
  const Operand &result = instruction.operands[0];
  code.write(result.elements[0], code.resize(got, 32));
  code.write(result.elements[1],
             code.resize(
                 LLVM::LShrOp::create(code.b, code.loc, got, code.i64(32)), 1));
  return success();
}

static LogicalResult translateRegisters(ThreadCode &code,
                                        const Instruction &instruction) {
  code.call("carousel_sim_set_max_registers",
            {code.i32(instruction.has(Word::Inc)),
             code.i32(instruction.operands[0].value.bits)});
  return success();
}

LogicalResult sim::translateThreads(ThreadCode &code,
                                    const Instruction &instruction) {
  switch (instruction.opcode) {
  case Opcode::Bar:
  case Opcode::Barrier:
    return translateBarrier(code, instruction);
  case Opcode::BarWarpSync: {
    Value mask = code.read(instruction, 0);
    if (!mask)
      return failure();
    code.call("carousel_sim_barrier_warp", {mask});
    return success();
  }
  case Opcode::BarrierCluster:
    return translateClusterBarrier(code, instruction);
  case Opcode::Fence:
  case Opcode::Membar:
    return translateFence(code, instruction);
  case Opcode::FenceProxy:
  case Opcode::MembarProxy:
    return translateProxyFence(code, instruction);
  case Opcode::ShflSync:
    return translateShuffle(code, instruction);
  case Opcode::VoteSync:
    return translateVote(code, instruction);
  case Opcode::MatchAnySync:
  case Opcode::MatchAllSync:
    return translateMatch(code, instruction);
  case Opcode::ReduxSync:
    return translateRedux(code, instruction);
  case Opcode::ElectSync:
    return translateElect(code, instruction);
  case Opcode::Activemask:
    // Lanes may be apart: only this one is known to be here.
    code.write(
        instruction.operands[0],
        code.call("carousel_sim_ptx_lane_mask", {code.i32(0)}, code.word(32)));
    return success();
  case Opcode::Griddepcontrol:
    code.call(instruction.has(Word::Wait) ? "carousel_sim_dependency_wait"
                                          : "carousel_sim_launch_dependents",
              {});
    return success();
  case Opcode::Setmaxnreg:
    return translateRegisters(code, instruction);
  case Opcode::Nanosleep:
    code.call("carousel_sim_ptx_yield", {});
    return success();
  default:
    return translateMbarriers(code, instruction);
  }
}
