#include <algorithm>

#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/base/json.h"
#include "kml/base/process.h"
#include "kml/base/text.h"
#include "kml/net/s3/credentials.h"
#include "net/s3/xml.h"

namespace kml::s3 {

namespace {

using std::chrono::milliseconds;

/// The time limit for requests to the metadata address, because on machines outside AWS it does not respond.
constexpr milliseconds kSoon{1'000};

Error cannot_get(const std::string& origin, const std::string& why, const std::string& fix = {}) {
  return Error(ErrorCode::auth, "cannot get credentials for S3 from " + origin, why, fix);
}

/// Splits "https://host/path?x" into the server and the path with the query.
std::pair<std::string, std::string> cut_url(const std::string& url) {
  const size_t host = url.find("://");
  const size_t path = host == std::string::npos ? std::string::npos : url.find('/', host + 3);
  return {url.substr(0, path), path == std::string::npos ? "/" : url.substr(path)};
}

std::string answer_of(http::Transport& transport, const http::Request& request, const std::string& origin) {
  const http::Response response = transport.send(request);
  if (response.status / 100 == 2) return response.body;
  throw cannot_get(origin, "the server returned " + std::to_string(response.status));
}

std::string form(std::initializer_list<std::pair<const char*, std::string>> fields) {
  std::string text;
  for (const auto& [name, value] : fields)
    text += (text.empty() ? "" : "&") + std::string(name) + "=" + percent_encoded(value);
  return text;
}

}  // namespace

Credentials parse_lent_credentials(const std::string& text, const std::string& origin) {
  const Json json = Json::parse(text, nullptr, false);
  const auto value = [&](const char* name) { return string_at(json, {name}); };
  Credentials keys{value("AccessKeyId"), value("SecretAccessKey"),
                   value("SessionToken").empty() ? value("Token") : value("SessionToken"),
                   parse_rfc3339(value("Expiration")), origin};
  if (keys.key_id.empty() || keys.secret.empty())
    throw cannot_get(origin, "the response lacks AccessKeyId or SecretAccessKey");
  return keys;
}

/// https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRoleWithWebIdentity.html
std::optional<Credentials> CredentialSource::of_web_identity() const {
  const std::string file = environment("AWS_WEB_IDENTITY_TOKEN_FILE"), role = environment("AWS_ROLE_ARN");
  if (file.empty() || role.empty()) return {};
  const std::string origin = "the web identity in " + file;
  std::string url = environment("AWS_ENDPOINT_URL_STS");
  if (url.empty()) url = "https://sts." + region_ + ".amazonaws.com";
  std::string session = environment("AWS_ROLE_SESSION_NAME");
  if (session.empty()) session = "kml-" + random_hex(4);
  const auto [server, path] = cut_url(url);
  http::Request request{.method = "POST", .path = path};
  request.headers = {{"Content-Type", "application/x-www-form-urlencoded"}};
  request.body = form({{"Action", "AssumeRoleWithWebIdentity"},
                       {"Version", "2011-06-15"},
                       {"RoleArn", role},
                       {"RoleSessionName", session},
                       {"WebIdentityToken", std::string(trim(read_file(file)))}});
  const http::Response response = make_transport_({.url = server})->send(request);
  if (response.status != 200)
    throw cannot_get(origin,
                     "STS rejected role " + role + ": " + xml_text(response.body, "Code") + " " +
                         xml_text(response.body, "Message"),
                     "check AWS_ROLE_ARN, and the trust policy of the role");
  return Credentials{xml_text(response.body, "AccessKeyId"), xml_text(response.body, "SecretAccessKey"),
                     xml_text(response.body, "SessionToken"),
                     parse_rfc3339(xml_text(response.body, "Expiration")), origin};
}

/// https://docs.aws.amazon.com/sdkref/latest/guide/feature-process-credentials.html
std::optional<Credentials> CredentialSource::of_process() const {
  const std::string command = profile_.value("credential_process");
  if (command.empty()) {
    if (profile_.value("sso_account_id").empty() && profile_.value("role_arn").empty()) return {};
    throw cannot_get("profile " + profile_.name,
                     "it needs a login or another role, which kml does not support",
                     "eval \"$(aws configure export-credentials --format env)\"");
  }
  constexpr size_t kLongest = size_t{1} << 20;
  const ProcessResult result =
      run_process({"sh", "-c", command}, {.limit = kLongest, .ends_at_limit = true, .inherit_errors = true});
  const std::string origin = "credential_process of profile " + profile_.name;
  if (result.is_too_long) throw cannot_get(origin, "it printed more than " + size_text(kLongest));
  if (result.exit_code != 0)
    throw cannot_get(origin, "it exited with code " + std::to_string(result.exit_code));
  return parse_lent_credentials(result.out, origin);
}

/// https://docs.aws.amazon.com/sdkref/latest/guide/feature-container-credentials.html
std::optional<Credentials> CredentialSource::of_container() const {
  std::string url = environment("AWS_CONTAINER_CREDENTIALS_FULL_URI");
  if (const std::string path = environment("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"); !path.empty())
    url = "http://169.254.170.2" + path;
  if (url.empty()) return {};
  std::string token = environment("AWS_CONTAINER_AUTHORIZATION_TOKEN");
  if (const std::string file = environment("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"); !file.empty())
    token = trim(read_file(file));
  const auto [server, path] = cut_url(url);
  http::Request request{.path = path};
  if (!token.empty()) request.headers.emplace_back("Authorization", token);
  const std::string origin = "the container (" + server + ")";
  return parse_lent_credentials(answer_of(*make_transport_({.url = server}), request, origin), origin);
}

/// The machine's credentials from the metadata service. Supports only version 2, which requires a token.
/// https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instancedata-data-retrieval.html
std::optional<Credentials> CredentialSource::of_machine() const {
  if (lower(environment("AWS_EC2_METADATA_DISABLED")) == "true") return {};
  std::string server = environment("AWS_EC2_METADATA_SERVICE_ENDPOINT");
  if (server.empty()) server = "http://169.254.169.254";
  const auto transport = make_transport_({.url = server});
  http::Request request{.method = "PUT", .path = "/latest/api/token", .timeout = kSoon};
  request.headers = {{"X-aws-ec2-metadata-token-ttl-seconds", "300"}};
  http::Response token;
  try {
    token = transport->send(request);
  } catch (const Error&) {
    return {};
  }
  if (token.status != 200) return {};
  const std::string place = "/latest/meta-data/iam/security-credentials/";
  const http::Headers headers = {{"X-aws-ec2-metadata-token", token.body}};
  const http::Response roles = transport->send({.path = place, .headers = headers, .timeout = kSoon});
  if (roles.status != 200) return {};
  const std::string role(trim(split(roles.body, '\n')[0]));
  const std::string origin = "the machine's role " + role;
  return parse_lent_credentials(
      answer_of(*transport, {.path = place + percent_encoded(role), .headers = headers}, origin), origin);
}

}  // namespace kml::s3
