//===- CarouselInterfaces.td - op interfaces ---------------*- tablegen -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a generic client asks an op of the dialect: which target it needs.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_IR_CAROUSELINTERFACES_TD
#define CAROUSEL_DIALECT_IR_CAROUSELINTERFACES_TD

include "mlir/IR/OpBase.td"

def Carousel_TargetOpInterface : OpInterface<"TargetOpInterface"> {
  let cppNamespace = "::carousel";
  let description = [{
    An op that only some targets have. The answer may depend on attributes and types: a
    bulk store needs sm_90, a bulk store with a byte mask sm_100. `--carousel-verify-target`
    compares it with the target.
  }];
  let methods = [
    InterfaceMethod<"The SM and the PTX version that this op needs.",
                    "::carousel::TargetRequirement", "getTargetRequirement">
  ];
}

#endif // CAROUSEL_DIALECT_IR_CAROUSELINTERFACES_TD
