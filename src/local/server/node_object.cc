#include "local/server/node_object.h"

#include <sys/sysinfo.h>
#include <sys/utsname.h>

#include <thread>

#include "kml/base/error.h"
#include "kml/kube/objects/names.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/typed_amount.h"
#include "kml/version.h"
#include "local/scheduling/gang.h"
#include "local/server/gpus.h"

namespace kml::local {

namespace {

/// The annotation of the node with the labels that the server has set, as JSON.
constexpr std::string_view kLabelsOfServer = "kml.dev/labels-of-server";

// The kubelet's default.
constexpr const char* kPods = "110";

#if defined(__aarch64__)
constexpr const char* kArchitecture = "arm64";
#else
constexpr const char* kArchitecture = "amd64";
#endif

std::string host_name() {
  utsname names{};
  ::uname(&names);
  return names.nodename;
}

std::string kernel_version() {
  utsname names{};
  ::uname(&names);
  return names.release;
}

std::string machine_memory() {
  struct sysinfo info {};
  ::sysinfo(&info);
  return std::to_string(static_cast<uint64_t>(info.totalram) * info.mem_unit / 1024) + "Ki";
}

std::string amount_or(const std::string& given, const std::string& machine, const std::string& option,
                      std::string (*problem)(const std::string&)) {
  if (given.empty()) return machine;
  if (const std::string fault = problem(given); !fault.empty())
    throw usage_error("cannot use " + option + " " + given, "it " + fault);
  return given;
}

/// `own` are labels that those of the options replace.
Json labels_of(const NodeOptions& options, std::vector<std::string> own) {
  Json labels = {{"kubernetes.io/hostname", node_name()},
                 {"kubernetes.io/os", "linux"},
                 {"kubernetes.io/arch", kArchitecture},
                 {"node-role.kubernetes.io/control-plane", ""}};
  own.insert(own.end(), options.node_labels.begin(), options.node_labels.end());
  for (const std::string& label : own) {
    const size_t equals = label.find('=');
    const std::string key = label.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : label.substr(equals + 1);
    std::string problem = api::label_key_problem(key);
    if (problem.empty()) problem = api::label_value_problem(value);
    if (!problem.empty())
      throw usage_error("cannot use node label " + label, "it " + problem, "write it as key=value");
    labels[key] = value;
  }
  return labels;
}

}  // namespace

std::string node_name() {
  const std::string name = api::to_dns_label(host_name());
  return name.empty() ? "local" : name;
}

Json node_object(const NodeOptions& options, Time now) {
  Json capacity = {{"cpu", amount_or(options.cpu, std::to_string(std::thread::hardware_concurrency()),
                                     "--cpu", api::cpus_problem)},
                   {"memory", amount_or(options.memory, machine_memory(), "--memory", api::bytes_problem)},
                   {"pods", kPods}};
  if (options.fake_gpus > 0) capacity[options.fake_gpu_resource] = std::to_string(options.fake_gpus);
  const MachineGpus gpus = options.fake_gpus < 0 ? gpus_of_machine() : MachineGpus();
  if (gpus.count > 0) capacity[std::string(kGpu)] = std::to_string(gpus.count);
  Json labels = labels_of(options, labels_of_gpus(gpus));
  std::string recorded = compact_text(labels);
  const std::string time = rfc3339(now);
  return {{"apiVersion", "v1"},
          {"kind", "Node"},
          {"metadata",
           {{"name", node_name()},
            {"labels", std::move(labels)},
            {"annotations", {{kLabelsOfServer, std::move(recorded)}}}}},
          {"spec", Json::object()},
          {"status",
           {{"capacity", capacity},
            {"allocatable", capacity},
            {"addresses",
             {{{"type", "InternalIP"}, {"address", "127.0.0.1"}},
              {{"type", "Hostname"}, {"address", node_name()}}}},
            {"nodeInfo",
             {{"kubeletVersion", std::string("kml-") + kVersion},
              {"operatingSystem", "linux"},
              {"architecture", kArchitecture},
              {"machineID", ""},
              {"systemUUID", ""},
              {"bootID", ""},
              {"kernelVersion", kernel_version()},
              {"osImage", "Linux"},
              {"containerRuntimeVersion", std::string("kml://") + kVersion},
              {"kubeProxyVersion", ""}}},
            {"conditions",
             {{{"type", "Ready"},
               {"status", "True"},
               {"reason", "KubeletReady"},
               {"message", "kml is ready"},
               {"lastHeartbeatTime", time},
               {"lastTransitionTime", time}}}}}}};
}

void update_node(const Json& node, Json& old) {
  Json& labels = old["metadata"]["labels"];
  if (!labels.is_object()) labels = Json::object();
  const Json recorded = Json::parse(api::annotation_of(old, kLabelsOfServer), nullptr, false);
  if (recorded.is_object())
    std::erase_if(labels.get_ref<Json::object_t&>(), [&](const auto& label) {
      return recorded.contains(label.first) && recorded[label.first] == label.second;
    });
  labels.update(node.at("metadata").at("labels"));
  api::set_annotation(old, kLabelsOfServer, api::annotation_of(node, kLabelsOfServer));
  old["status"] = node.at("status");
}

}  // namespace kml::local
