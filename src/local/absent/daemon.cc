// Used if kml is built without the embedded server (KML_EMBEDDED_SERVER=OFF in CMake), as for macOS. The
// server's pods are processes, which it controls with features that only Linux has: namespaces, pidfd and
// cgroups.

#include "kml/local/daemon.h"

#include "kml/base/error.h"
#include "kml/local/front_proxy.h"

namespace kml::local {

namespace {

Error absent() {
  return {ErrorCode::failure, "cannot run jobs on this machine",
          "this kml is only a client of clusters: the embedded server needs Linux",
          "name a cluster with --context or KUBECONFIG; or use kml for Linux, in a virtual machine"};
}

}  // namespace

int serve(const ServeOptions& /*options*/) {
  throw absent();
}

DaemonStatus ensure_running(const ServeOptions& /*options*/, bool& /*started*/) {
  throw absent();
}

DaemonStatus ensure_running(bool& /*started*/) {
  throw absent();
}

DaemonStatus status(const std::filesystem::path& /*folder*/) {
  return {};
}

ServeOptions settings_of(int /*pid*/) {
  throw absent();
}

void stop(const std::filesystem::path& /*folder*/, bool /*stop_jobs*/,
          const std::function<void(const std::string&)>& /*on_hang*/) {
  throw absent();
}

void set_image(const std::filesystem::path& /*folder*/, const std::string& /*image*/,
               const std::vector<std::string>& /*command*/) {
  throw absent();
}

int run_daemon(const std::string& /*options*/) {
  return 1;
}

int run_shim(const std::filesystem::path& /*pod_folder*/) {
  return 1;
}

int run_proxy(const std::filesystem::path& /*state_folder*/) {
  return 1;
}

std::vector<StateFinding> check_state(const std::filesystem::path& /*folder*/) {
  throw absent();
}

std::vector<std::string> repair_state(const std::filesystem::path& /*folder*/) {
  throw absent();
}

std::string manual_of_fields() {
  return absent().why + ".\n";
}

struct FrontProxy::Files {};

FrontProxy::FrontProxy(const std::filesystem::path& /*folder*/) {
  throw absent();
}

FrontProxy::~FrontProxy() = default;
void FrontProxy::show(const Front& /*front*/) {}
void FrontProxy::close() {}
void FrontProxy::require_running() const {}

FrontProxy::Demand FrontProxy::demand() {
  return Demand::none;
}

}  // namespace kml::local
