#pragma once

#include <string>

namespace kml {

/// Whether this kml is linked statically (KML_STATIC), and thus contains the libraries that it uses.
#ifdef KML_STATIC
inline constexpr bool kIsStatic = true;
#else
inline constexpr bool kIsStatic = false;
#endif

/// A shared library that is loaded when it is first used, so that commands that do not need it start faster.
/// It stays loaded until the process ends. A static kml loads no libraries, because its C library may differ
/// from the machine's: `function` then throws Error.
class SharedLibrary {
 public:
  /// `file` is the argument for dlopen(), such as "libcurl.so.4". The Error's fix names `package`, such as
  /// "libcurl4".
  SharedLibrary(const char* file, const char* package);

  /// The function with this name. Throws Error if the library does not have it.
  template <typename Function>
  Function* function(const char* name) const {
    return reinterpret_cast<Function*>(address(name));
  }

 private:
  void* address(const char* name) const;

  void* handle_;
  std::string file_;
};

// The function in a library that is part of a static kml.
#ifdef KML_STATIC
#define KML_FUNCTION(library, name) (static_cast<void>(library), &::name)
#else
#define KML_FUNCTION(library, name) (library).function<decltype(::name)>(#name)
#endif

}  // namespace kml
