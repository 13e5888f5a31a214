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

/// Data that is fetched, see kml/net/fetch.
struct DataPlace {
  std::string source, folder;
};

/// A store of data, from which unused data is deleted; see kml/net/fetch/tidy.h.
struct TidyPlace {
  std::string verb;  ///< "tidy", or "untidy" for a dry run, which only prints what would be deleted
  std::string folder, seconds;
  std::string kept;  ///< names of folders, with commas between them
};

/// README.md describes the options.
struct Options {
  std::vector<InputPlace> inputs;
  std::vector<OutputPlace> outputs;
  std::vector<DataPlace> data;
  std::vector<TidyPlace> tidied;
  std::vector<std::string> ranks;
  std::string packed, message;
  /// the bucket from which inputs are copied, and to which outputs are copied
  std::string bucket, bucket_program;
  std::vector<std::string> variables;  ///< "NAME=VALUE": defaults for variables of kml-step-s3
  std::optional<Recording> recording;
  bool reports = false;
  bool sends_trees = false;
  /// ends with a null pointer; may be empty if data is fetched or tidied
  char* const* command = nullptr;
};

/// Exits with a message if the options are invalid.
Options parse_options(char* const* words);

}  // namespace kml::step
