"""What answers each method, one family a file, each handler named after what it does.

A handler gets decoded parameters and gives a value of ``wire``; it decides nothing that a feature could decide.
"""
