//===- BoundedWaits.cpp - wait loops with a time bound --------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See BoundedWaits.h. The loop reads the clock after the first test that fails,
// so that a wait that needn't wait costs no more than an unbounded one. The
// first one of the threads that exceed the bound fills the record. The others
// let it finish, because the first trap ends all threads.
//
//===----------------------------------------------------------------------===//

#include "BoundedWaits.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace carousel;

//===----------------------------------------------------------------------===//
// The record
//===----------------------------------------------------------------------===//

// A pointer that the host sets, and a word by which one thread claims the
// record.
static constexpr StringLiteral kRecordSymbol = "carousel_wait_record";
static constexpr StringLiteral kReportSymbol = "carousel_report_expired_wait";
static constexpr int64_t kClaimOffset = 8;
static constexpr int64_t kClaimed = 1, kWritten = 2;

/// The record's words; the first one is written last.
static constexpr int64_t kRecordVersion = 1;
enum RecordWord : int32_t {
  kVersionWord,
  kNumberWord,
  kSlotWord,
  kPhaseWord,
  kCTAWord,
  kThreadWord = kCTAWord + 3,
  kElapsedWord = kThreadWord + 3,
};

/// For how long others let the first thread write.
static constexpr int64_t kWriteNanoseconds = 100'000'000;

namespace {

/// The function that a thread calls with the number of the wait, slot, phase
/// and elapsed nanoseconds, and doesn't return from.
class ReportBuilder {
public:
  ReportBuilder(gpu::GPUModuleOp module)
      : b(ImplicitLocOpBuilder::atBlockEnd(module.getLoc(), module.getBody())),
        i32(b.getI32Type()), i64(b.getI64Type()),
        globalPtr(LLVM::LLVMPointerType::get(
            b.getContext(),
            static_cast<unsigned>(NVVM::NVVMMemorySpace::Global))) {}

  LLVM::LLVMFuncOp create();

private:
  void createRecord();
  void write(Value record, ValueRange arguments);
  void store(Value value, Value base, int64_t bytes);
  Value getAddress(Value base, int64_t bytes);
  Value getConstant(Type type, int64_t value) {
    return LLVM::ConstantOp::create(b, type, b.getIntegerAttr(type, value));
  }
  Value equals(Value value, int64_t constant) {
    return LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::eq, value,
                                getConstant(value.getType(), constant));
  }

  ImplicitLocOpBuilder b;
  Type i32, i64, globalPtr;
};

} // namespace

void ReportBuilder::createRecord() {
  auto type = LLVM::LLVMStructType::getLiteral(b.getContext(), {i64, i64});
  auto record = LLVM::GlobalOp::create(
      b, type, /*isConstant=*/false, LLVM::Linkage::External, kRecordSymbol,
      /*value=*/Attribute(), /*alignment=*/8,
      static_cast<unsigned>(NVVM::NVVMMemorySpace::Global));
  OpBuilder::InsertionGuard guard(b);
  b.createBlock(&record.getInitializerRegion());
  LLVM::ReturnOp::create(b, LLVM::ZeroOp::create(b, type).getResult());
}

Value ReportBuilder::getAddress(Value base, int64_t bytes) {
  return LLVM::GEPOp::create(b, globalPtr, b.getI8Type(), base,
                             ArrayRef<LLVM::GEPArg>{int32_t(bytes)});
}

void ReportBuilder::store(Value value, Value base, int64_t bytes) {
  LLVM::StoreOp::create(b, value, getAddress(base, bytes), /*alignment=*/4,
                        /*isVolatile=*/true);
}

void ReportBuilder::write(Value record, ValueRange arguments) {
  auto storeWord = [&](int32_t word, Value value) {
    store(value, record, 4 * word);
  };
  storeWord(kNumberWord, arguments[0]);
  storeWord(kSlotWord, arguments[1]);
  storeWord(kPhaseWord, arguments[2]);
  storeWord(kCTAWord, NVVM::BlockIdXOp::create(b, i32));
  storeWord(kCTAWord + 1, NVVM::BlockIdYOp::create(b, i32));
  storeWord(kCTAWord + 2, NVVM::BlockIdZOp::create(b, i32));
  storeWord(kThreadWord, NVVM::ThreadIdXOp::create(b, i32));
  storeWord(kThreadWord + 1, NVVM::ThreadIdYOp::create(b, i32));
  storeWord(kThreadWord + 2, NVVM::ThreadIdZOp::create(b, i32));
  storeWord(kElapsedWord, LLVM::TruncOp::create(b, i32, arguments[3]));
  Value high = LLVM::LShrOp::create(b, arguments[3], getConstant(i64, 32));
  storeWord(kElapsedWord + 1, LLVM::TruncOp::create(b, i32, high));
  // The host looks when the device has stopped, or at any time before.
  createPTX(b, b.getLoc(), Type(), {}, "fence.sc.sys;");
  storeWord(kVersionWord, getConstant(i32, kRecordVersion));
  createPTX(b, b.getLoc(), Type(), {}, "fence.sc.sys;");
}

