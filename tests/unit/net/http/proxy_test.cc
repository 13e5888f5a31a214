#include "net/http/route.h"

#include <doctest/doctest.h>

#include <list>

#include "kml/base/error.h"
#include "support/environment.h"

namespace proxy_test {

using namespace kml;
using namespace kml::http;

namespace {

/// Sets only these variables among all that name proxies.
class ProxyEnvironment {
 public:
  ProxyEnvironment(std::initializer_list<std::pair<const char*, const char*>> set) {
    for (const char* name : {"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY",
                             "all_proxy", "NO_PROXY", "no_proxy"})
      variables_.emplace_back(name, nullptr);
    for (const auto& [name, value] : set) variables_.emplace_front(name, value);
  }
  ProxyEnvironment(const ProxyEnvironment&) = delete;
  ~ProxyEnvironment() {
    while (!variables_.empty()) variables_.pop_front();
  }

 private:
  std::list<EnvironmentVariable> variables_;
};

std::string proxy_for(const std::string& url, const std::string& proxy_url = "") {
  Endpoint endpoint{.url = url};
  endpoint.proxy_url = proxy_url;
  return make_route(endpoint).proxy;
}

}  // namespace

TEST_CASE("proxy: NO_PROXY is read as Go reads it") {
  struct Row {
    const char *no_proxy, *host, *port;
    bool exempt;
  };
  const Row table[] = {
      {"", "a.test", "443", false},
      {"*", "a.test", "443", true},
      {" b.test , a.test ", "a.test", "443", true},
      {"A.Test", "a.tESt", "443", true},
      {"a.test", "x.a.test", "443", true},
      {"a.test", "xa.test", "443", false},
      {".a.test", "a.test", "443", false},
      {".a.test", "x.a.test", "443", true},
      {"*.a.test", "x.y.a.test", "443", true},
      {"*.a.test", "a.test", "443", false},
      {"a.test:6443", "a.test", "6443", true},
      {"a.test:6443", "a.test", "443", false},
      {":443", "a.test", "443", false},
      {"10.0.0.1", "10.0.0.1", "443", true},
      {"10.0.0.1", "10.0.0.10", "443", false},
      {"10.0.0.1:6443", "10.0.0.1", "443", false},
      {"10.0.0.0/8", "10.200.3.4", "443", true},
      {"10.0.0.0/8", "11.0.0.1", "443", false},
      {"10.0.0.0/8", "a10.test", "443", false},
      {"10.128.0.0/9", "10.127.255.255", "443", false},
      {"0.0.0.0/0", "192.0.2.1", "443", true},
      {"0.0.0.0/0", "fd00::1", "443", false},
      {"10.0.0.0/33", "10.0.0.1", "443", false},
      {"10.0.0.0/-1", "10.0.0.1", "443", false},
      {"10.0.0.0/", "10.0.0.0", "443", false},
      {"fd00::/8", "fd12::1", "443", true},
      {"fd00::/8", "fe80::1", "443", false},
      {"fd00::1", "fd00:0::1", "443", true},
      {"[fd00::1]:6443", "fd00::1", "6443", true},
      {"[fd00::1]:6443", "fd00::1", "443", false},
      {"fd00::/129", "fd00::1", "443", false},
  };
  for (const Row& row : table) {
    CAPTURE(row.no_proxy);
    CAPTURE(row.host);
    CHECK(is_exempt(row.no_proxy, row.host, row.port) == row.exempt);
  }
}

TEST_CASE("proxy: the kubeconfig's proxy takes precedence over the environment's, even for this machine") {
  ProxyEnvironment set{{"HTTPS_PROXY", "http://env.test:1"}, {"NO_PROXY", "*"}};
  CHECK(proxy_for("https://a.test", "http://own.test:2") == "http://own.test:2");
  CHECK(proxy_for("https://127.0.0.1", "http://own.test:2") == "http://own.test:2");
  CHECK(proxy_for("https://a.test", "socks5://own.test:2") == "socks5h://own.test:2");
  CHECK_THROWS_AS(proxy_for("https://a.test", "ftp://own.test:2"), Error);
}

TEST_CASE("proxy: the environment's proxy depends on the server's scheme, as with kubectl") {
  {
    ProxyEnvironment set{{"HTTPS_PROXY", "http://s.test:1"}, {"HTTP_PROXY", "http://p.test:1"}};
    CHECK(proxy_for("https://a.test") == "http://s.test:1");
    CHECK(proxy_for("http://a.test") == "http://p.test:1");
  }
  {
    ProxyEnvironment set{{"https_proxy", "s.test:1"}};
    CHECK(proxy_for("https://a.test") == "http://s.test:1");
    CHECK(proxy_for("http://a.test").empty());
  }
  {
    ProxyEnvironment set{{"ALL_PROXY", "http://all.test:1"}};
    CHECK(proxy_for("https://a.test").empty());
  }
}

TEST_CASE("proxy: the environment's proxy is not used for this machine, nor for hosts in NO_PROXY") {
  ProxyEnvironment set{{"HTTPS_PROXY", "http://env.test:1"}, {"no_proxy", "10.0.0.0/8"}};
  for (const char* url : {"https://localhost:6443", "https://LOCALHOST", "https://127.8.9.1",
                          "https://[::1]:6443", "https://10.1.2.3:6443"})
    CHECK_MESSAGE(proxy_for(url).empty(), url);
  CHECK(proxy_for("https://127.0.0.1.test") == "http://env.test:1");
}

}  // namespace proxy_test
