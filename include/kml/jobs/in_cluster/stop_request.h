#pragma once

#include <memory>
#include <optional>
#include <string>

#include "kml/core/error.h"
#include "kml/jobs/watching/owned_objects.h"
#include "kml/kube/watch.h"

namespace kml::jobs {

/// Tells an engine in the cluster that what it runs is to end: who asks writes a key into its ConfigMap,
/// which is watched.
class StopRequest {
 public:
  /// `object` is the ConfigMap, as it was read: what is asked for already is known at once.
  StopRequest(kube::Client& client, const EngineMarks& marks, const Json& object);

  /// The key's text; empty if nobody asks. News are known after Transport::wait. Throws Error if the watch
  /// has ended for good.
  std::optional<std::string> text() const;

  static constexpr const char* kKey = "stop";

 private:
  std::optional<std::string> text_;
  std::optional<Error> failure_;
  std::unique_ptr<kube::Watch> watch_;
};

}  // namespace kml::jobs
