#include "kml/job/records/records.h"

#include <doctest/doctest.h>

#include <cmath>
#include <fstream>

#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/job/submit/rerun.h"
#include "kml/job/views/ownership.h"
#include "support/temporary_folder.h"

namespace records_test {

using namespace kml;
using namespace kml::job;

namespace {

Submission run(const std::string& id, const std::string& name) {
  Json job = {{"apiVersion", "batch/v1"}, {"kind", "Job"}};
  job["metadata"]["name"] = name;
  job["spec"]["args"] = Json::array({name, "--out=" + name});
  Submission made;
  made.id = id;
  made.time = Time(std::chrono::seconds(1'800'000'000));
  made.command = {"python", "a b.py"};
  made.objects = {job};
  return made;
}

}  // namespace

TEST_CASE("records: a run and its later outcome are read as one") {
  TemporaryFolder folder;
  Submissions records(folder.path() / "runs.jsonl");
  CHECK(records.read().empty());
  records.add_intent(run("r1", "bert-x7f2q"));
  records.add_intent(run("r2", "gpt"));
  records.add_outcome("r1", "Job/bert-x7f2q", {State::failed, "exit code 1", {}});
  std::vector<Submission> runs = records.read();
  REQUIRE(runs.size() == 2);
  CHECK(runs[0].command == std::vector<std::string>{"python", "a b.py"});
  CHECK(runs[0].outcomes.at("Job/bert-x7f2q").state == State::failed);
  CHECK(runs[1].outcomes.empty());
}

TEST_CASE("records: objects other than jobs are created, unless their deletion is recorded") {
  Submission schedule = run("r1", "nightly");
  schedule.objects[0]["kind"] = "CronJob";
  CHECK(outcome_of(schedule).state == "Created");
  schedule.outcomes["Job/nightly-29"] = {State::failed, "exit code 1", {}};  // a job that it started
  CHECK(outcome_of(schedule).state == "Created");
  schedule.outcomes[job_key(schedule.objects[0])] = {State::cancelled, "deleted", {}};
  CHECK(outcome_of(schedule).state == "Cancelled");
  CHECK(outcome_of(schedule).cause == "deleted");
}

TEST_CASE(
    "records: if just the newest runs are wanted, only these are returned, and runs that created nothing are "
    "skipped") {
  TemporaryFolder folder;
  Submissions records(folder.path() / "runs.jsonl");
  for (const char* id : {"r1", "r2", "r3", "r4"}) {
    Submission one = run(id, "job-" + std::string(id));
    one.command = {"echo", ",\"intent\":true,"};
    records.add_intent(one);
  }
  records.add_sent("r4", {});
  records.add_outcome("r2", "Job/job-r2", {State::failed, "", {}});
  const auto ids = [&](size_t newest) {
    std::string text;
    for (const Submission& one : records.read(newest)) text += one.id + " ";
    return text;
  };
  CHECK(ids(0).empty());
  CHECK(ids(1) == "r3 ");
  CHECK(ids(2) == "r2 r3 ");
  CHECK(ids(100) == "r1 r2 r3 ");
  CHECK(records.read(2)[0].outcomes.at("Job/job-r2").state == State::failed);
}

TEST_CASE("records: an older run is parsed only if a quick search of its text shows that the run may match") {
  TemporaryFolder folder;
  Submissions records(folder.path() / "runs.jsonl");
  for (const char* id : {"r1", "r2", "r3", "r4"}) {
    Submission one = run(id, "job-" + std::string(id));
    one.objects[0]["spec"]["args"] = {"]\\\"}", ",\"objects\":["};
    one.git = {{"commit", "c"}};
    one.context = "prod";
    if (one.id == "r3") one.code_folder = "src";
    records.add_intent(one);
    records.add_sent(id, {"Job/job-" + std::string(id)});
    records.add_outcome(id, "Job/job-" + std::string(id), {State::succeeded, "", {}});
  }
  std::string asked;
  const auto is_wanted = [&](const Submission& outline, std::string_view objects) {
    asked += outline.id + " ";
    CHECK(outline.objects.empty());
    CHECK(outline.command.at(0) == "python");
    CHECK(outline.context == "prod");
    CHECK(Json::parse(objects)[0]["metadata"]["name"] == "job-" + outline.id);
    return outline.id == "r2" || outline.id == "r4";
  };
  const std::vector<Submission> runs = records.read_if(is_wanted);
  CHECK(asked == "r1 r2 r3 r4 ");
  REQUIRE(runs.size() == 2);
  CHECK(runs[0].id == "r2");
  CHECK(runs[0].git["commit"] == "c");
  CHECK(runs[0].outcomes.at("Job/job-r2").state == State::succeeded);
  CHECK(runs[1].id == "r4");
  CHECK_FALSE(runs[1].is_open);
}

TEST_CASE("records: tags, notes and metrics are read by run, and the last value is used") {
  TemporaryFolder folder;
  const Submissions records(folder.path() / "runs.jsonl");
  records.add_tags("r1", {{"paper", "yes"}, {"draft", "1"}});
  records.add_tags("r1", {{"draft", nullptr}});
  records.add_note("r1", "first");
  records.add_note("r1", "second");
  records.add_tags("r2/n2", {{"kept", "yes"}});
  records.add_note("r2/n2", "the best fold");
  RunNotes logged;
  logged.metrics = {{"loss", {0.5, 0.25, 1, 3}}, {"acc", {std::nan(""), -HUGE_VAL, HUGE_VAL, 4}}};
  logged.nested = {{.id = "n1", .name = "fold 1", .state = "Failed"},
                   {.id = "n2", .parent = "n1", .name = "deep", .metrics = {{"f1", {1, 1, 1, 1}}}}};
  logged.of_nodes = {{"driver", "535.104.05"}};
  records.add_logged("r2", logged);
  const auto notes = records.notes();
  CHECK(notes.at("r2").of_nodes == logged.of_nodes);
  CHECK(notes.at("r1").tags == std::map<std::string, std::string>{{"paper", "yes"}});
  CHECK(notes.at("r1").note == "second");
  CHECK_FALSE(notes.at("r1").metrics);
  CHECK(notes.at("r2").metrics->at("loss").min == 0.25);
  CHECK(notes.at("r2").metrics->at("loss").count == 3);
  const Metric& acc = notes.at("r2").metrics->at("acc");
  CHECK(std::isnan(acc.last));
  CHECK(acc.min == -HUGE_VAL);
  CHECK(acc.max == HUGE_VAL);
  REQUIRE(notes.at("r2").nested.size() == 2);
  CHECK(notes.at("r2").nested[0].state == "Failed");
  CHECK(notes.at("r2").nested[1].parent == "n1");
  CHECK(notes.at("r2").nested[1].metrics.at("f1").last == 1);
  CHECK(notes.at("r2").nested[0].tags.empty());
  CHECK(notes.at("r2").nested[1].tags == std::map<std::string, std::string>{{"kept", "yes"}});
  CHECK(notes.at("r2").nested[1].note == "the best fold");
}

TEST_CASE("records: finds the runs whose metrics are not recorded") {
  TemporaryFolder folder;
  Submissions records(folder.path() / "runs.jsonl");
  CHECK(records.without_metrics().empty());
  for (const char* id : {"r1", "r2", "r3"}) records.add_intent(run(id, "a \",\"run\":\"r9\""));
  records.add_logged("r2", {});
  CHECK(records.without_metrics() == std::set<std::string>{"r1", "r3"});
}

TEST_CASE("records: a state is read as it was written; an outcome that only a newer kml knows is left out") {
  using enum State;
  TemporaryFolder folder;
  const auto file = folder.path() / "runs.jsonl";
  const Submissions records(file);
  records.add_intent(run("r1", "bert"));
  for (const State state : {waiting, running, suspended, succeeded, failed, cancelled}) {
    records.add_outcome("r1", "Job/bert", {state, "its cause", {}});
    CHECK(read_file(file).find("\"outcome\":\"" + std::string(name_of(state)) + "\"") != std::string::npos);
    CHECK(records.read()[0].outcomes.at("Job/bert").state == state);
  }
  append_durably(file, "{\"outcomeOf\": \"r1\", \"job\": \"Job/other\", \"outcome\": \"Teleported\"}\n");
  CHECK(records.read()[0].outcomes.size() == 1);
}

TEST_CASE("records: an end is recorded even if no submit was recorded before") {
  TemporaryFolder folder;
  const Submissions records(folder.path() / "state" / "runs.jsonl");
  records.add_outcome("r1", "Job/bert", {State::failed, "exit code 1", {}});
  CHECK(read_file(folder.path() / "state" / "runs.jsonl").find("exit code 1") != std::string::npos);
}

TEST_CASE(
    "records: a submit has only the objects that it created, and a submit that was cut off stays open") {
  TemporaryFolder folder;
  Submissions records(folder.path() / "runs.jsonl");
  Submission both = run("both", "a");
  both.objects.push_back(run("both", "b").objects[0]);
  records.add_intent(both);
  records.add_sent("both", {"Job/b"});
  records.add_intent(run("refused", "c"));
  records.add_sent("refused", {});
  records.add_intent(run("cut off", "d"));
  const std::vector<Submission> runs = records.read();
  REQUIRE(runs.size() == 2);
  CHECK_FALSE(runs[0].is_open);
  REQUIRE(runs[0].objects.size() == 1);
  CHECK(runs[0].objects[0]["metadata"]["name"] == "b");
  CHECK(runs[1].id == "cut off");
  CHECK(runs[1].is_open);
}

TEST_CASE("records: an incomplete line does not hide the next one") {
  TemporaryFolder folder;
  Submissions records(folder.path() / "runs.jsonl");
  records.add_intent(run("r1", "bert"));
  append_durably(folder.path() / "runs.jsonl", "{\"run\": \"r2\", \"obj\n");
  records.add_intent(run("r3", "gpt"));
  std::ofstream(folder.path() / "runs.jsonl", std::ios::app) << "{\"run\": \"r4\", \"obj";
  records.add_intent(run("r5", "t5"));
  std::ofstream(folder.path() / "runs.jsonl", std::ios::app) << "{\"outcomeOf\": \"r1";
  records.add_outcome("r5", "Job/t5", {State::failed, "exit code 1", {}});
  const std::vector<Submission> runs = records.read();
  REQUIRE(runs.size() == 3);
  CHECK(runs[1].id == "r3");
  CHECK(runs[2].id == "r5");
  CHECK(runs[2].outcomes.at("Job/t5").state == State::failed);
}

TEST_CASE("records: the contents of secrets are left out") {
  Json secret = parse_json(R"({"kind": "Secret", "data": {"a": "b"}, "stringData": {"c": "d"}})", "secret");
  CHECK(without_secrets(secret).dump() == R"({"kind":"Secret"})");
}

TEST_CASE("rerun: a generated name is replaced everywhere; a chosen one stays inside longer arguments") {
  Json drawn = objects_to_run_again(run("r", "bert-x7f2q"))[0];
  std::string name = drawn["metadata"]["name"];
  CHECK(name != "bert-x7f2q");
  CHECK(name.starts_with("bert-"));
  CHECK(drawn["spec"]["args"] == Json::array({name, "--out=" + name}));
  Json chosen = objects_to_run_again(run("r", "bert"))[0];
  CHECK(chosen["spec"]["args"][1] == "--out=bert");
}

TEST_CASE("rerun: a run is found by its job, of which the last run is used, or by the start of its id") {
  std::vector<Submission> runs = {run("ab1c0001", "bert"), run("ab1c0002", "gpt"), run("cd3f0003", "bert")};
  CHECK(find_run(runs, "cd3f").id == "cd3f0003");
  CHECK(find_run(runs, "bert").id == "cd3f0003");
  CHECK(find_run(runs, "job/bert").id == "cd3f0003");
  CHECK_THROWS_WITH(find_run(runs, "pytorchjob/bert"), "no run \"pytorchjob/bert\"");
  runs.push_back(run("ef40000a", "gpt"));
  runs.back().objects[0]["kind"] = "PyTorchJob";
  runs.back().objects[0]["apiVersion"] = "kubeflow.org/v1";
  CHECK(find_run(runs, "pytorchjob/gpt").id == "ef40000a");
  CHECK(find_run(runs, "job/gpt").id == "ab1c0002");
  runs.pop_back();
  CHECK(find_run(runs, "ab1c0001").id == "ab1c0001");
  CHECK_THROWS_WITH(find_run(runs, "ab1c"), "several runs start with \"ab1c\"");
  runs.push_back(run("ef400004", "ab1c"));
  CHECK(find_run(runs, "ab1c").id == "ef400004");  // a whole name
  // A few digits, such as a job's name f5, do not select a run.
  for (const char* typed : {"c", "cd", "cd3", "cd3x", "brt", ""}) {
    CAPTURE(typed);
    CHECK_THROWS_WITH(find_run(runs, typed), ("no run \"" + std::string(typed) + "\"").c_str());
  }
  runs.push_back(run("run/steps", "train"));
  CHECK(find_run(runs, "run/steps").id == "run/steps");
  CHECK_THROWS_AS(find_run(runs, "run/"), Error);
}

TEST_CASE(
    "records: a disruption is recorded with its job, and the name of the preemptor is added once it is "
    "known") {
  TemporaryFolder folder;
  Submissions records(folder.path() / "runs.jsonl");
  Json job = run("r1", "bert").objects[0];
  job["metadata"]["uid"] = "u1";
  Disruption disruption{
      "bert-a", "p1", "n1", {}, Time(std::chrono::seconds(1'800'000'000)), std::string(kPreempted), ""};
  records.add_disruption(job, disruption);
  disruption.by = "gpt";
  records.add_disruption(job, disruption);
  const auto of_job = [&] { return records.disruptions()[disruption_key(job)]; };
  REQUIRE(of_job().size() == 1);
  CHECK(of_job()[0].by == "gpt");
  CHECK(of_job()[0].time == disruption.time);
  CHECK(records.disruptions().size() == 1);
  CHECK(records.read().empty());

  job["metadata"]["labels"]["kml.dev/submit-id"] = "r1";
  CHECK(of_job().empty());
  records.add_disruption(job, disruption);
  CHECK(records.disruptions()[disruption_key("r1", "Job/bert")].size() == 1);
}

}  // namespace records_test
