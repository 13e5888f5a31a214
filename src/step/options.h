#pragma once

#include <optional>
#include <string>
#include <vector>

#include "step/record/recording.h"

namespace kml::step {

struct InputPlace {
  std::string name, digest, path;
};

struct OutputPlace {
  std::string kind, name, path;
  bool is_optional = false;

  bool is_value() const { return kind == "value"; }
};

/// README.md describes the options.
struct Options {
  std::vector<InputPlace> inputs;
  std::vector<OutputPlace> outputs;
  std::vector<std::string> ranks;
  std::string packed, message;
  /// the bucket from which inputs are copied, and to which outputs are copied
  std::string bucket, bucket_program;
  std::vector<std::string> variables;  ///< "NAME=VALUE": defaults for variables of kml-step-s3
  std::optional<Recording> recording;
  bool reports = false;
  bool sends_trees = false;
  char* const* command = nullptr;  ///< ends with a null pointer
};

/// Exits with a message if the options are invalid.
Options parse_options(char* const* words);

}  // namespace kml::step
