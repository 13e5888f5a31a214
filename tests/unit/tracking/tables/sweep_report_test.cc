#include "kml/tracking/tables/sweep_report.h"

#include <doctest/doctest.h>

#include "kml/sweep/tables/sweep_table.h"
#include "sweep/tables/sweep_stopping.h"

namespace sweep_report_test {

using namespace kml;
using namespace kml::ui;

namespace {

const Time kBegin = *parse_rfc3339("2026-11-20T08:00:00Z");

Json parameter(const std::string& name, const std::string& type, Json space) {
  return {{"name", name}, {"parameterType", type}, {"feasibleSpace", std::move(space)}};
}

/// Four trials, four at once: one complete, one stopped early, one diverged, one running.
struct Made {
  Made() {
    Json momentum = parameter("momentum", "double", {{"min", 0}, {"max", 1}});
    momentum["condition"] = {{"parameter", "optimizer"}, {"values", {"sgd"}}};
    const Json spec = {
        {"objective", {{"type", "minimize"}, {"objectiveMetricName", "loss"}}},
        {"maxTrialCount", 8},
        {"parallelTrialCount", 2},
        {"parameters",
         {parameter("lr", "double", {{"min", 1e-4}, {"max", 0.1}, {"distribution", "logUniform"}}),
          parameter("optimizer", "categorical", {{"list", {"</script><b>", "sgd"}}}), momentum}},
        {"fidelity", {{"metric", "epoch"}, {"min", 1}, {"max", 9}, {"eta", 3}}},
        {"earlyStopping", {{"algorithmName", "asha"}}},
        {"trialTemplate",
         {{"trialSpec",
           {{"kind", "Job"},
            {"spec",
             {{"containers",
               {{{"image", "train:7"},
                 {"command", {"python", "{args}"}},
                 {"env", {{{"name", "PASSPHRASE"}, {"value", "open sesame"}}}}}}}}}}}}}};
    const Json document = {
        {"apiVersion", "kml.dev/v1"}, {"kind", "Sweep"}, {"metadata", {{"name", "s"}}}, {"spec", spec}};
    add({kBegin, sweep::record::Sweep{"id", document, Json::object()}});
    add({kBegin, sweep::record::Session{"nobody"}});
    begin({{"lr", 0.01}, {"optimizer", "sgd"}, {"momentum", 0.5}});
    begin({{"lr", 0.02}, {"optimizer", "</script><b>"}});
    begin({{"lr", 0.03}, {"optimizer", "</script><b>"}});
    begin({{"lr", 0.04}, {"optimizer", "</script><b>"}});
    end(0, sweep::Outcome::complete, 0.25, {{1, 2}, {9, 0.25}});
    end(1, sweep::Outcome::pruned, 3, {{1, 3}});
    end(2, sweep::Outcome::diverged, std::nullopt, {});
  }
  void add(const sweep::Record& record) {
    state.apply(record);
    timeline.apply(record);
  }
  void begin(const Json& values) {
    const std::uint64_t number = state.trials().size();
    add({kBegin, sweep::record::Asked{number, values}});
    add({kBegin, sweep::record::Begun{number, "s-" + std::to_string(number)}});
    add({kBegin + std::chrono::seconds(1), sweep::record::Running{number, "node1"}});
  }
  void end(std::uint64_t number, sweep::Outcome outcome, std::optional<double> value,
           std::vector<std::pair<double, double>> curve) {
    sweep::record::Ended ended{number, outcome, "\xE2\x80\xA8</SCRIPT><!-- <script>\xFF", "node1"};
    ended.value = value;
    ended.results.curve = std::move(curve);
    add({kBegin + std::chrono::seconds(60), ended});
  }
  Json data() const { return report_data(state, timeline, kBegin + std::chrono::seconds(100)); }

