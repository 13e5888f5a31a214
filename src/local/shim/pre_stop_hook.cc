#include "local/shim/pre_stop_hook.h"

namespace kml::local {

void PreStopHook::begin(const Fd* requests) {
  const ProbePlan& hook = plan_.pre_stop;
  runs_ = true;
  loop_.cancel(sleep_);
  if (hook.action == "sleep")
    sleep_ = loop_.after(std::chrono::seconds(hook.timeout), [this] { done_(); });
  else
    attempt_ =
        start_probe_attempt(loop_, hook, plan_.name, requests, [this](const std::string&) { done_(); });
}

void PreStopHook::end() {
  runs_ = false;
  loop_.cancel(sleep_);
  attempt_.reset();
}

}  // namespace kml::local
