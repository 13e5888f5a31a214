#pragma once

#include <memory>
#include <optional>
#include <string>

#include "kml/base/error.h"
#include "kml/engine/watching/owned_objects.h"
#include "kml/kube/client/watch.h"

namespace kml::engine {

/// Watches for a request to stop. A process that wants an engine in the cluster to stop writes a key into the
/// engine's ConfigMap.
class StopRequest {
 public:
  /// `object` is the ConfigMap as last read; a request in it is known at once.
  StopRequest(kube::Client& client, const EngineMarks& marks, const Json& object);

  /// The value of the key; empty without a request. Changes arrive during Transport::wait. Throws Error if
  /// the watch has ended permanently.
  std::optional<std::string> text() const;

  static constexpr const char* kKey = "stop";

 private:
  std::optional<std::string> text_;
  std::optional<Error> failure_;
  std::unique_ptr<kube::Watch> watch_;
};

}  // namespace kml::engine
