#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli/context.h"
#include "kml/job/views/interrupt.h"
#include "kml/kube/client/watch.h"
#include "live/commands/cluster_rows.h"
#include "live/commands/row_writer.h"

namespace kml::cli {

/// The rows of schedules and served programs. Watches CronJobs, Deployments and their pods; a user who may
/// not see them gets no rows.
class ServiceRows {
 public:
  /// `client` has the watches. All other requests are sent through `context`, which no watch uses.
  ServiceRows(kube::Client& client, const std::string& namespace_name, Context& context, RowWriter& rows);

  /// Returns once all of these objects are known, or the server has rejected the watch.
  void wait_for_lists(const job::Interrupt& interrupt);
  /// Prints what has changed. `of_schedules` are the jobs that schedules have started.
  void update(const std::map<std::string, Json>& of_schedules, bool jobs_changed);

 private:
  void watch(const api::ResourceKind& kind, const std::string& selector,
             const std::function<void(kube::Change, const Json&)>& on_change);
  void update_schedules(const std::map<std::string, Json>& of_schedules);
  void update_serves();

  kube::Client& client_;
  const std::string namespace_;
  Context& context_;
  RowWriter& rows_;
  std::map<std::string, Json> cron_jobs_, replicas_;  ///< by "namespace/name"
  bool schedules_changed_ = true, serves_changed_ = true, lacks_address_ = false;
  Time schedules_shown_ = {}, serves_shown_ = {};
  std::vector<bool> is_listed_;  ///< for each watch, whether its first list has arrived
  std::vector<std::unique_ptr<kube::Watch>> watches_;
};

}  // namespace kml::cli
