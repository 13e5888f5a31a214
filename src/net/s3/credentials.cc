#include "kml/net/s3/credentials.h"

#include "kml/base/error.h"
#include "kml/base/files.h"

namespace kml::s3 {

namespace {

/// The two keys under these names; empty unless both exist.
std::optional<Credentials> pair_in(const std::map<std::string, std::string>& values, std::string origin) {
  const auto value = [&](const char* name) {
    const auto found = values.find(name);
    return found == values.end() ? std::string() : found->second;
  };
  Credentials keys{value("aws_access_key_id"), value("aws_secret_access_key"), value("aws_session_token")};
  if (keys.key_id.empty() || keys.secret.empty()) return {};
  keys.origin = std::move(origin);
  return keys;
}

}  // namespace

std::optional<Credentials> CredentialSource::of_environment() const {
  Credentials keys{environment("AWS_ACCESS_KEY_ID"), environment("AWS_SECRET_ACCESS_KEY"),
                   environment("AWS_SESSION_TOKEN")};
  if (keys.key_id.empty() && keys.secret.empty()) return {};
  if (keys.key_id.empty() || keys.secret.empty())
    throw Error(ErrorCode::auth, "no credentials for S3",
                "only one of AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY is set",
                "set both, or unset both to use a profile");
  keys.origin = "AWS_ACCESS_KEY_ID";
  return keys;
}

std::optional<Credentials> CredentialSource::of_profile() const {
  if (auto keys = pair_in(profile_.credentials, "profile " + profile_.name + " of ~/.aws/credentials"))
    return keys;
  return pair_in(profile_.values, "profile " + profile_.name + " of ~/.aws/config");
}

void CredentialSource::forget() {
  known_.reset();
  if (Profile now = read_profile(); now.is_there) profile_ = std::move(now);
}

const Credentials& CredentialSource::get() {
  constexpr std::chrono::minutes kEarly{5};
  if (known_ && (!known_->expires || *known_->expires - kEarly > clock_.now())) return *known_;
  known_.reset();
  for (const auto& find :
       {&CredentialSource::of_environment, &CredentialSource::of_web_identity, &CredentialSource::of_profile,
        &CredentialSource::of_process, &CredentialSource::of_container, &CredentialSource::of_machine})
    if ((known_ = (this->*find)())) return *known_;
  throw Error(
      ErrorCode::auth, "no credentials for S3",
      "AWS_ACCESS_KEY_ID is not set, profile " + profile_.name +
          " in ~/.aws has no key, and neither a web identity, the container nor the machine provides a key",
      "export AWS_ACCESS_KEY_ID=… AWS_SECRET_ACCESS_KEY=…, or AWS_PROFILE=NAME");
}

}  // namespace kml::s3
