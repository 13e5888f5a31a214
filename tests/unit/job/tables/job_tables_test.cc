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

TEST_CASE("tables: commands in causes have the flags that select their job") {
  struct Row {
    bool all_namespaces;
    const char *flags, *text;
  };
  for (const Row& row : {Row{false, "", "`kml resume bert` starts it"},
                         Row{false, "-n lab ", "`kml -n lab resume bert` starts it"},
                         Row{false, "--context there ", "`kml --context there resume bert` starts it"},
                         Row{true, "--context there ", "`kml --context there -n lab resume bert` starts it"},
                         Row{true, "", "`kml -n lab resume bert` starts it"}}) {
    job::JobView view;
    view.name = "bert";
    view.namespace_name = "lab";
    view.state = job::State::suspended;
    view.cause = "`kml resume bert` starts it";
    std::ostringstream out;
    ui::print_jobs({out, out}, {&view, 1}, {.with_namespace = row.all_namespaces, .target = row.flags},
                   Time());
    CHECK_MESSAGE(out.str().find(row.text) != std::string::npos, out.str());
  }
  CHECK(ui::with_flags("see `kml why a`, or `kml logs a`", "-n lab ") ==
        "see `kml -n lab why a`, or `kml -n lab logs a`");
}

}  // namespace job_tables_test
