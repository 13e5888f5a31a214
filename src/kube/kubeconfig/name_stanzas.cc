#include "kml/kube/kubeconfig/name_stanzas.h"

#include <string>
#include <string_view>

#include "kml/base/text.h"
#include "kml/net/http/url_host.h"
#include "kube/kubeconfig/kubeconfig_files.h"

namespace kml::kube {

namespace {

/// In the Error's fix, replaces the words "this user in the kubeconfig" by `user "ana" (context "prod") in
/// /home/ana/.kube/config`.
void name_stanza(Error& error, const std::string& kind, const Stanzas& stanzas, const std::string& name,
                 const std::string& context) {
  const std::string words = "this " + kind + " in the kubeconfig";
  const size_t at = error.fix.find(words);
  const auto stanza = stanzas.find(name);
  if (at == std::string::npos || stanza == stanzas.end()) return;
  error.fix.replace(
      at, words.size(),
      kind + " \"" + name + "\" (context \"" + context + "\") in " + stanza->second.file.string());
}

}  // namespace

void name_stanzas(Error& error, const KubeconfigOptions& options) try {
  if (!contains(error.fix, " in the kubeconfig")) return;
  const Kubeconfig config = read_kubeconfig(kubeconfig_files(options));
  const auto context = config.contexts.find(options.context);
  if (context == config.contexts.end()) return;
  const std::string cluster = context->second.text("cluster");
  const auto stanza = config.clusters.find(cluster);
  if (stanza == config.clusters.end() ||
      !contains(lower(message_and_why(error)), lower(http::host_of(stanza->second.text("server")))))
    return;
  name_stanza(error, "cluster", config.clusters, cluster, options.context);
  name_stanza(error, "user", config.users, context->second.text("user"), options.context);
} catch (const Error&) {
  // If reading fails here, the Error to report is still the original one.
}

}  // namespace kml::kube
