#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kml/core/streams.h"
#include "kml/kube/client.h"
#include "kml/kube/kubeconfig/kubeconfig.h"
#include "kml/spec/config.h"
#include "kml/ui/screen.h"

namespace kml::cli {

/// Name of the embedded server's context.
inline constexpr std::string_view kLocal = "local";

/// Flags of every command.
struct GlobalOptions {
  std::string context;
  std::string namespace_name;
  std::string kubeconfig;
  bool no_colour = false;
};

/// Where a command goes to, as far as it can be told without starting or asking a server.
struct Place {
  std::string context;
  std::string namespace_name;
  bool is_local = false;
};

/// What commands work with; each thing is made when first asked for, so that a command pays only for its own.
class Context {
 public:
  Context(const GlobalOptions& options, Streams streams)
      : options_(options), streams_(streams), progress_(streams_) {}

  const GlobalOptions& options() const { return options_; }
  Streams& streams() { return streams_; }

  /// kml.yaml, the user's file, the environment.
  const spec::Config& config();

  /// All settings, those of the global flags and of `flags` last.
  std::vector<spec::Setting> settings_with(const std::vector<spec::Setting>& flags = {});

  /// Why kml.yaml is not obeyed: it chooses what needs the user's trust, and does not have it.
  std::optional<Error> distrust(const std::vector<spec::Setting>& flags = {});

  /// Without any kubeconfig, or where the context is "local", that is the embedded server.
  /// Throws Error if an untrusted kml.yaml chooses the context.
  const Place& place();

  /// The same, with all that a connection needs; the embedded server is started where it does not run, with a
  /// line that says so.
  const kube::Target& target();

  kube::Client& client();

  /// The namespace to list in: the target's, or all of them.
  std::string list_namespace(bool all) { return all ? std::string() : place().namespace_name; }

  /// "→ context/namespace as user" on standard error, before anything is sent there.
  void tell_target();

  /// "kml: TEXT" on standard error.
  void note(const std::string& text);

  /// Shows what takes long, on a line of the terminal that disappears at the next note or result.
  void progress(const std::string& text) { progress_.show(text); }
  void end_progress() { progress_.end(); }

 private:
  const GlobalOptions& options_;
  Streams streams_;
  ui::Progress progress_;
  std::optional<spec::Config> config_;
  std::optional<Place> place_;
  std::optional<kube::Target> target_;
  std::unique_ptr<http::Transport> transport_;
  std::optional<kube::Client> client_;
};

}  // namespace kml::cli
