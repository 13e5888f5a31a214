#include "kml/tracking/runs/metric_courses.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>

#include "kml/base/error.h"
#include "kml/kube/objects/labels.h"
#include "support/fake_transport.h"
#include "support/owner.h"
#include "support/temporary_folder.h"

namespace metric_courses_test {

using namespace kml;
using namespace kml::job;
using namespace kml::tracking;

namespace {

const Time kBegin = *parse_rfc3339("2026-11-20T08:00:00.123456Z");

std::vector<long long> steps_of(const std::vector<MetricPoint>& course) {
  std::vector<long long> steps;
  for (const MetricPoint& point : course) steps.push_back(point.step);
  return steps;
}

MetricCollector collected(const std::vector<const char*>& lines) {
  MetricCollector metrics;
  for (const char* line : lines) metrics.read(line, kBegin);
  metrics.finish();
  return metrics;
}

}  // namespace

TEST_CASE("metric_courses: a value has the step of its line, otherwise its metric's greatest step so far") {
  const MetricCollector metrics = collected(
      {"loss=3", "loss=2", "step=10 loss=1 acc=0.5", "loss=0.5", "acc=0.75 epoch=2", "f1=1", "f1=2", "f1=3"});
  CHECK(steps_of(metrics.courses.at("loss")) == std::vector<long long>{0, 0, 10, 10});
  CHECK(steps_of(metrics.courses.at("acc")) ==
        std::vector<long long>{10, 10});  // the steps are not 2, because an epoch is not a step
  CHECK(steps_of(metrics.courses.at("f1")) == std::vector<long long>{0, 1, 2});
  CHECK_FALSE(metrics.courses.contains("step"));
  CHECK(metrics.totals.at("step").last == 10);
  CHECK(metrics.totals.at("acc").last == 0.75);
  CHECK(metrics.totals.at("loss").min == 0.5);
  CHECK(metrics.totals.at("loss").count == 4);
}

TEST_CASE(
    "metric_courses: the extremes and the number of values are those of the whole log, however long it is") {
  constexpr int kLines = 450'000;
  const auto loss_at = [](int line) {  // the extremes stand between lines that are thinned out
    return line == 120'003 ? -5 : line == 300'001 ? 9 : line == kLines - 1 ? 0.25 : 1 + 1.0 / (line + 1);
  };
  for (const char* step : {"", "step=", "epoch="}) {
    CAPTURE(step);
    MetricCollector metrics({{"lr", 0.5}});
    metrics.read("Namespace(lr=0.5, width=768)", kBegin);
    for (int line = 1; line < kLines; ++line) {
      std::string text = "lr=0.5 loss=" + std::to_string(loss_at(line));
      if (*step) text = step + std::to_string(line) + " " + text;
      metrics.read(text, kBegin);
    }
    metrics.finish();
    const Metric& loss = metrics.totals.at("loss");
    CHECK(loss.last == 0.25);
    CHECK(loss.min == -5);
    CHECK(loss.max == 9);
    CHECK(loss.count == kLines - 1);
    CHECK_FALSE(metrics.totals.contains("lr"));
    CHECK_FALSE(metrics.totals.contains("width"));
    const std::vector<MetricPoint>& course = metrics.courses.at("loss");
    CHECK(course.size() < 210'000);
    CHECK(course.back().step == kLines - (*step ? 1 : 2));
    CHECK(std::is_sorted(course.begin(), course.end(), [](auto& a, auto& b) { return a.step < b.step; }));
  }
}

TEST_CASE("metric_courses: a printed object has settings, unless its name or a member's name means results") {
  const struct {
    std::vector<const char*> lines;
    const char* counts;
  } kCases[] = {
      {{"SVC(C=0.5, kernel='rbf')", "score=1"}, "score=1 "},
      {{"SVC(C=0.5, kernel='rbf')"}, "C=1 "},  // perhaps the last line of a program has its results
      {{"Model(loss=0.5, width=3)", "Model(loss=0.25, width=3)", "n=1"}, "loss=2 n=1 width=2 "},
      {{"Best(loss=0.5)", "loss=0.25"}, "loss=2 "},
      {{"Train(a=1) Val(a=2)", "n=1"}, "a=2 n=1 "},
      {{"BatchNorm1d(64, eps=1e-05) Fold3(k=2)", "n=1"}, "k=1 n=1 "},
      {{"torch.optim.Adam(lr=0.1, eps=1e-8)", "lr=0.05"}, "lr=1 "},
      {{"[model]", "width = 3", "lr = 0.1", "", "[data]", "rows = 9", "auc = 1"}, "auc=1 "},
      {{"[results]", "hits = 3", "rows = 9", "n=1"}, "hits=1 n=1 rows=1 "},
      {{"Hyperparameters: lr=0.1, batch=64", "auc=1"}, "auc=1 "},
      {{"config: width=3", "auc=1"}, "auc=1 "},
      {{"Parameters: n=3, auc=1"}, "auc=1 n=1 "},  // a result shows that the others are values, too
      {{"epoch 1: width=3", "auc=1"}, "auc=1 width=1 "},
      {{"| lr: 0.1 |", "| batch_size: 3 |", "+---+", "auc: 1"}, "auc=1 "},
  };
  for (const auto& [lines, counts] : kCases) {
    const std::string first = lines[0];
    CAPTURE(first);
    std::string found;
    for (const auto& [name, metric] : collected(lines).totals)
      found += name + "=" + std::to_string(metric.count) + " ";
    CHECK(found == counts);
  }
}

TEST_CASE("metric_courses: an epoch is a metric if its line also has a step") {
  CHECK(collected({"step=7 epoch=2 loss=1"}).courses.at("epoch").at(0).step == 7);
  CHECK(collected({"epoch=2 step=7 loss=1"}).courses.at("loss").at(0).step == 7);
  CHECK(collected({"epoch=2 loss=1"}).courses.at("loss").at(0).step == 2);
}

TEST_CASE("metric_courses: a metric has the value of its greatest step, even NaN") {
  constexpr double kInf = HUGE_VAL, kNan = std::numeric_limits<double>::quiet_NaN();
  const struct {
    std::vector<const char*> lines;
    double last, min, max;
  } kCases[] = {
      {{"step=1 loss=0.5", "step=2 loss=nan", "step=nan loss=inf"}, kInf, 0.5, kInf},
      {{"step=1 loss=0.5", "step=2 loss=nan"}, kNan, 0.5, 0.5},
      {{"loss=nan"}, kNan, kNan, kNan},
      {{"loss=nan", "loss=0.5"}, 0.5, 0.5, 0.5},
      {{"loss=1", "loss=-inf"}, -kInf, -kInf, 1},
      {{"step=3 loss=1", "step=2 loss=nan"}, 1, 1, 1},
      {{"step=-3 loss=1", "step=-5 loss=2"}, 1, 1, 2},
      {{"step=3 loss=2", "step=3 loss=1"}, 1, 1, 2},  // within a millisecond
      {{"step=3 loss=2", "step=3 loss=nan"}, kNan, 2, 2},
      {{"epoch=1 step=1 loss=1", "epoch=1 step=9 loss=2", "epoch=2 step=1 loss=3"}, 3, 1, 3},
      {{"step=1 loss=1", "step=9 loss=2", "epoch=1 acc=1", "step=1 loss=3"}, 3, 1, 3},
      {{"step=100 loss=1", "epoch=1 loss=2", "step=200 loss=3", "epoch=2 loss=4"}, 4, 1, 4},
      {{"step=100 loss=1", "loss=2"}, 2, 1, 2},
      {{"step=100 loss=1", "step=50 loss=3", "loss=2"}, 2, 1, 3},
      {{R"({"epoch": 1, "loss": 0.5})", R"({"epoch": 2, "loss": NaN})"}, kNan, 0.5, 0.5},
      {{"{'loss': 0.5, 'epoch': 0.5}", "{'loss': nan, 'epoch': 0.9}"}, kNan, 0.5, 0.5},
      {{"step=1 loss=0.5", "step=2 loss=1e999"}, kInf, 0.5, kInf},
      {{R"({"step": 1, "loss": 0.5})", R"({"step": 2, "loss": -1e999})"}, -kInf, -kInf, 0.5},
      {{"epoch 1: loss=tensor(0.5)", "epoch 2: loss=tensor(nan, device='cuda:0')"}, kNan, 0.5, 0.5},
  };
  for (const auto& [lines, last, min, max] : kCases) {
    const MetricCollector metrics = collected(lines);
    const Metric& loss = metrics.totals.at("loss");
    CAPTURE(lines.back());
    const auto is = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
    CHECK_MESSAGE(is(loss.last, last), loss.last);
    CHECK_MESSAGE(is(loss.min, min), loss.min);
    CHECK_MESSAGE(is(loss.max, max), loss.max);
    // MLflow chooses the same value of the course.
    CHECK(is(latest_of(metrics.courses.at("loss")).value, last));
  }
}

TEST_CASE("metric_courses: a file keeps every value exactly, and a bad line does not hide others") {
  const TemporaryFolder folder;
  const RunCourses file(folder.path() / "metrics");
  CHECK(file.read("r1").empty());
  MetricCourses courses;
  courses["loss"] = {
      {-3, 0.1, kBegin}, {4, std::nan(""), kBegin}, {5, -HUGE_VAL, kBegin}, {6, 5e-324, kBegin}};
  courses["valid_0's auc"] = {{0, 1e300, kBegin}};
  file.write("r1", courses);
  std::ofstream(folder.path() / "metrics/r1.tsv", std::ios::app)
      << "loss\t7\tx\t0\nloss\t8\n\nlast\t9\t0.25\t1000\n";
  const MetricCourses read = file.read("r1");
  REQUIRE(read.size() == 3);
  CHECK(steps_of(read.at("loss")) == std::vector<long long>{-3, 4, 5, 6});
  CHECK(read.at("loss")[0].value == 0.1);
  CHECK(std::isnan(read.at("loss")[1].value));
  CHECK(read.at("loss")[2].value == -HUGE_VAL);
  CHECK(read.at("loss")[3].value == 5e-324);
  CHECK(read.at("loss")[0].time == std::chrono::floor<std::chrono::milliseconds>(kBegin));
  CHECK(read.at("valid_0's auc")[0].value == 1e300);
  CHECK(read.at("last")[0].time == Time(std::chrono::seconds(1)));
}

TEST_CASE("metric_courses: an id becomes the name of one file in the folder") {
  const TemporaryFolder folder;
  const RunCourses file(folder.path() / "metrics");
  file.write("../../x", {{"loss", {{0, 1, kBegin}}}});
  CHECK(file.read("../../x").size() == 1);
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path() / "metrics"), {}) == 1);
}

