#include "cli/after.h"

#include "kml/api/dependency.h"
#include "kml/api/job.h"
#include "kml/api/labels.h"
#include "kml/api/object.h"
#include "kml/core/text.h"
#include "kml/jobs/control/wait.h"
#include "kml/jobs/views/find.h"
#include "kml/jobs/views/kinds.h"

namespace kml::cli {

namespace {

using When = api::Dependency::When;

struct Awaited {
  Json job;
  When when;
};

Awaited find_awaited(Context& context, const std::string& text) {
  const size_t colon = text.rfind(':');
  const auto when = colon == std::string::npos ? When::ok : api::when_of(text.substr(colon + 1));
  if (!when)
    throw usage_error("--after " + text + " is not of the form JOB[:ok|any|failed]",
                      "\"" + text.substr(colon + 1) + "\" is none of ok, any, failed");
  return {jobs::find_job(context.client(), context.place().namespace_name, text.substr(0, colon)), *when};
}

/// How the job has to have ended, for messages.
std::string_view end_in_words(When when) {
  return when == When::ok ? "succeeded" : when == When::failed ? "failed" : "ended";
}

void refuse_end(const jobs::JobView& view, When when) {
  const bool is_well = view.state == jobs::State::succeeded;
  if (when == When::any || (when == When::ok) == is_well) return;
  throw Error(ErrorCode::job_failed, "nothing was submitted",
              "it was to start once " + view.name + " " + std::string(end_in_words(when)) + ", and that " +
                  (view.state == jobs::State::cancelled ? "was cancelled"
                   : is_well                            ? "succeeded"
                                                        : "failed"),
              "leave out --after, or write --after " + view.name + ":any");
}

/// Suspended, and with a note of what they wait for.
void let_server_wait(jobs::SubmitPlan& plan, const std::vector<Awaited>& awaited) {
  std::vector<api::Dependency> dependencies;
  for (const auto& [job, when] : awaited)
    dependencies.push_back({when, api::kind_name(job), api::name_of(job), api::uid_of(job), {}});
  for (Json& object : plan.objects) {
    if (!jobs::is_job(object)) continue;
    api::set_annotation(object, api::kAfter, api::text_of(dependencies));
    api::set_suspended(object, true);
  }
}

void wait_here(Context& context, const std::vector<Awaited>& awaited) {
  std::vector<Json> jobs;
  std::vector<std::string> names;
  for (const Awaited& one : awaited) {
    jobs.push_back(one.job);
    names.push_back(api::name_of(one.job));
  }
  context.note("waiting here for " + join(names, ", ") +
               ", because the cluster cannot; nothing is submitted until then");
  jobs::Interrupt interrupt;
  jobs::wait_for(context.client(), jobs, {}, interrupt,
                 [&](const Json& job, const jobs::JobView& view, bool) {
                   for (const Awaited& one : awaited)
                     if (api::uid_of(one.job) == api::uid_of(job)) refuse_end(view, one.when);
                 });
}

}  // namespace

void come_after(Context& context, jobs::SubmitPlan& plan, const std::vector<std::string>& after) {
  if (after.empty()) return;
  std::vector<Awaited> awaited;
  for (const std::string& text : after) awaited.push_back(find_awaited(context, text));
  for (const auto& [job, when] : awaited)
    if (const jobs::JobView view = jobs::basic_view_of_job(job); jobs::has_ended(view.state))
      refuse_end(view, when);
  if (context.place().is_local)
    let_server_wait(plan, awaited);
  else
    wait_here(context, awaited);
}

}  // namespace kml::cli
