// A kubeconfig: its entries are looked up and checked, but no program in it is run.
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz/input.h"
#include "kml/kube/kubeconfig/kubeconfig.h"

using namespace kml;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const int file = memfd_create("kubeconfig", 0);
  static const std::string path = "/proc/self/fd/" + std::to_string(file);
  fuzz::require(ftruncate(file, 0) == 0 && pwrite(file, data, size, 0) == static_cast<ssize_t>(size));
  fuzz::refuse_or([&] { kube::find_target({.kubeconfig = path}); });
  fuzz::refuse_or([&] { kube::context_names({.kubeconfig = path}); });
  return 0;
}
