#include "kml/cli/run.h"

#include <iostream>
#include <string_view>

#include "kml/local/daemon.h"
#include "kml/version.h"

namespace kml::cli {

int run(int argc, char** argv) {
  // Before anything else: a pod's start waits for it.
  if (argc == 3 && std::string_view(argv[1]) == "shim") return local::run_shim(argv[2]);
  std::cout << "kml " << kVersion << "\n";
  return 0;
}

}  // namespace kml::cli
