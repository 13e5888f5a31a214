#include "local/controllers/cron_job_controller.h"

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

#include "kml/kube/objects/cron_job.h"
#include "kml/kube/objects/object.h"
#include "local/controllers/bootstrap.h"
#include "local/store/object.h"
#include "support/temporary_folder.h"

namespace cron_job_controller_test {

using namespace kml;
using namespace kml::local;
using namespace std::chrono_literals;

namespace {

struct SetClock final : Clock {
  Time now() const override { return time; }
  Time time;
};

Time at(std::string_view text) {
  return *parse_rfc3339(text);
}

/// The controller with a clock that stands still, and without a controller of Jobs.
struct CronFixture {
  CronFixture() {
    clock.time = at("2024-01-01T00:00:00Z");
    server.emplace(folder.path(), clock);
    create_initial_objects(server->store);
  }

  /// Handles all events until now.
  void turn() {
    server->loop.after(0ms, [&] { server->loop.stop(); });
    server->loop.run();
  }
  void turn_at(Time time) {
    clock.time = time;
    server->controller.recover();
    turn();
  }
  /// Replaces the server, as after a kill.
  void restart() {
    server.reset();
    server.emplace(folder.path(), clock);
  }

  /// `more` is merged into the spec.
  void create(const char* schedule, const Json& more = Json::object()) {
    Json cron_job = {
        {"apiVersion", "batch/v1"},
        {"kind", "CronJob"},
        {"metadata", {{"name", "nightly"}, {"namespace", "default"}}},
        {"spec",
         {{"schedule", schedule},
          {"jobTemplate",
           {{"metadata", {{"labels", {{"team", "vision"}}}}},
            {"spec",
             {{"template",
               {{"spec",
                 {{"restartPolicy", "Never"},
                  {"containers",
                   Json::array(
                       {{{"name", "main"}, {"image", "x"}, {"command", Json::array({"true"})}}})}}}}}}}}}}}};
    cron_job["spec"].merge_patch(more);
    server->admission.admit_new(local::kinds::cron_job, cron_job);
    server->store.create(local::kinds::cron_job, std::move(cron_job));
    turn();
  }
  Json cron_job() const {
    const ObjectPtr found = server->store.get(local::kinds::cron_job, "default", "nightly");
    return found ? *found : Json::object();
  }
  void change(const Json& spec) {
    server->store.modify(local::kinds::cron_job, "default", "nightly",
                         [&](Json& next) { next["spec"].merge_patch(spec); });
    turn();
  }
  /// The scheduled times of the CronJob's jobs.
  std::vector<std::string> starts() const {
    std::vector<std::string> times;
    for (const ObjectPtr& job : server->store.list(local::kinds::job, "default"))
      times.push_back(annotation_of(*job, api::kScheduledTime));
    return times;
  }
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const ObjectPtr& job : server->store.list(local::kinds::job, "default"))
      all.push_back(name_of(*job));
    return all;
  }
  void end(const std::string& name, const char* condition = "Complete") {
    server->store.modify(local::kinds::job, "default", name, [&](Json& job) {
      set_condition(job, condition, true, "", "", rfc3339(clock.now()));
      job["status"]["startTime"] = job["metadata"]["creationTimestamp"];
      if (std::string_view(condition) == "Complete") job["status"]["completionTime"] = rfc3339(clock.now());
    });
    turn();
  }
  std::vector<std::string> event_messages(const std::string& reason) const {
    std::vector<std::string> found;
    for (const ObjectPtr& event : server->store.list(local::kinds::event, ""))
      if (string_at(*event, {"reason"}) == reason) found.push_back(string_at(*event, {"message"}));
    return found;
  }

  struct Server {
    Server(const std::filesystem::path& folder, const Clock& clock)
        : store(folder / "store.db", clock),
          images(folder),
          events(loop, store, clock),
          controller(loop, store, dependents, admission, events, clock) {}

    EventLoop loop;
    Store store;
    Images images;
    Admission admission{store, images};
    Dependents dependents{store};
    EventRecorder events;
    CronJobController controller;
  };

  TemporaryFolder folder;
  SetClock clock;
  std::optional<Server> server;
};

using Texts = std::vector<std::string>;
constexpr auto kDay = 24h;

}  // namespace

