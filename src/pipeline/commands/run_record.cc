#include "pipeline/commands/run_record.h"

#include <algorithm>

#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/base/text.h"
#include "kml/engine/journal/journal.h"
#include "kml/job/submit/marks.h"
#include "kml/kube/objects/made_name.h"
#include "kml/pipeline/engine/runs.h"
#include "pipeline/commands/run_in_cluster.h"
#include "sweep/commands/sweep_selection.h"

namespace kml::cli {

std::string checked_run_name(Context& context, const std::string& name) {
  api::require_made_name("the run", name, {.longest = 46, .reason = "its jobs are named after it"});
  if (pipeline::has_run(name) || find_cluster_run(context, name))
    throw usage_error(
        "run " + name + " already exists", "",
        pipeline::has_run(name) && engine::writer_of(pipeline::run_folder(name))
            ? "it is running: `kml run attach " + name + "` shows it, `kml run stop " + name + "` stops it"
            : "`kml run resume " + name + "` continues it, `kml run delete " + name + "` removes it");
  return name;
}

pipeline::record::Run first_run_record(Context& context, const std::filesystem::path& file,
                                       const pipeline::Pipeline& pipeline, const Json& params,
                                       const pipeline::Renewal& renewal, const std::string& store) {
  return {.id = random_hex(8),
          .user = job::user_name(),
          .file = file,
          .pipeline = pipeline.name,
          .text = pipeline.text,
          .params = params,
          .target = target_of(context),
          .store = store,
          .renewal = renewal};
}

}  // namespace kml::cli
