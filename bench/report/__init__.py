"""Reads committed results of the benchmarks, compares heptane with its peers, and writes docs/reference/performance.md and the tables of make docs. Needs only Python's standard library."""
