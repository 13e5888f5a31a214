#include "sweep/runner/trial_names.h"

#include <doctest/doctest.h>

#include <string>

#include "kml/base/error.h"
#include "kml/base/json.h"

namespace kml::sweep::trial_names_test {

TEST_CASE("trial names: a trial's name leaves room for the text that an operator appends") {
  struct Row {
    const char *api_version, *kind, *spec;
    size_t limit;
  };
  const size_t left = 63 - std::string("-t00042-r10-a10").size();
  for (
      const Row& row :
      {Row{"batch/v1", "Job", "{}", left},
       Row{"kubeflow.org/v1", "PyTorchJob", R"({"pytorchReplicaSpecs": {"Master": {"replicas": 1}}})",
           left - 9},
       Row{"kubeflow.org/v2beta1", "MPIJob",
           R"({"mpiReplicaSpecs": {"Launcher": {}, "Worker": {"replicas": 11}}})", left - 10},
       Row{"jobset.x-k8s.io/v1alpha2", "JobSet",
           R"({"replicatedJobs": [{"name": "node", "replicas": 1, "template": {"spec": {"completions": 2}}}]})",
           left - 9},
       Row{"trainer.kubeflow.org/v1alpha1", "TrainJob", R"({"trainer": {"numNodes": 4}})", left - 9}}) {
    CAPTURE(row.kind);
    SweepSpec spec;
    spec.trial = {{"apiVersion", row.api_version}, {"kind", row.kind}, {"spec", Json::parse(row.spec)}};
    spec.name = std::string(row.limit, 'a');
    check_trial_names(spec);
    spec.name += 'a';
    try {
      check_trial_names(spec);
      FAIL_CHECK("no error");
    } catch (const Error& error) {
      CHECK(error.fix == "use another name, such as " + std::string(row.limit, 'a'));
    }
    spec.is_indexed = true;  // the first Job of an indexed sweep has the sweep's name
    check_trial_names(spec);
  }
}

}  // namespace kml::sweep::trial_names_test
