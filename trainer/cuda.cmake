# The part that computes on a GPU; built if a CUDA compiler is found. The program starts without a driver: its CUDA
# runtime is linked statically and looks for the driver when it is first asked for a device.
set(KML_TRAINER_CUDA AUTO CACHE STRING "Compile for NVIDIA GPUs: ON, OFF, or AUTO: where nvcc is found")
set_property(CACHE KML_TRAINER_CUDA PROPERTY STRINGS AUTO ON OFF)

if(DEFINED ENV{XDG_CACHE_HOME} AND NOT "$ENV{XDG_CACHE_HOME}" STREQUAL "")
  set(cache "$ENV{XDG_CACHE_HOME}")
else()
  set(cache "$ENV{HOME}/.cache")
endif()
if(KML_TRAINER_CUDA AND NOT CMAKE_CUDA_COMPILER)
  # Prefers the compiler from get-cuda, because it is the release that the tests use.
  find_program(KML_NVCC nvcc HINTS "${cache}/kml/cuda-13.0/nvidia/cu13/bin" "$ENV{CUDA_HOME}/bin" PATHS /usr/local/cuda/bin)
  if(KML_NVCC)
    set(CMAKE_CUDA_COMPILER "${KML_NVCC}")
  elseif(NOT KML_TRAINER_CUDA STREQUAL "AUTO")
    message(FATAL_ERROR "KML_TRAINER_CUDA=${KML_TRAINER_CUDA}, but there is no nvcc; trainer/get-cuda obtains one, "
                        "-DCMAKE_CUDA_COMPILER= names another, and -DKML_TRAINER_CUDA=OFF builds without")
  endif()
endif()
unset(KML_CUDA_VERSION CACHE)
if(NOT KML_TRAINER_CUDA OR NOT CMAKE_CUDA_COMPILER)
  message(STATUS "kml-trainer: without CUDA")
  add_library(kml-trainer-gpu OBJECT src/cuda/absent.cc)
  target_link_libraries(kml-trainer-gpu PUBLIC kml-trainer-lib)
  return()
endif()

# For A100, and for H100 and H200; later GPUs use a translation by the driver.
set(CMAKE_CUDA_ARCHITECTURES "80-real;90" CACHE STRING "GPUs to compile for")
set(CMAKE_CUDA_RUNTIME_LIBRARY None)  # linked below, so that projects without CUDA can link the objects
enable_language(CUDA)
foreach(kind STANDARD EXTENSION)  # CMake 3.25.1 does not know that nvcc supports it
  if(NOT CMAKE_CUDA20_${kind}_COMPILE_OPTION)
    set(CMAKE_CUDA20_${kind}_COMPILE_OPTION -std=c++20)
  endif()
endforeach()
set(KML_CUDA_COMPILER ${CMAKE_CUDA_COMPILER} CACHE INTERNAL "for the tests, which are in another folder")
set(KML_CUDA_VERSION ${CMAKE_CUDA_COMPILER_VERSION} CACHE INTERNAL "of that compiler")
message(STATUS "kml-trainer: CUDA ${CMAKE_CUDA_COMPILER_VERSION} for ${CMAKE_CUDA_ARCHITECTURES}")

file(GLOB GPU_SOURCES CONFIGURE_DEPENDS src/cuda/*.cc src/cuda/*.cu src/cuda/fast/*.cu)
list(REMOVE_ITEM GPU_SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/src/cuda/absent.cc)
add_library(kml-trainer-gpu OBJECT ${GPU_SOURCES})
target_link_libraries(kml-trainer-gpu PUBLIC kml-trainer-lib)
target_include_directories(kml-trainer-gpu SYSTEM PRIVATE ${CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES})
# The random numbers are constexpr functions for the host, which kernels may also call with this option.
target_compile_options(kml-trainer-gpu PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-O3 --expt-relaxed-constexpr>)
if(KML_WERROR)
  # Spilled registers, or double precision by mistake, would make a kernel many times slower without any visible sign,
  # so they are reported.
  target_compile_options(kml-trainer-gpu PRIVATE
    "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-Werror all-warnings -Xptxas=-Werror,--warn-on-spills>")
  set_property(SOURCE ${GPU_SOURCES} APPEND PROPERTY COMPILE_OPTIONS
    "$<$<COMPILE_LANGUAGE:CUDA>:-Xptxas=--warn-on-double-precision-use>")
endif()
find_library(KML_CUDART cudart_static HINTS ${CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES}/../lib64 ${CMAKE_CUDA_IMPLICIT_LINK_DIRECTORIES}
  ${CMAKE_CUDA_HOST_IMPLICIT_LINK_DIRECTORIES} REQUIRED)
target_link_libraries(kml-trainer-gpu PUBLIC ${KML_CUDART} ${CMAKE_DL_LIBS} rt)
