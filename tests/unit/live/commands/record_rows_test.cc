#include "live/commands/record_rows.h"

#include <doctest/doctest.h>

#include <map>
#include <sstream>

#include "kml/base/text.h"
#include "kml/job/views/data_mark.h"
#include "kml/pipeline/engine/runs.h"
#include "support/environment.h"
#include "support/eventually.h"
#include "support/temporary_folder.h"

namespace record_rows_test {

using namespace kml;
using namespace kml::cli;

namespace {

namespace record = pipeline::record;

const std::string kPipeline = R"({apiVersion: kml.dev/v1, kind: Pipeline, metadata: {name: iris},
  spec: {steps: {train: {command: [python, train.py]}}}})";

struct Fixture {
  Fixture() { std::filesystem::create_directories(temporary.path() / "kml"); }

  /// Reads the files that have changed, and keeps the rows of runs and pipelines.
  void update() {
    rows.update_files();
    for (const std::string& line : split(out.str(), '\n')) {
      if (line.empty()) continue;
      const Json change = Json::parse(line);
      const std::string key = string_at(change, {"table"}) + " " + string_at(change, {"id"});
      if (change["change"] == "drop")
        shown.erase(key);
      else
        shown[key] = change["row"];
      if (change["change"] == "set") orders[key] = change["order"];
    }
    out.str("");
  }
  Json row(const std::string& key) {
    update();
    return shown.contains(key) ? shown[key] : Json();
  }
  void submit(const std::string& id, const std::string& name, const Json& annotations = Json::object()) {
    job::Submission submission;
    submission.id = id;
    submission.context = "local";
    submission.namespace_name = "default";
    submission.objects = {
        {{"apiVersion", "batch/v1"},
         {"kind", "Job"},
         {"metadata", {{"name", name}, {"namespace", "default"}, {"annotations", annotations}}}}};
    job::Submissions::of_user().add_intent(submission);
  }
  static void add(const std::string& run, decltype(pipeline::Record::what) what) {
    pipeline::Journal journal = pipeline::open_run(run, "test");
    journal.add({system_clock().now(), std::move(what)});
    journal.commit();
  }
  static void begin(const std::string& run) {
    add(run, record::Run{
                 .name = run, .file = "pipeline.yaml", .text = kPipeline, .target = {{"context", "local"}}});
  }

  const TemporaryFolder temporary;
  const EnvironmentVariable state{"KML_STATE_DIR", (temporary.path() / "kml").c_str()},
      kubeconfig{"KUBECONFIG", (temporary.path() / "none").c_str()};
  std::ostringstream out, err, printed;
  GlobalOptions options = [] {
    GlobalOptions local;
    local.context = "local";
    return local;
  }();
  Context context{options, {printed, err}};
  RowWriter writer{out, "local"};
  LiveOutcomes outcomes;
  RecordRows rows{context, writer, outcomes};
  std::map<std::string, Json> shown;
  std::map<std::string, std::string> orders;
};

}  // namespace

TEST_CASE("live rows: each change of a journal is shown by the next look at the files") {
  Fixture feed;
  feed.update();
  CHECK(feed.shown.empty());
  feed.begin("iris-1");
  CHECK(feed.row("pipelines iris-1")["state"] == "interrupted");  // the engine of this test no longer runs it
  CHECK(feed.row("pipelines iris-1")["steps"][0]["state"] == "waiting");
  CHECK(feed.row("runs run/iris-1")["state"] == "Running");
  feed.add("iris-1", record::Begun{"train", 0, "j", "k", Json::object(), Json::object(),
                                   "train.py changed (read by train)"});
  CHECK(feed.row("pipelines iris-1")["steps"][0]["state"] == "running");
  feed.begin("iris-2");
  CHECK(feed.row("pipelines iris-2")["name"] == "iris-2");
  feed.add("iris-1", record::Running{"train"});
  feed.add("iris-1",
           record::Ended{.step = "train", .how = record::Ended::How::done, .outputs = Json::object()});
  const Json step = feed.row("pipelines iris-1")["steps"][0];
  CHECK(step["state"] == "done");
  CHECK(step["ranBecause"] == "train.py changed (read by train)");
  CHECK_FALSE(step.contains("cause"));
  feed.add("iris-1", record::End{pipeline::Outcome::succeeded});
  CHECK(feed.row("pipelines iris-1")["state"] == "succeeded");
  std::filesystem::remove_all(pipeline::run_folder("iris-1"));
  CHECK(feed.row("pipelines iris-1").is_null());
  CHECK(feed.row("runs run/iris-1").is_null());
  CHECK_FALSE(feed.row("pipelines iris-2").is_null());
}

