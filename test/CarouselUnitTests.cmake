# The GoogleTest programs, one per layer.

carousel_add_unittest(CarouselDialectTests
  SOURCES Dialect/EffectsTest.cpp Dialect/KernelSignatureTest.cpp Dialect/TensorMapTypeTest.cpp
  LIBS CarouselDialect GTest::gmock)
carousel_add_unittest(CarouselAnalysisTests
  SOURCES Analysis/AlignmentTest.cpp
  LIBS CarouselAnalysis)
carousel_add_unittest(CarouselTargetTests
  SOURCES Target/AssemblePTXTest.cpp Target/EmitPTXTest.cpp Target/TargetInfoTest.cpp
  LIBS CarouselPasses CarouselAnalysis CarouselEmitPTX CarouselTargetInfo CarouselDialect)
target_compile_definitions(CarouselTargetTests PRIVATE
  CAROUSEL_CUDA_ROOT="${CAROUSEL_CUDA_ROOT}")
carousel_add_unittest(CarouselPackageTests
  SOURCES Package/CompilePackageTest.cpp Package/ManifestTest.cpp Package/WritePackageTest.cpp
  LIBS CarouselPackage CarouselPasses CarouselEmitPTX CarouselDialect CarouselRuntime)
