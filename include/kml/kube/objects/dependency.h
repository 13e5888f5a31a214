#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kml/base/json.h"

namespace kml::api {

/// A job that another job waits for. The embedded server starts a suspended job once all its dependencies are
/// met.
struct Dependency {
  enum class When { ok, any, failed };
  When when = When::ok;  ///< how the awaited job must end: with success, in any way, or with a failure
  std::string kind;      ///< "Job", "PyTorchJob"
  std::string name;
  /// the awaited job's uid, which distinguishes that job from a later one with the same name
  std::string uid;
  std::string never;  ///< why the dependency can no longer be met, e.g. "train failed"; empty while it can
  /// Whether `never` says that the awaited job cannot start itself, because of its own dependencies. This may
  /// change, because a user may start that job anyway.
  bool is_stuck = false;
};

/// Annotation: since when a user has suspended a job that waits for others. Such a job does not start when
/// the other jobs have ended.
inline constexpr std::string_view kHeld = "kml.dev/held";

/// What the job waits for, to be used after "waits for": "train to succeed". If `never` is set, returns
/// `never` instead, unless `is_stuck` is true.
std::string in_words(const Dependency& dependency);

/// The name of a condition: "ok", "any" or "failed".
std::string_view name_of(Dependency::When when);
std::optional<Dependency::When> when_of(std::string_view name);

/// The dependencies in a job's annotation kml.dev/after; leaves out unreadable ones.
std::vector<Dependency> dependencies_of(const Json& job);
/// The text of the annotation kml.dev/after.
std::string text_of(const std::vector<Dependency>& dependencies);

/// Whether the job is suspended, was not cancelled, and has a dependency that can no longer be met, so only a
/// user can start it.
bool is_stuck(const Json& job);

/// Whether the job meets the dependency. Pass nullptr if the job no longer exists. Sets `never` if the
/// dependency can no longer be met.
bool is_met(Dependency& dependency, const Json* job);

}  // namespace kml::api
