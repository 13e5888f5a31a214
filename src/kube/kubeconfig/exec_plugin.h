#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kml/base/clock.h"
#include "kml/base/json.h"
#include "kml/net/http/transport.h"
#include "kube/kubeconfig/kubeconfig_files.h"

namespace kml::kube {

/// Throws Error (usage) if the user's kubectl preferences (kuberc, v1beta1: credentialPluginPolicy and
/// credentialPluginAllowlist) forbid this command as a credential plugin, or cannot be read. The file is
/// KUBERC ("off" for none), otherwise ~/.kube/kuberc if it exists.
void check_plugin_policy(const std::string& command);

/// Whether a plugin may prompt the user (exec.interactiveMode).
enum class Interactive { never, if_available, always };

/// A user's checked exec stanza.
struct ExecSettings {
  std::vector<std::string> argv = {};         ///< the command and its arguments; may contain secrets
  std::vector<std::string> environment = {};  ///< "NAME=value"
  std::string api_version = {};
  Interactive interactive = Interactive::if_available;
  std::string install_hint = {};
  Json cluster = {};  ///< passed to the plugin; null unless requested
};

/// A command that prints credentials, such as the plugins of EKS, GKE, AKS and OpenID Connect. Runs as in
/// client-go: when first needed, and again when the credential has expired or was rejected, never twice at
/// once. Its output stays in memory. It inherits standard error and, if interactive, standard input.
class ExecPlugin {
 public:
  struct Credential {
    std::string token;  ///< empty if it returns only a certificate
    http::ClientCertificate certificate;
  };
  /// Its environment, which tests replace.
  struct Surroundings {
    std::function<Time()> now = [] { return system_clock().now(); };
    std::function<bool()> has_terminal = stdin_is_terminal;
    std::chrono::milliseconds time_limit = std::chrono::minutes(5);  ///< the user may have to log in
  };

  explicit ExecPlugin(ExecSettings settings) : ExecPlugin(std::move(settings), Surroundings()) {}
  ExecPlugin(ExecSettings settings, Surroundings surroundings)
      : settings_(std::move(settings)), surroundings_(std::move(surroundings)) {}

  /// Throws Error (auth) if the command cannot be run, fails, or prints invalid output. The error never shows
  /// the output.
  const Credential& credential();
  /// Call this if the server rejected it.
  void drop() { have_ = false; }

 private:
  static bool stdin_is_terminal();
  bool may_talk() const;
  std::string run() const;
  void take(const std::string& output);
  Error failed(std::string why, std::string fix = {}) const;

  ExecSettings settings_;
  Surroundings surroundings_;
  bool have_ = false;
  Credential credential_;
  std::optional<Time> expires_;
};

/// Parses a user's exec stanza. Resolves a path of the command relative to its kubeconfig's folder. `cluster`
/// is the cluster's stanza; `endpoint` has its other settings. Throws usage Error if the stanza is incomplete
/// or has unsupported settings. `owner` is like "user \"ana\"".
ExecSettings exec_settings(const Stanza& user, const std::string& owner, const Stanza& cluster,
                           const http::Endpoint& endpoint);

}  // namespace kml::kube
