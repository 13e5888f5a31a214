#include <cstdio>
#include <cstdlib>
#include <iostream>

#include "kml/app/dispatch.h"
#include "kml/base/name_services.h"

int main(int argc, char** argv) {
  kml::use_own_name_services();
  const int code = kml::cli::run(argc, argv);
#ifndef __SANITIZE_ADDRESS__  // the sanitizer looks for leaks only at a normal exit
  // Exits without calling destructors, because the cleanup of libcurl's libraries would take a millisecond.
  std::cout.flush();
  std::cerr.flush();
  std::fflush(nullptr);
  std::_Exit(code);
#endif
  return code;
}
