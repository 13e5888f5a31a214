#include <doctest/doctest.h>

#include "kml/base/read_record.h"
#include "kml/base/sha256.h"
#include "pipeline/scripted_steps.h"

namespace kml::pipeline::recorded_step_test {

/// A pipeline with one step, and a list of its folder's files. A script says what the step reads.
struct Recorded : TestedPipeline {
  std::map<std::string, std::string> files = {{"train.py", "1"}, {"notes.txt", "1"}};

  Recorded()
      : TestedPipeline(R"(  steps:
    train: {command: [train, train.py, "${out.x}"], outputs: {x: file}}
)") {
    for (const auto& [name, content] : files) write_file_atomically(folder.path() / name, content);
  }

  void list_files() {
    std::string list;
    for (const auto& [file, content] : files)
      list += json_text(Json(file)) + " 644 " + sha256_hex(content) + "\n";
    surroundings = {{"code", store.keep_list(list)}, {"file train.py", sha256_hex(files["train.py"])}};
    if (files.contains("packages.txt"))
      surroundings[kPackagesOf + std::string("packages.txt")] = sha256_hex(files["packages.txt"]);
  }

  /// Runs the pipeline. Returns "cached from RUN", the note about the step's result or, if there is none, why
  /// the step ran.
  std::string ran(const std::string& name) {
    list_files();
    std::string cause;
    on_round = [&](const Engine& engine) {
      for (const auto& [step, state] : engine.state().steps())
        if (state.phase == Phase::running && !state.is_seen) cause = state.cause;
    };
    const RunState run = this->run(name);
    REQUIRE(run.end() == Outcome::succeeded);
    const StepState& state = run.step("train");
    if (state.phase == Phase::cached) return "cached from " + state.from;
    return state.cause.empty() ? cause : state.cause;
  }
};

std::string record_of(const std::string& name, PathSeen seen) {
  ReadRecord record;
  record.look(name, seen);
  return record.text();
}

TEST_CASE("recorded step: the step runs again only if something that it read has changed") {
  Recorded tested;
  tested.server.record = record_of("train.py", {PathKind::file});
  CHECK(tested.ran("a") == "it has no result yet");
  tested.files["notes.txt"] = "2";
  CHECK(tested.ran("b") == "cached from a");
  tested.files["new.txt"] = "2";
  tested.server.record = {};
  CHECK(tested.ran("c") == "cached from a");
  tested.server.record = record_of("train.py", {PathKind::file});
  tested.files["train.py"] = "2";
  CHECK(tested.ran("d") == "train.py changed (read by train)");
  tested.files["train.py"] = "1";
  CHECK(tested.ran("e") == "cached from a");
}

TEST_CASE(
    "recorded step: the step runs again if the list of its packages has changed, which only kml reads") {
  Recorded tested;
  tested.files["packages.txt"] = "1";
  tested.server.record = record_of("train.py", {PathKind::file});
  CHECK(tested.ran("a") == "it has no result yet");
  tested.files["notes.txt"] = "2";
  CHECK(tested.ran("b") == "cached from a");
  tested.files["packages.txt"] = "2";
  CHECK(tested.ran("c") == "packages.txt changed");
  tested.files["packages.txt"] = "1";
  CHECK(tested.ran("d") == "cached from a");
}

TEST_CASE(
    "recorded step: the step runs again if something that it read has changed, even if all files of the "
    "folder are the same") {
  Recorded tested;
  ReadRecord record;
  record.look("data", {PathKind::missing});
  tested.server.record = record.text();
  CHECK(tested.ran("a") == "it has no result yet");
  CHECK(tested.ran("b") == "cached from a");
  std::filesystem::create_directory(tested.folder.path() / "data");
  CHECK(tested.ran("c") == "data added (read by train)");
}

