#include "net/fetch/getter.h"

#include <doctest/doctest.h>

#include <deque>
#include <vector>

#include "kml/base/error.h"
#include "support/fake_transport.h"

namespace fetch_getter_test {

using namespace kml;
using namespace kml::fetch;
using namespace std::chrono_literals;

namespace {

/// Replaces the network, the clock and the notes of a download. The transports are made in advance, one for
/// each connection.
struct FakeMeans {
  std::map<std::string, std::deque<std::unique_ptr<FakeTransport>>> transports;
  std::vector<std::chrono::milliseconds> pauses;
  std::vector<std::string> notes;
  Means means{.make_transport = [this](http::Endpoint endpoint) -> std::unique_ptr<http::Transport> {
                auto& left = transports.at(endpoint.url);
                auto next = std::move(left.front());
                left.pop_front();
                return next;
              },
              .pause = [this](std::chrono::milliseconds delay) { pauses.push_back(delay); },
              .note = [this](const std::string& text) { notes.push_back(text); }};

  FakeTransport& connection(const std::string& origin) {
    return *transports[origin].emplace_back(std::make_unique<FakeTransport>());
  }
};

std::string token_in(const http::Request& request) {
  for (const auto& [name, value] : request.headers)
    if (name == "Authorization") return value;
  return {};
}

}  // namespace

TEST_CASE("fetch: a busy server is asked again after the time that it names, at most five minutes") {
  struct Row {
    const char* retry_after;
    std::chrono::milliseconds pause;
  };
  for (const Row& row : {Row{"7", 7s}, Row{"100000", 300s}, Row{"", 250ms},
                         Row{"Wed, 21 Oct 2026 07:28:00 GMT", 250ms}, Row{"-1", 250ms}}) {
    CAPTURE(row.retry_after);
    FakeMeans fake;
    FakeTransport& server = fake.connection("https://hub");
    server.stub("GET", "/x", {.status = 429, .headers = {{"retry-after", row.retry_after}}});
    server.stub("GET", "/x", {.pieces = {"body"}});
    Getter getter(fake.means);
    Place place{"https://hub", "/x"};
    CHECK(getter.get(place).body == "body");
    CHECK(fake.pauses == std::vector<std::chrono::milliseconds>{row.pause});
    CHECK(fake.notes.size() == (row.pause >= 5s ? 1 : 0));
  }
}

TEST_CASE("fetch: a token is sent to its server only, and never to another machine without TLS") {
  FakeMeans fake;
  FakeTransport &hub = fake.connection("https://hub"), &other = fake.connection("https://other");
  hub.stub("GET", "/x", {.status = 302, .headers = {{"location", "https://other/y"}}});
  other.stub("GET", "/y", {.pieces = {"body"}});
  Getter getter(fake.means);
  getter.use_token("https://hub", "secret");
  Place place{"https://hub", "/x"};
  CHECK(getter.get(place).body == "body");
  CHECK(place.url() == "https://other/y");
  CHECK(token_in(hub.requests.at(0)) == "Bearer secret");
  CHECK(token_in(other.requests.at(0)).empty());
  CHECK_THROWS_AS(getter.use_token("http://hub", "secret"), Error);
  CHECK_NOTHROW(getter.use_token("http://127.0.0.1:80", "secret"));
}

TEST_CASE("fetch: a body that breaks off is continued as long as new bytes arrive") {
  FakeMeans fake;
  constexpr int kBreaks = 30;
  for (int i = 0; i < kBreaks; ++i)
    fake.connection("https://hub").stub("GET", "/x", FakeTransport::break_connection({"a"}));
  fake.connection("https://hub").stub("GET", "/x", {.pieces = {"b"}});
  std::string body;
  std::vector<std::string> ranges;
  const Reading reading{.headers = [&]() -> http::Headers {
                          return {{"Range", std::to_string(body.size())}};
                        },
                        .begin = [](const http::Response&) {},
                        .take =
                            [&](std::string_view bytes) {
                              body += bytes;
                              return true;
                            }};
  Getter getter(fake.means);
  Place place{"https://hub", "/x"};
  CHECK(getter.read(place, reading).status == 200);
  CHECK(body == std::string(kBreaks, 'a') + "b");
}

TEST_CASE("fetch: a download that makes no progress fails") {
  FakeMeans fake;
  for (int i = 0; i < 10; ++i)
    fake.connection("https://hub").stub("GET", "/x", FakeTransport::break_connection({"a"}));
  Getter getter(fake.means);
  Place place{"https://hub", "/x"};
  const Reading reading{.headers = [] { return http::Headers{}; },
                        .begin = [](const http::Response&) {},
                        .take = [](std::string_view) { return false; }};
  try {
    getter.read(place, reading);
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.code == ErrorCode::unreachable);
    CHECK(error.fix == "check the host, and whether the pods may reach it");
  }
}

TEST_CASE("fetch: an exception of the reader ends the download") {
  FakeMeans fake;
  fake.connection("https://hub").stub("GET", "/x", {.pieces = {"a", "b"}});
  Getter getter(fake.means);
  Place place{"https://hub", "/x"};
  const Reading reading{.headers = [] { return http::Headers{}; },
                        .begin = [](const http::Response&) {},
                        .take = [](std::string_view) -> bool { throw usage_error("full"); }};
  CHECK_THROWS_WITH_AS(getter.read(place, reading), "full", Error);
}

}  // namespace fetch_getter_test
