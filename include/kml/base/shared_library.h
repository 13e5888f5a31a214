#pragma once

#include <string>

namespace kml {

/// Whether this kml is linked statically (KML_STATIC). Its libraries are then part of it.
#ifdef KML_STATIC
inline constexpr bool kIsStatic = true;
#else
inline constexpr bool kIsStatic = false;
#endif

/// A shared library that is loaded at its first use, so that commands that do not need it start faster. It
/// stays loaded until the process ends. A static kml loads none, because the C library that it contains may
/// differ from that of the machine: `function` then throws Error.
class SharedLibrary {
 public:
  /// `file` is dlopen's argument, e.g. "libcurl.so.4". The error's fix names `package`, e.g. "libcurl4".
  SharedLibrary(const char* file, const char* package);

  /// The function with that name. Throws Error if the library does not have it.
  template <typename Function>
  Function* function(const char* name) const {
    return reinterpret_cast<Function*>(address(name));
  }

 private:
  void* address(const char* name) const;

  void* handle_;
  std::string file_;
};

// The function of a library that a static kml contains.
#ifdef KML_STATIC
#define KML_FUNCTION(library, name) (static_cast<void>(library), &::name)
#else
#define KML_FUNCTION(library, name) (library).function<decltype(::name)>(#name)
#endif

}  // namespace kml
