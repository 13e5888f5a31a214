#include "kube/kubeconfig/credentials.h"

#include <algorithm>

#include "kml/base/clock.h"
#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/base/text.h"
#include "kml/kube/objects/resource.h"
#include "kube/kubeconfig/exec_plugin.h"

namespace kml::kube {

namespace {

constexpr std::chrono::seconds kGoodFor{50};
constexpr size_t kLargest = size_t{1} << 20;

std::string read_token(const std::filesystem::path& path) {
  std::string token(trim(read_file(path, kLargest)));
  if (token.empty())
    throw Error(ErrorCode::auth, "cannot use the token in " + path.string(), "the file is empty");
  return token;
}

std::string read_pem(const std::filesystem::path& path) {
  std::string pem = read_file(path, kLargest);
  if (pem.find("-----BEGIN ") == std::string::npos)
    throw Error(ErrorCode::auth, "cannot use " + path.string(), "it is not a PEM file",
                "download it again from its source");
  return pem;
}

}  // namespace

const std::string& RenewedFile::text() {
  if (!text_.empty() && now_() - read_at_ < kGoodFor) return text_;
  try {
    text_ = content_ == Content::token ? read_token(path_) : read_pem(path_);
    read_at_ = now_();
  } catch (const Error&) {
    if (text_.empty()) throw;
  }
  return text_;
}

namespace fs = std::filesystem;

namespace {

std::string read_or_explain(const Stanza& stanza, const std::string& path, const std::string& owner,
                            const std::string& key) {
  try {
    return read_file(resolved(stanza, path), size_t{1} << 20);
  } catch (const Error& error) {
    throw stanza_error(stanza, owner, error.message + ": " + error.why, "correct " + key);
  }
}

void apply_impersonation(const Stanza& user, const std::string& owner, http::Endpoint& endpoint) {
  const std::string name = user.text("as");
  auto add = [&](std::string header, const std::string& value) {
    if (name.empty())
      throw stanza_error(user, owner, "it impersonates a group, uid or extra without a user", "add \"as\"");
    endpoint.headers.emplace_back(std::move(header), value);
  };
  if (!name.empty()) add("Impersonate-User", name);
  if (std::string uid = user.text("as-uid"); !uid.empty()) add("Impersonate-Uid", uid);
  for (const Json& group : array_at(user.value, {"as-groups"}))
    if (group.is_string()) add("Impersonate-Group", group.get<std::string>());
  for (const auto& [key, values] : user.part("as-user-extra").items())
    for (const Json& value : values)
      if (value.is_string()) add("Impersonate-Extra-" + percent_encoded(key), value.get<std::string>());
}

/// When the JSON Web Token expires (RFC 7519, "exp"); empty if that cannot be read.
std::optional<Time> end_of_token(const std::string& token) {
  const std::vector<std::string> parts = split(token, '.');
  if (parts.size() != 3) return {};
  std::string payload = parts[1];  // the claims, in base64url without padding
  std::replace(payload.begin(), payload.end(), '-', '+');
  std::replace(payload.begin(), payload.end(), '_', '/');
  payload.append((4 - payload.size() % 4) % 4, '=');
  const auto text = base64_decoded(payload);
  const Json claims = text ? Json::parse(*text, nullptr, false) : Json();
  const Json* end = find(claims, {"exp"});
  if (!end || !end->is_number()) return {};
  return time_after_epoch(std::chrono::duration<double>(end->get<double>()));
}

/// Applies the provider as client-go's plugin "oidc" does, but does not renew the token, because it would
/// have to write the new one into the kubeconfig.
void apply_auth_provider(const Stanza& user, const std::string& owner, http::Endpoint& endpoint) {
  const Json& provider = user.part("auth-provider");
  const std::string name = string_at(provider, {"name"}), token = string_at(provider, {"config", "id-token"});
  constexpr const char* kFix = "log in again, or let this user log in by an exec plugin, such as kubelogin";
  if (name != "oidc")
    throw stanza_error(user, owner, "kml does not support the auth-provider \"" + name + "\"",
                       "give the user an exec plugin, a token, a tokenFile or a client certificate");
  if (token.empty()) throw stanza_error(user, owner, "its auth-provider has no id-token", kFix);
  const auto end = end_of_token(token);
  if (!end) throw stanza_error(user, owner, "the id-token of its auth-provider cannot be read", kFix);
  endpoint.authorization = [header = "Bearer " + token, end = *end, owner] {
    if (system_clock().now() >= end)
      throw Error(ErrorCode::auth, "the id-token of " + owner + " expired at " + rfc3339(end),
                  "kml does not renew tokens of an auth-provider", kFix);
    return header;
  };
}

void apply_exec(ExecSettings settings, http::Endpoint& endpoint) {
  auto plugin = std::make_shared<ExecPlugin>(std::move(settings));
  endpoint.authorization = [plugin] {
    const std::string& token = plugin->credential().token;
    return token.empty() ? std::string() : "Bearer " + token;
  };
  endpoint.client_certificate = [plugin] { return plugin->credential().certificate; };
  endpoint.on_unauthorized = [plugin] { plugin->drop(); };
}

}  // namespace

std::string pem_of(const Stanza& stanza, const std::string& key, const std::string& owner) {
  const std::string data = stanza.text(key + "-data"), path = stanza.text(key);
  if (!data.empty() && !path.empty())
    throw stanza_error(stanza, owner, key + " and " + key + "-data are both set", "keep one of them");
  if (data.empty() && path.empty()) return {};
  const auto pem =
      path.empty() ? base64_decoded(data) : std::optional(read_or_explain(stanza, path, owner, key));
  if (!pem || pem->find("-----BEGIN ") == std::string::npos)
    throw stanza_error(stanza, owner,
                       key + (path.empty() ? "-data is not PEM in base64" : " is not a PEM file"),
                       "download it again from its source");
  return *pem;
}

void apply_token_file(const fs::path& file, http::Endpoint& endpoint) {
  auto source = std::make_shared<RenewedFile>(file, RenewedFile::Content::token);
  endpoint.authorization = [source] { return "Bearer " + source->text(); };
  endpoint.on_unauthorized = [source] { source->drop(); };
}

std::function<std::string()> renewed_pem(const fs::path& file) {
  return [source = std::make_shared<RenewedFile>(file, RenewedFile::Content::pem)] { return source->text(); };
}

std::function<std::string()> renewed_pem(const Stanza& stanza, const std::string& key) {
  const std::string path = stanza.text(key);
  return path.empty() ? std::function<std::string()>() : renewed_pem(resolved(stanza, path));
}

void apply_user(const Stanza& user, const std::string& name, const Stanza& cluster,
                http::Endpoint& endpoint) {
  const std::string owner = "user \"" + name + "\"";
  endpoint.client_cert_pem = pem_of(user, "client-certificate", owner);
  endpoint.client_key_pem = pem_of(user, "client-key", owner);
  if (endpoint.client_cert_pem.empty() != endpoint.client_key_pem.empty())
    throw stanza_error(user, owner, "it has only one of client-certificate and client-key", "add the other");
  const auto certificate = renewed_pem(user, "client-certificate"),
             private_key = renewed_pem(user, "client-key");
  if (certificate && private_key)
    endpoint.client_certificate = [certificate, private_key] {
      return http::ClientCertificate{certificate(), private_key()};
    };

  const std::string token(trim(user.text("token")));
  const std::string token_file = user.text("tokenFile");
  const std::string login = user.text("username"), password = user.text("password");
  const bool has_token = !token.empty() || !token_file.empty(),
             has_login = !login.empty() || !password.empty();
  if (has_token && has_login)
    throw stanza_error(user, owner, "it has a token and a username or password", "keep one of them");
  if (!token_file.empty())
    apply_token_file(resolved(user, token_file), endpoint);
  else if (has_token)
    endpoint.authorization = [header = "Bearer " + token] { return header; };
  else if (has_login)
    endpoint.authorization = [header = "Basic " + base64_encoded(login + ":" + password)] { return header; };
  if (!user.part("auth-provider").empty()) {
    if (!user.part("exec").empty())
      throw stanza_error(user, owner, "it has both an auth-provider and exec", "keep one of them");
    if (!endpoint.authorization) apply_auth_provider(user, owner, endpoint);
  }
  if (!user.part("exec").empty()) {
    ExecSettings settings = exec_settings(user, owner, cluster, endpoint);
    // Credentials in the kubeconfig itself are preferred to a plugin.
    if (!endpoint.authorization && endpoint.client_cert_pem.empty())
      apply_exec(std::move(settings), endpoint);
  }
  apply_impersonation(user, owner, endpoint);
}

}  // namespace kml::kube
