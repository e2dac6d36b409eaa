// What a module states about its GPU.
// RUN: carousel-opt %s --carousel-lower --split-input-file --verify-diagnostics
// RUN: carousel-opt %s --carousel-graph-to-block --split-input-file --verify-diagnostics

// C309: there is a model of the GPU.
// expected-error@+1 {{expected a GPU among a100, a40, l40s, h200, h100, b200, rtx_pro_6000, got 'v100'}}
module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "GPU" = #dlti.target_device_spec<"gpu" = "v100">>} {
  gpu.module @kernels {}
  func.func @graph(%x: tensor<4xf32>) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
}

// -----

// C310: what else the device has is numbers of a model.
// expected-error@+1 {{expected numbers of a chip model, got "smms"}}
module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "GPU" = #dlti.target_device_spec<"gpu" = "h200", "smms" = 66 : i64>>} {
  gpu.module @kernels {}
  func.func @graph(%x: tensor<4xf32>) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
}

// -----

// expected-error@+1 {{expected an integer above 0 for "sms", got 0 : i64}}
module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "GPU" = #dlti.target_device_spec<"gpu" = "h200", "sms" = 0 : i64>>} {
  gpu.module @kernels {}
  func.func @graph(%x: tensor<4xf32>) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
}

// -----

// expected-error@+1 {{expected a number above 0 for "bytes-per-ns", got "fast"}}
module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "GPU" = #dlti.target_device_spec<"gpu" = "h200", "bytes-per-ns" = "fast">>} {
  gpu.module @kernels {}
  func.func @graph(%x: tensor<4xf32>) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
}
