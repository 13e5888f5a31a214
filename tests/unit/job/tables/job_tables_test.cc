#include "kml/job/tables/job_tables.h"

#include <doctest/doctest.h>

#include <sstream>

#include "job/tables/brief_job.h"

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

TEST_CASE("job_tables: an unknown number of pods and GPUs is not shown as 0") {
  job::JobView view;
  view.name = "bert";
  view.is_size_unknown = true;
  std::ostringstream out;
  ui::print_jobs({out, out}, {&view, 1}, {}, Time());
  CHECK(out.str().find("0/? ") != std::string::npos);
  CHECK(out.str().find(" ? ") != std::string::npos);
  CHECK(ui::brief_json(view)["gpus"].is_null());
  CHECK(ui::brief_json(view)["pods"].is_null());
  view.is_size_unknown = false;
  CHECK(ui::brief_json(view)["gpus"] == 0);
}

}  // namespace job_tables_test