LLVM::LLVMFuncOp ReportBuilder::create() {
  createRecord();
  auto type = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(b.getContext()), {i32, i32, i32, i64});
  auto report =
      LLVM::LLVMFuncOp::create(b, kReportSymbol, type, LLVM::Linkage::Internal);
  report.setNoInline(true);
  Block *entry = report.addEntryBlock(b);
  Region &body = report.getBody();
  Block *claim = b.createBlock(&body, body.end());
  Block *first = b.createBlock(&body, body.end());
  Block *others = b.createBlock(&body, body.end());
  Block *poll = b.createBlock(&body, body.end());
  Block *again = b.createBlock(&body, body.end());
  Block *trap = b.createBlock(&body, body.end());

  // If no host has set the pointer, there is nowhere to write to.
  b.setInsertionPointToEnd(entry);
  Value base = LLVM::AddressOfOp::create(b, globalPtr, kRecordSymbol);
  Value word = getAddress(base, kClaimOffset);
  Value record = LLVM::LoadOp::create(b, globalPtr, base, /*alignment=*/8,
                                      /*isVolatile=*/true);
  Value isNull = LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::eq, record,
                                      LLVM::ZeroOp::create(b, globalPtr));
  LLVM::CondBrOp::create(b, isNull, trap, claim);

  b.setInsertionPointToEnd(claim);
  Value before =
      createPTX(b, b.getLoc(), i32, {word, getConstant(i32, kClaimed)},
                "atom.relaxed.gpu.global.cas.b32 $0, [$1], 0, $2;");
  LLVM::CondBrOp::create(b, equals(before, 0), first, others);

  b.setInsertionPointToEnd(first);
  write(record, report.getArguments());
  store(getConstant(i32, kWritten), base, kClaimOffset);
  LLVM::BrOp::create(b, ValueRange(), trap);

  b.setInsertionPointToEnd(others);
  Value start = NVVM::GlobalTimerOp::create(b, i64);
  LLVM::BrOp::create(b, ValueRange(), poll);

  b.setInsertionPointToEnd(poll);
  Value now = LLVM::LoadOp::create(b, i32, word, /*alignment=*/4,
                                   /*isVolatile=*/true);
  LLVM::CondBrOp::create(b, equals(now, kWritten), trap, again);

  b.setInsertionPointToEnd(again);
  createPTX(b, b.getLoc(), Type(), {}, "nanosleep.u32 1000;");
  Value elapsed =
      LLVM::SubOp::create(b, NVVM::GlobalTimerOp::create(b, i64), start);
  Value isLate = LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ugt, elapsed,
                                      getConstant(i64, kWriteNanoseconds));
  LLVM::CondBrOp::create(b, isLate, trap, poll);

  b.setInsertionPointToEnd(trap);
  LLVM::Trap::create(b);
  LLVM::UnreachableOp::create(b);
  return report;
}

FailureOr<std::optional<uint64_t>>
carousel::checkWaitBound(gpu::GPUModuleOp module,
                         std::optional<unsigned> milliseconds) {
  if (!milliseconds)
    return std::optional<uint64_t>();
  if (*milliseconds == 0) {
    emitError(module.getLoc())
        << "expected a bound for waits of at least 1 ms, got 0";
    return failure();
  }
  bool hasWaits = false, refused = false;
  module.walk([&](LabelledWaitOpInterface wait) {
    hasWaits = true;
    WaitLabelAttr label = wait.getLabelAttr();
    if (label && label.getNumber())
      return;
    // C177
    wait->emitOpError("expected a number in the label of a wait that is "
                      "bounded, got none");
    refused = true;
  });
  if (refused)
    return failure();
  if (!hasWaits)
    return std::optional<uint64_t>();
  for (StringRef name : {kRecordSymbol, kReportSymbol})
    if (Operation *symbol = module.lookupSymbol(name)) {
      // C178
      symbol->emitError("expected no symbol '")
          << name << "' in a module whose waits are bounded, got one";
      return failure();
    }
  constexpr uint64_t kNanoseconds = 1'000'000;
  return std::optional<uint64_t>(*milliseconds * kNanoseconds);
}