TEST_CASE("recorded step: without a usable record, all files of the folder are compared") {
  const auto unsure = [] {
    ReadRecord record;
    record.give_up("it changed its mounts");
    return record.text();
  };
  for (const auto& record : {std::optional<std::string>(), std::optional<std::string>("damaged"),
                             std::optional<std::string>(unsure())}) {
    CAPTURE(record.value_or("none"));
    Recorded tested;
    tested.server.record = record;
    const std::string told = tested.ran("a");
    CHECK(told.starts_with(record ? "all files of its folder are compared: " : "it has no result yet"));
    CHECK(tested.ran("b") == "cached from a");
    tested.files["notes.txt"] = "2";
    tested.server.record = {};
    CHECK(tested.ran("c") == "notes.txt changed");
  }
}

TEST_CASE("recorded step: a result whose record cannot be read is not used") {
  for (const char* content : {"1", "2"}) {
    CAPTURE(content);
    Recorded tested;
    tested.server.record = record_of("train.py", {PathKind::file});
    CHECK(tested.ran("a") == "it has no result yet");
    std::vector<std::filesystem::path> records;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(tested.store.folder()))
      if (entry.is_regular_file() && read_file(entry.path(), 1 << 20) == *tested.server.record)
        records.push_back(entry.path());
    REQUIRE(records.size() == 1);
    std::filesystem::remove(records[0]);
    tested.files["notes.txt"] = content;
    CHECK(tested.ran("b") == "the record of what it read is gone, or was made by an earlier version of kml");
  }
}

TEST_CASE("recorded step: a result is not kept if a file changed before the step read it") {
  Recorded tested;
  tested.server.record = record_of("train.py", {PathKind::file, true});
  CHECK(tested.ran("a") == "not kept for later runs: train.py changed before the step read it");
  tested.server.record = {};
  CHECK(tested.ran("b") == "it has no result yet");
}

TEST_CASE("recorded step: a result is not kept if a file that it read changed while it ran") {
  for (const auto& [changed, is_kept] : {std::pair("train.py", false), {"notes.txt", true}}) {
    CAPTURE(changed);
    Recorded tested;
    tested.server.record = record_of("train.py", {PathKind::file});
    tested.server.script = [&, name = std::string(changed)](const StepJob& job) {
      tested.files[name] = "2";
      tested.list_files();
      return ScriptedSteps::success(job);
    };
    const std::string told = tested.ran("a");
    CHECK(told == (is_kept ? "it has no result yet"
                           : "train.py changed while train ran: its result is not kept for later runs"));
    tested.files[changed] = "1";
    tested.server.script = ScriptedSteps::success;
    tested.server.record = {};
    CHECK(tested.ran("b") == (is_kept ? "cached from a" : "it has no result yet"));
  }
}

TEST_CASE("pipeline: a result is not kept if the step's surroundings changed while it ran") {
  // The user can keep other files out of the folder, but not a changed program out of the step.
  const std::string way =
      "; write such files to another folder, or add --record, which ignores files that the step does not "
      "read";
  const std::pair<const char*, const char*> table[] = {
      {"code", "conf.sh changed"},
      {"file conf.sh", "conf.sh changed"},
      {"packages of conf.sh", "conf.sh changed"},
      {"packages", "conf.sh changed"},
      {"program sh", "program sh changed"},
      {"interpreter", "interpreter changed"},
      {"variable PYTHONPATH", "variable PYTHONPATH changed"}};
  for (const auto& [part, told] : table) {
    CAPTURE(part);
    TestedPipeline tested("  steps: {a: {command: [a, \"${out.x}\"], outputs: {x: file}}}\n");
    const auto is = [&, name = std::string(part)](const std::string& value) {
      const bool is_list = is_list_part(name);
      tested.surroundings = {
          {name, is_list ? tested.store.keep_list("\"conf.sh\" 644 " + value + "\n") : value}};
    };
    is("1");
    tested.server.script = [&](const StepJob& job) {
      is("2");
      return ScriptedSteps::success(job);
    };
    CHECK(tested.run("r1").step("a").cause == std::string(told) +
                                                  " while a ran: its result is not kept for later runs" +
                                                  (std::string_view(part) == "code" ? way : ""));
    for (const char* value : {"1", "2"}) {
      is(value);
      CHECK(tested.run(std::string("r-") + value).step("a").phase == Phase::done);
    }
    CHECK(tested.run("r4").step("a").phase == Phase::cached);
  }
}

}  // namespace kml::pipeline::recorded_step_test