const std::string kPods = "/api/v1/namespaces/team/pods";

const Json kJob = {{"apiVersion", "batch/v1"},
                   {"kind", "Job"},
                   {"metadata", {{"name", "bert"}, {"namespace", "team"}, {"uid", "u"}}},
                   {"spec", {{"template", {{"spec", Json::object()}}}}}};

Json pod_of(const std::string& name) {
  Json pod = {{"metadata",
               {{"name", name},
                {"namespace", "team"},
                {"uid", "uid of " + name},
                {"ownerReferences", controlled_by("bert", "u")}}},
              {"spec", {{"nodeName", "n"}, {"containers", Json::array({Json{{"name", "main"}}})}}}};
  Json status = {{"name", "main"}, {"containerID", "id"}, {"restartCount", 0}};
  status["state"]["running"] = Json::object();
  pod["status"] = {{"phase", "Running"}, {"containerStatuses", Json::array({status})}};
  return pod;
}

/// Three pods. The first `logs` of them have a log with the line loss=0.5, loss=1.5 or loss=2.5.
void serve_three_pods(FakeTransport& transport, int logs) {
  Json pods = Json::array();
  for (int i = 0; i < 3; ++i) {
    const std::string name = "bert-" + std::to_string(i);
    Json pod = pod_of(name);
    pod["metadata"]["labels"][std::string(api::kCompletionIndex)] = std::to_string(i);
    pods.push_back(std::move(pod));
    if (i < logs)
      transport.stub("GET", kPods + "/" + name + "/log",
                     {.pieces = {"2026-01-01T00:00:01.000000000Z loss=" + std::to_string(i) + ".5\n"}});
  }
  transport.answer("GET", kPods, {{"metadata", Json::object()}, {"items", pods}});
  // The user may not read nodes.
  transport.answer("GET", "/api/v1/nodes/n", {{"kind", "Status"}, {"reason", "Forbidden"}}, 403);
}

