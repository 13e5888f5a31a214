#include "pipeline/engine/gc.h"

#include <doctest/doctest.h>

#include "kml/base/text.h"
#include "kml/pipeline/engine/pins.h"
#include "kml/pipeline/engine/runs.h"
#include "pipeline/made_tree.h"
#include "support/environment.h"
#include "support/temporary_folder.h"

namespace gc_test {

using namespace kml;
using namespace kml::pipeline;
using namespace kml::pipeline::tests;

namespace {

constexpr const char* kText = R"(
apiVersion: kml.dev/v1
kind: Pipeline
metadata: {name: p}
spec: {steps: {train: {command: [make, "${out.model}"], outputs: {model: model}}}}
)";

/// A state folder with runs of one step. All of their records are from now. The garbage collection is 40 days
/// later.
struct Kept {
  TemporaryFolder temporary;
  EnvironmentVariable state{"KML_STATE_DIR", temporary.path().c_str()};
  LocalStore store = local_store();
  Time later = system_clock().now() + std::chrono::hours(24 * 40);

  void record(const std::string& run, decltype(Record::what) what) const {
    Journal journal = open_run(run, "test");
    journal.add({system_clock().now(), std::move(what)});
    journal.commit();
  }
  void begin(const std::string& run) const {
    record(run,
           pipeline::record::Run{.name = run, .id = run, .file = "/p.yaml", .pipeline = "p", .text = kText});
  }
  /// Makes the step's output, whose result is stored under the run's name.
  Json made(const std::string& run) const {
    const fs::path path = store.output_path(run, "train", 0, "model");
    store.prepare(path);
    write(path, "model of " + run);
    const Tree tree = store.keep(path);
    const Json outputs = {{"model", {{"path", path}, {"digest", tree.digest}, {"bytes", tree.bytes}}}};
    store.keep_result(run, {{"outputs", outputs}, {"run", run}});
    return outputs;
  }
  void train(const std::string& run, const Json& outputs) const {
    record(run, pipeline::record::Ended{"train", pipeline::record::Ended::How::done, "", outputs});
  }
  void end(const std::string& run) const { record(run, pipeline::record::End{Outcome::succeeded}); }
  Json whole(const std::string& run) const {
    begin(run);
    Json outputs = made(run);
    train(run, outputs);
    end(run);
    return outputs;
  }
  void taking_over(const std::string& run, const Json& outputs, const std::string& from) const {
    begin(run);
    record(run, pipeline::record::Hit{"train", from, outputs, from});
  }
  bool has(const std::string& run) const { return fs::exists(store.output_path(run, "train", 0, "model")); }
  GcReport collected(GcOptions options = {.keep_last = 0}) const { return collect(store, options, later); }
};

size_t files_in(const fs::path& folder) {
  size_t files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) files += entry.is_regular_file();
  return files;
}

}  // namespace

TEST_CASE("gc: the files, results and manifests of old runs are removed; their journals stay") {
  const Kept kept;
  kept.whole("p-1");
  GcOptions options{.keep_last = 0, .is_dry_run = true};
  CHECK(kept.collected(options).removed.size() == 3);
  CHECK(kept.has("p-1"));
  options.is_dry_run = false;
  const GcReport report = kept.collected(options);
  REQUIRE(report.removed.size() == 3);
  CHECK(report.removed[0].name == "p-1/train/0/model");
  CHECK(report.removed[0].bytes == std::string_view("model of p-1").size());
  CHECK(report.kept_bytes == 0);
  CHECK_FALSE(kept.has("p-1"));
  CHECK_FALSE(kept.store.find_result("p-1"));
  CHECK(files_in(kept.store.folder() / "manifests") == 0);
  CHECK(read_run("p-1").end() == Outcome::succeeded);
  CHECK(artifacts_of(read_run("p-1")).at(0).is_there == false);
  CHECK(kept.collected().removed.empty());
}

TEST_CASE("gc: the records of what steps read are kept as long as their results") {
  const Kept kept;
  const Json outputs = kept.whole("p-1");
  const std::string record = kept.store.keep_list("a record"), read = kept.store.keep_list("what was read"),
                    unused = kept.store.keep_list("of no result");
  kept.store.keep_result(
      "p-1", {{"outputs", outputs}, {"reads", {{"record", record}, {"parts", {{"read", read}}}}}});
  kept.collected({.keep_last = 1});
  CHECK(kept.store.find_list(record));
  CHECK(kept.store.find_list(read));
  CHECK_FALSE(kept.store.find_list(unused));
  kept.collected();
  CHECK_FALSE(kept.store.find_list(record));
}

