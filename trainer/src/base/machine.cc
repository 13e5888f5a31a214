#include "base/machine.h"

#include <cblas.h>

#include <fstream>

namespace trainer {

std::string machine_name() {
  std::ifstream info("/proc/cpuinfo");
  std::string line, model = "unknown CPU";
  while (std::getline(info, line)) {
    const size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) {
      model = line.substr(colon + 2);
      break;
    }
  }
  return model + ", OpenBLAS " + openblas_get_corename();
}

}  // namespace trainer
