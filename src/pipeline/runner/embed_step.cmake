# Packs kml-step and kml-step-s3 into a C++ file, for each processor that kml can send them to: step_program.h declares
# what is in it. The same program gives the same bytes in every build; those of `cmake -E tar` contain the
# time and the user.
function(embed_programs)
  set(folders ${KML_STEP_PROGRAMS})
  if(NOT APPLE)
    list(PREPEND folders ${CMAKE_BINARY_DIR})
    foreach(program kml-step kml-step-s3)
      set(packed ${CMAKE_BINARY_DIR}/generated/${program}.tar.gz)
      add_custom_command(OUTPUT ${packed}
        COMMAND tar --format=gnu --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=755 -I "gzip -9n" -cf ${packed} ${program}
        DEPENDS ${program} WORKING_DIRECTORY ${CMAKE_BINARY_DIR} VERBATIM)
    endforeach()
  endif()
  set(bytes "")
  set(entries "")
  foreach(folder IN LISTS folders)
    string(APPEND entries "{")
    foreach(program step step_s3)
      string(REPLACE _ - file ${program})
      set(packed ${folder}/generated/kml-${file}.tar.gz)
      list(LENGTH all number)
      set(symbol kml_packed_${program}_${number})
      list(APPEND all ${packed})
      if(APPLE)
        # A linker for macOS might move symbols apart that assembler code puts side by side. This compiler knows #embed.
        string(APPEND bytes "constexpr char ${symbol}[] = {\n#embed \"${packed}\"\n};\n")
        string(APPEND entries "{${symbol}, sizeof ${symbol}}, ")
      else()
        string(APPEND bytes "asm(\".section .rodata\\n.global ${symbol}, ${symbol}_end\\n\"\n"
          "    \"${symbol}: .incbin \\\"${packed}\\\"\\n${symbol}_end: .previous\");\n"
          "extern \"C\" const char ${symbol}[], ${symbol}_end[];\n")
        string(APPEND entries "{${symbol}, static_cast<size_t>(${symbol}_end - ${symbol})}, ")
      endif()
    endforeach()
    string(APPEND entries "}, ")
  endforeach()
  set(generated ${CMAKE_BINARY_DIR}/generated/packed_programs.cc)
  file(CONFIGURE OUTPUT ${generated} @ONLY CONTENT [[
#include "pipeline/runner/step_program.h"

@bytes@
namespace kml::pipeline {

std::span<const PackedPrograms> packed_programs() {
  static const PackedPrograms all[] = {@entries@};
  return all;
}

}  // namespace kml::pipeline
]])
  set_source_files_properties(${generated} PROPERTIES OBJECT_DEPENDS "${all}")
  if(APPLE)
    set_source_files_properties(${generated} PROPERTIES COMPILE_OPTIONS "-Wno-c23-extensions;-Wno-c++11-narrowing")
  endif()
endfunction()

embed_programs()
