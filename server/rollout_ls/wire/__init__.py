"""Layer 5: what leaves the process: protocol shapes as msgspec structs, columns in the unit asked for, reports.

Knows no pygls; never decides what is true, only how it is written.
"""
