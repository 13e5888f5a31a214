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
/// Like made_by_kml(), with the other objects of a template that has one job. These are created before the
/// job, and if one of them exists already, the job is not created.
References made_before_job(const SubmitPlan& plan);
/// What the user's own defaults name, such as a pull secret. An agent cannot change these.
References named_by_user(const std::vector<spec::Setting>& settings);

/// Throws usage Error if this process runs for an agent, and a part of the objects reads an existing Secret,
/// ConfigMap or service account that the agent may not use, or if an object belongs to the whole cluster, or
/// changes what others may do in it.
/// `allowed` are further objects that may be read.
void require_agents_references(const std::vector<Json>& objects, const References& allowed);

}  // namespace kml::job
