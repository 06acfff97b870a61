"""Layer 5: the documents and what is around them. ``document`` is the one mutable object of the core."""
