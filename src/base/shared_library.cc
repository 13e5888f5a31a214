#include "kml/base/shared_library.h"

#include <dlfcn.h>

#include "kml/base/error.h"

namespace kml {

#ifdef KML_STATIC

SharedLibrary::SharedLibrary(const char* file, const char* /*package*/) : handle_(nullptr), file_(file) {}

void* SharedLibrary::address(const char* /*name*/) const {
  throw Error(ErrorCode::failure, "cannot load " + file_, "this kml is linked statically");
}

#else

SharedLibrary::SharedLibrary(const char* file, const char* package)
    // RTLD_LAZY, because libcurl loads thirty libraries, but a request calls few of their functions.
    : handle_(::dlopen(file, RTLD_LAZY | RTLD_LOCAL)), file_(file) {
  if (!handle_)
    throw Error(ErrorCode::failure, "cannot load " + file_, ::dlerror(),
                std::string("install the package ") + package);
}

void* SharedLibrary::address(const char* name) const {
  void* found = ::dlsym(handle_, name);
  if (!found)
    throw Error(ErrorCode::failure, file_ + " is too old for kml",
                std::string("it lacks the function ") + name);
  return found;
}

#endif

}  // namespace kml
