#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kml/core/clock.h"
#include "kml/http/transport.h"

namespace kml::s3 {

/// An access key, and where it was found.
struct Credentials {
  std::string key_id, secret, token;  ///< the token is empty for a key that does not expire
  std::optional<Time> expires = {};
  std::string origin = {};  ///< "AWS_ACCESS_KEY_ID", "profile dev of ~/.aws/credentials"
};

/// What a signature is good for.
struct SigningScope {
  std::string region;
  std::string service = "s3";
};

/// Adds the headers of AWS Signature Version 4 to a request: Host, X-Amz-Date, Authorization, those of a
/// token, and for S3 X-Amz-Content-Sha256. Every header that the request has already is signed. Its path and
/// query are percent-encoded as they are to be sent; `payload_sha256` is the digest of its body.
///
/// libcurl's own signatures do not suit: 7.88 leaves the query unsorted, for one.
/// https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
void sign(http::Request& request, const std::string& host, const std::string& payload_sha256,
          const Credentials& credentials, const SigningScope& scope, Time now);

}  // namespace kml::s3
