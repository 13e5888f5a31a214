#include "job/commands/check_wheels.h"

#include <algorithm>
#include <set>

#include "job/packages/wheels.h"
#include "job/preflight/processors.h"
#include "kml/base/error.h"
#include "kml/base/text.h"
#include "kml/job/views/kinds.h"
#include "kml/kube/list/brief_list.h"
#include "kml/kube/objects/container.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"

namespace kml::cli {

namespace {

std::vector<Json> nodes_with_labels(Context& context) {
  const kube::BriefQuery query{api::find_kind("v1", "Node"), "", "", kube::Detail::queue, {}, true};
  return std::move(kube::list_briefly(context.client(), {&query, 1})[0].items);
}

std::string image_of_job(const Json& job) {
  std::string image;
  job::each_pod_template(job, [&](const Json& pod, int) {
    for (const Json& container : api::containers_of(pod))
      if (image.empty()) image = api::image_of(container);
  });
  return image;
}

bool has_pods(const Json& object) {
  bool has = false;
  job::each_pod_template(object, [&](const Json&, int) { has = true; });
  return has;
}

std::string in_words(const std::set<std::string>& names) {
  return join(std::vector(names.begin(), names.end()), " and ");
}

void check_conda(const std::set<std::string>& processors, const std::string& of_packages,
                 const std::string& source) {
  if (of_packages.empty() || processors.empty() || processors.contains(of_packages)) return;
  throw Error(ErrorCode::failure, "the conda packages of " + source + " are for " + of_packages,
              "the nodes have the processor " + in_words(processors),
              "--node-selector kubernetes.io/arch=" + *processors.begin());
}

void check_pythons(Context& context, const Json& packages, const std::set<std::string>& processors,
                   const std::string& image) {
  std::set<std::string> with_all;
  std::string note;
  for (const std::string& processor : processors) {
    const std::string reason = packages::missing_wheel(packages, processor, image);
    if (reason.empty())
      with_all.insert(processor);
    else
      note += (note.empty() ? "" : "; ") + ("on " + processor + " nodes, ") +
              "a pod must build a package of " + string_at(packages, {"source"}) + ": " + reason;
  }
  if (note.empty()) return;
  if (!with_all.empty())
    note +=
        "; to use nodes for which all wheels exist: --node-selector kubernetes.io/arch=" + *with_all.begin();
  context.note(note);
}

}  // namespace

void check_wheels(Context& context, const std::vector<Json>& objects, const Json& packages) {
  if (packages.is_null() || context.place().is_local) return;
  const auto job = std::ranges::find_if(objects, has_pods);
  if (job == objects.end()) return;
  std::set<std::string> processors;
  try {
    processors = job::processors_for(*job, nodes_with_labels(context));
  } catch (const Error& error) {
    if (error.code == ErrorCode::interrupted) throw;
    return;  // the submit itself will report this error
  }
  check_conda(processors, packages::processor_of_conda(packages), string_at(packages, {"source"}));
  check_pythons(context, packages, processors, image_of_job(*job));
}

}  // namespace kml::cli
