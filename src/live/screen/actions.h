#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "live/screen/columns.h"

namespace kml::live {

/// What a key does with the selected row.
struct Action {
  std::string_view key;
  std::string_view verb;  ///< the word in the question and in the help: "cancel"
  enum class How {
    show,      ///< shows the command's output in a pane that fills the screen
    in_front,  ///< leaves the terminal to the command
    ask,       ///< asks for confirmation, then runs the command and shows its output
    with_port  ///< asks for a port, and runs it in the background
  } how = How::show;
};

const std::vector<Action>& all_actions();

/// The words of the kml command that the action runs on a row of this view; empty if the action does not
/// apply, such as "cancel" to a job that has ended.
std::vector<std::string> words_of(const Action& action, View view, const Json& row);
/// The action's name for a command that it runs: "stop" for `kml sweep stop`.
std::string name_of(const Action& action, const std::vector<std::string>& words);
/// The command whose output Enter shows; empty if Enter opens a job or shows the row itself.
std::vector<std::string> words_of_details(View view, const Json& row);
/// The command that prints the view, and whether it has the flag -A.
std::vector<std::string> words_of(View view);
bool takes_all_namespaces(View view);
/// The row in words, for views without a command for one row.
std::string text_of_row(const Json& row);

/// The job as commands accept it: "bert", or "pytorchjob/bert".
std::string job_argument(const Json& row);

}  // namespace kml::live
