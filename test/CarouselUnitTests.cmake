# The GoogleTest programs, one per layer.

carousel_add_unittest(CarouselDialectTests
  SOURCES Dialect/TensorMapTypeTest.cpp Dialect/EffectsTest.cpp
  LIBS CarouselDialect)
carousel_add_unittest(CarouselAnalysisTests
  SOURCES Analysis/AlignmentTest.cpp
  LIBS CarouselAnalysis)
carousel_add_unittest(CarouselTargetTests
  SOURCES Target/AssemblePTXTest.cpp Target/EmitPTXTest.cpp Target/TargetInfoTest.cpp
  LIBS CarouselPasses CarouselAnalysis CarouselEmitPTX CarouselTargetInfo CarouselDialect)
target_compile_definitions(CarouselTargetTests PRIVATE
  CAROUSEL_CUDA_ROOT="${CAROUSEL_CUDA_ROOT}")
