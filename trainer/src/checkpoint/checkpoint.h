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

/// A folder of checkpoints: step-00000200.safetensors and the like, and LATEST, which holds the name of the
/// newest. A file appears there whole or not at all; the last two are kept.
class CheckpointFolder {
 public:
  using Say = std::function<void(const std::string&)>;

  /// Creates the folder if need be and locks it. Throws Error when another process trains there. `identity`
  /// is what must be the same for a run to be continued (flag or fact -> value); `layout` is the state's;
  /// `say` gets what a person should know.
  CheckpointFolder(std::filesystem::path folder, std::map<std::string, std::string> identity,
                   StateLayout layout, Say say);

  /// The newest state that can be read, if any. A damaged file is renamed to *.damaged, with a word, and the
  /// one before it is taken. Throws Error for a checkpoint of another run.
  std::optional<State> load();

  /// Throws Error, e.g. when the disk is full; the checkpoints before stay as they are. Returns the file.
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
