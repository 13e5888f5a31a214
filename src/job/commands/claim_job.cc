#include "job/commands/claim_job.h"

#include <algorithm>
#include <iostream>
#include <sstream>
#include <utility>

#include "job/commands/send.h"
#include "kml/base/error.h"
#include "kml/job/views/data_mark.h"
#include "kml/kube/objects/names.h"

namespace kml::cli {

namespace {

Json manifest_of(const ClaimJob& job, const std::string& namespace_name) {
  Json mount = {{"name", "claim"}, {"mountPath", job.path}};
  if (!job.sub_path.empty()) mount["subPath"] = job.sub_path;
  Json container = {{"name", "kml"},
                    {"image", job.image},
                    {"command", job.command},
                    {"resources", {{"requests", {{"cpu", "100m"}, {"memory", "64Mi"}}}}},
                    {"volumeMounts", Json::array({std::move(mount)})}};
  Json volume = {{"name", "claim"}, {"persistentVolumeClaim", {{"claimName", job.claim}}}};
  return {{"apiVersion", "batch/v1"},
          {"kind", "Job"},
          {"metadata",
           {{"generateName", job.name + "-"},
            {"namespace", namespace_name},
            {"annotations", {{job::kMaintenance, "true"}}}}},
          {"spec",
           {{"backoffLimit", 0},
            {"ttlSecondsAfterFinished", 600},
            {"template",
             {{"spec",
               {{"restartPolicy", "Never"},
                {"containers", Json::array({std::move(container)})},
                {"volumes", Json::array({std::move(volume)})}}}}}}}};
}

}  // namespace

int run_on_claim(Context& context, const ClaimJob& job,
                 const std::function<void(job::SubmitPlan&)>& complete) {
  SendOptions options;
  options.follow = true;
  const auto make_plan = [&] {
    job::SubmitRequest request;
    request.namespace_name = context.place().namespace_name;
    request.is_local = context.place().is_local;
    request.manifests.emplace().push_back(manifest_of(job, request.namespace_name));
    job::SubmitPlan plan = job::plan_submit(request, std::cin);
    if (complete) complete(plan);
    return plan;
  };
  return send(context, make_plan, options);
}

ClaimOutput output_on_claim(Context& context, const ClaimJob& job) {
  std::ostringstream log;
  const Streams& own = context.streams();
  Context quiet(context.options(),
                {.out = log, .err = own.err, .err_is_terminal = own.err_is_terminal, .width = own.width});
  const int code = run_on_claim(quiet, job);
  return {code, log.str()};
}

std::pair<std::string, std::string> claim_and_folder(const std::string& text, const std::string& flag) {
  const std::string path = text.starts_with("pvc/") ? text.substr(4) : "";
  const size_t slash = std::min(path.find('/'), path.size());
  std::string name = path.substr(0, slash);
  if (name.empty() || !api::dns_subdomain_problem(name).empty())
    throw usage_error("invalid value \"" + text + "\" for " + flag, "it must be pvc/NAME",
                      "`kml list claims` lists the claims");
  return {std::move(name), path.substr(std::min(slash + 1, path.size()))};
}

}  // namespace kml::cli
