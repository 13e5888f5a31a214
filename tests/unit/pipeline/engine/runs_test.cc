#include "kml/pipeline/engine/runs.h"

#include <doctest/doctest.h>

#include "support/environment.h"
#include "support/temporary_folder.h"

namespace runs_test {

using namespace kml;
using namespace kml::pipeline;

TEST_CASE("runs: whether a run has ended is known by its last record") {
  const TemporaryFolder temporary;
  const EnvironmentVariable state("KML_STATE_DIR", temporary.path().c_str());
  CHECK_FALSE(is_ended("r1"));
  const auto add = [](Json record) {
    engine::Journal journal = open_run("r1", "test");
    journal.add(record);
    journal.commit();
  };
  add({{"what", "run"}, {"text", std::string(5000, 'x')}});
  CHECK_FALSE(is_ended("r1"));
  add({{"what", "end"}, {"outcome", "failed"}});
  CHECK(is_ended("r1"));
  add({{"what", "resumed"}});
  CHECK_FALSE(is_ended("r1"));
}

}  // namespace runs_test
