#include "job/commands/lost_pods_note.h"

#include "job/views/lost_pods.h"
#include "kml/base/clock.h"
#include "kml/job/views/find.h"

namespace kml::cli {

namespace {

void note_lost(Context& context, const std::string& subject, const job::LostPods& lost) {
  if (!lost.empty()) context.note(subject + ": " + lost.in_words(system_clock().now()));
}

}  // namespace

void note_lost_pods(Context& context, const std::string& subject, const std::vector<Json>& jobs) try {
  note_lost(context, subject, job::lost_pods_of(context.client(), jobs));
} catch (const Error& error) {
  // The command does its work anyway; perhaps the user may not read pods.
  if (error.code == ErrorCode::interrupted) throw;
}

void note_lost_pods_of(Context& context, const std::string& subject, const std::string& label_selector) try {
  if (context.place().is_local) return;
  const std::string& where = context.target().namespace_name;
  note_lost_pods(context, subject, job::list_jobs(context.client(), where, label_selector));
} catch (const Error& error) {
  if (error.code == ErrorCode::interrupted) throw;
}

void note_lost_among(Context& context, const std::string& subject, const std::vector<Json>& pods) {
  job::LostPods lost;
  for (const Json& pod : pods) lost.look_at(pod);
  note_lost(context, subject, lost);
}

}  // namespace kml::cli
