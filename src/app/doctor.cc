#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <ostream>

#include "cli/commands.h"
#include "cli/context.h"
#include "cli/output_format.h"
#include "kml/base/files.h"
#include "kml/base/process.h"
#include "kml/base/program_path.h"
#include "kml/base/shared_library.h"
#include "kml/kube/objects/access_review.h"
#include "kml/ui/objects.h"
#include "kml/ui/table.h"

namespace kml::cli {

namespace {

enum class Verdict { right, warning, wrong };

struct Finding {
  std::string what;
  Verdict verdict;
  std::string detail;
};

/// Runs a check that throws an Error if something is wrong, and returns its result.
Finding checked(std::string what, const std::function<std::string()>& check) {
  try {
    const std::string detail = check();
    return {std::move(what), Verdict::right, detail};
  } catch (const Error& error) {
    return {std::move(what), Verdict::wrong,
            message_and_why(error) + (error.fix.empty() ? "" : " (" + error.fix + ")")};
  }
}

Finding check_library(const char* file, const char* package) {
  return checked(file, [&] {
    SharedLibrary library(file, package);
    return std::string(kIsStatic ? "built into this kml" : "loads");
  });
}

Finding check_kubeconfig(Context& context) {
  return checked("kubeconfig", [&]() -> std::string {
    std::string text;
    for (const auto& file : kube::kubeconfig_files({context.options().kubeconfig, "", ""})) {
      struct stat info {};
      if (::stat(file.c_str(), &info) != 0) continue;
      if ((info.st_mode & 077) != 0)
        throw Error(ErrorCode::failure, file.string() + " is readable by other users",
                    "it may contain credentials", "chmod 600 " + file.string());
      text += (text.empty() ? "" : ", ") + file.string();
    }
    return text.empty() ? "none: outside a pod, jobs run on this machine" : text;
  });
}

Finding check_target(Context& context) {
  return checked("target", [&] {
    const kube::Target& target = context.target();
    std::string version =
        string_at(parse_json(context.client().get_raw("/version"), "/version"), {"gitVersion"});
    return target.context + "/" + target.namespace_name + " as " + target.user + ", server " + version;
  });
}

/// Asks the server whether the user has this right. If the server rejects that question, the finding
/// is a warning.
Finding check_rights(Context& context, std::string_view verb, std::string_view group,
                     std::string_view resource) {
  std::string what = "may " + std::string(verb) + " " + std::string(resource);
  http::Request request;
  request.method = "POST";
  request.path = api::kAccessReview.path("");
  request.headers = {{"Content-Type", "application/json"}};
  request.body = api::access_review(verb, group, resource, context.place().namespace_name).dump();
  try {
    http::Response response = context.client().transport().send(request);
    if (response.status != 201) return {what, Verdict::warning, "the server rejected this question"};
    Json answer = parse_json(response.body, request.path);
    bool allowed = bool_at(answer, {"status", "allowed"});
    return {what, allowed ? Verdict::right : Verdict::wrong,
            allowed ? "yes" : string_at(answer, {"status", "reason"}, "no")};
  } catch (const Error& error) {
    return {what, Verdict::wrong, error.message};
  }
}

/// A right that a single feature of kml needs, and what happens without it.
struct OptionalRight {
  const char* served;  ///< a path that exists on the clusters where kml uses the feature
  const char *verb, *group, *resource;
  const char* otherwise;
};
constexpr OptionalRight kOptionalRights[] = {
    {"/api/v1", "patch", "", "pods", "`kml cancel` deletes the pods of a running job, with their logs"},
    {"/apis/scheduling.k8s.io/v1beta1", "create", "scheduling.k8s.io", "podgroups",
     "the pods of a job with --nodes start one by one"},
    {"/apis/resource.k8s.io/v1/deviceclasses/gpu.nvidia.com", "create", "resource.k8s.io",
     "resourceclaimtemplates", "--gpus with several types or an amount of memory is rejected"},
    {"/apis/kueue.x-k8s.io", "patch", "kueue.x-k8s.io", "workloads",
     "jobs in Kueue's queues cannot be cancelled or suspended, only deleted"},
};

/// Checks those optional rights whose feature the cluster has. Without one of these rights, most of kml still
/// works.
void check_optional_rights(Context& context, std::vector<Finding>& findings) {
  for (const OptionalRight& right : kOptionalRights) {
    http::Request request;
    request.path = right.served;
    try {
      if (context.client().transport().send(request).status != 200) continue;
    } catch (const Error&) {
      continue;  // check_target() reports a server that does not answer
    }
    Finding finding = check_rights(context, right.verb, right.group, right.resource);
    if (finding.verdict == Verdict::wrong)
      finding = {finding.what, Verdict::warning, finding.detail + ": " + right.otherwise};
    findings.push_back(std::move(finding));
  }
}

Finding check_disk() {
  constexpr uintmax_t kLittle = uintmax_t{1} << 30;
  return checked("state folder", [] {
    std::filesystem::path folder = state_folder();
    make_private_folder(folder);
    if (::access(folder.c_str(), W_OK) != 0)
      throw system_error(folder.string() + " cannot be written", errno);
    auto space = std::filesystem::space(folder);
    std::string text = folder.string() + ", " + std::to_string(space.available >> 20) + " MiB free";
    if (space.available < kLittle)
      throw Error(ErrorCode::failure, text, "too little free space for logs and checkpoints");
    return text;
  });
}

/// Volumes of local jobs need user and mount namespaces.
Finding check_namespaces() {
  const std::string what = "volumes of local jobs";
  const bool is_root = ::geteuid() == 0;
  if (find_program("unshare", environment("PATH")).empty())
    return {what, Verdict::warning,
            "unknown: the program unshare, which tells whether namespaces are permitted, is not in PATH "
            "(install the package util-linux)"};
  const std::vector<std::string> as_root = {"unshare", "--mount", "true"},
                                 as_user = {"unshare", "--user", "--map-root-user", "--mount", "true"};
  if (run_process(is_root ? as_root : as_user).exit_code == 0)
    return {what, Verdict::right, "can be mounted"};
  return {what, Verdict::warning,
          "`unshare` cannot create a namespace here: local jobs with volumes may be rejected"};
}

std::string_view word_of(Verdict verdict) {
  return verdict == Verdict::wrong ? "bad" : verdict == Verdict::warning ? "?" : "ok";
}

int run_doctor(Context& context, const std::string& output) {
  std::vector<Finding> findings = {check_library("libcurl.so.4", "libcurl4"), check_kubeconfig(context)};
  findings.push_back(check_disk());
  findings.push_back(check_target(context));
  const bool reached = findings.back().verdict == Verdict::right;
  const bool is_local = reached && context.place().is_local;
  if (reached && !is_local) {  // the user may do everything on this machine
    findings.push_back(check_rights(context, "create", "batch", "jobs"));
    findings.push_back(check_rights(context, "list", "", "pods"));
    findings.push_back(check_rights(context, "get", "", "pods/log"));
    check_optional_rights(context, findings);
  }
  if (is_local) {
    findings.push_back(check_library("libmicrohttpd.so.12", "libmicrohttpd12"));
    findings.push_back(check_library("libgnutls.so.30", "libgnutls30"));
    findings.push_back(check_namespaces());
  }
  const bool is_well = std::none_of(findings.begin(), findings.end(),
                                    [](const auto& it) { return it.verdict == Verdict::wrong; });
  ui::Table table({"", "CHECK", "RESULT"});
  Json items = Json::array();
  for (const Finding& finding : findings) {
    items.push_back(
        {{"check", finding.what}, {"verdict", word_of(finding.verdict)}, {"result", finding.detail}});
    table.add(
        {{std::string(word_of(finding.verdict)), finding.verdict == Verdict::wrong     ? ui::Style::red
                                                 : finding.verdict == Verdict::warning ? ui::Style::yellow
                                                                                       : ui::Style::green},
         {finding.what},
         {finding.detail}});
  }
  if (output.empty())
    table.print(context.streams(), false);
  else
    ui::print_value(context.streams(), items, output);
  return is_well ? 0 : 1;
}

}  // namespace

Command doctor_command() {
  auto output = std::make_shared<std::string>();
  Command command{"doctor", "Check kml's libraries, its files, and your access to the cluster"};
  command.examples = R"(kml doctor
# Another cluster and namespace
kml doctor --context prod -n research)";
  add_output_format(command, {"json", "yaml"}, *output, "print the checks as data")
      .details("Print the data in this format.");
  command.run = [output](Context& context) { return run_doctor(context, *output); };
  return command;
}

}  // namespace kml::cli
