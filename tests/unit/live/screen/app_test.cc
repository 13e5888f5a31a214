#include "live/screen/app_fixture.h"

namespace app_test {

using namespace app_fixture;

TEST_CASE("live screen: the queue has positions and causes, and fits into 80 columns") {
  Fixture kml;
  CHECK(contains(kml.row_with("reading"), "reading …"));
  kml.sync();
  CHECK(kml.row_with("no jobs") == "no jobs in this namespace; 0 shows all");
  kml.job("runs", "0", "Running");
  kml.job("first", "1 1", "Waiting",
          "not enough GPUs free on 6 nodes, of which 2 are cordoned and 1 is not ready");
  kml.job("second", "1 2", "Waiting");
  kml.job("elsewhere", "1 0", "Waiting", "", "other");
  kml.job("over", "9", "Failed", "exit code 1");
  const std::vector<std::string> rows = kml.screen();
  CHECK(rows[0].starts_with("kml prod/lab  1 queue 3  2 jobs"));
  CHECK(rows[1].starts_with("POS  JOB"));
  CHECK(rows[2].starts_with("-    runs"));
  // The job of the other namespace is ahead, though it is not shown.
  CHECK(rows[3].starts_with("2    first"));
  CHECK(contains(rows[3], "not enough GPUs"));
  CHECK(rows[3].ends_with("…"));
  CHECK(rows[4].starts_with("3    second"));
  CHECK(rows[5].empty());
  CHECK(contains(rows.back(), "? help"));

  kml.press("0");
  CHECK(contains(kml.row_with("elsewhere"), "1    other"));
  kml.press("2");
  CHECK(contains(kml.row_with("over"), "Failed"));
}

TEST_CASE("live screen: the first row is selected until the user chooses a row") {
  for (const std::string keys : {"", "j", "<Enter><Esc>", "2", "2G"}) {
    CAPTURE(keys);
    Fixture kml;
    for (const char* name : {"5", "3", "4", "1", "2"}) {  // as a feed may send them
      kml.job(std::string("job-") + name, std::string("1 ") + name, "Waiting");
      CHECK(kml.selected_row() == 2);
    }
    kml.sync();
    CHECK(contains(kml.screen()[kml.selected_row()], "job-1"));
    kml.press(keys);
    kml.job("job-0", "1 0", "Waiting");
    const bool is_chosen = !keys.empty() && keys != "2";
    CHECK(kml.selected_row() == (keys == "2G" ? 7u : keys == "j" ? 4u : is_chosen ? 3u : 2u));
  }
}

TEST_CASE("live screen: the selected row stays selected while others come and go") {
  Fixture kml;
  for (int i = 0; i < 30; ++i)
    kml.job("job-" + std::to_string(i), (i < 10 ? "1 0" : "1 ") + std::to_string(i), "Waiting");
  CHECK(kml.selected_row() == 2);
  kml.press("jj<Down>k");
  CHECK(kml.selected_row() == 4);
  kml.tables.apply({.kind = Change::Kind::drop, .cluster = "prod", .id = "lab/Job/job-0"}, kNow);
  CHECK(contains(kml.screen()[3], "job-2"));
  CHECK(kml.selected_row() == 3);
  kml.press("G");
  CHECK(contains(kml.screen()[10], "job-29"));
  CHECK(kml.selected_row() == 10);
  kml.press("g");
  CHECK(kml.selected_row() == 2);
}

TEST_CASE("live screen: / shows the rows with a text, and : goes to a view") {
  Fixture kml;
  kml.sync();
  kml.job("bert-1", "1 1", "Waiting", "not enough GPUs free");
  kml.job("gpt", "1 2", "Waiting", "quota of namespace lab");
  kml.press("/BERT");
  CHECK(kml.last() == "/BERT");
  CHECK(kml.row_with("gpt").empty());
  kml.press("<Back><Back><Back><Back>quota<Enter>");
  CHECK(kml.row_with("bert-1").empty());
  CHECK_FALSE(kml.row_with("gpt").empty());
  kml.press("/xyz<Enter>");
  CHECK(kml.row_with("with \"quotaxyz\"") == "no jobs with \"quotaxyz\"");
  kml.press("<Esc>");
  CHECK_FALSE(kml.row_with("bert-1").empty());
  CHECK_FALSE(kml.app.is_over());
  // The filter does not search the names of JSON members.
  kml.press("/namespace<Enter>");
  CHECK(kml.row_with("bert-1").empty());
  kml.press("q:nod<Enter>");
  CHECK(contains(kml.screen()[1], "NODE"));
  kml.press(":s<Enter>");
  CHECK(contains(kml.last(), "no view \"s\"; the views are queue, jobs"));
  kml.press("<Tab>");
  CHECK(contains(kml.screen()[1], "RUN"));
  kml.press(":q<Enter>");
  CHECK(kml.app.is_over());
}

TEST_CASE("live screen: Enter opens a job, and shows why it is in its state, its metrics and its log") {
  Fixture kml({"prod"}, {80, 24});
  kml.job("bert", "0", "Running");
  kml.press("<Enter>");
  REQUIRE(kml.outside.started ==
          std::vector<std::string>{"--namespace=lab logs -f bert", "--namespace=lab why bert"});
  Pane& log = *kml.outside.panes.at("--namespace=lab logs -f bert");
  Pane& why = *kml.outside.panes.at("--namespace=lab why bert");
  CHECK(kml.outside.sizes.at(&log) == TerminalSize{80, 22});
  why.add("job bert: Running\r\n  why       it runs\r\n");
  why.end();
  log.add("step=1 loss=3\r\nstep=2 loss=1\r\nan \x1B[31mevil\x1B]52;c;eA==\x07 line\r\n 10%\r 20%");
  const std::vector<std::string> rows = kml.screen();
  CHECK(rows[1].starts_with("bert  Running  ana  2 GPUs"));
  CHECK(rows[2].starts_with("── why ───"));
  CHECK(rows[3] == "  why       it runs");
  CHECK(rows[4].starts_with("loss"));
  CHECK(rows[4].ends_with("1  █▁"));
  CHECK(rows[5].starts_with("── log ───"));
  CHECK(rows[6] == "step=1 loss=3");
  CHECK(rows[8] == "an evil line");
  CHECK(rows[9] == " 20%");
  log.add("\r 30%\r\n");
  CHECK(kml.row_with(" 30%") == " 30%");
  CHECK(kml.row_with(" 20%").empty());

  SUBCASE(
      "`why` runs again at once when the state changes, and what it said about the old state is dropped") {
    kml.job("bert", "9", "Failed", "exit code 1");
    CHECK(kml.row_with("it runs").empty());
    CHECK(kml.row_with("── why").starts_with("── why: reading …"));
    CHECK(kml.outside.started.size() == 3);
    Pane& next = *kml.outside.panes.at("--namespace=lab why bert");
    next.add("job bert: Failed\r\n  why       exit code 1\r\n");
    next.end();
    CHECK(kml.row_with("why       exit code 1") == "  why       exit code 1");
    kml.tables.apply({.kind = Change::Kind::drop, .cluster = "prod", .id = "lab/Job/bert"}, kNow);
    CHECK(kml.row_with("deleted") == "bert  the job was deleted");
  }
  SUBCASE("`why` runs again a little later when only the cause changes, and its old text is marked as old") {
    kml.job("bert", "0", "Running", "1 of 2 pods");
    CHECK(kml.outside.started.size() == 2);
    const Time later = kNow + std::chrono::seconds(12);
    kml.app.update(later);
    CHECK(kml.outside.started.size() == 3);
    const std::vector<std::string> old = kml.app.draw(later).text();
    CHECK(old[2].starts_with("── why, 12s ago ──"));
    CHECK(old[3] == "  why       it runs");
  }
  SUBCASE("a view's commands get the new size of the terminal, and end when the view is closed") {
    kml.app.resize({60, 10});
    CHECK(kml.outside.sizes.at(&log) == TerminalSize{60, 10});
    CHECK(kml.screen().size() == 10);
    kml.press("q");
    CHECK(kml.outside.panes.empty());
    CHECK(kml.row_with("JOB").starts_with("POS"));
  }
  SUBCASE("y copies the command") {
    kml.press("y");
    CHECK(kml.outside.copied == "kml -n lab why bert");
    CHECK(kml.last() == "copied: kml -n lab why bert");
  }
}

TEST_CASE(
    "live screen: with several clusters, each row names its cluster, and a lost cluster takes one line") {
  Fixture kml({"prod", "dev"});
  kml.options.context = "prod,dev";
  kml.sync();
  kml.job("bert", "1", "Waiting");
  kml.job("gpt", "1", "Waiting", "", "lab", "dev");
  kml.tables.apply({.kind = Change::Kind::lost, .cluster = "dev", .text = "cannot connect"}, kNow);
  std::vector<std::string> rows = kml.screen();
  CHECK(contains(rows[1], "CLUSTER"));
  CHECK(rows[2].starts_with("prod     1"));
  CHECK(rows[3].starts_with("dev      1"));
  CHECK(rows[rows.size() - 2] == "dev: lost, trying again: cannot connect");
  kml.press("<Down>w");
  CHECK(kml.outside.started.back() == "--context=dev --namespace=lab why gpt");
  kml.press("q");
  kml.tables.apply({.kind = Change::Kind::back, .cluster = "dev"}, kNow);
  CHECK(kml.row_with("lost").empty());
}

TEST_CASE("live screen: names can neither control the terminal nor break the columns") {
  Fixture kml;
  kml.job("日本語", "1 1", "Waiting", "\x1B[2J\x1B]0;title\x07 \u202Etxt");
  kml.job("plain", "1 2", "Waiting", "cause");
  const std::vector<std::string> rows = kml.screen();
  CHECK(contains(rows[2], "日本語"));
  CHECK(rows[2].ends_with(" txt"));
  kml.require_harmless();
}

TEST_CASE("live screen: hostile names of nodes, runs, steps, served models and schedules do no harm") {
  Fixture kml;
  const std::string evil = "\x1B[2J\x1B]0;title\x07\n\u202Etxt";
  const Json row = {{"name", evil},
                    {"namespace", "lab"},
                    {"state", evil},
                    {"cause", evil},
                    {"kind", evil},
                    {"engine", evil},
                    {"pipeline", evil},
                    {"objective", evil},
                    {"best", 1},
                    {"active", true},
                    {"address", evil},
                    {"schedule", evil},
                    {"lastJob", evil},
                    {"result", evil},
                    {"metrics", {{evil, {{"last", evil}}}}},
                    {"parameters", {{evil, evil}}},
                    {"gpus", {{{"type", evil}, {"total", 8}, {"used", 1}, {"heldBy", {{evil, 1}}}}}},
                    {"steps", {{{"name", evil}, {"state", "running"}, {"outputs", {{evil, evil}}}}}}};
  for (const Table table : kAllTables) kml.set(table, evil, "1", row);
  for (const View view : kAllViews) {
    CAPTURE(name_of(view));
    kml.press(std::to_string(static_cast<size_t>(view) + 1));
    kml.require_harmless();
    CHECK_FALSE(kml.row_with("txt").empty());
    kml.press("<Enter>");
    kml.require_harmless();
  }
}

TEST_CASE("live screen: a step that has ended is counted, whatever its end") {
  Fixture kml;
  kml.press("6");
  Json steps = Json::array();
  for (const char* state : {"waiting", "running", "cached", "done", "skipped", "failed", "cancelled"})
    steps.push_back({{"name", state}, {"state", state}});
  kml.set(Table::pipelines, "nightly", "1", {{"name", "nightly"}, {"state", "running"}, {"steps", steps}});
  CHECK(contains(kml.row_with("nightly"), "5/7 (1 failed) running"));
}

TEST_CASE("live screen: fits into tiny terminals, and shows its help") {
  for (const TerminalSize size : {TerminalSize{1, 1}, {5, 2}, {10, 3}, {20, 4}, {300, 100}}) {
    Fixture kml({"prod"}, size);
    kml.job("bert", "1", "Waiting", "cause");
    CHECK(kml.screen().size() == static_cast<size_t>(size.rows));
    kml.press("?");
    CHECK(kml.screen().size() == static_cast<size_t>(size.rows));
    kml.press("x<Enter>");
    CHECK(kml.screen().size() == static_cast<size_t>(size.rows));
  }
  Fixture kml({"prod"}, {80, 24});
  kml.press("?");
  CHECK(kml.row_with("cancel, stop or pause").starts_with(" c"));
  kml.press("?q");
  CHECK(kml.app.is_over());
}

TEST_CASE("live screen: Esc closes what is open but never ends the program, unlike q") {
  for (const std::string keys : {"", ":nothing<Enter>", ":", "/", "?", "<Enter>", "2l", "9"}) {
    CAPTURE(keys);
    Fixture kml;
    kml.job("bert", "0", "Running");
    kml.press(keys + "<Esc><Esc><Esc>");
    CHECK_FALSE(kml.app.is_over());
    CHECK(contains(kml.screen()[1], "JOB"));
    kml.press("q");
    CHECK(kml.app.is_over());
  }
}

TEST_CASE("live screen: from 80 columns on, the first line has all views") {
  for (const int columns : {200, 100, 80}) {
    CAPTURE(columns);
    Fixture kml({"prod"}, {columns, 10});
    for (const View view : kAllViews) {
      kml.press(std::to_string(static_cast<size_t>(view) + 1));
      const std::string title = kml.screen()[0];
      CAPTURE(title);
      CHECK(contains(title, std::string(name_of(view)) + " 0"));
      for (const View each : kAllViews)
        CHECK(contains(title, "  " + std::to_string(static_cast<size_t>(each) + 1) + " " +
                                  std::string(1, name_of(each)[0])));
    }
  }
}

TEST_CASE("live screen: the pods of a job, and the causes of runs, have their own columns") {
  Fixture kml({"prod"}, {120, 12});
  kml.set(Table::jobs, "lab/Job/array", "9",
          {{"name", "array"},
           {"kind", "Job"},
           {"namespace", "lab"},
           {"state", "Succeeded"},
           {"pods", 2},
           {"podCounts", "4/4"}});
  kml.set(Table::runs, "a1", "0",
          {{"run", "a1"},
           {"kind", "job"},
           {"name", "array"},
           {"namespace", "lab"},
           {"state", "Failed"},
           {"cause", "exit code 7"},
           {"parameters", {{"lr", 0.1}}}});
  kml.press("2");
  CHECK(contains(kml.row_with("array"), "4/4"));
  kml.press("<Enter>");
  CHECK(contains(kml.row_with("array"), "4/4 pods"));
  kml.press("q4");
  const std::vector<std::string> rows = kml.screen();
  CHECK(rows[1].find("PARAMETERS") == rows[2].find("lr=0.1"));
  CHECK(rows[1].find("CAUSE") == rows[2].find("exit code 7"));
}

}  // namespace app_test