TEST_CASE("live rows: a run that has failed names its step, among the runs as among the pipelines") {
  Fixture feed;
  feed.begin("iris-1");
  feed.add("iris-1", record::Begun{"train", 0, "j", "k", Json::object(), Json::object(), "--no-cache"});
  feed.add("iris-1",
           record::Ended{.step = "train", .how = record::Ended::How::failed, .cause = "exit code 1"});
  feed.add("iris-1", record::End{pipeline::Outcome::failed});
  for (const char* key : {"pipelines iris-1", "runs run/iris-1"})
    CHECK(feed.row(key)["cause"] == "step train: exit code 1");
  CHECK(feed.row("pipelines iris-1")["steps"][0]["cause"] == "exit code 1");
}

TEST_CASE("live rows: submits of the same second are in the order in which they were made") {
  Fixture feed;
  for (const char* id : {"ffffffffffffffff", "0000000000000000", "8888888888888888"}) feed.submit(id, "bert");
  feed.rows.show_open_runs();
  feed.update();
  const auto order = [&](const char* id) { return feed.orders["runs " + std::string(id)]; };
  CHECK(order("8888888888888888") < order("0000000000000000"));
  CHECK(order("0000000000000000") < order("ffffffffffffffff"));
}

TEST_CASE("live rows: a run shows whether an engine is running it") {
  Fixture feed;
  feed.begin("iris-1");
  std::optional<pipeline::Journal> engine = pipeline::open_run("iris-1", "test");
  CHECK(eventually([&] { return feed.row("pipelines iris-1")["state"] == "running"; }));
  CHECK_FALSE(feed.row("pipelines iris-1").contains("cause"));
  engine.reset();
  CHECK(eventually([&] { return feed.row("pipelines iris-1")["state"] == "interrupted"; }));
  CHECK(contains(feed.row("pipelines iris-1")["cause"].get<std::string>(), "no engine"));
}

TEST_CASE("live rows: a file is not a journal until it has a first line") {
  Fixture feed;
  feed.begin("iris-1");
  const auto file = pipeline::run_folder("iris-2") / "journal.jsonl";
  std::filesystem::create_directories(file.parent_path());
  std::filesystem::copy_file(pipeline::run_folder("iris-1") / "journal.jsonl", file);
  const auto whole = std::filesystem::file_size(file);
  std::filesystem::resize_file(file, whole - 1);
  CHECK(feed.row("pipelines iris-2").is_null());
  std::filesystem::copy_file(pipeline::run_folder("iris-1") / "journal.jsonl", file,
                             std::filesystem::copy_options::overwrite_existing);
  CHECK_FALSE(feed.row("pipelines iris-2").is_null());
}

TEST_CASE("live rows: the row of a submit keeps nothing of its earlier state") {
  struct Case {
    job::Outcome before, after;
    const char* cause;  ///< empty: the row has none
  };
  const Time now = system_clock().now();
  const Case kCases[] = {
      {{job::State::failed, "exit code 7", now}, {job::State::running, "", {}}, ""},
      {{job::State::waiting, "not enough GPUs", {}}, {job::State::running, "", {}}, ""},
      {{job::State::running, "", {}}, {job::State::failed, "exit code 7", now}, "exit code 7"}};
  for (const auto& [before, after, cause] : kCases) {
    CAPTURE(cause);
    Fixture feed;
    feed.submit("0123456789abcdef", "bert");
    feed.rows.show_open_runs();
    // kml may still be sending it, or have been killed.
    CHECK(contains(feed.row("runs 0123456789abcdef")["cause"].get<std::string>(), "killed"));
    for (const job::Outcome& outcome : {before, after}) {
      feed.outcomes.see("0123456789abcdef", "Job/bert", outcome);
      const Json row = feed.row("runs 0123456789abcdef");
      CHECK(row["state"] == job::name_of(outcome.state));
      CHECK(string_at(row, {"cause"}) == outcome.cause);
      CHECK(row.contains("finished") == outcome.finished.has_value());
    }
    CHECK(string_at(feed.row("runs 0123456789abcdef"), {"cause"}) == cause);
  }
}

TEST_CASE("live rows: kml's own jobs are not runs") {
  Fixture feed;
  feed.rows.show_open_runs();
  feed.submit("0123456789abcde0", "kml-gc-x7f2q", {{job::kMaintenance, "true"}});
  feed.submit("0123456789abcde1", "bert");
  CHECK_FALSE(feed.row("runs 0123456789abcde1").is_null());
  CHECK(feed.row("runs 0123456789abcde0").is_null());
}

}  // namespace record_rows_test
