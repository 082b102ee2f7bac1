/*
   Options for a report at the end of a program: a table, lines of JSON in a file, or both.
*/
#pragma once

#include <petscsys.h>
#include <string>

namespace heptane
{

/* table, json:FILE, or both separated by a comma; default: table. *json: the file, empty: none. option: in messages */
PetscErrorCode ReportForms(const char option[], const std::string &wanted, bool *table, std::string *json);
/* Process 0 empties the file; an error on all processes if that fails. Collective on all processes */
PetscErrorCode ReportCheckFile(const char option[], const std::string &name);
/* Process 0 writes the lines of all processes, in rank order. Collective on all processes */
PetscErrorCode ReportWriteLines(const char option[], const std::string &name, const std::string &mine);

} // namespace heptane
