# Builds from nothing may compile the sources of a folder together: many instantiate templates of
# MLIR that their neighbours need, too. Other builds don't, since there a changed file would be
# compiled with its neighbours; they also show what each file has to include.
option(CAROUSEL_UNITY_BUILD "Compile the sources of a folder together" OFF)

# Sources that can't be together with their neighbours, as both have a function of one name.
set(CAROUSEL_UNITY_EXCEPTIONS
  compiler/Package/Describe/DescribePrograms.cpp
  compiler/Package/PassManagers.cpp
  compiler/Package/WritePackage.cpp
  lib/Analysis/Layouts/FragmentLayouts.cpp
  lib/Analysis/Layouts/LinearLayout.cpp
  lib/Analysis/Rings/StorePath.cpp
  lib/Simulator/Compile/Block/LowerElements.cpp
  lib/Simulator/Compile/Block/LowerMoves.cpp
  lib/Simulator/Compile/Block/LowerRowReductions.cpp
  lib/Simulator/Compile/LookUpRows.cpp
  lib/Simulator/Compile/ValueNames.cpp
  lib/Simulator/Compile/VerifyKnown.cpp
  lib/Simulator/Launch/CompiledKernel.cpp
  lib/Simulator/Launch/MachineCalls.cpp
  lib/Simulator/Launch/MachinePTXCalls.cpp
  lib/Simulator/PTX/PTXForms.cpp
  lib/Simulator/PTX/ThreadCode.cpp
  lib/Target/CUDA/Statements.cpp
  lib/Target/CUDA/TextPlan.cpp
  lib/Target/PTX/EmitPTX.cpp
  lib/Target/PTX/LLVMPasses.cpp
  lib/Target/PTX/VerifyPTX.cpp
  passes/Graph/NormalForm/SplitGates.cpp
  passes/Graph/Shapes/ShapeTensors.cpp
  passes/MachineExpansion/ExpandArith.cpp
  passes/MachineExpansion/GPUShuffles.cpp
  passes/MachineToEmitC/CompareToEmitC.cpp
  passes/MachineToEmitC/MathToEmitC.cpp
  passes/MachineToNVVM/CpAsyncToNVVM.cpp
  passes/MachineToNVVM/MultimemToNVVM.cpp
  passes/MachineToNVVM/TensorToNVVM.cpp
  passes/MachineToNVVM/WgmmaToNVVM.cpp
  passes/Ring/GuardBoxes.cpp
  passes/Ring/StoreFromRegisters.cpp
  passes/Ring/SwizzleTiles.cpp
  passes/RingToMachine/Transfers/LowerTransfersBulk.cpp
  test/Analysis/Distribution/WarpgroupPlanTest.cpp
  test/Analysis/Layouts/LinearLayoutTest.cpp
  test/Device/CopyRingTest.cpp
  test/Device/DeviceLaunchTest.cpp
  test/Device/OrderedTest.cpp
  test/Runtime/Bind/CheckAliasesTest.cpp
  test/Runtime/Bind/TensorMapTest.cpp
  test/Runtime/CAPI/CAPITest.cpp
  test/Runtime/Launch/ResidentTest.cpp
  test/Runtime/Launch/WorkspaceTest.cpp
  test/Runtime/Package/ManifestExternsTest.cpp
  test/Simulator/Async/CpAsyncTest.cpp
  test/Simulator/Async/EngineTest.cpp
  test/Simulator/Async/MatrixDescriptorTest.cpp
  test/Simulator/Async/MbarrierTest.cpp
  test/Simulator/Async/TensorCopyTest.cpp
  test/Simulator/Compile/MachineOpsTest.cpp
  test/Simulator/Grid/GridPeersTest.cpp
  test/Target/PTX/VerifyPTXTest.cpp
  test/Tools/Support/ElementsTest.cpp
)

# _carousel_unity(<target>): one unit for each folder of its sources, if asked for.
function(_carousel_unity name)
  if(NOT CAROUSEL_UNITY_BUILD)
    return()
  endif()
  get_target_property(sources ${name} SOURCES)
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source OUTPUT_VARIABLE path)
    cmake_path(RELATIVE_PATH path BASE_DIRECTORY "${CAROUSEL_UNITY_ROOT}")
    if(path MATCHES "[.]cpp$" AND NOT path IN_LIST CAROUSEL_UNITY_EXCEPTIONS)
      cmake_path(GET path PARENT_PATH folder)
      string(MAKE_C_IDENTIFIER "${folder}" group)
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP "${group}")
    endif()
  endforeach()
  set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
