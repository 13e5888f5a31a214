#include "pipeline/engine/engine.h"

#include <doctest/doctest.h>

#include <optional>
#include <set>

#include "pipeline/scripted_steps.h"

namespace kml::pipeline::engine_test {

namespace fs = std::filesystem;

const char* const kChain = R"(  params: {trees: {type: int, default: 100}}
  steps:
    load: {command: [load, "${out.data}"], outputs: {data: dataset}}
    train:
      inputs: {data: load.data}
      command: [train, "${in.data}", "${out.model}", "${params.trees}"]
      outputs: {model: model, accuracy: {metric: accuracy}}
    deploy: {when: train.accuracy >= 0.9, inputs: {model: train.model}, command: [deploy, "${in.model}"]}
)";

TEST_CASE("pipeline: steps run in the order of their inputs, and pass on paths and values") {
  TestedPipeline tested(kChain);
  std::vector<std::string> read;
  tested.server.script = [&](const StepJob& job) {
    for (const auto& [name, value] : job.scope.at("in").items())
      read.push_back(read_file(value.get<std::string>()));
    return ScriptedSteps::success(job);
  };
  const RunState run = tested.run("r");
  CHECK(run.end() == Outcome::succeeded);
  CHECK(tested.server.made == std::vector<std::string>{"r-load", "r-train", "r-deploy"});
  CHECK(read == std::vector<std::string>{"data of load", "model of train"});
  CHECK(run.step("train").outputs["accuracy"]["value"] == 0.95);
}

TEST_CASE("pipeline: the names of steps' jobs leave room for what sweeps and operators append") {
  TestedPipeline tested(R"(  steps:
    tune-with-a-long-name: {template: pytorchjob, sweep: {param: {x: "1,2"}, maximize: v}, command: [t, "{args}"]}
    train-with-a-long-name: {template: pytorchjob, command: [t]}
    short: {command: [t]}
)");
  tested.run("1" + std::string(45, 'a'));
  const size_t limits[] = {63 - std::string("-t00042-r1-a10-worker-999").size(),
                           63 - std::string("-r10-worker-999").size(), 63};
  std::set<std::string> names;
  for (const std::string& name : tested.server.made) {
    CAPTURE(name);
    CHECK(name.size() <= limits[names.size()]);
    CHECK(name.starts_with(names.size() < 2 ? "run-1aaa" : "1aaa"));
    names.insert(name);
  }
  CHECK(names.size() == 3);
}

TEST_CASE("pipeline: steps whose inputs are unchanged do not run again") {
  TestedPipeline tested(kChain);
  tested.run("r1");
  const RunState again = tested.run("r2");
  CHECK(again.end() == Outcome::succeeded);
  CHECK(phases(again) == std::map<std::string, Phase>{
                             {"load", Phase::cached}, {"train", Phase::cached}, {"deploy", Phase::cached}});
  CHECK(again.step("train").from == "r1");
  CHECK(tested.server.made.size() == 3);
}

TEST_CASE(
    "pipeline: if an input no longer exists when a step needs it, the input is made again once, and the step "
    "then runs") {
  TestedPipeline tested(kChain);
  tested.run("r1");
  tested.params = {{"trees", 200}};
  int losses = 1;
  tested.server.script = [&](const StepJob& job) {
    if (job.step->name != "train" || losses-- <= 0) return ScriptedSteps::success(job);
    auto reports = ScriptedSteps::failure(job, "input data is gone");
    reports.back().lost_input = "data";
    return reports;
  };
  SUBCASE("the input is restored") {
    const RunState run = tested.run("r2");
    CHECK(run.end() == Outcome::succeeded);
    CHECK(run.step("load").phase == Phase::done);
    CHECK(tested.server.made ==
          std::vector<std::string>{"r1-load", "r1-train", "r1-deploy", "r2-train", "r2-load", "r2-train-r1"});
  }
  SUBCASE("the input disappears again") {
    losses = 2;
    const RunState run = tested.run("r2");
    CHECK(run.end() == Outcome::failed);
    CHECK(run.step("train").cause == "input data is gone");
    CHECK(tested.server.made.size() == 6);
  }
}

