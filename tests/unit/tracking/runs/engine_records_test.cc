#include "tracking/runs/engine_records.h"

#include <doctest/doctest.h>

#include <fstream>

#include "kml/job/accounting/account_records.h"
#include "support/environment.h"
#include "support/temporary_folder.h"
#include "tracking/runs/gpu_hours.h"

namespace engine_records_test {

using namespace kml;
using namespace kml::job;
using namespace kml::tracking;

namespace {

const char* kRunJournal =
    R"({"what":"run","time":"2026-11-20T08:00:00Z","name":"digits","id":"0123456789abcdef","user":"root","file":"pipeline.yaml","text":"","params":{"depth":5},"target":{"context":"in-cluster","namespace":"ml"}}
{"what":"begun","time":"2026-11-20T08:00:01Z","step":"train","attempt":0,"job":"digits-train","key":"k","parts":{},"inputs":{}}
{"what":"again","time":"2026-11-20T08:00:02Z","step":"train","cause":"exit code 1","until":"2026-11-20T08:00:02Z"}
{"what":"begun","time":"2026-11-20T08:00:03Z","step":"train","attempt":1,"job":"digits-train-1","key":"k","parts":{},"inputs":{}}
{"what":"ended","time":"2026-11-20T08:00:09Z","step":"train","isDone":true,"outputs":{"accuracy":{"value":0.9}},"cause":"","imageId":"docker.io/library/python@sha256:12ab"}
)";
const std::string kEnd = R"({"what":"end","time":"2026-11-20T08:00:10Z","outcome":"succeeded"})"
                         "\n";

EngineRecord run_record() {
  return {.id = "0123456789abcdef",
          .kind = "run",
          .name = "digits",
          .user = "ana",
          .context = "prod",
          .namespace_name = "ml",
          .version = "7",
          .journal = kRunJournal};
}

}  // namespace

TEST_CASE("engine records: a pipeline in the cluster is read back, and compared like others") {
  const TemporaryFolder folder;
  const EngineRecords records(folder.path());
  EngineRecord record = run_record();
  CHECK(!is_ended(record));
  records.write(record);
  record.journal += kEnd;
  records.write(record);
  const std::vector<EngineRecord> all = records.read_all();
  REQUIRE(all.size() == 1);
  CHECK(is_ended(all[0]));
  CHECK(all[0].version == "7");
  CHECK(!records.read("fedcba9876543210"));

  RunNotes notes;
  notes.tags = {{"paper", "yes"}};
  const TrackedRun run = tracked_engine(all[0], notes);
  CHECK(run.id == "0123456789abcdef");
  CHECK(run.kind == "pipeline");
  CHECK(run.name == "digits");
  CHECK(run.target == "prod/ml");
  CHECK(run.user == "ana");
  CHECK(run.state == "Succeeded");
  CHECK(run.parameters.at("depth") == 5);
  CHECK(run.metrics.at("train.accuracy").last == 0.9);
  CHECK(run.tags.at("paper") == "yes");
  CHECK(run.facts.at("attempts") == "2");
  CHECK(run.facts.at("train image digest") == "sha256:12ab");
}

TEST_CASE("engine records: the last record says whether a sweep has ended, as it does for a run") {
  EngineRecord record = run_record();
  record.kind = "sweep";
  record.journal = R"({"record":"session","time":"2026-11-20T08:00:00Z","owner":"process 1"})"
                   "\n";
  CHECK(!is_ended(record));
  record.journal += R"({"record":"end","time":"2026-11-20T08:00:10Z","reason":"stopped"})"
                    "\n";
  CHECK(is_ended(record));
}

TEST_CASE("engine records: a damaged file does not hide other files") {
  const TemporaryFolder folder;
  const EngineRecords records(folder.path());
  records.write(run_record());
  std::ofstream(folder.path() / "1111111111111111.jsonl") << "{\"id\":";
  CHECK(records.read_all().size() == 1);
}

TEST_CASE(
    "GPU hours of a run: include all of its jobs; kml also shows which share of the time the sources cover") {
  const TemporaryFolder folder;
  const EnvironmentVariable state("XDG_STATE_HOME", folder.path().c_str());
  const Time begin = *parse_rfc3339("2026-11-20T08:00:00Z"), end = begin + std::chrono::hours(1);
  const auto account = [&](const std::string& job, double known) {
    JobAccount made;
    made.key = "0123456789abcdef Job/" + job;
    made.created = begin;
    made.finished = end;
    made.pods = 1;
    made.gpus = 2;
    made.spans = {{.start = begin, .end = end, .gpus = 2, .use = Use::well, .lane = job}};
    made.covered = {{begin, end, 1, known}};
    return made;
  };
  JobAccount other = account("other", 1);
  other.key = "fedcba9876543210 Job/other";
  AccountRecords::of_user().add({account("a", 1), account("a-1", 1), other});
  std::vector<TrackedRun> runs = {tracked_engine(run_record(), {})};
  add_gpu_hours(runs);
  CHECK(runs[0].facts.at("GPU hours") == "4");
  AccountRecords::of_user().add({account("a-1", 0.5)});
  add_gpu_hours(runs);
  CHECK(runs[0].facts.at("GPU hours") == "4 (known for 75% of the time)");
}

}  // namespace engine_records_test
