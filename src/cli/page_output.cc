#include "cli/page_output.h"

#include <cerrno>
#include <fstream>
#include <ostream>
#include <system_error>

#include "cli/context.h"
#include "kml/base/error.h"
#include "kml/base/files.h"

namespace kml::cli {

namespace fs = std::filesystem;

void write_named_file(const fs::path& file, const std::string& text) {
  std::error_code ignored;
  const fs::file_type type = fs::symlink_status(file, ignored).type();
  if (type == fs::file_type::regular || type == fs::file_type::not_found)
    return write_file_atomically(file, text, 0644);
  std::ofstream out(file, std::ios::binary);
  if (!(out << text << std::flush)) throw system_error("cannot write " + file.string(), errno);
}

void write_page(Context& context, const std::string& file, const std::string& page) {
  std::ostream& out = context.streams().out;
  if (file == "-") {
    out << page;
    return;
  }
  write_named_file(file, page);
  out << file << "\n";
}

}  // namespace kml::cli
