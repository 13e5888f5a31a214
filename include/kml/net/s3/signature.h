#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kml/base/clock.h"
#include "kml/net/http/transport.h"

namespace kml::s3 {

/// An access key and its source.
struct Credentials {
  std::string key_id, secret, token;  ///< a key without a token does not expire
  std::optional<Time> expires = {};
  std::string origin = {};  ///< the source: "AWS_ACCESS_KEY_ID", "profile dev of ~/.aws/credentials"
};

/// The scope in which a signature is valid.
struct SigningScope {
  std::string region;
  std::string service = "s3";
};

/// Adds the headers of AWS Signature Version 4 to a request: Host, X-Amz-Date, Authorization, the session
/// token's header, and for S3 X-Amz-Content-Sha256. Signs these and all headers that the request already has.
/// Path and query must already be percent-encoded. `payload_sha256` is the digest of the body. libcurl is not
/// used for this, because version 7.88, for example, does not sort the query when it signs.
/// https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
void sign(http::Request& request, const std::string& host, const std::string& payload_sha256,
          const Credentials& credentials, const SigningScope& scope, Time now);

}  // namespace kml::s3
