#include "live/screen/app_fixture.h"

namespace app_actions_test {

using namespace app_fixture;

TEST_CASE("live screen: each key runs the command for its row") {
  struct Case {
    const char* view;
    const char* key;
    const char* command;  ///< empty: it does not apply
  };
  const Case kCases[] = {{"queue", "l", "logs -f bert"},
                         {"jobs", "w", "why bert"},
                         {"jobs", "i", "status --events bert"},
                         {"jobs", "a", "history bert"},
                         {"sweeps", "<Enter>", "sweep status lr1"},
                         {"sweeps", "w", ""},
                         {"pipelines", "<Enter>", "run status iris-1"},
                         {"pipelines", "l", "run logs -f iris-1"},
                         {"schedules", "w", "why nightly"},
                         {"nodes", "l", ""}};
  for (const auto& [view, key, command] : kCases) {
    CAPTURE(view);
    CAPTURE(key);
    Fixture kml;
    kml.job("bert", "0", "Running");
    kml.set(Table::sweeps, "lr1", "0", {{"name", "lr1"}, {"state", "running"}, {"namespace", "lab"}});
    kml.set(Table::pipelines, "iris-1", "0",
            {{"name", "iris-1"}, {"state", "running"}, {"namespace", "lab"}});
    kml.set(Table::schedules, "lab/nightly", "0", {{"name", "nightly"}, {"namespace", "lab"}});
    kml.set(Table::nodes, "gpu-1", "0", {{"name", "gpu-1"}, {"state", "ready"}});
    kml.press(std::string(":") + view + "<Enter>" + key);
    if (*command) {
      REQUIRE(kml.outside.started.size() == 1);
      CHECK(kml.outside.started[0] == "--namespace=lab " + std::string(command));
    } else {
      CHECK(kml.outside.started.empty());
      CHECK(contains(kml.last(), "does not apply"));
    }
  }
}

TEST_CASE("live screen: a key that changes a row runs the command that fits the row's view and state") {
  struct Case {
    const char* view;
    Json row;
    const char* key;
    const char* command;
    const char* hints;  ///< keys that the last line offers before `key` is pressed
  };
  const Case kCases[] = {
      {"jobs", {{"kind", "Job"}}, "r", "rerun one", "Enter open  l logs  w why  c cancel  r rerun  / filter"},
      {"sweeps", {}, "r", "sweep resume --detach one", "Enter open  l logs  c stop  r resume  / filter"},
      {"sweeps", {{"engine", "in the cluster"}}, "r", "sweep resume one", "c stop"},
      {"pipelines", {}, "r", "run resume --detach one", "l logs  w why  c stop  r resume"},
      {"serves", {}, "c", "serve stop one", "l logs  w why  c stop  / filter"},
      {"schedules", {{"state", "waiting"}}, "c", "schedule pause one", "w why  c pause  r run-now"},
      {"schedules", {{"state", "paused"}}, "c", "schedule resume one", "w why  c resume  r run-now"}};
  for (const auto& [view, more, key, command, hints] : kCases) {
    CAPTURE(command);
    Fixture kml;
    Json row = {{"name", "one"}, {"namespace", "lab"}};
    if (more.is_object()) row.update(more);
    kml.set(table_of(*view_of_word(view)), "lab/one", "0", row);
    kml.press(std::string(":") + view + "<Enter>");
    CHECK(contains(kml.last(), hints));
    kml.press(std::string(key) + "y");
    REQUIRE(kml.outside.started.size() == 1);
    CHECK(kml.outside.started[0] == "--namespace=lab " + std::string(command));
  }
}

TEST_CASE("live screen: what has ended can be neither cancelled nor entered") {
  struct Case {
    const char* view;
    Json row;
    const char* keys;  ///< keys that do nothing
  };
  const Case kCases[] = {{"jobs", {{"kind", "Job"}, {"state", "Succeeded"}}, "csp"},
                         {"jobs", {{"kind", "Job"}, {"state", "Failed"}}, "csp"},
                         {"jobs", {{"kind", "PyTorchJob"}, {"state", "Cancelled"}}, "csp"},
                         {"sweeps", {{"state", "Ended"}}, "c"},
                         {"pipelines", {{"state", "succeeded"}, {"ended", "2026-01-01T00:00:00Z"}}, "c"},
                         {"runs", {{"kind", "job"}, {"state", "Failed"}}, "csp"},
                         {"runs", {{"kind", "pipeline"}, {"finished", "2026-01-01T00:00:00Z"}}, "c"}};
  for (const auto& [view, more, keys] : kCases) {
    CAPTURE(view);
    CAPTURE(more);
    Fixture kml;
    Json row = {{"name", "one"}, {"namespace", "lab"}};
    row.update(more);
    kml.set(table_of(*view_of_word(view)), "lab/one", "0", row);
    kml.press(std::string(":") + view + "<Enter>");
    CHECK_FALSE(contains(kml.last(), "c cancel"));
    CHECK_FALSE(contains(kml.last(), "c stop"));
    for (const char* key = keys; *key; ++key) {
      CAPTURE(key);
      kml.press(std::string(1, *key));
      CHECK(kml.last() == "one has ended");
      CHECK(kml.outside.started.empty());
      CHECK(kml.outside.in_front.empty());
    }
  }
}

TEST_CASE("live screen: Enter on a run opens its job, as long as the job exists") {
  Fixture kml;
  kml.job("bert", "0", "Running");
  kml.set(Table::jobs, "lab/Job/gpt", "1",
          {{"name", "gpt"}, {"kind", "Job"}, {"namespace", "lab"}, {"state", "Running"}, {"submitId", "a1"}});
  kml.set(Table::runs, "a1", "0", {{"run", "a1"}, {"kind", "job"}, {"name", "gpt"}, {"namespace", "lab"}});
  kml.set(Table::runs, "b2", "1", {{"run", "b2"}, {"kind", "job"}, {"name", "old"}, {"namespace", "lab"}});
  kml.press(":runs<Enter><Enter>");
  REQUIRE(kml.outside.started.size() == 2);
  CHECK(kml.outside.started[0] == "--namespace=lab logs -f gpt");
  CHECK(contains(kml.last(), "i status"));
  kml.press("cy");
  CHECK(kml.outside.started.back() == "--namespace=lab cancel gpt");
  kml.press("q<Down><Enter>");
  CHECK(kml.outside.started.size() == 3);
  CHECK(kml.row_with("run: b2") == "run: b2");
}

TEST_CASE("live screen: cancel asks for confirmation, and shows the command's output") {
  Fixture kml;
  kml.job("bert", "0", "Running");
  for (const char* no : {"n", "<Esc>", "<Enter>", "c"}) {
    CAPTURE(no);
    kml.press("c");
    CHECK(kml.last() == "cancel bert? [y/N]");
    kml.press(no);
    CHECK(kml.outside.started.empty());
  }
  kml.press("cy");
  REQUIRE(kml.outside.started == std::vector<std::string>{"--namespace=lab cancel bert"});
  CHECK(kml.last() == "kml -n lab cancel bert");
  Pane& said = *kml.outside.panes.begin()->second;
  said.add("→ prod/lab as ana\r\njob bert cancelled\r\n");
  CHECK(kml.last() == "job bert cancelled");
  said.add("kml: its GPUs are free\r\n");
  CHECK(kml.last() == "job bert cancelled");
  said.end();
  kml.screen();
  CHECK(kml.outside.panes.empty());

  kml.press("s");
  CHECK(kml.outside.in_front == "--namespace=lab shell bert");
  kml.press("p8080<Enter>");
  CHECK(kml.outside.started.back() == "--namespace=lab port bert 8080");
  // The job is gone before the answer.
  kml.press("c");
  kml.tables.apply({.kind = Change::Kind::drop, .cluster = "prod", .id = "lab/Job/bert"}, kNow);
  kml.press("y");
  CHECK(kml.outside.started.size() == 2);
}

TEST_CASE("live screen: a paste is text in a prompt, and is ignored by questions and everywhere else") {
  Fixture kml;
  kml.job("bert", "0", "Running");
  kml.job("cyan", "1", "Running");
  for (const char* before : {"", "?", "c"}) {
    CAPTURE(before);
    kml.press(before);
    const std::vector<std::string> screen = kml.screen();
    for (const char* text : {"cy", "q", "y", "/x", ":q"}) kml.paste(text);
    CHECK(kml.screen() == screen);
    kml.press("n");
  }
  CHECK(kml.outside.started.empty());
  kml.press("/");
  kml.paste("cy");
  CHECK(kml.last() == "/cy");
  CHECK(kml.row_with("bert").empty());
  kml.press("<Esc>:");
  kml.paste("nodes");
  kml.press("<Enter>");
  CHECK(contains(kml.screen()[1], "NODE"));
  Prompt prompt;
  prompt.take({KeyKind::paste, std::string(199, 'a') + "日"});
  CHECK(prompt.text == std::string(199, 'a'));
}

}  // namespace app_actions_test
