#include "kml/net/fetch/text_at.h"

#include <doctest/doctest.h>

#include <map>
#include <memory>
#include <string>

#include "kml/base/error.h"
#include "support/fake_transport.h"

namespace fetch_text_at_test {

using namespace kml;

namespace {

std::string login_in(const http::Request& request) {
  for (const auto& [name, value] : request.headers)
    if (name == "Authorization") return value;
  return {};
}

/// Servers that answer each URL in `stubs`. Afterwards, `logins` has the last login that each server got.
struct Servers {
  std::map<std::string, FakeTransport::Stub> stubs = {};  ///< by "https://host/path"
  std::map<std::string, std::string> logins = {};

  std::string text_at(const std::string& url, size_t limit = 100) {
    return fetch::text_at(url, limit, [&](const http::Endpoint& endpoint) {
      return std::make_unique<Server>(*this, endpoint.url);
    });
  }

 private:
  struct Server : FakeTransport {
    Server(Servers& all_servers, std::string server_origin)
        : all(all_servers), origin(std::move(server_origin)) {
      for (const auto& [url, answer] : all.stubs)
        if (url.starts_with(origin + "/")) stub("GET", url.substr(origin.size()), answer);
    }
    http::Response send(const http::Request& request) override {
      all.logins[origin] = login_in(request);
      return FakeTransport::send(request);
    }
    Servers& all;
    std::string origin;
  };
};

}  // namespace

TEST_CASE("fetch: only the server of a URL receives the URL's password") {
  Servers servers;
  servers.stubs["https://a/list"] = {.status = 302, .headers = {{"location", "https://b/x?y=1"}}};
  servers.stubs["https://b/x?y=1"] = {.pieces = {"text"}};
  CHECK(servers.text_at("https://ana:p%2Fw@a/list#part") == "text");
  CHECK(servers.logins ==
        std::map<std::string, std::string>{{"https://a", "Basic YW5hOnAvdw=="}, {"https://b", ""}});
}

TEST_CASE("fetch: an unreadable text is an error that does not contain the password") {
  struct Row {
    FakeTransport::Stub stub;
    const char* why;
  };
  for (const Row& row :
       {Row{{.status = 404}, "https://a responds with status 404"},
        Row{{.pieces = {"too long for this"}}, "it is larger than 10 B"},
        Row{{.status = 301, .headers = {{"location", "/list"}}}, "https://a redirects in a circle"}}) {
    Servers servers;
    servers.stubs["https://a/list"] = row.stub;
    CAPTURE(row.why);
    try {
      servers.text_at("https://ana:secret@a/list", 10);
      FAIL("no error");
    } catch (const Error& error) {
      CHECK(error.message == "cannot read https://a/list");
      CHECK(error.why == row.why);
      CHECK(error.fix.find("secret") == std::string::npos);
    }
  }
}

TEST_CASE("fetch: a reference in a text is resolved against the text's URL") {
  const std::string base = "https://ana:p@h/lists/all.txt?v=1";
  for (const auto& [reference, url] :
       std::map<std::string, std::string>{{"next.txt", "https://ana:p@h/lists/next.txt"},
                                          {"../next.txt", "https://ana:p@h/lists/../next.txt"},
                                          {"/next.txt", "https://ana:p@h/next.txt"},
                                          {"https://other/next.txt#x", "https://other/next.txt"},
                                          {"https://h/next.txt", "https://ana:p@h/next.txt"}}) {
    CAPTURE(reference);
    CHECK(fetch::url_from(base, reference) == url);
  }
  CHECK_THROWS_AS(fetch::url_from(base, "http://h/next.txt"), Error);
  CHECK_THROWS_AS(fetch::url_from(base, "ftp://h/next.txt"), Error);
}

}  // namespace fetch_text_at_test
