#include <filesystem>
#include <memory>
#include <ostream>
#include <set>

#include "cli/context.h"
#include "cli/sweep_commands.h"
#include "cli/sweep_in_cluster.h"
#include "cli/sweep_selection.h"
#include "kml/api/labels.h"
#include "kml/jobs/control/control.h"
#include "kml/jobs/sweep/sweep_objects.h"
#include "kml/jobs/views/find.h"
#include "kml/sweep/journal/journal.h"
#include "kml/sweep/journal/record.h"

namespace kml::cli {

namespace {

struct SweepDeleteOptions {
  std::vector<std::string> names;
};

void delete_objects(Context& context, const jobs::SweepMarks& sweep) {
  const std::string own = std::string(api::kSubmitId) + "=" + sweep.id;
  for (const Json& job : jobs::list_jobs(context.client(), sweep.namespace_name, own))
    jobs::remove(context.client(), job);
  jobs::remove_sweep_object(context.client(), sweep);
}

/// The first record, which tells its id and where it runs, whatever came behind it. Empty where it cannot
/// be read.
std::optional<sweep::record::Sweep> first_record(const std::filesystem::path& folder) {
  std::optional<sweep::record::Sweep> first;
  try {
    sweep::read_journal(folder, [&](const sweep::Record& record) {
      if (const auto* sweep = std::get_if<sweep::record::Sweep>(&record.what); sweep && !first)
        first = *sweep;
    });
  } catch (const Error&) {
    // A sweep whose journal is damaged has to be deleted too.
  }
  return first;
}

/// Of a sweep whose journal does not tell it, by its jobs. Empty where it has none.
std::string id_by_jobs(Context& context, const std::string& name) {
  const std::string& where = context.target().namespace_name;
  std::set<std::string> ids;
  for (const Json& job : jobs::list_jobs(context.client(), where, std::string(api::kSweep) + "=" + name))
    ids.insert(string_at(job, {"metadata", "labels", api::kSubmitId}));
  if (ids.size() < 2) return ids.empty() ? "" : *ids.begin();
  throw Error(ErrorCode::failure, "which jobs sweep " + name + " has cannot be told",
              "its journal cannot be read, and " + std::to_string(ids.size()) +
                  " sweeps of that name have jobs in namespace " + where,
              "delete its jobs by their label " + std::string(api::kSubmitId) + ", then the folder " +
                  sweep::sweep_folder(name).string());
}

void delete_from_here(Context& context, const std::string& name) {
  const std::filesystem::path folder = sweep::sweep_folder(name);
  const std::optional<sweep::record::Sweep> first = first_record(folder);
  if (first && !first->target.is_null()) check_target(context, name, first->target);
  const sweep::Journal journal(folder, "kml sweep delete");  // refused while somebody runs it
  std::string id = first ? first->id : "";
  if (id.empty()) id = id_by_jobs(context, name);
  if (!id.empty()) delete_objects(context, {name, id, context.target().namespace_name});
  std::filesystem::remove_all(folder);
}

int run_sweep_delete(Context& context, const SweepDeleteOptions& options) {
  const std::string& name = options.names[0];
  const auto there = find_only_in_cluster(context, name);
  if (there) {
    require_idle_engine(context, *there);
    delete_objects(context, there->marks);
    context.note(journal_in_words(*there));
  } else {
    if (!has_begun(name)) state_of(context, name);  // says that there is none
    delete_from_here(context, name);
  }
  context.streams().out << "sweep " << name << " deleted\n";
  return 0;
}

}  // namespace

Command sweep_delete_command() {
  auto options = std::make_shared<SweepDeleteOptions>();
  Command command{"delete",
                  "Remove a sweep: its trials' jobs with their logs, what it brought along, its journal"};
  command.takes("SWEEP", options->names, "the sweep's name", 1, 1);
  command.run = [options](Context& context) { return run_sweep_delete(context, *options); };
  return command;
}

}  // namespace kml::cli
