#pragma once

#include <string>

namespace kml {

/// A shared library loaded when first needed, so that commands that do without it start faster.
/// It stays loaded until the process ends.
class SharedLibrary {
 public:
  /// `file` as for dlopen, e.g. "libcurl.so.4"; `package` is named in the error's fix, e.g. "libcurl4".
  SharedLibrary(const char* file, const char* package);

  /// The function of that name; throws Error if the library has none.
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
