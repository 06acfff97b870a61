"""The rollouts of the Codex CLI: the catalogue of kinds, typed records, and the statements that each record makes."""
