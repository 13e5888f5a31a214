#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kml/core/json.h"

namespace kml::api {

/// A job that another job waits for. The embedded server starts a suspended job once all its dependencies are
/// met.
struct Dependency {
  enum class When { ok, any, failed };
  When when = When::ok;  ///< how it must end: succeed, either, or fail
  std::string kind;      ///< "Job", "PyTorchJob"
  std::string name;
  std::string uid;    ///< tells it from a later job of the same name
  std::string never;  ///< why it can no longer be met: "train failed"; otherwise empty
};

/// "ok", "any", "failed".
std::string_view name_of(Dependency::When when);
std::optional<Dependency::When> when_of(std::string_view name);

/// The dependencies in a job's annotation kml.dev/after; leaves out unreadable ones.
std::vector<Dependency> dependencies_of(const Json& job);
/// The text of the annotation kml.dev/after.
std::string text_of(const std::vector<Dependency>& dependencies);

/// Whether the job meets the dependency; nullptr if it no longer exists. Sets `never` if it cannot be met any
/// more.
bool is_met(Dependency& dependency, const Json* job);

}  // namespace kml::api
