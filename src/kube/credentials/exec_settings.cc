#include "kube/credentials/exec_settings.h"

#include "kml/core/text.h"

namespace kml::kube {

namespace {

constexpr std::string_view kV1 = "client.authentication.k8s.io/v1";
constexpr std::string_view kV1beta1 = "client.authentication.k8s.io/v1beta1";

std::string command_of(const Stanza& user, const std::string& owner) {
  std::string command = string_at(user.value, {"exec", "command"});
  if (command.empty()) throw stanza_error(user, owner, "its exec has no command", "add exec.command");
  // A bare name is looked up in PATH; a path counts from the file that holds it.
  return command.find('/') == std::string::npos ? command : resolved(user, command).string();
}

std::string version_of(const Stanza& user, const std::string& owner) {
  std::string version = string_at(user.value, {"exec", "apiVersion"});
  if (version != kV1 && version != kV1beta1)
    throw stanza_error(
        user, owner,
        version.empty() ? "its exec has no apiVersion"
                        : "its exec's apiVersion is " + version + ", which Kubernetes no longer has",
        "set exec.apiVersion to " + std::string(kV1) + ", or get the kubeconfig again from its tool");
  return version;
}

Interactive interactive_of(const Stanza& user, const std::string& owner, const std::string& version) {
  const std::string mode = string_at(user.value, {"exec", "interactiveMode"});
  if (mode == "Never") return Interactive::never;
  if (mode == "Always") return Interactive::always;
  if (mode == "IfAvailable" || (mode.empty() && version == kV1beta1)) return Interactive::if_available;
  throw stanza_error(
      user, owner,
      mode.empty() ? "its exec has no interactiveMode" : "its exec's interactiveMode is \"" + mode + "\"",
      "set exec.interactiveMode to Never, IfAvailable or Always");
}

/// What a plugin with provideClusterInfo sees: the cluster's stanza, its authority always as data.
Json cluster_info(const Stanza& cluster, const http::Endpoint& endpoint) {
  Json info = {{"server", endpoint.url}};
  if (!endpoint.tls_server_name.empty()) info["tls-server-name"] = endpoint.tls_server_name;
  if (!endpoint.ca_pem.empty()) info["certificate-authority-data"] = base64_encoded(endpoint.ca_pem);
  if (!endpoint.proxy_url.empty()) info["proxy-url"] = endpoint.proxy_url;
  if (endpoint.disable_compression) info["disable-compression"] = true;
  for (const Json& extension : array_at(cluster.value, {"extensions"}))
    if (string_at(extension, {"name"}) == "client.authentication.k8s.io/exec")
      info["config"] = extension.value("extension", Json());
  return info;
}

}  // namespace

ExecSettings exec_settings(const Stanza& user, const std::string& owner, const Stanza& cluster,
                           const http::Endpoint& endpoint) {
  const Json& exec = object_at(user.value, {"exec"});
  ExecSettings settings;
  settings.argv = {command_of(user, owner)};
  for (const Json& argument : array_at(exec, {"args"}))
    settings.argv.push_back(argument.is_string() ? argument.get<std::string>() : argument.dump());
  for (const Json& variable : array_at(exec, {"env"})) {
    const std::string name = string_at(variable, {"name"});
    if (name.empty())
      throw stanza_error(user, owner, "a variable of its exec has no name", "correct exec.env");
    settings.environment.push_back(name + "=" + string_at(variable, {"value"}));
  }
  settings.api_version = version_of(user, owner);
  settings.interactive = interactive_of(user, owner, settings.api_version);
  settings.install_hint = string_at(exec, {"installHint"});
  if (bool_at(exec, {"provideClusterInfo"})) settings.cluster = cluster_info(cluster, endpoint);
  return settings;
}

}  // namespace kml::kube
