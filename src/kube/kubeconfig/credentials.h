#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>

#include "kml/net/http/transport.h"
#include "kube/kubeconfig/kubeconfig_files.h"

namespace kml::kube {

/// A token, certificate, key or CA in a file that another program renews. Reads the file again after 50 s, as
/// client-go's cachingTokenSource does. While the file is invalid, keeps the last valid text, unless the
/// server rejected it.
class RenewedFile {
 public:
  enum class Content { token, pem };
  using Now = std::function<std::chrono::steady_clock::time_point()>;
  RenewedFile(std::filesystem::path path, Content content, Now now = std::chrono::steady_clock::now)
      : path_(std::move(path)), content_(content), now_(std::move(now)) {}

  /// A token without white space around it, or an unchanged PEM. Throws Error if the file is invalid and no
  /// earlier text is kept.
  const std::string& text();
  /// Call this if the server rejected the credential.
  void drop() { text_.clear(); }

 private:
  std::filesystem::path path_;
  Content content_;
  Now now_;
  std::string text_;
  std::chrono::steady_clock::time_point read_at_{};
};

/// The PEM in a stanza: base64 text under `key`-data, or the content of the file named under `key`. Empty if
/// neither is set. Throws usage Error if both are set or the PEM cannot be read. `owner` is like "user
/// \"ana\"".
std::string pem_of(const Stanza& stanza, const std::string& key, const std::string& owner);

/// Returns a function that returns the current content of a PEM file, which another program may renew.
std::function<std::string()> renewed_pem(const std::filesystem::path& file);
/// Like renewed_pem(file), for the file named under `key`; empty if `key` is not set.
std::function<std::string()> renewed_pem(const Stanza& stanza, const std::string& key);

/// Applies a user's stanza to the endpoint, which already has the cluster's settings. Throws usage Error if
/// the stanza contradicts itself or is incomplete, if its certificate or key cannot be read, or if it needs a
/// kind of credential that kml does not support.
void apply_user(const Stanza& user, const std::string& name, const Stanza& cluster, http::Endpoint& endpoint);

/// Sets the endpoint's token from a file.
void apply_token_file(const std::filesystem::path& file, http::Endpoint& endpoint);

}  // namespace kml::kube
