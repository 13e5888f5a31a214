#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "job/queue/entry.h"
#include "kml/base/json.h"
#include "kml/base/packed_text.h"

namespace kml::job {

/// Objects that take little memory: a packed object is a JSON string with its compressed text. Objects of one
/// kind resemble each other, so the first one of a kind is an example for the others.
class PackedObjects {
 public:
  void pack(Json& object);
  /// Also accepts an object that is not packed.
  Json unpacked(const Json& object) const;
  QueueRecord unpacked(const QueueRecord& record) const;

 private:
  std::map<std::string, unsigned char> numbers_;  ///< the numbers of the packers, by kind
  std::vector<std::unique_ptr<TextPacker>> packers_;
};

}  // namespace kml::job