TEST_CASE_FIXTURE(CronFixture, "cron_job: starts a job once at the scheduled time") {
  create("0 3 * * *", {{"timeZone", "Europe/Berlin"}});
  turn_at(at("2024-01-01T01:59:59Z"));
  CHECK(names().empty());
  turn_at(at("2024-01-01T02:00:01Z"));
  REQUIRE(names() == Texts{"nightly-28401240"});  // minutes since 1970
  CHECK(starts() == Texts{"2024-01-01T03:00:00+01:00"});
  const Json job = *server->store.get(local::kinds::job, "default", "nightly-28401240");
  CHECK(controller_uid(job) == uid_of(cron_job()));
  CHECK(api::owners_of(job)[0]["blockOwnerDeletion"] == true);
  CHECK(api::label_of(job, "team") == "vision");
  CHECK(job["spec"]["backoffLimit"] == 6);
  const Json status = cron_job()["status"];
  CHECK(status["lastScheduleTime"] == "2024-01-01T02:00:00Z");
  REQUIRE(status["active"].size() == 1);
  CHECK(status["active"][0]["uid"] == uid_of(job));
  CHECK(event_messages("SuccessfulCreate") == Texts{"Created job nightly-28401240"});
  turn_at(at("2024-01-01T02:00:30Z"));
  end("nightly-28401240");
  turn_at(at("2024-01-01T03:00:00Z"));
  CHECK(names().size() == 1);
  CHECK(!cron_job()["status"].contains("active"));
  CHECK(cron_job()["status"]["lastSuccessfulTime"] == "2024-01-01T02:00:30Z");
  CHECK(event_messages("SawCompletedJob") ==
        Texts{"Saw completed job: nightly-28401240, condition: Complete"});
}

TEST_CASE_FIXTURE(CronFixture, "cron_job: starts jobs even if the server gets no requests") {
  create("1 0 * * *");
  clock.time = at("2024-01-01T00:00:59.99Z");
  turn_at(clock.time);
  CHECK(names().empty());
  clock.time = at("2024-01-01T00:01:00Z");
  const auto timeout = server->loop.after(5min, [&] { server->loop.stop(); });
  server->store.subscribe([&](const StoreEvent& event) {
    if (event.kind == &local::kinds::job) server->loop.stop();
  });
  server->loop.run();
  server->loop.cancel(timeout);
  CHECK(names().size() == 1);
}

TEST_CASE_FIXTURE(CronFixture, "cron_job: concurrencyPolicy is followed") {
  const Time first = at("2024-01-01T01:00:00Z");
  SUBCASE("Allow") {
    create("0 * * * *");
    turn_at(first);
    turn_at(first + 1h);
    CHECK(names().size() == 2);
    CHECK(cron_job()["status"]["active"].size() == 2);
  }
  SUBCASE("Forbid starts the last missed job when the running one ends") {
    create("0 * * * *", {{"concurrencyPolicy", "Forbid"}});
    turn_at(first);
    turn_at(first + 1h);
    turn_at(first + 2h);
    CHECK(names().size() == 1);
    CHECK(event_messages("JobAlreadyActive").size() == 1);
    clock.time = first + 2h + 10min;
    end(names()[0]);
    CHECK(starts() == Texts{"2024-01-01T01:00:00Z", "2024-01-01T03:00:00Z"});
  }
  SUBCASE("Replace") {
    create("0 * * * *", {{"concurrencyPolicy", "Replace"}});
    turn_at(first);
    turn_at(first + 1h);
    CHECK(starts() == Texts{"2024-01-01T02:00:00Z"});
    CHECK(cron_job()["status"]["active"].size() == 1);
    CHECK(event_messages("SuccessfulDelete").size() == 1);
  }
}

TEST_CASE_FIXTURE(
    CronFixture,
    "cron_job: after a time without a server, one missed job is started, if it is not too late") {
  const Time asleep = at("2024-01-01T00:30:00Z");
  SUBCASE("after 48 hours") {
    create("0 * * * *");
    turn_at(asleep);
    restart();
    turn_at(asleep + 2 * kDay);
    CHECK(starts() == Texts{"2024-01-03T00:00:00Z"});
  }
  SUBCASE("in time") {
    create("0 * * * *", {{"startingDeadlineSeconds", 1800}});
    turn_at(asleep + 2 * kDay);
    CHECK(starts() == Texts{"2024-01-03T00:00:00Z"});
  }
  SUBCASE("too late") {
    create("0 * * * *", {{"startingDeadlineSeconds", 1799}});
    turn_at(asleep + 2 * kDay);
    CHECK(starts().empty());
    turn_at(asleep + 2 * kDay + 30min);
    CHECK(starts() == Texts{"2024-01-03T01:00:00Z"});
  }
}

TEST_CASE_FIXTURE(CronFixture,
                  "cron_job: if the server is killed after it created the job, the next server does not "
                  "create a second one") {
  create("0 * * * *");
  turn_at(at("2024-01-01T01:00:00Z"));
  const std::string uid = uid_of(*server->store.get(local::kinds::job, "default", names().at(0)));
  server->store.modify(local::kinds::cron_job, "default", "nightly",
                       [](Json& next) { next.erase("status"); });
  restart();
  turn_at(at("2024-01-01T01:05:00Z"));
  REQUIRE(names().size() == 1);
  CHECK(uid_of(*server->store.get(local::kinds::job, "default", names()[0])) == uid);
  CHECK(cron_job()["status"]["active"][0]["uid"] == uid);
  CHECK(cron_job()["status"]["lastScheduleTime"] == "2024-01-01T01:00:00Z");
}

