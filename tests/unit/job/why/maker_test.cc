#include <doctest/doctest.h>

#include "job/why/causes.h"
#include "job/why/objects.h"
#include "kml/kube/objects/labels.h"

namespace maker_test {

using namespace kml;

namespace {

/// The remedies that `kml why` gives for this job. They are for causes that can end any job.
std::vector<std::string> remedies(const Json& job) {
  job::Cause cause;
  cause.remedies = {{"submit it again with more time", "kml submit --time-limit TIME …"},
                    {"submit it again", "kml rerun bert"},
                    {"read its log", "kml logs bert --container main"},
                    {"create the secret", "echo '{}' | kml submit -f -"}};
  job::name_maker(job, cause);
  std::vector<std::string> texts;
  for (const job::Remedy& remedy : cause.remedies) texts.push_back(remedy.what + ": " + remedy.command);
  return texts;
}

Json with_labels(std::initializer_list<std::pair<std::string_view, std::string>> labels) {
  Json job = test::make_job();
  for (const auto& [key, value] : labels) job["metadata"]["labels"][std::string(key)] = value;
  return job;
}

using Texts = std::vector<std::string>;

constexpr const char* kCreate = "create the secret: echo '{}' | kml submit -f -";

}  // namespace

TEST_CASE("remedies: a job's remedies name the command that created the job") {
  CHECK(remedies(test::make_job()) == Texts{"submit it again with more time: kml submit --time-limit TIME …",
                                            "submit it again: kml rerun bert",
                                            "read its log: kml logs bert --container main", kCreate});
  Json session = test::make_job();
  session["spec"]["template"]["spec"]["containers"][0]["command"] = {"sh", "-c", "…", "kml-dev", "3600"};
  CHECK(remedies(session) == Texts{"start it again with more time: kml dev bert --max TIME …",
                                   "start it again: kml dev bert",
                                   "read its log: kml logs bert --container main", kCreate});
  CHECK(remedies(with_labels({{api::kSweep, "lr"}, {api::kTrial, "3"}})) ==
        Texts{"run the sweep again with more time: kml sweep run lr --time-limit TIME …",
              "run the sweep again: kml sweep resume lr", "read its log: kml logs bert --container main",
              kCreate});
  CHECK(remedies(with_labels({{api::kRun, "daily"}, {api::kStep, "train"}})) ==
        Texts{"run the pipeline again with more time (timeout of step train in the pipeline's file): kml "
              "run FILE",
              "run the pipeline again: kml run resume daily", "read its log: kml logs bert --container main",
              kCreate});
  CHECK(remedies(with_labels({{api::kServe, "iris"}})) ==
        Texts{"serve it again with more time: kml serve iris --time-limit TIME …",
              "serve it again: kml serve iris …", "read its log: kml serve logs iris", kCreate});
}

}  // namespace maker_test
