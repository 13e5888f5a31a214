#include "cli/context.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <ostream>
#include <set>
#include <utility>

#include "cli/confirm.h"
#include "kml/base/agent.h"
#include "kml/base/flag_errors.h"
#include "kml/base/process.h"
#include "kml/base/text.h"
#include "kml/job/render/render.h"
#include "kml/job/spec/trust.h"
#include "kml/local/daemon.h"

namespace kml::cli {

const spec::Config& Context::config() {
  if (!config_) config_ = spec::load_config(spec::config_sources());
  return *config_;
}

std::vector<spec::Setting> Context::settings_with(const std::vector<spec::Setting>& flags) {
  std::vector<spec::Setting> settings = config().settings;
  for (const auto& [name, value] :
       {std::pair("context", options_.context), std::pair("namespace", options_.namespace_name)})
    if (!value.empty()) settings.push_back({name, value, {spec::Source::flag, std::string("--") + name}});
  settings.insert(settings.end(), flags.begin(), flags.end());
  return settings;
}

spec::UsersOwn Context::own_templates() {
  std::vector<std::filesystem::path> folders;
  for (const spec::Setting& setting : config().settings)
    if (setting.name == "templates" && setting.origin.source != spec::Source::project_file)
      folders.emplace_back(setting.value);
  spec::UsersOwn own;
  for (const render::Catalog::Entry& entry : render::Catalog(folders).list()) {
    own.templates.insert(entry.name);
    if (entry.where != render::Catalog::kBuiltin) own.written.insert(entry.name);
  }
  return own;
}

/// The context and namespace that commands would use without kml.yaml.
const kube::DefaultPlace& Context::own_place() {
  if (!own_place_) own_place_ = kube::default_place(options_.kubeconfig);
  return *own_place_;
}

std::optional<Error> Context::distrust(const std::vector<spec::Setting>& flags) {
  if (!config().project) return {};
  const spec::ProjectFile& file = *config().project;
  const bool has_place = config().find("context") || config().find("namespace");
  const kube::DefaultPlace own = has_place ? own_place() : kube::DefaultPlace();
  spec::UsersOwn known = own_templates();
  known.context = own.context;
  known.namespace_name = own.namespace_name;
  std::vector<Problem> problems = spec::untrusted_settings(file, settings_with(flags), known);
  if (problems.empty()) return {};
  auto error =
      spec::distrust(file, "these settings need your trust, because another user may have written the file",
                     "review " + file.shown + ", then: kml trust");
  if (error) error->problems = std::move(problems);
  return error;
}

/// Either argument may be null.
void Context::accept_place_of_project(const spec::Setting* context, const spec::Setting* namespace_name) {
  std::optional<Error> error = distrust();
  if (!error) return;
  if (!options_.only_reads) throw std::move(*error);
  std::string chosen;
  for (const spec::Setting* setting : {context, namespace_name})
    if (setting) chosen += (chosen.empty() ? "" : ", ") + setting->name + " " + setting->value;
  if (context && context->value != own_place().context) {
    const std::vector<std::string> known = kube::context_names({options_.kubeconfig, "", ""});
    const bool is_known = std::find(known.begin(), known.end(), context->value) != known.end();
    if (!is_known || !asks_on(streams_)) throw std::move(*error);
    if (!confirmed(streams_, config().project->shown + " is not trusted; use its " + chosen + "?"))
      throw std::move(*error);
  } else {
    note(config().project->shown + " sets " + chosen);
  }
}

const Place& Context::place() {
  std::optional<Place>& place = now().place;
  if (place) return *place;
  const auto setting_of = [this](const char* name, const std::string& flag) {
    return flag.empty() ? config().find(name) : nullptr;
  };
  const auto of_project = [](const spec::Setting* setting) {
    return setting && setting->origin.source == spec::Source::project_file ? setting : nullptr;
  };
  const spec::Setting* context = setting_of("context", options_.context);
  const spec::Setting* namespace_name = setting_of("namespace", options_.namespace_name);
  if (of_project(context) || of_project(namespace_name))
    accept_place_of_project(of_project(context), of_project(namespace_name));
  const kube::KubeconfigOptions options{options_.kubeconfig, context ? context->value : options_.context,
                                        namespace_name ? namespace_name->value : options_.namespace_name};
  std::optional<kube::Target>& target = now().target;
  if (options.context != kLocal) target = kube::find_target(options);
  if (target) {
    place = {target->context, target->namespace_name, false};
  } else {
    place = {std::string(kLocal), options.namespace_name.empty() ? "default" : options.namespace_name, true};
  }
  return *place;
}

bool Context::shows(const std::string& context, const std::string& namespace_name) {
  if (!runs_for_agent()) return true;
  return context == place().context &&
         (options_.namespace_name.empty() || namespace_name == options_.namespace_name);
}

bool Context::shows(const Json& target) {
  return !target.is_object() || shows(string_at(target, {"context"}), string_at(target, {"namespace"}));
}

std::string Context::list_namespace(bool all) {
  if (all && !options_.namespace_name.empty()) throw not_together("-A", "-n", "-A stands for all namespaces");
  return all ? std::string() : place().namespace_name;
}

const kube::Target& Context::target() {
  const Place& there = place();
  std::optional<kube::Target>& target = now().target;
  if (target) return *target;
  bool started = false;
  local::DaemonStatus server = local::ensure_running(started);
  if (started) note("started the embedded server (`kml local down` stops it)");
  target = kube::find_target({server.kubeconfig, "", there.namespace_name});
  target->context = kLocal;
  if (!server.socket.empty()) target->endpoint.url = "unix:" + server.socket.string();
  return *target;
}

void Context::enter(kube::Target target) {
  now_ = connections_.size();
  Connection& entered = connections_.emplace_back();
  entered.place = {target.context, target.namespace_name, false};
  entered.target = std::move(target);
}

namespace {

constexpr std::string_view kKml = "kml ";

/// The commands in messages that get the flags of the target. In messages, "kml" before any other word is
/// part of a sentence, or a command without a target.
constexpr std::array<std::string_view, 34> kWithTarget = {
    "apply", "attach",   "cancel", "cp",    "debug", "delete", "dev",    "eff",     "exec",
    "hang",  "history",  "list",   "logs",  "open",  "port",   "queue",  "rerun",   "resume",
    "run",   "schedule", "serve",  "shell", "ssh",   "status", "submit", "suspend", "sweep",
    "sync",  "timeline", "top",    "ui",    "usage", "wait",   "why"};

/// Whether a command such as "kml logs" starts at this position, rather than a sentence about kml.
bool begins_command(std::string_view text, size_t at) {
  if (text.substr(at, kKml.size()) != kKml) return false;
  const std::string_view rest = text.substr(at + kKml.size());
  const std::string_view word = rest.substr(0, rest.find_first_not_of("abcdefghijklmnopqrstuvwxyz"));
  if (std::find(kWithTarget.begin(), kWithTarget.end(), word) == kWithTarget.end()) return false;
  if (at == 0 || text[at - 1] == '`' || text[at - 1] == '(') return true;
  return at > 1 && text[at - 1] == ' ' &&
         std::string_view(":;|&").find(text[at - 2]) != std::string_view::npos;
}

}  // namespace

std::vector<std::string> target_flags(const GlobalOptions& options) {
  std::vector<std::string> flags;
  for (const auto& [flag, value] :
       {std::pair("--context=", options.context), std::pair("--namespace=", options.namespace_name),
        std::pair("--kubeconfig=", options.kubeconfig)})
    if (!value.empty()) flags.push_back(flag + value);
  return flags;
}

std::string for_same_target(const GlobalOptions& options, const std::string& text) {
  std::string result;
  for (size_t at = 0; at < text.size();) {
    if (!begins_command(text, at)) {
      result += text[at++];
      continue;
    }
    const std::string command = text.substr(at, std::min(text.find(" && ", at), text.find('`', at)) - at);
    std::vector<std::string> flags;
    if (!options.kubeconfig.empty()) flags.insert(flags.end(), {"--kubeconfig", options.kubeconfig});
    if (!options.context.empty()) flags.insert(flags.end(), {"--context", options.context});
    if (!options.namespace_name.empty() && !contains(command, " -n "))
      flags.insert(flags.end(), {"-n", options.namespace_name});
    result += kKml;
    if (!flags.empty()) result += shell_quoted(flags) + " ";
    at += kKml.size();
  }
  return result;
}

std::string words_of_target(GlobalOptions options, bool any_namespace) {
  constexpr std::string_view kCommand = "list";
  if (any_namespace) options.namespace_name.clear();
  const std::string line = for_same_target(options, "kml list");
  return line.substr(kKml.size(), line.size() - kKml.size() - kCommand.size());
}

std::vector<std::string> same_kml(const GlobalOptions& options, const std::vector<std::string>& words) {
  std::vector<std::string> command = target_flags(options);
  command.insert(command.begin(), own_executable().string());
  command.insert(command.end(), words.begin(), words.end());
  return command;
}

kube::Client& Context::client() {
  std::optional<kube::Client>& client = now().client;
  if (!client) {
    http::Endpoint endpoint = target().endpoint;
    endpoint.on_warning = [this](const std::string& text) { note("warning: " + text); };
    if (endpoint.is_unverified)
      note("warning: " + endpoint.url +
           " gets your credentials, although kml does not verify its certificate: the kubeconfig has "
           "insecure-skip-tls-verify; set certificate-authority to the cluster's ca.crt instead");
    // The embedded server may have been shutting down when its address was looked up.
    if (place().is_local)
      endpoint.on_no_connection = [this] {
        bool started = false;
        local::ensure_running(started);
        if (started) note("the embedded server had stopped; started it again");
      };
    std::unique_ptr<http::Transport>& transport = now().transport;
    transport = http::make_curl_transport(std::move(endpoint));
    client.emplace(*transport, kube::Pause(), [this](const std::string& why) { note(why); });
    if (place().is_local) {
      client->set_near();
      client->absent_kinds().set_all();
    } else {
      client->absent_kinds().keep_in(state_folder() / "absent-kinds" /
                                     path_component(target().endpoint.url + " " + target().user));
    }
  }
  return *client;
}

void Context::keep_server_down() {
  local::keep_down();
}

void Context::tell_target(const std::string& namespaces) {
  const kube::Target& to = target();
  streams_.err << "→ " << to.context << "/" << (namespaces.empty() ? to.namespace_name : namespaces) << " as "
               << to.user << std::endl;
}

void Context::note(const std::string& text) {
  progress_.end();
  streams_.err << "kml: " << for_same_target(options_, text) << std::endl;
}

}  // namespace kml::cli
