"""Layer 3: the canonical session, folded from statements: entries, turns, links, usage, lineage.

The only place that pairs, merges or counts. Knows no field name of any format but in ``views/``; never reads text that
it was not handed; holds places, not text.
"""
