"""Layer 4: the findings. One rule family a file, one registry of codes.

Says what lower layers found and decided; decides nothing about pairing or counting itself.
"""
