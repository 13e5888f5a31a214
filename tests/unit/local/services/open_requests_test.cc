#include "local/services/open_requests.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace open_requests_test {

using namespace kml::local;

namespace {

struct Step {
  char from;  ///< 'c' for the client, 's' for the server
  std::string bytes;
  bool is_open;  ///< afterwards
};

struct Row {
  const char* what;
  std::vector<Step> steps;
};

std::string frame(uint8_t type, uint8_t flags, uint8_t stream, const std::string& payload = "") {
  std::string bytes = {
      0, 0, static_cast<char>(payload.size()), static_cast<char>(type), static_cast<char>(flags), 0,
      0, 0, static_cast<char>(stream)};
  return bytes + payload;
}

const std::string kGet = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
const std::string kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const std::string kLong(20'000, 'x');

std::string headers(uint8_t stream, bool is_end = false) {
  return frame(1, is_end ? 5 : 4, stream, "hdr");
}

const std::vector<Row> kRows = {
    {"a body with a length",
     {{'c', kGet, true},
      {'s', "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n", true},
      {'s', "ab", true},
      {'s', "cd", false},
      {'c', kGet, true},
      {'s', "HTTP/1.1 200 OK\r\ncontent-length:0\r\n\r\n", false}}},
    {"a stream in chunks, with a trailer",
     {{'c', kGet, true},
      {'s', "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", true},
      {'s', "5;a=b\r\ndata:\r\n", true},
      {'s', "A\r\n0\r\n\r\n0\r\n\r\n\r\n", true},
      {'s', "0\r\n", true},
      {'s', "T: 1\r\n\r\n", false}}},
    {"a body that ends with the connection",
     {{'c', kGet, true}, {'s', "HTTP/1.0 200 OK\r\n\r\nabc", true}, {'s', "def", true}}},
    {"a WebSocket",
     {{'c', "GET / HTTP/1.1\r\nUpgrade: websocket\r\n\r\n", true},
      {'s', "HTTP/1.1 101 Switching Protocols\r\n\r\n", true},
      {'s',
       "\x81\x01"
       "a",
       true},
      {'c', "HTTP/1.1 200 OK\r\n\r\n", true}}},
    {"a tunnel",
     {{'c', "CONNECT a:1 HTTP/1.1\r\n\r\n", true},
      {'s', "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", true}}},
    {"a refused tunnel",
     {{'c', "CONNECT a:1 HTTP/1.1\r\n\r\n", true},
      {'s', "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n", false}}},
    {"responses without a body",
     {{'c', "HEAD / HTTP/1.1\r\n\r\n", true},
      {'s', "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", false},
      {'c', kGet, true},
      {'s', "HTTP/1.1 204 No Content\r\n\r\n", false},
      {'c', kGet, true},
      {'s', "HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", false}}},
    {"interim responses",
     {{'c', "POST / HTTP/1.1\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n", true},
      {'s', "HTTP/1.1 100 Continue\r\n\r\n", true},
      {'c', "ab", true},
      {'s', "HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n", true},
      {'s', "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", false}}},
    {"a response before the end of the request",
     {{'c', "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n", true},
      {'s', "HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n", true},
      {'c', "0\r\n\r\n", false}}},
    {"requests that do not wait for each other",
     {{'c', "POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nGET" + kGet, true},
      {'s', "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na", true},
      {'s', "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nb", false}}},
    {"part of a request", {{'c', "G", true}, {'c', "ET / HTTP/1.1\r\n", true}}},
    {"a request that begins like HTTP/2",
     {{'c', "PR", true}, {'c', "OPFIND / HTTP/1.1\r\n\r\n", true}, {'s', "HTTP/1.1 204 No\r\n\r\n", false}}},
    {"an empty line between requests",
     {{'c', kGet, true}, {'s', "HTTP/1.1 204 No\r\n\r\n", false}, {'c', "\r\n", false}, {'c', kGet, true}}},
    {"long headers",
     {{'c', "GET / HTTP/1.1\r\nCookie: " + kLong + "\r\nContent-Length: 1\r\n\r\n", true},
      {'s', "HTTP/1.1 204 No\r\nX: " + kLong + "\r\n\r\n", true},
      {'c', "a", false}}},
    {"other protocols of the client", {{'c', "\x16\x03\x01hello", true}, {'s', "\x16\x03\x03", true}}},
    {"other protocols of the server", {{'s', "SSH-2.0-a\r\n\r\n", true}}},
    {"a server that does not respond in HTTP", {{'c', kGet, true}, {'s', "nonsense\r\n\r\n", true}}},
    {"damaged chunks",
     {{'c', kGet, true}, {'s', "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n\r\n", true}}},
    {"HTTP/2",
     {{'c', kPreface.substr(0, 20), true},
      {'c', kPreface.substr(20) + frame(4, 0, 0, "settng"), false},
      {'s', frame(4, 0, 0), false},
      {'c', headers(1, true), true},
      {'s', headers(1), true},
      {'s', frame(0, 0, 1, "data"), true},
      {'c', headers(3), true},
      {'s', frame(0, 1, 1, "end"), true},
      {'c', frame(0, 1, 3, "body"), true},
      {'s', headers(3, true), false},
      {'c', frame(6, 0, 0, "ping1234"), false},
      {'s', frame(6, 1, 0, "ping1234"), false},
      {'c', headers(3), false},
      {'c', headers(5), true},
      {'c', frame(3, 0, 5, "err0"), false},
      {'c', headers(7), true},
      {'s', frame(3, 0, 7, "err0"), false}}},
};

void take(OpenRequests& requests, char from, std::string_view bytes) {
  from == 'c' ? requests.from_client(bytes) : requests.from_server(bytes);
}

}  // namespace

TEST_CASE("open requests: a request is open from its first byte to the end of its response") {
  for (const Row& row : kRows) {
    CAPTURE(row.what);
    OpenRequests at_once, by_bytes;
    CHECK_FALSE(at_once.any());
    for (const Step& step : row.steps) {
      CAPTURE(step.bytes.substr(0, 40));
      take(at_once, step.from, step.bytes);
      for (const char& byte : step.bytes) take(by_bytes, step.from, {&byte, 1});
      CHECK(at_once.any() == step.is_open);
      CHECK(by_bytes.any() == step.is_open);
    }
  }
}

TEST_CASE("open requests: a client that never reads does not use ever more memory") {
  OpenRequests requests;
  for (int i = 0; i < 20'000; ++i) requests.from_client(kGet);
  CHECK(requests.any());
}

}  // namespace open_requests_test
