#include "kube/kubeconfig/in_cluster.h"

#include "kml/core/files.h"
#include "kml/core/text.h"
#include "kube/credentials/credentials.h"

namespace kml::kube {

namespace {

std::string own_namespace(const std::filesystem::path& folder) {
  if (std::string name = environment("POD_NAMESPACE"); !name.empty()) return name;
  const std::string name(trim(read_file_if_exists(folder / "namespace").value_or("")));
  return name.empty() ? "default" : name;
}

}  // namespace

std::optional<Target> in_cluster_target(const KubeconfigOptions& options) {
  const std::string host = environment("KUBERNETES_SERVICE_HOST"),
                    port = environment("KUBERNETES_SERVICE_PORT");
  const std::filesystem::path& folder = options.service_account_folder;
  if (host.empty() || port.empty() || !std::filesystem::exists(folder / "token")) return {};
  Target target;
  target.context = "in-cluster";
  target.user = "service account";
  target.namespace_name = options.namespace_name.empty() ? own_namespace(folder) : options.namespace_name;
  target.endpoint.url =
      "https://" + (host.find(':') == std::string::npos ? host : "[" + host + "]") + ":" + port;
  if (std::filesystem::exists(folder / "ca.crt")) {
    target.endpoint.authorities = renewed_pem(folder / "ca.crt");
    target.endpoint.ca_pem = target.endpoint.authorities();
  }
  apply_token_file(folder / "token", target.endpoint);
  return target;
}

}  // namespace kml::kube