TEST_CASE("gc: files that a run may need are kept") {
  const Kept kept;
  GcOptions options{.keep_last = 0};
  Time now = kept.later;
  SUBCASE("files of a recent run") {
    kept.whole("p-1");
    options.keep = std::chrono::hours(24 * 50);
  }
  SUBCASE("files of the last day, whatever the limit") {
    kept.whole("p-1");
    options.keep = std::chrono::seconds(0);
    options.max_bytes = 0;
    now = system_clock().now() + std::chrono::hours(23);
  }
  SUBCASE("files of the last runs") {
    kept.whole("p-1");
    options.keep_last = 1;
  }
  SUBCASE("files of a run that has not ended") {
    kept.begin("p-1");
    kept.train("p-1", kept.made("p-1"));
    options.max_bytes = 0;
  }
  SUBCASE("files that an unfinished run has started to write") {
    kept.begin("p-1");
    kept.made("p-1");
  }
  SUBCASE("files that an unfinished run reuses") {
    kept.taking_over("p-2", kept.whole("p-1"), "p-1");
    options.max_bytes = 0;
  }
  SUBCASE("files that one of the last runs reuses") {
    kept.taking_over("p-2", kept.whole("p-1"), "p-1");
    kept.end("p-2");
    options.keep_last = 1;
  }
  SUBCASE("pinned files") {
    kept.whole("p-1");
    pin(kept.store, find_artifact("p-1/train.model"));
    options.max_bytes = 0;
  }
  SUBCASE("files that an engine has looked up, but has not recorded yet") {
    kept.whole("p-1");
    set_mtime(kept.store.folder() / "stamps/p-1/train/0/model",
              {std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count(), 0});
  }
  std::optional<Journal> engine;
  SUBCASE("files of a run that is being resumed") {
    kept.whole("p-1");
    engine.emplace(open_run("p-1", "test"));
  }
  CHECK(collect(kept.store, options, now).removed.empty());
  CHECK(kept.has("p-1"));
  CHECK(kept.store.find_result("p-1"));
}

TEST_CASE("gc: with a limit, the files of the oldest runs are removed first") {
  const Kept kept;
  for (const char* run : {"p-1", "p-2", "p-3"}) kept.whole(run);
  const GcOptions options{.keep = std::chrono::hours(24 * 50), .keep_last = 5, .max_bytes = 25};
  CHECK(kept.collected(options).kept_bytes == 24);
  CHECK_FALSE(kept.has("p-1"));
  CHECK(kept.has("p-2"));
  CHECK(kept.has("p-3"));
}

TEST_CASE("gc: deleting a run keeps the files that other runs use, unless the user says otherwise") {
  const Kept kept;
  const Json outputs = kept.whole("p-1");
  const Time now = system_clock().now();
  SUBCASE("no other run uses the files") {
    CHECK(remove_outputs(kept.store, "p-1", false, now).empty());
  }
  SUBCASE("another run reuses the files") {
    kept.taking_over("p-2", outputs, "p-1");
    CHECK(remove_outputs(kept.store, "p-1", false, now) == std::vector<std::string>{"p-1/train/0/model"});
    CHECK(kept.store.find_result("p-1"));
    CHECK(remove_outputs(kept.store, "p-1", true, now).empty());
  }
  SUBCASE("the outputs are pinned") {
    pin(kept.store, find_artifact("p-1/train.model"));
    CHECK(remove_outputs(kept.store, "p-1", false, now).size() == 1);
    CHECK(unpin(kept.store, parse_artifact_name("p-1/train.model")));
    CHECK_FALSE(unpin(kept.store, parse_artifact_name("p-1/train.model")));
    CHECK(remove_outputs(kept.store, "p-1", false, now).empty());
  }
  SUBCASE("an engine has looked up the outputs, but has not recorded that yet") {
    kept.begin("p-2");
    {
      const Journal engine = open_run("p-2", "test");
      CHECK(kept.store.has(outputs["model"]["path"].get<std::string>(), outputs["model"]["digest"]));
      CHECK(remove_outputs(kept.store, "p-1", false, system_clock().now()).size() == 1);
    }
    CHECK(remove_outputs(kept.store, "p-1", false, now).empty());
  }
  CHECK_FALSE(kept.has("p-1"));
  CHECK_FALSE(kept.store.find_result("p-1"));
}

}  // namespace gc_test
