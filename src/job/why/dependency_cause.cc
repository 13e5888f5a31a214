#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "job/why/causes.h"
#include "kml/base/text.h"
#include "kml/job/why/cause.h"
#include "kml/kube/objects/dependency.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"

namespace kml::job {

namespace {

using api::Dependency;

/// "should start once train has failed, but train succeeded".
std::string lost_in_words(const Dependency& lost) {
  return fmt::format("should start once {} has {}, but {}", lost.name,
                     lost.when == Dependency::When::ok ? "succeeded" : "failed", lost.never);
}

/// The first dependency that can no longer be met because the awaited job has ended.
const Dependency* first_lost(const std::vector<Dependency>& dependencies) {
  const auto lost = std::ranges::find_if(
      dependencies, [](const Dependency& one) { return !one.never.empty() && !one.is_stuck; });
  return lost == dependencies.end() ? nullptr : &*lost;
}

/// An awaited job that itself cannot start, and why.
struct Stuck {
  std::string root;  ///< the job that cannot start because of its own dependency
  std::string why;
};

/// Follows the dependencies to a job that cannot start. Only knows the jobs that were read.
std::optional<Stuck> stuck_behind(const Facts& facts, const Json& job, std::set<std::string>& seen) {
  if (!facts.other_jobs) return {};
  for (const Dependency& one : api::dependencies_of(job)) {
    const auto other = std::ranges::find_if(*facts.other_jobs,
                                            [&](const Json& known) { return api::uid_of(known) == one.uid; });
    if (other == facts.other_jobs->end() || !seen.insert(one.uid).second) continue;
    const std::vector<Dependency> of_other = api::dependencies_of(*other);
    if (const Dependency* lost = first_lost(of_other)) return Stuck{one.name, lost_in_words(*lost)};
    if (auto stuck = stuck_behind(facts, *other, seen)) return stuck;
  }
  return {};
}

Cause held_by_user(const Facts& facts, const std::vector<Dependency>& dependencies) {
  std::vector<std::string> others;
  for (const Dependency& one : dependencies) others.push_back(api::in_words(one));
  const std::string name = api::name_of(facts.job);
  Cause cause =
      make_cause(CauseCode::suspended, "`kml resume " + name + "` lets it wait for other jobs again",
                 "is suspended; once resumed, it waits for " + join(others, ", "));
  cause.remedies = {{"resume it", "kml resume " + name}};
  return cause;
}

}  // namespace

std::optional<Cause> dependency_cause(const Facts& facts) {
  const std::vector<Dependency> dependencies = api::dependencies_of(facts.job);
  if (dependencies.empty()) return {};
  if (!api::annotation_of(facts.job, api::kHeld).empty()) return held_by_user(facts, dependencies);
  const std::string name = api::name_of(facts.job);
  if (const Dependency* lost = first_lost(dependencies)) {
    Cause cause = make_cause(CauseCode::dependency, "cannot start: " + lost->never, lost_in_words(*lost));
    cause.outlook = Outlook::never;
    cause.remedies = {{"start it anyway", "kml resume " + name}, {"cancel it", "kml cancel " + name}};
    return cause;
  }
  std::vector<std::string> others;
  for (const Dependency& one : dependencies) others.push_back(api::in_words(one));
  Cause cause =
      make_cause(CauseCode::dependency, "for " + join(others, ", "), "waits for " + join(others, ", "));
  cause.remedies = {{"see why that job takes so long", "kml why " + dependencies[0].name},
                    {"start it now", "kml resume " + name}};
  std::set<std::string> seen;
  if (const auto stuck = stuck_behind(facts, facts.job, seen)) {
    cause.outlook = Outlook::never;
    cause.brief = fmt::format("cannot start: {} cannot start", stuck->root);
    cause.summary += fmt::format("; {} cannot start: it {}", stuck->root, stuck->why);
    cause.remedies = {{"start that job anyway", "kml resume " + stuck->root},
                      {"or start this one now", "kml resume " + name},
                      {"or cancel it", "kml cancel " + name}};
  } else if (const auto behind = std::ranges::find_if(dependencies, &Dependency::is_stuck);
             behind != dependencies.end()) {
    cause.outlook = Outlook::never;
    cause.brief = "cannot start: " + behind->never;
    cause.summary += "; " + behind->never;
    cause.remedies = {{"see why " + behind->never, "kml why " + behind->name},
                      {"or start this one now", "kml resume " + name},
                      {"or cancel it", "kml cancel " + name}};
  }
  return cause;
}

}  // namespace kml::job
