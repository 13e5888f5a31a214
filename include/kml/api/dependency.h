#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kml/core/json.h"

namespace kml::api {

/// A job that another one waits for. The embedded server starts a suspended job once all of its own are met.
struct Dependency {
  enum class When { ok, any, failed };
  When when = When::ok;  ///< how it has to end: well, in any way, or badly
  std::string kind;      ///< "Job", "PyTorchJob"
  std::string name;
  std::string uid;    ///< so that a later job of that name is not taken for it
  std::string never;  ///< why it cannot be met any more: "train failed"; else empty
};

/// "ok", "any", "failed".
std::string_view name_of(Dependency::When when);
std::optional<Dependency::When> when_of(std::string_view name);

/// What the annotation kml.dev/after of a job says that it still waits for; what cannot be read is left out.
std::vector<Dependency> dependencies_of(const Json& job);
/// The annotation's text.
std::string text_of(const std::vector<Dependency>& dependencies);

/// Whether a job that is there, or not any more (null), meets the dependency; sets `never` where it cannot.
bool is_met(Dependency& dependency, const Json* job);

}  // namespace kml::api
