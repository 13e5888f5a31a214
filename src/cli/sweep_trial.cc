#include "cli/sweep_trial.h"

#include <algorithm>

#include "kml/api/labels.h"
#include "kml/core/text.h"
#include "kml/jobs/kinds.h"

namespace kml::cli {

namespace {

void require_one_job(const std::vector<Json>& objects) {
  if (objects.size() == 1 && jobs::is_job(objects[0])) return;
  throw usage_error("a trial is one job",
                    objects.size() == 1 ? "this one is a " + string_at(objects[0], {"kind"})
                                        : "the template makes " + std::to_string(objects.size()) + " objects",
                    "put what all trials share onto the cluster first");
}

}  // namespace

TrialOfSweep trial_of(Context& context, SubmitRequest request, const Json& manifest) {
  for (const spec::Setting& flag : request.flags)
    if (flag.name == "name")
      throw usage_error("--name cannot be used: trials are named after their sweep", "",
                        "kml sweep run NAME ...");
  std::erase_if(request.flags, [](const spec::Setting& flag) { return flag.name == "retries"; });
  if (manifest.is_object()) {
    require_one_job({manifest});
    request.manifests = {manifest};
  }
  Prepared prepared = prepare(context, request);
  require_one_job(prepared.objects);
  for (std::string& slip : misspelt_fields(prepared.objects)) prepared.notes.push_back(std::move(slip));
  Json trial = std::move(prepared.objects[0]);
  Json& metadata = trial["metadata"];
  metadata.erase("name");
  metadata.erase("namespace");
  // The annotation is the command as a shell takes it, and the arguments are quoted when they are filled in.
  if (auto annotations = metadata.find("annotations"); annotations != metadata.end())
    if (auto command = annotations->find(api::kCommand); command != annotations->end())
      *command = join(request.command, " ");
  return {std::move(trial), std::move(prepared.belongings), std::move(prepared.notes)};
}

}  // namespace kml::cli
