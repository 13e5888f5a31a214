#include <doctest/doctest.h>

#include "job/why/objects.h"
#include "kml/job/why/why.h"

namespace missing_program_test {

using namespace kml;
using namespace kml::test;

namespace {

Json ended(Json pod, int code, const std::string& reason, const std::string& message) {
  pod = on_node(pod, "node1", "Failed");
  pod["status"]["containerStatuses"] = Json::array(
      {{{"name", "main"},
        {"state", {{"terminated", {{"exitCode", code}, {"reason", reason}, {"message", message}}}}}}});
  return pod;
}

/// The cause of a job whose only pod ended like this.
job::Cause cause_of(const Json& pod) {
  Json bert = with_condition(make_job("bert"), "Failed", "BackoffLimitExceeded");
  bert["spec"]["backoffLimit"] = 0;
  return Known(bert, {pod}).cause();
}

}  // namespace

TEST_CASE("why: an image without sh is reported with the flag of kml that needs sh") {
  const Json own = {"sh", "-c", "echo"},
             with_packages = {"sh", "-c",   "...", "kml-packages", "python3", "/kml/environments",
                              "i",  "train"};
  const std::string for_packages = "the image has no sh, which --uv, --requirements and --conda need",
                    for_code = "the image has no sh, which --code needs";
  const std::string by_runc = "exec: \"sh\": executable file not found in $PATH: unknown",
                    by_crun = "executable file `sh` not found in $PATH: No such file or directory",
                    of_other = "exec: \"train\": executable file not found in $PATH";
  struct Case {
    const Json& command;
    bool has_code;
    const std::string &message, &brief;
  };
  for (const Case& one :
       {Case{with_packages, false, by_runc, for_packages}, Case{with_packages, true, by_runc, for_code},
        Case{own, true, by_crun, for_code}, Case{with_packages, false, by_crun, for_packages},
        Case{own, false, by_runc, by_runc}, Case{with_packages, false, of_other, of_other}}) {
    Json pod = make_pod(make_job("bert"));
    pod["spec"]["containers"] = Json::array({{{"name", "main"}, {"image", "i"}, {"command", one.command}}});
    if (one.has_code) pod["spec"]["initContainers"] = Json::array({{{"name", "kml-code"}, {"image", "i"}}});
    CAPTURE(one.message);
    for (const job::Cause& cause :
         {cause_of(ended(pod, 128, "StartError", one.message)),
          Known(make_job("bert"), {waiting(pod, "RunContainerError", one.message)}).cause()}) {
      CHECK(cause.brief.ends_with(one.brief));
      CHECK(cause.code == job::CauseCode::command_cannot_run);
    }
  }
}

TEST_CASE("why: an image without a program that kml needs is reported with an image that has it") {
  const auto remedies = [](const char* message) {
    const job::Cause cause = cause_of(ended(make_pod(make_job("bert")), 125, "Error", message));
    CHECK(cause.summary.find(message) != std::string::npos);
    std::string text;
    for (const job::Remedy& remedy : cause.remedies) text += remedy.what + "\n";
    return text;
  };
  CHECK(remedies("the image has no python3, which --uv, --requirements and --conda need")
            .find("python:3-slim") != std::string::npos);
  CHECK(remedies("the image has no tar, which --code needs").find("gzip and tar") != std::string::npos);
  CHECK(remedies("the image has no soul").find("again with an image") == std::string::npos);
}

}  // namespace missing_program_test
