#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kml/core/clock.h"
#include "kml/core/json.h"
#include "kml/http/transport.h"
#include "kube/kubeconfig/kubeconfig_files.h"

namespace kml::kube {

/// Throws Error (usage) if the user's kubectl preferences (kuberc, v1beta1: credentialPluginPolicy and
/// credentialPluginAllowlist) do not let this command be run for credentials, or cannot be read. The file is
/// the one in KUBERC ("off" for none), else ~/.kube/kuberc if it is there.
void check_plugin_policy(const std::string& command);

/// Whether a plugin may talk with the user (exec.interactiveMode).
enum class Interactive { never, if_available, always };

/// The exec stanza of a user, checked.
struct ExecSettings {
  std::vector<std::string> argv = {};         ///< the command, and what it gets; may hold secrets
  std::vector<std::string> environment = {};  ///< "NAME=value"
  std::string api_version = {};
  Interactive interactive = Interactive::if_available;
  std::string install_hint = {};
  Json cluster = {};  ///< for the plugin to see; null if it did not ask for it
};

/// A command that prints credentials, as those of EKS, GKE, AKS and OpenID Connect, run as client-go runs it:
/// when first needed, again when what it gave has expired or was refused, never twice at once. Its output
/// stays in memory; its standard error is the user's, and so is its standard input where it is interactive.
class ExecPlugin {
 public:
  struct Credential {
    std::string token;  ///< empty if it gives a certificate only
    http::ClientCertificate certificate;
  };
  /// What it meets, for tests to replace.
  struct Surroundings {
    std::function<Time()> now = [] { return system_clock().now(); };
    std::function<bool()> has_terminal = stdin_is_terminal;
    std::chrono::milliseconds time_limit = std::chrono::minutes(5);  ///< a person may have to log in
  };

  explicit ExecPlugin(ExecSettings settings) : ExecPlugin(std::move(settings), Surroundings()) {}
  ExecPlugin(ExecSettings settings, Surroundings surroundings)
      : settings_(std::move(settings)), surroundings_(std::move(surroundings)) {}

  /// Throws Error (auth) if the command cannot be run, fails, or prints something else; nothing that it
  /// printed is shown.
  const Credential& credential();
  /// The server did not take it.
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

/// The exec stanza of a user, with a command that is a path resolved from its kubeconfig's folder. `cluster`
/// is the cluster's stanza, of which `endpoint` holds the rest. Throws usage Error if it is incomplete, or
/// asks for what kml does not know. `owner` as in "user \"ana\"".
ExecSettings exec_settings(const Stanza& user, const std::string& owner, const Stanza& cluster,
                           const http::Endpoint& endpoint);

}  // namespace kml::kube
