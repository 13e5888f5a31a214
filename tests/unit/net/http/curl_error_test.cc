#include "net/http/curl_error.h"

#include <doctest/doctest.h>

#include "kml/net/http/transport.h"

namespace kml::http::curl_error_test {

TEST_CASE("curl error: a handshake that was cut off is a broken connection, a rejected handshake is not") {
  const auto reason = [](CURLcode code, const std::string& text) {
    return curl_error(code, text, 0, "https://lab").reason;
  };
  for (const char* text : {"OpenSSL SSL_connect: SSL_ERROR_SYSCALL in connection to lab:443",
                           "OpenSSL SSL_connect: Connection reset by peer in connection to lab:443",
                           "Send failure: Broken pipe", "Recv failure: Connection reset by peer",
                           "OpenSSL/3.0.17: error:0A000126:SSL routines::unexpected eof while reading",
                           "TLS connect error: error:0A000126:SSL routines::unexpected eof while reading"}) {
    CAPTURE(text);
    CHECK(reason(CURLE_SSL_CONNECT_ERROR, text) == kConnectionBroke);
  }
  CHECK(reason(CURLE_SSL_CONNECT_ERROR, "OpenSSL/3.0.17: error:0A00010B:SSL routines::wrong version number")
            .empty());
  CHECK(reason(CURLE_RECV_ERROR, "") == kConnectionBroke);
  CHECK(reason(CURLE_COULDNT_CONNECT, "") == kNoConnection);
}

TEST_CASE("curl error: the fix for the embedded server is only given for a local socket") {
  for (CURLcode code : {CURLE_OPERATION_TIMEDOUT, CURLE_COULDNT_CONNECT, CURLE_RECV_ERROR}) {
    CHECK(curl_error(code, "", 0, "unix:/home/ana/server.sock").fix.find("kml local status") !=
          std::string::npos);
    CHECK(curl_error(code, "", 0, "https://lab").fix.find("kml local") == std::string::npos);
  }
}

}  // namespace kml::http::curl_error_test
