#include "kml/pipeline/engine/runs.h"

#include <doctest/doctest.h>

#include "support/environment.h"
#include "support/temporary_folder.h"

namespace runs_test {

using namespace kml;
using namespace kml::pipeline;

TEST_CASE("runs: a run has ended if its last record says so") {
  const TemporaryFolder temporary;
  const EnvironmentVariable state("KML_STATE_DIR", temporary.path().c_str());
  CHECK_FALSE(is_ended("r1"));
  const auto add = [](decltype(Record::what) what) {
    Journal journal = open_run("r1", "test");
    journal.add({system_clock().now(), std::move(what)});
    journal.commit();
  };
  add(pipeline::record::Run{.text = std::string(5000, 'x')});
  CHECK_FALSE(is_ended("r1"));
  add(pipeline::record::End{Outcome::failed});
  CHECK(is_ended("r1"));
  add(pipeline::record::Resumed{});
  CHECK_FALSE(is_ended("r1"));
}

}  // namespace runs_test
