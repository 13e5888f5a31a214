#include "live/web/door.h"

#include <doctest/doctest.h>

#include <string>

namespace door_test {

using namespace kml::live;
using kml::local::HttpRequest;
using kml::local::HttpResponse;

namespace {

constexpr int kPort = 8123;

std::string header_of(const HttpResponse& response, const std::string& name) {
  for (const auto& [key, value] : response.headers)
    if (key == name) return value;
  return {};
}

/// What a browser has after it has opened the address once.
struct Admitted {
  std::string cookie, key;
};

HttpRequest request_for(const std::string& path) {
  HttpRequest request;
  request.method = "GET";
  request.path = path;
  request.browser.host = "127.0.0.1:8123";
  return request;
}

HttpRequest entry_request(const Door& door) {
  HttpRequest request = request_for("/enter");
  request.query["token"] = door.entry().substr(door.entry().find('=') + 1);
  return request;
}

Admitted admit(Door& door) {
  const HttpResponse response = door.enter(entry_request(door));
  REQUIRE(response.status == 200);
  const std::string cookie = header_of(response, "Set-Cookie");
  const std::string mark = "content=\"";
  const size_t begin = response.body.find(mark) + mark.size();
  return {cookie.substr(0, cookie.find(';')),
          response.body.substr(begin, response.body.find('"', begin) - begin)};
}

HttpRequest data_request(const Admitted& admitted) {
  HttpRequest request = request_for("/data/changes");
  request.browser.cookie = admitted.cookie;
  request.browser.page_key = admitted.key;
  return request;
}

}  // namespace

TEST_CASE("door: the address lets one browser in, once") {
  Door door(kPort);
  const HttpResponse first = door.enter(entry_request(door));
  CHECK(first.status == 200);
  const std::string cookie = header_of(first, "Set-Cookie");
  CHECK(cookie.find("HttpOnly; SameSite=Strict; Path=/") != std::string::npos);
  CHECK(header_of(first, "Content-Security-Policy").find("default-src 'none'; script-src 'self'") == 0);
  const HttpResponse second = door.enter(entry_request(door));
  CHECK(second.status == 403);
  CHECK(header_of(second, "Set-Cookie").empty());
  HttpRequest again = entry_request(door);
  again.browser.cookie = cookie.substr(0, cookie.find(';'));
  const HttpResponse reopened = door.enter(again);
  CHECK(reopened.status == 200);
  CHECK(reopened.body.find("content=\"\"") != std::string::npos);  // the key is sent once
}

TEST_CASE("door: a wrong token is rejected, and does not use up the right one") {
  Door door(kPort);
  for (const std::string& token : {std::string(), std::string("0"), std::string(64, '0')}) {
    HttpRequest request = request_for("/enter");
    request.query["token"] = token;
    CHECK(door.enter(request).status == 403);
  }
  CHECK(door.enter(entry_request(door)).status == 200);
}

TEST_CASE("door: a request passes only from the page itself, with the cookie and the key") {
  Door door(kPort);
  const Admitted admitted = admit(door);
  CHECK_FALSE(door.refuse(data_request(admitted)));
  struct Row {
    const char* what;
    void (*change)(HttpRequest&);
  };
  const Row rows[] = {
      {"another name for 127.0.0.1", [](HttpRequest& r) { r.browser.host = "attacker.example:8123"; }},
      {"no Host", [](HttpRequest& r) { r.browser.host = ""; }},
      {"another port", [](HttpRequest& r) { r.browser.host = "127.0.0.1:9999"; }},
      {"a name that only starts like it",
       [](HttpRequest& r) { r.browser.host = "127.0.0.1:8123.attacker.example"; }},
      {"another origin", [](HttpRequest& r) { r.browser.origin = "http://attacker.example"; }},
      {"another port's origin", [](HttpRequest& r) { r.browser.origin = "http://127.0.0.1:9999"; }},
      {"the origin of a file or a frame", [](HttpRequest& r) { r.browser.origin = "null"; }},
      {"another site", [](HttpRequest& r) { r.browser.site = "cross-site"; }},
      {"another port of this machine", [](HttpRequest& r) { r.browser.site = "same-site"; }},
      {"no cookie", [](HttpRequest& r) { r.browser.cookie = ""; }},
      {"a guessed cookie", [](HttpRequest& r) { r.browser.cookie = "kml-ui-8123=" + std::string(64, 'a'); }},
      {"the cookie of another port", [](HttpRequest& r) { r.browser.cookie[7] = '9'; }},
      {"no key", [](HttpRequest& r) { r.browser.page_key = ""; }},
      {"a guessed key", [](HttpRequest& r) { r.browser.page_key = std::string(64, 'a'); }},
      {"another method", [](HttpRequest& r) { r.method = "DELETE"; }},
      {"a POST without an origin", [](HttpRequest& r) { r.method = "POST"; }},
  };
  for (const Row& row : rows) {
    HttpRequest request = data_request(admitted);
    row.change(request);
    const auto refused = door.refuse(request);
    REQUIRE_MESSAGE(refused, row.what);
    CHECK_MESSAGE(refused->status >= 400, row.what);
    CHECK_MESSAGE(header_of(*refused, "X-Frame-Options") == "DENY", row.what);
  }
}

TEST_CASE("door: to load the page, the cookie is enough; only the page's own requests need the key") {
  Door door(kPort);
  CHECK(door.refuse(request_for("/")));
  const Admitted admitted = admit(door);
  HttpRequest page = request_for("/");
  page.browser.cookie = "other=1; " + admitted.cookie;
  CHECK_FALSE(door.refuse(page));
  page.browser.host = "localhost:8123";
  page.browser.site = "none";
  CHECK_FALSE(door.refuse(page));
}

TEST_CASE("door: a POST from the page passes; the address may be opened from another page") {
  Door door(kPort);
  HttpRequest entry = entry_request(door);
  entry.browser.site = "cross-site";
  CHECK_FALSE(door.refuse(entry));
  HttpRequest post = data_request(admit(door));
  post.method = "POST";
  post.browser.origin = "http://127.0.0.1:8123";
  post.browser.site = "same-origin";
  CHECK_FALSE(door.refuse(post));
}

}  // namespace door_test
