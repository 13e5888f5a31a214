#pragma once

#include <compare>
#include <string>
#include <string_view>

#include "job/queue/entry.h"
#include "kml/base/clock.h"

namespace kml::job {

/// A name in which numbers are compared by value: "exp-9" comes before "exp-10".
struct NaturalName {
  std::string text;
  bool operator==(const NaturalName&) const = default;
  std::strong_ordering operator<=>(const NaturalName& other) const;
};

/// The values by which the entries of the queue are sorted; earlier members are more significant.
struct Rank {
  /// A waiting job is starting if its pods have nodes. It is in line if the scheduler tries one of its pods,
  /// or Kueue tries the job. Otherwise it waits for something else, such as a quota or its next attempt.
  enum class Place { running, starting, in_line, elsewhere, suspended };
  Place place = Place::running;
  std::string queue;
  int kueue_position = 0;
  long long priority = 0;  ///< negated, so that high priorities come first
  Time since = {};
  std::string workload;   ///< the Workload's uid, by which Kueue orders equal jobs
  std::string submitted;  ///< within the same second, the order in which kml submitted the jobs
  NaturalName name;       ///< namespace and name
  auto operator<=>(const Rank&) const = default;

  bool waits() const { return place == Place::in_line; }
};

/// `kueue_position` is what Kueue reports; 0 if unknown.
Rank rank_of(const QueueRecord& record, const QueueEntry& entry, int kueue_position);

/// A text for each rank; compared as bytes, the texts have the order of the ranks.
std::string order_text(const Rank& rank);
/// The name with the number of digits before each number: "exp-9" becomes "exp-19", and "exp-10" becomes
/// "exp-210". Compared as bytes, such texts have the order of natural_less().
std::string natural_order_text(std::string_view name);

}  // namespace kml::job
