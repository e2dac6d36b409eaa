# The GoogleTest programs, one per layer.

carousel_add_unittest(CarouselDialectTests
  SOURCES Dialect/EffectsTest.cpp Dialect/KernelSignatureTest.cpp Dialect/TensorMapTypeTest.cpp
  LIBS CarouselDialect GTest::gmock)
carousel_add_unittest(CarouselAnalysisTests
  SOURCES Analysis/AlignmentTest.cpp Analysis/DivisibilityTest.cpp
          Analysis/EngineCopiesTest.cpp Analysis/EnginePlanTest.cpp
          Analysis/IndexFunctionTest.cpp Analysis/IndexRangesTest.cpp Analysis/RingBarriersTest.cpp Analysis/RingPlanTest.cpp
          Analysis/SharedMemoryPlanTest.cpp Analysis/SyncPlanTest.cpp Analysis/TransferShapeTest.cpp
  LIBS CarouselAnalysis)
carousel_add_unittest(CarouselTargetTests
  SOURCES Target/AssemblePTXTest.cpp Target/EmitPTXTest.cpp Target/MathLibraryTest.cpp Target/SplitKernelsTest.cpp
    Target/TargetMachinesTest.cpp
          Target/TargetInfoTest.cpp
  LIBS CarouselPasses CarouselAnalysis CarouselAssemblePTX CarouselEmitPTX CarouselTargetInfo
       CarouselDialect)
target_compile_definitions(CarouselTargetTests PRIVATE
  CAROUSEL_CUDA_ROOT="${CAROUSEL_CUDA_ROOT}")
carousel_add_unittest(CarouselPackageTests
  SOURCES Package/CompilePackageTest.cpp Package/KernelPartsTest.cpp Package/ManifestTest.cpp
          Package/WritePackageFixture.cpp Package/WritePackageSharingTest.cpp
          Package/WritePackageTest.cpp
  LIBS CarouselPackage CarouselPasses CarouselEmitPTX CarouselDialect CarouselRuntime)

carousel_add_unittest(CarouselSimulatorMemoryTests
  SOURCES Simulator/ClockTest.cpp Simulator/FindingsTest.cpp Simulator/MemoryAtomicsTest.cpp
          Simulator/MemoryRandomTest.cpp Simulator/MemoryTest.cpp
  LIBS CarouselSimulatorMemory)
target_include_directories(CarouselSimulatorMemoryTests PRIVATE
  "${PROJECT_SOURCE_DIR}/lib/Simulator")
target_compile_definitions(CarouselSimulatorMemoryTests PRIVATE
  CAROUSEL_DOCS_DIR="${PROJECT_SOURCE_DIR}/docs")
carousel_add_unittest(CarouselSimToolTests
  SOURCES Tools/Sim/ExpectationsTest.cpp Tools/Sim/SchedulesTest.cpp
    Tools/Sim/SimulationReportTest.cpp
  LIBS CarouselSimSupport)
carousel_add_unittest(CarouselSimulatorGridTests
  SOURCES Simulator/FiberPoolTest.cpp Simulator/GridBarrierTest.cpp Simulator/GridLaunchTest.cpp Simulator/GridTest.cpp
          Simulator/ScheduleTest.cpp
  LIBS CarouselSimulatorGrid)
carousel_add_unittest(CarouselSimulatorKernelTests
  SOURCES Simulator/CompiledFunctionTest.cpp Simulator/CompiledKernelTest.cpp
    Simulator/DependentLaunchTest.cpp
    Simulator/FamiliesTest.cpp
    Simulator/KernelOpsTest.cpp Simulator/KernelTesting.cpp Simulator/MachineKernelTest.cpp
    Simulator/MachineOpsTest.cpp
    Simulator/TileKernelTest.cpp Simulator/TileTransferTest.cpp Simulator/TraceTest.cpp
  LIBS CarouselSimulator)
target_include_directories(CarouselSimulatorKernelTests PRIVATE
  "${PROJECT_SOURCE_DIR}/lib/Simulator")
target_compile_definitions(CarouselSimulatorKernelTests PRIVATE
  CAROUSEL_EXAMPLES="${PROJECT_SOURCE_DIR}/examples")
carousel_add_unittest(CarouselSimulatorAsyncTests
  SOURCES Simulator/BulkGroupTest.cpp Simulator/CpAsyncTest.cpp Simulator/EngineTest.cpp
    Simulator/MbarrierTest.cpp Simulator/ReduceTest.cpp Simulator/SwizzleTest.cpp
    Simulator/TensorBoxTest.cpp Simulator/TensorCopyTest.cpp
  LIBS CarouselSimulatorAsync)
