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
/// "NAME-activator": its Deployment and the objects of its account.
std::string activator_name(const std::string& name);
/// Whether requests to the Service go to the activator.
bool leads_to_activator(const Json& service);

/// The running pod of the activator; empty if the Service does not lead to one.
std::optional<pod::RunningRank> activator_rank(kube::Client& client, const std::string& namespace_name,
                                               const std::string& name);

/// An activator's view of the Deployment whose requests it holds, and the means to scale it.
class ServedScale {
 public:
  struct State {
    struct Replica {
      std::string address;
      int port;
    };
    std::vector<Replica> ready;
    std::chrono::seconds idle;  ///< its limit; a day if it has none
    std::string problem;        ///< why none is ready
    bool is_hopeless;           ///< they crash again and again
  };

  ServedScale(kube::Client& client, std::string namespace_name, const std::string& name);

  /// Whether anything is new since the last call. Throws the error with which a watch has failed.
  bool take_change();
  State state() const;

  /// Scales to zero, unless an update runs or requests do not go to the activator. Throws Error.
  void rest();
  /// Gives it its earlier replicas again. Throws Error.
  void wake();

 private:
  const Json* deployment() const;
  bool gets_requests() const;
  void replace(const Json& next);

  kube::Client& client_;
  std::string namespace_, name_;
  WatchedObjects watched_;
  const WatchedObjects::Objects &deployments_, &services_, &pods_;
  std::string replaced_;  ///< the resourceVersion that was changed last
};

}  // namespace kml::serve