TEST_CASE(
    "pipeline: a step waits for a result that another run is making, and makes the result if that run ends "
    "without it") {
  const char* const steps = R"(  steps:
    load: {command: [load, "${out.data}"], outputs: {data: dataset}}
    other: {command: [other, "${out.data}"], outputs: {data: dataset}}
)";
  TestedPipeline tested(steps), first(steps);
  std::map<std::string, std::string> keys;
  first.on_round = [&](const Engine& engine) { keys["load"] = engine.state().step("load").key; };
  first.run("r0");
  std::optional<KeyClaim> claim(claim_key(tested.store.folder(), keys["load"], "r1"));
  REQUIRE(*claim);
  int rounds = 0;
  std::string cause;
  bool is_made = false;
  tested.on_round = [&](const Engine& engine) {
    if (++rounds < 4) cause = engine.state().step("load").cause;
    if (rounds != 4) return;
    CHECK(engine.state().step("other").phase == Phase::done);
    if (is_made) {
      const fs::path path = tested.store.output_path("r1", "load", 0, "data");
      tested.store.prepare(path);
      write_file_atomically(path, "data of r1", 0644);
      const Tree tree = tested.store.keep(path);
      tested.store.keep_result(keys["load"],
                               {{"run", "r1"},
                                {"time", rfc3339(system_clock().now())},
                                {"outputs", {{"data", {{"path", path}, {"digest", tree.digest}}}}}});
    }
    claim.reset();
  };
  SUBCASE("the other run makes the result") {
    is_made = true;
    const RunState run = tested.run("r2");
    CHECK(run.end() == Outcome::succeeded);
    CHECK(run.step("load").phase == Phase::cached);
    CHECK(run.step("load").from == "r1");
    CHECK(tested.server.made == std::vector<std::string>{"r2-other"});
  }
  SUBCASE("the other run is killed") {
    const RunState run = tested.run("r2");
    CHECK(run.end() == Outcome::succeeded);
    CHECK(tested.server.made == std::vector<std::string>{"r2-other", "r2-load"});
  }
  SUBCASE("a step that must be rerun does not wait") {
    tested.renewal.all = true;
    tested.run("r2");
    CHECK(tested.server.made.size() == 2);
    CHECK(rounds < 4);
    return;
  }
  SUBCASE("the run can be stopped meanwhile") {
    tested.on_round = [&](const Engine&) { tested.is_stop_wished = ++rounds > 3; };
    CHECK(tested.run("r2").end() == Outcome::stopped);
    return;
  }
  CHECK(cause == "waits for run r1, which is making the same result");
  CHECK(claimer_of(tested.store.folder(), keys["load"]).empty());
}

TEST_CASE("pipeline: if two steps have the same key, only one of them runs") {
  TestedPipeline tested(R"(  steps:
    a: {command: [load, "${out.data}"], outputs: {data: dataset}}
    b: {command: [load, "${out.data}"], outputs: {data: dataset}}
)");
  const RunState run = tested.run("r");
  CHECK(run.end() == Outcome::succeeded);
  CHECK(run.step("b").phase == Phase::cached);
  CHECK(tested.server.made == std::vector<std::string>{"r-a"});
}

TEST_CASE("pipeline: if a step makes the same outputs as before, later steps do not run") {
  TestedPipeline tested(kChain);
  tested.run("r1");
  tested.params = {{"trees", 200}};
  const RunState again = tested.run("r2");
  CHECK(phases(again) == std::map<std::string, Phase>{
                             {"load", Phase::cached}, {"train", Phase::done}, {"deploy", Phase::cached}});
  CHECK(again.step("train").parts["param trees"] == "200");
}

TEST_CASE("pipeline: a result whose file was changed or removed is made again") {
  TestedPipeline tested(kChain);
  const RunState first = tested.run("r1");
  const std::filesystem::path data = first.step("load").outputs["data"]["path"].get<std::string>();
  SUBCASE("changed") {
    std::filesystem::permissions(data, std::filesystem::perms::owner_write,
                                 std::filesystem::perm_options::add);
    write_file_atomically(data, "other text!!", 0644);
  }
  SUBCASE("removed") {
    std::filesystem::permissions(data.parent_path(), std::filesystem::perms::owner_all,
                                 std::filesystem::perm_options::add);
    std::filesystem::remove(data);
  }
  const RunState again = tested.run("r2");
  CHECK(again.step("load").phase == Phase::done);
  CHECK(again.step("train").phase == Phase::cached);
}

TEST_CASE("pipeline: a run that is killed again and again, and then continued, creates each job once") {
  TestedPipeline tested(kChain);
  int engines = 0;
  for (int waits = 0;; ++waits, ++engines) {
    tested.server.waits_left = waits % 2;
    if (tested.run("r").end()) break;
    REQUIRE(engines < 100);
  }
  CHECK(engines > 3);
  CHECK(tested.server.made == std::vector<std::string>{"r-load", "r-train", "r-deploy"});
}

