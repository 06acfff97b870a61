"""Other shapes of the same session, each the contract of a document in ``docs/``."""
