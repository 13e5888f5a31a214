#pragma once

namespace kml {

/// Returns freed memory to the system. The allocator would keep it, in small pieces between memory that is
/// still used: after 10,000 objects were parsed and kept as text, it keeps more than the memory in use. Meant
/// for a process that runs for a long time.
void return_unused_memory();

}  // namespace kml
