#pragma once

#include <map>
#include <span>
#include <string>

#include "kml/base/json.h"

namespace kml::job {

/// Which pods of a job were replaced after they had ended, as by a retry. A pod's place in the job is the
/// part of its name that it shares with its replacement. All pods of a Job without indexes have the same
/// place.
class Replacements {
 public:
  /// The pods must outlive this object.
  Replacements(const Json& job, std::span<const Json* const> pods);

  /// Whether this pod, one of those that the constructor got, was replaced.
  bool has(const Json& pod) const;
  std::string place_of(const Json& pod) const;

 private:
  bool have_places_;
  std::map<std::string, const Json*> newest_;  ///< by place
};

}  // namespace kml::job
