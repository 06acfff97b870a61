"""Layer 6: the command line. The only package that prints."""
