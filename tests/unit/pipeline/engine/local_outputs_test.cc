#include "pipeline/engine/local_outputs.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <functional>

#include "pipeline/made_tree.h"
#include "support/temporary_folder.h"

namespace local_outputs_test {

using namespace kml;
using namespace kml::pipeline;
using namespace kml::pipeline::tests;

TEST_CASE("local_outputs: a job found after a restart has its folders, and keeps what it wrote") {
  const TemporaryFolder temporary;
  const LocalStore store(temporary.path());
  const LocalOutputs outputs(store);
  Step step;
  step.name = "train";
  step.outputs = {{"model"}};
  const fs::path place = outputs.place("r1", step, 0, step.outputs[0]);
  StepJob job{"r1-train", &step, {{"out", {{"model", place.string()}}}}, false};
  // The engine was killed between its decision and the creation of the folders.
  outputs.prepare(job);
  CHECK(fs::is_directory(place.parent_path()));
  write(place, "text");
  outputs.prepare(job);
  CHECK(fs::exists(place));
  job.is_new = true;
  outputs.prepare(job);
  CHECK_FALSE(fs::exists(place));
}

TEST_CASE(
    "local_outputs: a file that the command wrote at another path is copied, unless it existed before") {
  const TemporaryFolder temporary, other;
  const LocalStore store(temporary.path());
  const LocalOutputs outputs(store);
  Step step;
  step.name = "train";
  step.outputs = {{"model", OutputKind::model, {}, "out/model"}, {"count", OutputKind::value, {}, "count"}};
  StepJob job{"r1-train", &step, {{"run", {{"name", "r1"}}}, {"out", Json::object()}}};
  job.began = system_clock().now();
  outputs.prepare(job);
  CHECK_THROWS_WITH_AS(outputs.made_by(job, other.path()), "it succeeded, but did not write output model",
                       Error);
  fs::create_directories(other.path() / "out/model");
  write(other.path() / "out/model/weights", "text");
  write(other.path() / "count", "7\n");
  const Json made = outputs.made_by(job, other.path());
  CHECK(made["count"]["value"] == 7);
  CHECK(fs::exists(string_at(made, {"model", "path"}) + "/weights"));
  write(other.path() / "out/model/weights", "more");
  CHECK(store.has(string_at(made, {"model", "path"}), string_at(made, {"model", "digest"})));
  job.began += std::chrono::hours(1);
  try {
    outputs.made_by(job, other.path());
    FAIL("it took over what is older than the job");
  } catch (const Error& error) {
    CHECK(error.why.find("is older than the job") != std::string::npos);
  }
}

TEST_CASE("local_outputs: a value is read only from a regular file, never from one that does not end") {
  const TemporaryFolder temporary;
  const LocalStore store(temporary.path());
  const LocalOutputs outputs(store);
  Step step;
  step.name = "make";
  step.outputs = {{"x", OutputKind::value}};
  const fs::path place = outputs.place("r1", step, 0, step.outputs[0]);
  const StepJob job{"r1-make", &step, {{"run", {{"name", "r1"}}}, {"out", {{"x", place.string()}}}}};
  const std::function<void()> makes[] = {[&] { CHECK(::mkfifo(place.c_str(), 0600) == 0); },
                                         [&] { fs::create_symlink("/dev/zero", place); },
                                         [&] { fs::create_directory(place); }};
  for (const std::function<void()>& make : makes) {
    outputs.prepare(job);
    make();
    CHECK_THROWS_WITH_AS(outputs.made_by(job, {}),
                         ("output x is a value, but " + place.string() + " is not a file").c_str(), Error);
    fs::remove(place);
  }
}

TEST_CASE("local_outputs: a folder is not a file, and a file is not a folder") {
  const TemporaryFolder temporary;
  const LocalStore store(temporary.path());
  const LocalOutputs outputs(store);
  for (const OutputKind kind : {OutputKind::file, OutputKind::folder, OutputKind::artifact})
    for (const bool is_folder : {false, true}) {
      Step step;
      step.name = "make";
      step.outputs = {{"x", kind}};
      const fs::path place = outputs.place("r1", step, 0, step.outputs[0]);
      const StepJob job{"r1-make", &step, {{"run", {{"name", "r1"}}}, {"out", {{"x", place.string()}}}}};
      outputs.prepare(job);
      if (is_folder)
        fs::create_directory(place);
      else
        write(place, "text");
      CAPTURE(name_of(kind));
      if (kind == OutputKind::artifact || (kind == OutputKind::folder) == is_folder)
        CHECK_NOTHROW(outputs.made_by(job, {}));
      else
        CHECK_THROWS_WITH_AS(outputs.made_by(job, {}),
                             is_folder ? "output x is a folder, but its kind is file"
                                       : "output x is a file, but its kind is folder",
                             Error);
    }
}

}  // namespace local_outputs_test
