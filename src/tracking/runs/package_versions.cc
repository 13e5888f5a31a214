#include "tracking/runs/package_versions.h"

#include "kml/job/packages/locked.h"

namespace kml::tracking {

namespace {

constexpr std::string_view kOfStep = " lock";

/// `of` precedes the names: "train " for a step.
void add_versions(TrackedRun& run, const std::string& of, const std::string& digest) {
  const auto lock = packages::read_lock(digest);
  if (!lock) return;
  for (const auto& [name, version] : packages::versions_in(*lock))
    run.facts[of + "package " + name] = version;
}

}  // namespace

void add_package_versions(std::vector<TrackedRun>& runs) {
  for (TrackedRun& run : runs) {
    const std::map<std::string, std::string> facts = run.facts;
    for (const auto& [fact, digest] : facts)
      if (fact == "packages")
        add_versions(run, "", digest);
      else if (fact.ends_with(kOfStep))
        add_versions(run, fact.substr(0, fact.size() - kOfStep.size() + 1), digest);
  }
}

}  // namespace kml::tracking
