// The record of decisions of a kernel.
// RUN: carousel-opt %s --split-input-file --verify-diagnostics

// C116: no record.
gpu.module @kernels {
  // expected-error @below {{expected carousel.decisions with a dictionary, got 3 : i32}}
  gpu.func @k() kernel attributes {carousel.decisions = 3 : i32} {
    gpu.return
  }
}

// -----

// C116: a list that the record doesn't have.
gpu.module @kernels {
  // expected-error @below {{expected carousel.decisions with no field 'plans', got one}}
  gpu.func @k() kernel attributes {carousel.decisions = {plans = []}} {
    gpu.return
  }
}

// -----

// C116: a list that is none.
gpu.module @kernels {
  // expected-error @below {{expected carousel.decisions with a list 'rings', got "none"}}
  gpu.func @k() kernel attributes {carousel.decisions = {rings = "none"}} {
    gpu.return
  }
}

// -----

// C116: a miss without a place.
gpu.module @kernels {
  // expected-error @below {{expected carousel.decisions with field 'location', got none}}
  gpu.func @k() kernel attributes {carousel.decisions = {misses = [{
      id = "not-ringed:scope", subject = "loop", reason = "other"}]}} {
    gpu.return
  }
}

// -----

// C116: a reason that no planner gives.
gpu.module @kernels {
  // expected-error @below {{expected carousel.decisions with a valid 'id', got "not-ringed:bad-weather"}}
  gpu.func @k() kernel attributes {carousel.decisions = {misses = [{
      id = "not-ringed:bad-weather", location = loc(unknown), subject = "loop", reason = "other"}]}} {
    gpu.return
  }
}

// -----

// C116: a negative number of bytes.
gpu.module @kernels {
  // expected-error @below {{expected carousel.decisions with a valid 'bytes', got -4}}
  gpu.func @k() kernel attributes {carousel.decisions = {transfers = [{
      location = loc("k.mlir":1:2), is_load = true, memref = "x", bytes = -4, engine = "bulk",
      instructions = 1, cost = 2}]}} {
    gpu.return
  }
}

// -----

// C116: a record of a device function.
gpu.module @kernels {
  // expected-error @below {{expected carousel.decisions on a gpu.func that is a kernel, a func.func or a module, got it on a device function}}
  gpu.func @k() attributes {carousel.decisions = {}} {
    gpu.return
  }
}

// -----

// C312: a list, of graphs
// expected-error @below {{expected carousel.decisions with a list 'decisions', got {}}}
func.func @f() attributes {carousel.decisions = {}} {
  return
}

// -----

// C312: all of its fields
// expected-error @below {{expected carousel.decisions with field 'text', got none}}
func.func @f() attributes {carousel.decisions = [{pass = "p", name = "Group", function = "f", location = loc(unknown),
    is_warning = false}]} {
  return
}

// -----

// C312: and no others
// expected-error @below {{expected carousel.decisions with no field 'kernel', got one}}
module attributes {carousel.decisions = [{pass = "p", name = "Group", function = "f", text = "t", kernel = "k",
    location = loc(unknown), is_warning = false}]} {
}
