// Pickles and JSON of a pod: read as plain data, whatever they contain; the records are compared with each
// other.
#include <iterator>

#include "fuzz/input.h"
#include "pod/hang/flight_record.h"

using namespace kml;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::refuse_or([&] {
    const pod::FlightRecord record = pod::parse_flight_record(fuzz::text_of(data, size));
    pod::FlightRecord other = record;
    if (!other.groups.empty() && !other.groups.begin()->second.empty())
      other.groups.begin()->second.erase(std::prev(other.groups.begin()->second.end()));
    (void)pod::flight_state({&record, &other, &record});
  });
  return 0;
}
