# Writes a C++ file that contains every template in FOLDER as (name, text), for render/catalog.
function(embed_templates FOLDER OUTPUT)
  file(GLOB templates CONFIGURE_DEPENDS ${FOLDER}/*.yaml)
  set(entries "")
  foreach(template ${templates})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${template})
    get_filename_component(name ${template} NAME_WE)
    file(READ ${template} text)
    string(APPEND entries "    {\"${name}\", R\"kml-template(${text})kml-template\"},\n")
  endforeach()
  file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT
    "#include \"job/render/builtin_templates.h\"\n\nnamespace kml::render {\n\nstd::span<const BuiltinTemplate> builtin_templates() {\n  static constexpr BuiltinTemplate kTemplates[] = {\n@entries@  };\n  return kTemplates;\n}\n\n}  // namespace kml::render\n")
endfunction()
