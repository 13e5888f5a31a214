#include "cli/context.h"

#include <ostream>

#include "kml/local/daemon.h"

namespace kml::cli {

const spec::Config& Context::config() {
  if (!config_) config_ = spec::load_config(spec::config_sources());
  return *config_;
}

const kube::Target& Context::target() {
  if (target_) return *target_;
  kube::KubeconfigOptions options{options_.kubeconfig, options_.context, options_.namespace_name};
  if (options.context.empty()) options.context = config().value("context");
  if (options.namespace_name.empty()) options.namespace_name = config().value("namespace");

  if (options.context != kLocal) target_ = kube::find_target(options);
  if (!target_) {
    if (!options.context.empty() && options.context != kLocal)
      throw usage_error("no context \"" + options.context + "\"", "there is no kubeconfig",
                        "set KUBECONFIG, or use --context local for this machine");
    bool started = false;
    local::DaemonStatus server = local::ensure_running({}, started);
    if (started) note("started the embedded server (`kml local down` stops it)");
    options.context.clear();
    options.kubeconfig = server.kubeconfig;
    target_ = kube::find_target(options);
    target_->context = kLocal;
  }
  return *target_;
}

bool Context::target_is_local() {
  return target().context == kLocal;
}

kube::Client& Context::client() {
  if (!client_) {
    transport_ = http::make_curl_transport(target().endpoint);
    client_.emplace(*transport_);
  }
  return *client_;
}

void Context::note(const std::string& text) {
  streams_.err << "kml: " << text << std::endl;
}

}  // namespace kml::cli
