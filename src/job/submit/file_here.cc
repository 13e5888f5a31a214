#include "job/submit/file_here.h"

#include <algorithm>
#include <filesystem>

#include "job/spec/python_module.h"

namespace kml::job {

std::string note_on_file_here(const std::vector<std::string>& command) {
  constexpr size_t kFirstWords = 8;  // torchrun --nnodes 2 --nproc-per-node 8 train.py
  for (size_t i = 0; i < std::min(kFirstWords, command.size()); ++i) {
    const std::string& word = command[i];
    const bool is_module = i > 0 && command[i - 1] == "-m" && spec::is_module_of(".", word);
    std::error_code none;
    if (is_module || (word.find_first_of("./") != std::string::npos && !word.starts_with('/') &&
                      !word.starts_with('-') && std::filesystem::is_regular_file(word, none)))
      return word + " is a " + (is_module ? "module" : "file") +
             " of this folder; a pod has it only if the image contains it; --code . sends the folder";
  }
  return {};
}

}  // namespace kml::job
