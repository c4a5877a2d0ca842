//! incrowd in Python.
