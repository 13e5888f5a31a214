#include "local/server/node.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kml/kube/objects/quantity.h"
#include "local/admission/admission.h"
#include "local/admission/images.h"
#include "local/controllers/cron_job_controller.h"
#include "local/controllers/dependency_controller.h"
#include "local/controllers/deployment_controller.h"
#include "local/controllers/garbage_collector.h"
#include "local/controllers/job_controller.h"
#include "local/controllers/pytorchjob_controller.h"
#include "local/controllers/quota_controller.h"
#include "local/controllers/replica_set_controller.h"
#include "local/controllers/ttl_controller.h"
#include "local/events/attempts.h"
#include "local/events/event_recorder.h"
#include "local/kubelet/cgroup_site.h"
#include "local/kubelet/supervisor.h"
#include "local/loop/event_loop.h"
#include "local/scheduling/binder.h"
#include "local/server/node_object.h"
#include "local/server/server_folder.h"
#include "local/services/service_controller.h"
#include "local/store/dependents.h"
#include "local/store/object.h"

namespace kml::local {

using namespace std::chrono_literals;

namespace {

/// Truncates the server's log if it is too long. The daemon has the log as its stderr, opened for appending.
/// If stderr is anything else, such as a file of the user, it is left alone.
void limit_log(const std::filesystem::path& file) {
  constexpr off_t kMost = 4 << 20;
  struct stat log {
  }, named{};
  if ((::fcntl(STDERR_FILENO, F_GETFL) & O_APPEND) == 0 || ::fstat(STDERR_FILENO, &log) != 0 ||
      ::stat(file.c_str(), &named) != 0 || log.st_dev != named.st_dev || log.st_ino != named.st_ino ||
      !S_ISREG(log.st_mode) || log.st_size <= kMost)
    return;
  if (::ftruncate(STDERR_FILENO, 0) == 0)
    log_text("kml: this log was larger than 4 MiB, so it was emptied\n");
}

uint64_t log_bytes(const std::string& limit) {
  if (limit.empty()) return kLogBytes;
  const auto bytes = api::quantity_units(limit);
  constexpr int64_t kSmallestLog = 64 << 10;
  if (!bytes || *bytes < kSmallestLog)
    throw usage_error("cannot use --log-limit " + limit, "it must be a size of at least 64Ki",
                      "write it as 500Mi or 2Gi");
  return static_cast<uint64_t>(*bytes);
}

}  // namespace

/// The members subscribe to the store in this order: first the quotas and the index, then the parts that
/// create pods, place them and run them.
struct LocalNode::Parts {
  Parts(EventLoop& event_loop, Store& object_store, const NodeOptions& node_options)
      : loop(event_loop),
        store(object_store),
        options(node_options),
        node(node_object(options, clock.now())),
        images(options.folder),
        admission(store, images),
        dependents(store),
        events(loop, store, clock),
        cron_jobs(loop, store, dependents, admission, events, clock),
        jobs(loop, store, admission, events, clock, {options.retry_delay}),
        pytorchjobs(loop, store, dependents, admission, events, clock),
        deployments(loop, store, dependents, events, clock),
        replica_sets(loop, store, dependents, admission, events, clock),
        binder(loop, store, events, clock, name_of(node)),
        supervisor(
            loop, store, events, clock,
            {store, options.folder, api::amounts_of(node.at("status").at("allocatable")),
             [this](const std::string& image) { return images.command_of(image); },
             log_bytes(options.log_limit),
             options.pod_max_pids > 0 ? options.pod_max_pids : default_max_processes(), find_cgroup_roots()},
            options.binary),
        services(loop, store, events, options.folder, options.binary),
        attempts(store, events),
        garbage(loop, store, dependents, clock),
        ttl(loop, store, clock),
        dependencies(loop, store),
        quotas(loop, store),
        registration(loop, [this](const std::string&) { register_node(); }) {}

  void register_node() {
    for (const ObjectPtr& old : store.list(kinds::node, ""))
      if (name_of(*old) != name_of(node)) store.remove(kinds::node, "", name_of(*old));
    if (!store.get(kinds::node, "", name_of(node)))
      store.create(kinds::node, node);
    else
      store.modify(kinds::node, "", name_of(node), [&](Json& old) { update_node(node, old); });
  }

  void clean_up() {
    loop.after(10min, [this] { clean_up(); });
    limit_log(ServerFolder{options.folder}.log());
    events.remove_old();
  }

  EventLoop& loop;
  Store& store;
  const Clock& clock = system_clock();
  NodeOptions options;
  Json node;
  Images images;
  Admission admission;
  Dependents dependents;
  EventRecorder events;
  CronJobController cron_jobs;
  JobController jobs;
  PyTorchJobController pytorchjobs;
  DeploymentController deployments;
  ReplicaSetController replica_sets;
  Binder binder;
  Supervisor supervisor;
  ServiceController services;
  Attempts attempts;
  GarbageCollector garbage;
  TtlController ttl;
  DependencyController dependencies;
  QuotaController quotas;
  WorkQueue registration;
};

LocalNode::LocalNode(EventLoop& loop, Store& store, const NodeOptions& options)
    : parts_(std::make_unique<Parts>(loop, store, options)) {}
LocalNode::~LocalNode() = default;

void LocalNode::start() {
  parts_->registration.look_at("node");
  // First records what has happened while no server was running, then starts the parts that react to it.
  parts_->binder.recover();
  parts_->supervisor.recover();
  parts_->attempts.recover();
  parts_->cron_jobs.recover();
  parts_->jobs.recover();
  parts_->pytorchjobs.recover();
  parts_->deployments.recover();
  parts_->replica_sets.recover();
  parts_->services.recover();
  parts_->garbage.recover();
  parts_->ttl.recover();
  parts_->dependencies.recover();
  parts_->quotas.recover();
  parts_->loop.defer([parts = parts_.get()] { parts->clean_up(); });
}

void LocalNode::close_services() {
  parts_->services.close();
}

void LocalNode::show_disk(const std::string& problem) {
  const Clock& clock = parts_->clock;
  parts_->store.show(kinds::node, "", name_of(parts_->node), [&](Json& node) {
    set_condition(node, "DiskPressure", !problem.empty(),
                  problem.empty() ? "KubeletHasNoDiskPressure" : "KubeletHasDiskPressure",
                  problem.empty() ? "the disk has space" : problem, rfc3339(clock.now()));
  });
}

}  // namespace kml::local
