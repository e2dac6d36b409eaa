// Maxima and minima of floats order -0 before +0, as the device does, in ops, reductions and atomics. The bits are compared; 7
// stands for NaN.
// RUN: sed -e 's/FLOAT/f32/g' -e 's/BITS/i32/g' -e 's/NAN/0x7FC00000/g' %s > %t.f32.mlir
// RUN: sed -e 's/FLOAT/f64/g' -e 's/BITS/i64/g' -e 's/NAN/0x7FF8000000000000/g' %s > %t.f64.mlir
// RUN: sed -e 's/FLOAT/f16/g' -e 's/BITS/i16/g' -e 's/NAN/0x7E00/g' %s > %t.f16.mlir
// RUN: sed -e 's/FLOAT/bf16/g' -e 's/BITS/i16/g' -e 's/NAN/0x7FC0/g' %s > %t.bf16.mlir
// RUN: carousel-sim %t.f32.mlir --kernel @ops --arg x=zeros:8 --arg y=empty:32 --reference @expected_ops --schedules 2
// RUN: carousel-sim %t.f64.mlir --kernel @ops --arg x=zeros:8 --arg y=empty:32 --reference @expected_ops --schedules 2
// RUN: carousel-sim %t.f16.mlir --kernel @ops --arg x=zeros:8 --arg y=empty:32 --reference @expected_ops --schedules 2
// RUN: carousel-sim %t.bf16.mlir --kernel @ops --arg x=zeros:8 --arg y=empty:32 --reference @expected_ops --schedules 2
// RUN: carousel-sim %t.f32.mlir --kernel @reductions --arg x=zeros:6 --arg y=empty:12 --reference @expected_reductions
// RUN: carousel-sim %t.f64.mlir --kernel @reductions --arg x=zeros:6 --arg y=empty:12 --reference @expected_reductions
// RUN: carousel-sim %t.f16.mlir --kernel @reductions --arg x=zeros:6 --arg y=empty:12 --reference @expected_reductions
// RUN: carousel-sim %t.bf16.mlir --kernel @reductions --arg x=zeros:6 --arg y=empty:12 --reference @expected_reductions
// RUN: carousel-sim %t.f32.mlir --kernel @threads --arg x=zeros:64 --arg y=empty:4 --reference @expected_threads --schedules 4
// RUN: carousel-sim %t.f64.mlir --kernel @threads --arg x=zeros:64 --arg y=empty:4 --reference @expected_threads --schedules 4

#gl = #gpu.address_space<global>
#ws = #gpu.address_space<workgroup>

