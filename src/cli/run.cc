#include "kml/cli/run.h"

#include <iostream>

#include "kml/version.h"

namespace kml::cli {

int run(int, char**) {
  std::cout << "kml " << kVersion << "\n";
  return 0;
}

}  // namespace kml::cli