TEST_CASE_FIXTURE(CronFixture, "cron_job: starts nothing while it is suspended") {
  create("0 * * * *", {{"suspend", true}, {"startingDeadlineSeconds", 3600}});
  turn_at(at("2024-01-01T05:30:00Z"));
  CHECK(names().empty());
  change({{"suspend", false}});
  CHECK(starts() == Texts{"2024-01-01T05:00:00Z"});
}

TEST_CASE_FIXTURE(CronFixture, "cron_job: a changed schedule starts no job for times before the change") {
  create("0 3 * * *");
  clock.time = at("2024-01-01T02:30:00Z");
  change({{"schedule", "0 1 * * *"}});
  turn_at(at("2024-01-01T02:31:00Z"));
  CHECK(names().empty());
  turn_at(at("2024-01-02T01:00:00Z"));
  CHECK(starts() == Texts{"2024-01-02T01:00:00Z"});
}

TEST_CASE_FIXTURE(CronFixture, "cron_job: keeps as many finished jobs as the history limits allow") {
  create("0 * * * *", {{"successfulJobsHistoryLimit", 2}, {"failedJobsHistoryLimit", 0}});
  const Time begin = clock.time;
  for (int hour = 1; hour <= 6; ++hour) {
    turn_at(begin + hour * 1h);
    end(names().back(), hour == 5 ? "Failed" : "Complete");
  }
  CHECK(starts() == Texts{"2024-01-01T04:00:00Z", "2024-01-01T06:00:00Z"});
  CHECK(event_messages("SuccessfulDelete").size() == 4);
}

TEST_CASE_FIXTURE(CronFixture, "cron_job: a deleted job is no longer active, and a rejected one is retried") {
  create("0 * * * *", {{"concurrencyPolicy", "Forbid"}});
  turn_at(at("2024-01-01T01:00:00Z"));
  server->store.remove(local::kinds::job, "default", names().at(0));
  turn();
  CHECK(event_messages("MissingJob").size() == 1);
  CHECK(names().empty());
  server->store.create(local::kinds::quota, {{"apiVersion", "v1"},
                                             {"kind", "ResourceQuota"},
                                             {"metadata", {{"name", "none"}, {"namespace", "default"}}},
                                             {"spec", {{"hard", {{"count/jobs.batch", "0"}}}}},
                                             {"status", {{"hard", {{"count/jobs.batch", "0"}}}}}});
  turn_at(at("2024-01-01T02:00:00Z"));
  CHECK(names().empty());
  REQUIRE(event_messages("FailedCreate").size() == 1);
  server->store.remove(local::kinds::quota, "default", "none");
  turn_at(at("2024-01-01T02:00:05Z"));
  CHECK(starts() == Texts{"2024-01-01T02:00:00Z"});
}

TEST_CASE_FIXTURE(CronFixture,
                  "cron_job: a time that occurs twice when the clocks go back starts a job both times") {
  clock.time = at("2024-10-26T20:00:00Z");
  create("*/30 2 * * *", {{"timeZone", "Europe/Berlin"}, {"successfulJobsHistoryLimit", 100}});
  for (int minute = 0; minute < 2 * 24 * 60; minute += 7) {
    turn_at(at("2024-10-26T20:00:00Z") + minute * 1min);
    for (const std::string& name : names())
      if (!is_finished(*server->store.get(local::kinds::job, "default", name))) end(name);
  }
  CHECK(starts() == Texts{"2024-10-27T02:00:00+02:00", "2024-10-27T02:30:00+02:00",
                          "2024-10-27T02:00:00+01:00", "2024-10-27T02:30:00+01:00",
                          "2024-10-28T02:00:00+01:00", "2024-10-28T02:30:00+01:00"});
}

TEST_CASE_FIXTURE(CronFixture, "cron_job: a time that the clocks skip in spring starts nothing") {
  clock.time = at("2024-03-29T20:00:00Z");
  create("30 2 * * *", {{"timeZone", "Europe/Berlin"}});
  for (int minute = 0; minute < 3 * 24 * 60; minute += 7) {
    turn_at(at("2024-03-29T20:00:00Z") + minute * 1min);
    for (const std::string& name : names())
      if (!is_finished(*server->store.get(local::kinds::job, "default", name))) end(name);
  }
  CHECK(starts() == Texts{"2024-03-30T02:30:00+01:00", "2024-04-01T02:30:00+02:00"});
}

TEST_CASE_FIXTURE(CronFixture, "cron_job: February 29 starts one job every four years") {
  clock.time = at("2024-01-01T00:00:00Z");
  create("0 12 29 2 *", {{"timeZone", "Etc/UTC"}});
  for (int day = 0; day < 6 * 366; ++day) {
    turn_at(at("2024-01-01T00:00:00Z") + day * kDay);
    for (const std::string& name : names())
      if (!is_finished(*server->store.get(local::kinds::job, "default", name))) end(name);
  }
  CHECK(starts() == Texts{"2024-02-29T12:00:00Z", "2028-02-29T12:00:00Z"});
}

}  // namespace cron_job_controller_test
