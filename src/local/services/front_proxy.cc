#include "kml/local/front_proxy.h"

#include <sys/inotify.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <utility>
#include <vector>

#include "kml/base/error.h"
#include "kml/base/process.h"
#include "local/services/routes.h"
#include "local/shim/status_file.h"

namespace kml::local {

/// The file that the proxy process reads, and the last routes written to it.
struct FrontProxy::Files {
  StatusFile routes;
  Json written;

  void write(const std::filesystem::path& state, const std::vector<ServiceRoute>& next) {
    Json json = to_json(next);
    if (json == written) return;
    if (!routes.write(json))
      throw system_error("cannot write " + proxy_folder(state).status().string(), errno);
    written = std::move(json);
  }
};

FrontProxy::FrontProxy(const std::filesystem::path& folder) : folder_(folder) {
  const PodFolder proxy = proxy_folder(folder);
  // Removes the outdated files that an earlier process has left there.
  std::filesystem::remove_all(proxy.path);
  make_private_folder(demand_folder(proxy).path);
  files_ = std::make_unique<Files>(Files{StatusFile(proxy), {}});
  news_ = Fd(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (!news_ || ::inotify_add_watch(news_.get(), demand_folder(proxy).path.c_str(),
                                    IN_MODIFY | IN_MOVED_TO | IN_CREATE) < 0)
    throw system_error("cannot watch " + demand_folder(proxy).path.string(), errno);
}

FrontProxy::~FrontProxy() = default;

void FrontProxy::show(const Front& front) {
  ServiceRoute route{.service = front.name,
                     .port = front.port,
                     .targets = {},
                     .idle = front.idle,
                     .problem = front.problem,
                     .is_hopeless = front.is_hopeless,
                     .is_public = true};
  for (const Front::Replica& replica : front.ready) route.targets.emplace_back(replica.port, replica.address);
  files_->write(folder_, {route});
  // The process is started with the first route, because a proxy without routes exits.
  if (pid_ == 0) pid_ = start_proxy(own_executable(), folder_);
}

void FrontProxy::close() {
  if (pid_ == 0) return;
  files_->write(folder_, {});
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  pid_ = 0;
}

FrontProxy::Demand FrontProxy::demand() {
  char events[4096];
  while (::read(news_.get(), events, sizeof events) > 0) {
  }
  const auto status = read_status(demand_folder(proxy_folder(folder_)));
  const local::Demand demand = status ? demand_from_json(*status) : local::Demand();
  return !demand.wanted.empty() ? Demand::wanted : !demand.idle.empty() ? Demand::idle : Demand::none;
}

void FrontProxy::require_running() const {
  if (pid_ > 0 && ::waitpid(pid_, nullptr, WNOHANG) != 0)
    throw Error(ErrorCode::failure, "the proxy has exited", "its last message says why");
}

}  // namespace kml::local
