#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kml/base/clock.h"
#include "kml/base/json.h"
#include "kml/kube/kubeconfig/plugin_policy.h"
#include "kml/net/http/transport.h"
#include "kube/kubeconfig/kubeconfig_files.h"

namespace kml::kube {

/// Whether a plugin may prompt the user (exec.interactiveMode).
enum class Interactive { never, if_available, always };

/// A user's exec stanza after it was checked.
struct ExecSettings {
  std::vector<std::string> argv = {};         ///< the command and its arguments; may contain secrets
  std::vector<std::string> environment = {};  ///< "NAME=value"
  std::string api_version = {};
  Interactive interactive = Interactive::if_available;
  std::string install_hint = {};
  Json cluster = {};  ///< passed to the plugin; null unless the stanza requests it
};

/// A command that prints credentials, such as the plugins for EKS, GKE, AKS and OpenID Connect. It runs as in
/// client-go: when a credential is first needed, and again once the credential has expired or was rejected,
/// but never twice at once. Its output is only kept in memory. The command inherits standard error and, if
/// interactive, standard input.
class ExecPlugin {
 public:
  struct Credential {
    std::string token;  ///< the token; empty if the command only returned a certificate
    http::ClientCertificate certificate;
  };
  /// What the plugin needs to know about its surroundings. Tests replace this.
  struct Surroundings {
    std::function<Time()> now = [] { return system_clock().now(); };
    std::function<bool()> has_terminal = stdin_is_terminal;
    /// long, because the user may have to log in
    std::chrono::milliseconds time_limit = std::chrono::minutes(5);
  };

  explicit ExecPlugin(ExecSettings settings) : ExecPlugin(std::move(settings), Surroundings()) {}
  ExecPlugin(ExecSettings settings, Surroundings surroundings)
      : settings_(std::move(settings)), surroundings_(std::move(surroundings)) {}

  /// Throws Error (auth) if the command cannot be run, fails, or prints invalid output, and usage Error if
  /// check_plugin_policy() forbids the command; Error (interrupted) if Ctrl-C ended it. The error never shows
  /// the credential.
  const Credential& credential();
  /// Call this if the server rejected the credential.
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

/// Parses a user's exec stanza. A path of the command is relative to its kubeconfig's folder. `cluster` is
/// the cluster's stanza, and `endpoint` has the cluster's other settings. Throws usage Error if the stanza is
/// incomplete or has unsupported settings. `owner` is like "user \"ana\"".
ExecSettings exec_settings(const Stanza& user, const std::string& owner, const Stanza& cluster,
                           const http::Endpoint& endpoint);

}  // namespace kml::kube
