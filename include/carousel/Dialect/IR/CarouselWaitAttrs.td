//===- CarouselWaitAttrs.td - what a wait waits for --------*- tablegen -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is said of a wait when it takes too long.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_IR_CAROUSELWAITATTRS_TD
#define CAROUSEL_DIALECT_IR_CAROUSELWAITATTRS_TD

include "carousel/Dialect/IR/CarouselLaunchAttrs.td"

def Carousel_WaitLabelAttr : Carousel_Attr<"WaitLabel", "wait_label"> {
  let summary = "what a wait waits for, and who waits";
  let description = [{
    Changes nothing in what is executed. `--carousel-lower-rings` says by it which ring a wait
    belongs to; `--carousel-assign-wait-ids` gives each wait of a module its number, by which a
    wait that is bounded by `debug-waits` is told from the others.

    Constraints: `barrier` is neither empty nor has control characters (C176).

    Example:

    ```mlir
    #carousel.wait_label<barrier = "x empty", role = producer, number = 3>
    ```
  }];
  let parameters = (ins
    StringRefParameter<"name of what is waited for">:$barrier,
    DefaultValuedParameter<"::carousel::WaitRole", "::carousel::WaitRole::All">:$role,
    // Nothing: not numbered.
    OptionalParameter<"std::optional<uint32_t>">:$number);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

#endif // CAROUSEL_DIALECT_IR_CAROUSELWAITATTRS_TD
