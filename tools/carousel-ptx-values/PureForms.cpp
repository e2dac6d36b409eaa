//===- PureForms.cpp - which instructions have a value --------------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See FormCases.h. An instruction that isn't in this list must have a value; a
// test compares the list with the table of instructions.
//
//===----------------------------------------------------------------------===//

#include "FormCases.h"

#include "llvm/ADT/STLExtras.h"

using namespace carousel;
using namespace carousel::ptx;

bool ptx::isPure(Opcode opcode) {
  static constexpr Opcode impure[] = {
      // Memory, caches, textures and the stack.
      Opcode::Alloca,
      Opcode::Applypriority,
      Opcode::Atom,
      Opcode::CreatepolicyCvt,
      Opcode::CreatepolicyFractional,
      Opcode::CreatepolicyRange,
      Opcode::Discard,
      Opcode::Istypep,
      Opcode::Ld,
      Opcode::Ldu,
      Opcode::MultimemCpAsyncBulk,
      Opcode::MultimemCpReduceAsyncBulk,
      Opcode::MultimemLdReduce,
      Opcode::MultimemRed,
      Opcode::MultimemSt,
      Opcode::Prefetch,
      Opcode::Prefetchu,
      Opcode::Red,
      Opcode::RedAsync,
      Opcode::St,
      Opcode::StAsync,
      Opcode::StBulk,
      Opcode::Stackrestore,
      Opcode::Stacksave,
      Opcode::SuldB,
      Opcode::Suq,
      Opcode::SuredB,
      Opcode::SuredP,
      Opcode::SustB,
      Opcode::SustP,
      Opcode::Tex,
      Opcode::Tld4,
      Opcode::Txq,
      // Addresses: where the windows of memory are.
      Opcode::Cvta,
      Opcode::Getctarank,
      Opcode::Isspacep,
      Opcode::Mapa,
      // Asynchronous copies, and objects that hardware makes.
      Opcode::ClusterlaunchcontrolQueryCancel,
      Opcode::ClusterlaunchcontrolTryCancel,
      Opcode::CpAsync,
      Opcode::CpAsyncBulk,
      Opcode::CpAsyncBulkCommitGroup,
      Opcode::CpAsyncBulkPrefetch,
      Opcode::CpAsyncBulkPrefetchTensor,
      Opcode::CpAsyncBulkTensor,
      Opcode::CpAsyncBulkWaitGroup,
      Opcode::CpAsyncCommitGroup,
      Opcode::CpAsyncMbarrierArrive,
      Opcode::CpAsyncWaitAll,
      Opcode::CpAsyncWaitGroup,
      Opcode::CpReduceAsyncBulk,
      Opcode::CpReduceAsyncBulkTensor,
      Opcode::MbarrierArrive,
      Opcode::MbarrierArriveDrop,
      Opcode::MbarrierCompleteTx,
      Opcode::MbarrierExpectTx,
      Opcode::MbarrierInit,
      Opcode::MbarrierInval,
      Opcode::MbarrierPendingCount,
      Opcode::MbarrierTestWait,
      Opcode::MbarrierTryWait,
      Opcode::TensormapCpFenceproxy,
      Opcode::TensormapReplace,
      // Other threads.
      Opcode::Activemask,
      Opcode::Bar,
      Opcode::BarWarpSync,
      Opcode::Barrier,
      Opcode::BarrierCluster,
      Opcode::ElectSync,
      Opcode::Fence,
      Opcode::FenceProxy,
      Opcode::Griddepcontrol,
      Opcode::MatchAllSync,
      Opcode::MatchAnySync,
      Opcode::Membar,
      Opcode::MembarProxy,
      Opcode::ReduxSync,
      Opcode::Shfl,
      Opcode::ShflSync,
      Opcode::Vote,
      Opcode::VoteSync,
      // Products of matrices, of a warp or more.
      Opcode::Ldmatrix,
      Opcode::Mma,
      Opcode::Movmatrix,
      Opcode::Stmatrix,
      Opcode::Tcgen05Alloc,
      Opcode::Tcgen05Commit,
      Opcode::Tcgen05Cp,
      Opcode::Tcgen05Dealloc,
      Opcode::Tcgen05FenceAfterThreadSync,
      Opcode::Tcgen05FenceBeforeThreadSync,
      Opcode::Tcgen05Ld,
      Opcode::Tcgen05LdRed,
      Opcode::Tcgen05Mma,
      Opcode::Tcgen05MmaSp,
      Opcode::Tcgen05MmaWs,
      Opcode::Tcgen05MmaWsSp,
      Opcode::Tcgen05RelinquishAllocPermit,
      Opcode::Tcgen05Shift,
      Opcode::Tcgen05St,
      Opcode::Tcgen05WaitLd,
      Opcode::Tcgen05WaitSt,
      Opcode::WgmmaCommitGroup,
      Opcode::WgmmaFence,
      Opcode::WgmmaMmaAsync,
      Opcode::WgmmaMmaAsyncSp,
      Opcode::WgmmaWaitGroup,
      Opcode::WmmaLoadA,
      Opcode::WmmaLoadB,
      Opcode::WmmaLoadC,
      Opcode::WmmaMma,
      Opcode::WmmaStoreD,
      // Control flow, and the state of a thread.
      Opcode::Bra,
      Opcode::Brkpt,
      Opcode::BrxIdx,
      Opcode::Call,
      Opcode::Exit,
      Opcode::Nanosleep,
      Opcode::Pmevent,
      Opcode::Ret,
      Opcode::Setmaxnreg,
      Opcode::Trap,
  };
  return !llvm::is_contained(impure, opcode);
}
