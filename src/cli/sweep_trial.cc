#include "cli/sweep_trial.h"

#include <algorithm>

#include "kml/api/labels.h"
#include "kml/core/text.h"
#include "kml/jobs/sweep/sweep_objects.h"
#include "kml/jobs/views/kinds.h"

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

TrialOfSweep trial_of(Context& context, SubmitFlags flags, const std::string& sweep, const Json& manifest) {
  for (const spec::Setting& flag : flags.settings)
    if (flag.name == "name")
      throw usage_error("--name cannot be used: trials are named after their sweep", "",
                        "kml sweep run NAME ...");
  std::erase_if(flags.settings, [](const spec::Setting& flag) { return flag.name == "retries"; });
  std::optional<std::vector<Json>> manifests;
  if (manifest.is_object()) manifests.emplace(1, manifest);
  if (manifests) require_one_job(*manifests);
  jobs::SubmitRequest request = submit_request(context, flags, std::move(manifests));
  // The same each time that the sweep is run: else its trials would be others.
  request.secret_object = jobs::sweep_object_name(sweep);
  request.code_suffix = "-" + sweep;
  jobs::SubmitPlan made = plan(context, request, "the trial");
  require_one_job(made.objects);
  for (std::string& slip : jobs::misspelt_fields(made.objects)) made.notes.push_back(std::move(slip));
  Json trial = std::move(made.objects[0]);
  Json& metadata = trial["metadata"];
  metadata.erase("name");
  metadata.erase("namespace");
  // The annotation is the command as a shell takes it, and the arguments are quoted when they are filled in.
  if (auto annotations = metadata.find("annotations"); annotations != metadata.end())
    if (auto command = annotations->find(api::kCommand); command != annotations->end())
      *command = join(flags.command, " ");
  return {std::move(trial), std::move(made.belongings), std::move(made.notes)};
}

}  // namespace kml::cli
