#include "kml/net/s3/signature.h"

#include <doctest/doctest.h>

#include "kml/base/files.h"
#include "kml/base/json.h"
#include "kml/base/sha256.h"
#include "kml/base/text.h"

namespace s3_signature_test {

using namespace kml;
using namespace kml::s3;

namespace {

std::string header_of(const http::Request& request, const std::string& name) {
  for (const auto& [key, value] : request.headers)
    if (key == name) return value;
  return {};
}

std::string signature_in(const http::Request& request) {
  const std::string text = header_of(request, "Authorization");
  return text.substr(text.rfind('=') + 1);
}

/// A signature with the values of AWS's test suite for Signature Version 4 (aws-sig-v4-test-suite).
std::string suite_signature(const std::string& path, http::Headers headers = {},
                            const std::string& method = "GET") {
  http::Request request{.method = method, .path = path, .headers = std::move(headers)};
  sign(request, "example.amazonaws.com", sha256_hex(""),
       {"AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", ""}, {"us-east-1", "service"},
       *parse_rfc3339("2015-08-30T12:36:00Z"));
  return signature_in(request);
}

/// The header with the values of the examples in "Signature Calculations for the Authorization Header" in
/// S3's reference.
std::string s3_authorization(http::Request request, const std::string& body = "") {
  sign(request, "examplebucket.s3.amazonaws.com", sha256_hex(body),
       {"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", ""}, {"us-east-1"},
       *parse_rfc3339("2013-05-24T00:00:00Z"));
  return header_of(request, "Authorization");
}

}  // namespace

TEST_CASE("signature: equals examples of AWS's test suite") {
  CHECK(suite_signature("/") == "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31");
  CHECK(suite_signature("/", {}, "POST") ==
        "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b");
  // get-vanilla-query-order-key-case, get-vanilla-query-unreserved, get-unreserved
  CHECK(suite_signature("/?Param2=value2&Param1=value1") ==
        "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500");
  const std::string unreserved = "-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  CHECK(suite_signature("/?" + unreserved + "=" + unreserved) ==
        "9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197");
  CHECK(suite_signature("/" + unreserved) ==
        "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f");
  // get-utf8, get-vanilla-empty-query-key
  CHECK(suite_signature(percent_encoded("/\u1234", true)) ==
        "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85");
  CHECK(suite_signature("/?Param1=value1") ==
        "a67d582fa61cc504c4bae71f336f98b97f1ea3c7a6bfe1b6e45aec72011b9aeb");
  // get-header-value-trim
  CHECK(suite_signature("/", {{"My-Header1", " value1"}, {"My-Header2", " \"a   b   c\""}}) ==
        "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736");
}

TEST_CASE("signature: equals the examples in the S3 reference") {
  const std::string credential =
      "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, ";
  CHECK(s3_authorization({.path = "/test.txt", .headers = {{"Range", "bytes=0-9"}}}) ==
        credential +
            "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, "
            "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
  CHECK(s3_authorization({.method = "PUT",
                          .path = "/" + percent_encoded("test$file.text"),
                          .headers = {{"Date", "Fri, 24 May 2013 00:00:00 GMT"},
                                      {"x-amz-storage-class", "REDUCED_REDUNDANCY"}}},
                         "Welcome to Amazon S3.") ==
        credential +
            "SignedHeaders=date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class, "
            "Signature=98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd");
  CHECK(s3_authorization({.path = "/?lifecycle"})
            .ends_with("Signature=fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"));
  CHECK(s3_authorization({.path = "/?prefix=J&max-keys=2"})
            .ends_with("Signature=34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"));
}

TEST_CASE("signature: a token is signed, too") {
  http::Request request{.path = "/"};
  sign(request, "host", sha256_hex(""), {"ID", "secret", "TOKEN"}, {"eu-west-1"}, Time{});
  CHECK(header_of(request, "X-Amz-Security-Token") == "TOKEN");
  CHECK(header_of(request, "Authorization").find(";x-amz-security-token,") != std::string::npos);
}

TEST_CASE("signature: exactly the characters that AWS requires are percent-encoded") {
  CHECK(percent_encoded("a/b c+d~é") == "a%2Fb%20c%2Bd~%C3%A9");
  CHECK(percent_encoded("a/b=c", true) == "a/b%3Dc");
}

/// tests/peers/s3/cases/signatures.sh makes botocore sign the requests.
TEST_CASE("signature: is the same as botocore's") {
  const std::string file = environment("KML_S3_REQUESTS");
  if (file.empty()) return;
  size_t compared = 0;
  for (const Json& wanted : parse_json(read_file(file), file)) {
    http::Request request{.method = string_at(wanted, {"method"}), .path = string_at(wanted, {"path"})};
    for (const auto& [name, value] : wanted["headers"].items()) request.headers.emplace_back(name, value);
    sign(request, "bucket.s3.eu-west-1.amazonaws.com", string_at(wanted, {"payload"}),
         {"AKID", string_at(wanted, {"secret"}), string_at(wanted, {"token"})}, {"eu-west-1"},
         *parse_rfc3339("2026-11-25T07:50:10Z"));
    CHECK_MESSAGE(header_of(request, "Authorization") == string_at(wanted, {"authorization"}), request.path);
    ++compared;
  }
  MESSAGE(compared << " signatures compared");
}

}  // namespace s3_signature_test
