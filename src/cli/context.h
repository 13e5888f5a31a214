#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kml/base/streams.h"
#include "kml/job/spec/trust.h"
#include "kml/kube/client/client.h"
#include "kml/kube/kubeconfig/kubeconfig.h"
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
  bool only_reads = false;  ///< Command::only_reads of the command
  std::string typed;        ///< the command line up to "--", quoted for a shell
};

/// The flags that choose the server, for running another kml: "--context=prod".
std::vector<std::string> target_flags(const GlobalOptions& options);
/// A text with commands for the user's shell, such as "`kml logs bert` shows more" or "kml cancel bert && kml
/// cancel -n lab gpt", with the flags that chose the server of this command. A namespace that one names
/// stays.
std::string for_same_target(const GlobalOptions& options, const std::string& text);
/// The command line of this kml with those flags and these words.
std::vector<std::string> same_kml(const GlobalOptions& options, const std::vector<std::string>& words);

/// A command's target, as far as it is known without starting or contacting a server.
struct Place {
  std::string context;
  std::string namespace_name;
  bool is_local = false;
};

/// The objects that commands work with. Each is created on first use, so that a command pays only for what it
/// needs.
class Context {
 public:
  Context(const GlobalOptions& options, Streams streams)
      : options_(options), streams_(streams), progress_(streams_) {}

  const GlobalOptions& options() const { return options_; }
  Streams& streams() { return streams_; }

  /// The settings from kml.yaml, the user's file and the environment.
  const spec::Config& config();

  /// All settings. Those of the global flags and of `flags` come last and take precedence.
  std::vector<spec::Setting> settings_with(const std::vector<spec::Setting>& flags = {});

  /// Why kml.yaml is ignored: it has settings that need the user's trust, and the user has not trusted it.
  std::optional<Error> distrust(const std::vector<spec::Setting>& flags = {});

  /// With the names of the built-in templates and of the user's own, without those of kml.yaml.
  spec::UsersOwn own_templates();

  /// Without a kubeconfig, or if the context is "local", this is the embedded server. Throws Error if an
  /// untrusted kml.yaml chooses another context or namespace. A command that only reads takes the namespace,
  /// and asks before it takes another context of the user's kubeconfig, because its credential plugin would
  /// run.
  const Place& place();

  /// Like place(), ready to connect. Starts the embedded server if it is not running, and prints a line about
  /// it.
  const kube::Target& target();

  kube::Client& client();

  /// The namespace to list: the target's, or empty for all.
  std::string list_namespace(bool all) { return all ? std::string() : place().namespace_name; }

  /// Prints "→ context/namespace as user" to standard error, before kml sends anything.
  void tell_target();

  /// Prints "kml: TEXT" to standard error.
  void note(const std::string& text);

  /// Shows progress on the terminal's last line. The next note or result replaces it.
  void progress(const std::string& text) { progress_.show(text); }
  void end_progress() { progress_.end(); }

 private:
  void accept_place_of_project(const spec::Setting* context, const spec::Setting* namespace_name);
  const kube::DefaultPlace& own_place();

  const GlobalOptions& options_;
  Streams streams_;
  ui::Progress progress_;
  std::optional<spec::Config> config_;
  std::optional<kube::DefaultPlace> own_place_;
  std::optional<Place> place_;
  std::optional<kube::Target> target_;
  std::unique_ptr<http::Transport> transport_;
  std::optional<kube::Client> client_;
};

}  // namespace kml::cli
