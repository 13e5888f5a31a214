#include <cstdio>
#include <cstdlib>
#include <iostream>

#include "kml/cli/dispatch.h"

int main(int argc, char** argv) {
  const int code = kml::cli::run(argc, argv);
#ifndef __SANITIZE_ADDRESS__  // leaks are looked for at an ordinary exit
  // All is done; the libraries that libcurl brings would take a millisecond to clean up behind themselves.
  std::cout.flush();
  std::cerr.flush();
  std::fflush(nullptr);
  std::_Exit(code);
#endif
  return code;
}
