#include "http/curl_error.h"

#include <doctest/doctest.h>

#include "kml/http/transport.h"

namespace kml::http::curl_error_test {

TEST_CASE("curl error: a handshake that was cut is a broken connection, one that was refused is not") {
  const auto reason = [](CURLcode code, const std::string& text) {
    return curl_error(code, text, 0, "https://lab").reason;
  };
  CHECK(reason(CURLE_SSL_CONNECT_ERROR, "OpenSSL SSL_connect: SSL_ERROR_SYSCALL in connection to lab:443") ==
        kConnectionBroke);
  CHECK(reason(CURLE_SSL_CONNECT_ERROR, "OpenSSL/3.0.17: error:0A00010B:SSL routines::wrong version number")
            .empty());
  CHECK(reason(CURLE_RECV_ERROR, "") == kConnectionBroke);
  CHECK(reason(CURLE_COULDNT_CONNECT, "") == kNoConnection);
}

}  // namespace kml::http::curl_error_test