gpu.module @m {
  // Nothing folds: x is 0.
  func.func @hide(%f: vector<8xFLOAT>, %x: memref<8xBITS, #gl>) -> vector<8xFLOAT> {
    %c0 = arith.constant 0 : index
    %zero = vector.load %x[%c0] : memref<8xBITS, #gl>, vector<8xBITS>
    %bits = arith.bitcast %f : vector<8xFLOAT> to vector<8xBITS>
    %hidden = arith.xori %bits, %zero : vector<8xBITS>
    %g = arith.bitcast %hidden : vector<8xBITS> to vector<8xFLOAT>
    return %g : vector<8xFLOAT>
  }

  func.func @put(%f: vector<8xFLOAT>, %y: memref<32xBITS, #gl>, %i: index) {
    %seven = arith.constant dense<7.0> : vector<8xFLOAT>
    %isNaN = arith.cmpf uno, %f, %f : vector<8xFLOAT>
    %shown = arith.select %isNaN, %seven, %f : vector<8xi1>, vector<8xFLOAT>
    %bits = arith.bitcast %shown : vector<8xFLOAT> to vector<8xBITS>
    vector.store %bits, %y[%i] : memref<32xBITS, #gl>, vector<8xBITS>
    return
  }

  gpu.func @ops(%x: memref<8xBITS, #gl> {carousel.argument = #carousel.argument<"x", in>},
                %y: memref<32xBITS, #gl> {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %c24 = arith.constant 24 : index
    %left = arith.constant dense<[-0.0, 0.0, -0.0, 0.0, NAN, 1.0, NAN, 2.0]> : vector<8xFLOAT>
    %right = arith.constant dense<[0.0, -0.0, -0.0, 0.0, 1.0, NAN, NAN, -2.0]> : vector<8xFLOAT>
    %a = func.call @hide(%left, %x) : (vector<8xFLOAT>, memref<8xBITS, #gl>) -> vector<8xFLOAT>
    %b = func.call @hide(%right, %x) : (vector<8xFLOAT>, memref<8xBITS, #gl>) -> vector<8xFLOAT>
    %0 = arith.maxnumf %a, %b : vector<8xFLOAT>
    func.call @put(%0, %y, %c0) : (vector<8xFLOAT>, memref<32xBITS, #gl>, index) -> ()
    %1 = arith.minnumf %a, %b : vector<8xFLOAT>
    func.call @put(%1, %y, %c8) : (vector<8xFLOAT>, memref<32xBITS, #gl>, index) -> ()
    %2 = arith.maximumf %a, %b : vector<8xFLOAT>
    func.call @put(%2, %y, %c16) : (vector<8xFLOAT>, memref<32xBITS, #gl>, index) -> ()
    %3 = arith.minimumf %a, %b : vector<8xFLOAT>
    func.call @put(%3, %y, %c24) : (vector<8xFLOAT>, memref<32xBITS, #gl>, index) -> ()
    gpu.return
  }

  // -0 but for +0 in one place, of six: two halves, then three. The negatives for minima.
  gpu.func @reductions(%x: memref<6xBITS, #gl> {carousel.argument = #carousel.argument<"x", in>},
                       %y: memref<12xBITS, #gl> {carousel.argument = #carousel.argument<"y", out>}) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [1]>} {
    %c0 = arith.constant 0 : index
    %zero = vector.load %x[%c0] : memref<6xBITS, #gl>, vector<6xBITS>
    %first = arith.constant dense<[0.0, -0.0, -0.0, -0.0, -0.0, -0.0]> : vector<6xFLOAT>
    %middle = arith.constant dense<[-0.0, -0.0, -0.0, 0.0, -0.0, -0.0]> : vector<6xFLOAT>
    %last = arith.constant dense<[-0.0, -0.0, -0.0, -0.0, -0.0, 0.0]> : vector<6xFLOAT>
    %firstBits = arith.bitcast %first : vector<6xFLOAT> to vector<6xBITS>
    %middleBits = arith.bitcast %middle : vector<6xFLOAT> to vector<6xBITS>
    %lastBits = arith.bitcast %last : vector<6xFLOAT> to vector<6xBITS>
    %firstHidden = arith.xori %firstBits, %zero : vector<6xBITS>
    %middleHidden = arith.xori %middleBits, %zero : vector<6xBITS>
    %lastHidden = arith.xori %lastBits, %zero : vector<6xBITS>
    %a = arith.bitcast %firstHidden : vector<6xBITS> to vector<6xFLOAT>
    %b = arith.bitcast %middleHidden : vector<6xBITS> to vector<6xFLOAT>
    %c = arith.bitcast %lastHidden : vector<6xBITS> to vector<6xFLOAT>
    %d = arith.negf %a : vector<6xFLOAT>
    %e = arith.negf %b : vector<6xFLOAT>
    %f = arith.negf %c : vector<6xFLOAT>
    %0 = vector.reduction <maxnumf>, %a : vector<6xFLOAT> into FLOAT
    %1 = vector.reduction <maxnumf>, %b : vector<6xFLOAT> into FLOAT
    %2 = vector.reduction <maxnumf>, %c : vector<6xFLOAT> into FLOAT
    %3 = vector.reduction <maximumf>, %a : vector<6xFLOAT> into FLOAT
    %4 = vector.reduction <maximumf>, %b : vector<6xFLOAT> into FLOAT
    %5 = vector.reduction <maximumf>, %c : vector<6xFLOAT> into FLOAT
    %6 = vector.reduction <minnumf>, %d : vector<6xFLOAT> into FLOAT
    %7 = vector.reduction <minnumf>, %e : vector<6xFLOAT> into FLOAT
    %8 = vector.reduction <minnumf>, %f : vector<6xFLOAT> into FLOAT
    %9 = vector.reduction <minimumf>, %d, %0 : vector<6xFLOAT> into FLOAT
    %10 = vector.reduction <minimumf>, %e, %1 : vector<6xFLOAT> into FLOAT
    // From a start that is the least.
    %11 = vector.reduction <minimumf>, %a, %6 : vector<6xFLOAT> into FLOAT
    %all = vector.from_elements %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11 : vector<12xFLOAT>
    %bits = arith.bitcast %all : vector<12xFLOAT> to vector<12xBITS>
    vector.store %bits, %y[%c0] : memref<12xBITS, #gl>, vector<12xBITS>
    gpu.return
  }

  // One of the threads has the other zero.
  gpu.func @threads(%x: memref<64xBITS, #gl> {carousel.argument = #carousel.argument<"x", in>},
                    %y: memref<4xBITS, #gl> {carousel.argument = #carousel.argument<"y", out>})
      workgroup(%s: memref<2xFLOAT, #ws>) kernel
      attributes {carousel.launch = #carousel.launch<grid = [1], block = [64]>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c41 = arith.constant 41 : index
    %plus = arith.constant 0.0 : FLOAT
    %minus = arith.constant -0.0 : FLOAT
    %t = gpu.thread_id x
    %isFirst = arith.cmpi eq, %t, %c0 : index
    scf.if %isFirst {
      memref.store %minus, %s[%c0] : memref<2xFLOAT, #ws>
      memref.store %plus, %s[%c1] : memref<2xFLOAT, #ws>
    }
    gpu.barrier
    %zero = memref.load %x[%t] : memref<64xBITS, #gl>
    %isOther = arith.cmpi eq, %t, %c41 : index
    %f = arith.select %isOther, %plus, %minus : FLOAT
    %bits = arith.bitcast %f : FLOAT to BITS
    %hidden = arith.xori %bits, %zero : BITS
    %a = arith.bitcast %hidden : BITS to FLOAT
    %b = arith.negf %a : FLOAT
    %most = gpu.all_reduce maxnumf %a uniform {} : (FLOAT) -> FLOAT
    %least = gpu.all_reduce minimumf %b uniform {} : (FLOAT) -> FLOAT
    %0 = memref.atomic_rmw maximumf %a, %s[%c0] : (FLOAT, memref<2xFLOAT, #ws>) -> FLOAT
    %1 = memref.atomic_rmw minimumf %b, %s[%c1] : (FLOAT, memref<2xFLOAT, #ws>) -> FLOAT
    gpu.barrier
    scf.if %isFirst {
      %2 = memref.load %s[%c0] : memref<2xFLOAT, #ws>
      %3 = memref.load %s[%c1] : memref<2xFLOAT, #ws>
      %all = vector.from_elements %most, %least, %2, %3 : vector<4xFLOAT>
      %allBits = arith.bitcast %all : vector<4xFLOAT> to vector<4xBITS>
      vector.store %allBits, %y[%c0] : memref<4xBITS, #gl>, vector<4xBITS>
    }
    gpu.return
  }
}

func.func @expected_ops(%x: memref<8xBITS>, %y: memref<32xBITS>) {
  %c0 = arith.constant 0 : index
  %f = arith.constant dense<[0.0, 0.0, -0.0, 0.0, 1.0, 1.0, 7.0, 2.0,
                             -0.0, -0.0, -0.0, 0.0, 1.0, 1.0, 7.0, -2.0,
                             0.0, 0.0, -0.0, 0.0, 7.0, 7.0, 7.0, 2.0,
                             -0.0, -0.0, -0.0, 0.0, 7.0, 7.0, 7.0, -2.0]> : vector<32xFLOAT>
  %bits = arith.bitcast %f : vector<32xFLOAT> to vector<32xBITS>
  vector.store %bits, %y[%c0] : memref<32xBITS>, vector<32xBITS>
  return
}

func.func @expected_reductions(%x: memref<6xBITS>, %y: memref<12xBITS>) {
  %c0 = arith.constant 0 : index
  %f = arith.constant dense<[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0]> : vector<12xFLOAT>
  %bits = arith.bitcast %f : vector<12xFLOAT> to vector<12xBITS>
  vector.store %bits, %y[%c0] : memref<12xBITS>, vector<12xBITS>
  return
}

func.func @expected_threads(%x: memref<64xBITS>, %y: memref<4xBITS>) {
  %c0 = arith.constant 0 : index
  %f = arith.constant dense<[0.0, -0.0, 0.0, -0.0]> : vector<4xFLOAT>
  %bits = arith.bitcast %f : vector<4xFLOAT> to vector<4xBITS>
  vector.store %bits, %y[%c0] : memref<4xBITS>, vector<4xBITS>
  return
}
