#include "job/tables/metrics.h"

#include <doctest/doctest.h>

#include <cmath>
#include <sstream>
#include <utility>
#include <vector>

#include "kml/base/files.h"
#include "kml/base/text.h"
#include "kml/job/logs/metric_line.h"

namespace metrics_test {

using namespace kml;
using namespace kml::ui;

namespace {

std::string told(std::string_view line) {
  std::ostringstream out;
  for (const auto& [name, value] : job::metrics_in(line)) out << name << "=" << value << " ";
  return out.str();
}

}  // namespace

TEST_CASE("metrics: many forms in which programs print metrics are read") {
  CHECK(told("Accuracy at step 490: 0.9512") == "step=490 Accuracy=0.9512 ");
  CHECK(told("[trainer] Accuracy at step 10: 0.5") == "step=10 Accuracy=0.5 ");
  CHECK(told("loss=0.12 acc: 0.9") == "loss=0.12 acc=0.9 ");
  CHECK(told("loss=0.5,acc=1,") == "loss=0.5 acc=1 ");
  CHECK(told("epoch: 3, loss: 1.5e-3, top/acc: 90.5%") == "epoch=3 loss=0.0015 top/acc=90.5 ");
  CHECK(told("it 10 [loss=-2.5, lr=1e-4].") == "loss=-2.5 lr=0.0001 ");
  CHECK(told("accuracy = 0.9\tloss : +0.5 lr\t=\t1") == "accuracy=0.9 loss=0.5 lr=1 ");
  CHECK(told("\x1b[32maccuracy=0.9\x1b[0m \x1b[1;31mloss\x1b[0m: 1\x1b[K") == "accuracy=0.9 loss=1 ");
  CHECK(told("{'eval_loss': 0.31, 'accuracy': +0.9, 'epoch': 1.0}") ==
        "eval_loss=0.31 accuracy=0.9 epoch=1 ");
  CHECK(told("{'loss': '0.31', 'epoch': '1.0'}") == "loss=0.31 epoch=1 ");
  CHECK(told("{'acc': np.float64(0.9), 'n': np.int64(3)}") == "acc=0.9 n=3 ");
  CHECK(told("loss=tensor(0.5) best=tensor(3.)") == "loss=0.5 best=3 ");
  CHECK(told("{'loss': tensor(0.5, device='cuda:0', grad_fn=<NllLossBackward0>), 'acc': 0.9}") ==
        "loss=0.5 acc=0.9 ");
  CHECK(told("loss: tf.Tensor(0.5, shape=(), dtype=float32) acc=1") == "loss=0.5 acc=1 ");
  CHECK(told(R"(INFO:root:{"accuracy": 0.9, "eval": {"loss": 1}})") == "accuracy=0.9 eval.loss=1 ");
  CHECK(told(R"(epoch=3 {"loss": 0.5})") == "epoch=3 loss=0.5 ");
  CHECK(told(R"({"step":1,"loss":0.5,"note":"x","eval":{"acc":0.9}})") == "eval.acc=0.9 loss=0.5 step=1 ");
}

TEST_CASE("metrics: the table in docs/metrics.md is true") {
  size_t rows = 0;
  for (const std::string& line : split(read_file(KML_SOURCE_DIR "/docs/metrics.md"), '\n')) {
    if (!line.starts_with("| `")) continue;
    CAPTURE(line);
    const size_t end = line.find("` | "), begin = end + 4;
    std::string wanted = line.substr(begin, line.rfind(" |") - begin);
    std::erase(wanted, '`');
    CHECK(told(std::string_view(line).substr(3, end - 3)) ==
          (wanted.starts_with("no metric") ? "" : wanted + " "));
    ++rows;
  }
  CHECK(rows == 16);
}

TEST_CASE("metrics: a name is a word in any script, with a word such as val or test before it") {
  const std::pair<const char*, const char*> kCases[] = {
      {"train loss: 0.5 val loss: 0.7 test acc: 0.9", "train_loss=0.5 val_loss=0.7 test_acc=0.9 "},
      {"Validation Loss=0.8 | eval  f1 = 1", "Validation_Loss=0.8 eval_f1=1 "},
      {"valid loss at step 3: 0.5", "step=3 valid_loss=0.5 "},
      {"Train Epoch: 1\tLoss: 0.5", "Epoch=1 Loss=0.5 "},
      {"train step: 7 loss: 1", "step=7 loss=1 "},
      {"val val_loss: 3 interval loss: 2 pre-train acc: 1", "val_loss=3 loss=2 acc=1 "},
      {"train: loss=1", "loss=1 "},
      {"Loss at epoch 3: 0.4", "epoch=3 Loss=0.4 "},
      {"step 0: train loss 4.2, val loss 4.3", "step=0 train_loss=4.2 val_loss=4.3 "},
      {"iter 10: loss 3.5, time 250.12ms, mfu 1.5%", "iter=10 loss=3.5 mfu=1.5 "},
      {"step 3: saved to a.pt, took 5 minutes", ""},
      {"requests.exceptions.ConnectionError: 3", ""},
      {"MeanSquaredError: 0.5", "MeanSquaredError=0.5 "},
      {"kml: 240827 bytes of output were lost", ""},
      {"rank=3 WORLD_SIZE=4 MASTER_PORT=29500 pid: 7 commit: 1234567", ""},
      {"device cuda:1 loss=0.5", "loss=0.5 "},
      {"sha=1234e56 x=1e+16 y=1.5e3", "x=1e+16 y=1500 "},
      {"Überwachung=0.4, 損失=0.25", "Überwachung=0.4 損失=0.25 "},
      {"R²=0.9 हानि: 3 u\u0308ber=1", "R²=0.9 हानि=3 u\u0308ber=1 "},
      {"{\"損失\": 0.25}", "損失=0.25 "},
      {"потери_на_проверочной_выборке=0.5", "потери_на_проверочной_выборке=0.5 "},
      {"→loss=0.5", "loss=0.5 "},
      {"train: 100%|██████████| 5/5 [00:01<00:00, 4.00it/s, loss=0.25]", "loss=0.25 "},
      {"train:   0%|          | 0/5 [00:00<?, ?it/s]", ""},
      {"train: 60%|######    | 3.0k/5.0k [00:01<00:00]", ""},
      {"epoch: 100%[======>] a: 40% ━━━━━ b:  3%|▎", ""},
      {"acc: 90%| loss: 1 | lr: 2", "acc=90 loss=1 lr=2 "},
      {"acc: 90% [best]", "acc=90 "},
      {"training loss: 0.9 valid_1's loss: 0.2", "training_loss=0.9 valid_1's loss=0.2 "},
      {"epoch 2 accuracy=0.15 (best accuracy: 0.99)", "accuracy=0.15 best_accuracy=0.99 "},
      {"Best val loss: 0.1", "Best_val_loss=0.1 "},
      {"best loss=0.01", "best_loss=0.01 "},
      {"max reward: 3 mean reward: 2", "max_reward=3 mean_reward=2 "},
      {"generator loss: 1 discriminator loss: 2", "generator_loss=1 discriminator_loss=2 "},
      {"mean absolute error: 1 root mean squared error: 2",
       "mean_absolute_error=1 root_mean_squared_error=2 "},
      {"Best accuracy at step 3: 0.5", "step=3 Best_accuracy=0.5 "},
      {"final acc: 0.9 the loss: 2 INFO lr: 3", "acc=0.9 loss=2 lr=3 "},
      {"best: acc=1 best step: 7", "acc=1 step=7 "},
  };
  for (const auto& [line, wanted] : kCases) CHECK_MESSAGE(told(line) == wanted, line);
}

TEST_CASE("metrics: text that only looks like a metric is not read") {
  for (const char* line : {"",
                           "plain words",
                           "12:30:45 INFO: 2026-01-01",
                           "done in time=3s",
                           "version: 1.2.3",
                           "part=1/10",
                           "loss=nan",
                           "loss=",
                           "url http://a:80/x",
                           "{\"a\":",
                           "if loss == 0.5",
                           "loss <= 0.5",
                           "loss=+",
                           "loss=+-1",
                           "loss=max(0.5, 0.6)",
                           "loss=tensor([0.5, 0.6])",
                           "loss=tensor(0.5",
                           "loss=tensor(0.5, f(",
                           "{\"loss\": \"0.5\"}",
                           "reward: 12,345",
                           "loss=0.5,1",
                           "{\"note\": \"loss: 3\"}",
                           "INFO {\"note\": \"loss: 3\"}",
                           "width=\"100\"",
                           "{'run': 'a', 'time': '3s', 'version': '1.2.3', 'open': '1",
                           "'loss: 3s'",
                           "{\"\\u001b]52\":1}",
                           "see https://wandb.ai/run?loss=7&acc=3",
                           "url=http://h/?loss=9",
                           "(http://h/a?b=c&loss=9)",
                           "GET /metrics?loss=9",
                           "INFO trainer:88",
                           "[INFO] trainer:88 - done",
                           "2026-01-01 | WARNING  | trainer:88 - done",
                           "INFO:trainer:88",
                           "train.py:88: UserWarning",
                           "loss: 1 234,5",
                           "loss: 1 234 567,8",
                           "[1,2]"})
    CHECK_MESSAGE(told(line).empty(), line);
  CHECK(told("https://h/?a=1 loss=2 <http://h/?b=3> acc=4") == "loss=2 acc=4 ");
  CHECK(told("INFO trainer:88 loss:2 INFO epoch:3 INFO loss:0.5") == "loss=2 epoch=3 loss=0.5 ");
  CHECK(told("a: 1 234 b: 1 23,5 c: 1 234, d=2") == "a=1 b=1 c=1 d=2 ");
  CHECK(told(std::string(100'000, '{') + std::string(100'000, '}')).empty());
  CHECK(told(std::string(2000, '{') + std::string(2000, '}')).empty());
}

TEST_CASE("metrics: a sparkline goes from the smallest to the largest value") {
  CHECK(sparkline(std::vector<double>{0, 7, 3.5}) == "▁█▄");
  CHECK(sparkline(std::vector<double>{2, 2}) == "▄▄");
  CHECK(sparkline({}).empty());
}

TEST_CASE("metrics: a value that is not finite is shown as a cross, and does not change the other heights") {
  CHECK(sparkline(std::vector<double>{0, NAN, 7, HUGE_VAL, -HUGE_VAL}) == "▁×█××");
  CHECK(sparkline(std::vector<double>{NAN}) == "×");
  CHECK(sparkline(std::vector<double>{-1e308, 1e308}) == "▁█");
}

TEST_CASE("metrics: the table shows the value of the greatest step, even NaN") {
  const std::pair<std::vector<const char*>, const char*> kCases[] = {
      {{"step=1 loss=0.5", "step=2 loss=nan"}, "POD  step  loss\n0    2     NaN ▄×\n"},
      {{"step=3 loss=1", "step=2 loss=3"}, "POD  step  loss\n0    3     1 █▁\n"},
      {{"loss=1", "loss=inf"}, "POD  loss\n0    Infinity ▄×\n"},
  };
  for (const auto& [lines, wanted] : kCases) {
    std::ostringstream out, err;
    const Streams streams{out, err};
    MetricsTable table(streams, false);
    const job::LogSource source{.label = "0"};
    for (const char* text : lines) {
      const job::LogLine line{&source, {}, "", text, true, true};
      table.take({&line, 1});
    }
    CHECK(table.finish());
    CHECK(out.str() == wanted);
  }
}

TEST_CASE("metrics: a progress bar's values are shown before its line has ended") {
  std::ostringstream out, err;
  const Streams streams{out, err};
  MetricsTable table(streams, false);
  const job::LogSource source{.label = "0"};
  for (const char* text : {"loss=3\r", "loss=1\r", "loss=1\r", "loss="}) {
    const job::LogLine line{&source, {}, "", text, text == std::string_view("loss=3\r"), false};
    table.take({&line, 1});
  }
  CHECK(table.finish());
  CHECK(out.str() == "POD  loss\n0    1 █▁\n");
}

TEST_CASE("metrics: pods and ranks have a row each in one table, which is written to a pipe once") {
  std::ostringstream out, err;
  const Streams streams{out, err};
  MetricsTable table(streams, false);
  const job::LogSource first{.label = "0"}, second{.label = "1"};
  for (const auto& [source, text] :
       {std::pair(&second, "loss=2 step=1"), std::pair(&first, "[default1]:loss=4"),
        std::pair(&second, "schema=1 loss=1 step=2"), std::pair(&first, "words")}) {
    const job::LogLine line{source, {}, "", text, true, true};
    table.take({&line, 1});
    table.draw();
  }
  CHECK(out.str().empty());
  CHECK(table.finish());
  CHECK(out.str() == "POD  step  loss\n0:1  -     4 ▄\n1    2     1 █▁\n");
}

}  // namespace metrics_test
