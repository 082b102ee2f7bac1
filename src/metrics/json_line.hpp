/*
   Flat JSON objects, one per line, as they are written into files of results and read from them.
*/
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace heptane
{

class JsonLine {
public:
  JsonLine   &Add(const char *key, const std::string &value);
  JsonLine   &Add(const char *key, const char *value) { return Add(key, std::string(value)); }
  JsonLine   &Add(const char *key, double value); /* null if it is not finite */
  JsonLine   &Add(const char *key, long long value);
  JsonLine   &Add(const char *key, int value) { return Add(key, static_cast<long long>(value)); }
  JsonLine   &Add(const JsonLine &other);
  std::string Text() const;

private:
  std::vector<std::pair<std::string, std::string>> members; /* key, encoded value */
};

/* Members of a line: text decoded, numbers as text; true, false and null as these words */
using JsonMembers = std::map<std::string, std::string>;

/* Whether the line is one flat object; *why: the reason if not */
bool parse_json_line(const std::string &line, JsonMembers *members, std::string *why);

/*
   Whether the member is a finite, nonnegative number, or a whole number of at most `most`, in range of `Whole`. *why:
   the reason if not
*/
bool number_of(const JsonMembers &members, const char *key, double *value, std::string *why);
bool whole_number_of(const JsonMembers &members, const char *key, double most, double *value, std::string *why);
template <class Whole>
bool whole_of(const JsonMembers &members, const char *key, double most, Whole *value, std::string *why)
{
  double number;

  if (!whole_number_of(members, key, most, &number, why)) return false;
  *value = static_cast<Whole>(number);
  return true;
}
/*
   Whether the line is of a file of this kind and schema, by its members "what" and "schema". file, reader: names in
   *why of such a file and of its reader
*/
bool is_of_kind(const JsonMembers &members, const char *kind, int schema, const char *file, const char *reader, std::string *why);

} // namespace heptane
