#include "sweep/commands/sweep_removal.h"

#include <chrono>
#include <filesystem>
#include <optional>
#include <set>
#include <thread>

#include "job/commands/lost_pods_note.h"
#include "kml/job/control/control.h"
#include "kml/job/views/find.h"
#include "kml/job/views/kinds.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "kml/sweep/journal/journal.h"
#include "kml/sweep/journal/record.h"
#include "sweep/commands/sweep_selection.h"
#include "sweep/commands/sweep_session.h"

namespace kml::cli {

namespace {

/// The id of a sweep according to its jobs, if its journal does not have it. Empty if the sweep has no jobs.
std::string id_by_jobs(Context& context, const std::string& name) {
  const std::string& where = context.target().namespace_name;
  std::set<std::string> ids;
  for (const Json& job : job::list_jobs(context.client(), where, std::string(api::kSweep) + "=" + name))
    ids.insert(api::label_of(job, api::kSubmitId));
  if (ids.size() < 2) return ids.empty() ? "" : *ids.begin();
  throw Error(ErrorCode::failure, "cannot determine the jobs of sweep " + name,
              "its journal cannot be read, and " + std::to_string(ids.size()) +
                  " sweeps with this name have jobs in namespace " + where,
              "delete the sweep's jobs by their label " + std::string(api::kSubmitId) + ", then the folder " +
                  sweep::sweep_folder(name).string());
}

/// Waits for an engine that is stopping: `kml sweep stop` does not wait until trials have ended.
void wait_for_stopping_engine(Context& context, const std::string& name) {
  const auto is_stopping = [&] {
    return sweep::stop_wish_of(read_file_if_exists(stop_file(name))) == sweep::StopWish::now &&
           sweep::writer_of(sweep::sweep_folder(name));
  };
  if (!is_stopping()) return;
  context.note("waiting for sweep " + name + " to stop");
  while (is_stopping()) std::this_thread::sleep_for(std::chrono::milliseconds(100));
}

}  // namespace

void remove_sweep_objects(Context& context, const sweep::SweepMarks& sweep, const Json& document) {
  const std::string own = std::string(api::kSubmitId) + "=" + sweep.id;
  const std::vector<Json> jobs = job::list_jobs(context.client(), sweep.namespace_name, own);
  note_lost_pods(context, "sweep " + sweep.name, jobs);
  for (const Json& job : jobs) job::remove(context.client(), job);
  const Json& trial = object_at(document, {"spec", "trialTemplate", "trialSpec"});
  if (!trial.empty() && !job::is_job(trial)) {
    const api::ResourceKind& kind = context.client().kind_of(trial);
    for (const Json& object : context.client().list(kind, sweep.namespace_name, {own, {}}).items)
      job::remove(context.client(), object);
  }
  sweep::remove_sweep_object(context.client(), sweep);
}

void remove_sweep(Context& context, const std::string& name) {
  const std::filesystem::path folder = sweep::sweep_folder(name);
  const std::optional<sweep::record::Sweep> first = first_record(name);
  if (first && !first->target.is_null()) check_target(context, name, first->target);
  wait_for_stopping_engine(context, name);
  const sweep::Journal journal(folder, "kml sweep delete");  // throws Error while an engine is running
  std::string id = first ? first->id : "";
  if (id.empty()) id = id_by_jobs(context, name);
  if (!id.empty())
    remove_sweep_objects(context, {name, id, context.target().namespace_name},
                         first ? first->document : Json());
  std::filesystem::remove_all(folder);
}

}  // namespace kml::cli
