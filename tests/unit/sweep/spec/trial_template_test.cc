#include "sweep/spec/trial_template.h"

#include "sweep/spec/sweep_documents.h"

namespace kml::sweep::sweep_spec_test {

TEST_CASE("trial template: words that resemble a placeholder are reported") {
  SweepSpec spec;
  spec.parameters = {{.name = "batch", .high = 1}, {.name = "rate", .high = 1}};
  spec.trial = {
      {"command", {"--b={bathc} {rate}", "{arg} ${bathc} {bathc} {\"rat\": 1} {print $1} {other}"}}};
  CHECK(holes_nearly_met(spec) ==
        std::vector<std::string>{
            "{arg} is not a parameter, so it is left unchanged; did you mean \"args\"?",
            "{bathc} is not a parameter, so it is left unchanged; did you mean \"batch\"?"});
  spec.trial = {{"command", {"sh", "-c", "rate=5; echo ${rate} {rate} ${other}"}}};
  CHECK(holes_nearly_met(spec) ==
        std::vector<std::string>{"${rate} is left to the shell; for the sweep's value, write {rate}"});
}

TEST_CASE("trial template: fills its placeholders and changes nothing else") {
  SweepSpec spec;
  spec.parameters = {{.name = "lr", .high = 1},
                     {.name = "name", .kind = Kind::categorical, .choices = {"it's", "b"}}};
  spec.trial = {
      {"command", {"python", "train.py", "{args}", "--out=/out/{trial}", "awk '{print $1}'", "{\"a\": 1}"}},
      {"shell", "python train.py {args} && echo {lr} {lrs}"},
      {"spec", {{"replicas", "{lr}"}, {"env", {{{"name", "LR"}, {"value", "{lr}"}}}}}}};
  TrialJob job;
  job.trial = 7;
  job.values = {{"lr", 0.5}, {"name", "it's"}};
  const Json manifest = TrialTemplate(spec).manifest(job);
  CHECK(manifest["command"] == Json({"python", "train.py", "--lr=0.5", "--name=it's", "--out=/out/7",
                                     "awk '{print $1}'", "{\"a\": 1}"}));
  CHECK(manifest["shell"] == "python train.py --lr=0.5 '--name=it'\\''s' && echo 0.5 {lrs}");
  CHECK(manifest["spec"]["replicas"] == 0.5);
  CHECK(manifest["spec"]["env"][0]["value"] == "0.5");
}

TEST_CASE("trial template: a shell variable is left to the shell, whatever its name") {
  SweepSpec spec;
  spec.parameters = {{.name = "lr", .high = 1}};
  spec.trial = {{"command", {"sh", "-c", "lr=5; echo ${lr} $lr ${args} {lr}", "{args}"}}};
  const Json words = TrialTemplate(spec).manifest({.name = "", .values = {{"lr", 0.5}}})["command"];
  CHECK(words == Json({"sh", "-c", "lr=5; echo ${lr} $lr ${args} 0.5", "--lr=0.5"}));
}

TEST_CASE("trial template: Katib's references to the trial itself are filled in") {
  SweepSpec spec;
  spec.parameters = {{.name = "lr", .high = 1}};
  const auto filled = [&](const std::string& reference) {
    spec.trial_parameters = {{"of", reference}, {"rate", "lr"}};
    spec.trial = {
        {"apiVersion", "batch/v1"},
        {"kind", "Job"},
        {"metadata", {{"namespace", "team"}, {"labels", {{"a/b", "c"}}}, {"annotations", {{"d", "e"}}}}},
        {"command", {"--rate=${trialParameters.rate}", "--out=/out/${trialParameters.of}"}}};
    TrialJob job;
    job.name = "s-t00007-r0-a0";
    job.values = {{"lr", 0.5}};
    const Json command = TrialTemplate(spec).manifest(job)["command"];
    CHECK(command[0] == "--rate=0.5");
    return command[1].get<std::string>();
  };
  CHECK(filled("${trialSpec.Name}") == "--out=/out/s-t00007-r0-a0");
  CHECK(filled("${trialSpec.Namespace}") == "--out=/out/team");
  CHECK(filled("${trialSpec.Kind}") == "--out=/out/Job");
  CHECK(filled("${trialSpec.APIVersion}") == "--out=/out/batch/v1");
  CHECK(filled("${trialSpec.Labels[a/b]}") == "--out=/out/c");
  CHECK(filled("${trialSpec.Annotations[d]}") == "--out=/out/e");
}

TEST_CASE("sweep spec: a reference to something that the trial does not have is rejected") {
  Json document = sweep_of(kExperiment);
  Json& references = document["spec"]["trialTemplate"]["trialParameters"];
  references.push_back({{"name", "of"}, {"reference", "${trialSpec.Name}"}});
  CHECK(paths_of(document).empty());
  for (const char* unknown : {"${trialSpec.Uid}", "${trialSpec.Labels[none]}", "nothing"}) {
    references.back()["reference"] = unknown;
    CAPTURE(unknown);
    CHECK(paths_of(document) == std::vector<std::string>{"spec.trialTemplate.trialParameters"});
  }
}

TEST_CASE("trial template: a parameter that is used nowhere is a mistake") {
  SweepSpec spec;
  spec.parameters = {{.name = "lr", .high = 1}, {.name = "wd", .high = 1}};
  spec.trial = {{"command", {"python", "--lr={lr}"}}};
  try {
    TrialTemplate wrong(spec);
    FAIL("it was taken");
  } catch (const Error& error) {
    REQUIRE(error.problems.size() == 1);
    CHECK(error.problems[0].path == "wd");
  }
}

TEST_CASE("trial template: a promoted trial gets the step up to which it runs") {
  SweepSpec spec;
  spec.parameters = {{.name = "lr", .high = 1}};
  spec.stopping = {.rule = StopRule::asha, .resource = "epoch", .max = 27, .promote = true};
  TrialJob job;
  job.until = 3;
  const auto last_word = [&](const char* word) {
    spec.trial = {{"command", {"python", "{args}", word}}};
    return TrialTemplate(spec).manifest(job)["command"].back().get<std::string>();
  };
  CHECK(last_word("--n={until}") == "--n=3");
  CHECK(last_word("--n={epoch}") == "--n=3");
  CHECK_THROWS_AS(last_word("--n=27"), Error);
  CHECK_THROWS_AS(last_word("--n={epochs}"), Error);
  spec.parameters.push_back({.name = "epoch", .high = 1});  // the parameter takes precedence
  CHECK_THROWS_AS(last_word("--n={epoch}"), Error);
  spec.parameters.pop_back();
  spec.trial_parameters = {{"budget", "epoch"}};  // Katib's hyperband
  CHECK(last_word("--n=${trialParameters.budget}") == "--n=3");
  spec.stopping.promote = false;
  spec.trial = {{"command", {"python", "{args}"}}};
  CHECK_NOTHROW(TrialTemplate{spec});
}

}  // namespace kml::sweep::sweep_spec_test
