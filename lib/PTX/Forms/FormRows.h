//===- FormRows.h - the rows of the table of instructions -------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A row is `NAME MODIFIERS ; OPERANDS`; alternatives are separated by `|`.
//
// Modifiers, separated by blanks, in the order of the ISA:
//   rn        this one           rn|rz     one of these
//   [sat]     may be left out    @rnd      one of a named set (ReadRows.cpp)
//   T:u32|s32 one of these, which operands call T
//   m64n*k16  with any n of wgmma
// Operands, separated by commas:
//   f32 T     a register or an immediate of this type, or of the slot's
//   2T        twice as wide      ~T        the register may be larger
//   =T +T     written; updated   T?        may be left out
//   =T|pred   and a predicate, which may be left out: =T|pred?
//   T*4 T*V   a vector of 4, or as modifier V says; T*n: of any length
//   T*n/2     as many as the shape has columns, divided by 2
//   T{}       a vector of values that have the bits of T together
//   $T        or a variable's name or a special register
//   T.        or a part of the register, as of video instructions
//   [S] []    an address in the state space of slot S; a generic one
//   [global]  in this space      [tmem]    in tensor memory
//   [tensor] [tex]               a tensor's map and coordinates, a texture's
//   #         an integer         addr      a register that holds an address
//   label labels call            of control flow
//   {w}T      where modifier w is there, and nowhere else
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_LIB_PTX_FORMS_FORMROWS_H
#define CAROUSEL_LIB_PTX_FORMS_FORMROWS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace carousel::ptx {

llvm::ArrayRef<llvm::StringLiteral> getArithmeticRows();
llvm::ArrayRef<llvm::StringLiteral> getAsyncRows();
llvm::ArrayRef<llvm::StringLiteral> getMatrixRows();
llvm::ArrayRef<llvm::StringLiteral> getMemoryRows();
llvm::ArrayRef<llvm::StringLiteral> getVideoRows();

} // namespace carousel::ptx

#endif // CAROUSEL_LIB_PTX_FORMS_FORMROWS_H
