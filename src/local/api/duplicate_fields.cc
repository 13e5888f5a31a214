#include "local/api/duplicate_fields.h"

#include <fmt/format.h>

#include <set>

#include "kml/core/json.h"

namespace kml::local {

namespace {

/// Follows the parser through the text, and keeps the way to where it is.
class Follower : public Json::json_sax_t {
 public:
  std::vector<std::string> duplicates;

  bool null() override { return value(); }
  bool boolean(bool) override { return value(); }
  bool number_integer(number_integer_t) override { return value(); }
  bool number_unsigned(number_unsigned_t) override { return value(); }
  bool number_float(number_float_t, const string_t&) override { return value(); }
  bool string(string_t&) override { return value(); }
  bool binary(binary_t&) override { return value(); }
  bool start_object(std::size_t) override { return begin(/*is_list=*/false); }
  bool start_array(std::size_t) override { return begin(/*is_list=*/true); }
  bool end_object() override { return end(); }
  bool end_array() override { return end(); }
  bool key(string_t& name) override {
    Level& level = levels_.back();
    level.key = name;
    if (!level.seen.insert(name).second) duplicates.push_back(path());
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const Json::exception&) override { return false; }

 private:
  struct Level {
    bool is_list;
    std::string key;
    size_t index = 0;
    std::set<std::string> seen;
  };

  bool begin(bool is_list) {
    levels_.push_back({is_list, {}, 0, {}});
    return true;
  }
  bool end() {
    levels_.pop_back();
    return value();
  }
  bool value() {
    if (!levels_.empty()) ++levels_.back().index;
    return true;
  }
  std::string path() const {
    std::string text;
    for (const Level& level : levels_)
      text += level.is_list ? fmt::format("[{}]", level.index) : (text.empty() ? "" : ".") + level.key;
    return text;
  }

  std::vector<Level> levels_;
};

}  // namespace

std::vector<std::string> duplicate_fields(std::string_view json) {
  Follower follower;
  Json::sax_parse(json, &follower);
  return std::move(follower.duplicates);
}

}  // namespace kml::local
