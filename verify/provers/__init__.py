"""Provers: each returns the strongest verdict it can honestly give, with its evidence."""
