#include "pipeline/commands/run_selection.h"

#include <doctest/doctest.h>

#include <utility>

namespace run_selection_test {

using namespace kml;

TEST_CASE("run: the command that repeats a run exists for each kind of run") {
  struct Row {
    const char* what;
    pipeline::record::Run head;
    const char* command;
  };
  for (const Row& row :
       {Row{"a pipeline", {.name = "iris-1", .file = "/work/my iris.yaml"}, "kml run '/work/my iris.yaml'"},
        Row{"with parameters",
            {.name = "iris-1", .file = "/work/iris.yaml", .params = {{"depth", 3}, {"tree", "a b"}}},
            "kml run /work/iris.yaml -p depth=3 -p 'tree=a b'"},
        // its file is only the name of the command
        Row{"a submit with artifacts",
            {.name = "bert", .file = "/work/kml submit", .is_job = true},
            "kml rerun bert"}}) {
    CAPTURE(row.what);
    pipeline::RunState run;
    pipeline::Record record;
    pipeline::record::Run head = row.head;
    head.text = R"({"metadata": {"name": "iris"}, "spec": {"steps": {}}})";
    record.what = std::move(head);
    run.apply(record);
    CHECK(cli::command_to_repeat(run) == row.command);
  }
}

}  // namespace run_selection_test
