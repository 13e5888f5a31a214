#include "pipeline/commands/gc_data.h"

#include <set>

#include "job/commands/claim_job.h"
#include "kml/base/text.h"
#include "kml/kube/objects/container.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "kml/kube/objects/resource.h"
#include "pipeline/commands/submit_data.h"
#include "pipeline/runner/data_pod.h"

namespace kml::cli {

namespace {

/// The folders on claims that unfinished pods of the namespace read.
std::set<std::string> data_in_use(Context& context) {
  std::set<std::string> keys;
  const auto pods = context.client().list(*api::find_kind("v1", "Pod"), context.place().namespace_name);
  for (const Json& pod : pods.items) {
    const std::string phase = api::phase_of(pod);
    if (phase == "Succeeded" || phase == "Failed") continue;
    for (const Json& container : api::containers_of(pod))
      for (const Json& mount : api::mounts_of(container))
        if (const std::string key = api::sub_path_of(mount); !key.empty()) keys.insert(key);
  }
  return keys;
}

}  // namespace

int remove_old_data(Context& context, const OldData& old) {
  const std::string path(pipeline::kDataPath);
  const ClaimJob job{.name = "kml-gc",
                     .claim = pipeline::claim_of_data_store(old.store),
                     .sub_path = {},
                     .path = path,
                     .image = old.image,
                     .command = {}};
  return run_on_claim(context, job, [&](job::SubmitPlan& plan) {
    const std::set<std::string> kept = data_in_use(context);
    const std::vector<std::string> words = {old.is_dry_run ? "untidy" : "tidy", path,
                                            std::to_string(old.unused_for.count()),
                                            join(std::vector(kept.begin(), kept.end()), ",")};
    add_data_programs(context, true, plan, [&](const pipeline::PodPrograms& programs, Json& object) {
      return pipeline::add_tidying(words, programs, object);
    });
  });
}

}  // namespace kml::cli
