"""rollout-ls: a language server and a checker for the session files of coding agents."""

__version__ = "0.1.0"
