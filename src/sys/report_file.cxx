/*
   Forms of a report and the file with its lines.
*/
#include "report_file.hpp"
#include <fstream>
#include <vector>

namespace heptane
{

PetscErrorCode ReportForms(const char option[], const std::string &wanted, bool *table, std::string *json)
{
  std::string rest = wanted;

  PetscFunctionBegin;
  *table = rest.empty();
  while (!rest.empty()) {
    if (rest.rfind("json:", 0) == 0) {
      *json = rest.substr(5);
      PetscCheck(!json->empty(), PETSC_COMM_SELF, PETSC_ERR_USER_INPUT, "%s json: names no file: write json:FILE", option);
      break;
    }
    const std::string word = rest.substr(0, rest.find(','));
    PetscCheck(word == "table", PETSC_COMM_SELF, PETSC_ERR_USER_INPUT, "%s %s is unknown: expected table, json:FILE or table,json:FILE", option, word.c_str());
    *table = true;
    rest.erase(0, word.size() + 1);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReportCheckFile(const char option[], const std::string &name)
{
  PetscMPIInt rank;
  int         good = 1;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (!rank) good = std::ofstream(name, std::ios::trunc).good();
  PetscCallMPI(MPI_Bcast(&good, 1, MPI_INT, 0, PETSC_COMM_WORLD));
  PetscCheck(good, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "%s json:%s: the file cannot be written; its folder must exist and be writable", option, name.c_str());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReportWriteLines(const char option[], const std::string &name, const std::string &mine)
{
  PetscMPIInt              rank, ranks, length;
  std::vector<PetscMPIInt> lengths, begins;
  std::string              all;
  int                      good = 1;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  PetscCall(PetscMPIIntCast((PetscInt)mine.size(), &length));
  lengths.resize(ranks);
  begins.resize(ranks + 1, 0);
  PetscCallMPI(MPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, PETSC_COMM_WORLD));
  for (PetscMPIInt r = 0; r < ranks; r++) begins[r + 1] = begins[r] + lengths[r];
  all.resize(rank ? 0 : begins[ranks]);
  PetscCallMPI(MPI_Gatherv(mine.data(), length, MPI_CHAR, &all[0], lengths.data(), begins.data(), MPI_CHAR, 0, PETSC_COMM_WORLD));
  if (!rank) {
    std::ofstream file(name, std::ios::trunc);

    file << all << std::flush;
    good = file.good();
  }
  PetscCheck(good, PETSC_COMM_SELF, PETSC_ERR_FILE_WRITE, "%s json:%s: the file could be written when the program began and cannot be now", option,
             name.c_str());
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
