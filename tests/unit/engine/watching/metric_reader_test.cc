#include "engine/watching/metric_reader.h"

#include <doctest/doctest.h>

#include <cmath>

namespace kml::engine::metric_reader_test {

namespace {

constexpr const char* kKatibsOwn = R"(([\w|-]+)\s*=\s*([+-]?\d*(\.\d+)?([Ee][+-]?\d+)?))";

}  // namespace

TEST_CASE(
    "job metrics: several values in a line are read; times of day, plain text and incomplete JSON are not "
    "values") {
  MetricReader reader("epoch", {});
  auto read = reader.read("loss: 0.3 val.acc=0.91 garbage: 12:30");
  REQUIRE(read.size() == 2);
  CHECK(read[0].name == "loss");
  CHECK(read[0].value == 0.3);
  CHECK(read[1].name == "val.acc");
  CHECK(reader.read("no metric here").empty());
  CHECK(reader.read("{broken json").empty());
}

TEST_CASE("job metrics: NaN and infinities are values") {
  MetricReader reader("epoch", {});
  CHECK(std::isnan(reader.read("loss=nan")[0].value));
  CHECK(std::isinf(reader.read("loss: inf")[0].value));
  CHECK(reader.read("loss=1e999")[0].value == HUGE_VAL);  // Python's float() also returns infinity here
  CHECK(reader.read(R"({"loss": -1e999})")[0].value == -HUGE_VAL);
  const auto read = reader.read(R"({"loss": NaN, "note": "a NaN \" here", "acc": -Infinity})");
  REQUIRE(read.size() == 2);
  CHECK(std::isnan(read[1].value));
  CHECK(read[0].value == -HUGE_VAL);
}

TEST_CASE("job metrics: steps are read from the log if it has them, otherwise counted") {
  MetricReader reader("epoch", {});
  auto read = reader.read("epoch=3 step=300 loss=0.1");
  REQUIRE(read.size() == 2);
  CHECK(read[0].name == "step");
  CHECK(read[1].step == 3);
  CHECK(reader.read("step=4 loss=0.1")[0].step == 4);
  MetricReader counting("epoch", {});
  CHECK(counting.read("acc=0.1")[0].step == 1);
  CHECK(counting.read("acc=0.2")[0].step == 2);
  CHECK(counting.read("epoch=nan acc=0.2").back().step == 3);
}

TEST_CASE("job metrics: a metric that was asked for is reported even if it also counts steps") {
  for (const char* asked : {"epoch", "step", "iter"}) {
    MetricReader reader("epoch", {}, {asked});
    const auto read = reader.read("loss=0.1 " + std::string(asked) + "=9");
    REQUIRE(read.size() == 2);
    CHECK(read[1].name == asked);
    CHECK(read[1].value == 9);
    CHECK(read[1].step == 9);
  }
}

TEST_CASE(
    "job metrics: a value without a step is placed after the last printed step, and is not used for a later "
    "rung") {
  MetricReader reader("epoch", {});
  CHECK(reader.read("epoch=1 acc=0.1")[0].step == 1);
  CHECK(reader.read("epoch=2 acc=0.2")[0].step == 2);
  CHECK(reader.read("final acc=0.95")[0].step == 2.5);
  CHECK(reader.read("again acc=0.96")[0].step == doctest::Approx(2 + 2.0 / 3));
  CHECK(reader.read("loss=0.3")[0].step == 2);
  CHECK(reader.read("epoch=3").empty());
  CHECK(reader.read("acc=0.97")[0].step == 3);
  // A program also reports batches, which are not epochs.
  CHECK(reader.read("step=900 loss=0.2")[0].step == 900);
  CHECK(reader.read("top5=0.99")[0].step == 3);
}

