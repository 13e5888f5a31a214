#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "job/queue/entry.h"
#include "kml/base/json.h"

namespace kml::job {

/// Objects that take little memory: a packed object is a JSON string with the object's texts and numbers.
/// The shape of an object is the object without its texts and numbers. Thousands of objects have the same
/// shape, so each shape is kept only once.
class PackedObjects {
 public:
  /// Leaves an object as it is if there are too many shapes already.
  void pack(Json& object);
  /// Also accepts an object that is not packed.
  Json unpacked(const Json& object) const;
  QueueRecord unpacked(const QueueRecord& record) const;
  /// Unpacks each packed object in place.
  void unpack(std::vector<Json>& objects) const;

 private:
  std::unordered_map<std::string, std::uint32_t> numbers_;  ///< indexes of shapes_, by a text for the shape
  std::vector<Json> shapes_;                                ///< objects whose texts are empty
};

}  // namespace kml::job
