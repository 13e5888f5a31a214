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

/// A folder of checkpoints: step-00000200.safetensors and so on, and LATEST, which contains the name of the
/// newest one. A file appears complete or not at all. The last two are kept.
class CheckpointFolder {
 public:
  using Say = std::function<void(const std::string&)>;

  /// Creates the folder if needed, and locks it. Throws Error if another process is training there.
  /// `identity` has the flags and facts, with their values, that must be the same for a run to be continued.
  /// `layout` is the state's layout. `say` receives messages for the user.
  CheckpointFolder(std::filesystem::path folder, std::map<std::string, std::string> identity,
                   StateLayout layout, Say say);

  /// The newest readable state, if any. Renames a damaged file to *.damaged, reports this, and reads the one
  /// before. Throws Error if the checkpoint belongs to another run.
  std::optional<State> load();

  /// Returns the file. Throws Error, e.g. if the disk is full; earlier checkpoints stay unchanged.
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
