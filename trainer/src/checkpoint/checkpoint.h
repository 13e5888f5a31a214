#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "model/state.h"

namespace trainer {

/// A folder of checkpoints (step-0000000200.safetensors and so on), with the file LATEST, which contains the
/// name of the newest one. Files are always complete. The last two checkpoints are kept.
class CheckpointFolder {
 public:
  using Say = std::function<void(const std::string&)>;

  /// Creates the folder if needed, and locks it. Throws Error if another process is training there.
  /// `identity` has the flags and facts that must have the same values when a run continues. `layout` is the
  /// layout of the state. `say` receives messages for the user.
  CheckpointFolder(std::filesystem::path folder, std::map<std::string, std::string> identity,
                   StateLayout layout, Say say);

  /// Reads the newest readable state, if there is one. Renames a damaged file to *.damaged, reports this, and
  /// reads the previous one. Throws Error if a checkpoint cannot be read, has an unknown format, or belongs
  /// to a different run.
  std::optional<State> load();

  /// Writes a checkpoint and returns its file. Throws Error, e.g. if the disk is full; earlier checkpoints
  /// stay unchanged.
  std::filesystem::path save(const State& state);

 private:
  std::vector<std::filesystem::path> files() const;  ///< newest first
  State read(const std::filesystem::path& file) const;
  void check_identity(const std::filesystem::path& file,
                      const std::map<std::string, std::string>& metadata) const;

  std::filesystem::path folder_;
  std::map<std::string, std::string> identity_;
  StateLayout layout_;
  Say say_;
  Fd lock_;
};

}  // namespace trainer
