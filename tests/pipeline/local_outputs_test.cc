#include "kml/pipeline/local_outputs.h"

#include <doctest/doctest.h>

#include "pipeline/made_tree.h"
#include "support/temporary_folder.h"

namespace local_outputs_test {

using namespace kml;
using namespace kml::pipeline;
using namespace kml::pipeline::tests;

TEST_CASE("local_outputs: a job that is taken over has its folders, and keeps what it wrote") {
  const TemporaryFolder temporary;
  const LocalStore store(temporary.path());
  const LocalOutputs outputs(store);
  Step step;
  step.name = "train";
  step.outputs = {{"model"}};
  const fs::path place = outputs.place("r1", step, 0, step.outputs[0]);
  StepJob job{"r1-train", &step, {{"out", {{"model", place.string()}}}}, false};
  // The engine was killed between its decision and the folders.
  outputs.prepare(job);
  CHECK(fs::is_directory(place.parent_path()));
  write(place, "text");
  outputs.prepare(job);
  CHECK(fs::exists(place));
  job.is_new = true;
  outputs.prepare(job);
  CHECK_FALSE(fs::exists(place));
}

}  // namespace local_outputs_test
