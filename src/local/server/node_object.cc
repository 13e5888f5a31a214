#include "local/server/node_object.h"

#include <sys/sysinfo.h>
#include <sys/utsname.h>

#include <filesystem>
#include <iterator>
#include <system_error>
#include <thread>

#include "kml/base/error.h"
#include "kml/base/shared_library.h"
#include "kml/kube/objects/names.h"
#include "kml/kube/objects/typed_amount.h"
#include "kml/version.h"
#include "local/scheduling/gang.h"

namespace kml::local {

namespace {

/// The driver has a folder for each GPU. In a container, NVIDIA's runtime only shows the GPUs of that
/// container.
int64_t count_driver_folders() {
  std::error_code error;
  const std::filesystem::directory_iterator gpus("/proc/driver/nvidia/gpus", error);
  return error ? 0 : std::distance(begin(gpus), end(gpus));
}

}  // namespace

int64_t count_gpus() {
  try {
    // In nvml.h, nvmlReturn_t is an int, and 0 means success.
    const SharedLibrary nvml("libnvidia-ml.so.1", "the NVIDIA driver");
    unsigned count = 0;
    if (nvml.function<int()>("nvmlInit_v2")() != 0) return 0;
    const bool counted = nvml.function<int(unsigned*)>("nvmlDeviceGetCount_v2")(&count) == 0;
    nvml.function<int()>("nvmlShutdown")();
    return counted ? count : 0;
  } catch (const Error&) {  // a static kml cannot load libraries
    return count_driver_folders();
  }
}

namespace {

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

Json labels_of(const NodeOptions& options) {
  Json labels = {{"kubernetes.io/hostname", node_name()},
                 {"kubernetes.io/os", "linux"},
                 {"kubernetes.io/arch", kArchitecture},
                 {"node-role.kubernetes.io/control-plane", ""}};
  for (const std::string& label : options.node_labels) {
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
  if (const int64_t gpus = options.fake_gpus < 0 ? count_gpus() : 0; gpus > 0)
    capacity[std::string(kGpu)] = std::to_string(gpus);
  const std::string time = rfc3339(now);
  return {{"apiVersion", "v1"},
          {"kind", "Node"},
          {"metadata", {{"name", node_name()}, {"labels", labels_of(options)}}},
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

}  // namespace kml::local
