# The GoogleTest programs, one per layer.

carousel_add_unittest(CarouselPTXTests PRODUCT simulator
  SOURCES
    PTX/FormInstances.cpp
    PTX/FormsTest.cpp
    PTX/LexerTest.cpp
    PTX/ParserTest.cpp
    PTX/RefusalsTest.cpp
    PTX/Values/ApproximationTest.cpp
    PTX/Values/ConversionValuesTest.cpp
    PTX/Values/FloatValuesTest.cpp
    PTX/Values/FormValuesTest.cpp
    PTX/Values/InstructionValues.cpp
    PTX/Values/IntegerValuesTest.cpp
    PTX/Values/PackedConversionTest.cpp
    PTX/Values/SelectionValuesTest.cpp
    PTX/Values/VideoValuesTest.cpp
  LIBS CarouselPTXCases CarouselPTX)
carousel_add_unittest(CarouselProofTests PRODUCT simulator
  SOURCES
    Analysis/Proof/EventOrderTest.cpp
    Analysis/Proof/RepetitionTest.cpp
    Analysis/Proof/SymbolicValuesTest.cpp
  LIBS CarouselProof)
carousel_add_unittest(CarouselDialectTests PRODUCT core
  SOURCES
    Dialect/EffectsTest.cpp
    Dialect/KernelDecisionsTest.cpp
    Dialect/KernelSignatureTest.cpp
    Dialect/TensorMapTypeTest.cpp
  LIBS CarouselDialect GTest::gmock)
carousel_add_unittest(CarouselAnalysisTests PRODUCT core
  SOURCES
    Analysis/Decisions/RegistersTest.cpp
    Analysis/Decisions/ThroughputTest.cpp
    Analysis/Rings/TileAssignmentTest.cpp
    Analysis/Engines/EngineCopiesTest.cpp
    Analysis/Engines/EnginePlanTest.cpp
    Analysis/Engines/ReaderFillTest.cpp
    Analysis/Engines/ThreadWorkTest.cpp
    Analysis/Engines/TilePaddingTest.cpp
    Analysis/Engines/TransferShapeTest.cpp
    Analysis/Distribution/BlockVariantsTest.cpp
    Analysis/Distribution/ContractionPlanTest.cpp
    Analysis/Distribution/ExtentPartsTest.cpp
    Analysis/Distribution/GatherRunsTest.cpp
    Analysis/Distribution/LayoutPlanTest.cpp
    Analysis/Distribution/TileBanksTest.cpp
    Analysis/Distribution/PaddingValuesTest.cpp
    Analysis/Distribution/VectorDemandTest.cpp
    Analysis/Distribution/ProductTilesTest.cpp
    Analysis/Distribution/ProgramTilesTest.cpp
    Analysis/Distribution/WarpgroupPlanTest.cpp
    Analysis/Layouts/AnchorLayoutsTest.cpp
    Analysis/Layouts/BankConflictsTest.cpp
    Analysis/Layouts/ElementMapsTest.cpp
    Analysis/Layouts/ExchangePlanTest.cpp
    Analysis/Layouts/FragmentLayoutsTest.cpp
    Analysis/Layouts/LayoutRulesTest.cpp
    Analysis/Layouts/LinearLayoutTest.cpp
    Analysis/Rings/BoxGuardsTest.cpp
    Analysis/Rings/ProductRotationTest.cpp
    Analysis/Rings/RingBarriersTest.cpp
    Analysis/Rings/RingDepthTest.cpp
    Analysis/Rings/RingPlanTest.cpp
    Analysis/Rings/StorePathTest.cpp
    Analysis/Rings/WhileLoopsTest.cpp
    Analysis/Programs/WorkspacePlanTest.cpp
    Analysis/SharedMemory/SharedMemoryPlanTest.cpp
    Analysis/Sync/SyncPlanTest.cpp
    Analysis/Sync/SyncTurnsTest.cpp
    Analysis/Values/AlignmentTest.cpp
    Analysis/Values/BitIndexTest.cpp
    Analysis/Values/DivisibilityTest.cpp
    Analysis/Values/IndexFunctionTest.cpp
    Analysis/Values/IndexRangesTest.cpp
    Analysis/Values/OperandWalkTest.cpp
  LIBS CarouselAnalysis)
carousel_add_unittest(CarouselGraphTests PRODUCT graph
  SOURCES
    Analysis/Graph/ConvolutionTilesTest.cpp
    Analysis/Graph/RecomputedOpsTest.cpp
    Analysis/Graph/SplitOnlineReductionTest.cpp
    Analysis/Graph/GroupPlanTest.cpp
    Analysis/Graph/GroupScheduleTest.cpp
    Analysis/Graph/GroupTimesTest.cpp
    Analysis/Graph/LibraryProductsTest.cpp
    Analysis/Graph/OnlineReductionTest.cpp
    Passes/Graph/MonotonicIndicesTest.cpp
    Passes/Graph/EqualExtentsTest.cpp
    Passes/Graph/GreedyRewritesTest.cpp
    Passes/Graph/GroupProductTest.cpp
    Passes/Graph/OneHotIndicesTest.cpp
    Passes/Graph/ProductRegistersTest.cpp
    Passes/Graph/RowTilesTest.cpp
  LIBS CarouselPasses CarouselAnalysis)
carousel_add_unittest(CarouselTargetTests PRODUCT core
  SOURCES
    Target/ChipModelTest.cpp
    Target/TargetInfoTest.cpp
    Target/PTX/AssemblePTXTest.cpp
    Target/PTX/CubinRegistersTest.cpp
    Target/PTX/ConvergentCallsTest.cpp
    Target/PTX/EmitPTXTest.cpp
    Target/PTX/InspectPTXTest.cpp
    Target/PTX/MathLibraryTest.cpp
    Target/PTX/SplitKernelsTest.cpp
    Target/PTX/TargetMachinesTest.cpp
    Target/PTX/VerifyPTXTest.cpp
  LIBS CarouselPasses CarouselAnalysis CarouselAssemblePTX CarouselEmitPTX CarouselTargetInfo
       CarouselDialect)
