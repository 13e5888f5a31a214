#include <optional>
#include <string>

#include "kml/base/json.h"
#include "kml/engine/watching/job_runner.h"

namespace kml::engine {

namespace {

/// The object at the path or, if that is a list, its first element; null if nothing is there.
Json met(const JsonQuery& condition, const Json& job) {
  const std::optional<Json> found = condition.find(job);
  if (!found) return {};
  if (found->is_array() && !found->empty()) return found->front();
  return found->is_object() ? *found : Json();
}

}  // namespace

std::optional<SeenEnd> seen_end(const EndConditions& ends, const Json& job) {
  // Katib checks the failure condition first
  if (const Json failure = met(ends.failure, job); !failure.is_null()) {
    std::string cause = string_at(failure, {"reason"});
    if (const std::string message = string_at(failure, {"message"}); !message.empty())
      cause += (cause.empty() ? "" : ": ") + message;
    return SeenEnd{false, cause.empty() ? "it failed" : cause};
  }
  if (!met(ends.success, job).is_null()) return SeenEnd{true};
  return {};
}

}  // namespace kml::engine
