#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "kml/base/clock.h"
#include "kml/net/http/transport.h"
#include "kml/net/s3/settings.h"
#include "kml/net/s3/signature.h"

namespace kml::s3 {

using MakeTransport = std::function<std::unique_ptr<http::Transport>(http::Endpoint)>;

/// Finds the key with which requests are signed. Searches in the order of AWS's own programs: the variables
/// AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; a web identity (AWS_WEB_IDENTITY_TOKEN_FILE and
/// AWS_ROLE_ARN), by STS; the profile's keys, and its credential_process; the container's credentials
/// (AWS_CONTAINER_CREDENTIALS_…); the machine's (IMDSv2). Requests a new key five minutes before the current
/// one expires.
class CredentialSource {
 public:
  CredentialSource(Profile profile, std::string region, MakeTransport make_transport, const Clock& clock)
      : profile_(std::move(profile)),
        region_(std::move(region)),
        make_transport_(std::move(make_transport)),
        clock_(clock) {}

  /// Returns the current key. Throws Error (auth) if there is none, with the places that were searched. Also
  /// throws Error if a configured source fails.
  const Credentials& get();
  /// Discards the current key after the server has rejected it as expired. The next get() reads it again,
  /// even from a profile, because the profile may have changed.
  void forget();

 private:
  std::optional<Credentials> of_environment() const;
  std::optional<Credentials> of_web_identity() const;
  std::optional<Credentials> of_profile() const;
  std::optional<Credentials> of_process() const;
  std::optional<Credentials> of_container() const;
  std::optional<Credentials> of_machine() const;

  Profile profile_;
  const std::string region_;
  const MakeTransport make_transport_;
  const Clock& clock_;
  std::optional<Credentials> known_;
};

/// Parses a key in the JSON format that credential_process, containers and machines return. Throws Error
/// (auth) for any other text.
Credentials parse_lent_credentials(const std::string& text, const std::string& origin);

}  // namespace kml::s3
