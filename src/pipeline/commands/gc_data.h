#pragma once

#include <chrono>
#include <string>

#include "cli/context.h"

namespace kml::cli {

/// Old data of `kml submit --data` on a volume claim.
struct OldData {
  std::string store;  ///< pvc/NAME
  std::string image;  ///< the image of the pod that deletes the data
  std::chrono::seconds unused_for;
  bool is_dry_run = false;
};

/// Runs a job in the cluster that deletes the data, and prints the job's lines. Keeps data that pods use.
/// Returns the exit code.
int remove_old_data(Context& context, const OldData& old);

}  // namespace kml::cli
