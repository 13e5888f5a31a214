# Writes a C++ file with the text of an example: what the function example() of HEADER returns.
function(embed_example FILE OUTPUT HEADER NAMESPACE)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${FILE})
  file(READ ${FILE} text)
  file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT
    "#include \"@HEADER@\"\n\nnamespace @NAMESPACE@ {\n\nstd::string_view example() {\n  return R\"kml-example(@text@)kml-example\";\n}\n\n}  // namespace @NAMESPACE@\n")
endfunction()