TEST_CASE("pipeline: a false condition skips the step and the steps that need its outputs") {
  TestedPipeline tested(R"(  steps:
    a: {command: [a], outputs: {n: {metric: n}}}
    b: {when: a.n > 1, command: [b, "${out.x}"], outputs: {x: file}}
    c: {inputs: {x: b.x}, command: [c, "${in.x}"]}
    d: {inputs: {x: {oneOf: [b.x, e.y]}}, command: [d, "${in.x}"]}
    e: {command: [e, "${out.y}"], outputs: {y: file}}
    f: {after: [b], command: [f]}
)");
  const RunState run = tested.run("r");
  CHECK(run.end() == Outcome::succeeded);
  CHECK(run.step("b").cause == "a.n > 1 does not hold");
  CHECK(run.step("c").cause == "input x: b was skipped");
  CHECK(run.step("d").phase == Phase::done);
  CHECK(run.step("f").phase == Phase::done);
}

TEST_CASE("pipeline: a failed step is retried as often as its settings say, then the run fails") {
  TestedPipeline tested(R"(  steps:
    a: {command: [a], retries: 2}
    b: {after: [a], command: [b]}
)");
  tested.server.script = [](const StepJob& job) { return ScriptedSteps::failure(job, "exit code 1"); };
  const RunState run = tested.run("r");
  CHECK(run.end() == Outcome::failed);
  CHECK(tested.server.made == std::vector<std::string>{"r-a", "r-a-r1", "r-a-r2"});
  CHECK(run.step("a").cause == "exit code 1");
  CHECK(run.step("b").phase == Phase::waiting);
}

TEST_CASE("pipeline: a pod that the cluster removed uses up no retry") {
  TestedPipeline tested("  steps: {a: {command: [a]}}\n");
  tested.server.script = [](const StepJob& job) {
    auto reports =
        job.name == "r-a-r3" ? ScriptedSteps::success(job) : ScriptedSteps::failure(job, "preempted");
    reports.back().is_disrupted = !reports.back().succeeded;
    return reports;
  };
  CHECK(tested.run("r").end() == Outcome::succeeded);
  CHECK(tested.server.made.size() == 4);
}

TEST_CASE("pipeline: with onFailure: continue, the run continues without the outputs of the failed step") {
  TestedPipeline tested(R"(  steps:
    a: {command: [a, "${out.x}"], outputs: {x: file}, onFailure: continue}
    b: {inputs: {x: a.x}, command: [b, "${in.x}"]}
    c: {after: [a], command: [c]}
)");
  tested.server.script = [](const StepJob& job) {
    return job.step->name == "a" ? ScriptedSteps::failure(job, "exit code 1") : ScriptedSteps::success(job);
  };
  const RunState run = tested.run("r");
  CHECK(run.end() == Outcome::succeeded);
  CHECK(run.step("b").cause == "input x: a failed");
  CHECK(run.step("c").phase == Phase::done);
}

TEST_CASE("pipeline: a step that does not make a declared output has failed, and its result is not kept") {
  TestedPipeline tested(R"(  steps:
    a: {command: [a, "${out.x}"], outputs: {x: file}}
)");
  tested.server.script = [](const StepJob& job) {
    auto reports = ScriptedSteps::failure(job, "");
    reports.back().succeeded = true;
    return reports;
  };
  const RunState run = tested.run("r1");
  CHECK(run.end() == Outcome::failed);
  CHECK(run.step("a").cause.find("r1/a/0/x") != std::string::npos);
  tested.server.script = ScriptedSteps::success;
  CHECK(tested.run("r2").step("a").phase == Phase::done);
}

TEST_CASE("pipeline: a stopped run stops its running steps, and a resumed one runs them again") {
  TestedPipeline tested("  steps: {a: {command: [a]}, b: {after: [a], command: [b]}}\n");
  tested.is_stop_wished = true;
  tested.server.script = [](const StepJob& job) {
    return std::vector{ScriptedSteps::report(job, engine::JobReport::Kind::running)};
  };
  const RunState stopped = tested.run("r");
  CHECK(stopped.end() == Outcome::stopped);
  CHECK(tested.server.stopped == std::vector<std::string>{"r-a"});
  CHECK(stopped.step("a").phase == Phase::cancelled);
  tested.is_stop_wished = false;
  tested.server.script = ScriptedSteps::success;
  tested.add(record::Resumed{});
  CHECK(tested.run("r").end() == Outcome::succeeded);
  CHECK(tested.server.made == std::vector<std::string>{"r-a", "r-a-r1", "r-b"});
}

