#include "kml/kube/kubeconfig/kubeconfig.h"

#include <algorithm>

#include "kml/base/suggestion.h"
#include "kml/base/text.h"
#include "kml/base/yaml.h"
#include "kube/kubeconfig/credentials.h"
#include "kube/kubeconfig/kubeconfig_files.h"

namespace kml::kube {

namespace {

std::vector<std::string> names_of(const Stanzas& stanzas) {
  std::vector<std::string> names;
  for (const auto& [name, stanza] : stanzas) names.push_back(name);
  return names;
}

/// The reason for a missing name if the kubeconfig has no names of this kind; otherwise empty. `kind` is a
/// word such as "context".
std::string why_of_none(const Stanzas& stanzas, const std::string& kind) {
  return stanzas.empty() ? "the kubeconfig has no " + kind + "s" : "";
}

/// The fix, with the names that the kubeconfig has.
std::string with_names(const std::string& fix, const Stanzas& stanzas) {
  constexpr size_t kMost = 10;
  return stanzas.empty() ? fix : fix + "; the kubeconfig has " + some_of(names_of(stanzas), kMost);
}

/// The stanza with that name. If it is missing, throws Error with the nearest name. `kind` is a word such as
/// "context".
const Stanza& named(const Stanzas& stanzas, const std::string& kind, const std::string& name,
                    const std::string& fix) {
  if (const auto found = stanzas.find(name); found != stanzas.end()) return found->second;
  throw usage_error("no " + kind + " \"" + name + "\"", why_of_none(stanzas, kind),
                    suggestion(name, names_of(stanzas), with_names(fix, stanzas)));
}

void apply_cluster(const Stanza& cluster, const std::string& name, http::Endpoint& endpoint) {
  const std::string owner = "cluster \"" + name + "\"";
  endpoint.url = cluster.text("server");
  if (endpoint.url.empty())
    throw stanza_error(cluster, owner, "it has no server", "add \"server: https://HOST:PORT\"");
  endpoint.ca_pem = pem_of(cluster, "certificate-authority", owner);
  endpoint.is_unverified = cluster.says("insecure-skip-tls-verify");
  if (endpoint.is_unverified && !endpoint.ca_pem.empty())
    throw stanza_error(cluster, owner, "it has both insecure-skip-tls-verify and a certificate authority",
                       "remove insecure-skip-tls-verify");
  endpoint.authorities = renewed_pem(cluster, "certificate-authority");
  endpoint.tls_server_name = cluster.text("tls-server-name");
  endpoint.proxy_url = cluster.text("proxy-url");
  endpoint.disable_compression = cluster.says("disable-compression");
}

constexpr const char* kOther =
    "name another file with --kubeconfig or KUBECONFIG, or use --context local for this machine";

/// The error for a chosen context if the default kubeconfig is missing or empty.
Error no_kubeconfig(const std::string& context, const std::vector<std::filesystem::path>& files) {
  return usage_error("no context \"" + context + "\"",
                     files.empty()
                         ? "no kubeconfig was found: KUBECONFIG is not set, and ~/.kube/config does not exist"
                         : "kubeconfig " + files[0].string() + " is empty",
                     "set KUBECONFIG, or use --context local for this machine");
}

Target target_of(const Kubeconfig& config, const KubeconfigOptions& options) {
  Target target;
  target.context = options.context.empty() ? config.current_context : options.context;
  if (target.context.empty())
    throw usage_error(
        "the kubeconfig has no current context", why_of_none(config.contexts, "context"),
        config.contexts.empty() ? kOther : with_names("pass --context, or set KML_CONTEXT", config.contexts));
  const Stanza& context = named(config.contexts, "context", target.context,
                                config.contexts.empty() ? kOther : "pass another --context");

  target.namespace_name = options.namespace_name;
  if (target.namespace_name.empty()) target.namespace_name = context.text("namespace", "default");
  if (target.namespace_name.empty()) target.namespace_name = "default";

  const std::string fix = "correct context \"" + target.context + "\" in " + context.file.string();
  const std::string cluster_name = context.text("cluster");
  const Stanza& cluster = named(config.clusters, "cluster", cluster_name, fix);
  apply_cluster(cluster, cluster_name, target.endpoint);
  target.user = context.text("user");
  if (!target.user.empty())
    apply_user(named(config.users, "user", target.user, fix), target.user, cluster, target.endpoint);
  return target;
}

}  // namespace

std::optional<Target> find_target(const KubeconfigOptions& options) {
  const std::vector<std::filesystem::path> files = kubeconfig_files(options);
  const Kubeconfig config = read_kubeconfig(files);
  if (config.empty() && names_kubeconfig(options))
    throw usage_error(
        "kubeconfig " + files[0].string() + " is empty", "it has no clusters, users or contexts",
        "name another file with --kubeconfig or KUBECONFIG, or unset KUBECONFIG to use this machine");
  if (!config.empty()) return target_of(config, options);
  if (!options.context.empty()) throw no_kubeconfig(options.context, files);
  return in_cluster_target(options);
}

DefaultPlace default_place(const std::string& kubeconfig) {
  const KubeconfigOptions options{kubeconfig, "", ""};
  try {
    const Kubeconfig config = read_kubeconfig(kubeconfig_files(options));
    if (config.empty()) {
      const auto target = in_cluster_target(options);
      return target ? DefaultPlace{target->context, target->namespace_name}
                    : DefaultPlace{"local", "default"};
    }
    const auto current = config.contexts.find(config.current_context);
    if (current == config.contexts.end()) return {};
    const std::string namespace_name = current->second.text("namespace");
    return {config.current_context, namespace_name.empty() ? "default" : namespace_name};
  } catch (const Error&) {
    return {};
  }
}

std::vector<std::string> context_names(const KubeconfigOptions& options) {
  const Kubeconfig config = read_kubeconfig(kubeconfig_files(options));
  std::vector<std::string> names;
  if (config.contexts.contains(config.current_context)) names.push_back(config.current_context);
  for (const std::string& name : names_of(config.contexts))
    if (name != config.current_context) names.push_back(name);
  return names;
}

namespace {

/// The address in lower case, without slashes at its end, because neither case nor such slashes matter.
std::string plain_address(std::string address) {
  while (address.ends_with('/')) address.pop_back();
  return lower(address);
}

}  // namespace

std::vector<std::string> contexts_at(const KubeconfigOptions& options,
                                     const std::vector<std::string>& addresses) {
  const Kubeconfig config = read_kubeconfig(kubeconfig_files(options));
  std::vector<std::string> names;
  for (const auto& [name, context] : config.contexts) {
    const auto cluster = config.clusters.find(context.text("cluster"));
    if (cluster == config.clusters.end()) continue;
    const std::string address = plain_address(cluster->second.text("server"));
    if (std::any_of(addresses.begin(), addresses.end(),
                    [&](const std::string& wanted) { return plain_address(wanted) == address; }))
      names.push_back(name);
  }
  return names;
}

std::vector<std::string> addresses_in(const std::string& kubeconfig) try {
  const std::string name = "the kubeconfig";
  const Json config = yaml::to_json(yaml::parse_one(kubeconfig, name), name);
  std::vector<std::string> addresses;
  for (const Json& cluster : array_at(config, {"clusters"}))
    if (std::string address = string_at(cluster, {"cluster", "server"}); !address.empty())
      addresses.push_back(std::move(address));
  return addresses;
} catch (const Error&) {
  return {};
}

}  // namespace kml::kube