TEST_CASE("job metrics: a value of an earlier step is marked as such") {
  const auto last = [](std::string resource, const std::vector<const char*>& lines) {
    MetricReader reader(std::move(resource), {});
    double value = 0;
    for (const char* line : lines)
      for (const ReportedMetric& metric : reader.read(line))
        if (metric.name == "loss" && !metric.is_of_earlier_step) value = metric.value;
    return value;
  };
  CHECK(last("", {"step=3 loss=1", "step=2 loss=2"}) == 1);
  CHECK(last("", {"step=-3 loss=1", "step=-5 loss=2"}) == 1);
  CHECK(last("", {"step=3 loss=1", "step=2 loss=2", "loss=3"}) == 3);
  CHECK(last("", {"epoch=1 step=9 loss=1", "epoch=2 step=1 loss=2"}) == 2);
  CHECK(last("", {"step=100 loss=1", "epoch=1 loss=2"}) == 2);
  CHECK(last("epoch", {"step=100 loss=1", "epoch=1 loss=2", "step=200 loss=3", "epoch=2 loss=4"}) == 4);
  CHECK(last("epoch", {"Epoch 2/3 loss=1", "Epoch 1/3 loss=2"}) == 1);
}

TEST_CASE(
    "job metrics: values without a step keep their order and never reach the next step, however many they "
    "are") {
  for (const double told : {0.0, 1.0, 1.5, 1e6, 1e15}) {
    MetricReader reader("epoch", {});
    CHECK(reader.read("epoch=" + std::to_string(told) + " acc=0").back().step == told);
    double before = told;
    for (int i = 0; i < 5000; ++i) {
      const double step = reader.read("acc=1").back().step;
      if (step < before || step >= std::floor(told) + 1) FAIL(told << ": " << step << " after " << before);
      before = step;
    }
    CHECK(before > told);
  }
}

TEST_CASE("job metrics: if a progress bar prints a step several times, the last values are used") {
  using Told = std::vector<std::pair<double, double>>;
  const auto told = [](MetricReader& reader, const char* line, bool is_open = true) {
    Told all;
    for (const ReportedMetric& metric : reader.read(line, is_open))
      if (metric.name == "val") all.emplace_back(metric.step, metric.value);
    return all;
  };
  MetricReader reader("Epoch", {});
  CHECK(told(reader, "Epoch 1:  50%|#  | 1/2 [00:01, loss=3]").empty());
  CHECK(told(reader, "Epoch 1: 100%|###| 2/2 [00:02, loss=2, val=5]").empty());
  CHECK(told(reader, "Epoch 2:  50%|#  | 1/2 [00:01, loss=2, val=5]") == Told{{1, 5}});
  CHECK(told(reader, "Epoch 2: 100%|###| 2/2 [00:02, loss=1, val=4]").empty());
  CHECK(told(reader, "          ").empty());
  // The value is the same as in the last epoch.
  CHECK(told(reader, "Epoch 3: 100%|###| 2/2 [00:02, loss=1, val=4]") == Told{{2, 4}});
  CHECK(told(reader, "", false) == Told{{3, 4}});
  CHECK(told(reader, "", false).empty());
  // The bar is on the line below its epoch's heading.
  CHECK(told(reader, "Epoch 4/5", false).empty());
  CHECK(told(reader, "1/2 - val: 9").empty());
  CHECK(told(reader, "2/2 - val: 3", false) == Told{{4, 3}});
  // If nothing reports the step, lines are counted.
  MetricReader counting("epoch", {});
  CHECK(told(counting, "50% loss=3 val=2").empty());
  CHECK(told(counting, "70% loss=2 val=1", false) == Told{{1, 1}});
}

TEST_CASE("job metrics: the step may also be printed in words, such as \"Epoch 7/10\"") {
  MetricReader reader("epoch", {});
  for (const char* line :
       {"Epoch 7/10 loss=1", "epoch [7/10] loss=1", "EPOCH 7: loss=1", "of epoch (7), loss=1"})
    CHECK_MESSAGE(reader.read(line).back().step == 7, line);
  CHECK(reader.read("Epoch 8/10").empty());
  CHECK(reader.read("10/10 - loss: 0.5").back().step == 8);
  for (const char* line : {"epoch 9s loss=1", "myepoch 9 loss=1", "epochs 9 loss=1", "epoch7 loss=1",
                           "time per epoch 35.2 loss=1", "none since epoch 9 loss=1", "epoch 9.5: loss=1"})
    CHECK_MESSAGE(MetricReader("epoch", {}).read(line).back().step == 1, line);
}

