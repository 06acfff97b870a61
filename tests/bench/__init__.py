"""Benches: how fast, how big, against what a plain `orjson.loads` loop needs. They print and assert nothing."""
