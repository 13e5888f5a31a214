# Packs kml-step into a C++ file, which step_program.h declares.
set(KML_STEP_PACKED ${CMAKE_BINARY_DIR}/generated/kml-step.tar.gz)
add_custom_command(OUTPUT ${KML_STEP_PACKED}
  COMMAND ${CMAKE_COMMAND} -E tar czf ${KML_STEP_PACKED} --format=gnutar --mtime=1970-01-01 -- kml-step
  DEPENDS kml-step WORKING_DIRECTORY ${CMAKE_BINARY_DIR} VERBATIM)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/kml_step_packed.cc @ONLY CONTENT [[
#include "jobs/pipeline/step_program.h"

asm(R"(
  .section .rodata
  .global kml_step_packed
  .global kml_step_packed_end
kml_step_packed:
  .incbin "@KML_STEP_PACKED@"
kml_step_packed_end:
  .previous
)");

extern "C" const char kml_step_packed[], kml_step_packed_end[];

namespace kml::jobs {

std::string_view packed_step_program() {
  return {kml_step_packed, static_cast<size_t>(kml_step_packed_end - kml_step_packed)};
}

}  // namespace kml::jobs
]])
set_source_files_properties(${CMAKE_BINARY_DIR}/generated/kml_step_packed.cc PROPERTIES OBJECT_DEPENDS ${KML_STEP_PACKED})
