// How soon a sweep finds good values: the program `kml-sweep-race` for tests/bench/sweep_asha.
//
//   kml-sweep-race TASK random|stop|promote SEED
//
// Runs kml's own engine with 8 simulated workers in simulated time. Prints a line whenever a better value was
// reported: the time, in full trainings of one worker, and the value. A trial reports after each of its 52
// epochs, as in LCBench. The duration of an epoch depends on the trial's parameters. Tasks are learning
// curves a + (b - a) e^-c, which differ in their final value, their speed and their noise.

#include <cmath>
#include <filesystem>
#include <iostream>
#include <map>

#include "kml/base/error.h"
#include "kml/sweep/engine/engine.h"
#include "kml/sweep/engine/sweep_state.h"
#include "support/temporary_folder.h"

using namespace kml;
using namespace kml::sweep;

namespace {

constexpr int kEpochs = 52, kWorkers = 8, kTrainings = 32;  // kTrainings full trainings for each worker

/// A standard normal number from a hash of the trial and the epoch, so it is the same whenever the trial
/// reaches that epoch.
double noise(std::uint64_t seed, std::uint64_t trial, std::uint64_t epoch) {
  std::uint64_t bits = seed * 0x9E3779B97F4A7C15U + trial * 0xBF58476D1CE4E5B9U + epoch * 0x94D049BB133111EBU;
  const auto uniform = [&] {
    bits += 0x9E3779B97F4A7C15U;
    std::uint64_t z = bits;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return (static_cast<double>((z ^ (z >> 31)) >> 11) + 0.5) * 0x1p-53;
  };
  const double radius = std::sqrt(-2 * std::log(uniform()));
  return radius * std::cos(2 * 3.14159265358979 * uniform());
}

struct Curve {
  double start, end, rate, noise;
};

struct Task {
  const char* name;
  double sharpness;  ///< how much worse parameters far from the best are
  double rate;       ///< exponent of a usual curve
  double crossing;   ///< how much slower good parameters learn
  double noise;
};
constexpr Task kTasks[] = {
    {"steady", 0.6, 0.8, 0.0, 0.002}, {"noisy", 0.6, 0.8, 0.0, 0.02},  {"crossing", 0.6, 0.8, 0.5, 0.002},
    {"slow", 0.6, 0.4, 0.2, 0.005},   {"flat", 0.15, 0.8, 0.2, 0.005},
};

/// The curve of an error rate over five parameters in [0, 1], two of which matter much.
Curve curve_of(const Task& task, const Json& values) {
  constexpr double kBest[] = {0.37, 0.62, 0.21, 0.74, 0.5}, kWeight[] = {1, 0.6, 0.15, 0.1, 0.05};
  double distance = 0;
  for (int i = 0; i < 5; ++i) {
    const double off = values.at("x" + std::to_string(i)).get<double>() - kBest[i];
    distance += kWeight[i] * off * off;
  }
  const double worse = 1 - std::exp(-4 * distance);
  return {.start = 0.9,
          .end = 0.05 + task.sharpness * worse,
          .rate = task.rate * (1 - task.crossing * (1 - worse)),
          .noise = task.noise};
}

/// The workers, and a clock that advances with their work.
class Workers final : public Runner, public Clock {
 public:
  Workers(const Task& task, std::uint64_t seed) : task_(task), seed_(seed) {}

  Time now() const override { return now_; }
  double trainings() const { return in_epochs(now_) / kEpochs; }

  void start(const std::vector<TrialJob>& jobs) override {
    for (const TrialJob& job : jobs) {
      jobs_[job.name] = {job, now_ + epoch_of(job)};
      reports_.push_back({.kind = TrialReport::Kind::running, .job = job.name, .time = now_});
    }
  }
  void stop(const std::string& name) override {
    jobs_.erase(name);
    reports_.push_back({.kind = TrialReport::Kind::ended, .job = name, .time = now_, .cause = "stopped"});
  }
  std::vector<TrialReport> wait(std::chrono::milliseconds limit) override {
    if (!reports_.empty()) return std::exchange(reports_, {});
    const auto next = std::min_element(jobs_.begin(), jobs_.end(), [](const auto& a, const auto& b) {
      return a.second.next < b.second.next;
    });
    if (next == jobs_.end()) {
      now_ += limit;
      return {};
    }
    report_epoch(std::string(next->first));  // a copy, because the job may be removed with its name
    return std::exchange(reports_, {});
  }

