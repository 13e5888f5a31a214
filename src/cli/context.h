#pragma once

#include <deque>
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

/// The global flags, and facts about the command line that all commands share.
struct GlobalOptions {
  std::string context;
  std::string namespace_name;
  std::string kubeconfig;
  bool no_colour = false;
  bool only_reads = false;                  ///< the command's Command::only_reads
  std::string typed;                        ///< the command line up to "--", quoted for a shell
  std::vector<std::string> arguments = {};  ///< all words of the command line after the program's name
  /// the file of the plan that `kml apply` applies by running this command; otherwise empty
  std::string applied_plan = {};
};

/// The flags that choose the server, to pass to another kml process: "--context=prod".
std::vector<std::string> target_flags(const GlobalOptions& options);
/// Adds the flags that chose this command's server to those kml commands in a text for the user that contact
/// a server, as in "`kml logs bert` shows more" or "kml cancel bert && kml cancel -n lab gpt". Keeps a
/// namespace that such a command already names.
std::string for_same_target(const GlobalOptions& options, const std::string& text);
/// These flags alone, with a space after each: "-n lab ". With `any_namespace`, without the namespace.
std::string words_of_target(GlobalOptions options, bool any_namespace = false);
/// A command line that runs this kml program with the flags that chose the server, and with these words.
std::vector<std::string> same_kml(const GlobalOptions& options, const std::vector<std::string>& words);

/// A command's target, as far as it is known without starting or contacting a server.
struct Place {
  std::string context;
  std::string namespace_name;
  bool is_local = false;
};

/// The shared objects of commands. Each object is created on first use, so that a command pays only for the
/// objects it needs.
class Context {
 public:
  Context(const GlobalOptions& options, Streams streams)
      : options_(options), streams_(streams), progress_(streams_), connections_(1) {}

  const GlobalOptions& options() const { return options_; }
  Streams& streams() { return streams_; }

  /// The settings from kml.yaml, the user's file and the environment.
  const spec::Config& config();

  /// All settings. The settings of the global flags and `flags` come last, so they take precedence.
  std::vector<spec::Setting> settings_with(const std::vector<spec::Setting>& flags = {});

  /// The reason for ignoring kml.yaml: it has settings that need the user's trust, and the user has not
  /// trusted it.
  std::optional<Error> distrust(const std::vector<spec::Setting>& flags = {});

  /// The names of the built-in templates and of the user's own templates, without those in kml.yaml.
  spec::UsersOwn own_templates();

  /// The server and namespace of the command. This is the embedded server if no kubeconfig exists or the
  /// context is "local". If an untrusted kml.yaml chooses another context or namespace, throws Error, unless
  /// the command only reads. For such a command, accepts the namespace. If the file chooses another context
  /// of the user's kubeconfig, asks the user to confirm it, because the context's credential plugin would
  /// run. Throws Error if kml cannot ask, or if the user does not confirm.
  const Place& place();

  /// Whether the command may show a record of this context and namespace. A command that runs for an agent
  /// shows only the records of its own context and, if -n was given, of this namespace.
  bool shows(const std::string& context, const std::string& namespace_name);
  /// Like shows(), for a record's target: {"context", "namespace"}. True for a record without a target.
  bool shows(const Json& target);

  /// Like place(), but ready to connect. Starts the embedded server if it is not running, and prints a line
  /// about it.
  const kube::Target& target();

  kube::Client& client();
  /// For a command that only watches: from now on, does not start an embedded server that the user has ended.
  void keep_server_down();

  /// Makes another server the command's target, such as the cluster to which Kueue has copied a job. Places,
  /// targets and clients that were returned before stay valid.
  void enter(kube::Target target);
  /// Restores the target that the command had before it called enter().
  void leave() { now_ = 0; }
  bool has_entered() const { return now_ != 0; }

  /// The namespace to list: the target's namespace, or empty for all namespaces. Throws usage Error if the
  /// user asks for all namespaces and also names one by -n.
  std::string list_namespace(bool all);

  /// Prints "→ context/namespace as user" to standard error, before kml sends anything. `namespaces` replaces
  /// the target's namespace, if objects have namespaces of their own.
  void tell_target(const std::string& namespaces = {});

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
  struct Connection {
    std::optional<Place> place = {};
    std::optional<kube::Target> target = {};
    std::unique_ptr<http::Transport> transport = {};
    std::optional<kube::Client> client = {};
  };
  Connection& now() { return connections_[now_]; }

  std::deque<Connection> connections_;  ///< the first is the one that the user chose
  size_t now_ = 0;
};

}  // namespace kml::cli
