#include "tracking/commands/engine_records.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kml/base/error.h"
#include "kml/job/submit/marks.h"
#include "kml/kube/objects/names.h"
#include "kml/kube/objects/object.h"
#include "pipeline/commands/run_in_cluster.h"
#include "pipeline/commands/run_metrics.h"
#include "sweep/commands/sweep_in_cluster.h"
#include "tracking/runs/engine_records.h"

namespace kml::cli {

namespace {

/// The journal of an engine that has not started. For a pipeline run, it is the run's first record.
std::string journal_before_start(const ClusterEngine& engine) {
  const Json document = engine.document();
  const Json& first = object_at(document, {RunDocument::kRecord});
  return first.empty() ? "" : compact_text(first) + "\n";
}

/// Reads the engine's journal, unless it was already read after the engine's end, and the engine was not
/// resumed since.
void record_if_changed(Context& context, const ClusterEngine& engine) {
  const tracking::EngineRecords records = tracking::EngineRecords::of_user();
  tracking::EngineRecord now{.id = engine.marks.id,
                             .kind = engine.marks.kind,
                             .name = engine.marks.name,
                             .user = engine.options().user,
                             .context = context.place().context,
                             .namespace_name = engine.marks.namespace_name,
                             .version = string_at(engine.object, {"metadata", "resourceVersion"})};
  const std::optional<tracking::EngineRecord> before = records.read(now.id);
  if (before && before->version == now.version && tracking::is_ended(*before)) return;
  now.journal = engine::read_journal_copy(context.client(), engine.marks);
  if (now.journal.empty()) now.journal = journal_before_start(engine);
  if (now.journal.empty()) return;
  if (now.kind == "run" && tracking::is_ended(now)) record_metrics_of_run(context, now.run(), now.id);
  records.write(now);
}

/// If a record is broken, prints a note and continues with the others.
void record_own(Context& context, const ClusterEngine& engine) try {
  if (engine.options().user == api::to_dns_label(job::user_name())) record_if_changed(context, engine);
} catch (const Error& error) {
  if (error.code == ErrorCode::unreachable) throw;
  context.note(engine.marks.kind + " " + engine.marks.name + " could not be read: " + message_and_why(error));
}

[[noreturn]] void give_up() {
  throw Error(ErrorCode::unreachable,
              "reading their journals takes too long; run the command again to continue");
}

}  // namespace

void look_up_engines(Context& context) try {
  if (context.place().is_local) return;
  constexpr std::chrono::seconds kLimit{5};
  const auto end = std::chrono::steady_clock::now() + kLimit;
  const std::unique_ptr<http::Timer> timer = context.client().transport().after(kLimit, give_up);
  std::vector<ClusterEngine> engines = cluster_runs(context);
  for (const ClusterSweep& sweep : cluster_sweeps(context)) engines.push_back(sweep.engine());
  for (const ClusterEngine& engine : engines) {
    // reading metrics does not throw, so the time is checked here
    if (std::chrono::steady_clock::now() > end) give_up();
    record_own(context, engine);
  }
} catch (const Error& error) {
  if (error.http_status != 403)  // without the right to read ConfigMaps, the user has no such runs
    context.note("sweeps and pipelines in the cluster could not be read: " + message_and_why(error));
}

void record_engine(Context& context, const ClusterEngine& engine) try {
  record_if_changed(context, engine);
} catch (const Error& error) {
  context.note("the record of " + engine.marks.kind + " " + engine.marks.name +
               " could not be updated: " + message_and_why(error));
}

}  // namespace kml::cli
