#pragma once

#include <span>
#include <string>
#include <vector>

#include "kml/core/clock.h"
#include "kml/core/error.h"
#include "kml/core/json.h"
#include "kml/core/streams.h"
#include "kml/jobs/capacity/capacity.h"
#include "kml/jobs/first_error/first_error.h"
#include "kml/jobs/views/task.h"
#include "kml/jobs/why/why.h"
#include "kml/sweep/journal/sweep_state.h"
#include "kml/sweep/journal/timeline.h"

namespace kml::ui {

/// The error on standard error: as text, cleaned on a terminal, or as one JSON object.
void print_error(const Streams& streams, const Error& error, bool as_json);

/// Which pod of the job died first, how, when, and its last lines; as text, or as one JSON object.
void print_first_error(const Streams& streams, const std::string& job, const jobs::FirstError& first,
                       bool as_json);

/// What a status shows beside the objects.
struct StatusExtras {
  bool all_events = false;
  jobs::PodUsage usage = {};  ///< of the pods that run
};

/// Everything that a person asks about one job or task. `events` are those of the job itself, or of the
/// task's last pod, of which the newest ten are shown unless all are to be; `pods` are its own.
void print_status(const Streams& streams, const jobs::JobOrTask& named, std::span<const Json* const> pods,
                  const std::vector<Json>& events, Time now, const StatusExtras& extras = {});

/// The verdict about one job, for a person, with the last lines of who died first.
void print_verdict(const Streams& streams, const jobs::Verdict& verdict,
                   const std::optional<jobs::FirstError>& first = {});

/// The same as an object: amounts in the resources' own units. For `-o json|yaml`.
Json to_json(const jobs::Verdict& verdict, const std::optional<jobs::FirstError>& first = {});

/// What the report shows of a sweep; times are seconds since its begin. All trials are in it, and the
/// learning curves of at most some hundred. `now` ends what still runs.
Json report_data(const sweep::SweepState& state, const sweep::Timeline& timeline, Time now);

/// The report: one HTML page that loads nothing, whatever texts the data holds.
std::string report_page(const Json& data);

}  // namespace kml::ui
