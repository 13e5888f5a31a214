#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kml/base/json.h"

namespace kml::job {

/// The labels and annotations on all objects of one submit.
struct Marks {
  std::string submit_id;
  std::string user;       ///< a label value
  std::string name_base;  ///< the start of the name for a job without one; a random suffix is added
  std::string command;    ///< the text of an annotation on jobs; may be empty
  std::string key;        ///< the value of --idempotency-key; may be empty

  /// A name such as "train-x7f2q": the base (shortened if it is too long) and a suffix. Without a key, the
  /// suffix is random. With a key, it only depends on the key and `number`, so that the server rejects a
  /// second job with the same key.
  std::string draw_name(const std::string& base, size_t number) const;
};

/// The user who runs kml, from USER or LOGNAME, otherwise from the operating system.
std::string user_name();

/// The marks for a new submit. `user` may be any text.
Marks new_marks(std::string_view user, std::string name_base, const std::vector<std::string>& command);

/// Generates missing names, and sets labels and annotations, so that the objects can be sent. Throws usage
/// Error if an object that is not a job has neither a name nor generateName.
std::vector<Json> marked(std::vector<Json> objects, const Marks& marks);

/// For the embedded server, on which a job runs in the caller's folder and with the caller's programs: adds
/// the folder, some variables of the environment, the command's interpreter, and the versions of Python and
/// of the GPU driver to the pod templates. If an image is missing, sets it to "localhost/none", because the
/// API requires an image, but the server ignores it.
void add_local_surroundings(std::vector<Json>& objects, const std::string& working_folder);

/// Marks all jobs among the objects as gangs: either all pods of such a job start, or none. The embedded
/// server reads the mark; on a cluster, use_gangs() does.
void mark_gangs(std::vector<Json>& objects);

}  // namespace kml::job
