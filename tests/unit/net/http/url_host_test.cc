#include "kml/net/http/url_host.h"

#include <doctest/doctest.h>

namespace url_host_test {

using namespace kml;

TEST_CASE("net: the host of a URL, with and without its port") {
  struct Row {
    std::string url, with_port, host;
  };
  for (const Row& row : {Row{"https://hub.example", "hub.example", "hub.example"},
                         {"https://hub.example:8080", "hub.example:8080", "hub.example"},
                         {"https://hub.example:8080/path:1", "hub.example:8080", "hub.example"},
                         {"https://hub.example?a=b:c", "hub.example", "hub.example"},
                         {"https://me:x@hub.example:8080/", "hub.example:8080", "hub.example"},
                         {"hub.example:8080", "hub.example:8080", "hub.example"},
                         {"https://[::1]:6443/", "[::1]:6443", "[::1]"},
                         {"https://[fe80::1]", "[fe80::1]", "[fe80::1]"},
                         {"", "", ""}}) {
    CAPTURE(row.url);
    CHECK(http::host_with_port(row.url) == row.with_port);
    CHECK(http::host_of(row.url) == row.host);
  }
}

}  // namespace url_host_test
