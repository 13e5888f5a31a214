#pragma once

#include <filesystem>
#include <string>

#include "cli/context.h"
#include "kml/job/views/interrupt.h"

namespace kml::cli {

struct FolderToSync {
  std::filesystem::path folder;
  std::string typed;        ///< JOB[/RANK]
  std::string target = {};  ///< the folder in the pod; empty means the working directory
  std::string container = {};
  bool deletes = false, is_once = false;
};

/// Runs `kml sync`, and prints which files are sent. Throws Error (interrupted) if a signal arrives.
void sync_folder(Context& context, const FolderToSync& wanted, const job::Interrupt& interrupt);

}  // namespace kml::cli
