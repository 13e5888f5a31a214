// Whether schedules start each job once: the program `kml-schedule-ticks` for tests/bench/schedule.
//
//   kml-schedule-ticks COUNT SEED
//
// Drives the embedded server's CronJob controller with a simulated clock for COUNT starts of three schedules
// in a zone with daylight saving time. The clock advances by random steps, the server is killed and started
// again at random, and about once in 500 steps the machine sleeps for 48 hours. After each step, the program
// compares the starts with the expected ones, which it finds by examining each minute: each minute that
// matches has one start, but if several were missed, only the last of them has one. Prints how many starts
// were expected, missed, and doubled or unexpected, and how many clock changes, sleeps and kills occurred.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <string>

#include "kml/base/time_zone.h"
#include "kml/kube/objects/cron_job.h"
#include "kml/kube/objects/object.h"
#include "local/controllers/bootstrap.h"
#include "local/controllers/cron_job_controller.h"
#include "local/store/object.h"
#include "support/temporary_folder.h"

using namespace kml;
using namespace kml::local;
using namespace std::chrono_literals;

namespace {

struct SetClock final : Clock {
  Time now() const override { return time; }
  Time time;
};

struct Server {
  Server(const std::filesystem::path& folder, const Clock& clock)
      : store(folder / "store.db", clock),
        images(folder),
        events(loop, store, clock),
        controller(loop, store, dependents, admission, events, clock) {}

  void turn() {
    controller.recover();
    loop.after(0ms, [&] { loop.stop(); });
    loop.run();
  }

  EventLoop loop;
  Store store;
  Images images;
  Admission admission{store, images};
  Dependents dependents{store};
  EventRecorder events;
  CronJobController controller;
};

/// A schedule, and a function that decides without kml's parser whether a time on the zone's clocks matches
/// it.
struct Case {
  const char* name;
  const char* cron;
  std::function<bool(std::chrono::hh_mm_ss<std::chrono::minutes> at)> matches;
};

Json cron_job_of(const Case& one, const std::string& zone) {
  const Json container = {{"name", "main"}, {"image", "x"}, {"command", Json::array({"true"})}};
  const Json pod = {{"restartPolicy", "Never"}, {"containers", Json::array({container})}};
  return {{"apiVersion", "batch/v1"},
          {"kind", "CronJob"},
          {"metadata", {{"name", one.name}, {"namespace", "default"}}},
          {"spec",
           {{"schedule", one.cron},
            {"timeZone", zone},
            {"successfulJobsHistoryLimit", 1},
            {"jobTemplate", {{"spec", {{"template", {{"spec", pod}}}}}}}}}};
}

}  // namespace

int main(int argc, char** argv) {
  const long count = argc > 1 ? std::atol(argv[1]) : 1000;
  std::mt19937_64 random(argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1);
  const std::string zone_name = "Europe/Berlin";
  const TimeZone zone = *TimeZone::find(zone_name);
  const Case cases[] = {
      {"early", "*/30 1-3 * * *",
       [](auto at) { return at.minutes().count() % 30 == 0 && at.hours() >= 1h && at.hours() <= 3h; }},
      {"hourly", "7 * * * *", [](auto at) { return at.minutes() == 7min; }},
      {"nightly", "30 2 * * *", [](auto at) { return at.hours() == 2h && at.minutes() == 30min; }}};

  TemporaryFolder folder;
  SetClock clock;
  clock.time = *parse_rfc3339("2024-03-01T00:00:30Z");
  std::optional<Server> server;
  std::map<std::string, int>
      started;  // how many jobs with this name, "NAME-MINUTE", were created in this round
  const auto start_server = [&] {
    server.emplace(folder.path(), clock);
    server->store.subscribe([&](const StoreEvent& event) {
      if (event.kind != &local::kinds::job || event.change != Change::added) return;
      const std::string name = name_of(*event.object);
      ++started[name];
    });
  };
  start_server();
  create_initial_objects(server->store);
  for (const Case& one : cases) {
    Json cron_job = cron_job_of(one, zone_name);
    server->admission.admit_new(local::kinds::cron_job, cron_job);
    server->store.create(local::kinds::cron_job, std::move(cron_job));
  }
  server->turn();

  long expected = 0, missed = 0, extra = 0, sleeps = 0, changes = 0, kills = 0;
  while (expected < count) {
    const Time before = clock.time;
    const bool is_asleep = random() % 500 == 0;
    sleeps += is_asleep ? 1 : 0;
    clock.time += is_asleep ? std::chrono::seconds(48h) : std::chrono::seconds(random() % 3600 + 1);
    changes += zone.offset(before) != zone.offset(clock.time) ? 1 : 0;
    if (random() % 20 == 0) {
      ++kills;
      server.reset();
      start_server();
    }
    started.clear();
    server->turn();
    for (const Case& one : cases) {
      std::optional<long long> last;
      for (Time at = std::chrono::ceil<std::chrono::minutes>(before + 1ns); at <= clock.time; at += 1min) {
        const auto local = std::chrono::floor<std::chrono::minutes>(at.time_since_epoch() + zone.offset(at));
        if (one.matches(std::chrono::hh_mm_ss(local - std::chrono::floor<std::chrono::days>(local))))
          last = std::chrono::floor<std::chrono::minutes>(at.time_since_epoch()).count();
      }
      if (!last) continue;
      ++expected;
      const auto found = started.find(std::string(one.name) + "-" + std::to_string(*last));
      if (found == started.end()) {
        ++missed;
      } else {
        extra += found->second - 1;
        started.erase(found);
      }
    }
    for (const auto& [name, times] : started) extra += times;
    for (const ObjectPtr& event :
         server->store.list(local::kinds::event, ""))  // without this, each restart would read more events
      server->store.remove(local::kinds::event, namespace_of(*event), name_of(*event));
    for (const ObjectPtr& job : server->store.list(local::kinds::job, "default"))
      if (!is_finished(*job))
        server->store.modify(local::kinds::job, "default", name_of(*job), [&](Json& next) {
          set_condition(next, "Complete", true, "", "", rfc3339(clock.now()));
          next["status"]["completionTime"] = rfc3339(clock.now());
        });
  }
  std::printf("%ld %ld %ld %ld %ld %ld\n", expected, missed, extra, changes, sleeps, kills);
  return missed + extra == 0 ? 0 : 1;
}
