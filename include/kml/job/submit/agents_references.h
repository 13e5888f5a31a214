#pragma once

#include <set>
#include <string>
#include <vector>

#include "kml/base/json.h"
#include "kml/job/spec/setting.h"
#include "kml/job/submit/submit.h"

namespace kml::job {

/// Existing objects, by kind and name: "secret/hf-token".
using References = std::set<std::string>;

/// The Secrets and ConfigMaps that kml makes for the plan.
References made_by_kml(const SubmitPlan& plan);
/// The objects of made_by_kml() and, of a template with one job, all other objects. kml creates them before
/// the job. If one of them already exists, kml creates no job, unless it is shared and has the same contents.
References made_before_job(const SubmitPlan& plan);
/// What the user's own defaults name, such as a pull secret. An agent cannot change these.
References named_by_user(const std::vector<spec::Setting>& settings);

/// Does nothing if this process does not run for an agent. Throws usage Error if an object uses an existing
/// Secret, ConfigMap, SecretProviderClass or service account that the agent may not use, belongs to the whole
/// cluster, or changes what others may do in the cluster. The objects may also use those in `allowed`.
void require_agents_references(const std::vector<Json>& objects, const References& allowed);

}  // namespace kml::job
