#include "job/views/operators.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "kml/job/kinds/job_kind.h"
#include "kml/job/views/kinds.h"
#include "kml/kube/objects/object.h"

namespace kml::job {

namespace {

struct Operator {
  std::string_view kind, name;
};
/// The operators that define kinds outside Kubernetes itself.
constexpr Operator kOperators[] = {{"PyTorchJob", "the Kubeflow training operator"},
                                   {"MPIJob", "the Kubeflow MPI operator"},
                                   {"TrainJob", "Kubeflow Trainer"},
                                   {"JobSet", "the JobSet controller"},
                                   {"LocalQueue", "Kueue"}};

}  // namespace

std::string operator_of(const Json& object) {
  if (const JobKind* described = described_kind_of(object)) return described->operator_name;
  const auto* found = std::ranges::find(kOperators, api::kind_name(object), &Operator::kind);
  return found == std::end(kOperators) ? "" : std::string(found->name);
}

std::string controller_in_words(const Json& job) {
  if (const std::string other = string_at(job, {"spec", "managedBy"}); !other.empty())
    return "the controller " + other + " (spec.managedBy)";
  const std::string known = operator_of(job);
  return !known.empty()      ? known
         : is_plain_job(job) ? "Kubernetes' Job controller"
                             : "the operator of " + shown_kind(job) + "s";
}

}  // namespace kml::job
