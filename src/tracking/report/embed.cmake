# Writes a C++ file that contains the parts of a page: HTML, style and scripts in FOLDER. FUNCTION, which HEADER declares
# in kml::ui, returns the part with a file's name.
function(embed_page FOLDER OUTPUT HEADER FUNCTION)
  file(GLOB parts CONFIGURE_DEPENDS ${FOLDER}/*.html ${FOLDER}/*.css ${FOLDER}/*.js)
  set(entries "")
  foreach(part ${parts})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${part})
    get_filename_component(name ${part} NAME)
    file(READ ${part} text)
    string(APPEND entries "  if (file == \"${name}\") return R\"kml-report(${text})kml-report\";\n")
  endforeach()
  file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT
    "#include \"@HEADER@\"\n\n#include <stdexcept>\n\nnamespace kml::ui {\n\nstd::string_view @FUNCTION@(std::string_view file) {\n@entries@  throw std::out_of_range(std::string(file));\n}\n\n}  // namespace kml::ui\n")
endfunction()
