# kml-step-s3 copies files between a pod and a bucket. kml contains its program, compressed.
find_path(MBEDTLS_INCLUDE mbedtls/ssl.h REQUIRED)
foreach(part mbedtls mbedx509 mbedcrypto)  # each needs the next ones
  find_library(MBEDTLS_${part} lib${part}.a REQUIRED)
  list(APPEND MBEDTLS_LIBRARIES ${MBEDTLS_${part}})
endforeach()
file(GLOB KML_STEP_S3_SOURCES CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/step_s3/*.cc)
file(GLOB KML_S3_SOURCES CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/s3/*.cc)
list(TRANSFORM KML_S3_SOURCES REPLACE ${CMAKE_SOURCE_DIR}/ "")
add_executable(kml-step-s3 ${KML_STEP_S3_SOURCES} ${KML_S3_SOURCES} src/http/authorities.cc src/http/route.cc src/jobs/pipeline/s3_trees.cc
  src/pipeline/manifest_lines.cc src/pipeline/link_check.cc src/pipeline/tree_entries.cc src/pipeline/tree_writer.cc
  src/core/beneath.cc src/core/tree_names.cc src/core/error.cc src/core/exception_text.cc src/core/text.cc src/core/clock.cc src/core/files.cc src/core/name_services.cc src/core/json.cc
  src/core/json_templates.cc src/core/process.cc src/core/sha256.cc src/core/sha256_file.cc src/core/sha256_blocks.cc
  src/core/fmt.cc src/core/memory.cc src/core/signals.cc src/core/signal_file_linux.cc src/core/system_calls_linux.cc)
target_compile_definitions(kml-step-s3 PRIVATE KML_STATIC)
target_include_directories(kml-step-s3 PRIVATE include src)
target_include_directories(kml-step-s3 SYSTEM PRIVATE ${MBEDTLS_INCLUDE} ${UTF8PROC_INCLUDE})
target_compile_options(kml-step-s3 PRIVATE -Wall -Wextra -Wshadow -Wno-restrict -Wno-array-bounds
  $<$<BOOL:${KML_WERROR}>:-Werror> -Os -g0 -ffunction-sections -fdata-sections -fno-sanitize=all -U_GLIBCXX_ASSERTIONS)
# getaddrinfo() needs no shared library here: glibc contains the services "files" and "dns" (src/core/name_services.cc).
target_link_options(kml-step-s3 PRIVATE -static -s -fno-sanitize=all -Wl,--gc-sections -Wl,--no-warnings)
target_link_libraries(kml-step-s3 PRIVATE nlohmann_json::nlohmann_json ${MBEDTLS_LIBRARIES} ${UTF8PROC_LIBRARY})
set_target_properties(kml-step-s3 PROPERTIES UNITY_BUILD ${KML_UNITY} UNITY_BUILD_BATCH_SIZE 0)
