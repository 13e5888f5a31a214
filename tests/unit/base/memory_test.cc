#include "kml/base/memory.h"

#include <doctest/doctest.h>

#include <limits>
#include <string>

namespace memory_test {

using namespace kml;

TEST_CASE(
    "memory: data that would not fit into memory is rejected before it is stored, and the error names it") {
  require_memory("the response of https://far", 1);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  try {
    require_memory("the response of https://far", std::numeric_limits<size_t>::max() / 2);
    FAIL("it was taken");
  } catch (const Error& error) {
    CHECK(error.message == "the response of https://far is too large");
    CHECK(error.why == "kml would need more than 768 MiB of memory");
    CHECK(error.reason == kTooLarge);
    CHECK_FALSE(error.fix.empty());
  }
#endif
}

TEST_CASE("memory: an out-of-memory error says how much memory kml uses") {
  CHECK(out_of_memory().why.find(" MiB") != std::string::npos);
}

}  // namespace memory_test
