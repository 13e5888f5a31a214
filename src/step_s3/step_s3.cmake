# kml-step-s3 copies files between a pod and a bucket. kml contains its program, compressed.
find_path(MBEDTLS_INCLUDE mbedtls/ssl.h REQUIRED)
foreach(part mbedtls mbedx509 mbedcrypto)  # each needs the next ones
  find_library(MBEDTLS_${part} lib${part}.a REQUIRED)
  list(APPEND MBEDTLS_LIBRARIES ${MBEDTLS_${part}})
endforeach()
file(GLOB KML_STEP_S3_SOURCES CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/step_s3/*.cc)
file(GLOB KML_S3_SOURCES CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/net/s3/*.cc ${CMAKE_SOURCE_DIR}/src/net/fetch/*.cc)
list(TRANSFORM KML_S3_SOURCES REPLACE ${CMAKE_SOURCE_DIR}/ "")
add_executable(kml-step-s3 ${KML_STEP_S3_SOURCES} ${KML_S3_SOURCES} src/net/http/authorities.cc src/net/http/route.cc src/net/registry/place.cc src/pipeline/runner/s3_trees.cc
  src/pipeline/trees/manifest_lines.cc src/pipeline/trees/link_check.cc src/pipeline/trees/tree_entries.cc src/pipeline/trees/tree_writer.cc
  src/base/beneath.cc src/base/tree_names.cc src/base/error.cc src/base/exception_text.cc src/base/text.cc src/base/clock.cc src/base/files.cc src/base/file_error.cc src/base/name_services.cc src/base/json.cc
  src/base/json_templates.cc src/base/process.cc src/base/sha1.cc src/base/sha256.cc src/base/sha256_file.cc src/base/sha256_blocks.cc
  src/base/fmt.cc src/base/memory.cc src/base/signals.cc src/base/signal_file_linux.cc src/base/system_calls_linux.cc)
target_compile_definitions(kml-step-s3 PRIVATE KML_STATIC)
target_include_directories(kml-step-s3 PRIVATE include src)
target_include_directories(kml-step-s3 SYSTEM PRIVATE ${MBEDTLS_INCLUDE} ${UTF8PROC_INCLUDE})
target_compile_options(kml-step-s3 PRIVATE -Wall -Wextra -Wshadow -Wno-restrict -Wno-array-bounds
  $<$<BOOL:${KML_WERROR}>:-Werror> -Os -g0 -ffunction-sections -fdata-sections -fno-sanitize=all -U_GLIBCXX_ASSERTIONS)
# getaddrinfo() needs no shared library here: glibc contains the services "files" and "dns" (src/base/name_services.cc).
target_link_options(kml-step-s3 PRIVATE -static -s -fno-sanitize=all -Wl,--gc-sections -Wl,--no-warnings)
target_link_libraries(kml-step-s3 PRIVATE nlohmann_json::nlohmann_json ${MBEDTLS_LIBRARIES} ${UTF8PROC_LIBRARY})
set_target_properties(kml-step-s3 PROPERTIES UNITY_BUILD ${KML_UNITY} UNITY_BUILD_BATCH_SIZE 0)
