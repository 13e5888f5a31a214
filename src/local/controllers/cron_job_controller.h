#pragma once

#include <map>
#include <string>
#include <vector>

#include "local/admission/admission.h"
#include "local/events/event_recorder.h"
#include "local/loop/work_queue.h"
#include "local/store/dependents.h"

namespace kml::local {

/// Starts the Jobs of batch/v1 CronJobs when they are due, and deletes old ones, as kube-controller-manager
/// does (pkg/controller/cronjob). If starts were missed while no server was running, only makes up for the
/// last one, and only within startingDeadlineSeconds.
class CronJobController {
 public:
  CronJobController(EventLoop& loop, Store& store, const Dependents& dependents, const Admission& admission,
                    EventRecorder& events, const Clock& clock);

  /// Starts the Jobs that are due now.
  void recover();

 private:
  void on_event(const StoreEvent& event);
  void look(const std::string& key);
  void note_ends(Json& cron_job, const std::vector<ObjectPtr>& jobs);
  void remove_old(const Json& cron_job, const std::vector<ObjectPtr>& jobs);
  void start_due(Json& cron_job);
  bool make_room(Json& cron_job);
  void start(Json& cron_job, Time scheduled, const std::string& scheduled_text);
  void remove(const Json& cron_job, const std::string& job_name);
  void record(const Json& cron_job, std::string_view type, std::string_view reason, std::string message);

  Store& store_;
  const Dependents& dependents_;
  const Admission& admission_;  ///< checks the Jobs that this controller creates
  EventRecorder& events_;
  const Clock& clock_;
  WorkQueue queue_;  ///< "NAMESPACE/NAME"
  /// When each schedule last changed. An earlier time in the new schedule is not a missed start.
  std::map<std::string, Time> changed_;
};

}  // namespace kml::local
