#include "local/api_fixture.h"

#include <algorithm>

namespace cron_job_rules_test {

using namespace kml;
using namespace kml::local;

namespace {

const std::string kCronJobs = "/apis/batch/v1/namespaces/default/cronjobs";

Json nightly(const Json& more = Json::object()) {
  Json cron_job = {{"apiVersion", "batch/v1"},
                   {"kind", "CronJob"},
                   {"metadata", {{"name", "nightly"}}},
                   {"spec", {{"schedule", "0 3 * * *"}, {"jobTemplate", {{"spec", job("any")["spec"]}}}}}};
  cron_job["spec"].merge_patch(more);
  return cron_job;
}

/// The only cause, in the form "FIELD: MESSAGE".
std::string cause(const Json& status) {
  const Json& causes = array_at(status, {"details", "causes"});
  if (causes.size() != 1) return status.dump();
  return causes[0]["field"].get<std::string>() + ": " + causes[0]["message"].get<std::string>();
}

}  // namespace

TEST_CASE_FIXTURE(ApiFixture,
                  "cron_job_rules: a CronJob gets defaults for itself and its pods, but not for its jobs") {
  const Json made = expect(201, "POST", kCronJobs, nightly());
  const Json& spec = made["spec"];
  CHECK(spec["concurrencyPolicy"] == "Allow");
  CHECK(spec["suspend"] == false);
  CHECK(spec["successfulJobsHistoryLimit"] == 3);
  CHECK(spec["failedJobsHistoryLimit"] == 1);
  CHECK(!spec.contains("startingDeadlineSeconds"));
  const Json& job_spec = spec["jobTemplate"]["spec"];
  CHECK(!job_spec.contains("backoffLimit"));
  CHECK(!job_spec.contains("selector"));
  CHECK(job_spec["template"]["spec"]["dnsPolicy"] == "ClusterFirst");
  CHECK(made["metadata"]["generation"] == 1);
}

TEST_CASE_FIXTURE(ApiFixture, "cron_job_rules: reject what the API server rejects") {
  const std::pair<Json, const char*> kRefused[] = {
      {{{"schedule", ""}}, "spec.schedule: Required value"},
      {{{"schedule", "61 * * * *"}},
       "spec.schedule: Invalid value: \"61 * * * *\": end of range (61) above maximum (59): 61"},
      {{{"schedule", "TZ=UTC 0 3 * * *"}},
       "spec.schedule: Invalid value: \"TZ=UTC 0 3 * * *\": cannot use TZ or CRON_TZ in schedule, use "
       "timeZone field instead"},
      {{{"timeZone", ""}}, "spec.timeZone: Invalid value: \"\": timeZone must be nil or non-empty string"},
      {{{"timeZone", "local"}},
       "spec.timeZone: Invalid value: \"local\": timeZone must be an explicit time zone as defined in "
       "https://www.iana.org/time-zones"},
      {{{"timeZone", "Mars/Base"}},
       "spec.timeZone: Invalid value: \"Mars/Base\": unknown time zone Mars/Base"},
      {{{"concurrencyPolicy", "Queue"}},
       "spec.concurrencyPolicy: Unsupported value: \"Queue\": supported values: \"Allow\", \"Forbid\", "
       "\"Replace\""},
      {{{"startingDeadlineSeconds", -1}},
       "spec.startingDeadlineSeconds: Invalid value: -1: must be greater than or equal to 0"},
      {{{"jobTemplate", {{"spec", {{"parallelism", -1}}}}}},
       "spec.jobTemplate.spec.parallelism: Invalid value: -1: must be greater than or equal to 0"},
      {{{"jobTemplate", {{"spec", {{"template", {{"spec", {{"restartPolicy", "Always"}}}}}}}}}},
       "spec.jobTemplate.spec.template.spec.restartPolicy: Required value: valid values: \"OnFailure\", "
       "\"Never\""},
  };
  for (const auto& [spec, text] : kRefused)
    CHECK(cause(expect(422, "POST", kCronJobs, nightly(spec))) == text);
  Json long_name = nightly();
  long_name["metadata"]["name"] = std::string(53, 'x');
  CHECK(cause(expect(422, "POST", kCronJobs, long_name)).find("must be no more than 52 characters") !=
        std::string::npos);
  expect(400, "POST", kCronJobs, nightly({{"schedule", 5}}));
  expect(422, "POST", kCronJobs,
         nightly({{"jobTemplate",
                   {{"spec", {{"successPolicy", {{"rules", Json::array({{{"succeededCount", 1}}})}}}}}}}}));
}

TEST_CASE_FIXTURE(
    ApiFixture, "cron_job_rules: a CronJob is read, changed and deleted, and clients cannot set its status") {
  Json with_status = nightly();
  with_status["status"] = {{"lastScheduleTime", "2020-01-01T00:00:00Z"}};
  CHECK(!expect(201, "POST", kCronJobs, with_status).contains("status"));
  const Json changed = patch(200, kCronJobs + "/nightly", "application/merge-patch+json",
                             {{"spec", {{"suspend", true}, {"schedule", "@hourly"}}}});
  CHECK(changed["metadata"]["generation"] == 2);
  CHECK(changed["spec"]["schedule"] == "@hourly");
  patch(422, kCronJobs + "/nightly", "application/merge-patch+json", {{"spec", {{"schedule", "@noon"}}}});
  HttpRequest request{.method = "GET", .path = kCronJobs};
  request.accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
  const Json table = Json::parse(api.handle(request).body);
  CHECK(table["columnDefinitions"][5]["name"] == "Last Schedule");
  CHECK(table["rows"][0]["cells"][3] == "True");
  CHECK(table["rows"][0]["cells"][5] == "<none>");
  expect(200, "DELETE", kCronJobs + "/nightly");
  expect(404, "GET", kCronJobs + "/nightly");
}

}  // namespace cron_job_rules_test
