#include "local/shim/pod_cgroup.h"

#include <doctest/doctest.h>

namespace kernel_file_test {

using namespace kml::local;

TEST_CASE("kernel_file: a file longer than a single read is read to its end") {
  const std::string text = read_kernel_file("/proc/self/smaps");
  CHECK(text.size() > (1 << 14));  // although stat() reports the size 0
  CHECK(text.find("[stack]") != std::string::npos);
  CHECK(text.ends_with('\n'));
}

TEST_CASE("kernel_file: the file of a process that has ended is empty") {
  CHECK(read_kernel_file("/proc/0/environ").empty());
}

}  // namespace kernel_file_test
