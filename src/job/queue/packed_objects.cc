#include "job/queue/packed_objects.h"

#include "kml/kube/objects/object.h"

namespace kml::job {

/// The first byte of a packed object is the number of its packer.
void PackedObjects::pack(Json& object) {
  if (object.is_null() || object.is_string()) return;
  const std::string text = compact_text(object);
  const auto [number, is_new] =
      numbers_.try_emplace(api::kind_name(object), static_cast<unsigned char>(packers_.size()));
  if (is_new) packers_.push_back(std::make_unique<TextPacker>(text));
  const std::string packed = static_cast<char>(number->second) + packers_[number->second]->pack(text);
  object = packed;  // a copy, without room for more
}

Json PackedObjects::unpacked(const Json& object) const {
  if (!object.is_string()) return object;
  const std::string& packed = object.get_ref<const std::string&>();
  const auto number = static_cast<unsigned char>(packed.at(0));
  return parse_json(packers_.at(number)->unpack(std::string_view(packed).substr(1)), "a packed object");
}

QueueRecord PackedObjects::unpacked(const QueueRecord& record) const {
  QueueRecord whole{unpacked(record.job), unpacked(record.workload), {}};
  for (const Json& pod : record.pods) whole.pods.push_back(unpacked(pod));
  return whole;
}

}  // namespace kml::job
