# Everything that kml loads at run time otherwise is linked into it: what release/dependencies built in the folder
# KML_DEPENDENCIES, and archives of Debian's packages. For macOS, release/dependencies-macos built all of it.
set(KML_DEPENDENCIES "" CACHE PATH "The folder that release/dependencies made")
target_compile_definitions(kml_flags INTERFACE KML_STATIC)
find_library(KML_STATIC_CURL libcurl.a PATHS ${KML_DEPENDENCIES}/lib NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH REQUIRED)
if(APPLE)
  # With -s, the linker of zig 0.17.1 does not end.
  target_link_options(kml_flags INTERFACE -Wl,-x,-dead_strip)
  set(built ${KML_DEPENDENCIES}/lib)
  target_link_libraries(kml_lib PRIVATE ${KML_STATIC_CURL} ${built}/libnghttp2.a ${built}/libssl.a ${built}/libcrypto.a ${ZLIB_LIBRARY})
else()
  # Without the table of .eh_frame, the first exception would sort all of it, for 30 ms. g++ -static leaves the table out, and
  # its start-up code registers .eh_frame for sorting where it finds the function for that.
  target_link_options(kml_flags INTERFACE -static -s -Wl,--gc-sections,--build-id=none
    -Wl,--eh-frame-hdr,--wrap=__register_frame_info,--wrap=__deregister_frame_info)
  # GnuTLS is initialized by those who use it (src/local/http/gnutls.cc), not by libmicrohttpd before main.
  target_link_options(kml_flags INTERFACE -Wl,--wrap=gnutls_global_init)
  find_library(KML_STATIC_GNUTLS libgnutls.a PATHS ${KML_DEPENDENCIES}/lib NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH REQUIRED)
  target_link_libraries(kml_lib PRIVATE ${KML_STATIC_CURL} nghttp2 ssl crypto microhttpd ${KML_STATIC_GNUTLS} hogweed
    nettle gmp tasn1 ${ZLIB_LIBRARY})
endif()