 private:
  struct Running {
    TrialJob job;
    Time next;  ///< end of the current epoch
  };

  static double in_epochs(Time time) { return std::chrono::duration<double>(time - Time()).count() / 3600; }
  /// One hour, times a factor from 1/2 to 2.
  static nanoseconds epoch_of(const TrialJob& job) {
    const double hours = std::exp2(2 * job.values.at("x4").get<double>() - 1);
    return std::chrono::nanoseconds(static_cast<long long>(hours * 3600e9));
  }
  void report_epoch(const std::string& name) {
    Running& running = jobs_.at(name);
    now_ = running.next;
    const std::uint64_t trial = running.job.trial;
    const int epoch = ++epochs_[trial];  // the epoch at which the trial's checkpoint ends
    const Curve curve = curve_of(task_, running.job.values);
    const double value = curve.end + (curve.start - curve.end) * std::pow(epoch, -curve.rate) +
                         curve.noise * noise(seed_, trial, static_cast<std::uint64_t>(epoch));
    reports_.push_back({.kind = TrialReport::Kind::metric,
                        .job = name,
                        .time = now_,
                        .metric = "error",
                        .value = value,
                        .step = static_cast<double>(epoch)});
    if (value < best_) std::cout << trainings() << " " << (best_ = value) << "\n";
    if (epoch >= running.job.until.value_or(kEpochs)) {
      jobs_.erase(name);
      reports_.push_back(
          {.kind = TrialReport::Kind::ended, .job = name, .time = now_, .succeeded = true, .node = "node1"});
    } else {
      running.next = now_ + epoch_of(running.job);
    }
  }

  const Task& task_;
  const std::uint64_t seed_;
  Time now_ = {};
  double best_ = INFINITY;
  std::map<std::string, Running> jobs_;
  std::map<std::uint64_t, int> epochs_;
  std::vector<TrialReport> reports_;
};

Json document(const std::string& mode, std::uint64_t seed) {
  Json parameters = Json::array();
  for (int i = 0; i < 5; ++i)
    parameters.push_back({{"name", "x" + std::to_string(i)},
                          {"parameterType", "double"},
                          {"feasibleSpace", {{"min", 0}, {"max", 1}}}});
  Json spec = {{"objective", {{"type", "minimize"}, {"objectiveMetricName", "error"}}},
               {"algorithm", {{"algorithmName", "random"}}},
               {"seed", seed},
               {"maxTrialCount", 100'000},
               {"parallelTrialCount", kWorkers},
               {"parameters", parameters},
               {"trialTemplate", {{"trialSpec", {{"kind", "Job"}, {"args", "{args}"}}}}}};
  if (mode != "random") {
    spec["fidelity"] = {{"metric", "step"}, {"max", kEpochs}};
    spec["earlyStopping"] = {{"algorithmName", "asha"}, {"mode", mode}};
    spec["checkpointDir"] = "/checkpoints";
  }
  return {{"apiVersion", "kml.dev/v1"}, {"kind", "Sweep"}, {"metadata", {{"name", "race"}}}, {"spec", spec}};
}

void race(const Task& task, const std::string& mode, std::uint64_t seed) {
  const TemporaryFolder folder;
  Journal journal(folder.path(), "race");
  journal.add({Time(), sweep::record::Sweep{"race", document(mode, seed), {}}});
  journal.commit();
  Workers workers(task, seed);
  Engine engine(journal, workers, workers, {.stop_wish = [&] {
                  return workers.trainings() >= kTrainings ? StopWish::now : StopWish::none;
                }});
  engine.run("race");
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  try {
    for (const Task& task : kTasks)
      if (words.size() == 3 && words[0] == task.name) return race(task, words[1], std::stoull(words[2])), 0;
    std::cerr << "usage: kml-sweep-race TASK random|stop|promote SEED, where TASK is one of:";
    for (const Task& task : kTasks) std::cerr << " " << task.name;
    std::cerr << "\n";
    return 2;
  } catch (const Error& error) {
    std::cerr << describe(error);
    return 1;
  }
}
