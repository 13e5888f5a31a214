#pragma once

#include <doctest/doctest.h>

#include "kml/base/error.h"
#include "kml/net/http/transport.h"
#include "support/scripted_server.h"
#include "support/test_certificates.h"

namespace curl_transport_test {

using namespace kml;
using namespace kml::http;
using std::chrono::milliseconds;

inline Endpoint endpoint_of(const ScriptedServer& server) {
  Endpoint endpoint;
  endpoint.url = server.url();
  endpoint.ca_pem = TestCertificates::get().pem("ca");
  return endpoint;
}

inline Error error_of(Transport& transport, const Request& request) {
  try {
    transport.send(request);
  } catch (const Error& error) {
    return error;
  }
  FAIL("the request succeeded");
  return {ErrorCode::failure, ""};
}

/// Waits until `done`, at most five minutes.
template <typename Done>
void wait_until(Transport& transport, Done done) {
  const auto deadline = transport.now() + std::chrono::minutes(5);
  while (!done()) {
    REQUIRE(transport.now() < deadline);
    transport.wait(milliseconds(100));
  }
}

inline const auto kEcho = [](const ReceivedRequest& request, ServerConnection& connection) {
  connection.answer(200, request.method + " " + request.target + " " + request.body);
};

}  // namespace curl_transport_test