target_compile_definitions(CarouselTargetTests PRIVATE
  CAROUSEL_CUDA_ROOT="${CAROUSEL_CUDA_ROOT}")
target_compile_definitions(CarouselTargetTests PRIVATE
  CAROUSEL_DOCS_DIR="${PROJECT_SOURCE_DIR}/docs")
# Those that read packages as the runtime does, and those of graphs.
set(package_sources)
if(CAROUSEL_RUNTIME)
  list(APPEND package_sources Package/PackageManifestTest.cpp Package/WritePackageSharingTest.cpp)
endif()
if(CAROUSEL_GRAPH)
  list(APPEND package_sources Package/GraphDecisionsTest.cpp)
endif()
carousel_add_unittest(CarouselPackageTests PRODUCT core
  SOURCES
    Package/CompilePackageTest.cpp
    Package/KernelPartsTest.cpp
    Package/PassManagersTest.cpp
    Package/ReportDecisionsTest.cpp
    Package/WritePackageFixture.cpp
    ${package_sources}
    Package/WritePackageTest.cpp
  LIBS CarouselPackage CarouselPasses CarouselEmitPTX CarouselDialect
       $<TARGET_NAME_IF_EXISTS:CarouselRuntime>)

carousel_add_unittest(CarouselSimulatorMemoryTests PRODUCT simulator
  SOURCES
    Simulator/Memory/ClockTest.cpp
    Simulator/Memory/FindingsTest.cpp
    Simulator/Memory/MemoryAtomicsTest.cpp
    Simulator/Memory/MemoryMulticastTest.cpp
    Simulator/Memory/MemoryRandomTest.cpp
    Simulator/Memory/MemoryTest.cpp
    Simulator/Memory/WarpAccessesTest.cpp
    Support/SharedMemoryBanksTest.cpp
  LIBS CarouselSimulatorMemory)
if(CAROUSEL_SIMULATOR)
  target_compile_definitions(CarouselSimulatorMemoryTests PRIVATE
    CAROUSEL_DOCS_DIR="${PROJECT_SOURCE_DIR}/docs")
endif()
if(TARGET CarouselSimSupport)
  carousel_add_unittest(CarouselSimToolTests PRODUCT simulator
    SOURCES
      Tools/Sim/ExpectationsTest.cpp
      Tools/Sim/SchedulesTest.cpp
      Tools/Sim/SeveralGPUsTest.cpp
      Tools/Sim/SimulationReportTest.cpp
    LIBS CarouselSimSupport)
endif()
carousel_add_unittest(CarouselSimulatorGridTests PRODUCT simulator
  SOURCES
    Simulator/Grid/FiberPoolTest.cpp
    Simulator/Grid/GridBarrierTest.cpp
    Simulator/Grid/GridLaunchTest.cpp
    Simulator/Grid/GridPeersTest.cpp
    Simulator/Grid/GridTest.cpp
    Simulator/Grid/ScheduleTest.cpp
  LIBS CarouselSimulatorGrid)
carousel_add_unittest(CarouselSimulatorKernelTests PRODUCT simulator
  SOURCES
    Simulator/Async/TileTransferTest.cpp
    Simulator/Compile/KernelOpsTest.cpp
    Simulator/Compile/MachineOpsTest.cpp
    Simulator/Launch/CompiledFunctionTest.cpp
    Simulator/Launch/CompiledKernelTest.cpp
    Simulator/Launch/DependentLaunchTest.cpp
    Simulator/Launch/FamiliesTest.cpp
    Simulator/Launch/KernelTesting.cpp
    Simulator/Launch/MachineKernelTest.cpp
    Simulator/Launch/SharedAccessesTest.cpp
    Simulator/Launch/TileKernelTest.cpp
    PTX/FormInstances.cpp
    Simulator/PTX/PTXFormsTest.cpp
    Simulator/PTX/PTXInlineTest.cpp
    Simulator/PTX/PTXMatrixTest.cpp
    Simulator/PTX/PTXParametersTest.cpp
    Simulator/PTX/PTXTesting.cpp
    Simulator/PTX/PTXThreadTest.cpp
    Simulator/PTX/PTXWarpTest.cpp
    Simulator/Program/ProgramPlanTest.cpp
    Simulator/Trace/TraceTest.cpp
  LIBS CarouselSimulator)
if(CAROUSEL_SIMULATOR)
  target_compile_definitions(CarouselSimulatorKernelTests PRIVATE
    CAROUSEL_EXAMPLES="${PROJECT_SOURCE_DIR}/examples")
endif()
carousel_add_unittest(CarouselSimulatorAsyncTests PRODUCT simulator
  SOURCES
    Simulator/Async/BulkGroupTest.cpp
    Simulator/Async/CpAsyncTest.cpp
    Simulator/Async/DriverTensorMapTest.cpp
    Simulator/Async/EngineTest.cpp
    Simulator/Async/MatrixDescriptorTest.cpp
    Simulator/Async/MbarrierTest.cpp
    Simulator/Async/ReduceTest.cpp
    Simulator/Async/RoundElementsTest.cpp
    Simulator/Async/SwizzleTest.cpp
    Simulator/Async/TensorBoxTest.cpp
    Simulator/Async/TensorCopyTest.cpp
    Simulator/Async/WarpgroupProductTest.cpp
  LIBS CarouselSimulatorAsync)
