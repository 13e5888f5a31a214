#pragma once

#include <string>

namespace kml {

/// A shared library that is loaded at its first use, so that commands that do not need it start faster. It
/// stays loaded until the process ends.
class SharedLibrary {
 public:
  /// `file` is dlopen's argument, e.g. "libcurl.so.4". The error's fix names `package`, e.g. "libcurl4".
  SharedLibrary(const char* file, const char* package);

  /// The function of that name. Throws Error if the library does not have it.
  template <typename Function>
  Function* function(const char* name) const {
    return reinterpret_cast<Function*>(address(name));
  }

 private:
  void* address(const char* name) const;

  void* handle_;
  std::string file_;
};

}  // namespace kml
