"""Reads committed results of the benchmarks, compares heptane with its peers, and writes docs/performance.md. Needs Python's standard library alone."""
