//===- CarouselWaitAttrs.td - labels of waits ---------------*- tablegen -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The label of a wait, which reports of a wait that doesn't end contain.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_DIALECT_IR_CAROUSELWAITATTRS_TD
#define CAROUSEL_DIALECT_IR_CAROUSELWAITATTRS_TD

include "carousel/Dialect/IR/Attrs/CarouselLaunchAttrs.td"

def Carousel_WaitLabelAttr : Carousel_Attr<"WaitLabel", "wait_label"> {
  let summary = "the name of what a wait waits for, and the role of the waiting thread";
  let description = [{
    A label doesn't change what is executed. `--carousel-lower-rings` names the ring that a wait
    belongs to. `--carousel-assign-wait-ids` gives each wait of a module a number. A bounded wait
    (`debug-waits`) reports this number.

    Constraints: `barrier` is neither empty nor has control characters (C176).

    Example:

    ```mlir
    #carousel.wait_label<barrier = "x empty", role = producer, number = 3>
    ```
  }];
  let parameters = (ins
    StringRefParameter<"name of what is waited for">:$barrier,
    DefaultValuedParameter<"::carousel::WaitRole", "::carousel::WaitRole::All">:$role,
    // nullopt if the wait has no number.
    OptionalParameter<"std::optional<uint32_t>">:$number);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

#endif // CAROUSEL_DIALECT_IR_CAROUSELWAITATTRS_TD