TEST_CASE("job metrics: a wanted metric is found in the longest line, whatever its name") {
  const std::string long_name(40, 'n');
  std::string line = "{\"" + long_name + "\": 1, \"val loss\": 0.5, \"z_epoch\": 3";
  for (int i = 0; i < 300; ++i) line += ", \"layer" + std::to_string(i) + ".grad_norm\": 0.25";
  MetricReader reader("z_epoch", {}, {long_name, "val loss"});
  const auto read = reader.read(line + "}");
  const auto value_of = [&](const std::string& name) {
    for (const ReportedMetric& metric : read)
      if (metric.name == name) return metric.value * (metric.step == 3 ? 1 : -1);
    return 0.0;
  };
  CHECK(value_of(long_name) == 1);
  CHECK(value_of("val loss") == 0.5);
  CHECK(value_of("layer0.grad_norm") == 0.25);
  CHECK(read.size() == 34);

  std::string words;
  for (int i = 0; i < 40; ++i) words += "x" + std::to_string(i) + "=1 ";
  CHECK(reader.read(words + long_name + "=2").back().value == 2);
}

TEST_CASE("job metrics: a metric that the user asks for may have a name of several words") {
  MetricReader reader("step", {}, {"val loss", "valid_1's auc", "loss", "Loss/val set", "loss (val)"});
  const auto told = [&](const char* line) {
    std::string all;
    for (const ReportedMetric& metric : reader.read(line)) {
      all += (all.empty() ? "" : "; ") + metric.name + " " + std::to_string(metric.value).substr(0, 4);
    }
    return all;
  };
  CHECK(told("loss: 1.5 val loss: 2.05") == "loss 1.50; val loss 2.05");
  CHECK(told("val loss = 2.05, loss=1") == "val loss 2.05; loss 1.00");
  CHECK(told("{'val loss': 0.3, 'Loss/val set': '0.4'}") == "val loss 0.30; Loss/val set 0.40");
  CHECK(told("epochs 3 loss (val)=0.5") == "loss (val) 0.50");
  CHECK(told("interval loss: 3") == "loss 3.00");
  CHECK(told("val loss is low, loss: 3") == "loss 3.00");
  CHECK(told("[10]\ttraining's auc: 0.25\tvalid_1's auc: 0.75") == "training's auc 0.25; valid_1's auc 0.75");
  CHECK(told("auc: 0.5") == "auc 0.50");
  CHECK(told("validation_0-logloss:0.25") == "validation_0-logloss 0.25");
}

TEST_CASE("job metrics: a wanted metric is not read from a metric whose name only contains the wanted name") {
  const auto values = [](const char* wanted, const char* line) {
    MetricReader reader("step", {}, {wanted});
    std::string all;
    for (const ReportedMetric& metric : reader.read(line))
      if (metric.name == wanted) all += std::to_string(metric.value).substr(0, 4) + " ";
    return all;
  };
  struct Row {
    const char *wanted, *line, *values;
  };
  const Row kRows[] = {
      {"loss", "epoch 1 loss: 0.10 val loss: 0.7 test loss: 0.8", "0.10 "},
      {"loss", "training loss: 0.9 valid_1's loss: 0.2", ""},
      {"loss", "train loss: 0.9, loss: 0.10", "0.10 "},
      {"loss", "best loss=0.01", ""},
      {"loss", "Validation  loss = 0.5", ""},
      {"accuracy", "Test accuracy: 0.5", ""},
      {"accuracy", "epoch 2 accuracy=0.15 (best accuracy: 0.99)", "0.15 "},
      {"accuracy", "Best accuracy at step 3: 0.5", ""},
      {"val_loss", "val loss: 0.70 best val loss: 0.1", "0.70 "},
      {"val loss", "val loss: 0.70 best val loss: 0.1", "0.70 "},
      {"best val loss", "val loss: 0.7 best val loss: 0.10", "0.10 "},
      {"trainer", "INFO trainer:88", "88.0 "},
      {"loss", "https://h/?loss=7 loss=0.5", "0.50 "},
  };
  for (const Row& row : kRows) CHECK_MESSAGE(values(row.wanted, row.line) == row.values, row.line);
}

