#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kml/engine/watching/owned_objects.h"
#include "kml/job/submit/belongings.h"
#include "kml/kube/client/client.h"

namespace kml::sweep {

/// The values that mark a sweep's objects in the cluster.
struct SweepMarks {
  std::string name;
  std::string id;  ///< the submit-id of the objects that belong to the sweep as a whole
  std::string namespace_name;
};

engine::EngineMarks engine_marks(const SweepMarks& sweep);

/// The name of the ConfigMap that owns the sweep's objects, and of the Secret with its trials' variables:
/// "kml-sweep-lr1".
std::string sweep_object_name(const std::string& sweep);

/// Creates the ConfigMap sweep_object_name() with `data`, or updates the data of the sweep's existing one.
/// Deleting the ConfigMap deletes all objects that it owns. Adds `labels` to the standard ones. Throws Error
/// if a different sweep has a ConfigMap with this name.
Json make_sweep_object(kube::Client& client, const SweepMarks& sweep, const Json& data = Json::object(),
                       const Json& labels = Json::object());

std::optional<Json> find_sweep_object(kube::Client& client, const std::string& namespace_name,
                                      const std::string& sweep);

/// Deletes the ConfigMap and the objects that it owns. Does nothing if this sweep has no ConfigMap.
void remove_sweep_object(kube::Client& client, const SweepMarks& sweep);

/// Creates an object that belongs to `owner`, the result of make_sweep_object(). If this sweep already has
/// the object, replaces its data. Replaces an object of a deleted sweep with the same name. Throws Error if
/// any other object has the name.
Json make_owned(kube::Client& client, const SweepMarks& sweep, const Json& owner, Json object);

/// Creates the Secrets that all trials share: their variables, their code and their packages.
void make_sweep_secrets(kube::Client& client, const SweepMarks& sweep,
                        const std::vector<job::Belonging>& secrets);

/// The names of the sweep's Secrets (from --code, --secret and --uv) that a trial's job mentions.
std::vector<std::string> sweep_secrets_of(const std::string& sweep, const Json& trial);

/// Throws Error if the trial mentions Secrets from make_sweep_secrets() that no longer exist.
void require_sweep_secrets(kube::Client& client, const SweepMarks& sweep, const Json& trial);

}  // namespace kml::sweep