TEST_CASE("metric_courses: of the ranks of one program, only the log of the first is read") {
  FakeTransport transport;
  serve_three_pods(transport, 1);
  kube::Client client(transport, [](std::chrono::milliseconds) {});
  const MetricCollector found = metrics_of_job(client, kJob);
  CHECK(found.totals.at("loss").last == 0.5);
  CHECK(found.nested.empty());
}

TEST_CASE("metric_courses: each task of an array is a nested run") {
  FakeTransport transport;
  serve_three_pods(transport, 3);
  kube::Client client(transport, [](std::chrono::milliseconds) {});
  Json array = kJob;
  array["spec"].update({{"completionMode", "Indexed"}, {"completions", 3}, {"backoffLimitPerIndex", 0}});
  const MetricCollector found = metrics_of_job(client, array);
  CHECK(found.totals.empty());
  REQUIRE(found.nested.size() == 3);
  CHECK(found.nested[2].run.name == "2");
  CHECK(found.nested[2].run.state == "Running");
  CHECK(found.nested[2].run.params.at("task") == "2");
  CHECK(found.nested[2].run.metrics.at("loss").last == 2.5);
  CHECK(found.nested[2].courses.contains("loss"));
}

TEST_CASE("metric_courses: if a node does not respond, reading its log ends at the time limit") {
  const std::string& pods = kPods;
  const Json& job = kJob;
  FakeTransport transport;
  transport.answer("GET", pods,
                   {{"metadata", Json::object()}, {"items", Json::array({pod_of("bert-x7f2q")})}});
  transport.stub("GET", pods + "/bert-x7f2q/log", {.stays_open = true});
  kube::Client client(transport, [](std::chrono::milliseconds) {});
  const http::SteadyTime begin = transport.now();
  CHECK_THROWS_WITH_AS(metrics_of_job(client, job, std::chrono::seconds(2)),
                       "the log could not be read in time", Error);
  CHECK(transport.now() - begin == std::chrono::seconds(2));
  CHECK(transport.open_streams() == 0);
}

}  // namespace metric_courses_test