  sweep::SweepState state;
  sweep::Timeline timeline;
};

size_t count(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

}  // namespace

TEST_CASE("report: shows the trials") {
  const Json data = Made().data();
  const Json& trials = data["trials"];
  REQUIRE(trials.size() == 4);
  CHECK(trials[0]["point"] == Json({0.01, 1, 0.5}));
  CHECK(trials[1]["point"][1] == 0);
  CHECK(trials[1]["point"].dump() == "[0.02,0.0,null]");  // momentum is inactive
  CHECK(trials[0]["value"] == 0.25);
  CHECK(trials[0]["ran"] == 59);
  CHECK(trials[0]["curve"] == Json({{1, 2}, {9, 0.25}}));
  CHECK(trials[2]["state"] == "diverged");
  CHECK(!trials[2].contains("value"));
  CHECK(trials[3]["state"] == "running");
  CHECK(trials[3]["ran"] == 99);
  CHECK(data["best"] == 0);
  CHECK(data["ended"] == Json({0, 1, 2}));
  CHECK(data["length"] == 100);
  CHECK(data["rungs"] == Json({1, 3, 9}));
  CHECK(data["parameters"][2]["condition"] == "optimizer = sgd");
  CHECK(data["parameters"][0]["log"] == true);
}

TEST_CASE("report: shows what was requested, without the environment") {
  const Json data = Made().data();
  CHECK(data["asked"]["command"] == "python '{args}'");
  CHECK(data["asked"]["image"] == "train:7");
  CHECK(data["asked"]["algorithm"] == "bayesianoptimization (chosen by auto)");
  CHECK(data["asked"]["spec"].get<std::string>().find("maxTrialCount: 8") != std::string::npos);
  CHECK(data.dump(-1, ' ', true, Json::error_handler_t::replace).find("sesame") == std::string::npos);
}

TEST_CASE("report: no text of a trial can leave its script element") {
  const std::string page = report_page(Made().data());
  const size_t begin = page.find("<script id=\"data\""), end = page.find("</script>", begin);
  REQUIRE(begin != std::string::npos);
  const std::string script = page.substr(begin, end - begin), text = script.substr(script.find('>') + 1);
  CHECK(text.find('<') == std::string::npos);
  CHECK(text.find("\xE2\x80\xA8") == std::string::npos);
  const Json data = Json::parse(text);
  CHECK(data["parameters"][1]["choices"][0] == "</script><b>");
  CHECK(data["trials"][0]["cause"] == "\xE2\x80\xA8</SCRIPT><!-- <script>\xEF\xBF\xBD");
  CHECK(count(page, "</script") == 2);
}

TEST_CASE("report: the page contains no address except that of the SVG standard") {
  const std::string page = report_page(Json::object());
  CHECK(count(page, "http") == count(page, "http://www.w3.org/2000/svg") + count(page, "http-equiv"));
  CHECK(count(page, " src=") == 0);
  CHECK(count(page, "innerHTML") == 0);
  for (const char* mark : {"/*style*/", "/*script*/", "{\"data\":0}"}) CHECK(count(page, mark) == 0);
}

TEST_CASE("history: the best so far starts with the first complete trial") {
  Made made;
  CHECK(best_so_far(made.state) == std::vector<double>{0.25, 0.25, 0.25});
  made.end(3, sweep::Outcome::complete, 0.125, {});
  CHECK(best_so_far(made.state).back() == 0.125);
}

TEST_CASE("history: counts how many trials reached each rung, in a journal without judgments") {
  const Made made;
  const StoppingReport stopping(made.state);
  CHECK(stopping.bracket_lines() ==
        std::vector<std::string>{
            "bracket 0: 3 trials; epoch 1: 2 reached, 1 stopped; epoch 3: 1 reached; epoch 9: 1 reached",
            "bracket 1: 1 trial; epoch 3: 0 reached; epoch 9: 0 reached"});
  CHECK(stopping.why(made.state.trials()[1]) ==
        "stopped at epoch 1 in bracket 0; the cut-off was not recorded");
}

TEST_CASE("history: predicts how many trials each bracket will have") {
  sweep::SweepSpec spec;
  CHECK(ui::rung_plan(spec).empty());
  spec.budget.trials = 40;
  spec.stopping = {.rule = sweep::StopRule::hyperband, .resource = "epoch", .min = 1, .max = 16};
  CHECK(ui::rung_plan(spec) == std::vector<std::string>{"bracket 0: rungs of epoch: 1, 4, 16 (27 trials)",
                                                        "bracket 1: rungs of epoch: 4, 16 (9 trials)",
                                                        "bracket 2: rungs of epoch: 16 (4 trials)"});
}

TEST_CASE("history: the time left follows from the trials so far; running ones are treated as half done") {
  const Made made;
  const auto left = time_left(made.state, kBegin + std::chrono::seconds(70));
  REQUIRE(left);
  CHECK(*left == std::chrono::seconds(90));  // 3.5 of 8 trials took 70 s
  sweep::SweepState ended = made.state;
  ended.apply({kBegin + std::chrono::seconds(80), sweep::record::End::of(sweep::record::End::Kind::stopped)});
  CHECK(!time_left(ended, kBegin + std::chrono::seconds(90)));
}

}  // namespace sweep_report_test
