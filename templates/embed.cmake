# Writes a C++ file that contains every file in FOLDER with this EXTENSION as (name, text): the function
# NAMESPACE::FUNCTION() of HEADER returns them as a span of TYPE.
function(embed_files FOLDER EXTENSION OUTPUT HEADER NAMESPACE TYPE FUNCTION)
  file(GLOB files CONFIGURE_DEPENDS ${FOLDER}/*.${EXTENSION})
  set(entries "")
  foreach(file ${files})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    get_filename_component(name ${file} NAME_WE)
    file(READ ${file} text)
    string(APPEND entries "    {\"${name}\", R\"kml-file(${text})kml-file\"},\n")
  endforeach()
  file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT
    "#include \"@HEADER@\"\n\nnamespace @NAMESPACE@ {\n\nstd::span<const @TYPE@> @FUNCTION@() {\n  static constexpr @TYPE@ kFiles[] = {\n@entries@  };\n  return kFiles;\n}\n\n}  // namespace @NAMESPACE@\n")
endfunction()
