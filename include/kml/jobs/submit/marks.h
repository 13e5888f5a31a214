#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kml/core/json.h"

namespace kml::jobs {

/// What all objects of one submit carry.
struct Marks {
  std::string submit_id;
  std::string user;       ///< a label value
  std::string name_base;  ///< for jobs without a name; a random suffix follows
  std::string command;    ///< for an annotation of jobs; may be empty
  std::string key;        ///< of --idempotency-key; may be empty

  /// "train-x7f2q": the base, cut where it is too long, and a suffix: a random one, or, with a key, always
  /// the same for the same number, so that the server itself refuses a second job of that key.
  std::string draw_name(const std::string& base, size_t number) const;
};

/// The person who runs kml: what USER or LOGNAME says, else as the operating system calls them.
std::string user_name();

/// A new submit's marks; `user` may be any text.
Marks new_marks(std::string_view user, std::string name_base, std::vector<std::string> command);

/// Draws the names that are missing and sets labels and annotations. The result is what will be sent.
/// Throws usage Error for an object that is not a job and has no name.
std::vector<Json> marked(std::vector<Json> objects, const Marks& marks);

/// On the embedded server a job runs in the caller's folder and finds the caller's programs: notes both on
/// the pod templates of jobs. Images stand for nothing there, but the API wants one: "localhost/none", where
/// not given.
void add_local_surroundings(std::vector<Json>& objects, const std::string& working_folder);

/// Pods of these jobs work together: the embedded server starts all of a job's or none.
void mark_gangs(std::vector<Json>& objects);

}  // namespace kml::jobs
