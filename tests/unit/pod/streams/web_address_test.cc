#include "pod/streams/web_address.h"

#include <doctest/doctest.h>

namespace web_address_test {

using namespace kml::pod;

namespace {

std::string found(std::string_view log) {
  const auto address = find_web_address(log, "bert-0");
  return address ? address->at(address->port) : "none";
}

}  // namespace

TEST_CASE("web address: is read as Jupyter and TensorBoard print it") {
  CHECK(found("[I] Serving at\n    http://localhost:8888/lab?token=1a\n    "
              "http://127.0.0.1:8888/lab?token=2b\n") == "http://127.0.0.1:8888/lab?token=2b");
  CHECK(found("http://bert-0:8888/tree?token=3c\nsee http://localhost:9999/help") ==
        "http://127.0.0.1:8888/tree?token=3c");
  CHECK(found("TensorBoard 2.14.0 at http://localhost:6006/ (Press CTRL+C to quit)") ==
        "http://127.0.0.1:6006/");
  CHECK(found("at http://0.0.0.0:7860.") == "http://127.0.0.1:7860/");
  CHECK(found("(https://[::]:8443/app).") == "https://127.0.0.1:8443/app");
}

TEST_CASE("web address: only the pod's own address is accepted, and nothing else") {
  for (const char* log : {"", "http://", "http://localhost", "http://localhost:/", "http://localhost:99999/",
                          "http://example.com:80/", "http://localhost.evil.org:80/", "ftp://localhost:21/",
                          "http://user@localhost:80/", "http://[::", "http://[::1]", "://localhost:80"}) {
    CAPTURE(log);
    CHECK(found(log) == "none");
  }
  CHECK(found("http://localhost:1/a\"; rm -rf /") == "http://127.0.0.1:1/a");
  CHECK(found("http://localhost:1/a\x1b[31m") == "http://127.0.0.1:1/a");
}

}  // namespace web_address_test
