#include <doctest/doctest.h>

#include "kml/base/error.h"
#include "kml/net/registry/reference.h"
#include "net/registry/challenge.h"
#include "net/registry/place.h"

namespace registry_test {

using namespace kml;
using namespace kml::registry;

TEST_CASE("registry: the parts of an image's name") {
  struct Row {
    const char *text, *host, *repository, *tag;
  };
  for (const Row& row :
       {Row{"python", "docker.io", "library/python", ""},
        Row{"python:3.12", "docker.io", "library/python", "3.12"},
        Row{"ana/train", "docker.io", "ana/train", ""},
        Row{"index.docker.io/ana/train", "docker.io", "ana/train", ""},
        Row{"localhost/x:1", "localhost", "x", "1"}, Row{"localhost:5000/x", "localhost:5000", "x", ""},
        Row{"[::1]:5000/x", "[::1]:5000", "x", ""},
        Row{"r.example/a/b__c/d-e.f:V_1.2-x", "r.example", "a/b__c/d-e.f", "V_1.2-x"}}) {
    CAPTURE(row.text);
    const Reference reference = parse_reference(row.text, "--tag");
    CHECK(reference.host == row.host);
    CHECK(reference.repository == row.repository);
    CHECK(reference.tag == row.tag);
  }
  const std::string digest = digest_of("x");
  const Reference by_digest = parse_reference("r.example/x:1@" + digest, "--tag");
  CHECK(by_digest.manifest_name() == digest);
  CHECK(by_digest.text() == "r.example/x:1@" + digest);
}

TEST_CASE("registry: a text that could lead elsewhere is not an image's name") {
  for (const char* text : {"",
                           "/",
                           "a../x",
                           "x/",
                           "/x",
                           "../x",
                           "r.example/../x",
                           "r.example/a//b",
                           "r.example/A",
                           "r.example/a?b",
                           "r.example/a b",
                           "r.example:x/a",
                           "r.example:70000/a",
                           "r.example:0/a",
                           "ana@r.example/a",
                           "http://r.example/a",
                           "r.example/a:",
                           "r.example/a:-x",
                           "r.example/a@sha256:00",
                           "r.example/a@md5:00",
                           "-r.example/a",
                           "[::1/a",
                           "r.example/\x1b",
                           "r.example/a%2fb"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_reference(text, "--tag"), Error);
  }
}

TEST_CASE("registry: a challenge says which kind of login the registry demands") {
  using Scheme = Challenge::Scheme;
  const auto challenge = [](std::initializer_list<const char*> values) {
    http::Response response;
    response.status = 401;
    for (const char* value : values) response.headers.emplace("www-authenticate", value);
    return challenge_of(response);
  };
  const Challenge bearer =
      challenge({R"(Bearer realm="https://a.example/t?x=1,2",service="r\"s", scope="x:y")"});
  CHECK(bearer.scheme == Scheme::bearer);
  CHECK(bearer.realm == "https://a.example/t?x=1,2");
  CHECK(bearer.service == "r\"s");
  CHECK(challenge({"Basic realm=x", "bearer realm=https://a.example"}).scheme == Scheme::bearer);
  CHECK(challenge({"BASIC"}).scheme == Scheme::basic);
  for (const char* useless :
       {"", ",", "Negotiate abc", "Bearer", "Bearer service=\"x\"", "Bearer realm=", "=", "Bearer \"\\"}) {
    CAPTURE(useless);
    CHECK(challenge({useless}).scheme == Scheme::none);
  }
}

TEST_CASE(
    "registry: a Location in a response is relative to the request, and never leads from https to http") {
  const Place from{"https://r.example", "/v2/x/blobs/uploads/?a=b"};
  CHECK(resolved(from, "/v2/y?next=https://z").url() == "https://r.example/v2/y?next=https://z");
  CHECK(resolved(from, "z?c").url() == "https://r.example/v2/x/blobs/uploads/z?c");
  CHECK(resolved(from, "?c").url() == "https://r.example/v2/x/blobs/uploads/?c");
  CHECK(resolved(from, "//cdn.example/z").url() == "https://cdn.example/z");
  CHECK(resolved(from, "HTTPS://cdn.example").url() == "https://cdn.example/");
  CHECK(resolved({"http://localhost", "/"}, "http://other/").url() == "http://other/");
  for (const std::string& bad :
       {std::string(), std::string("http://r.example/"), std::string("file:///etc/passwd"),
        std::string("unix:///run/x"), std::string("https://ana:secret@r.example/"), std::string("/a b"),
        std::string("/a\r\nHost: x"), std::string("/\0", 2), "/" + std::string(20'000, 'x')}) {
    CAPTURE(bad.substr(0, 40));
    CHECK_THROWS_AS(resolved(from, bad), Error);
  }
}

}  // namespace registry_test
