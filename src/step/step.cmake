# kml-step runs in the pods of a pipeline's steps. kml contains its program as bytes.
set(KML_STEP_CORE src/base/sha256.cc src/base/sha256_blocks.cc src/base/tar.cc src/base/tree_names.cc src/base/gzip_bytes.cc src/base/frames.cc src/base/read_record.cc src/base/import_listings.cc)
file(GLOB KML_STEP_SOURCES CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/step/*.cc ${CMAKE_SOURCE_DIR}/src/step/record/*.cc)
add_executable(kml-step ${KML_STEP_SOURCES} ${KML_STEP_CORE})
target_include_directories(kml-step PRIVATE include src)
target_include_directories(kml-step SYSTEM PRIVATE ${ZLIB_INCLUDE})
# Compiled for size, and without libraries that an image may lack, whatever the options for kml are. libstdc++'s own
# instances of its templates would add code for exceptions.
target_compile_options(kml-step PRIVATE -Wall -Wextra -Wshadow -Wno-restrict -Wno-array-bounds
  $<$<BOOL:${KML_WERROR}>:-Werror> -O2 -Os -g0 -fno-exceptions -fno-rtti -fno-threadsafe-statics -fno-asynchronous-unwind-tables
  -ffunction-sections -fno-sanitize=all -U_GLIBCXX_ASSERTIONS)
target_compile_definitions(kml-step PRIVATE _GLIBCXX_EXTERN_TEMPLATE=0)
target_link_options(kml-step PRIVATE -static -s -fno-sanitize=all -Wl,--gc-sections)
target_link_libraries(kml-step PRIVATE ${ZLIB_LIBRARY})
