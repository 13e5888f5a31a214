#include "kml/job/submit/schedule.h"

#include <doctest/doctest.h>

#include "kml/base/error.h"
#include "kml/job/control/schedule.h"
#include "kml/job/views/kinds.h"
#include "kml/kube/objects/cron_job.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"

namespace schedule_test {

using namespace kml;
using namespace kml::job;

namespace {

Json job(const std::string& name) {
  return {{"apiVersion", "batch/v1"},
          {"kind", "Job"},
          {"metadata",
           {{"name", name},
            {"namespace", "lab"},
            {"labels", {{api::kSubmitId, "1f"}, {api::kUser, "ana"}}},
            {"annotations", {{api::kCommand, "python train.py"}}}}},
          {"spec", {{"parallelism", 3}, {"template", {{"spec", {{"restartPolicy", "Never"}}}}}}}};
}

std::string refusal(std::vector<Json> objects) {
  SubmitPlan plan;
  plan.objects = std::move(objects);
  try {
    put_on_schedule(plan, {"0 3 * * *", "UTC"});
  } catch (const Error& error) {
    return error.message;
  }
  return "";
}

}  // namespace

TEST_CASE("schedule: the plan's job becomes the template of a CronJob") {
  SubmitPlan plan;
  plan.objects.push_back(job("nightly"));
  put_on_schedule(plan, {"0 3 * * *", "Europe/Berlin"});
  REQUIRE(plan.objects.size() == 1);
  const Json& made = plan.objects[0];
  CHECK(api::kind_name(made) == "CronJob");
  CHECK(api::full_name_of(made) == "lab/nightly");
  CHECK(api::label_of(made, api::kSubmitId) == "1f");
  CHECK(made["spec"]["concurrencyPolicy"] == "Forbid");
  CHECK(made["spec"]["timeZone"] == "Europe/Berlin");
  const Json& of_jobs = api::job_template_of(made);
  CHECK(of_jobs["spec"] == job("nightly")["spec"]);
  CHECK(api::label_of(of_jobs, api::kUser) == "ana");
  CHECK(api::label_of(of_jobs, api::kSchedule) == "nightly");
  CHECK(api::annotation_of(of_jobs, api::kCommand) == "python train.py");
  int pods = 0;
  each_pod_template(made, [&](const Json& pod, int count) {
    pods = count;
    CHECK(pod == job("nightly")["spec"]["template"]);
  });
  CHECK(pods == 3);
}

TEST_CASE(
    "schedule: the CronJob of --at is created suspended, and has no next start once its job has started") {
  SubmitPlan plan;
  plan.objects.push_back(job("later"));
  const Time start = *parse_rfc3339("2024-12-01T08:00:00Z");
  put_on_schedule(plan, {"0 9 1 12 *", "Europe/Berlin", start});
  Json& made = plan.objects[0];
  CHECK(made["spec"]["suspend"] == true);
  CHECK(!made["spec"].contains("startingDeadlineSeconds"));  // a late job starts, too
  CHECK(api::single_start_of(made) == start);
  made["spec"]["suspend"] = false;
  CHECK(view_of_schedule(made, {}, false, start - std::chrono::hours(1)).next == start);
  // the job has not started yet
  CHECK(view_of_schedule(made, {}, false, start + std::chrono::hours(1)).next == start);
  made["status"]["lastScheduleTime"] = "2024-12-01T08:00:00Z";
  const ScheduleView over = view_of_schedule(made, {}, false, start + std::chrono::hours(1));
  CHECK(!over.next);
  CHECK(over.once == start);
}

TEST_CASE("schedule: only a single Job with a short name can be scheduled") {
  CHECK(refusal({job(std::string(52, 'x'))}).empty());
  CHECK(refusal({job(std::string(53, 'x'))}).find("cannot have the name") != std::string::npos);
  Json array = job(std::string(48, 'x'));
  array["spec"].update({{"completionMode", "Indexed"}, {"completions", 200}});
  CHECK(refusal({array}).empty());
  array["metadata"]["name"] = std::string(49, 'x');  // NAME-29000000-199 would not be a DNS label
  CHECK(refusal({array}).find("would never start") != std::string::npos);
  Json training = job("bert");
  training["kind"] = "PyTorchJob";
  CHECK(refusal({training}) == "--cron, --every and --at cannot start a PyTorchJob");
  Json service = job("bert");
  service["kind"] = "Service";
  CHECK(refusal({job("bert"), service}) ==
        "--cron, --every and --at cannot start several objects: Job bert, Service bert");
}

TEST_CASE("schedule: a view has the next start, and the newest job with its result") {
  Json cron_job = {{"apiVersion", "batch/v1"},
                   {"kind", "CronJob"},
                   {"metadata",
                    {{"name", "nightly"},
                     {"namespace", "lab"},
                     {"uid", "u"},
                     {"creationTimestamp", "2024-01-01T00:00:00Z"}}},
                   {"spec", {{"schedule", "0 3 * * *"}, {"timeZone", "Europe/Berlin"}}},
                   {"status", {{"lastScheduleTime", "2024-01-03T02:00:00Z"}}}};
  const Time now = *parse_rfc3339("2024-01-03T12:00:00Z");
  const auto of_cron_job = [](const char* name, const char* created, const char* condition) {
    Json one = job(name);
    one["metadata"]["creationTimestamp"] = created;
    one["metadata"]["ownerReferences"] = Json::array({{{"uid", "u"}, {"controller", true}}});
    one["status"]["conditions"] = Json::array({{{"type", condition}, {"status", "True"}}});
    return one;
  };
  const std::vector<Json> all = {of_cron_job("nightly-1", "2024-01-02T02:00:00Z", "Failed"),
                                 of_cron_job("nightly-2", "2024-01-03T02:00:01Z", "Complete"), job("other")};
  ScheduleView view = view_of_schedule(cron_job, all, false, now);
  CHECK(rfc3339(*view.next) == "2024-01-04T02:00:00Z");
  CHECK(view.last_job == "nightly-2");
  CHECK(view.result == State::succeeded);
  CHECK(rfc3339(*view.last) == "2024-01-03T02:00:01Z");
  CHECK(view.active == 0);

  view = view_of_schedule(cron_job, {}, false, now);
  CHECK(rfc3339(*view.last) == "2024-01-03T02:00:00Z");
  CHECK(!view.result);
  cron_job["spec"]["suspend"] = true;
  CHECK(!view_of_schedule(cron_job, {}, false, now).next);
  // Without a zone, the controller's clock is used, which is this machine's only for the embedded server.
  cron_job["spec"] = {{"schedule", "@hourly"}};
  CHECK(!view_of_schedule(cron_job, {}, false, now).next);
  CHECK(view_of_schedule(cron_job, {}, true, now).next);
  cron_job["spec"] = {{"schedule", "@every 7h"}, {"timeZone", "UTC"}};
  CHECK(rfc3339(*view_of_schedule(cron_job, {}, false, now).next) == "2024-01-03T16:00:00Z");
  cron_job["spec"] = {{"schedule", "TZ=UTC 0 3 * * *"}, {"timeZone", "UTC"}};
  CHECK(!view_of_schedule(cron_job, {}, false, now).next);
}

}  // namespace schedule_test
