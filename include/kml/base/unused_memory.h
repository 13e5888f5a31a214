#pragma once

namespace kml {

/// Returns memory that was freed to the system. The allocator keeps it, in small pieces between what is still
/// used: after 10,000 objects were parsed and kept as text, more than is used. For a process that stays.
void return_unused_memory();

}  // namespace kml
