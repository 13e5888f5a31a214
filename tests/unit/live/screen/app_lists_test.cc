#include <algorithm>

#include "live/screen/app_fixture.h"
#include "live/screen/pane.h"

namespace app_lists_test {

using namespace app_fixture;

TEST_CASE("live screen: y copies the command of a list with the target that kml ui has") {
  struct Case {
    const char *kubeconfig, *context, *in_namespace;
    const char* keys;  ///< pressed before y
    const char* command;
  };
  const Case kCases[] = {{"", "", "", "", "kml queue"},
                         {"", "", "other", "", "kml -n other queue"},
                         {"", "", "other", "2", "kml -n other list"},
                         {"", "prod", "", "4", "kml --context prod runs"},
                         {"", "prod", "lab", "5", "kml --context prod -n lab sweep list"},
                         {"", "prod", "lab", "3", "kml --context prod top nodes"},
                         {"kc", "prod", "", "6", "kml --kubeconfig kc --context prod run list"},
                         {"", "", "other", "01", "kml queue -A"},
                         {"", "", "other", "02", "kml list -A"},
                         {"", "", "other", "07", "kml serve list -A"},
                         {"", "prod", "", "08", "kml --context prod schedule list -A"},
                         {"", "", "other", "04", "kml runs"}};
  for (const auto& [kubeconfig, context, in_namespace, keys, command] : kCases) {
    CAPTURE(command);
    Fixture kml;
    kml.options.kubeconfig = kubeconfig;
    kml.options.context = context;
    kml.options.namespace_name = in_namespace;
    kml.press(std::string(keys) + "y");  // there are no rows
    CHECK(kml.outside.copied == command);
  }
}

TEST_CASE("live screen: a question names the cluster and the namespace if rows of several are shown") {
  Fixture one;
  one.job("bert", "0", "Running");
  one.press("0c");
  CHECK(one.last() == "lab: cancel bert? [y/N]");
  Fixture two({"prod", "dev"});
  two.options.context = "prod,dev";
  two.job("gpt", "0", "Running", "", "lab", "dev");
  two.press("c");
  CHECK(two.last() == "dev/lab: cancel gpt? [y/N]");
  two.press("np");
  CHECK(two.last() == "dev/lab: port of gpt:");
}

TEST_CASE("live screen: only a cluster that could be read has no rows") {
  Fixture kml;
  kml.tables.apply({.kind = Change::Kind::lost, .cluster = "prod", .text = "cannot connect"}, kNow);
  for (const auto& [key, text] : {std::pair("1", "the jobs of prod are unknown"),
                                  {"3", "the nodes of prod are unknown"},
                                  {"8", "the schedules of prod are unknown"}}) {
    kml.press(key);
    CHECK(kml.screen()[2] == text);
  }
  kml.sync();
  CHECK(kml.screen()[2] == "no schedules in this namespace; 0 shows all");
  kml.press("3");
  CHECK(kml.screen()[2] == "no nodes");
}

TEST_CASE("live screen: in all namespaces, each view has a column for the namespace, except nodes") {
  for (const View view : kAllViews) {
    CAPTURE(name_of(view));
    Fixture kml;
    kml.set(table_of(view), "elsewhere/one", "0",
            {{"name", "one"}, {"namespace", "elsewhere"}, {"state", "Running"}, {"active", true}});
    kml.press(":" + std::string(name_of(view)) + "<Enter>");
    CHECK_FALSE(contains(kml.screen()[1], "NAMESPACE"));
    kml.press("0");
    CHECK(contains(kml.screen()[1], "NAMESPACE") == (view != View::nodes));
    CHECK(contains(kml.screen()[2], "elsewhere") == (view != View::nodes));
  }
}

TEST_CASE("live screen: rows are not drawn over the lines about lost clusters") {
  Fixture kml({"prod", "dev"}, {60, 5});
  kml.job("bert", "0", "Running");
  for (const char* cluster : {"prod", "dev"})
    kml.tables.apply({.kind = Change::Kind::lost, .cluster = cluster, .text = "cannot connect"}, kNow);
  const std::vector<std::string> rows = kml.screen();
  CHECK(rows[2] == "dev: lost, trying again: cannot connect");
  CHECK(rows[3] == "prod: lost, trying again: cannot connect");
}

TEST_CASE("live screen: the filter finds what a reader sees of a row, and nothing else") {
  const std::string data = json_text({{"uid", "a1b2"},
                                      {"submitId", "c3d4"},
                                      {"name", "bert"},
                                      {"active", true},
                                      {"next", nullptr},
                                      {"command", "sh -c \"echo \\d\" 日本"},
                                      {"gpus", {{{"heldBy", {{"gpt (ana)", 2}}}, {"total", 8}}}},
                                      {"metrics", {{"accuracy", {{"max", 0.75}}}, {"loss", {{"max", 0.25}}}}},
                                      {"parameters", {{"lr", 0.125}, {"opt", "sgd"}}},
                                      {"state", "Running"}});
  for (const char* seen : {"", "BERT", "\"echo", "echo \\d\"", "日本", "gpt (ana)", "8", "accuracy", "loss",
                           "0.75", "lr", "sgd", "0.125", "running"}) {
    CAPTURE(seen);
    CHECK(has_value_with(data, seen));
  }
  for (const char* unseen : {"a1b2", "c3d4", "uid", "true", "null", "active", "heldBy", "total", "max", "{",
                             "],", "\":", "parameters", "name"}) {
    CAPTURE(unseen);
    CHECK_FALSE(has_value_with(data, unseen));
  }
}

TEST_CASE("live screen: between two attempts, a row says once when the next one starts") {
  Fixture kml({"prod"}, {120, 12});
  kml.set(Table::jobs, "lab/Job/bert", "1",
          {{"name", "bert"},
           {"kind", "Job"},
           {"namespace", "lab"},
           {"state", "Waiting"},
           {"active", true},
           {"cause", "exit code 4"},
           {"lastFailure", "exit code 4"},
           {"nextAttempt", "2026-01-01T01:00:05Z"}});
  for (const char* view : {"1", "2"}) {
    kml.press(view);
    CHECK(kml.row_with("bert").ends_with(" next attempt in about 5s: exit code 4"));
  }
}

TEST_CASE("live screen: a schedule with a single start has no cron expression") {
  Fixture kml;
  kml.set(Table::schedules, "lab/at", "0",
          {{"name", "at"},
           {"namespace", "lab"},
           {"schedule", "59 7 1 12 *"},
           {"once", "2026-12-01T07:59:00Z"},
           {"state", "waiting"}});
  kml.press("8");
  CHECK(kml.row_with("once").starts_with("at    once "));
}

TEST_CASE("live screen: a new job with the name of the open one is opened instead of it") {
  Fixture kml({"prod"}, {80, 24});
  const auto set = [&](const char* uid, const char* state) {
    kml.set(Table::jobs, "lab/Job/bert", "0",
            {{"name", "bert"}, {"kind", "Job"}, {"namespace", "lab"}, {"uid", uid}, {"state", state}});
  };
  const std::string logs = "--namespace=lab logs -f bert";
  set("1", "Running");
  kml.press("2<Enter>");
  kml.outside.panes.at(logs)->add("step=1 loss=3\r\n");
  CHECK_FALSE(kml.row_with("loss").empty());
  set("1", "Failed");
  CHECK_FALSE(kml.row_with("loss").empty());
  kml.tables.apply({.kind = Change::Kind::drop, .cluster = "prod", .id = "lab/Job/bert"}, kNow);
  CHECK(kml.row_with("deleted") == "bert  the job was deleted");
  set("2", "Failed");
  CHECK(kml.row_with("loss").empty());
  CHECK(std::ranges::count(kml.outside.started, logs) == 2);
}

TEST_CASE("live screen: Enter on a node shows each fact in its own line") {
  Fixture kml;
  kml.set(Table::nodes, "gpu-1", "0",
          {{"name", "gpu-1"},
           {"taints", {"a", "b"}},
           {"gpus", {{{"type", "a100"}, {"total", 8}, {"heldBy", {{"bert (ana)", 2}}}}}}});
  kml.press("3<Enter>");
  for (const char* line :
       {"gpus.0.heldBy.bert (ana): 2", "gpus.0.total: 8", "gpus.0.type: a100", "name: gpu-1"})
    CHECK(kml.row_with(line) == line);
  CHECK(kml.row_with("taints") == "taints: [\"a\",\"b\"]");
}

TEST_CASE("live screen: an error of `why` is shown with its first line") {
  Fixture kml({"prod"}, {80, 24});
  kml.job("bert", "0", "Running");
  kml.press("<Enter>");
  Pane& why = *kml.outside.panes.at("--namespace=lab why bert");
  why.add("kml: error: the embedded server is down\r\n  why: it was stopped\r\n");
  why.end();
  CHECK(kml.row_with("kml: error") == "kml: error: the embedded server is down");
  CHECK(kml.row_with("stopped") == "  why: it was stopped");
}

TEST_CASE("live screen: a pane says how many of its first lines it does not keep") {
  Pane pane;
  for (int i = 1; i <= 5003; ++i) pane.add("line " + std::to_string(i) + "\n");
  pane.end();
  const std::vector<std::string> lines = pane.text();
  REQUIRE(lines.size() == 5001);
  CHECK(lines[0] == "… 3 earlier lines are not kept here");
  CHECK(lines[1] == "line 4");
  CHECK(lines.back() == "line 5003");
}

}  // namespace app_lists_test
