#include "cli/context.h"

#include <ostream>

#include "kml/local/daemon.h"
#include "kml/ui/clean.h"

namespace kml::cli {

const spec::Config& Context::config() {
  if (!config_) config_ = spec::load_config(spec::config_sources());
  return *config_;
}

const Place& Context::place() {
  if (place_) return *place_;
  kube::KubeconfigOptions options{options_.kubeconfig, options_.context, options_.namespace_name};
  if (options.context.empty()) options.context = config().value("context");
  if (options.namespace_name.empty()) options.namespace_name = config().value("namespace");
  if (options.context != kLocal) target_ = kube::find_target(options);
  if (target_) {
    place_ = {target_->context, target_->namespace_name, false};
  } else if (options.context.empty() || options.context == kLocal) {
    place_ = {std::string(kLocal), options.namespace_name.empty() ? "default" : options.namespace_name, true};
  } else {
    throw usage_error("no context \"" + options.context + "\"", "there is no kubeconfig",
                      "set KUBECONFIG, or use --context local for this machine");
  }
  return *place_;
}

const kube::Target& Context::target() {
  const Place& there = place();
  if (target_) return *target_;
  bool started = false;
  local::DaemonStatus server = local::ensure_running({}, started);
  if (started) note("started the embedded server (`kml local down` stops it)");
  target_ = kube::find_target({server.kubeconfig, "", there.namespace_name});
  target_->context = kLocal;
  if (!server.socket.empty()) target_->endpoint.url = "unix:" + server.socket.string();
  return *target_;
}

kube::Client& Context::client() {
  if (!client_) {
    http::Endpoint endpoint = target().endpoint;
    endpoint.on_warning = [this](const std::string& text) {
      note("warning: " + (streams_.err_is_terminal ? ui::clean(text) : text));
    };
    // The embedded server may have been about to end when it was asked for.
    if (place().is_local)
      endpoint.on_no_connection = [] {
        bool started = false;
        local::ensure_running({}, started);
      };
    transport_ = http::make_curl_transport(std::move(endpoint));
    client_.emplace(*transport_);
  }
  return *client_;
}

void Context::note(const std::string& text) {
  progress_.end();
  streams_.err << "kml: " << text << std::endl;
}

}  // namespace kml::cli
