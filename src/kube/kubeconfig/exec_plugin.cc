#include "kube/kubeconfig/exec_plugin.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <optional>

#include "kml/base/files.h"
#include "kml/base/process.h"
#include "kml/base/text.h"
#include "kml/base/yaml.h"
#include "kml/kube/objects/container.h"
#include "kml/kube/objects/field_types.h"
#include "kml/kube/objects/object.h"

namespace kml::kube {

namespace fs = std::filesystem;

namespace {

constexpr size_t kLargestFile = size_t{1} << 20;

Error refused(const std::string& command, const fs::path& file, const std::string& why) {
  return usage_error(
      "not allowed to run the command \"" + command + "\" for credentials", file.string() + ": " + why,
      "allow it there: `credentialPluginPolicy: Allowlist`, and the entry `command: " + command +
          "` in credentialPluginAllowlist; install it if it is missing");
}

/// The user's preferences, which contain the policy; an empty object if there are none.
Json read_preferences(const fs::path& file) {
  const auto text = read_file_if_exists(file, kLargestFile);
  if (!text) return Json::object();
  try {
    for (const yaml::Node& document : yaml::parse(*text, file.string())) {
      Json preferences = yaml::to_json(document, file.string());
      if (api::kind_name(preferences) != "Preference") continue;
      if (const auto faults = api::type_faults("Kuberc", preferences); !faults.empty()) {
        Error error = usage_error("cannot read " + file.string());
        error.problems = {problem_of(faults[0], document, file)};
        throw error;
      }
      return preferences;
    }
  } catch (Error& error) {
    error.fix = "correct the file: it lists the commands that may be run for credentials";
    throw;
  }
  return Json::object();
}

Json parsed_output(std::string_view text) {
  return Json::parse(text, nullptr, /*allow_exceptions=*/false);
}

/// The text before and after the credential in the output; empty if the output has no credential. The
/// credential must start at the first brace or on a new line.
std::optional<std::string> stray_text(std::string_view output) {
  const size_t last = output.rfind('}');
  if (last == std::string_view::npos) return {};
  for (size_t begin = output.find('{'); begin < last; begin = output.find("\n{", begin)) {
    if (output[begin] == '\n') ++begin;
    if (api::kind_name(parsed_output(output.substr(begin, last + 1 - begin))) != "ExecCredential") continue;
    const std::string stray(output.substr(0, begin)), after(output.substr(last + 1));
    // The text is another credential, which must stay secret
    if (contains(stray, "ExecCredential")) return {};
    return std::string(trim(std::string(trim(stray)) + " " + std::string(trim(after))));
  }
  return {};
}

/// Finds the program with that name as Go's exec.LookPath does.
std::optional<fs::path> look_up(const std::string& name) {
  auto is_program = [](const fs::path& path) {
    std::error_code fault;
    return fs::is_regular_file(path, fault) && ::access(path.c_str(), X_OK) == 0;
  };
  if (name.find('/') != std::string::npos)
    return is_program(name) ? std::optional(fs::absolute(name).lexically_normal()) : std::nullopt;
  for (const std::string& folder : split(environment("PATH"), ':'))
    if (fs::path path = fs::path(folder) / name; !folder.empty() && is_program(path))
      return fs::absolute(path).lexically_normal();
  return {};
}

/// In versions before 1.36, an entry's field was called "name".
bool allows(const Json& entry, const std::string& command) {
  const std::string named = string_at(entry, {"command"}, api::entry_name(entry));
  const auto program = look_up(command);
  return !named.empty() && program && program == look_up(named);
}

}  // namespace

void check_plugin_policy(const std::string& command) {
  const std::string variable = environment("KUBERC");
  if (variable == "off" || environment("KUBECTL_KUBERC") == "false") return;
  const fs::path file =
      variable.empty() ? fs::path(environment("HOME")) / ".kube/kuberc" : fs::path(variable);
  const Json preferences = read_preferences(file);
  const std::string policy = string_at(preferences, {"credentialPluginPolicy"}, "AllowAll");
  const Json& list = array_at(preferences, {"credentialPluginAllowlist"});
  if (policy == "DenyAll") throw refused(command, file, "credentialPluginPolicy is DenyAll");
  if (policy != "AllowAll" && policy != "Allowlist")
    throw refused(command, file, "credentialPluginPolicy is \"" + policy + "\", which kml does not know");
  if (policy == "AllowAll" && !list.empty())
    throw refused(command, file,
                  "it has a credentialPluginAllowlist, but credentialPluginPolicy is not Allowlist");
  if (policy == "AllowAll") return;
  for (const Json& entry : list)
    if (allows(entry, command)) return;
  throw refused(command, file, "it is not on the credentialPluginAllowlist, or is not installed");
}

namespace {

constexpr size_t kLongestOutput = size_t{1} << 20;
constexpr int kEndedByCtrlC = 128 + SIGINT;

}  // namespace

bool ExecPlugin::stdin_is_terminal() {
  return ::isatty(STDIN_FILENO) == 1;
}

Error ExecPlugin::failed(std::string why, std::string fix) const {
  const std::string& command = settings_.argv.front();
  if (fix.empty()) fix = "log in again with the tool that \"" + command + "\" belongs to";
  return {ErrorCode::auth, "cannot get credentials from the command \"" + command + "\"", std::move(why),
          std::move(fix)};
}

bool ExecPlugin::may_talk() const {
  const bool terminal = surroundings_.has_terminal();
  if (settings_.interactive == Interactive::always && !terminal)
    throw failed("it needs your input (interactiveMode: Always), but standard input is not a terminal",
                 "run kml in a terminal, without a pipe into it");
  return settings_.interactive != Interactive::never && terminal;
}

const ExecPlugin::Credential& ExecPlugin::credential() {
  if (!have_ || (expires_ && surroundings_.now() > *expires_)) {
    take(run());
    have_ = true;
  }
  return credential_;
}

std::string ExecPlugin::run() const {
  check_plugin_policy(settings_.argv.front());
  const bool interactive = may_talk();
  Json spec = {{"interactive", interactive}};
  set_said(spec, {{"cluster", settings_.cluster}});
  const Json info = {
      {"apiVersion", settings_.api_version}, {"kind", "ExecCredential"}, {"spec", std::move(spec)}};
  ProcessOptions options{.limit = kLongestOutput,
                         .ends_at_limit = true,
                         .environment = settings_.environment,
                         .inherit_input = interactive,
                         .inherit_errors = true,
                         .time_limit = surroundings_.time_limit};
  options.environment.push_back("KUBERNETES_EXEC_INFO=" + info.dump());
  ProcessResult result = run_process(settings_.argv, options);
  if (result.start_errno == ENOENT)
    throw failed("it is not installed",
                 settings_.install_hint.empty()
                     ? "install it, or correct exec.command of this user in the kubeconfig"
                     : settings_.install_hint);
  if (result.start_errno != 0)
    throw failed(std::strerror(result.start_errno), "correct its permissions, or install it again");
  if (result.is_too_long) throw failed("it printed more than " + size_text(kLongestOutput));
  if (result.timed_out)
    throw failed("it did not finish within " +
                 short_duration(std::chrono::ceil<std::chrono::seconds>(surroundings_.time_limit)));
  if (result.exit_code == kEndedByCtrlC) throw Error(ErrorCode::interrupted, "interrupted");
  if (result.exit_code != 0)
    throw failed("it exited with code " + std::to_string(result.exit_code) +
                 "; its standard error may show why");
  return std::move(result.out);
}

void ExecPlugin::take(const std::string& output) {
  const std::string fix = "check its output, and exec.apiVersion of this user in the kubeconfig";
  const Json printed = parsed_output(output);
  if (const auto stray = printed.is_discarded() ? stray_text(output) : std::nullopt)
    throw failed("in addition to the credential, it printed \"" + *stray + "\"",
                 "let the command print such messages to standard error");
  if (api::kind_name(printed) != "ExecCredential") throw failed("its output is not an ExecCredential", fix);
  if (const auto faults = api::type_faults("ExecCredential", printed); !faults.empty())
    throw failed("in its output, " + faults[0].path + ": " + faults[0].text, fix);
  if (const std::string version = api::api_version_of(printed); version != settings_.api_version)
    throw failed("it speaks " + (version.empty() ? "no version" : version) +
                     ", but the kubeconfig requires " + settings_.api_version,
                 fix);
  const Json& status = api::status_of(printed);
  const auto text = [&status](const char* field) { return string_at(status, {field}); };
  Credential fresh{text("token"), {text("clientCertificateData"), text("clientKeyData")}};
  if (fresh.certificate.certificate_pem.empty() != fresh.certificate.key_pem.empty())
    throw failed("it returns only one of a client certificate and its key", fix);
  if (fresh.token.empty() && fresh.certificate.key_pem.empty())
    throw failed("it returns neither a token nor a client certificate", fix);
  const std::string expires = text("expirationTimestamp");
  const auto time = parse_rfc3339(expires);
  if (!expires.empty() && !time) throw failed("its expirationTimestamp is not a time", fix);
  expires_ = time;
  credential_ = std::move(fresh);
}

namespace {

constexpr std::string_view kV1 = "client.authentication.k8s.io/v1";
constexpr std::string_view kV1beta1 = "client.authentication.k8s.io/v1beta1";

std::string command_of(const Stanza& user, const std::string& owner) {
  std::string command = string_at(user.value, {"exec", "command"});
  if (command.empty()) throw stanza_error(user, owner, "its exec has no command", "add exec.command");
  // A command without "/" is searched for in PATH. A relative path is relative to its kubeconfig's folder.
  return command.find('/') == std::string::npos ? command : resolved(user, command).string();
}

std::string version_of(const Stanza& user, const std::string& owner) {
  std::string version = string_at(user.value, {"exec", "apiVersion"});
  if (version != kV1 && version != kV1beta1)
    throw stanza_error(user, owner,
                       version.empty()
                           ? "its exec has no apiVersion"
                           : "its exec.apiVersion is " + version + ", which Kubernetes no longer supports",
                       "set exec.apiVersion to " + std::string(kV1) +
                           ", or create the kubeconfig again with the tool that wrote it");
  return version;
}

Interactive interactive_of(const Stanza& user, const std::string& owner, const std::string& version) {
  const std::string mode = string_at(user.value, {"exec", "interactiveMode"});
  if (mode == "Never") return Interactive::never;
  if (mode == "Always") return Interactive::always;
  if (mode == "IfAvailable" || (mode.empty() && version == kV1beta1)) return Interactive::if_available;
  throw stanza_error(user, owner,
                     mode.empty() ? "its exec stanza has no interactiveMode"
                                  : "its exec.interactiveMode is \"" + mode + "\"",
                     "set exec.interactiveMode to Never, IfAvailable or Always");
}

/// The cluster's stanza for a plugin with provideClusterInfo. The CA is always included as data.
Json cluster_info(const Stanza& cluster, const http::Endpoint& endpoint) {
  Json info = {{"server", endpoint.url}};
  set_said(info, {{"tls-server-name", endpoint.tls_server_name},
                  {"certificate-authority-data", base64_encoded(endpoint.ca_pem)},
                  {"proxy-url", endpoint.proxy_url},
                  {"disable-compression", endpoint.disable_compression ? Json(true) : Json()}});
  for (const Json& extension : array_at(cluster.value, {"extensions"}))
    if (api::entry_name(extension) == "client.authentication.k8s.io/exec")
      info["config"] = extension.value("extension", Json());
  return info;
}

}  // namespace

ExecSettings exec_settings(const Stanza& user, const std::string& owner, const Stanza& cluster,
                           const http::Endpoint& endpoint) {
  const Json& exec = user.part("exec");
  ExecSettings settings;
  settings.argv = {command_of(user, owner)};
  for (const Json& argument : api::arguments_of(exec))
    settings.argv.push_back(argument.is_string() ? argument.get<std::string>() : "");
  for (const Json& variable : api::variables_of(exec)) {
    const std::string name = api::entry_name(variable);
    if (name.empty())
      throw stanza_error(user, owner, "a variable of its exec has no name", "correct exec.env");
    settings.environment.push_back(name + "=" + api::value_of(variable));
  }
  settings.api_version = version_of(user, owner);
  settings.interactive = interactive_of(user, owner, settings.api_version);
  settings.install_hint = string_at(exec, {"installHint"});
  if (bool_at(exec, {"provideClusterInfo"})) settings.cluster = cluster_info(cluster, endpoint);
  return settings;
}

}  // namespace kml::kube
