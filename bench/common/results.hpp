/*
   Results for programs (one flat JSON object a line, appended to -json FILE) and for people (a short table at the
   end). Keys and units: bench/README.md.
*/
#pragma once
#include "device.hpp"
#include "problem.hpp"
#include "timer.hpp"
#include <string>
#include <utility>
#include <vector>

namespace bench
{

class Record {
public:
  Record     &add(const char *key, const std::string &value);
  Record     &add(const char *key, const char *value) { return add(key, std::string(value)); }
  Record     &add(const char *key, double value); // null when not finite: JSON has no NaN
  Record     &add(const char *key, PetscInt64 value);
  Record     &add(const char *key, int value) { return add(key, static_cast<PetscInt64>(value)); }
  Record     &add(const char *key, bool value);
  Record     &add(const Timing &timing);
  Record     &add(const Record &other);
  std::string json() const;

private:
  std::vector<std::pair<std::string, std::string>> members_; // key, encoded value
};

// How every line begins: suite, problem, case, rows, block, nnz, what
Record problem_record(const char *suite, const Problem &p, const char *what);

// What the timed operation is judged by: bytes it must move (NaN where nobody says), the rate, the copy rate
struct Rate {
  double bytes, copy_gbs;
};

// How every line ends: timing, rate, what the program adds (`more`), verified or the error, where it ran. Rank 0 appends it to the file
// of -json; without that option nothing is written.
PetscErrorCode results_write(MPI_Comm comm, const DeviceInfo &device, Record line, const Timed &timed, const Rate &rate, const Record &more);

// Tells on the error output what runs now: the table comes only at the end
PetscErrorCode progress(MPI_Comm comm, const std::string &text);

class Table {
public:
  explicit Table(std::vector<std::string> head) : head_(std::move(head)) {}
  void           title(const std::string &text) { rows_.push_back({text}); } // a line of its own
  void           row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  PetscErrorCode print(MPI_Comm comm) const;

private:
  std::vector<std::string>              head_;
  std::vector<std::vector<std::string>> rows_;
};

// printf of one number into a table's cell
std::string cell(const char *format, double value);

// Microseconds, with two digits after the point where they count
std::string cell_us(double value);

} // namespace bench
