# Packs kml-step and kml-step-s3 into C++ files, which step_program.h declares. The same program gives the same bytes,
# whoever builds it and when; those of `cmake -E tar` contain the time and the user.
function(embed_program program function)
  set(packed ${CMAKE_BINARY_DIR}/generated/${program}.tar.gz)
  string(MAKE_C_IDENTIFIER ${program}_packed symbol)
  if(KML_STEP_PROGRAMS)
    embed_packed(${KML_STEP_PROGRAMS}/generated/${program}.tar.gz ${symbol} ${function})
    return()
  endif()
  add_custom_command(OUTPUT ${packed}
    COMMAND tar --format=gnu --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=755 -I "gzip -9n" -cf ${packed} ${program}
    DEPENDS ${program} WORKING_DIRECTORY ${CMAKE_BINARY_DIR} VERBATIM)
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/${symbol}.cc @ONLY CONTENT [[
#include "jobs/pipeline/step_program.h"

asm(R"(
  .section .rodata
  .global @symbol@
  .global @symbol@_end
@symbol@:
  .incbin "@packed@"
@symbol@_end:
  .previous
)");

extern "C" const char @symbol@[], @symbol@_end[];

namespace kml::jobs {

std::string_view @function@() {
  return {@symbol@, static_cast<size_t>(@symbol@_end - @symbol@)};
}

}  // namespace kml::jobs
]])
  set_source_files_properties(${CMAKE_BINARY_DIR}/generated/${symbol}.cc PROPERTIES OBJECT_DEPENDS ${packed})
endfunction()

# For compilers that know #embed. A linker for macOS might move symbols apart that assembler code puts side by side.
function(embed_packed packed symbol function)
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/${symbol}.cc @ONLY CONTENT [[
#include "jobs/pipeline/step_program.h"

namespace kml::jobs {

namespace {

constexpr char @symbol@[] = {
#embed "@packed@"
};

}  // namespace

std::string_view @function@() {
  return {@symbol@, sizeof @symbol@};
}

}  // namespace kml::jobs
]])
  set_source_files_properties(${CMAKE_BINARY_DIR}/generated/${symbol}.cc PROPERTIES OBJECT_DEPENDS ${packed}
    COMPILE_OPTIONS "-Wno-c23-extensions;-Wno-c++11-narrowing")
endfunction()

embed_program(kml-step packed_step_program)
embed_program(kml-step-s3 packed_s3_program)
