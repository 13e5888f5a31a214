#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kml/jobs/submit/belongings.h"
#include "kml/jobs/watching/owned_objects.h"
#include "kml/kube/client.h"

namespace kml::jobs {

/// A sweep as the cluster knows it.
struct SweepMarks {
  std::string name;
  std::string id;  ///< objects that carry it as their submit-id are its own
  std::string namespace_name;
};

EngineMarks engine_marks(const SweepMarks& sweep);

/// "kml-sweep-lr1": what is called the ConfigMap that owns what a sweep brings along, and the Secret of its
/// trials' variables.
std::string sweep_object_name(const std::string& sweep);

/// Makes that ConfigMap with `data`, or finds it. Who deletes it deletes all that it owns. Throws Error if
/// there is one of another sweep of that name.
/// With `labels` beside those of every sweep.
Json make_sweep_object(kube::Client& client, const SweepMarks& sweep, const Json& data = Json::object(),
                       const Json& labels = Json::object());

std::optional<Json> find_sweep_object(kube::Client& client, const std::string& namespace_name,
                                      const std::string& sweep);

/// Deletes it, and with it what it owns; nothing if there is none of this sweep.
void remove_sweep_object(kube::Client& client, const SweepMarks& sweep);

/// Makes the object, owned by what make_sweep_object() returned; one of the same sweep that is there gets its
/// data. Throws Error if there is one of that name that is not the sweep's.
Json make_owned(kube::Client& client, const SweepMarks& sweep, const Json& owner, Json object);

/// The Secrets of all trials: their variables, and their code.
void make_sweep_secrets(kube::Client& client, const SweepMarks& sweep, const std::vector<Belonging>& secrets);

/// Names of the Secrets with what a sweep took along (--code, --secret) that a trial's job mentions.
std::vector<std::string> sweep_secrets_of(const std::string& sweep, const Json& trial);

/// Throws Error if the trial mentions Secrets that make_sweep_secrets() once made, and they are gone.
void require_sweep_secrets(kube::Client& client, const SweepMarks& sweep, const Json& trial);

}  // namespace kml::jobs
