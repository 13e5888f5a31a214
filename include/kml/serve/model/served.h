#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kml/base/json.h"
#include "kml/kube/client/client.h"

namespace kml::serve {

/// A served program: a Deployment that kml made, or an InferenceService, for which KServe makes the
/// Deployment.
struct Served {
  Json object;  ///< the Deployment or InferenceService that a user names
  /// the Deployment that runs the replicas; null if KServe has not made it yet, or if Knative runs the
  /// replicas
  Json deployment;

  bool is_by_kserve() const;
};
/// Throws Error if the program is an InferenceService that kml has not made. `action` is a verb: "stop".
void require_own(const Served& served, const std::string& action);

/// The name under which a Deployment is served: the Deployment's own name, or that of its InferenceService.
std::string served_name(const Json& deployment);
/// The label selector of a served Deployment's pods and ReplicaSets.
std::string replica_selector(const Json& deployment);

/// The served program with that name. Throws Error if there is none (the error lists others), or if the
/// Deployment with that name was not made by kml serve.
Served find_served(kube::Client& client, const std::string& namespace_name, const std::string& name);

/// Like find_served(), but empty if there is no served program with that name.
std::optional<Served> find_served_if_exists(kube::Client& client, const std::string& namespace_name,
                                            const std::string& name);

/// All served programs, and the InferenceServices that kml has not made.
std::vector<Served> list_served(kube::Client& client, const std::string& namespace_name);

/// The programs that steps of a run started or updated. Leaves out those that another `kml serve` has updated
/// since.
std::vector<Served> served_by_run(kube::Client& client, const std::string& namespace_name,
                                  const std::string& run_id);

/// Removes the Deployment and its Service, or the InferenceService. Throws Error if it is an InferenceService
/// that kml has not made.
void stop_served(kube::Client& client, const Served& served);

/// The Deployment of a served program. Throws Error if there is none; `wanted` is what the command then
/// cannot offer: "logs", "revisions".
const Json& require_deployment(const Served& served, const std::string& wanted);

}  // namespace kml::serve
