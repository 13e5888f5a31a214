#include "pipeline/commands/run_selection.h"

#include <algorithm>

#include "kml/base/agent.h"
#include "kml/base/error.h"
#include "kml/base/suggestion.h"
#include "kml/base/text.h"
#include "kml/pipeline/engine/runs.h"
#include "pipeline/commands/run_in_cluster.h"

namespace kml::cli {

bool is_shown_run(Context& context, const std::string& name) {
  return pipeline::has_run(name) &&
         (!runs_for_agent() || context.shows(pipeline::read_run(name).head().target));
}

std::optional<ClusterEngine> find_run_only_there(Context& context, const std::string& name) {
  if (is_shown_run(context, name)) return {};
  if (auto there = find_cluster_run(context, name)) return there;
  std::vector<std::string> names;
  for (const std::string& run : pipeline::run_names())
    if (is_shown_run(context, run)) names.push_back(run);
  for (const ClusterEngine& run : cluster_runs(context)) names.push_back(run.marks.name);
  throw usage_error("no run \"" + name + "\"", "", suggestion(name, names, "`kml run list` lists the runs"));
}

FoundRun find_run(Context& context, const std::string& name) {
  auto there = find_run_only_there(context, name);
  if (!there) return {pipeline::read_run(name), {}};
  return {state_of_run(context, *there), std::move(there)};
}

std::string command_to_repeat(const pipeline::RunState& run) {
  const pipeline::record::Run& head = run.head();
  if (head.is_job) return shell_quoted(std::vector<std::string>{"kml", "rerun", run.name()});
  std::vector<std::string> words = {"kml", "run", head.file};
  for (const auto& [name, value] : head.params.items())
    words.insert(words.end(),
                 {"-p", name + "=" + (value.is_string() ? value.get<std::string>() : value.dump())});
  return shell_quoted(words);
}

bool is_left(Context& context, const FoundRun& run) {
  if (!run.there) return pipeline::is_left(run.state);
  return !run.state.end() && !engine_runs(context, *run.there);
}

bool has_engine(Context& context, const FoundRun& run) {
  return run.there ? engine_runs(context, *run.there)
                   : engine::writer_of(pipeline::run_folder(run.state.name())).has_value();
}

void update(Context& context, FoundRun& run) {
  run.state = run.there ? state_of_run(context, *run.there) : pipeline::read_run(run.state.name());
}

std::chrono::milliseconds pause_between_updates(const FoundRun& run) {
  return std::chrono::milliseconds(run.there ? 2000 : 300);
}

Error without_engine(const FoundRun& run) {
  const std::string& name = run.state.name();
  return {ErrorCode::failure, "no engine is running run " + name, "",
          "`kml run resume " + name + "` continues it"};
}

}  // namespace kml::cli
