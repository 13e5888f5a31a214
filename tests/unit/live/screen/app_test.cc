#include "live/screen/app.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "kml/base/text.h"

namespace app_test {

using namespace kml;
using namespace kml::live;

namespace {

const Time kNow = *parse_rfc3339("2026-01-01T01:00:00Z");

/// Records what the screen asks for.
struct Recorder : Outside {
  void start(Pane& pane, const std::vector<std::string>& argv, TerminalSize size) override {
    started.push_back(join({argv.data() + 1, argv.size() - 1}, " "));
    panes[started.back()] = &pane;
    sizes[&pane] = size;
  }
  void resize(Pane& pane, TerminalSize size) override { sizes[&pane] = size; }
  void stop(Pane& pane) override {
    std::erase_if(panes, [&](const auto& entry) { return entry.second == &pane; });
  }
  void run_in_front(const std::vector<std::string>& argv) override {
    in_front = join({argv.data() + 1, argv.size() - 1}, " ");
  }
  void copy(std::string_view text) override { copied = text; }

  std::vector<std::string> started;
  std::map<std::string, Pane*> panes;  ///< by command
  std::map<Pane*, TerminalSize> sizes;
  std::string in_front, copied;
};

struct Fixture {
  explicit Fixture(std::vector<std::string> clusters = {"prod"}, TerminalSize size = {80, 12})
      : tables(clusters), app(tables, options, scopes_of(clusters), outside, size) {}

  static std::vector<Scope> scopes_of(const std::vector<std::string>& clusters) {
    std::vector<Scope> scopes;
    for (const std::string& name : clusters) scopes.push_back({name, "lab"});
    return scopes;
  }
  void set(Table table, const std::string& id, const std::string& order, Json row,
           const std::string& cluster = "prod") {
    tables.apply({.kind = Change::Kind::set,
                  .cluster = cluster,
                  .table = table,
                  .id = id,
                  .order = order,
                  .data = json_text(row)},
                 kNow);
  }
  void job(const std::string& name, const std::string& order, const std::string& state,
           const std::string& cause = "", const std::string& where = "lab",
           const std::string& cluster = "prod") {
    Json row = {{"name", name},
                {"namespace", where},
                {"kind", "Job"},
                {"state", state},
                {"active", state != "Failed"},
                {"created", "2026-01-01T00:30:00Z"},
                {"user", "ana"},
                {"gpus", 2}};
    if (!cause.empty()) row["cause"] = cause;
    if (state == "Waiting") row["group"] = "";
    set(Table::jobs, where + "/Job/" + name, order, row, cluster);
  }
  void sync() {
    for (const Cluster& cluster : tables.clusters())
      tables.apply({.kind = Change::Kind::synced, .cluster = cluster.name}, kNow);
  }
  /// Presses keys: characters, or <Enter>, <Esc>, <Down>.
  void press(std::string keys) {
    static const std::pair<const char*, Key> kNamed[] = {
        {"<Enter>", {KeyKind::enter}},    {"<Esc>", {KeyKind::escape}},       {"<Down>", {KeyKind::down}},
        {"<Back>", {KeyKind::backspace}}, {"<C-c>", {KeyKind::control, "c"}}, {"<Tab>", {KeyKind::tab}}};
    while (!keys.empty()) {
      const auto named =
          std::ranges::find_if(kNamed, [&](const auto& each) { return keys.starts_with(each.first); });
      app.handle(named != std::end(kNamed) ? named->second : Key{KeyKind::text, keys.substr(0, 1)}, kNow);
      keys.erase(0, named != std::end(kNamed) ? std::string(named->first).size() : 1);
    }
  }
  std::vector<std::string> screen() {
    app.update(kNow);
    return app.draw(kNow).text();
  }
  /// The row of the screen that contains the text; empty if there is none.
  std::string row_with(const std::string& text) {
    for (const std::string& row : screen())
      if (contains(row, text)) return row;
    return "";
  }
  std::string last() { return screen().back(); }
  /// Checks that what is written to the terminal only moves, writes and colors.
  void require_harmless() {
    const Canvas drawn = app.draw(kNow);
    const std::string bytes = difference(Canvas(drawn.rows(), drawn.columns()), drawn, true);
    for (const char* harm : {"\x1B]", "\x1B[2J", "\x07", "\n", "\u202E"}) CHECK_FALSE(contains(bytes, harm));
  }
  size_t selected_row() {
    const Canvas canvas = app.draw(kNow);
    for (size_t row = 0; row < canvas.rows(); ++row)
      if (canvas.at(row, 0).style.ends_with("7")) return row;
    return 0;
  }

  Tables tables;
  cli::GlobalOptions options;
  Recorder outside;
  App app;
};

}  // namespace

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

TEST_CASE("live screen: Enter opens a job with its cause, its metrics and its log") {
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
  CHECK(rows[2] == "  why       it runs");
  CHECK(rows[3].starts_with("loss"));
  CHECK(rows[3].ends_with("1  █▁"));
  CHECK(rows[4].starts_with("── log ───"));
  CHECK(rows[5] == "step=1 loss=3");
  CHECK(rows[7] == "an evil line");
  CHECK(rows[8] == " 20%");
  log.add("\r 30%\r\n");
  CHECK(kml.row_with(" 30%") == " 30%");
  CHECK(kml.row_with(" 20%").empty());

  SUBCASE("`why` runs again when the state changes") {
    kml.job("bert", "9", "Failed", "exit code 1");
    kml.app.update(kNow + std::chrono::seconds(3));
    CHECK(kml.outside.started.size() == 3);
    kml.tables.apply({.kind = Change::Kind::drop, .cluster = "prod", .id = "lab/Job/bert"}, kNow);
    CHECK(kml.row_with("deleted") == "the job was deleted");
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

TEST_CASE("live screen: a key that changes a row runs what fits its view and its state") {
  struct Case {
    const char* view;
    Json row;
    const char* key;
    const char* command;
    const char* hints;  ///< what the last line offers before
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

TEST_CASE("live screen: hostile names of nodes, runs, steps, served models and schedules") {
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

}  // namespace app_test
