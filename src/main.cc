#include "kml/cli/dispatch.h"

int main(int argc, char** argv) {
  return kml::cli::run(argc, argv);
}
