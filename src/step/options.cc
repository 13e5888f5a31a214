#include "step/options.h"

#include <cstdlib>
#include <string_view>

#include "step/say.h"

namespace kml::step {

namespace {

class Words {
 public:
  explicit Words(char* const* words) : words_(words) {}

  bool at_end() const { return !*words_; }
  char* const* rest() const { return words_; }
  std::string next() {
    if (at_end()) give_up("the last argument is missing");
    return *words_++;
  }

 private:
  char* const* words_;
};

/// FILE FOLDER SECONDS NANOSECONDS
Recording recording_of(Words& words) {
  Recording recording;
  for (std::string* field : {&recording.file, &recording.folder}) *field = words.next();
  recording.since.tv_sec = std::atoll(words.next().c_str());
  recording.since.tv_nsec = std::atol(words.next().c_str());
  return recording;
}

}  // namespace

Options parse_options(char* const* arguments) {
  Options options;
  Words words(arguments);
  while (!words.at_end()) {
    const std::string option = words.next();
    if (option == "--") break;
    if (option == "--input") {
      InputPlace input;
      for (std::string* field : {&input.name, &input.digest, &input.path}) *field = words.next();
      options.inputs.push_back(input);
    } else if (option == "--output" || option == "--optional") {
      OutputPlace output;
      output.is_optional = option == "--optional";
      for (std::string* field : {&output.kind, &output.name, &output.path}) *field = words.next();
      options.outputs.push_back(output);
    } else if (option == "--data") {
      DataPlace data;
      for (std::string* field : {&data.source, &data.folder}) *field = words.next();
      options.data.push_back(data);
    } else if (option == "--tidy") {
      TidyPlace tidied;
      for (std::string* field : {&tidied.verb, &tidied.folder, &tidied.seconds, &tidied.kept})
        *field = words.next();
      options.tidied.push_back(tidied);
    } else if (option == "--rank") {
      options.ranks.push_back(words.next());
    } else if (option == "--packed") {
      options.packed = words.next();
    } else if (option == "--bucket") {
      options.bucket = words.next();
      options.bucket_program = words.next();
    } else if (option == "--variable") {
      options.variables.push_back(words.next());
    } else if (option == "--message") {
      options.message = words.next();
    } else if (option == "--record") {
      options.recording = recording_of(words);
    } else if (option == "--report") {
      options.reports = true;
      options.sends_trees = words.next() == "trees";
    } else {
      give_up("unknown option " + option);
    }
  }
  if (words.at_end() && options.data.empty() && options.tidied.empty()) give_up("no command");
  options.command = words.rest();
  return options;
}

}  // namespace kml::step
