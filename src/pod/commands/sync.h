#pragma once

#include <filesystem>
#include <string>

#include "cli/context.h"
#include "kml/job/views/interrupt.h"

namespace kml::cli {

struct FolderToSync {
  std::filesystem::path folder;
  std::string typed;        ///< JOB[/RANK]
  std::string target = {};  ///< the folder in the pod; empty for its working directory
  std::string container = {};
  bool deletes = false, is_once = false;
};

/// `kml sync`, with notes of what it sends. Throws Error (interrupted) at a signal.
void sync_folder(Context& context, const FolderToSync& wanted, const job::Interrupt& interrupt);

}  // namespace kml::cli
