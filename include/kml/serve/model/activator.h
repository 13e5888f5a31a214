#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "kml/base/json.h"
#include "kml/kube/client/client.h"
#include "kml/pod/streams/running_rank.h"
#include "kml/serve/model/watched_objects.h"

namespace kml::serve {

/// "kml.dev/activator=NAME": the activator's pods.
std::string activator_selector(const std::string& name);
/// The name of the activator's Deployment and of the objects of its service account: "NAME-activator".
std::string activator_name(const std::string& name);
/// Whether requests to the Service go to the activator.
bool leads_to_activator(const Json& service);

/// The running pod of the activator; empty if no pod runs, or if the Service does not lead to the activator.
std::optional<pod::RunningRank> activator_rank(kube::Client& client, const std::string& namespace_name,
                                               const std::string& name);

/// An activator's view of the Deployment for which it holds requests, and the means to scale that Deployment.
class ServedScale {
 public:
  struct State {
    struct Replica {
      std::string address;
      int port;
    };
    std::vector<Replica> ready;
    std::chrono::seconds idle;  ///< the idle limit; a day if the Deployment has none
    std::string problem;        ///< why no replica is ready
    bool is_hopeless;           ///< whether the replicas crash again and again
  };

  ServedScale(kube::Client& client, std::string namespace_name, const std::string& name);

  /// Whether anything has changed since the last call; false until each watch has received its first list. If
  /// a watch has failed, throws its error.
  bool take_change();
  State state() const;

  /// Scales the Deployment to zero, unless it has no idle limit, is not rolled out, or its Service does not
  /// lead to the activator. Throws Error.
  void rest();
  /// Gives the Deployment its earlier number of replicas. Throws Error.
  void wake();

 private:
  const Json* deployment() const;
  bool gets_requests() const;
  void replace(const Json& next);

  kube::Client& client_;
  std::string namespace_, name_;
  WatchedObjects watched_;
  const WatchedObjects::Objects &deployments_, &services_, &pods_;
  std::string replaced_;  ///< the resourceVersion of the Deployment that was last replaced
};

}  // namespace kml::serve
