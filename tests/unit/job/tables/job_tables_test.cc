#include "kml/job/tables/job_tables.h"

#include <doctest/doctest.h>

#include <sstream>

namespace job_tables_test {

using namespace kml;

TEST_CASE("job_tables: a name begins with the word for the object's kind, unless the kind is Job") {
  struct Row {
    const char *kind, *shown;
  };
  for (const Row& row :
       {Row{"Job", "bert"}, Row{"PyTorchJob", "pytorchjob/bert"}, Row{"VolcanoJob", "vcjob/bert"},
        Row{"RayCluster", "raycluster/bert"}, Row{"Pod", "pod/bert"}, Row{"Unheard", "bert"}}) {
    CAPTURE(row.kind);
    job::JobView view;
    view.kind = row.kind;
    view.name = "bert";
    CHECK(ui::kind_and_name(view) == row.shown);
  }
}

TEST_CASE("job_tables: the run time of a job that ended while it waited is the time that it ran before") {
  job::JobView view;
  view.state = job::State::cancelled;
  view.name = "bert";
  view.finished = Time(std::chrono::hours(9));
  const auto printed = [&] {
    std::ostringstream out;
    ui::print_jobs({out, out}, {&view, 1}, {}, Time(std::chrono::hours(10)));
    return out.str();
  };
  CHECK(printed().find(" 90s") == std::string::npos);
  view.ran = std::chrono::seconds(90);
  CHECK(printed().find(" 90s") != std::string::npos);
}

}  // namespace job_tables_test
