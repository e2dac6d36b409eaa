// Vectors of many elements are compiled for the host in less than a second. A search for vectors in the straight code that they
// become would take 50 times as long for these, and minutes for more.
// RUN: bash -c "ulimit -t 5; carousel-sim %s --arg x=iota:1024 --reference @wide_reference --rtol 1e-6 --quiet"

#gl = #gpu.address_space<global>

gpu.module @m {
  gpu.func @wide(%x: memref<1024xf32, #gl> {carousel.argument = #carousel.argument<"x", inout>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [2]>} {
    %c512 = arith.constant 512 : index
    %t = gpu.thread_id x
    %i = arith.muli %t, %c512 : index
    %v = vector.load %x[%i] : memref<1024xf32, #gl>, vector<512xf32>
    %e = math.erf %v : vector<512xf32>
    %s = arith.addf %e, %v : vector<512xf32>
    %m = math.erf %s : vector<512xf32>
    vector.store %m, %x[%i] : memref<1024xf32, #gl>, vector<512xf32>
    gpu.return
  }
}

func.func @wide_reference(%x: memref<1024xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1024 = arith.constant 1024 : index
  scf.for %i = %c0 to %c1024 step %c1 {
    %v = memref.load %x[%i] : memref<1024xf32>
    %e = math.erf %v : f32
    %s = arith.addf %e, %v : f32
    %m = math.erf %s : f32
    memref.store %m, %x[%i] : memref<1024xf32>
  }
  return
}
