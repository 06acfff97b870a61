"""Layer 2: what a record is. One package a format; each turns a record into the neutral statements of ``statements``.

States faults as data, without codes or severities; never looks at another record.
"""
