#include "pipeline/commands/run_schedule_in_cluster.h"

#include <ostream>
#include <utility>
#include <vector>

#include "job/commands/submit_schedule.h"
#include "job/commands/test_only.h"
#include "kml/base/error.h"
#include "kml/base/text.h"
#include "kml/job/submit/belongings.h"
#include "kml/job/submit/create.h"
#include "kml/job/submit/schedule.h"
#include "kml/kube/objects/cron_job.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "pipeline/commands/run_schedule.h"

namespace kml::cli {

namespace {

/// The kubelet replaces this by the value of the variable that tell_job_name() adds.
constexpr const char* kRunOfItsJob = "$(KML_RUN_OF_JOB)";

/// Adds the rights that only the engines of a schedule need. The engine of a single run only reads that run's
/// objects. A schedule does not know the names of its runs in advance, and its engines read the time for
/// which their job was scheduled.
void widen_rights(engine::EngineProgram& program) {
  program.rules.push_back(engine::rule("", "configmaps", {"list", "watch"}));
  program.rules.push_back(engine::rule("batch", "jobs", {"get"}));
}

/// The CronJob with the schedule's name and marks.
Json cron_job_of(const engine::EngineMarks& marks, const engine::EngineOptions& options, Json job,
                 const spec::Timetable& timetable) {
  job["metadata"] = {
      {"name", marks.name},
      {"namespace", marks.namespace_name},
      {"labels", {{api::kManagedBy, "kml"}, {api::kSubmitId, marks.id}, {api::kUser, options.user}}}};
  tell_job_name(job);
  job::SubmitPlan plan;
  plan.objects.push_back(std::move(job));
  job::put_on_schedule(plan, timetable);
  return std::move(plan.objects[0]);
}

}  // namespace

engine::EngineMarks schedule_marks(const std::string& name, const std::string& id,
                                   const std::string& namespace_name) {
  return {"schedule", std::string(api::kSchedule), name, id, namespace_name};
}

void make_schedule(Context& context, const engine::EngineMarks& marks, const ScheduleParts& parts,
                   const spec::Timetable& timetable) {
  const ClusterEngine engine = make_cluster_engine(context, marks, parts.document, parts.options);
  Json cron_job;
  try {
    for (const Json& secret : parts.secrets)
      engine::make_owned(context.client(), marks, engine.object, secret);
    engine::EngineOptions of_pod = parts.options;
    if (!parts.are_engines) of_pod.claim = of_pod.sub_path = "";
    Json job = make_engine_parts(context, engine, of_pod, parts.program);
    if (!parts.are_engines)
      job["spec"]["backoffLimit"] = 0;  // retries are not needed, because the next start comes soon
    refuse_impossible(context, {job});
    cron_job = job::create_once(context.client(), marks.namespace_name,
                                cron_job_of(marks, parts.options, std::move(job), timetable));
    job::add_owners(context.client(), context.client().kind_of(engine.object), marks.namespace_name,
                    api::name_of(engine.object), Json::array({api::owner_reference(cron_job)}), {});
  } catch (const Error&) {
    engine::remove_engine_object(context.client(), marks);
    throw;
  }
  context.streams().out << "schedule " << marks.name << " created" << std::endl;
  report_first_start(context, {cron_job});
}

void schedule_in_cluster(Context& context, const PipelineHere& here, const std::string& name,
                         const pipeline::record::Run& record, const engine::EngineOptions& options,
                         const spec::Timetable& timetable) {
  const engine::EngineMarks marks = schedule_marks(name, random_hex(8), context.target().namespace_name);
  RunToSend run = run_to_send(context, here, marks, record);
  run.program.command = {"kml", "run", "engine", kRunOfItsJob, "--schedule", name};
  widen_rights(run.program);
  make_schedule(context, marks, {run.document, run.secrets, run.program, options}, timetable);
}

void delete_with_job(Context& context, const ClusterEngine& run, const Json& job) {
  if (api::owners_of(run.object).empty())
    job::add_owners(context.client(), context.client().kind_of(run.object), run.marks.namespace_name,
                    api::name_of(run.object), Json::array({api::owner_reference(job)}), {});
}

ClusterEngine run_of_schedule(Context& context, const std::string& schedule, const std::string& job) {
  const auto start = start_of_schedule(context);
  auto run = find_cluster_run(context, job);
  if (!run) {
    const auto engine = find_cluster_engine(context, schedule_marks(schedule, "", ""));
    if (!engine || !start)
      throw usage_error("no schedule " + schedule + " in namespace " + context.place().namespace_name,
                        "only the jobs of `kml run --cron --in-cluster` run this command");
    Json document = engine->document();
    pipeline::Record first = first_record_in(document);
    auto& record = std::get<pipeline::record::Run>(first.what);
    record.name = job;
    record.schedule = schedule;
    record.id = random_hex(8);
    if (start->time) record.scheduled = rfc3339(*start->time);
    first.time = system_clock().now();
    document[RunDocument::kRecord] = to_json(first);
    run = make_cluster_run(context, document, engine->options());
  }
  if (start) delete_with_job(context, *run, start->object);
  return *std::move(run);
}

}  // namespace kml::cli