FailureOr<WaitBound>
carousel::createWaitBound(gpu::GPUModuleOp module,
                          std::optional<unsigned> milliseconds) {
  FailureOr<std::optional<uint64_t>> nanoseconds =
      checkWaitBound(module, milliseconds);
  if (failed(nanoseconds))
    return failure();
  WaitBound bound;
  bound.nanoseconds = *nanoseconds;
  if (!bound.nanoseconds)
    return bound;
  bound.report = SymbolRefAttr::get(ReportBuilder(module).create());
  return bound;
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

/// while (mustWait()) body();
static void createLoop(OpBuilder &builder, Location loc, WaitTest mustWait,
                       function_ref<void(OpBuilder &, Location)> body) {
  auto before = [&](OpBuilder &builder, Location loc, ValueRange) {
    scf::ConditionOp::create(builder, loc, mustWait(builder, loc),
                             ValueRange());
  };
  auto after = [&](OpBuilder &builder, Location loc, ValueRange) {
    body(builder, loc);
    scf::YieldOp::create(builder, loc);
  };
  scf::WhileOp::create(builder, loc, TypeRange(), ValueRange(), before, after);
}

static Value toI32(OpBuilder &builder, Location loc, Value value) {
  Type i32 = builder.getI32Type();
  if (value.getType() == i32)
    return value;
  return LLVM::TruncOp::create(builder, loc, i32, value);
}

/// The number of the element among those of its memref, row by row.
static Value getSlot(OpBuilder &builder, Location loc, const WaitPlace &place) {
  Type i32 = builder.getI32Type();
  LabelledWaitOpInterface wait = place.wait;
  ArrayRef<int64_t> shape = wait.getAwaited().getType().getShape();
  MemRefDescriptor descriptor(place.awaited);
  Value slot;
  for (auto [dim, index] : llvm::enumerate(place.indices)) {
    Value number = toI32(builder, loc, index);
    if (slot) {
      Value extent =
          ShapedType::isDynamic(shape[dim])
              ? toI32(builder, loc, descriptor.size(builder, loc, dim))
              : LLVM::ConstantOp::create(builder, loc,
                                         builder.getI32IntegerAttr(shape[dim]));
      slot = LLVM::MulOp::create(builder, loc, slot, extent);
      slot = LLVM::AddOp::create(builder, loc, slot, number);
    } else {
      slot = number;
    }
  }
  if (slot)
    return slot;
  return LLVM::ConstantOp::create(builder, loc, i32, 0);
}

/// Calls the report if the time since `start` is more than the bound.
static void createCheck(OpBuilder &builder, Location loc,
                        const WaitBound &bound, const WaitPlace &place,
                        Value start) {
  Type i64 = builder.getI64Type();
  Value now = NVVM::GlobalTimerOp::create(builder, loc, i64);
  Value elapsed = LLVM::SubOp::create(builder, loc, now, start);
  Value limit = LLVM::ConstantOp::create(
      builder, loc, builder.getI64IntegerAttr(*bound.nanoseconds));
  Value isOver = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ugt,
                                      elapsed, limit);
  scf::IfOp::create(
      builder, loc, isOver, [&](OpBuilder &builder, Location loc) {
        LabelledWaitOpInterface wait = place.wait;
        Value number = LLVM::ConstantOp::create(
            builder, loc,
            builder.getI32IntegerAttr(*wait.getLabelAttr().getNumber()));
        Value phase = place.phase;
        if (!phase)
          phase =
              LLVM::ConstantOp::create(builder, loc, builder.getI32Type(), 0);
        LLVM::CallOp::create(
            builder, loc, TypeRange(), bound.report,
            ValueRange{number, getSlot(builder, loc, place), phase, elapsed});
        scf::YieldOp::create(builder, loc);
      });
}

void carousel::createWaitLoop(OpBuilder &builder, Location loc,
                              const WaitBound &bound, const WaitPlace &place,
                              WaitTest mustWait) {
  if (!bound.nanoseconds)
    return createLoop(builder, loc, mustWait, [](OpBuilder &, Location) {});
  scf::IfOp::create(
      builder, loc, mustWait(builder, loc),
      [&](OpBuilder &builder, Location loc) {
        Value start =
            NVVM::GlobalTimerOp::create(builder, loc, builder.getI64Type());
        createLoop(builder, loc, mustWait,
                   [&](OpBuilder &builder, Location loc) {
                     createCheck(builder, loc, bound, place, start);
                   });
        scf::YieldOp::create(builder, loc);
      });
}
