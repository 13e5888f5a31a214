#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kml/base/json.h"

namespace kml::job {

/// The labels and annotations of all objects of one submit.
struct Marks {
  std::string submit_id;
  std::string user;       ///< a label value
  std::string name_base;  ///< for jobs without a name; a random suffix follows
  std::string command;    ///< for an annotation of jobs; may be empty
  std::string key;        ///< from --idempotency-key; may be empty

  /// A name such as "train-x7f2q": the base, cut if it is too long, and a suffix. Without a key, the suffix
  /// is random. With a key, it depends only on the key and `number`, so that the server rejects a second job
  /// with that key.
  std::string draw_name(const std::string& base, size_t number) const;
};

/// The user who runs kml: from USER or LOGNAME, otherwise from the operating system.
std::string user_name();

/// The marks of a new submit. `user` may be any text.
Marks new_marks(std::string_view user, std::string name_base, std::vector<std::string> command);

/// Generates missing names and sets labels and annotations. The result is ready to send. Throws usage Error
/// for an object without a name that is not a job.
std::vector<Json> marked(std::vector<Json> objects, const Marks& marks);

/// For the embedded server, where a job runs in the caller's folder with the caller's programs: adds the
/// folder and the environment to the pod templates of jobs. Sets a missing image to "localhost/none"; the
/// server ignores images, but the API requires one.
void add_local_surroundings(std::vector<Json>& objects, const std::string& working_folder);

/// Marks jobs with pods that work together: the embedded server starts all pods of such a job or none.
void mark_gangs(std::vector<Json>& objects);

}  // namespace kml::job
