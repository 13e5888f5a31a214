#pragma once

#include <memory>
#include <optional>
#include <string>

#include "kml/base/error.h"
#include "kml/engine/watching/owned_objects.h"
#include "kml/kube/client/watch.h"

namespace kml::engine {

/// Watches for a request to stop. To stop an engine in the cluster, a process writes a key into the engine's
/// ConfigMap.
class StopRequest {
 public:
  /// `object` is the ConfigMap as it was last read. A request in it is noticed at once.
  StopRequest(kube::Client& client, const EngineMarks& marks, const Json& object);

  /// The value of the key; empty if there is no request. Changes arrive during Transport::wait. Throws Error
  /// if the watch has ended permanently.
  std::optional<std::string> text() const;

  static constexpr const char* kKey = "stop";

 private:
  std::optional<std::string> text_;
  std::optional<Error> failure_;
  std::unique_ptr<kube::Watch> watch_;
};

}  // namespace kml::engine
