"""Layer 6: the language server. The only package that knows pygls and lsprotocol; it moves messages and decides nothing."""
