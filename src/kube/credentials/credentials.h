#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>

#include "kml/http/transport.h"
#include "kube/kubeconfig/kubeconfig_files.h"

namespace kml::kube {

/// A token, certificate, key or authority in a file that something else renews: read again every minute (10 s
/// early), as client-go's cachingTokenSource does; the last good one stays while the file is none.
class RenewedFile {
 public:
  enum class Content { token, pem };
  using Now = std::function<std::chrono::steady_clock::time_point()>;
  RenewedFile(std::filesystem::path path, Content content, Now now = std::chrono::steady_clock::now)
      : path_(std::move(path)), content_(content), now_(std::move(now)) {}

  /// A token without white space around it, a PEM as it is. Throws Error if there never was a good one.
  const std::string& text();
  /// The server did not take it.
  void drop() { text_.clear(); }

 private:
  std::filesystem::path path_;
  Content content_;
  Now now_;
  std::string text_;
  std::chrono::steady_clock::time_point read_at_{};
};

/// The text of a PEM that stands in the stanza as base64 under `key`-data, or in the file named under `key`.
/// Empty if neither is set. Throws usage Error where both are, or it cannot be read. `owner` as in
/// "user \"ana\"".
std::string pem_of(const Stanza& stanza, const std::string& key, const std::string& owner);

/// Gives what the PEM file holds now, which something else may renew.
std::function<std::string()> renewed_pem(const std::filesystem::path& file);
/// The same for the file named under `key`; empty if there is none.
std::function<std::string()> renewed_pem(const Stanza& stanza, const std::string& key);

/// Puts what a user stanza says into the endpoint, which holds what its cluster says. Throws usage Error
/// if it contradicts itself, or asks for a sort of credential that kml cannot use.
void apply_user(const Stanza& user, const std::string& name, const Stanza& cluster, http::Endpoint& endpoint);

/// Puts the token of a file into the endpoint.
void apply_token_file(const std::filesystem::path& file, http::Endpoint& endpoint);

}  // namespace kml::kube
