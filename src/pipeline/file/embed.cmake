# Writes a C++ file that contains the example of a pipeline, which `kml run example` prints.
function(embed_example FILE OUTPUT)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${FILE})
  file(READ ${FILE} text)
  file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT
    "#include \"pipeline/file/example.h\"\n\nnamespace kml::pipeline {\n\nstd::string_view example() {\n  return R\"kml-example(@text@)kml-example\";\n}\n\n}  // namespace kml::pipeline\n")
endfunction()
