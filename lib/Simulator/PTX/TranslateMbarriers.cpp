//===- TranslateMbarriers.cpp - mbarriers ---------------------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls of the machine's mbarriers (MachineAsyncCalls.cpp).
//
//===----------------------------------------------------------------------===//

#include "PTXForms.h"
#include "ThreadCode.h"

#include "../Async/AsyncContext.h"
#include "../Async/ResidentCTAs.h"

using namespace mlir;
using namespace carousel::sim;
namespace sim = carousel::sim;
namespace ptx = carousel::ptx;
using ptx::Instruction;
using ptx::Opcode;
using ptx::Word;

static Value getScopeWord(ThreadCode &code, const Instruction &instruction) {
  return code.i32(getScope(instruction, int32_t(MemScope::CTA)));
}

static LogicalResult translateArrive(ThreadCode &code,
                                     const Instruction &instruction) {
  bool isExpect = instruction.has(Word::ExpectTx);
  Value barrier = code.getPointer(instruction, 1);
  Value count = code.i32(1), bytes = code.i64(~uint64_t(0));
  if (code.hasOperand(instruction, 2)) {
    Value given = code.read(instruction, 2);
    if (!given)
      return failure();
    if (isExpect)
      bytes = code.resize(given, 64);
    else
      count = given;
  }
  if (!barrier)
    return failure();
  Value state = code.call(
      "carousel_sim_mbarrier_arrive",
      {barrier, count, bytes,
       code.i32(getSemantics(instruction, int32_t(MemSemantics::Release))),
       getScopeWord(code, instruction),
       code.i32(instruction.opcode == Opcode::MbarrierArriveDrop),
       code.i32(instruction.has(Word::NoComplete))},
      code.word(64));
  code.write(instruction.operands[0], state);
  return success();
}

static LogicalResult translateWait(ThreadCode &code,
                                   const Instruction &instruction) {
  Value barrier = code.getPointer(instruction, 1),
        phase = code.read(instruction, 2);
  if (!barrier || !phase)
    return failure();
  bool byParity = instruction.has(Word::Parity);
  if (byParity)
    phase = LLVM::AndOp::create(code.b, code.loc, code.resize(phase, 64),
                                code.i64(1));
  Value done = code.call(
      instruction.opcode == Opcode::MbarrierTestWait
          ? "carousel_sim_mbarrier_test_wait"
          : "carousel_sim_mbarrier_try_wait",
      {barrier, phase, code.i32(byParity),
       code.i32(getSemantics(instruction, int32_t(MemSemantics::Acquire))),
       getScopeWord(code, instruction)},
      code.word(32));
  code.write(instruction.operands[0],
             LLVM::ICmpOp::create(code.b, code.loc, LLVM::ICmpPredicate::ne,
                                  done, code.i32(0)));
  return success();
}

/// Those that take a barrier and a number.
static LogicalResult translateCount(ThreadCode &code,
                                    const Instruction &instruction,
                                    StringRef name) {
  Value barrier = code.getPointer(instruction, 0),
        count = code.read(instruction, 1);
  if (!barrier || !count)
    return failure();
  code.call(name, {barrier, count});
  return success();
}

LogicalResult sim::translateMbarriers(ThreadCode &code,
                                      const Instruction &instruction) {
  switch (instruction.opcode) {
  case Opcode::MbarrierInit:
    return translateCount(code, instruction, "carousel_sim_mbarrier_init");
  case Opcode::MbarrierExpectTx:
    return translateCount(code, instruction, "carousel_sim_mbarrier_expect_tx");
  case Opcode::MbarrierCompleteTx:
    return translateCount(code, instruction,
                          "carousel_sim_mbarrier_complete_tx");
  case Opcode::MbarrierInval: {
    Value barrier = code.getPointer(instruction, 0);
    if (!barrier)
      return failure();
    code.call("carousel_sim_mbarrier_inval", {barrier});
    return success();
  }
  case Opcode::MbarrierArrive:
  case Opcode::MbarrierArriveDrop:
    return translateArrive(code, instruction);
  case Opcode::MbarrierTestWait:
  case Opcode::MbarrierTryWait:
    return translateWait(code, instruction);
  case Opcode::MbarrierPendingCount: {
    Value state = code.read(instruction, 1);
    if (!state)
      return failure();
    code.write(instruction.operands[0],
               code.call("carousel_sim_mbarrier_pending_count", {state},
                         code.word(32)));
    return success();
  }
  default:
    return translateCopies(code, instruction);
  }
}
