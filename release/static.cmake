# Everything that kml loads at run time otherwise is linked into it: what release/dependencies built in the folder
# KML_DEPENDENCIES, and archives of Debian's packages.
set(KML_DEPENDENCIES "" CACHE PATH "The folder that release/dependencies made")
target_compile_definitions(kml_flags INTERFACE KML_STATIC)
target_link_options(kml_flags INTERFACE -static -s -Wl,--gc-sections,--build-id=none)
find_library(KML_STATIC_CURL libcurl.a PATHS ${KML_DEPENDENCIES}/lib NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH REQUIRED)
find_library(KML_STATIC_GNUTLS libgnutls.a PATHS ${KML_DEPENDENCIES}/lib NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH REQUIRED)
target_link_libraries(kml_lib PRIVATE ${KML_STATIC_CURL} nghttp2 ssl crypto microhttpd ${KML_STATIC_GNUTLS} hogweed
  nettle gmp tasn1 ${ZLIB_LIBRARY})
