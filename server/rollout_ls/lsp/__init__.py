"""Layer 6: the language server. It moves messages and decides nothing.

The only package that knows pygls and lsprotocol.
"""