TEST_CASE("pipeline: after another step has failed, a step still gets all of its retries") {
  TestedPipeline tested(
      "  steps: {a: {command: [a]}, b: {command: [b], retries: 2}, c: {after: [b], command: [c]}}\n");
  tested.server.script = [](const StepJob& job) { return ScriptedSteps::failure(job, "exit code 1"); };
  const RunState run = tested.run("r");
  CHECK(run.end() == Outcome::failed);
  CHECK(tested.server.made == std::vector<std::string>{"r-a", "r-b", "r-b-r1", "r-b-r2"});
  CHECK(run.step("b").phase == Phase::failed);
}

TEST_CASE("pipeline: a step that changes its inputs has failed, and the cause says so") {
  TestedPipeline tested(R"(  steps:
    a: {command: [a, "${out.x}"], outputs: {x: file}}
    b: {inputs: {x: a.x}, command: [b, "${in.x}", "${out.y}"], outputs: {y: file}}
)");
  tested.server.script = [](const StepJob& job) {
    if (job.step->name == "b") {
      const std::filesystem::path read = job.scope.at("in")["x"].get<std::string>();
      std::filesystem::permissions(read.parent_path(), std::filesystem::perms::owner_all,
                                   std::filesystem::perm_options::add);
      write_file_atomically(read, "changed", 0644);
    }
    return ScriptedSteps::success(job);
  };
  const RunState run = tested.run("r");
  CHECK(run.end() == Outcome::failed);
  const std::string cause = run.step("b").cause;
  CHECK(cause.starts_with("its input x changed while the step ran: the step or another program wrote to /"));
}

TEST_CASE("pipeline: if one step changes a file that another step reads, the reader is not blamed") {
  TestedPipeline tested(R"(  steps:
    a: {command: [a, "${out.x}"], outputs: {x: file}}
    b: {inputs: {x: a.x}, command: [b, "${in.x}"], onFailure: continue}
    c: {inputs: {x: a.x}, after: [b], command: [c, "${in.x}"]}
)");
  bool removes = false;
  tested.server.script = [&](const StepJob& job) {
    if (job.step->name == "b") {
      const std::filesystem::path read = job.scope.at("in")["x"].get<std::string>();
      std::filesystem::permissions(read.parent_path(), std::filesystem::perms::owner_all,
                                   std::filesystem::perm_options::add);
      std::filesystem::remove(read);
      if (!removes) write_file_atomically(read, "changed", 0644);
    }
    return ScriptedSteps::success(job);
  };
  const RunState run = tested.run("r");
  CHECK(
      run.step("c").cause.starts_with("its input x changed since a made it: another step or program wrote"));
  CHECK(tested.server.made == std::vector<std::string>{"r-a", "r-b"});
  removes = true;
  CHECK(tested.run("s").step("c").cause.starts_with("its input x has disappeared since a made it: "));
}

TEST_CASE("pipeline: an input file that no step makes is compared by its content") {
  TestedPipeline tested("  steps: {a: {inputs: {x: {path: data}}, command: [a, \"${in.x}\"]}}\n");
  const std::filesystem::path data = tested.folder.path() / "data";
  write_file_atomically(data, "one");
  CHECK(tested.run("r1").step("a").phase == Phase::done);
  CHECK(tested.run("r2").step("a").phase == Phase::cached);
  write_file_atomically(data, "two");
  CHECK(tested.run("r3").step("a").phase == Phase::done);
  std::filesystem::remove(data);
  CHECK(tested.run("r4").step("a").cause.find("data") != std::string::npos);
}

TEST_CASE("pipeline: an input that is a link is compared by the content of its target") {
  TestedPipeline tested("  steps: {a: {inputs: {x: {path: data}}, command: [a, \"${in.x}\"]}}\n");
  const std::filesystem::path folder = tested.folder.path(), target = folder / "elsewhere" / "data-1";
  std::filesystem::create_directories(target);
  write_file_atomically(target / "file", "one");
  std::filesystem::create_symlink(folder / "elsewhere", folder / "first");
  std::filesystem::create_symlink("first/data-1", folder / "data");
  CHECK(tested.run("r1").step("a").phase == Phase::done);
  CHECK(tested.run("r2").step("a").phase == Phase::cached);
  write_file_atomically(target / "file", "two");
  CHECK(tested.run("r3").step("a").phase == Phase::done);
}

TEST_CASE("pipeline: --refresh runs a step again, and --no-cache runs all of them") {
  TestedPipeline tested(kChain);
  tested.run("r1");
  tested.renewal.steps = {"load"};
  CHECK(tested.run("r2").step("load").phase == Phase::done);
  CHECK(tested.server.made.size() == 4);
  tested.renewal = {.all = true, .steps = {}};
  tested.run("r3");
  CHECK(tested.server.made.size() == 7);
}

}  // namespace kml::pipeline::engine_test