TEST_CASE("job metrics: NaN and infinities are read where Katib's own filter finds no digits") {
  MetricReader reader("step", {kKatibsOwn});
  const auto value_in = [&](const char* line) {
    const auto read = reader.read(line);
    REQUIRE_MESSAGE(read.size() == 1, line);
    CHECK(read[0].name == "loss");
    return read[0].value;
  };
  for (const char* line : {"loss=nan", "loss = NaN, done", "loss=-nan", "loss=+NAN"})
    CHECK_MESSAGE(std::isnan(value_in(line)), line);
  for (const char* line : {"loss=inf", "loss=+Inf", "loss=INFINITY"})
    CHECK_MESSAGE(value_in(line) == HUGE_VAL, line);
  CHECK(value_in("loss=-inf)") == -HUGE_VAL);
  for (const char* line : {"loss=", "loss=-", "loss=information", "loss=nan_count", "loss=none"})
    CHECK_MESSAGE(reader.read(line).empty(), line);
}

TEST_CASE("job metrics: for wanted metrics, numbers in strings of JSON lines are read, as in Katib") {
  MetricReader reader("epoch", {}, {"accuracy", "best loss", "précision"});
  auto read = reader.read(R"({"global_step": "2", "accuracy": "0.02", "trial": "7", "host": "accuracy"})");
  REQUIRE(read.size() == 1);
  CHECK(read[0].name == "accuracy");
  CHECK(read[0].value == 0.02);
  CHECK(read[0].step == 2);
  CHECK(std::isnan(reader.read(R"({"accuracy": "nan"})")[0].value));
  CHECK(reader.read(R"({"accuracy": "3s"})").empty());
  CHECK(reader.read(R"({"accuracy": ""})").empty());
  // Reads names that are not single words, too.
  CHECK(reader.read(R"({"best loss": 0.5, "précision": "0.75"})").size() == 2);
}

TEST_CASE("job metrics: a filter reads lines of any length, without the blanks around a value") {
  MetricReader reader("step", {R"(([\w|-]+)\s*=\s*([+-]?\d*(\.\d+)?([Ee][+-]?\d+)?))"});
  CHECK(reader.read(std::string(20'000, 'x')).empty());
  const auto read = reader.read(std::string(20'000, 'x') + " loss=0.5");
  REQUIRE(read.size() == 1);
  CHECK(read[0].value == 0.5);
  MetricReader example("step",
                       {R"({metricName: ([\w|-]+), metricValue: ((-?\d+)(\.\d+)?)})", "(\\w+ *):(.*);"});
  CHECK(example.read("{metricName: loss, metricValue: -0.25}{metricName: acc, metricValue: 1}").size() == 2);
  REQUIRE(example.read("acc : 0.5 ;").size() == 1);
  CHECK(example.read("acc : 0.5 ;")[0].name == "acc");
}

TEST_CASE("job metrics: Katib's filters do not see colors") {
  MetricReader reader("step", {kKatibsOwn});
  const auto read = reader.read("\x1b[32maccuracy = +0.9\x1b[0m");
  REQUIRE(read.size() == 1);
  CHECK(read[0].name == "accuracy");
  CHECK(read[0].value == 0.9);
}

TEST_CASE("job metrics: Katib's filters find a name and a value, and an invalid filter is rejected") {
  MetricReader reader("step", {R"((\w+)\|(-?\d+\.\d+))"});
  const auto read = reader.read("loss|0.25 acc=0.5");
  REQUIRE(read.size() == 1);
  CHECK(read[0].name == "loss");
  CHECK(read[0].value == 0.25);
  CHECK_THROWS_AS(MetricReader("step", {"("}), Error);
}

}  // namespace kml::engine::metric_reader_test
