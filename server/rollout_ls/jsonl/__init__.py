"""Layer 1: one record's bytes as JSON with places: values, spans, JSON inside strings, and what is broken.

Never fails, whatever the bytes; never knows what a record means.
"""
